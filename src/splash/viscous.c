/* Implicit viscosity of a splashing liquid, between forces and pressure, by the solver that fluids
 * have (solve/viscosity; Batty and Bridson 2008). Faces have the masses that particles gave them,
 * so that momentum is kept; cells count by the part of their room that is full. As in a fluid
 * (fluid/viscous.c), the last pressure acts while viscosity does and is taken out again. Walls,
 * obstacles and bodies that the liquid does not move hold it fast, and get its friction; along
 * bodies that it moves it slips. */
#include "splash/viscous.h"

#include "splash/faces.h"
#include "splash/obstacle.h"

#include <string.h>

/* All of it on the grid of the domain; velocities of splash->velocity are on the padded one. */
typedef struct ViscousJob {
    Splash *splash;
    double *liquid;      /* of cells */
    double *velocity[3]; /* of faces, here and below */
    double *open[3], *distance[3];
    double *lift[3]; /* m/s, by the last pressure; of padded faces */
    double time;     /* s, over which viscosity acts */
} ViscousJob;

static size_t padded_cell(const Splash *splash, int i, int j, int k) {
    return grid_cell_index(&splash->padded, i + 1, j + 1, splash->grid.dim == 3 ? k + 1 : 0);
}

static size_t padded_face(const Splash *splash, int axis, int i, int j, int k) {
    return grid_face_index(&splash->padded, axis, i + 1, j + 1, splash->grid.dim == 3 ? k + 1 : 0);
}

/* ---- the part of a cell that is liquid ---- */

/* Of the density: a cell that can hold less is taken to be as full as its fullest neighbour, since
 * the liquid is to go on into solids. */
static const double LEAST_ROOM = 0.2;

static double fullness(const Splash *splash, size_t c) {
    double most = splash->most[c];
    if (most < LEAST_ROOM * splash->desc.density) return -1;
    return fmin(1, splash->density[c] / most);
}

static void fill_layers(void *user, size_t begin, size_t end) {
    const ViscousJob *job = user;
    const Splash *splash = job->splash;
    const Grid *grid = &splash->grid;
    FOR_CELLS(grid, begin, end, i, j, k, c) {
        double part = fullness(splash, padded_cell(splash, i, j, k));
        for (int side = 0; part < 0 && side < 2 * grid->dim; side++) {
            int at[3] = {i, j, k};
            at[side / 2] += side % 2 ? 1 : -1;
            part = fmax(part, fullness(splash, padded_cell(splash, at[0], at[1], at[2])));
        }
        job->liquid[c] = fmax(part, 0);
    }
}

/* ---- faces ---- */

/* Calls the body for all faces of layers of the domain across an axis; the last layer of cells has
 * the faces above it, too. */
#define FOR_DOMAIN_FACES(grid, axis, i, j, k, f)                                                   \
    for (int k = 0; k < ((grid)->dim == 3 ? (grid)->n[2] + ((axis) == 2) : 1); k++)                \
        for (int j = 0; j < (grid)->n[1] + ((axis) == 1); j++)                                     \
            for (int i = 0; i < (grid)->n[0] + ((axis) == 0); i++)                                 \
                for (size_t f = grid_face_index(grid, axis, i, j, k), once_ = 1; once_; once_ = 0)

static double mean_liquid(const ViscousJob *job, int axis, int i, int j, int k) {
    const Grid *grid = &job->splash->grid;
    int at[3] = {i, j, k}, count = 0;
    double sum = 0;
    for (int above = 0; above < 2; above++) {
        int cell[3] = {i, j, k};
        cell[axis] = at[axis] - 1 + above;
        if (cell[axis] < 0 || cell[axis] >= grid->n[axis]) continue;
        sum += job->liquid[grid_cell_index(grid, cell[0], cell[1], cell[2])];
        count++;
    }
    return sum / count;
}

/* m, of the nearest thing that holds the liquid; it is looked for near to it alone. */
static double held_distance(const Splash *splash, int axis, int i, int j, int k) {
    const Grid *padded = &splash->padded;
    int at[3] = {i + 1, j + 1, splash->grid.dim == 3 ? k + 1 : 0};
    size_t high = grid_cell_index(padded, at[0], at[1], at[2]);
    at[axis]--;
    size_t low = grid_cell_index(padded, at[0], at[1], at[2]);
    if (!splash->near[low] && !splash->near[high]) return 10 * padded->spacing;
    Vec3 x = grid_face_center(&splash->grid, axis, i, j, k);
    return fmin(obstacle_nearest_held(splash, x).distance, 10 * padded->spacing);
}

static double wall_velocity(const void *user, int wall, int component, Vec3 x) {
    const Splash *splash = user;
    if (wall != VISCOSITY_OBSTACLE) return 0;
    ObstacleNearest nearest = obstacle_nearest_held(splash, x);
    return nearest.collider ? vec3_component(collider_velocity(nearest.collider, x), component) : 0;
}

/* Masses are those of the solver's cells times `open`. */
static void load_faces(ViscousJob *job, int axis) {
    const Splash *splash = job->splash;
    const Grid *grid = &splash->grid;
    const double thin = 1e-3; /* as the solver has it */
    FOR_DOMAIN_FACES(grid, axis, i, j, k, f) {
        size_t p = padded_face(splash, axis, i, j, k);
        double part = fmax(mean_liquid(job, axis, i, j, k), thin);
        job->velocity[axis][f] = splash->velocity[axis][p] + job->lift[axis][p];
        job->open[axis][f] = splash->face_density[axis][p] / (splash->desc.density * part);
        if (!job->distance[axis]) continue;
        job->distance[axis][f] = held_distance(splash, axis, i, j, k);
        if (job->distance[axis][f] < 0)
            job->velocity[axis][f] = wall_velocity(splash, VISCOSITY_OBSTACLE, axis,
                                                   grid_face_center(grid, axis, i, j, k));
    }
}

