/* The fluid in a frame: velocities brought to the cell centres, pressure, where obstacles are. */
#include "fluid/view.h"
#include "fluid/internal.h"
#include "fluid/project.h"
#include "grid/interpolate.h"
#include "system/frame_volume.h"

typedef struct ViewJob {
    const Fluid *fluid;
    FrameVolumeArrays to;
} ViewJob;

static bool is_inside(const Fluid *fluid, int i, int j, int k) {
    return fluid->colliders.list.count > 0 &&
           fluid->cut.cell_distance.data[field_index(&fluid->cut.cell_distance, i, j, k)] < 0;
}

static double at_center(const Fluid *fluid, const double *scalar, Vec3 x, size_t cell) {
    if (fluid->desc.storage != FLUID_ON_NODES) return scalar[cell];
    LinearStencil stencil = linear_stencil(&fluid->grid, PLACE_NODES, x);
    return linear_gather(&stencil, scalar);
}

static void view_slabs(void *user, size_t begin, size_t end) {
    const ViewJob *job = user;
    const Fluid *fluid = job->fluid;
    const Grid *grid = &fluid->grid;
    size_t cell = begin * (size_t)grid->n[0] * (size_t)grid->n[1];
    for (int k = (int)begin; k < (int)end; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++, cell++) {
                for (int axis = 0; axis < 3; axis++) {
                    double sum = 0;
                    if (axis < grid->dim) {
                        const double *values = fluid_velocity(fluid, axis);
                        sum = values[grid_face_index(grid, axis, i, j, k)] +
                              values[grid_face_index(grid, axis, i + (axis == 0), j + (axis == 1),
                                                     k + (axis == 2))];
                    }
                    job->to.velocity[3 * cell + (size_t)axis] = (float)(0.5 * sum);
                }
                Vec3 x = grid_cell_center(grid, i, j, k);
                bool solid = fluid->cut.kind[cell] == CELL_SOLID || is_inside(fluid, i, j, k);
                job->to.solid[cell] = solid;
                job->to.pressure[cell] =
                    solid ? 0.0f : (float)(fluid->pressure[cell] + fluid_weight_pressure(fluid, x));
                if (job->to.level) job->to.level[cell] = (float)fluid->liquid.cell_level[cell];
                if (!job->to.smoke) continue;
                job->to.smoke[cell] = solid ? 0.0f : (float)at_center(fluid, fluid->smoke, x, cell);
                job->to.temperature[cell] = (float)at_center(fluid, fluid->temperature, x, cell);
            }
}

PlimStatus fluid_view_frame(const void *system, const StepInfo *step, FrameView *view) {
    const Fluid *fluid = system;
    bool has_surface = fluid_has_surface(fluid);
    FrameVolumeDesc volume = {.pattern = "fluid|*",
                              .grid = &fluid->grid,
                              .has_smoke = fluid->desc.smoke.is_there,
                              .has_level = has_surface,
                              .solid_moves = fluid->colliders.some_move,
                              .obstacles = fluid->desc.obstacle_mesh};
    ViewJob job = {.fluid = fluid};
    TRY(frame_add_volume(view, step, &volume, &job.to));
    parallel_for(step->threads, (size_t)fluid->grid.n[2], 1, view_slabs, &job);
    return has_surface ? fluid_view_surface(fluid, step, view) : PLIM_OK;
}
