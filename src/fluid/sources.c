/* Volume made in cells: by sources, volume control, and colliders that move. */
#include "fluid/internal.h"

bool fluid_in_source(const Fluid *fluid, const FluidSource *source, Vec3 x) {
    return fluid_source_distance(fluid, source, x) < 0;
}

bool fluid_source_runs(const FluidSource *source, double t) {
    return source->pouring == FLUID_LEAVES ||
           field_function_at(&source->runs, vec3(0, 0, 0), t) > 0;
}

bool fluid_source_blows(const FluidSource *source, double t) {
    return source->sets_velocity ? fluid_source_runs(source, t)
                                 : source->has_rate && fluid_source_rate(source, t) > 0;
}

static double velocity_along(const Collider *collider, Vec3 x, int axis) {
    double velocity[3];
    vec3_store(velocity, collider_velocity(collider, x));
    return velocity[axis];
}

/* What a collider pushes through the closed part of a face, m^3/s along the axis. Its velocity is
 * linear in place, so the integral over the closed part is exact from the part and its first
 * moment, which is that of the open part with the other sign: a turning disc pushes nothing. */
double fluid_pushed(const Fluid *fluid, int axis, int i, int j, int k) {
    double open = fluid->cut.open[axis][grid_face_index(&fluid->grid, axis, i, j, k)];
    if (!(open < 1)) return 0;
    Vec3 x = grid_face_center(&fluid->grid, axis, i, j, k), beside;
    const ImmersedCollider *nearest = immersed_nearest(&fluid->colliders, x, &beside);
    const Collider *collider = &nearest->now;
    double through[3], middle = velocity_along(collider, beside, axis);
    vec3_store(through, immersed_through(nearest));
    double flux = (1 - open) * (middle + through[axis]);
    if (open > 0 && !fluid_moves_as_one(fluid)) {
        Vec3 moved = vec3_add(beside, fluid_aperture_moment(fluid, axis, i, j, k));
        flux -= velocity_along(collider, moved, axis) - middle;
    }
    return flux * grid_face_area(&fluid->grid);
}

typedef struct SourceJob {
    Fluid *fluid;
    double t;
    bool with_colliders;
} SourceJob;

static void source_rows(void *user, int j, int k) {
    const SourceJob *job = user;
    Fluid *fluid = job->fluid;
    const Grid *grid = &fluid->grid;
    for (int i = 0; i < grid->n[0]; i++) {
        size_t cell = grid_cell_index(grid, i, j, k);
        double made = 0;
        fluid->sources.rate[cell] = 0;
        if (fluid->cut.kind[cell] != CELL_FLUID) continue;
        for (int axis = 0; job->with_colliders && axis < grid->dim; axis++)
            made += fluid_pushed(fluid, axis, i, j, k) -
                    fluid_pushed(fluid, axis, i + (axis == 0), j + (axis == 1), k + (axis == 2));
        if (fluid->liquid.control_rate != 0)
            made +=
                fluid->liquid.control_rate * fluid->liquid.fraction[cell] * grid_cell_volume(grid);
        Vec3 x = grid_cell_center(grid, i, j, k);
        for (size_t s = 0; s < fluid->sources.list.count; s++) {
            const FluidSource *source = &fluid->sources.list.data[s];
            if (field_function_is_set(&source->expansion) && fluid_in_source(fluid, source, x))
                made += fluid_source_value(fluid, source, &source->expansion, x, job->t) *
                        grid_cell_volume(grid);
        }
        fluid->sources.rate[cell] = made;
    }
}

PlimStatus fluid_find_sources(Fluid *fluid, const StepInfo *step, bool with_colliders) {
    if (!fluid->sources.rate) return PLIM_OK;
    fluid_place_sources(fluid);
    SourceJob job = {fluid, step->end_time, with_colliders && fluid->colliders.some_move};
    grid_for_rows(&fluid->grid, PLACE_CELLS, step->threads, source_rows, &job);
    fluid_spread_rates(fluid, step->threads);
    return PLIM_OK;
}
