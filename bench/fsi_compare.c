/* One coupled solve of a disc in a box, done three ways: the solve of coupled_flow.h; conjugate
 * gradients with the diagonal on the documents' symmetric positive definite form (002 (5.30)); and
 * in turns, the fluid with the body's velocity given and the body with the fluid's impulse, relaxed
 * by Aitken's rule or by a half. Each is run to the same distance from the exact answer. */
#include "bench/fsi_bench.h"

#include "base/clock.h"
#include "solve/viscosity/viscosity_internal.h"
#include "world/domains.h"

#include <stdio.h>
#include <string.h>

/* Of the exact answer, in the norm of kinetic energy. */
static const double wanted = 1e-6;

enum { MOST_ITERATIONS = 20000, MOST_TURNS = 60 };

typedef struct Outcome {
    bool done;
    int iterations, turns;
    double seconds, error;
} Outcome;

/* ---- the problem ---- */

static FlowAnchor surface_at(const void *user, Vec3 x) {
    const FsiSolve *solve = user;
    (void)x;
    return (FlowAnchor){0, solve->body.center};
}

static void release(const FsiSolve *solve, void *block, size_t count, size_t size) {
    if (block) context_free(solve->context, block, count, size);
}

static void close_solve(FsiSolve *solve) {
    flow_bodies_free(&solve->structure, solve->context);
    release(solve, solve->fluxes, solve->flux_count + 1, sizeof *solve->fluxes);
    for (int a = 0; a < 2; a++) {
        release(solve, solve->start[a], solve->faces[a], sizeof(double));
        release(solve, solve->velocity[a], solve->faces[a], sizeof(double));
    }
    size_t all = solve->faces[0] + solve->faces[1] + 6;
    release(solve, solve->pressure, solve->cells, sizeof(double));
    release(solve, solve->component, all, sizeof(size_t));
    release(solve, solve->face, all, sizeof(size_t));
    release(solve, solve->mass, all, sizeof(double));
    release(solve, solve->exact, all, sizeof(double));
}

