/* Whole files in and out. What is written appears under its name complete or not at all. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/context.h"

enum { PATH_CAPACITY = 4096 };

/* folder/name; PLIM_BAD_INPUT when the path is too long. */
PlimStatus path_join(PlimContext *context, const char *folder, const char *name,
                     char path[PATH_CAPACITY]);

/* Makes a folder and those above it. */
PlimStatus folder_create(PlimContext *context, const char *path);

/* Writes under a temporary name, flushes to the disk when `durable`, then renames. On failure the
 * old file, if any, is untouched. */
PlimStatus file_write(PlimContext *context, const char *path, const void *bytes, size_t size,
                      bool durable);

/* The whole file; free with context_free(context, *bytes, *size + 1, 1). A NUL follows the bytes.
 */
PlimStatus file_read(PlimContext *context, const char *path, char **bytes, size_t *size);

bool file_exists(const char *path);

#endif
