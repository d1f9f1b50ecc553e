/* Unilateral incompressibility, the pressure solve (001 section 3.1): pressure that keeps every
 * cell from holding more than it can, and pushes nowhere else. With P = pressure times the time it
 * acts, in one cell,
 *
 *     A P + b >= 0,  P >= low,  (P - low) (A P + b) = 0          (eqs. 3.3 to 3.5)
 *
 * where b is the room that is left at the end of the step without pressure, and A P what pressure
 * adds to it. Everything is per second and over the cell, so that A is the pressure equation's:
 *
 *                     flux of a face w_f u    room over dt                 A's coefficient
 *   density right     rho_f u                 rho_max - rho_c              v_f
 *   density in A      u                       1 - rho_c / rho_max          v_f / rho_f
 *
 * and u = u* - v_f grad P / rho_f (eq. 3.8). With fractions on the right side, flux and room are
 * multiplied by v_f and v_c = rho_max / rho_0, and u = u* - grad P / rho_f. */
#include "splash/faces.h"

#include <math.h>
#include <string.h>

/* Of the liquid's density: a face that holds less carries nothing; velocities there would be what
 * rounding left of momentum over what it left of mass. */
#define FACE_LEAST 1e-3

double splash_kick(const Splash *splash, double dt) {
    return 0.5 * (*splash->last_dt + dt);
}

typedef struct ProjectJob {
    Splash *splash;
    double dt;
    double time;     /* s, over which pressure acts */
    double settling; /* part of its room that a nearly full cell offers in this step */
    bool in_matrix;
    bool seals;       /* nothing leaks into solids: see below */
    int axis;         /* of faces */
    double *ahead[3]; /* velocities of faces if pressure stays what it was */
    /* Of cells, kg/s, what bodies push out of them: as they are, and if pressure stays. NULL: no
     * body is pushed. */
    double *given, *given_ahead;
} ProjectJob;

/* ---- the system ---- */

static void weigh_faces(void *user, size_t begin, size_t end) {
    const ProjectJob *job = user;
    Splash *splash = job->splash;
    int axis = job->axis;
    double least = FACE_LEAST * splash->desc.density;
    for (size_t f = begin; f < end; f++) {
        double density = splash->face_density[axis][f], fraction = splash->fraction[axis][f];
        double weight = job->in_matrix ? fraction * splash->desc.density / density : fraction;
        splash->weight[axis][f] = density >= least ? weight : 0;
    }
}

/* Deep in the blur of a solid cells hold so little that they count as air, with a pressure of 0:
 * the liquid beside them would push into the solid as into the open, and press it no more than if
 * its surface were there. A body afloat would sink. So where bodies are pushed, and where a scene
 * asks for it, what a cell holds is measured by what it can hold, and nothing passes into cells
 * that can hold nothing. */
static bool is_shut(const Splash *splash, size_t c) {
    return splash->most[c] <= FACE_LEAST * splash->desc.density;
}

static bool holds_liquid(const Splash *splash, size_t c) {
    return splash->density[c] >= splash->desc.air * splash->most[c];
}

static void seal_faces(void *user, size_t begin, size_t end) {
    const ProjectJob *job = user;
    Splash *splash = job->splash;
    FOR_INNER_FACES(&splash->padded, job->axis, begin, end, i, j, k, f) {
        CellPair cells = cells_of(&splash->padded, job->axis, i, j, k);
        if (is_shut(splash, cells.low) || is_shut(splash, cells.high))
            splash->weight[job->axis][f] = 0;
    }
}

/* Part of a cell's room that may fill in this step. A cell that lacks little looks full, or all of
 * a deep pool would fall into its gaps and bounce; they close over some steps. At a level surface
 * cells lack an eighth, since nothing is above it. */
static double offered(double settling, double lack) {
    double part = fmax(0, fmin(1, (lack - 0.15) / 0.05));
    return settling + (1 - settling) * part;
}

/* `settling` is what is offered in the time in which a fall from rest passes an eighth of a cell:
 * how fast gaps close does not depend on the step. */
static double settling_of_step(const Splash *splash, const StepInfo *step) {
    double times = 2 * step->dt * sqrt(vec3_length(step->gravity) / splash->grid.spacing);
    return splash->desc.settling < 1 ? 1 - pow(1 - splash->desc.settling, times) : 1;
}

