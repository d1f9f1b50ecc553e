/* Pressure projection: u^{n+1} = u* - dt/density grad p with div u^{n+1} = 0 (000 section 4.4.4).
 *
 * Gravity. A fluid of one density that fills its domain is not moved by gravity: it is balanced by
 * a pressure that grows with depth, everywhere and exactly. The solve leaves both out; what is
 * reported and what presses on bodies has it added. Open sides have fluid at rest beyond them.
 * Along a periodic axis, and under a free surface, there is no such pressure: gravity is a force
 * like others there (forces.c). */
#include "fluid/project.h"
#include "fluid/boundary.h"
#include "fluid/coupled.h"
#include "fluid/internal.h"
#include "fluid/measure.h"

#include <string.h>

typedef struct ScaleJob {
    double *pressure, factor;
} ScaleJob;

static void scale_range(void *user, size_t begin, size_t end) {
    const ScaleJob *job = user;
    for (size_t i = begin; i < end; i++) job->pressure[i] *= job->factor;
}

/* What the solver calls pressure is pressure times dt over density. */
static void scale_pressure(Fluid *fluid, double factor) {
    enum { GRAIN = 1 << 14 };
    ScaleJob job = {fluid->pressure, factor};
    parallel_for(fluid->context->threads, fluid->sizes[FLUID_GROUP_CELLS].count, GRAIN, scale_range,
                 &job);
}

static PoissonProblem make_problem(const Fluid *fluid) {
    PoissonProblem problem = {
        .grid = &fluid->grid, .kind = fluid->cut.kind, .source = fluid->sources.rate};
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        problem.open[axis] = problem.coefficient[axis] = fluid->cut.open[axis];
    if (fluid_has_surface(fluid)) problem.phi = fluid_surface_of_pressure(fluid);
    return problem;
}

const double *fluid_surface_of_pressure(const Fluid *fluid) {
    return fluid->desc.liquid.first_order ? NULL : fluid->liquid.cell_level;
}

double fluid_face_part(const Fluid *fluid, int axis, const int at[3]) {
    PoissonProblem problem = make_problem(fluid);
    return poisson_face_part(&problem, axis, at);
}

static PlimStatus solve_failed(const Fluid *fluid, const StepInfo *step, double wanted) {
    const SolveResult *solved = &fluid->projected.solved;
    return context_fail(step->context, PLIM_FAILED,
                        "t = %g s: the pressure solve stopped after %d iterations: %s; residual "
                        "%g, wanted %g",
                        step->time, solved->iterations, solve_reason_name(solved->reason),
                        solved->last_residual, wanted);
}

/* The most that flows through a face or is made in a cell, m^3/s. */
static double greatest_flow(const Fluid *fluid) {
    double flow = fluid_greatest_velocity(fluid) * grid_face_area(&fluid->grid);
    for (size_t i = 0; fluid->sources.rate && i < fluid->sizes[FLUID_GROUP_CELLS].count; i++) {
        double made = fabs(fluid->sources.rate[i]);
        flow = made > flow ? made : flow;
    }
    return flow;
}

/* The solve stops at an absolute residual, for velocities that are divergence-free already stay
 * what they are. */
PlimStatus fluid_project(Fluid *fluid, const StepInfo *step) {
    if (fluid->cut.fluid_cells == 0) return PLIM_OK;
    TRY(fluid_find_sources(fluid, step, true));
    PoissonProblem problem = make_problem(fluid);
    double *velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    KrylovOptions options = krylov_options_default(step->threads);
    options.relative = 0;
    options.absolute =
        fluid->desc.tolerance * greatest_flow(fluid) * sqrt((double)fluid->cut.fluid_cells);
    double to_solve = step->dt / fluid->desc.density;
    scale_pressure(fluid, to_solve);
    TRY(poisson_project(fluid->poisson, &problem, &options, velocity, fluid->pressure,
                        &fluid->projected));
    scale_pressure(fluid, 1 / to_solve);
    if (fluid->projected.solved.reason != SOLVE_CONVERGED)
        return solve_failed(fluid, step, options.absolute);
    return fluid_check_balance(fluid, PLIM_FAILED, step->end_time, fluid->projected.incompatible);
}

static double *flow_values(const Fluid *fluid, int group) {
    return group == FLUID_GROUP_CELLS ? fluid->pressure
                                      : fluid_velocity(fluid, group - FLUID_GROUP_FACES_X);
}

