/* Periodic images: places beyond periodic sides that stand for one inside; and the plane of a grid
 * in two dimensions. */
#ifndef GRID_PERIODIC_H
#define GRID_PERIODIC_H

#include "grid/field.h"

/* Bodies, obstacles and sources have images beyond periodic sides, 0 the thing itself. */
static inline int grid_image_count(const Grid *grid) {
    int count = 1;
    for (int axis = 0; axis < grid->dim; axis++)
        if (grid_is_periodic(grid, axis)) count *= 3;
    return count;
}

static inline Vec3 grid_image_offset(const Grid *grid, int image) {
    static const int periods[3] = {0, -1, 1};
    double offset[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++) {
        if (!grid_is_periodic(grid, axis)) continue;
        offset[axis] = periods[image % 3] * grid->n[axis] * grid->spacing;
        image /= 3;
    }
    return vec3(offset[0], offset[1], offset[2]);
}

/* By whole periods into the domain. */
static inline Vec3 grid_wrap(const Grid *grid, Vec3 x) {
    double at[3], origin[3];
    vec3_store(at, x);
    vec3_store(origin, grid->origin);
    for (int axis = 0; axis < grid->dim; axis++) {
        double period = grid->n[axis] * grid->spacing;
        if (grid_is_periodic(grid, axis))
            at[axis] -= period * floor((at[axis] - origin[axis]) / period);
    }
    return vec3_load(at);
}

/* The cell beyond a face of a cell, across periodic sides too; false: there is none. */
static inline bool grid_cell_beyond(const Grid *grid, const int cell[3], int axis, int end,
                                    size_t *out) {
    int at[3] = {cell[0], cell[1], cell[2]}, n = grid->n[axis];
    at[axis] += end ? 1 : -1;
    if (grid_is_periodic(grid, axis)) at[axis] = (at[axis] + n) % n;
    if (at[axis] < 0 || at[axis] >= n) return false;
    *out = grid_cell_index(grid, at[0], at[1], at[2]);
    return true;
}

/* In two dimensions only the cut at z = 0 counts. */
static inline Vec3 grid_in_plane(const Grid *grid, Vec3 x) {
    if (grid->dim == 2) x.z = 0;
    return x;
}

#endif
