/* The viscosity solve from nu dt / h^2 = 0.1 to 1000: walls that hold fast around a stirred box, a
 * ball in it, mu that varies, and two dimensions. The work of a solve is its cells. */
#include "bench/bench.h"

#include "solve/viscosity/viscosity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

PlimStatus bench_viscosity(const BenchOptions *options);

typedef struct ViscosityBench {
    PlimContext *context;
    Grid grid;
    size_t faces; /* room of one component */
    double *start[3], *velocity[3], *distance[3], *mu;
    double dt;
    ViscosityProblem problem;
    Viscosity *viscosity;
    SolveResult result;
} ViscosityBench;

static void close_bench(ViscosityBench *bench) {
    PlimContext *context = bench->context;
    size_t room = bench->faces;
    viscosity_destroy(bench->viscosity);
    for (int a = 0; a < 3; a++) {
        if (bench->start[a]) context_free(context, bench->start[a], room, sizeof(double));
        if (bench->velocity[a]) context_free(context, bench->velocity[a], room, sizeof(double));
        if (bench->distance[a]) context_free(context, bench->distance[a], room, sizeof(double));
    }
    if (bench->mu) context_free(context, bench->mu, room, sizeof(double));
}

static PlimStatus open_bench(PlimContext *context, int dim, int n, ViscosityBench *bench) {
    *bench = (ViscosityBench){.context = context};
    bench->grid = (Grid){.dim = dim, .n = {n, n, dim == 3 ? n : 1}, .spacing = 1.0 / n};
    bench->faces = grid_face_count(&bench->grid, 0);
    bench->problem = (ViscosityProblem){.grid = &bench->grid, .density = 1.0, .mu = 1.0};
    bench->mu = context_allocate(context, bench->faces, sizeof(double));
    if (!bench->mu) return PLIM_OUT_OF_MEMORY;
    for (int a = 0; a < dim; a++) {
        bench->start[a] = context_allocate(context, bench->faces, sizeof(double));
        bench->velocity[a] = context_allocate(context, bench->faces, sizeof(double));
        bench->distance[a] = context_allocate(context, bench->faces, sizeof(double));
        if (!bench->start[a] || !bench->velocity[a] || !bench->distance[a])
            return PLIM_OUT_OF_MEMORY;
    }
    return viscosity_create(context, &bench->grid, &bench->viscosity);
}

/* Eddies of several sizes, zero on the walls, and the distance from a ball. */
static void fill(ViscosityBench *bench) {
    const Grid *grid = &bench->grid;
    const double pi = 3.14159265358979323846;
    for (int a = 0; a < grid->dim; a++)
        for (int k = 0; k < grid->n[2] + (a == 2); k++)
            for (int j = 0; j < grid->n[1] + (a == 1); j++)
                for (int i = 0; i < grid->n[0] + (a == 0); i++) {
                    Vec3 x = grid_face_center(grid, a, i, j, k);
                    size_t face = grid_face_index(grid, a, i, j, k);
                    double wall = sin(pi * x.x) * sin(pi * x.y);
                    if (grid->dim == 3) wall *= sin(pi * x.z);
                    bench->start[a][face] = wall * (sin(9.0 * x.x + a) + cos(25.0 * x.y - 2.0 * a) +
                                                    sin(60.0 * (x.x + x.z)));
                    Vec3 away = vec3_sub(x, vec3(0.4, 0.45, grid->dim == 3 ? 0.5 : 0.0));
                    bench->distance[a][face] = vec3_length(away) - 0.2;
                    if (bench->problem.distance[a] && bench->distance[a][face] < 0.0)
                        bench->start[a][face] = 0.0;
                }
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) {
                Vec3 x = grid_cell_center(grid, i, j, k);
                bench->mu[grid_cell_index(grid, i, j, k)] =
                    exp(3.0 * sin(5.0 * x.x) * cos(4.0 * x.y));
            }
}

static PlimStatus run_setup(void *user) {
    ViscosityBench *bench = user;
    return viscosity_setup(bench->viscosity, &bench->problem, bench->context->threads);
}

static PlimStatus run_solve(void *user) {
    ViscosityBench *bench = user;
    KrylovOptions options = krylov_options_default(bench->context->threads);
    options.max_iterations = 5000;
    for (int a = 0; a < bench->grid.dim; a++)
        memcpy(bench->velocity[a], bench->start[a], bench->faces * sizeof(double));
    return viscosity_solve(bench->viscosity, &bench->problem, bench->dt, &options, bench->velocity,
                           &bench->result);
}

static PlimStatus measure(const BenchOptions *options, ViscosityBench *bench, const char *name) {
    PlimStatus status;
    char variant[128];
    size_t cells = grid_cell_count(&bench->grid);
    double h = bench->grid.spacing;
    fill(bench);
    snprintf(variant, sizeof variant, "%s set-up", name);
    BenchResult line = {.name = "viscosity",
                        .variant = variant,
                        .n = cells,
                        .work = (double)cells,
                        .unit = "cells"};
    line.seconds = bench_time(options, run_setup, bench, &status);
    TRY(status);
    bench_print(options, &line);
    for (int step = -1; step <= 3; step++) {
        bench->dt = pow(10.0, step) * h * h;
        line.seconds = bench_time(options, run_solve, bench, &status);
        TRY(status);
        double held = (double)viscosity_bytes(bench->viscosity);
        snprintf(variant, sizeof variant,
                 "%s nu dt/h^2 %g to 1e-6, %d applications, %s, %.0f bytes held a cell", name,
                 pow(10.0, step), bench->result.applications,
                 solve_reason_name(bench->result.reason), held / (double)cells);
        line.iterations = (uint64_t)bench->result.iterations;
        line.bytes = held;
        bench_print(options, &line);
    }
    return PLIM_OK;
}

typedef enum BenchKind { KIND_BOX, KIND_BALL, KIND_MU } BenchKind;

static PlimStatus measure_case(const BenchOptions *options, int dim, int n, BenchKind kind,
                               const char *name) {
    ViscosityBench bench;
    PlimStatus status = open_bench(options->context, dim, n, &bench);
    if (status == PLIM_OK) {
        for (int a = 0; a < dim && kind == KIND_BALL; a++)
            bench.problem.distance[a] = bench.distance[a];
        if (kind == KIND_MU) bench.problem.mu_of_cell = bench.mu;
        status = measure(options, &bench, name);
    }
    close_bench(&bench);
    return status;
}

PlimStatus bench_viscosity(const BenchOptions *options) {
    int middle = options->quick ? 32 : 64;
    TRY(measure_case(options, 2, options->quick ? 128 : 512, KIND_BOX, "flat box"));
    TRY(measure_case(options, 3, middle, KIND_BOX, "box"));
    TRY(measure_case(options, 3, middle, KIND_BALL, "ball"));
    TRY(measure_case(options, 3, middle, KIND_MU, "varying mu"));
    return options->quick ? PLIM_OK : measure_case(options, 3, 128, KIND_BALL, "ball");
}
