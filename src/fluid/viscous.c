/* Implicit viscosity between forces and projection (002 section 5.7). The pressure gradient of the
 * last step acts while viscosity does and is taken out again before the projection, which finds the
 * whole pressure anew: without it, the two steps of the split would disagree next to walls by a
 * layer of thickness sqrt(viscosity dt / density), and steady flows would depend on dt. */
#include "fluid/body_forces.h"
#include "fluid/boundary.h"
#include "fluid/internal.h"
#include "fluid/project.h"

/* In the coupled solve colliders are bodies with rows of their own. */
static double side_velocity(const void *fluid, int wall, int component, Vec3 x) {
    return wall == VISCOSITY_OBSTACLE ? 0 : fluid_wall_velocity(fluid, wall, component, x);
}

ViscosityProblem fluid_viscosity_problem(const Fluid *fluid) {
    ViscosityProblem problem = {.grid = &fluid->grid,
                                .density = fluid->desc.density,
                                .mu = fluid->desc.viscosity,
                                .mu_of_cell = fluid->viscous.of_cell,
                                .slip = fluid->desc.slip,
                                .wall_velocity =
                                    fluid->coupled.solver ? side_velocity : fluid_wall_velocity,
                                .user = fluid};
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        problem.distance[axis] = fluid->cut.face_distance[axis];
        if (fluid->coupled.solver) problem.open[axis] = fluid->cut.open[axis];
        for (int end = 0; end < 2; end++)
            problem.side_slip[axis][end] = fluid->desc.sides[axis][end].slip;
    }
    if (!fluid_has_surface(fluid)) return problem;
    problem.liquid_of_corners = fluid->liquid.wet_corners;
    if (fluid->coupled.solver) {
        problem.kind = fluid->cut.kind;
        problem.phi = fluid_surface_of_pressure(fluid);
    }
    return problem;
}

PlimStatus fluid_set_up_viscosity(Fluid *fluid, const StepInfo *step) {
    if (!fluid->viscous.solver) return PLIM_OK;
    ViscosityProblem problem = fluid_viscosity_problem(fluid);
    return viscosity_setup(fluid->viscous.solver, &problem, step->threads);
}

/* ---- the last pressure gradient ---- */

typedef struct GradientJob {
    Fluid *fluid;
    int axis;
    double factor; /* s m^3/kg */
} GradientJob;

/* Pressure in a cell beyond the low end or the high end of an axis too; false where there is none.
 */
static bool pressure_of(const Fluid *fluid, int axis, const int cell[3], double *pressure) {
    const Grid *grid = &fluid->grid;
    int at[3] = {cell[0], cell[1], cell[2]};
    if (at[axis] < 0 || at[axis] >= grid->n[axis]) {
        SideKind kind = grid->sides[axis][at[axis] < 0 ? 0 : 1];
        *pressure = 0;
        if (kind == SIDE_OPEN) return true;
        if (kind != SIDE_PERIODIC) return false;
        at[axis] = at[axis] < 0 ? grid->n[axis] - 1 : 0;
    }
    size_t index = grid_cell_index(grid, at[0], at[1], at[2]);
    *pressure = fluid->pressure[index];
    return fluid->cut.kind[index] == CELL_FLUID && !fluid->cut.fresh[index];
}

/* Pa/m at a face that is open, between two cells that have a pressure. */
static bool gradient_at(const Fluid *fluid, int axis, const int at[3], double *gradient) {
    const Grid *grid = &fluid->grid;
    int low[3] = {at[0], at[1], at[2]};
    double p[2];
    if (fluid->cut.open[axis] &&
        !(fluid->cut.open[axis][grid_face_index(grid, axis, at[0], at[1], at[2])] > 0))
        return false;
    low[axis]--;
    if (!pressure_of(fluid, axis, low, &p[0]) || !pressure_of(fluid, axis, at, &p[1])) return false;
    bool at_side = !grid_is_periodic(grid, axis) && (at[axis] == 0 || at[axis] == grid->n[axis]);
    *gradient = (p[1] - p[0]) / (at_side ? 0.5 * grid->spacing : grid->spacing);
    return true;
}

/* At a face between liquid and air the pressure's gradient is that of the faces around it: the
 * solve's own, over the distance to the surface, would be of a surface that has moved since. */