static PlimStatus take_memory(FsiSolve *solve) {
    const Grid *grid = &solve->fluid->grid;
    PlimContext *context = solve->context;
    solve->cells = grid_cell_count(grid);
    for (int a = 0; a < 2; a++) {
        solve->faces[a] = grid_face_count(grid, a);
        solve->start[a] = context_allocate(context, solve->faces[a], sizeof(double));
        solve->velocity[a] = context_allocate(context, solve->faces[a], sizeof(double));
        if (!solve->start[a] || !solve->velocity[a]) return PLIM_OUT_OF_MEMORY;
    }
    size_t all = solve->faces[0] + solve->faces[1] + 6;
    solve->pressure = context_allocate(context, solve->cells, sizeof(double));
    solve->component = context_allocate(context, all, sizeof(size_t));
    solve->face = context_allocate(context, all, sizeof(size_t));
    solve->mass = context_allocate(context, all, sizeof(double));
    solve->exact = context_allocate(context, all, sizeof(double));
    bool got = solve->pressure && solve->component && solve->face && solve->mass && solve->exact;
    return got ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* Free faces in the order of lattice vectors. */
static void list_faces(FsiSolve *solve) {
    const Viscosity *v = solve->fluid->viscous.solver;
    const Grid *grid = &solve->fluid->grid;
    for (int a = 0; a < 2; a++)
        for (int j = 0; j < grid->n[1] + (a == 1); j++)
            for (int i = 0; i < grid->n[0] + (a == 0); i++) {
                size_t c = lattice_index(v, i, j, 0);
                if (!face_is_unknown(v->face[a][c])) continue;
                size_t at = solve->free_count++;
                solve->component[at] = (size_t)a;
                solve->face[at] = grid_face_index(grid, a, i, j, 0);
                solve->mass[at] =
                    solve->problem.density * grid_cell_volume(grid) * (double)v->part[a][c];
            }
    solve->count = solve->free_count + (size_t)solve->motion_count;
}

/* The flow after a step, stirred as by forces that pressure must answer, and the body kicked. */
static void stir(FsiSolve *solve) {
    const Fluid *fluid = solve->fluid;
    const double kick[6] = {0.1, -0.5, 0, 0, 0, 1};
    FlowBody *body = &solve->body;
    for (int a = 0; a < 2; a++)
        memcpy(solve->start[a], fluid_velocity(fluid, a), solve->faces[a] * sizeof(double));
    for (size_t i = 0; i < solve->free_count; i++) {
        double *u = &solve->start[solve->component[i]][solve->face[i]];
        *u += 0.2 * sin(0.37 * (double)solve->face[i]) + 0.1;
    }
    for (int i = 0; i < 6; i++) {
        body->momentum[i] = 0;
        for (int j = 0; j < 6; j++)
            body->momentum[i] += body->mass[i][j] * (body->velocity[j] + kick[j]);
    }
}

/* The one body and what it pushes, as they were in the last solve. */
static PlimStatus take_structure(const FlowProblem *last, FsiSolve *solve) {
    const Csr *rows = last->flux_rows;
    solve->body =
        (FlowBody){.is_free = true, .center = solve->fluid->colliders.list.data[0].now.position};
    memcpy(solve->body.mass, last->structure->blocks[0].mass, sizeof solve->body.mass);
    memcpy(solve->body.velocity, last->structure->velocity, sizeof solve->body.velocity);
    flow_body_hold_plane(&solve->body);
    solve->flux_count = rows->rows;
    solve->fluxes = context_allocate(solve->context, rows->rows + 1, sizeof *solve->fluxes);
    if (!solve->fluxes) return PLIM_OUT_OF_MEMORY;
    for (size_t f = 0; f < rows->rows; f++) {
        FlowBodyFlux *flux = &solve->fluxes[f];
        flux->axis = last->fluxes[f].axis;
        memcpy(flux->at, last->fluxes[f].at, sizeof flux->at);
        memcpy(flux->row, rows->value + rows->row_start[f], sizeof flux->row);
    }
    return PLIM_OK;
}

static PlimStatus open_solve(const FsiScene *scene, const ViscosityProblem *viscous,
                             FsiSolve *solve) {
    Fluid *fluid = fluid_of(scene->world);
    *solve = (FsiSolve){.context = fluid->context, .fluid = fluid};
    TRY(take_structure(&scene->last, solve));
    solve->motion_count = 3; /* along x, along y, turning in the plane */
    solve->motion[0][0] = solve->motion[1][1] = 1;
    solve->motion[2][5] = sqrt(solve->body.mass[0][0] / solve->body.mass[5][5]);
    TRY(take_memory(solve));
    solve->problem = (FlowProblem){.grid = &fluid->grid,
                                   .density = fluid->desc.density,
                                   .dt = scene->dt,
                                   .kind = fluid->cut.kind,
                                   .open = {fluid->cut.open[0], fluid->cut.open[1]},
                                   .viscosity = fluid->viscous.solver,
                                   .viscous = viscous,
                                   .surface_at = surface_at,
                                   .surface_row = flow_body_surface_row,
                                   .user = solve,
                                   .threads = fluid->context->threads};
    list_faces(solve);
    stir(solve);
    return PLIM_OK;
}

/* ---- error ---- */

static double motion_of(const FsiSolve *solve, const FlowBody *body, int m) {
    double along = 0, square = 0;
    for (int i = 0; i < 6; i++) {
        along += solve->motion[m][i] * body->velocity[i];
        square += solve->motion[m][i] * solve->motion[m][i];
    }
    return along / square;
}

static void gather(const FsiSolve *solve, const FlowBody *body, double *w) {
    for (size_t i = 0; i < solve->free_count; i++)
        w[i] = solve->velocity[solve->component[i]][solve->face[i]];
    for (int m = 0; m < solve->motion_count; m++)
        w[solve->free_count + (size_t)m] = motion_of(solve, body, m);
}

static double mass_at(const FsiSolve *solve, size_t i, size_t j) {
    if (i < solve->free_count) return i == j ? solve->mass[i] : 0;
    const FlowBody *body = &solve->body;
    const double *a = solve->motion[i - solve->free_count],
                 *b = solve->motion[j - solve->free_count];
    double sum = 0;
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < 6; q++) sum += a[p] * body->mass[p][q] * b[q];
    return sum;
}

/* Twice the kinetic energy of w - factor times the answer. */
static double energy(const FsiSolve *solve, const double *w, double factor) {
    double sum = 0;
    for (size_t i = 0; i < solve->count; i++) {
        size_t first = i < solve->free_count ? i : solve->free_count;
        size_t last = i < solve->free_count ? i + 1 : solve->count;
        for (size_t j = first; j < last; j++)
            sum += (w[i] - factor * solve->exact[i]) * mass_at(solve, i, j) *
                   (w[j] - factor * solve->exact[j]);
    }
    return sum;
}

static double error_of(const FsiSolve *solve, const double *w) {
    return sqrt(energy(solve, w, 1) / energy(solve, solve->exact, 0));
}

/* ---- the methods ---- */

