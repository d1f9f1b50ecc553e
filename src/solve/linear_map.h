/* Linear maps: a matrix known by what it does. Every map comes with its transpose and can be
 * written out as rows, so that forces travel back the way velocities came and tests can compare the
 * two. */
#ifndef SOLVE_LINEAR_MAP_H
#define SOLVE_LINEAR_MAP_H

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

/* The first thing wrong with it as text, or NULL: rows that do not follow one another, columns that
 * do not ascend or do not exist, values that are not finite. */
const char *csr_problem(const Csr *matrix);

/* The matrix as a map; it is complete by then. */
LinearMap csr_map(const Csr *matrix);

#endif
