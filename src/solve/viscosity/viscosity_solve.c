/* Implicit viscosity step (002 section 5.7): the right-hand side with its walls, conjugate
 * gradients, and the forces that the walls feel. */
#include "solve/viscosity/viscosity_internal.h"

#include <math.h>
#include <string.h>

typedef struct StepJob {
    Viscosity *v;
    const ViscosityProblem *problem;
    double **velocity;
} StepJob;

/* ---- right-hand side ---- */

/* What the walls do to a face while all free velocities are zero, over the scale g. */
static double wall_force(const StepJob *job, int a, const int at[3]) {
    const Viscosity *v = job->v;
    double sum = 0.0;
    for (int b = 0; b < v->grid.dim; b++)
        for (int end = 0; end < 2; end++) {
            int place[3] = {at[0], at[1], at[2]};
            unsigned bit = (unsigned)(a == b ? WALL_IN_CELL << a : WALL_AT_EDGE << (3 - a - b));
            place[b] += a == b ? end - 1 : end;
            if (!(v->walls[lattice_index(v, place[0], place[1], place[2])] & bit)) continue;
            double force = viscosity_link_force(v, job->problem, a, b, place, job->velocity, true);
            sum += end ? force : -force;
        }
    return sum;
}

static void load_rows(void *user, size_t begin, size_t end) {
    const StepJob *job = user;
    const Viscosity *v = job->v;
    const Grid *grid = &v->grid;
    for (size_t row = begin; row < end; row++) {
        int j, k;
        row_place(v, row, &j, &k);
        for (int a = 0; a < grid->dim; a++)
            for (int i = 0; i <= grid->n[0]; i++) {
                size_t c = lattice_index(v, i, j, k), to = (size_t)a * v->count + c;
                v->x[to] = v->b[to] = 0.0;
                if (!face_is_unknown(v->face[a][c])) continue;
                double u = job->velocity[a][grid_face_index(grid, a, i, j, k)];
                v->x[to] = u;
                v->b[to] = v->mass * (double)v->part[a][c] * u +
                           v->stiffness * wall_force(job, a, (int[3]){i, j, k});
            }
    }
}

static void store_rows(void *user, size_t begin, size_t end) {
    const StepJob *job = user;
    const Viscosity *v = job->v;
    const Grid *grid = &v->grid;
    for (size_t row = begin; row < end; row++) {
        int j, k;
        row_place(v, row, &j, &k);
        for (int a = 0; a < grid->dim; a++) {
            if ((j == grid->n[1] && a != 1) || (k == grid->n[2] && a != 2)) continue;
            for (int i = 0; i < grid->n[0] + (a == 0); i++) {
                size_t c = lattice_index(v, i, j, k);
                if (face_is_free(v->face[a][c]))
                    job->velocity[a][grid_face_index(grid, a, i, j, k)] =
                        v->x[(size_t)a * v->count + c];
            }
        }
    }
}

/* ---- the step ---- */

void viscosity_load(Viscosity *v, const ViscosityProblem *problem, double *velocity[3]) {
    StepJob job = {v, problem, velocity};
    parallel_for(v->threads, v->row_count, row_grain(v), load_rows, &job);
    viscosity_fill_copies(v, v->x);
}

void viscosity_store(Viscosity *v, double *velocity[3]) {
    StepJob job = {v, NULL, velocity};
    parallel_for(v->threads, v->row_count, row_grain(v), store_rows, &job);
}

PlimStatus viscosity_solve(Viscosity *v, const ViscosityProblem *problem, double dt,
                           const KrylovOptions *options, double *velocity[3], SolveResult *result) {
    *result = (SolveResult){.reason = SOLVE_CONVERGED};
    if (v->mu == 0.0 || dt == 0.0) return PLIM_OK;
    v->threads = options->threads;
    viscosity_set_step(v, problem->density, dt);
    viscosity_load(v, problem, velocity);
    size_t n = (size_t)v->grid.dim * v->count;
    LinearMap map = {v, n, n, viscosity_apply, viscosity_apply};
    Preconditioner preconditioner;
    TRY(viscosity_preconditioner(v, &preconditioner));
    PlimStatus status = solve_cg(&v->scratch, &map, &preconditioner, options, v->b, v->x, result);
    if (status == PLIM_OK) status = scratch_reset(&v->scratch);
    if (status != PLIM_OK || result->reason == SOLVE_NOT_FINITE) return status;
    viscosity_store(v, velocity);
    return PLIM_OK;
}

/* ---- the explicit step ---- */

typedef struct GainJob {
    const Viscosity *v;
    const double *ax; /* the operator on x */
    double **gain;
} GainJob;

/* b - A x is dt times force: b holds mass u and what walls do, A x mass u and what neighbours do.
 */