/* kg/s, or m^3/s times the liquid's density, through a face with this velocity. */
static double face_flux(const Splash *splash, int axis, size_t f, double velocity) {
    bool in_matrix = splash->desc.densities == SPLASH_DENSITY_MATRIX;
    double amount = in_matrix ? splash->desc.density : splash->face_density[axis][f];
    if (splash->weight[axis][f] == 0) amount = 0;
    if (splash->desc.fractions == SPLASH_FRACTION_RIGHT) amount *= splash->fraction[axis][f];
    return amount * velocity * grid_face_area(&splash->padded);
}

/* Room, kg/m^3, in the unit of the chosen form. */
static double room_in_system(const Splash *splash, size_t c, double room) {
    double most = splash->most[c];
    if (splash->desc.densities == SPLASH_DENSITY_MATRIX) room *= splash->desc.density / most;
    if (splash->desc.fractions == SPLASH_FRACTION_RIGHT) room *= most / splash->desc.density;
    return room;
}

static double cell_room(const Splash *splash, double settling, size_t c) {
    double most = splash->most[c], room = most - splash->density[c];
    /* Places that are too dense are the correction's to mend: here they would leave a velocity. */
    if (splash->desc.correct_density) room = fmax(room, 0);
    room *= offered(settling, room / most);
    return room_in_system(splash, c, room);
}

static double outflow(const ProjectJob *job, double *const velocity[3], int i, int j, int k) {
    const Splash *splash = job->splash;
    double sum = 0;
    for (int axis = 0; axis < splash->padded.dim; axis++) {
        FacePair faces = faces_of(&splash->padded, axis, i, j, k);
        sum += face_flux(splash, axis, faces.high, velocity[axis][faces.high]) -
               face_flux(splash, axis, faces.low, velocity[axis][faces.low]);
    }
    return sum;
}

/* What the last pressure of the cells around pushes into a cell: A P without its diagonal. */
static double push_from_around(const Splash *splash, int i, int j, int k) {
    const Grid *grid = &splash->padded;
    double sum = 0;
    for (int axis = 0; axis < grid->dim; axis++) {
        FacePair faces = faces_of(grid, axis, i, j, k);
        int at[3] = {i, j, k}, place = at[axis];
        at[axis] = place - 1;
        if (place > 0)
            sum += splash->weight[axis][faces.low] *
                   splash->pressure[grid_cell_index(grid, at[0], at[1], at[2])];
        at[axis] = place + 1;
        if (place + 1 < grid->n[axis])
            sum += splash->weight[axis][faces.high] *
                   splash->pressure[grid_cell_index(grid, at[0], at[1], at[2])];
    }
    return sum * grid_face_area(grid) / grid->spacing;
}

/* Whether a cell that fluxes overfill has room for what will be in it and for what the cells around
 * push into it. Without the latter a pool would hold nothing up: looking ahead, all of it falls
 * alike, and no cell gets fuller. */
static bool flies(const ProjectJob *job, int i, int j, int k, size_t c) {
    const Splash *splash = job->splash;
    double room = splash->most[c] + 1e-9 * splash->desc.density - splash->predicted[c];
    if (room < 0) return false;
    double scale = grid_cell_volume(&splash->padded) / job->dt;
    double left = scale * room_in_system(splash, c, room);
    if (job->given) left += job->given_ahead[c];
    return left >= push_from_around(splash, i, j, k);
}

/* 1 where a face moves what it carries by a fifth of a cell or more, 0 below a tenth: where little
 * moves fluxes are right, and what is held up must be held by all of them. */
static double motion(const ProjectJob *job, int i, int j, int k) {
    const Grid *grid = &job->splash->padded;
    double fastest = 0;
    for (int axis = 0; axis < grid->dim; axis++) {
        FacePair faces = faces_of(grid, axis, i, j, k);
        fastest = fmax(fastest, fabs(job->ahead[axis][faces.low]));
        fastest = fmax(fastest, fabs(job->ahead[axis][faces.high]));
    }
    return fmax(0, fmin(1, fastest * job->dt / (0.1 * grid->spacing) - 1));
}

/* Fluxes are linear in the velocity: before an edge that moves they see more in a cell than will be
 * there. By as much, looking ahead, a cell that they overfill pushes less. */
