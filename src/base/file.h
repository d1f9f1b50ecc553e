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

/* A file that is written part by part, to appear under its name complete or not at all. */
typedef struct FileWriter {
    PlimContext *context;
    char path[PATH_CAPACITY], temporary[PATH_CAPACITY];
    int file; /* -1: not open */
} FileWriter;

PlimStatus file_writer_open(PlimContext *context, const char *path, FileWriter *out);
PlimStatus file_writer_add(FileWriter *writer, const void *bytes, size_t size);
/* Either ends it; after a failure it must be dropped. */
PlimStatus file_writer_finish(FileWriter *writer);
void file_writer_drop(FileWriter *writer);

/* The whole file; free with context_free(context, *bytes, *size + 1, 1). A NUL follows the bytes.
 */
PlimStatus file_read(PlimContext *context, const char *path, char **bytes, size_t *size);

bool file_exists(const char *path);

#endif
