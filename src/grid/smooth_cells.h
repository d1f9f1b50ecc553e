/* Binomial smoothing of cell values. */
#ifndef GRID_SMOOTH_CELLS_H
#define GRID_SMOOTH_CELLS_H

#include "grid/rows.h"

/* Smooths by (1, 2, 1) / 4 along each axis, `passes` times. Between any two cells the weight is the
 * same both ways, and the weights of a cell add up to 1. `work` is as long as `values`. With `open`
 * not NULL nothing goes through closed parts of faces. */
void cells_smooth(const Grid *grid, double *const *open, int passes, int threads, double *values,
                  double *work);

#endif
