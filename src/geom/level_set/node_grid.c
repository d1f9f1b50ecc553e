/* A uniform grid of nodes around a box. */
#include "geom/level_set/node_grid.h"

/* Nodes along a side: whole cells that cover it, the margins, and the node at the end. The longest
 * side is `cells` cells long up to rounding, which must not add a cell. */
static int side_nodes(double side, double spacing, int margin) {
    double cells = ceil(side / spacing - 1e-9);
    return (cells > 0.0 ? (int)cells : 0) + 2 * margin + 1;
}

NodeGrid node_grid_around(Box3 box, int cells, int margin) {
    Vec3 size = vec3_sub(box.high, box.low), center = box3_center(box);
    double longest = fmax(size.x, fmax(size.y, size.z));
    NodeGrid grid = {.spacing = longest > 0.0 ? longest / cells : 1.0};
    grid.n[0] = side_nodes(size.x, grid.spacing, margin);
    grid.n[1] = side_nodes(size.y, grid.spacing, margin);
    grid.n[2] = side_nodes(size.z, grid.spacing, margin);
    Vec3 half = vec3(0.5 * (grid.n[0] - 1), 0.5 * (grid.n[1] - 1), 0.5 * (grid.n[2] - 1));
    grid.origin = vec3_add_scaled(center, -grid.spacing, half);
    return grid;
}
