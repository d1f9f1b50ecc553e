/* A CSV file that grows by a row a step: stats.csv and probes.csv. Rows gather in memory and are
 * appended to the file at the end of a frame. */
#ifndef IO_TABLE_FILE_H
#define IO_TABLE_FILE_H

#include "base/file.h"
#include "base/text.h"

typedef struct TableFile {
    PlimContext *context;
    char path[PATH_CAPACITY];
    Text rows; /* not yet in the file */
} TableFile;

/* Starts the file with a header line, replacing an older file. */
PlimStatus table_file_create(PlimContext *context, const char *folder, const char *name,
                             const char *header, TableFile *out);

/* Goes on with a file: keeps its rows up to and including `time`, drops the rest. *fresh tells that
 * there was no such file, or one with other columns, and it was started anew. */
PlimStatus table_file_continue(PlimContext *context, const char *folder, const char *name,
                               const char *header, double time, TableFile *out, bool *fresh);

/* Adds a value to the row; the first of a row has `first` true. */
void table_file_value(TableFile *table, double value, bool first);
void table_file_end_row(TableFile *table);

PlimStatus table_file_flush(TableFile *table);
void table_file_free(TableFile *table);

/* A whole CSV file of numbers in memory. */
typedef struct Table {
    char *names; /* header fields, each ended by NUL */
    size_t names_size;
    size_t columns, rows;
    double *values; /* column after column */
} Table;

PlimStatus table_read(PlimContext *context, const char *path, Table *out);
void table_free(PlimContext *context, Table *table);
const char *table_column_name(const Table *table, size_t column);

#endif
