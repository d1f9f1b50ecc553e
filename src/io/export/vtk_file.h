/* Files of VTK's XML formats (.vtu, .vti): a head that names arrays, their values at the end. */
#ifndef IO_EXPORT_VTK_FILE_H
#define IO_EXPORT_VTK_FILE_H

#include "base/text.h"

typedef struct VtkFile {
    Text head, values;
    bool is_raw;
} VtkFile;

/* `type` is UnstructuredGrid or ImageData. Raw values make no valid XML, which some readers ask
 * for, but files a quarter smaller; others are base64. */
void vtk_file_begin(VtkFile *file, PlimContext *context, const char *type, bool is_raw);

/* `type` as Float32; `columns` are values a point or cell. */
void vtk_file_add(VtkFile *file, const char *type, const char *name, size_t columns,
                  const void *values, size_t size);

/* Closes the element `type`, and frees the file. */
PlimStatus vtk_file_write(VtkFile *file, const char *type, const char *path);

#endif