PlimStatus fluid_keep_flow(const Fluid *fluid, Scratch *scratch, double *kept[FLUID_FLOW_COUNT]) {
    for (int group = 0; group < FLUID_FLOW_COUNT; group++) {
        size_t count = fluid->sizes[group].count;
        kept[group] = scratch_take(scratch, count, sizeof(double));
        if (!kept[group]) return PLIM_OUT_OF_MEMORY;
        if (count > 0) memcpy(kept[group], flow_values(fluid, group), count * sizeof(double));
    }
    return PLIM_OK;
}

void fluid_restore_flow(Fluid *fluid, double *const kept[FLUID_FLOW_COUNT]) {
    for (int group = 0; group < FLUID_FLOW_COUNT; group++) {
        size_t count = fluid->sizes[group].count;
        if (count > 0) memcpy(flow_values(fluid, group), kept[group], count * sizeof(double));
    }
}

/* What is made in cells, but for what bodies push whose motion is solved for: where one is next to
 * something that it closes a gap to, it is the solve that makes them agree. */
static PlimStatus find_given_sources(Fluid *fluid, const StepInfo *step) {
    size_t mark = scratch_mark(step->scratch), count = fluid->colliders.list.count;
    Collider *kept = scratch_take(step->scratch, count + 1, sizeof *kept);
    if (!kept) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        Collider *now = &fluid->colliders.list.data[i].now;
        kept[i] = *now;
        if (fluid_solves_for(fluid, i)) now->velocity = now->angular_velocity = vec3(0, 0, 0);
    }
    PlimStatus status = fluid_find_sources(fluid, step, true);
    for (size_t i = 0; i < count; i++) fluid->colliders.list.data[i].now = kept[i];
    scratch_release(step->scratch, mark);
    return status;
}

/* Looks at what flows in and out at the start, without solving. */
PlimStatus fluid_check_start(Fluid *fluid, const StepInfo *step) {
    TRY(find_given_sources(fluid, step));
    PoissonProblem problem = make_problem(fluid);
    KrylovOptions options = krylov_options_default(step->threads);
    options.max_iterations = 0;
    double *velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    size_t mark = scratch_mark(step->scratch);
    double *kept[FLUID_FLOW_COUNT];
    TRY(fluid_keep_flow(fluid, step->scratch, kept));
    ProjectResult result;
    PlimStatus status =
        poisson_project(fluid->poisson, &problem, &options, velocity, fluid->pressure, &result);
    fluid_restore_flow(fluid, kept);
    scratch_release(step->scratch, mark);
    TRY(status);
    if (fluid_solves_for_bodies(fluid)) TRY(fluid_find_sources(fluid, step, true));
    return fluid_check_balance(fluid, PLIM_BAD_INPUT, step->time, result.incompatible);
}

PlimStatus fluid_estimate_pressure(Fluid *fluid, const StepInfo *step) {
    size_t mark = scratch_mark(step->scratch);
    double *kept[FLUID_FLOW_COUNT], factor = step->dt / fluid->desc.density;
    double *velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    if (fluid->cut.fluid_cells == 0) return PLIM_OK;
    TRY(find_given_sources(fluid, step));
    TRY(fluid_keep_flow(fluid, step->scratch, kept));
    TRY(fluid_set_given(fluid, step, step->end_time));
    PoissonProblem problem = make_problem(fluid);
    KrylovOptions options = krylov_options_default(step->threads);
    options.relative = 1e-2 * fluid->desc.tolerance;
    options.max_iterations = 100;
    ProjectResult result;
    scale_pressure(fluid, factor);
    PlimStatus status =
        poisson_project(fluid->poisson, &problem, &options, velocity, fluid->pressure, &result);
    scale_pressure(fluid, 1 / factor);
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        memcpy(velocity[axis], kept[FLUID_GROUP_FACES_X + axis],
               fluid->sizes[FLUID_GROUP_FACES_X + axis].count * sizeof(double));
    scratch_release(step->scratch, mark);
    return status;
}

/* The highest corner of the domain has pressure 0 from weight. */
double fluid_weight_pressure(const Fluid *fluid, Vec3 x) {
    const Grid *grid = &fluid->grid;
    double origin[3], gravity[3], at[3], sum = 0;
    vec3_store(origin, grid->origin);
    vec3_store(gravity, fluid->gravity);
    vec3_store(at, x);
    for (int axis = 0; axis < grid->dim; axis++) {
        if (!fluid_carries_weight(fluid, axis)) continue;
        double top =
            gravity[axis] < 0 ? origin[axis] + grid->n[axis] * grid->spacing : origin[axis];
        sum += gravity[axis] * (at[axis] - top);
    }
    return fluid->desc.density * sum;
}
