/* The pressure solve: a tank with a ball and a post, jumps of density, a comb of one-cell gaps,
 * drops. Set-up, a set-up that finds nothing changed, and solve are lines of their own; a triad
 * shows what memory gives in the same run, and solves say what part of that they reach. */
#include "bench/poisson_bench.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t face_room(const PoissonBench *bench) {
    return grid_face_count(&bench->grid, 0);
}

void poisson_bench_close(PoissonBench *bench) {
    PlimContext *context = bench->context;
    poisson_destroy(bench->poisson);
    if (bench->kind) context_free(context, bench->kind, bench->cells, 1);
    if (bench->phi) context_free(context, bench->phi, bench->cells, sizeof(double));
    if (bench->b) context_free(context, bench->b, bench->cells, sizeof(double));
    if (bench->p) context_free(context, bench->p, bench->cells, sizeof(double));
    for (int a = 0; a < 3; a++)
        if (bench->faces[a])
            context_free(context, bench->faces[a], face_room(bench), sizeof(double));
}

static PlimStatus bench_open(PlimContext *context, int n, bool faces, PoissonBench *bench) {
    *bench = (PoissonBench){.context = context};
    bench->grid = (Grid){.dim = 3, .n = {n, n, n}, .spacing = 1.0 / n};
    bench->cells = grid_cell_count(&bench->grid);
    bench->kind = context_allocate(context, bench->cells, 1);
    bench->phi = context_allocate(context, bench->cells, sizeof(double));
    bench->b = context_allocate(context, bench->cells, sizeof(double));
    bench->p = context_allocate(context, bench->cells, sizeof(double));
    if (!bench->kind || !bench->phi || !bench->b || !bench->p) return PLIM_OUT_OF_MEMORY;
    bench->problem = (PoissonProblem){.grid = &bench->grid, .kind = bench->kind};
    for (int a = 0; a < 3 && faces; a++) {
        bench->faces[a] = context_allocate(context, face_room(bench), sizeof(double));
        if (!bench->faces[a]) return PLIM_OUT_OF_MEMORY;
        for (size_t i = 0; i < face_room(bench); i++) bench->faces[a][i] = 1.0;
        bench->problem.coefficient[a] = bench->faces[a];
    }
    for (size_t i = 0; i < bench->cells; i++) bench->b[i] = random_uniform(1, 0, i) - 0.5;
    return PLIM_OK;
}

typedef void (*CellFn)(PoissonBench *bench, size_t cell, Vec3 x, int i, int j, int k);

static void for_cells(PoissonBench *bench, CellFn fn) {
    size_t cell = 0;
    for (int k = 0; k < bench->grid.n[2]; k++)
        for (int j = 0; j < bench->grid.n[1]; j++)
            for (int i = 0; i < bench->grid.n[0]; i++, cell++)
                fn(bench, cell, grid_cell_center(&bench->grid, i, j, k), i, j, k);
}

static void fill_tank(PoissonBench *bench, size_t cell, Vec3 x, int i, int j, int k) {
    (void)i, (void)j, (void)k;
    double ball = vec3_length(vec3_sub(x, vec3(0.35, 0.3, 0.4))) - 0.15;
    bool post = fabs(x.x - 0.7) < 0.06 && fabs(x.z - 0.6) < 0.06;
    bench->phi[cell] = x.y - (0.6 + 0.03 * sin(7.0 * x.x) * cos(5.0 * x.z));
    bench->kind[cell] = ball < 0.0 || post       ? CELL_SOLID
                        : bench->phi[cell] < 0.0 ? CELL_FLUID
                                                 : CELL_AIR;
}

static void fill_comb(PoissonBench *bench, size_t cell, Vec3 x, int i, int j, int k) {
    (void)k;
    bench->kind[cell] = x.y > 0.875 ? CELL_AIR : CELL_FLUID;
    if (x.y > 0.14 && x.y < 0.75) bench->faces[0][grid_face_index(&bench->grid, 0, i, j, k)] = 0.0;
}

static double density_at(Vec3 x) {
    bool light = x.y > 0.6 + 0.05 * sin(9.0 * x.x);
    for (int s = 0; s < 12; s++) {
        Vec3 centre = vec3(0.2 + 0.3 * (s % 3), 0.15 + 0.25 * (s / 3 % 2), 0.2 + 0.5 * (s / 6));
        light = light || vec3_length(vec3_sub(x, centre)) < 0.05 + 0.005 * s;
    }
    return light ? 1.0 : 1000.0;
}

static void fill_density(PoissonBench *bench, size_t cell, Vec3 x, int i, int j, int k) {
    double h = bench->grid.spacing, here = density_at(x);
    bench->kind[cell] = CELL_FLUID;
    for (int a = 0; a < 3; a++) {
        Vec3 low = vec3(x.x - h * (a == 0), x.y - h * (a == 1), x.z - h * (a == 2));
        bench->faces[a][grid_face_index(&bench->grid, a, i, j, k)] = 2.0 / (here + density_at(low));
    }
}