static double relieved(const ProjectJob *job, double sum, int i, int j, int k, size_t c) {
    const Splash *splash = job->splash;
    if (flies(job, i, j, k, c)) return 0;
    double scale = grid_cell_volume(&splash->padded) / job->dt;
    double seen = scale * room_in_system(splash, c, splash->density[c] - splash->predicted[c]) -
                  outflow(job, job->ahead, i, j, k);
    return fmin(0, sum + fmax(0, seen) * motion(job, i, j, k));
}

/* Kinds of cells; the last pressure is the first guess. */
static void mark_cells(void *user, size_t begin, size_t end) {
    const ProjectJob *job = user;
    Splash *splash = job->splash;
    double least = splash->desc.air * splash->desc.density;
    for (size_t c = begin; c < end; c++) {
        bool active = splash->density[c] >= least && splash->most[c] > 0;
        if (job->seals) active = !is_shut(splash, c) && holds_liquid(splash, c);
        splash->kind[c] = active ? CELL_FLUID : CELL_AIR;
        splash->pressure[c] = active ? splash->pressure[c] * job->time : 0;
    }
}

static void build_cells(void *user, size_t begin, size_t end) {
    const ProjectJob *job = user;
    Splash *splash = job->splash;
    const Grid *grid = &splash->padded;
    double scale = grid_cell_volume(grid) / job->dt;
    FOR_CELLS(grid, begin, end, i, j, k, c) {
        if (splash->kind[c] != CELL_FLUID) continue;
        double sum =
            scale * cell_room(splash, job->settling, c) + outflow(job, splash->velocity, i, j, k);
        if (job->given) sum += job->given[c];
        splash->right[c] = sum < 0 ? relieved(job, sum, i, j, k, c) : sum;
    }
}

/* ---- what pressure does ---- */

typedef struct PushJob {
    const Splash *splash;
    int axis;
    double *velocity;
    double time; /* s, that the pressure is to be multiplied with; 1: it was already */
} PushJob;

static void push_faces(void *user, size_t begin, size_t end) {
    const PushJob *job = user;
    const Splash *splash = job->splash;
    const Grid *grid = &splash->padded;
    int axis = job->axis;
    bool scaled = splash->desc.fractions == SPLASH_FRACTION_UPDATE;
    FOR_INNER_FACES(grid, axis, begin, end, i, j, k, f) {
        if (splash->weight[axis][f] == 0) continue;
        CellPair cells = cells_of(grid, axis, i, j, k);
        double rise = job->time * (splash->pressure[cells.high] - splash->pressure[cells.low]);
        if (rise == 0) continue;
        double fraction = scaled ? splash->fraction[axis][f] : 1;
        job->velocity[f] -= fraction * rise / (grid->spacing * splash->face_density[axis][f]);
    }
}

void splash_lift_by_pressure(Splash *splash, const StepInfo *step, double *const velocity[3]) {
    const Grid *grid = &splash->padded;
    double time = splash_kick(splash, step->dt);
    splash_weigh_faces(splash, step, splash->desc.densities == SPLASH_DENSITY_MATRIX);
    for (int axis = 0; axis < grid->dim; axis++) {
        PushJob job = {splash, axis, velocity[axis], time};
        parallel_for(step->threads, face_layers(grid), 1, push_faces, &job);
    }
}

static void finish_cells(void *user, size_t begin, size_t end) {
    const ProjectJob *job = user;
    for (size_t c = begin; c < end; c++) job->splash->pressure[c] /= job->time;
}

void splash_weigh_faces(Splash *splash, const StepInfo *step, bool in_matrix) {
    ProjectJob job = {.splash = splash, .in_matrix = in_matrix};
    for (job.axis = 0; job.axis < splash->padded.dim; job.axis++)
        parallel_for(step->threads, grid_face_count(&splash->padded, job.axis), FACE_GRAIN,
                     weigh_faces, &job);
}

/* Of a solve that may stop short. The usual ones take 5 to 40; where nearly all cells are free,
 * with few at their bounds among them, a cycle does little and a thousand are not enough. */
enum { ENOUGH_ITERATIONS = 200 };

/* A domain without air that is a little too full cannot be mended: the rest of it was. And what a
 * solve of limited length found for the density is a step of the way: the next pass goes on. */
