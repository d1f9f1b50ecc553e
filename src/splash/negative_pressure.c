/* Negative pressure, the bounds of the unilateral solve: deep in the liquid it may fall below that
 * of air, so that flow holds together there as water does (001 section 3.1). */
#include "splash/faces.h"

#include <string.h>

/* Cells from the surface, counted along the axes, up to `most`: one sweep up and one down, which is
 * exact for that measure in boxes and a lower bound behind corners. */
static void sweep_depths(const Splash *splash, double *depth, double most) {
    const Grid *grid = &splash->padded;
    int last[3] = {grid->n[0] - 1, grid->n[1] - 1, grid->n[2] - 1};
    for (int pass = 0; pass < 2; pass++) FOR_CELLS(grid, 0, face_layers(grid), a, b, c, count) {
            (void)count;
            int at[3] = {a, b, c};
            for (int axis = 0; axis < 3 && pass == 1; axis++) at[axis] = last[axis] - at[axis];
            size_t here = grid_cell_index(grid, at[0], at[1], at[2]);
            for (int axis = 0; axis < grid->dim; axis++) {
                int beside[3] = {at[0], at[1], at[2]};
                beside[axis] += pass == 0 ? -1 : 1;
                if (beside[axis] < 0 || beside[axis] > last[axis]) continue;
                size_t other = grid_cell_index(grid, beside[0], beside[1], beside[2]);
                depth[here] = fmin(depth[here], fmin(depth[other] + 1, most));
            }
        }
}

void splash_find_low(Splash *splash, double time) {
    double *depth = splash->low, most = splash->desc.suction_depth;
    size_t cells = grid_cell_count(&splash->padded);
    for (size_t c = 0; c < cells; c++) {
        bool full = splash->density[c] >= 0.5 * splash->most[c]; /* solids are no surface */
        depth[c] = full ? most : 0;
    }
    sweep_depths(splash, depth, most);
    for (size_t c = 0; c < cells; c++)
        splash->low[c] =
            depth[c] >= most && splash->kind[c] == CELL_FLUID ? -splash->desc.suction * time : 0;
}
