/* Smoke and temperature: sources, cooling, dissipation. */
#include "fluid/smoke.h"
#include "fluid/internal.h"

typedef struct FeedJob {
    Fluid *fluid;
    const FluidSource *source;
    double t;
    int axis;
} FeedJob;

/* Most rows have nothing to do with a source, nor with what is within a reach of it. */
static bool row_misses(const Fluid *fluid, const FluidSource *source, double reach, Vec3 first,
                       Vec3 last) {
    Box3 box = box3_grow(fluid_source_bounds(source), reach);
    if (grid_image_count(&fluid->grid) > 1) return false;
    return first.y > box.high.y || first.y < box.low.y || first.z > box.high.z ||
           first.z < box.low.z || first.x > box.high.x || last.x < box.low.x;
}

static void feed_row(void *user, int j, int k) {
    const FeedJob *job = user;
    const Fluid *fluid = job->fluid;
    const FluidSource *source = job->source;
    GridPlace place = fluid_smoke_place(fluid);
    int nx = grid_place_size(&fluid->grid, place, 0), ny = grid_place_size(&fluid->grid, place, 1);
    size_t first = ((size_t)k * (size_t)ny + (size_t)j) * (size_t)nx;
    if (row_misses(fluid, source, 0, grid_position(&fluid->grid, place, 0, j, k),
                   grid_position(&fluid->grid, place, nx - 1, j, k)))
        return;
    for (int i = 0; i < nx; i++) {
        Vec3 x = grid_position(&fluid->grid, place, i, j, k);
        if (!fluid_in_source(fluid, source, x)) continue;
        size_t at = first + (size_t)i;
        if (source->sets_smoke)
            fluid->smoke[at] = fluid_source_value(fluid, source, &source->smoke, x, job->t);
        if (source->sets_temperature)
            fluid->temperature[at] =
                fluid_source_value(fluid, source, &source->temperature, x, job->t);
    }
}

/* How far out of a source its velocity is set. A source that fills sets all faces of the cells
 * whose middle is in it or on its surface: a row of such cells along its edge, with faces just
 * outside, would else fall on its own, fed from above, faster and faster. */
static double reach_of_velocity(const Fluid *fluid, const FluidSource *source) {
    const double rounding = 1e-6;
    return source->pouring == FLUID_FILLS ? (0.5 + rounding) * fluid->grid.spacing : 0;
}

static void blow_row(void *user, int j, int k) {
    const FeedJob *job = user;
    Fluid *fluid = job->fluid;
    double reach = reach_of_velocity(fluid, job->source);
    int axis = job->axis, nx = grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    double *u = fluid_velocity(fluid, axis) + grid_face_index(&fluid->grid, axis, 0, j, k);
    if (row_misses(fluid, job->source, reach, grid_face_center(&fluid->grid, axis, 0, j, k),
                   grid_face_center(&fluid->grid, axis, nx - 1, j, k)))
        return;
    for (int i = 0; i < nx; i++) {
        Vec3 x = grid_position(&fluid->grid, grid_place_faces(axis), i, j, k);
        if (fluid_source_distance(fluid, job->source, x) < reach)
            u[i] = fluid_source_velocity(fluid, job->source, axis, x, job->t);
    }
}

/* The difference from ambient, and smoke, go down exponentially. */
static void cool(Fluid *fluid, double dt) {
    size_t count = fluid->sizes[FLUID_GROUP_SMOKE].count;
    double ambient = fluid->desc.smoke.ambient, kept = exp(-fluid->desc.smoke.cooling * dt);
    for (size_t i = 0; fluid->desc.smoke.cooling > 0 && i < count; i++)
        fluid->temperature[i] = ambient + (fluid->temperature[i] - ambient) * kept;
    kept = exp(-fluid->desc.smoke.fading * dt);
    for (size_t i = 0; fluid->desc.smoke.fading > 0 && i < count; i++) fluid->smoke[i] *= kept;
}

/* A source without a value somewhere leaves its mark. */
static PlimStatus check_source(const Fluid *fluid, const FluidSource *source,
                               const StepInfo *step) {
    double sum = 0;
    size_t count = fluid->sizes[FLUID_GROUP_SMOKE].count;
    if (source->smoke.evaluate || source->temperature.evaluate)
        for (size_t i = 0; i < count; i++)
            sum += (fluid->smoke[i] - fluid->smoke[i]) +
                   (fluid->temperature[i] - fluid->temperature[i]);
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        const double *u = fluid_velocity(fluid, axis);
        count = fluid->sizes[FLUID_GROUP_FACES_X + axis].count;
        for (size_t i = 0; source->velocity[axis].evaluate && i < count; i++) sum += u[i] - u[i];
    }
    if (sum == 0) return PLIM_OK;
    return context_fail(
        fluid->context, PLIM_FAILED,
        "t = %g s: what the source '%s' sets has no value somewhere in it; mend its "
        "expressions",
        step->end_time, source->name);
}

PlimStatus fluid_feed(Fluid *fluid, const StepInfo *step) {
    const Grid *grid = &fluid->grid;
    if (fluid->desc.smoke.is_there) cool(fluid, step->dt);
    fluid_place_sources(fluid);
    for (size_t s = 0; s < fluid->sources.list.count; s++) {
        FeedJob job = {fluid, &fluid->sources.list.data[s], step->end_time, 0};
        if (job.source->sets_smoke || job.source->sets_temperature)
            grid_for_rows(grid, fluid_smoke_place(fluid), step->threads, feed_row, &job);
        bool blows = fluid_source_blows(job.source, step->end_time);
        for (; blows && job.axis < grid->dim; job.axis++)
            grid_for_rows(grid, grid_place_faces(job.axis), step->threads, blow_row, &job);
        TRY(check_source(fluid, job.source, step));
    }
    return PLIM_OK;
}