static bool is_good(const BoundedSolve *solve, const BoundedResult *result) {
    bool on_the_way = solve->may_stop_short && result->reason == SOLVE_ITERATION_LIMIT;
    return result->reason == SOLVE_CONVERGED || result->incompatible > 0 || on_the_way;
}

static PlimStatus check_solve(const Splash *splash, const StepInfo *step, const BoundedSolve *solve,
                              const BoundedResult *result) {
    if (is_good(solve, result)) return PLIM_OK;
    return context_fail(splash->context, PLIM_FAILED,
                        "t = %g s: the %s of the splashing liquid did not converge (%s after %d "
                        "iterations); is there liquid in a place without room, or a smaller step "
                        "needed?",
                        step->time, solve->what, solve_reason_name(result->reason),
                        result->iterations);
}

PlimStatus splash_solve_bounded(Splash *splash, Poisson *poisson, const StepInfo *step,
                                const BoundedSolve *solve, BoundedResult *result) {
    PoissonProblem problem = {.grid = &splash->padded, .kind = splash->kind, .bounded = true};
    for (int axis = 0; axis < splash->padded.dim; axis++)
        problem.coefficient[axis] = splash->weight[axis];
    TRY(poisson_setup(poisson, &problem));
    BoundedOptions options = bounded_options_default(step->threads);
    options.tolerance = solve->tolerance;
    options.columns = solve->columns;
    if (solve->may_stop_short) options.max_iterations = ENOUGH_ITERATIONS;
    TRY(poisson_solve_bounded(poisson, &options, splash->right, NULL, solve->x, splash->eigenvector,
                              result));
    return check_solve(splash, step, solve, result);
}

/* What is at a wall may leave it but not go into it; what is pressed against it stays. */
static double stopped(const Splash *splash, int end, double velocity, double pressure) {
    bool classic = splash->desc.incompressibility == SPLASH_BILATERAL;
    bool leaves = end == 0 ? velocity > 0 : velocity < 0;
    return leaves && !classic && pressure <= 0 ? velocity : 0;
}

void splash_stop_at_walls(const Splash *splash, bool pressed, double *const velocities[3],
                          double (*taken)[2]) {
    const Grid *padded = &splash->padded;
    for (int axis = 0; axis < padded->dim; axis++) {
        int size[3] = {padded->n[0], padded->n[1], padded->n[2]};
        size[axis] = 2; /* both ends */
        for (int k = 0; k < size[2]; k++)
            for (int j = 0; j < size[1]; j++)
                for (int i = 0; i < size[0]; i++) {
                    int at[3] = {i, j, k}, end = at[axis];
                    if (splash->grid.sides[axis][end] != SIDE_WALL) continue;
                    at[axis] = end == 0 ? 1 : padded->n[axis] - 1;
                    size_t f = grid_face_index(padded, axis, at[0], at[1], at[2]);
                    at[axis] -= end; /* the cell before the wall */
                    size_t c = grid_cell_index(padded, at[0], at[1], at[2]);
                    double *velocity = &velocities[axis][f];
                    double before = *velocity;
                    *velocity = stopped(splash, end, before, pressed ? splash->pressure[c] : 0);
                    if (taken)
                        taken[axis][end] += grid_cell_volume(padded) *
                                            splash->face_density[axis][f] * (before - *velocity);
                }
    }
}

static void push(const Splash *splash, const StepInfo *step, double *const velocity[3],
                 double (*taken)[2]) {
    const Grid *grid = &splash->padded;
    for (int axis = 0; axis < grid->dim; axis++) {
        PushJob job = {splash, axis, velocity[axis], 1};
        parallel_for(step->threads, face_layers(grid), 1, push_faces, &job);
    }
    splash_stop_at_walls(splash, true, velocity, taken);
}

/* Where the last pressure would take particles. */
static PlimStatus look_ahead(ProjectJob *job, const StepInfo *step) {
    Splash *splash = job->splash;
    for (int axis = 0; axis < splash->padded.dim; axis++) {
        size_t count = grid_face_count(&splash->padded, axis);
        job->ahead[axis] = scratch_take(step->scratch, count, sizeof(double));
        if (!job->ahead[axis]) return PLIM_OUT_OF_MEMORY;
        memcpy(job->ahead[axis], splash->velocity[axis], count * sizeof(double));
    }
    push(splash, step, job->ahead, NULL);
    splash_predict(splash, step, job->ahead);
    return PLIM_OK;
}

