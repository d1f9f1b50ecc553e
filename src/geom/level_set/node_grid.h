/* A uniform grid of nodes in space, x fastest. */
#ifndef GEOM_NODE_GRID_H
#define GEOM_NODE_GRID_H

#include "geom/query/box.h"

#include <stddef.h>

typedef struct NodeGrid {
    Vec3 origin;    /* m, of node (0, 0, 0) */
    double spacing; /* m */
    int n[3];       /* nodes along each axis */
} NodeGrid;

static inline size_t node_grid_count(const NodeGrid *grid) {
    return (size_t)grid->n[0] * (size_t)grid->n[1] * (size_t)grid->n[2];
}

static inline size_t node_grid_index(const NodeGrid *grid, int i, int j, int k) {
    return ((size_t)k * (size_t)grid->n[1] + (size_t)j) * (size_t)grid->n[0] + (size_t)i;
}

static inline Vec3 node_grid_position(const NodeGrid *grid, int i, int j, int k) {
    return vec3(grid->origin.x + i * grid->spacing, grid->origin.y + j * grid->spacing,
                grid->origin.z + k * grid->spacing);
}

/* A grid that covers the box with `margin` cells around it and `cells` cells along its longest
 * side. */
NodeGrid node_grid_around(Box3 box, int cells, int margin);

#endif
