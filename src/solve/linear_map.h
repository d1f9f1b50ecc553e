/* Linear maps: a matrix known by what it does. Every map comes with its transpose and can be
 * written out as rows, so that forces travel back the way velocities came and tests can compare the
 * two. */
#ifndef SOLVE_LINEAR_MAP_H
#define SOLVE_LINEAR_MAP_H

#include "base/array.h"
#include "base/scratch.h"

typedef struct LinearMap {
    const void *object;
    size_t rows, columns;
    /* y = A x and y = A^T x; x and y do not overlap. */
    void (*apply)(const void *object, const double *x, double *y);
    void (*apply_transpose)(const void *object, const double *x, double *y);
} LinearMap;

/* Compressed rows; columns ascend within a row. */
typedef struct Csr {
    size_t rows, columns, entries;
    size_t *row_start; /* rows + 1 */
    int32_t *column;
    double *value;
} Csr;

PlimStatus csr_create(PlimContext *context, size_t rows, size_t columns, size_t entries, Csr *out);
void csr_free(PlimContext *context, Csr *matrix);

/* Writes a map out by applying it to unit vectors, with entries that are exactly zero left out: for
 * tests, direct solves and other libraries, not for large systems in a hurry. */
PlimStatus csr_from_map(PlimContext *context, const LinearMap *map, Csr *out);

/* A matrix that is written row by row, whose memory is kept for the next. */
typedef struct CsrBuilder {
    ARRAY(size_t) row_start;
    ARRAY(int32_t) column;
    ARRAY(double) value;
} CsrBuilder;

void csr_builder_clear(CsrBuilder *builder);
void csr_builder_free(PlimContext *context, CsrBuilder *builder);
size_t csr_builder_bytes(const CsrBuilder *builder);
/* An entry of the present row; then its end. False when memory is out. */
bool csr_builder_add(PlimContext *context, CsrBuilder *builder, size_t column, double value);
/* Puts the entries of the present row in the order of their columns. */
void csr_builder_sort_row(CsrBuilder *builder);
bool csr_builder_end_row(PlimContext *context, CsrBuilder *builder);
/* The matrix as it stands; it borrows the builder's memory. */
bool csr_builder_view(PlimContext *context, CsrBuilder *builder, size_t columns, Csr *out);

/* A few entries of one row; those of a mass block stand together. */
enum { SPARSE_ROW_CAPACITY = 24 };

typedef struct SparseRow {
    int count;
    bool is_short; /* of room: an entry was left out */
    int32_t column[SPARSE_ROW_CAPACITY];
    double value[SPARSE_ROW_CAPACITY];
} SparseRow;

/* Adds a value in a column, to what is there already. */
static inline void sparse_row_add(SparseRow *row, int32_t column, double value) {
    for (int i = 0; i < row->count; i++)
        if (row->column[i] == column) {
            row->value[i] += value;
            return;
        }
    if (row->count == SPARSE_ROW_CAPACITY) {
        row->is_short = true;
        return;
    }
    row->column[row->count] = column;
    row->value[row->count++] = value;
}

/* The first thing wrong with it as text, or NULL: rows that do not follow one another, columns that
 * do not ascend or do not exist, values that are not finite. */
const char *csr_problem(const Csr *matrix);

/* The matrix as a map; it is complete by then. */
LinearMap csr_map(const Csr *matrix);

#endif
