/* Pressure with bounds: a column of water that has lost its wall, a pool with waves; cells in them
 * hold a little too much or too little at random. From nothing, and from the pressure of a step
 * whose cells held something else. The ratio is to the solve without bounds on the free cells that
 * were found, from nothing, with the same preconditioner; both with their set-up. */
#include "bench/bench.h"

#include "base/clock.h"
#include "base/random.h"
#include "solve/pressure/poisson_bounded.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct LcpBench {
    PlimContext *context;
    Grid grid;
    size_t cells, fluid;
    bool column;  /* or a pool */
    double spare; /* mean room left in a cell of the inside, in parts of it */
    unsigned char *kind, *free_kind;
    double *b, *p, *first, *eigenvector;
    PoissonProblem problem, free_problem;
    Poisson *poisson, *linear;
    BoundedOptions options;
    BoundedResult result;
    SolveResult solved;
} LcpBench;

static void lcp_close(LcpBench *bench) {
    PlimContext *context = bench->context;
    poisson_destroy(bench->poisson);
    poisson_destroy(bench->linear);
    if (bench->kind) context_free(context, bench->kind, 2 * bench->cells, 1);
    if (bench->b) context_free(context, bench->b, 4 * bench->cells, sizeof(double));
}

static PlimStatus lcp_open(PlimContext *context, int n, PoissonMethod method, LcpBench *bench) {
    bench->context = context;
    bench->grid = (Grid){.dim = 3, .n = {n, n, n}, .spacing = 1.0 / n};
    bench->cells = grid_cell_count(&bench->grid);
    bench->kind = context_allocate(context, 2 * bench->cells, 1);
    bench->b = context_allocate(context, 4 * bench->cells, sizeof(double));
    if (!bench->kind || !bench->b) return PLIM_OUT_OF_MEMORY;
    bench->free_kind = bench->kind + bench->cells;
    bench->p = bench->b + bench->cells;
    bench->first = bench->p + bench->cells;
    bench->eigenvector = bench->first + bench->cells;
    bench->problem = (PoissonProblem){.grid = &bench->grid, .kind = bench->kind, .bounded = true};
    bench->free_problem = (PoissonProblem){.grid = &bench->grid, .kind = bench->free_kind};
    TRY(poisson_create(context, &bench->grid, method, &bench->poisson));
    return poisson_create(context, &bench->grid, method, &bench->linear);
}

/* Cells from the surface, positive in water. */
static double depth_at(const LcpBench *bench, Vec3 x) {
    double n = bench->grid.n[0];
    if (!bench->column) return n * (0.6 + 0.05 * sin(6.0 * x.x) * cos(4.0 * x.z) - x.y);
    return n * fmin(0.5 - x.x, 0.9 - x.y);
}

/* b in parts of a cell: room left at the end of the step. The floor stops what gravity moves, and
 * the flow goes together in some places and apart in others. */
static void fill(LcpBench *bench, uint64_t seed) {
    const Grid *grid = &bench->grid;
    size_t cell = 0;
    bench->fluid = 0;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++, cell++) {
                Vec3 x = grid_cell_center(grid, i, j, k);
                double depth = depth_at(bench, x), full = fmin(1.0, fmax(0.0, 0.5 + 0.5 * depth));
                double flow = 0.003 * sin(3.0 * x.x + 0.1 * (double)seed) * cos(5.0 * x.y);
                bench->kind[cell] = full > 0.0 ? CELL_FLUID : CELL_AIR;
                bench->fluid += full > 0.0;
                bench->b[cell] = 1.0 - full + full * (flow - (j == 0 ? 0.001 : 0.0));
                bench->b[cell] += full < 1.0 ? 0.2 * random_uniform(seed, 0, cell)
                                             : bench->spare + 0.01 * random_normal(seed, 1, cell);
            }
}

static PlimStatus run_bounded(void *user) {
    LcpBench *bench = user;
    memcpy(bench->p, bench->first, bench->cells * sizeof *bench->p);
    poisson_forget(bench->poisson);
    TRY(poisson_setup(bench->poisson, &bench->problem));
    return poisson_solve_bounded(bench->poisson, &bench->options, bench->b, NULL, bench->p,
                                 bench->eigenvector, &bench->result);
}

