/* Parallel loops over the values of a staggered grid by rows along x, where values are, and lists
 * gathered row by row in the same order for any number of threads. */
#ifndef GRID_ROWS_H
#define GRID_ROWS_H

#include "base/parallel.h"
#include "grid/field.h"

/* Where a value is; the doubled last layer of a periodic axis is the first. */
Vec3 grid_position(const Grid *grid, GridPlace place, int i, int j, int k);

/* Rows of values along x, numbered along y, then z. */
static inline size_t grid_row_count(const Grid *grid, GridPlace place) {
    return (size_t)grid_place_size(grid, place, 1) * (size_t)grid_place_size(grid, place, 2);
}

static inline size_t grid_row(const Grid *grid, GridPlace place, int j, int k) {
    return (size_t)k * (size_t)grid_place_size(grid, place, 1) + (size_t)j;
}

/* Index of the first value of a row in a compact array. */
static inline size_t grid_row_start(const Grid *grid, GridPlace place, int j, int k) {
    return grid_row(grid, place, j, k) * (size_t)grid_place_size(grid, place, 0);
}

/* Calls `body` for every row, at the same time for several: it writes its own row's values only. */
typedef void (*GridRow)(void *user, int j, int k);
void grid_for_rows(const Grid *grid, GridPlace place, int threads, GridRow body, void *user);

/* Makes of the numbers of items that rows have the places of their first items in one list, in the
 * order of the rows; returns how many there are in all. */
size_t grid_rows_to_starts(size_t *counts, size_t rows);

#endif