/* Faces in walls keep what they had; what a solid took of a face that it covers is its own. */
static void store_faces(ViscousJob *job, int axis) {
    Splash *splash = job->splash;
    const Grid *grid = &splash->grid;
    double volume = grid_cell_volume(grid);
    FOR_DOMAIN_FACES(grid, axis, i, j, k, f) {
        size_t p = padded_face(splash, axis, i, j, k);
        int at[3] = {i, j, k}, last = grid->n[axis];
        bool in_side = at[axis] == 0 || at[axis] == last;
        if (!splash->known[axis][p] || (in_side && splash->fraction[axis][p] == 0)) continue;
        double found = job->velocity[axis][f] - job->lift[axis][p];
        if (job->distance[axis] && job->distance[axis][f] < 0) {
            Vec3 x = grid_face_center(grid, axis, i, j, k);
            double lost = splash->velocity[axis][p] - found;
            splash_add_friction(
                splash, VISCOSITY_OBSTACLE, x,
                vec3_scale(volume * splash->face_density[axis][p] * lost, vec3_axis(axis)));
        }
        splash->velocity[axis][p] = found;
    }
}

static void add_reaction(void *user, int wall, int component, Vec3 x, double force) {
    const ViscousJob *job = user;
    Vec3 impulse = vec3_scale(force * job->time, vec3_axis(component));
    splash_add_friction(job->splash, wall, x, impulse);
}

/* ---- the solve ---- */

static PlimStatus take_memory(ViscousJob *job, Scratch *scratch) {
    const Splash *splash = job->splash;
    const Grid *grid = &splash->grid;
    bool held = splash_has_held(splash);
    job->liquid = scratch_take(scratch, grid_cell_count(grid), sizeof(double));
    if (!job->liquid) return PLIM_OUT_OF_MEMORY;
    for (int a = 0; a < grid->dim; a++) {
        size_t count = grid_face_count(grid, a), padded = grid_face_count(&splash->padded, a);
        job->velocity[a] = scratch_take(scratch, count, sizeof(double));
        job->open[a] = scratch_take(scratch, count, sizeof(double));
        if (held) job->distance[a] = scratch_take(scratch, count, sizeof(double));
        job->lift[a] = scratch_take(scratch, padded, sizeof(double));
        if (!job->velocity[a] || !job->open[a] || (held && !job->distance[a]) || !job->lift[a])
            return PLIM_OUT_OF_MEMORY;
        memset(job->lift[a], 0, padded * sizeof(double));
    }
    return PLIM_OK;
}

static ViscosityProblem describe(const ViscousJob *job) {
    const Splash *splash = job->splash;
    ViscosityProblem problem = {.grid = &splash->grid,
                                .density = splash->desc.density,
                                .mu = splash->desc.viscosity,
                                .liquid = job->liquid,
                                .slip = splash->desc.slip,
                                .wall_velocity = wall_velocity,
                                .user = splash};
    for (int axis = 0; axis < splash->grid.dim; axis++) {
        problem.distance[axis] = job->distance[axis];
        problem.open[axis] = job->open[axis];
        for (int end = 0; end < 2; end++) problem.side_slip[axis][end] = splash->desc.slip;
    }
    return problem;
}

static PlimStatus solve(ViscousJob *job, const StepInfo *step) {
    Splash *splash = job->splash;
    SolveResult *result = &splash->viscous_result;
    ViscosityProblem problem = describe(job);
    KrylovOptions options = krylov_options_default(step->threads);
    options.relative = 1e-2 * fmin(splash->desc.tolerance, 1e-4);
    TRY(viscosity_setup(splash->viscosity, &problem, step->threads));
    TRY(viscosity_solve(splash->viscosity, &problem, job->time, &options, job->velocity, result));
    if (result->reason != SOLVE_CONVERGED)
        return context_fail(step->context, PLIM_FAILED,
                            "t = %g s: the viscosity solve of the splashing liquid stopped after "
                            "%d iterations: %s",
                            step->time, result->iterations, solve_reason_name(result->reason));
    viscosity_reactions(splash->viscosity, &problem, job->velocity, add_reaction, job);
    return PLIM_OK;
}

PlimStatus splash_diffuse(Splash *splash, const StepInfo *step) {
    const Grid *grid = &splash->grid;
    ViscousJob job = {.splash = splash, .time = splash_kick(splash, step->dt)};
    size_t mark = scratch_mark(step->scratch);
    if (!splash->viscosity) return PLIM_OK;
    TRY(take_memory(&job, step->scratch));
    splash_lift_by_pressure(splash, step, job.lift);
    parallel_for(step->threads, face_layers(grid), 1, fill_layers, &job);
    for (int axis = 0; axis < grid->dim; axis++) load_faces(&job, axis);
    TRY(solve(&job, step));
    for (int axis = 0; axis < grid->dim; axis++) store_faces(&job, axis);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* Motion finer than the grid, which FLIP leaves to particles, dies at least as fast as the finest
 * that the grid has: at the rate 8 dim mu / (rho h^2). */
double splash_flip_part(const Splash *splash, double dt) {
    double h = splash->grid.spacing, rho = splash->desc.density;
    double rate = 8 * splash->grid.dim * splash->desc.viscosity / (rho * h * h);
    return splash->desc.flip / (1 + rate * dt);
}
