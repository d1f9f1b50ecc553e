/* Values on the grid with a halo: cell, face or node values in padded storage, so that a stencil
 * near a side reads on as in the middle. One call fills the halo from what the sides are. Compact
 * arrays (the state, the solver; grid.h's indices) are copied in and out. */
#ifndef GRID_FIELD_H
#define GRID_FIELD_H

#include "base/context.h"
#include "grid/grid.h"

/* Where on a cell the values are. The faces follow in the order of the axes. */
typedef enum GridPlace {
    PLACE_CELLS,
    PLACE_FACES_X,
    PLACE_FACES_Y,
    PLACE_FACES_Z,
    PLACE_NODES /* corners; in two dimensions those of the squares */
} GridPlace;

static inline GridPlace grid_place_faces(int axis) {
    return (GridPlace)(PLACE_FACES_X + axis);
}

/* True when there are values on both ends of the axis: one layer more than cells. */
static inline bool grid_place_on_ends(const Grid *grid, GridPlace place, int axis) {
    if (place == PLACE_NODES) return axis < grid->dim;
    return place == grid_place_faces(axis);
}

/* Values along an axis. The last layer on a periodic axis with ends is a copy of the first. */
static inline int grid_place_size(const Grid *grid, GridPlace place, int axis) {
    return grid->n[axis] + (grid_place_on_ends(grid, place, axis) ? 1 : 0);
}

/* Values of a compact array, x running fastest. */
static inline size_t grid_place_count(const Grid *grid, GridPlace place) {
    return (size_t)grid_place_size(grid, place, 0) * (size_t)grid_place_size(grid, place, 1) *
           (size_t)grid_place_size(grid, place, 2);
}

static inline bool grid_is_periodic(const Grid *grid, int axis) {
    return grid->sides[axis][0] == SIDE_PERIODIC;
}

typedef struct GridField {
    Grid grid;
    GridPlace place;
    int halo;         /* layers beyond each end of each axis; none along z in two dimensions */
    int n[3];         /* values along each axis, without the halo */
    size_t stride[3]; /* of neighbours along each axis in `data` */
    size_t count;     /* values in `data`, with the halo */
    double *data;
} GridField;

PlimStatus field_create(PlimContext *context, const Grid *grid, GridPlace place, int halo,
                        GridField *out);
void field_free(PlimContext *context, GridField *field);

/* Index in `data`; each of i, j, k from -halo to n + halo - 1 (k: 0 in two dimensions). */
static inline size_t field_index(const GridField *field, int i, int j, int k) {
    int z_halo = field->grid.dim == 3 ? field->halo : 0;
    return (size_t)(i + field->halo) + (size_t)(j + field->halo) * field->stride[1] +
           (size_t)(k + z_halo) * field->stride[2];
}

/* Across the value at an index along an axis, from one neighbour to the other; 0 along z in two
 * dimensions. */
static inline double field_difference(const GridField *field, size_t at, int axis) {
    if (axis >= field->grid.dim) return 0;
    return field->data[at + field->stride[axis]] - field->data[at - field->stride[axis]];
}

/* From and to a compact array; neither touches the halo. */
void field_load(GridField *field, int threads, const double *compact);
void field_store(const GridField *field, int threads, double *compact);

/* Fills everything beyond the ends. Periodic sides: the values of the other end, the double last
 * layer included. All other sides: the last two values continued in a straight line, so that
 * stencils keep linear functions; a field one value wide is continued as a constant. */
void field_fill_halo(GridField *field, int threads);

/* The same, but sides that are not periodic continue the last value, so that nothing beyond the
 * ends is greater or smaller than what is inside. */
void field_fill_halo_constant(GridField *field, int threads);

/* As the first, of a distance: the line is no steeper than one is, so that a jump beside a side
 * makes no zero beyond it. */
void field_fill_halo_distance(GridField *field, int threads);

#endif
