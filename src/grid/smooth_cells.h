/* Smoothing of cell values, and loops over rows of cells. */
#ifndef GRID_SMOOTH_CELLS_H
#define GRID_SMOOTH_CELLS_H

#include "base/parallel.h"
#include "grid/field.h"

enum { CELL_ROW_GRAIN = 4 };

/* Calls `body` for rows of cells, numbered along y, then z. */
static inline void cell_rows(const Grid *grid, int threads, ParallelBody body, void *user) {
    parallel_for(threads, (size_t)grid->n[1] * (size_t)grid->n[2], CELL_ROW_GRAIN, body, user);
}

/* Smooths by (1, 2, 1) / 4 along each axis, `passes` times. Between any two cells the weight is the
 * same both ways, and the weights of a cell add up to 1. `work` is as long as `values`. With `open`
 * not NULL nothing goes through closed parts of faces. */
void cells_smooth(const Grid *grid, double *const *open, int passes, int threads, double *values,
                  double *work);

#endif