static PlimStatus run_linear(void *user) {
    LcpBench *bench = user;
    double incompatible;
    KrylovOptions options = krylov_options_default(bench->context->threads);
    /* The 2-norm of as many residuals at the tolerance of the largest. */
    options.relative = 0.0;
    options.absolute = 0.3 * bench->options.tolerance * sqrt((double)bench->result.free_count);
    memset(bench->p, 0, bench->cells * sizeof *bench->p);
    poisson_forget(bench->linear);
    TRY(poisson_setup(bench->linear, &bench->free_problem));
    return poisson_solve(bench->linear, &options, bench->b, bench->p, &bench->solved,
                         &incompatible);
}

static PlimStatus measure(const BenchOptions *options, LcpBench *bench, const char *name) {
    PlimStatus status;
    char variant[128];
    BenchResult line = {
        .name = "lcp", .n = bench->cells, .work = (double)bench->fluid, .unit = "fluid cells"};
    line.seconds = bench_time(options, run_bounded, bench, &status);
    TRY(status);
    line.bytes = (double)poisson_bytes(bench->poisson);
    line.iterations = (uint64_t)bench->result.iterations;
    for (size_t i = 0; i < bench->cells; i++) {
        bool is_free = bench->kind[i] == CELL_FLUID && bench->p[i] > 0.0;
        bench->free_kind[i] = is_free ? CELL_FLUID : CELL_AIR;
        bench->b[i] = -bench->b[i];
    }
    double linear = bench_time(options, run_linear, bench, &status);
    for (size_t i = 0; i < bench->cells; i++) bench->b[i] = -bench->b[i];
    TRY(status);
    const BoundedResult *r = &bench->result;
    BenchFigure figures[] = {{"free_cells", (double)r->free_count},
                             {"conjugate_gradients", r->cg_steps},
                             {"expansions", r->expansions},
                             {"proportionings", r->proportionings},
                             {"setups", r->setups},
                             {"applications", r->applications},
                             {"violation", r->violation},
                             {"linear_seconds", linear},
                             {"linear_iterations", bench->solved.iterations},
                             {"ratio", line.seconds / linear}};
    snprintf(variant, sizeof variant, "%s, %s", name, solve_reason_name(r->reason));
    line.variant = variant;
    line.figures = figures;
    line.figure_count = sizeof figures / sizeof *figures;
    bench_print(options, &line);
    return PLIM_OK;
}

static PlimStatus measure_both(const BenchOptions *options, LcpBench *bench, const char *name) {
    char text[96];
    fill(bench, 1);
    bench->options = bounded_options_default(bench->context->threads);
    bench->options.tolerance = 1e-8; /* the largest b is about 1 */
    snprintf(text, sizeof text, "%s, from nothing", name);
    TRY(measure(options, bench, text));
    TRY(run_bounded(bench));
    memcpy(bench->first, bench->p, bench->cells * sizeof *bench->p);
    fill(bench, 2);
    snprintf(text, sizeof text, "%s, from the last step", name);
    return measure(options, bench, text);
}

PlimStatus bench_lcp(const BenchOptions *options) {
    static const struct {
        const char *name;
        bool column;
        double spare;
        PoissonMethod method;
    } cases[] = {{"column", true, -0.002, POISSON_MULTIGRID},
                 {"column with gaps", true, 0.0005, POISSON_MULTIGRID},
                 {"pool", false, -0.002, POISSON_MULTIGRID},
                 {"pool with gaps", false, 0.0005, POISSON_MULTIGRID},
                 {"pool with gaps, MIC(0)", false, 0.0005, POISSON_MIC0}};
    static const int sizes[] = {32, 64, 100};
    PlimStatus status = PLIM_OK;
    for (size_t s = 0; s < (options->quick ? 2 : 3) && status == PLIM_OK; s++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases && status == PLIM_OK; c++) {
            LcpBench bench = {.column = cases[c].column, .spare = cases[c].spare};
            status = lcp_open(options->context, sizes[s], cases[c].method, &bench);
            if (status == PLIM_OK) status = measure_both(options, &bench, cases[c].name);
            lcp_close(&bench);
        }
    return status;
}