/* `body` may be free or not; velocities start from u*, the pressure from 0 unless kept. */
static PlimStatus solve_flow(FsiSolve *solve, FlowBody *body, double tolerance, bool keep_pressure,
                             FlowResult *result) {
    FlowProblem problem = solve->problem;
    double *velocity[3] = {solve->velocity[0], solve->velocity[1], NULL};
    for (int a = 0; a < 2; a++)
        memcpy(solve->velocity[a], solve->start[a], solve->faces[a] * sizeof(double));
    if (!keep_pressure) memset(solve->pressure, 0, solve->cells * sizeof(double));
    problem.momentum = tolerance;
    problem.divergence = tolerance * grid_face_area(problem.grid);
    TRY(flow_bodies_load(&solve->structure, solve->context, body, 1, solve->fluxes,
                         solve->flux_count, &problem));
    TRY(coupled_flow_solve(solve->fluid->coupled.solver, &problem, velocity, solve->pressure,
                           result));
    flow_bodies_store(&solve->structure, body);
    return PLIM_OK;
}

static PlimStatus find_exact(FsiSolve *solve) {
    FlowBody body = solve->body;
    FlowResult result;
    TRY(solve_flow(solve, &body, 1e-11, false, &result));
    gather(solve, &body, solve->exact);
    if (result.reason == SOLVE_CONVERGED) return PLIM_OK;
    return context_fail(solve->context, PLIM_FAILED, "bench fsi: no exact answer: %s",
                        solve_reason_name(result.reason));
}

/* Tolerances of a third each until the answer is near enough; the last run counts. */
static PlimStatus run_ours(FsiSolve *solve, double *w, Outcome *out) {
    *out = (Outcome){.error = HUGE_VAL};
    for (double tolerance = 1e-3; !out->done && tolerance > 1e-12; tolerance /= 3) {
        FlowBody body = solve->body;
        FlowResult result;
        double start = clock_seconds();
        TRY(solve_flow(solve, &body, tolerance, false, &result));
        out->seconds = clock_seconds() - start;
        out->iterations = result.iterations;
        gather(solve, &body, w);
        out->error = error_of(solve, w);
        out->done = out->error < wanted;
    }
    return PLIM_OK;
}

static PlimStatus run_document(FsiSolve *solve, double *w, Outcome *out) {
    Coupled *coupled;
    CoupledReference reference;
    Scratch scratch;
    *out = (Outcome){.error = HUGE_VAL};
    TRY(fsi_describe(solve, &coupled));
    PlimStatus status = coupled_reference_create(coupled, &reference);
    scratch_init(&scratch, solve->context);
    double *z = scratch_take(&scratch, reference.rows.rows + 1, sizeof *z);
    double *w_star = scratch_take(&scratch, solve->count, sizeof *w_star);
    if (status == PLIM_OK && (!z || !w_star)) status = PLIM_OUT_OF_MEMORY;
    for (int a = 0; a < 2; a++)
        memcpy(solve->velocity[a], solve->start[a], solve->faces[a] * sizeof(double));
    FlowBody body = solve->body;
    for (int i = 0; i < 6; i++) body.velocity[i] += (const double[6]){0.1, -0.5, 0, 0, 0, 1}[i];
    if (status == PLIM_OK) gather(solve, &body, w_star);
    KrylovOptions options = krylov_options_default(solve->context->threads);
    options.max_iterations = MOST_ITERATIONS;
    for (options.relative = 1e-2; status == PLIM_OK && !out->done; options.relative /= 3) {
        SolveResult result;
        memset(z, 0, reference.rows.rows * sizeof *z);
        double start = clock_seconds();
        status =
            coupled_reference_solve(&reference, &scratch, &options, true, w_star, w, z, &result);
        out->seconds = clock_seconds() - start;
        out->iterations = result.iterations;
        out->error = error_of(solve, w);
        out->done = out->error < wanted;
        if (result.reason != SOLVE_CONVERGED) break;
    }
    scratch_free(&scratch);
    coupled_reference_free(&reference);
    coupled_destroy(coupled);
    return status;
}

/* What the body's motions become with the impulse of the fluid: M^-1 (momentum + impulse). */
static void answer_of_body(const FsiSolve *solve, const FlowBody *body, double *motions) {
    double matrix[6][7];
    int k = solve->motion_count;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++)
            matrix[i][j] =
                mass_at(solve, solve->free_count + (size_t)i, solve->free_count + (size_t)j);
        matrix[i][k] = 0;
        for (int p = 0; p < 6; p++)
            matrix[i][k] += solve->motion[i][p] * (solve->body.momentum[p] + body->impulse[p]);
    }
    for (int c = 0; c < k; c++)
        for (int i = 0; i < k; i++) {
            double factor = i == c ? 0 : matrix[i][c] / matrix[c][c];
            for (int j = c; j <= k && factor != 0; j++) matrix[i][j] -= factor * matrix[c][j];
        }
    for (int i = 0; i < k; i++) motions[i] = matrix[i][k] / matrix[i][i];
}

static double aitken(double factor, const double *last, const double *now, int count) {
    double top = 0, bottom = 0;
    for (int i = 0; i < count; i++) {
        top += last[i] * (now[i] - last[i]);
        bottom += (now[i] - last[i]) * (now[i] - last[i]);
    }
    return bottom > 0 ? -factor * top / bottom : factor;
}