static bool gradient_at_surface(const Fluid *fluid, int axis, const int at[3], double *gradient) {
    const Grid *grid = &fluid->grid;
    double sum = 0, one;
    int count = 0;
    if (!fluid_has_surface(fluid) || !fluid_face_is_wet(fluid, axis, at)) return false;
    for (int other = 0; other < grid->dim; other++)
        for (int way = -1; way <= 1; way += 2) {
            int next[3] = {at[0], at[1], at[2]};
            int n = grid_place_size(grid, grid_place_faces(axis), other);
            next[other] += way;
            if (next[other] < 0 || next[other] >= n) continue;
            if (!gradient_at(fluid, axis, next, &one)) continue;
            sum += one;
            count++;
        }
    *gradient = sum / fmax(count, 1);
    return count > 0;
}

static void gradient_row(void *user, int j, int k) {
    const GradientJob *job = user;
    Fluid *fluid = job->fluid;
    int axis = job->axis, nx = fluid->grid.n[0] + (axis == 0);
    double *u = fluid_velocity(fluid, axis) + grid_face_index(&fluid->grid, axis, 0, j, k);
    for (int i = 0; i < nx; i++) {
        int at[3] = {i, j, k};
        double gradient;
        if (gradient_at(fluid, axis, at, &gradient) ||
            gradient_at_surface(fluid, axis, at, &gradient))
            u[i] += job->factor * gradient;
    }
}

static void add_gradient(Fluid *fluid, const StepInfo *step, double factor) {
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        GradientJob job = {fluid, axis, factor};
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, gradient_row, &job);
    }
}

/* ---- faces that viscosity alone moves ----
 *
 * They feel what their neighbours in the liquid feel, gravity and pressure, and what viscosity does
 * to themselves: while pressure acts on the neighbours their velocities are kept relative to these.
 * Were they continued from the liquid in each step, the weight of the liquid in them would be lost,
 * up to half a cell of it. */

/* Neighbour `number` of a face along its component, two along each axis: false where it is beyond a
 * side or no liquid touches it. */
static bool wet_neighbour(const Fluid *fluid, int axis, const int at[3], int number, int next[3]) {
    const Grid *grid = &fluid->grid;
    const double *open = fluid->cut.open[axis];
    int other = number / 2, n = grid_place_size(grid, grid_place_faces(axis), other);
    int period = grid_is_periodic(grid, other) ? grid->n[other] : 0;
    for (int b = 0; b < 3; b++) next[b] = at[b];
    next[other] += number % 2 ? 1 : -1;
    if (period > 0) next[other] = (next[other] + period) % period;
    if (next[other] < 0 || next[other] >= n) return false;
    if (!fluid_face_is_wet(fluid, axis, next)) return false;
    return !open || open[grid_face_index(grid, axis, next[0], next[1], next[2])] > FLUID_CARRIES;
}

/* The mean velocity of the neighbours of a face that liquid touches; how many there are. */
static int wet_neighbours(const Fluid *fluid, int axis, const int at[3], double *mean) {
    const double *u = fluid_velocity(fluid, axis);
    double sum = 0;
    int count = 0, next[3];
    for (int number = 0; number < 2 * fluid->grid.dim; number++) {
        if (!wet_neighbour(fluid, axis, at, number, next)) continue;
        sum += u[grid_face_index(&fluid->grid, axis, next[0], next[1], next[2])];
        count++;
    }
    *mean = count > 0 ? sum / count : 0;
    return count;
}

double fluid_velocity_beside(const Fluid *fluid, int axis, const int at[3]) {
    double mean;
    wet_neighbours(fluid, axis, at, &mean);
    return mean;
}

bool fluid_face_is_dragged(const Fluid *fluid, int axis, const int at[3]) {
    double mean;
    return fluid->liquid.wet_corners && viscosity_moves_face(fluid->viscous.solver, axis, at) &&
           !fluid_face_is_wet(fluid, axis, at) && wet_neighbours(fluid, axis, at, &mean) > 0;
}

bool fluid_face_is_moved(const Fluid *fluid, int axis, const int at[3]) {
    return fluid_face_is_wet(fluid, axis, at) || fluid_face_is_dragged(fluid, axis, at);
}

typedef struct RelativeJob {
    Fluid *fluid;
    int axis;
    double sign;
} RelativeJob;

static void relative_row(void *user, int j, int k) {
    const RelativeJob *job = user;
    Fluid *fluid = job->fluid;
    int axis = job->axis, nx = grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    double *u = fluid_velocity(fluid, axis) + grid_face_index(&fluid->grid, axis, 0, j, k);
    for (int i = 0; i < nx; i++) {
        int at[3] = {i, j, k};
        if (fluid_face_is_dragged(fluid, axis, at))
            u[i] += job->sign * fluid_velocity_beside(fluid, axis, at);
    }
}