static void gain_rows(void *user, size_t begin, size_t end) {
    const GainJob *job = user;
    const Viscosity *v = job->v;
    const Grid *grid = &v->grid;
    for (size_t row = begin; row < end; row++) {
        int j, k;
        row_place(v, row, &j, &k);
        for (int a = 0; a < grid->dim; a++) {
            if ((j == grid->n[1] && a != 1) || (k == grid->n[2] && a != 2)) continue;
            for (int i = 0; i < grid->n[0] + (a == 0); i++) {
                int at[3] = {i, j, k}, same[3];
                wrap_place(grid, at, same);
                size_t c = lattice_index(v, same[0], same[1], same[2]);
                size_t from = (size_t)a * v->count + c;
                double mass = v->mass * (double)v->part[a][c];
                job->gain[a][grid_face_index(grid, a, i, j, k)] =
                    mass > 0.0 ? (v->b[from] - job->ax[from]) / mass : 0.0;
            }
        }
    }
}

PlimStatus viscosity_gain(Viscosity *v, const ViscosityProblem *problem, double dt, int threads,
                          double *velocity[3], double *gain[3]) {
    size_t n = (size_t)v->grid.dim * v->count;
    v->threads = threads;
    double *ax = scratch_take(&v->scratch, n, sizeof *ax);
    if (!ax) return PLIM_OUT_OF_MEMORY;
    viscosity_set_step(v, problem->density, v->mu == 0.0 ? 0.0 : dt);
    viscosity_load(v, problem, velocity);
    viscosity_apply(v, v->x, ax);
    GainJob gains = {v, ax, gain};
    parallel_for(threads, v->row_count, row_grain(v), gain_rows, &gains);
    return scratch_reset(&v->scratch);
}

/* ---- forces on walls ---- */

typedef struct VisitJob {
    const Viscosity *v;
    const ViscosityProblem *problem;
    double *const *velocity;
    ViscosityVisit visit;
    void *user;
    double scale; /* mu V / h^2, kg/s */
} VisitJob;

static void visit_link(const VisitJob *job, const Link *link, int a, int b, const int at[3]) {
    if (!link_at_wall(link)) return;
    double force =
        job->scale * viscosity_link_force(job->v, job->problem, a, b, at, job->velocity, false);
    /* Positive forces pull the low end up and the high end down. */
    job->visit(job->user, link->wall, link->component, viscosity_link_crossing(&job->v->grid, link),
               link->kind == LINK_LOW ? force : -force);
}

static void visit_point(void *user, const int at[3]) {
    const VisitJob *job = user;
    const Viscosity *v = job->v;
    unsigned walls = v->walls[lattice_index(v, at[0], at[1], at[2])];
    for (int a = 0; a < v->grid.dim; a++) {
        if (walls & (unsigned)(WALL_IN_CELL << a)) {
            Link link = viscosity_link(v, job->problem, a, a, at);
            visit_link(job, &link, a, a, at);
        }
        for (int b = a + 1; b < v->grid.dim; b++) {
            if (!(walls & (unsigned)(WALL_AT_EDGE << (3 - a - b)))) continue;
            Link links[2];
            viscosity_edge_links(v, job->problem, a, b, at, links);
            visit_link(job, &links[0], a, b, at);
            visit_link(job, &links[1], b, a, at);
        }
    }
}

void viscosity_reactions(const Viscosity *v, const ViscosityProblem *problem,
                         double *const velocity[3], ViscosityVisit visit, void *user) {
    const Grid *grid = &v->grid;
    double scale = v->mu * grid_cell_volume(grid) / (grid->spacing * grid->spacing);
    VisitJob job = {v, problem, velocity, visit, user, scale};
    visit_lattice(grid, visit_point, &job);
}

/* ---- power ---- */

typedef struct PowerJob {
    const Viscosity *v;
    const ViscosityProblem *problem;
    double *const *velocity;
    double sum;
} PowerJob;

static void add_power(void *user, const int at[3]) {
    PowerJob *job = user;
    const Viscosity *v = job->v;
    size_t c = lattice_index(v, at[0], at[1], at[2]);
    for (int a = 0; a < v->grid.dim; a++)
        for (int b = 0; b < v->grid.dim; b++)
            if (v->link[a][b][c] > 0.0f)
                job->sum += viscosity_link_power(v, job->problem, a, b, at, job->velocity);
}

double viscosity_dissipation(const Viscosity *v, const ViscosityProblem *problem,
                             double *const velocity[3]) {
    const Grid *grid = &v->grid;
    PowerJob job = {v, problem, velocity, 0.0};
    visit_lattice(grid, add_power, &job);
    return job.sum * v->mu * grid_cell_volume(grid) / (grid->spacing * grid->spacing);
}