static void fill_drops(PoissonBench *bench) {
    const Grid *grid = &bench->grid;
    for (size_t i = 0; i < bench->cells; i++) bench->phi[i] = 1.0;
    for (uint64_t s = 0; s < 500; s++) {
        double at[3], radius = 0.02 + 0.02 * random_uniform(4, 3, s);
        int low[3], high[3];
        for (uint64_t a = 0; a < 3; a++) {
            at[a] = random_uniform(4, a, s);
            low[a] = (int)fmax(0.0, (at[a] - 0.1) / grid->spacing);
            high[a] = (int)fmin(grid->n[a] - 1.0, (at[a] + 0.1) / grid->spacing);
        }
        for (int k = low[2]; k <= high[2]; k++)
            for (int j = low[1]; j <= high[1]; j++)
                for (int i = low[0]; i <= high[0]; i++) {
                    Vec3 d = vec3_sub(grid_cell_center(grid, i, j, k), vec3(at[0], at[1], at[2]));
                    double *phi = &bench->phi[grid_cell_index(grid, i, j, k)];
                    *phi = fmin(*phi, vec3_length(d) - radius);
                }
    }
    for (size_t i = 0; i < bench->cells; i++)
        bench->kind[i] = bench->phi[i] < 0.0 ? CELL_FLUID : CELL_AIR;
}

PlimStatus poisson_bench_tank(PlimContext *context, int n, PoissonBench *bench) {
    TRY(bench_open(context, n, false, bench));
    for_cells(bench, fill_tank);
    bench->problem.phi = bench->phi;
    return PLIM_OK;
}

static PlimStatus run_setup(void *user) {
    PoissonBench *bench = user;
    poisson_forget(bench->poisson);
    return poisson_setup(bench->poisson, &bench->problem);
}

static PlimStatus run_kept_setup(void *user) {
    PoissonBench *bench = user;
    return poisson_setup(bench->poisson, &bench->problem);
}

static PlimStatus run_solve(void *user) {
    PoissonBench *bench = user;
    double incompatible;
    KrylovOptions options = krylov_options_default(bench->context->threads);
    memset(bench->p, 0, bench->cells * sizeof *bench->p);
    return poisson_solve(bench->poisson, &options, bench->b, bench->p, &bench->result,
                         &incompatible);
}

static PlimStatus measure_setup(const BenchOptions *options, PoissonBench *bench, const char *name,
                                BenchResult line) {
    PlimStatus status;
    char variant[128];
    line.seconds = bench_time(options, run_setup, bench, &status);
    TRY(status);
    line.bytes = (double)poisson_bytes(bench->poisson);
    snprintf(variant, sizeof variant, "%s set-up, %.1f bytes held a cell", name,
             line.bytes / (double)bench->cells);
    line.variant = variant;
    bench_print(options, &line);
    line.seconds = bench_time(options, run_kept_setup, bench, &status);
    TRY(status);
    snprintf(variant, sizeof variant, "%s set-up, nothing changed", name);
    bench_print(options, &line);
    return PLIM_OK;
}

/* `rate` is the triad's, bytes a second. */
static PlimStatus measure(const BenchOptions *options, PoissonBench *bench, const char *name,
                          PoissonMethod method, double rate) {
    PlimStatus status;
    char variant[128], share[32] = "";
    for (size_t i = 0; i < bench->cells; i++) bench->fluid += bench->kind[i] == CELL_FLUID;
    TRY(poisson_create(bench->context, &bench->grid, method, &bench->poisson));
    BenchResult line = {
        .name = "poisson", .n = bench->cells, .work = (double)bench->fluid, .unit = "fluid cells"};
    TRY(measure_setup(options, bench, name, line));
    line.seconds = bench_time(options, run_solve, bench, &status);
    TRY(status);
    line.bytes = method == POISSON_MULTIGRID
                     ? poisson_traffic(bench->poisson, bench->result.iterations)
                     : 0.0;
    if (line.bytes > 0.0)
        snprintf(share, sizeof share, ", %.2f of the triad", line.bytes / line.seconds / rate);
    snprintf(variant, sizeof variant, "%s solve to 1e-6, %d applications, %s%s", name,
             bench->result.applications, solve_reason_name(bench->result.reason), share);
    line.variant = variant;
    line.iterations = (uint64_t)bench->result.iterations;
    bench_print(options, &line);
    return PLIM_OK;
}

static PlimStatus measure_case(const BenchOptions *options, const char *name, int n, CellFn fill,
                               bool faces, PoissonMethod method, double rate) {
    PoissonBench bench;
    PlimStatus status = bench_open(options->context, n, faces, &bench);
    if (status == PLIM_OK) {
        if (fill)
            for_cells(&bench, fill);
        else
            fill_drops(&bench);
        if (!faces) bench.problem.phi = bench.phi;
        status = measure(options, &bench, name, method, rate);
    }
    poisson_bench_close(&bench);
    return status;
}

static PlimStatus bench_ours(const BenchOptions *options) {
    int largest = options->quick ? 64 : 256, middle = options->quick ? 64 : 128;
    double rate;
    TRY(bench_triad(options, "poisson", &rate));
    for (int n = 64; n <= largest; n *= 2)
        TRY(measure_case(options, "tank", n, fill_tank, false, POISSON_MULTIGRID, rate));
    TRY(measure_case(options, "tank MIC(0)", middle, fill_tank, false, POISSON_MIC0, rate));
    TRY(measure_case(options, "density 1:1000", middle, fill_density, true, POISSON_MULTIGRID,
                     rate));
    TRY(measure_case(options, "comb", middle, fill_comb, true, POISSON_MULTIGRID, rate));
    return measure_case(options, "500 drops", middle, NULL, false, POISSON_MULTIGRID, rate);
}

PlimStatus bench_poisson(const BenchOptions *options) {
#ifdef PLIM_PETSC
    if (bench_petsc_is_rank()) return bench_petsc_rank(options);
    TRY(bench_ours(options));
    return bench_petsc(options);
#else
    return bench_ours(options);
#endif
}