/* Velocities of dragged faces: relative to their neighbours for -1, their own again for 1. */
static void make_relative(Fluid *fluid, const StepInfo *step, double sign) {
    for (int axis = 0; fluid->liquid.wet_corners && axis < fluid->grid.dim; axis++) {
        RelativeJob job = {fluid, axis, sign};
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, relative_row, &job);
    }
}

/* ---- the coupled solve ----
 *
 * There viscosity and pressure share one mass of each face, the liquid in its box. What pressure
 * is to accelerate is more: all of a face between two cells of liquid, though its box ends in air,
 * and dragged faces, which no cell of liquid is beside. Pushing that too by the unknown pressure
 * would ask the transpose of the divergence, and full cells would change their volume. So what the
 * mass of a face lacks of that of the pressure feels the pressure of the last step, which is that
 * of this one but for its change: when it comes to rest they are equal. */

/* What the pressure does to a wet face in the step, m/s; false and 0 where it is not known. */
static bool pushed_by_pressure(const Fluid *fluid, double dt, int axis, const int at[3],
                               double *push) {
    double gradient = 0;
    bool known =
        gradient_at(fluid, axis, at, &gradient) || gradient_at_surface(fluid, axis, at, &gradient);
    *push = -dt / fluid->desc.density * gradient;
    return known;
}

/* The same to a dragged face: as to those beside it. */
static double dragged_by_pressure(const Fluid *fluid, double dt, int axis, const int at[3]) {
    double sum = 0, push;
    int count = 0, next[3];
    for (int number = 0; number < 2 * fluid->grid.dim; number++) {
        if (!wet_neighbour(fluid, axis, at, number, next)) continue;
        if (!pushed_by_pressure(fluid, dt, axis, next, &push)) continue;
        sum += push;
        count++;
    }
    return sum / fmax(count, 1);
}

/* What is to be added to a face's velocity before the solve. */
static double missing_push(const Fluid *fluid, const ViscosityProblem *problem, double dt, int axis,
                           const int at[3]) {
    if (fluid_face_is_dragged(fluid, axis, at)) return dragged_by_pressure(fluid, dt, axis, at);
    if (!fluid_face_is_wet(fluid, axis, at)) return 0;
    double moved = viscosity_liquid_part(fluid->viscous.solver, problem, axis, at);
    double pushed = fluid_face_part(fluid, axis, at);
    double push;
    bool lacks = moved < pushed && pushed_by_pressure(fluid, dt, axis, at, &push);
    return lacks ? (1 - pushed / moved) * push : 0;
}

typedef struct PushJob {
    Fluid *fluid;
    const ViscosityProblem *problem; /* NULL: dragged faces alone */
    double dt;
    int axis;
} PushJob;

static void push_row(void *user, int j, int k) {
    const PushJob *job = user;
    Fluid *fluid = job->fluid;
    int axis = job->axis, nx = grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    double *u = fluid_velocity(fluid, axis) + grid_face_index(&fluid->grid, axis, 0, j, k);
    for (int i = 0; i < nx; i++) {
        int at[3] = {i, j, k};
        if (!viscosity_moves_face(fluid->viscous.solver, axis, at)) continue;
        if (job->problem)
            u[i] += missing_push(fluid, job->problem, job->dt, axis, at);
        else if (fluid_face_is_dragged(fluid, axis, at))
            u[i] += dragged_by_pressure(fluid, job->dt, axis, at);
    }
}

static void push_faces(Fluid *fluid, const StepInfo *step, const ViscosityProblem *problem,
                       double dt) {
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        PushJob job = {fluid, problem, dt, axis};
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, push_row, &job);
    }
}

void fluid_push_by_last_pressure(Fluid *fluid, const StepInfo *step) {
    ViscosityProblem problem = fluid_viscosity_problem(fluid);
    if (fluid->liquid.wet_corners) push_faces(fluid, step, &problem, step->dt);
}

void fluid_drag_by_pressure(Fluid *fluid, const StepInfo *step, double sign) {
    if (fluid->liquid.wet_corners) push_faces(fluid, step, NULL, sign * step->dt);
}

/* ---- the solve ---- */

