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

/* Whether a value belongs into a list; asked once for each, several at the same time. */
typedef bool (*GridTest)(const void *user, int i, int j, int k);

typedef struct GridList {
    size_t *items; /* indices in compact arrays, ascending; in scratch memory */
    size_t count;
} GridList;

/* Lists the values for which the test is true. */
PlimStatus grid_gather(const Grid *grid, GridPlace place, int threads, GridTest test,
                       const void *user, Scratch *scratch, GridList *out);

/* The value of an index of a compact array. */
static inline void grid_place_at(const Grid *grid, GridPlace place, size_t index, int at[3]) {
    size_t nx = (size_t)grid_place_size(grid, place, 0);
    size_t ny = (size_t)grid_place_size(grid, place, 1);
    at[0] = (int)(index % nx);
    at[1] = (int)(index / nx % ny);
    at[2] = (int)(index / (nx * ny));
}

#endif
