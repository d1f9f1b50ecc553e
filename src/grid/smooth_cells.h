/* Binomial smoothing of cell values. */
#ifndef GRID_SMOOTH_CELLS_H
#define GRID_SMOOTH_CELLS_H

#include "grid/rows.h"

/* In which order the axes are smoothed: from x to z, or from z to x. */
typedef enum SmoothOrder { SMOOTH_FORTH, SMOOTH_BACK } SmoothOrder;

/* Smooths by (1, 2, 1) / 4 along each axis, `passes` times. The weights of a cell add up to 1; the
 * weight of one cell for another is that of the other for it in the other order. `work` is as long
 * as `values`. With `open` not NULL nothing goes through closed parts of faces; else both orders
 * are the same. */
void cells_smooth(const Grid *grid, double *const *open, SmoothOrder order, int passes, int threads,
                  double *values, double *work);

#endif