/* The least implicit part that makes no velocity swing to the other side: 1/2, which is second
 * order in time, while steps are short for the stiffest motion the grid has, and 1 when they are
 * long. The stiffest has the rate 8 dim mu / (density h^2). */
static double implicit_part(const Fluid *fluid, double dt) {
    double mu = fluid->desc.viscosity;
    for (size_t i = 0; fluid->viscous.of_cell && i < fluid->sizes[FLUID_GROUP_CELLS].count; i++)
        mu = fmax(mu, fluid->viscous.of_cell[i]);
    double h = fluid->grid.spacing;
    double stiffness = 8 * fluid->grid.dim * mu * dt / (fluid->desc.density * h * h);
    return fmax(0.5, 1 - 1 / stiffness);
}

PlimStatus fluid_begin_diffusion(Fluid *fluid, const StepInfo *step) {
    if (!fluid->viscous.solver) return PLIM_OK;
    fluid->viscous.implicit_part =
        fluid_is_second_order(fluid) ? implicit_part(fluid, step->dt) : 1;
    fluid_clear_friction(fluid);
    if (fluid->viscous.implicit_part == 1) return PLIM_OK;
    double *velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    ViscosityProblem problem = fluid_viscosity_problem(fluid);
    fluid->wall_time = step->time;
    fluid_add_friction(fluid, 1 - fluid->viscous.implicit_part);
    return viscosity_gain(fluid->viscous.solver, &problem,
                          (1 - fluid->viscous.implicit_part) * step->dt, step->threads, velocity,
                          fluid->viscous.gain);
}

static void add_explicit_part(Fluid *fluid) {
    for (int axis = 0; fluid->viscous.implicit_part < 1 && axis < fluid->grid.dim; axis++) {
        double *u = fluid_velocity(fluid, axis);
        size_t count = fluid->sizes[FLUID_GROUP_FACES_X + axis].count;
        for (size_t i = 0; i < count; i++) u[i] += fluid->viscous.gain[axis][i];
    }
}

/* Velocities whose face centre is inside a collider have its velocity while viscosity acts. */
static void hold_row(void *user, int j, int k) {
    const FluidAxis *job = user;
    Fluid *fluid = job->fluid;
    int axis = job->axis, nx = grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    size_t first = grid_face_index(&fluid->grid, axis, 0, j, k);
    double *u = fluid_velocity(fluid, axis) + first;
    const double *distance = fluid->cut.face_distance[axis] + first;
    for (int i = 0; i < nx; i++)
        if (distance[i] < 0)
            u[i] = fluid_wall_velocity(fluid, VISCOSITY_OBSTACLE, axis,
                                       grid_face_center(&fluid->grid, axis, i, j, k));
}

static void hold_inside(Fluid *fluid, const StepInfo *step, int axis) {
    FluidAxis job = {fluid, axis};
    if (fluid->cut.face_distance[axis])
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, hold_row, &job);
}

PlimStatus fluid_diffuse(Fluid *fluid, const StepInfo *step) {
    if (!fluid->viscous.solver) return PLIM_OK;
    double *velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    double factor = step->dt / fluid->desc.density;
    fluid->wall_time = step->end_time;
    add_explicit_part(fluid);
    make_relative(fluid, step, -1);
    add_gradient(fluid, step, -factor);
    make_relative(fluid, step, 1);
    TRY(fluid_set_given(fluid, step, step->end_time));
    for (int axis = 0; axis < fluid->grid.dim; axis++) hold_inside(fluid, step, axis);
    ViscosityProblem problem = fluid_viscosity_problem(fluid);
    KrylovOptions options = krylov_options_default(step->threads);
    options.relative = 1e-2 * fluid->desc.tolerance;
    TRY(viscosity_solve(fluid->viscous.solver, &problem, fluid->viscous.implicit_part * step->dt,
                        &options, velocity, &fluid->viscous.result));
    if (fluid->viscous.result.reason != SOLVE_CONVERGED)
        return context_fail(step->context, PLIM_FAILED,
                            "t = %g s: the viscosity solve stopped after %d iterations: %s",
                            step->time, fluid->viscous.result.iterations,
                            solve_reason_name(fluid->viscous.result.reason));
    fluid_add_friction(fluid, fluid->viscous.implicit_part);
    make_relative(fluid, step, -1);
    add_gradient(fluid, step, factor);
    return PLIM_OK;
}

void fluid_end_diffusion(Fluid *fluid, const StepInfo *step) {
    make_relative(fluid, step, 1);
}