/* ---- bodies that give way ---- */

/* H, and what bodies push out of cells. */
static PlimStatus find_given(ProjectJob *job, const StepInfo *step) {
    Splash *splash = job->splash;
    const SplashPush *push = &splash->push;
    size_t cells = grid_cell_count(&splash->padded), motions = 6 * push->bodies.count;
    TRY(splash_find_push_rows(splash, step));
    job->given = scratch_take(step->scratch, cells, sizeof *job->given);
    job->given_ahead = scratch_take(step->scratch, cells, sizeof *job->given_ahead);
    double *impulse = scratch_take(step->scratch, 2 * motions, sizeof *impulse);
    if (!job->given || !job->given_ahead || !impulse) return PLIM_OUT_OF_MEMORY;
    double *v = impulse + motions;
    memset(job->given, 0, cells * sizeof *job->given);
    memset(job->given_ahead, 0, cells * sizeof *job->given_ahead);
    memset(impulse, 0, motions * sizeof *impulse);
    splash_push_expect_contact(splash, job->dt);
    splash_push_velocities(splash, impulse, v);
    splash_push_out(splash, v, job->given);
    splash_push_impulses(splash, splash->pressure, impulse);
    splash_push_velocities(splash, impulse, v);
    splash_push_out(splash, v, job->given_ahead);
    return PLIM_OK;
}

/* With P as the solve found it: what the liquid lost. */
static PlimStatus push_found(Splash *splash, const StepInfo *step) {
    SplashPush *push = &splash->push;
    size_t motions = 6 * push->bodies.count, mark = scratch_mark(step->scratch);
    double *impulse = scratch_take(step->scratch, motions, sizeof *impulse);
    if (!impulse) return PLIM_OUT_OF_MEMORY;
    splash_push_impulses(splash, splash->pressure, impulse);
    for (size_t b = 0; b < push->bodies.count; b++) {
        PushedBody *body = &push->bodies.data[b];
        body->is_pushed = false;
        for (size_t i = 0; i < 6; i++) {
            body->impulse[i] = impulse[6 * b + i];
            body->is_pushed = body->is_pushed || body->impulse[i] != 0;
        }
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- the solve ---- */

static PlimStatus build_system(Splash *splash, const StepInfo *step, double time) {
    const Grid *grid = &splash->padded;
    ProjectJob job = {.splash = splash,
                      .dt = step->dt,
                      .time = time,
                      .settling = settling_of_step(splash, step),
                      .seals = splash->desc.sealed || splash_pushes(&splash->push)};
    size_t mark = scratch_mark(step->scratch);
    splash_weigh_faces(splash, step, splash->desc.densities == SPLASH_DENSITY_MATRIX);
    for (job.axis = 0; job.seals && job.axis < grid->dim; job.axis++)
        parallel_for(step->threads, face_layers(grid), 1, seal_faces, &job);
    parallel_for(step->threads, grid_cell_count(grid), FACE_GRAIN, mark_cells, &job);
    if (splash_pushes(&splash->push)) TRY(find_given(&job, step));
    PlimStatus status = look_ahead(&job, step);
    if (status == PLIM_OK) parallel_for(step->threads, face_layers(grid), 1, build_cells, &job);
    scratch_release(step->scratch, mark);
    return status;
}

PlimStatus splash_project_unilateral(Splash *splash, const StepInfo *step) {
    const Grid *grid = &splash->padded;
    ProjectJob job = {.splash = splash, .time = splash_kick(splash, step->dt)};
    TRY(build_system(splash, step, job.time));
    double unit = splash->desc.density * grid_cell_volume(grid) / step->dt;
    BoundedColumns columns;
    bool pushes = splash_pushes(&splash->push);
    if (pushes) TRY(splash_push_columns(splash, splash->desc.density, &columns));
    BoundedSolve solve = {.what = "pressure",
                          .tolerance = splash->desc.tolerance * unit,
                          .x = splash->pressure,
                          .columns = pushes ? &columns : NULL};
    TRY(splash_solve_bounded(splash, splash->poisson, step, &solve, &splash->solved));
    push(splash, step, splash->velocity, splash->push.stopped);
    if (pushes) TRY(push_found(splash, step));
    parallel_for(step->threads, grid_cell_count(grid), FACE_GRAIN, finish_cells, &job);
    return PLIM_OK;
}