/* With `fixed` the factor stays. */
static PlimStatus run_in_turns(FsiSolve *solve, bool fixed, double *w, Outcome *out) {
    FlowBody body = solve->body;
    double factor = 0.5, last[6] = {0}, now[6], motions[6];
    int k = solve->motion_count;
    *out = (Outcome){.error = HUGE_VAL};
    body.is_free = false;
    double start = clock_seconds();
    for (int m = 0; m < k; m++) motions[m] = motion_of(solve, &body, m);
    while (out->turns < MOST_TURNS && !out->done) {
        FlowResult result;
        memset(body.velocity, 0, sizeof body.velocity);
        for (int m = 0; m < k; m++)
            for (int i = 0; i < 6; i++) body.velocity[i] += motions[m] * solve->motion[m][i];
        TRY(solve_flow(solve, &body, 1e-3 * wanted, out->turns > 0, &result));
        if (result.reason != SOLVE_CONVERGED) break;
        out->turns++;
        out->iterations += result.iterations;
        gather(solve, &body, w);
        out->error = error_of(solve, w);
        out->done = out->error < wanted;
        if (!(out->error < 1e6)) break; /* it has run away */
        answer_of_body(solve, &body, now);
        for (int m = 0; m < k; m++) now[m] -= motions[m];
        if (out->turns > 1 && !fixed) factor = aitken(factor, last, now, k);
        for (int m = 0; m < k; m++) {
            motions[m] += factor * now[m];
            last[m] = now[m];
        }
    }
    out->seconds = clock_seconds() - start;
    return PLIM_OK;
}

/* ---- the table ---- */

static void print_outcome(const BenchOptions *options, const FsiScene *scene, const char *method,
                          const Outcome *outcome) {
    char variant[200], turns[64] = "", end[64] = "";
    if (outcome->turns > 0) snprintf(turns, sizeof turns, ", %d turns", outcome->turns);
    if (!outcome->done) snprintf(end, sizeof end, ", gave up at an error of %.2g", outcome->error);
    snprintf(variant, sizeof variant, "%s, density ratio %g, mu dt/(density h^2) %g%s%s", method,
             scene->density, scene->stiffness, turns, end);
    BenchResult line = {.name = "fsi",
                        .variant = variant,
                        .n = (size_t)scene->n,
                        .seconds = outcome->seconds,
                        .work = (double)scene->n * scene->n,
                        .unit = "cells",
                        .iterations = (uint64_t)outcome->iterations};
    bench_print(options, &line);
}

static PlimStatus run_methods(const BenchOptions *options, const FsiScene *scene, FsiSolve *solve,
                              double *w) {
    Outcome outcome;
    TRY(find_exact(solve));
    TRY(run_ours(solve, w, &outcome));
    print_outcome(options, scene, "coupled", &outcome);
    TRY(run_document(solve, w, &outcome));
    print_outcome(options, scene, "SPD form", &outcome);
    for (int fixed = 0; fixed < 2; fixed++) {
        TRY(run_in_turns(solve, fixed, w, &outcome));
        print_outcome(options, scene, fixed ? "in turns by halves" : "in turns by Aitken",
                      &outcome);
    }
    return PLIM_OK;
}

static PlimStatus compare_at(const BenchOptions *options, FsiScene *scene) {
    FsiSolve solve = {.context = options->context};
    ViscosityProblem viscous;
    PlimStatus status = fsi_open(options->context, scene);
    if (status == PLIM_OK) status = plim_world_step(scene->world, scene->dt);
    if (status == PLIM_OK) {
        viscous = fluid_viscosity_problem(fluid_of(scene->world));
        status = open_solve(scene, &viscous, &solve);
    }
    double *w = NULL;
    if (status == PLIM_OK) {
        w = context_allocate(options->context, solve.count, sizeof *w);
        status = w ? run_methods(options, scene, &solve, w) : PLIM_OUT_OF_MEMORY;
    }
    if (w) context_free(options->context, w, solve.count, sizeof *w);
    close_solve(&solve);
    fsi_close(scene);
    return status;
}

PlimStatus fsi_compare(const BenchOptions *options) {
    static const double densities[] = {0.01, 1.5, 100}, stiffness[] = {0.01, 100};
    for (int n = 32; n <= (options->quick ? 32 : 64); n *= 2)
        for (int s = 0; s < 2; s++)
            for (int d = 0; d < 3; d += options->quick ? 2 : 1) {
                FsiScene scene = {
                    .dim = 2, .n = n, .stiffness = stiffness[s], .density = densities[d]};
                TRY(compare_at(options, &scene));
            }
    return PLIM_OK;
}
