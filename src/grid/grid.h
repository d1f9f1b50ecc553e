/* The staggered grid: cubic cells, scalars at cell centres, velocities on faces, sides with a
 * meaning. Two dimensions are three dimensions one cell thick: n[2] == 1, the cell 1 m deep, loops
 * over `dim` axes. */
#ifndef GRID_GRID_H
#define GRID_GRID_H

#include "math/vec.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum SideKind {
    SIDE_WALL,    /* nothing passes */
    SIDE_OPEN,    /* pressure given, anything may pass */
    SIDE_INFLOW,  /* velocity given */
    SIDE_PERIODIC /* joined to the opposite side, which must be periodic too */
} SideKind;

typedef struct Grid {
    int dim;              /* 2 or 3 */
    int n[3];             /* cells along each axis; n[2] == 1 in two dimensions */
    double spacing;       /* m, edge of a cell; in two dimensions cells are 1 m deep */
    Vec3 origin;          /* m, lowest corner */
    SideKind sides[3][2]; /* of each axis: low, high */
} Grid;

static inline size_t grid_cell_count(const Grid *grid) {
    return (size_t)grid->n[0] * (size_t)grid->n[1] * (size_t)grid->n[2];
}

/* Faces across axis a: n[a] + 1 layers, the first and last of which are the same when periodic. */
static inline size_t grid_face_count(const Grid *grid, int axis) {
    return grid_cell_count(grid) / (size_t)grid->n[axis] * (size_t)(grid->n[axis] + 1);
}

static inline size_t grid_cell_index(const Grid *grid, int i, int j, int k) {
    return ((size_t)k * (size_t)grid->n[1] + (size_t)j) * (size_t)grid->n[0] + (size_t)i;
}

/* The cell of an index. */
static inline void grid_cell_place(const Grid *grid, size_t index, int at[3]) {
    size_t nx = (size_t)grid->n[0], ny = (size_t)grid->n[1];
    at[0] = (int)(index % nx);
    at[1] = (int)(index / nx % ny);
    at[2] = (int)(index / (nx * ny));
}

/* Index of the face across `axis` on the low side of cell (i, j, k); i, j or k may be n[axis]. */
static inline size_t grid_face_index(const Grid *grid, int axis, int i, int j, int k) {
    size_t nx = (size_t)grid->n[0] + (axis == 0), ny = (size_t)grid->n[1] + (axis == 1);
    return ((size_t)k * ny + (size_t)j) * nx + (size_t)i;
}

static inline Vec3 grid_cell_center(const Grid *grid, int i, int j, int k) {
    double h = grid->spacing;
    return vec3(grid->origin.x + (i + 0.5) * h, grid->origin.y + (j + 0.5) * h,
                grid->dim == 3 ? grid->origin.z + (k + 0.5) * h : 0.0);
}

static inline Vec3 grid_face_center(const Grid *grid, int axis, int i, int j, int k) {
    Vec3 p = grid_cell_center(grid, i, j, k);
    if (axis == 0) p.x -= 0.5 * grid->spacing;
    if (axis == 1) p.y -= 0.5 * grid->spacing;
    if (axis == 2) p.z -= 0.5 * grid->spacing;
    return p;
}

static inline Vec3 grid_high_corner(const Grid *grid) {
    double h = grid->spacing;
    return vec3(grid->origin.x + grid->n[0] * h, grid->origin.y + grid->n[1] * h,
                grid->origin.z + grid->n[2] * h);
}

/* Whether a point is in the domain or on its sides; z does not count in two dimensions. */
static inline bool grid_contains(const Grid *grid, Vec3 x) {
    Vec3 low = grid->origin, high = grid_high_corner(grid);
    return x.x >= low.x && x.x <= high.x && x.y >= low.y && x.y <= high.y &&
           (grid->dim == 2 || (x.z >= low.z && x.z <= high.z));
}

/* m^3 and m^2; a cell is 1 m deep in two dimensions. */
static inline double grid_cell_volume(const Grid *grid) {
    return grid->spacing * grid->spacing * (grid->dim == 3 ? grid->spacing : 1.0);
}

static inline double grid_face_area(const Grid *grid) {
    return grid->spacing * (grid->dim == 3 ? grid->spacing : 1.0);
}

#endif
