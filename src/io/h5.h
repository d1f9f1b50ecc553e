/* HDF5 files as blocks of memory. Files are built and parsed in memory only, so that writing them
 * is one checked write, and reading starts with a verified checksum. */
#ifndef IO_H5_H
#define IO_H5_H

#include "base/state.h"

typedef enum H5Type { H5_F32, H5_F64, H5_I32, H5_U64, H5_U8 } H5Type;

/* Bytes of one value. */
size_t h5_type_size(H5Type type);

typedef struct H5Builder H5Builder;

PlimStatus h5_builder_create(PlimContext *context, H5Builder **out);
void h5_builder_destroy(H5Builder *builder);

/* The calls below keep the first failure for h5_builder_finish to report. */
void h5_add_group(H5Builder *builder, const char *path);
/* rows x columns, or a vector of `rows` when columns is 1. `unit` may be NULL. */
void h5_add_data(H5Builder *builder, const char *path, H5Type type, size_t rows, size_t columns,
                 const void *data, const char *unit);
/* Values of a grid of n[0] x n[1] x n[2] cells, x running fastest: an array [z][y][x], or
 * [z][y][x][c] of several components. Read back as one row a cell. */
void h5_add_volume(H5Builder *builder, const char *path, H5Type type, const int n[3],
                   size_t components, const void *data, const char *unit);
/* A link that reads as if the data of another file in the same folder stood here. */
void h5_add_link(H5Builder *builder, const char *path, const char *file, const char *target);
void h5_add_number(H5Builder *builder, const char *path, const char *name, double value);
void h5_add_u64(H5Builder *builder, const char *path, const char *name, uint64_t value);
void h5_add_text(H5Builder *builder, const char *path, const char *name, const char *value);

/* The bytes of the file; free with context_free(context, *bytes, *size, 1). */
PlimStatus h5_builder_finish(H5Builder *builder, char **bytes, size_t *size);

typedef struct H5Reader H5Reader;

/* Parses `bytes`, which must live as long as the reader; `label` names the file in messages. */
PlimStatus h5_reader_create(PlimContext *context, const char *label, char *bytes, size_t size,
                            H5Reader **out);
/* Opens a file on the disk instead, whose sizes alone are to be looked at: nothing is checked. */
PlimStatus h5_reader_open(PlimContext *context, const char *path, H5Reader **out);
void h5_reader_destroy(H5Reader *reader);

/* From now on no link to another file is followed, in the whole process. What this project reads of
 * frames needs none. */
void h5_refuse_links(void);

/* Name of the root's entry number `index` in the order of names; false past the last one, or when
 * it does not fit. */
bool h5_entry_name(const H5Reader *reader, size_t index, char *name, size_t capacity);
bool h5_has(const H5Reader *reader, const char *path);
bool h5_has_attribute(const H5Reader *reader, const char *path, const char *name);
PlimStatus h5_size(H5Reader *reader, const char *path, size_t *rows, size_t *columns);
/* Fails unless the stored array has exactly this shape. */
PlimStatus h5_read(H5Reader *reader, const char *path, H5Type type, size_t rows, size_t columns,
                   void *data);
PlimStatus h5_read_number(H5Reader *reader, const char *path, const char *name, double *value);
PlimStatus h5_read_u64(H5Reader *reader, const char *path, const char *name, uint64_t *value);

H5Type h5_type_of_field(FieldType type);

#endif
