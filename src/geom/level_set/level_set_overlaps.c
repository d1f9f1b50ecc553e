/* Interior surfaces of overlapping solids: where solids overlap, parts of their surfaces lie inside
 * the union and are no boundary of it. Whole triangles of that kind are dropped before distances
 * are taken; points on the buried part of others are recognised here, one by one. */
#include "geom/level_set/level_set_data.h"

#include "geom/query/closest.h"

bool level_set_has_overlaps(const NodeGrid *grid, const unsigned char *flags) {
    const size_t stride[3] = {1, (size_t)grid->n[0], (size_t)grid->n[0] * (size_t)grid->n[1]};
    size_t count = node_grid_count(grid);
    for (size_t node = 0; node < count; node++) {
        if (!(flags[node] & NODE_INSIDE) || !(flags[node] & NODE_CROSS)) continue;
        for (int axis = 0; axis < 3; axis++)
            if ((flags[node] & NODE_CROSS_X << axis) && node + stride[axis] < count &&
                (flags[node + stride[axis]] & NODE_INSIDE))
                return true;
    }
    return false;
}

/* The nodes from..to along an axis that surround a coordinate; those on both sides of a node that
 * it lies on. */
static void surrounding(double x, int n, int *from, int *to) {
    const double slack = 1e-6;
    *from = (int)fmax(floor(x - slack), 0.0);
    *to = (int)fmin(floor(x + slack) + 1.0, n - 1.0);
}

bool level_set_is_overlapped(const GridSurface *surface, const Vec3 corner[3], int i, int j,
                             int k) {
    const NodeGrid *grid = surface->grid;
    const unsigned char *flags = surface->flags;
    if (!(flags[node_grid_index(grid, i, j, k)] & NODE_INSIDE)) return false;
    double weights[3];
    Vec3 q = closest_on_triangle(vec3(i, j, k), corner[0], corner[1], corner[2], weights);
    int from[3], to[3];
    surrounding(q.x, grid->n[0], &from[0], &to[0]);
    surrounding(q.y, grid->n[1], &from[1], &to[1]);
    surrounding(q.z, grid->n[2], &from[2], &to[2]);
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++)
            for (int x = from[0]; x <= to[0]; x++)
                if (!(flags[node_grid_index(grid, x, y, z)] & NODE_INSIDE)) return false;
    return true;
}
