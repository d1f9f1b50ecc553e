/* Distance fields of meshes of different sizes on grids of different sizes, phase by phase, and
 * fast marching by itself. */
#include "bench/bench.h"

#include "geom/level_set/level_set.h"
#include "geom/mesh/primitives.h"

#include <math.h>
#include <stdio.h>

typedef struct FieldBench {
    PlimContext *context;
    TriangleMesh mesh;
    Bvh *bvh;
    LevelSetOptions options;
    LevelSetReport best; /* the fastest of several */
    size_t nodes, bytes;
} FieldBench;

static PlimStatus run_field(void *user) {
    FieldBench *bench = user;
    LevelSetReport report;
    LevelSet *field;
    TRY(level_set_from_mesh(bench->context, &bench->mesh, bench->bvh, &bench->options, &field,
                            &report));
    bench->nodes = node_grid_count(level_set_grid(field));
    bench->bytes = level_set_bytes(field);
    if (bench->best.seconds == 0.0 || report.seconds < bench->best.seconds) bench->best = report;
    level_set_destroy(field);
    return PLIM_OK;
}

static void print_phase(const BenchOptions *options, const FieldBench *bench, const char *phase,
                        double seconds) {
    char variant[96];
    snprintf(variant, sizeof variant, "%zu triangles, %d cells%s: %s", bench->mesh.triangle_count,
             bench->options.cells, bench->options.memory_limit == 0 ? ", sparse" : "", phase);
    BenchResult result = {.name = "level_set",
                          .variant = variant,
                          .n = bench->nodes,
                          .seconds = seconds,
                          .work = (double)bench->nodes,
                          .unit = "nodes",
                          .bytes = (double)bench->bytes};
    bench_print(options, &result);
}

static PlimStatus measure_field(const BenchOptions *options, FieldBench *bench, int cells,
                                bool sparse) {
    bench->options.cells = cells;
    bench->options.memory_limit = sparse ? 0 : SIZE_MAX;
    bench->best = (LevelSetReport){0};
    PlimStatus status;
    bench_time(options, run_field, bench, &status);
    if (status != PLIM_OK) return status;
    print_phase(options, bench, "all", bench->best.seconds);
    print_phase(options, bench, "signs", bench->best.sign_seconds);
    print_phase(options, bench, "distances", bench->best.distance_seconds);
    print_phase(options, bench, "marching", bench->best.march_seconds);
    return PLIM_OK;
}

/* A torus of 4 n^2 triangles. */
static PlimStatus measure_mesh(const BenchOptions *options, int n, const int *cells, int count) {
    FieldBench bench = {.context = options->context, .options = level_set_options_default()};
    TRY(primitive_torus(options->context, 1.0, 0.45, 2 * n, n, &bench.mesh));
    BvhInput input = bvh_input_triangles(&bench.mesh);
    PlimStatus status = bvh_create(options->context, &input, &bench.bvh);
    for (int i = 0; i < count && status == PLIM_OK; i++)
        status = measure_field(options, &bench, cells[i], false);
    if (status == PLIM_OK) status = measure_field(options, &bench, cells[0], true);
    bvh_destroy(bench.bvh);
    mesh_free(options->context, &bench.mesh);
    return status;
}

typedef struct MarchBench {
    Scratch scratch;
    MarchGrid grid;
    int order;
    size_t nodes;
    double *phi;
    unsigned char *known;
} MarchBench;

static PlimStatus run_march(void *user) {
    MarchBench *bench = user;
    TRY(scratch_reset(&bench->scratch));
    return march_distance(&bench->scratch, &bench->grid, bench->known, bench->order, HUGE_VAL,
                          bench->phi);
}

/* Outward and inward from a thin shell around a ball. */
static size_t start_march(MarchBench *bench) {
    int n = bench->grid.n[0];
    size_t node = 0, unknown = 0;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++, node++) {
                double x = i - 0.5 * n, y = j - 0.5 * n, z = k - 0.5 * n;
                bench->phi[node] = sqrt(x * x + y * y + z * z) - 0.3 * n;
                bench->known[node] = fabs(bench->phi[node]) < 2.0;
                unknown += !bench->known[node];
            }
    return unknown;
}

static PlimStatus measure_march(const BenchOptions *options, int n, int order) {
    PlimContext *context = options->context;
    MarchBench bench = {.grid = {{n, n, n}, 1.0}, .order = order};
    bench.nodes = (size_t)n * (size_t)n * (size_t)n;
    scratch_init(&bench.scratch, context);
    bench.phi = context_allocate(context, bench.nodes, sizeof *bench.phi);
    bench.known = context_allocate(context, bench.nodes, 1);
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    if (bench.phi && bench.known) {
        size_t unknown = start_march(&bench);
        double seconds = bench_time(options, run_march, &bench, &status);
        BenchResult result = {.name = "march",
                              .variant = order == 1 ? "first order" : "second order",
                              .n = bench.nodes,
                              .seconds = seconds,
                              .work = (double)unknown,
                              .unit = "nodes",
                              .bytes = (double)bench.scratch.high_water};
        if (status == PLIM_OK) bench_print(options, &result);
    }
    context_free(context, bench.phi, bench.nodes, sizeof *bench.phi);
    context_free(context, bench.known, bench.nodes, 1);
    scratch_free(&bench.scratch);
    return status;
}

PlimStatus bench_level_set(const BenchOptions *options) {
    static const int cells[] = {32, 64, 128, 192};
    TRY(measure_mesh(options, 72, cells, options->quick ? 2 : 4));
    if (!options->quick) TRY(measure_mesh(options, 226, cells, 4));
    for (int order = 1; order <= 2; order++) {
        TRY(measure_march(options, 64, order));
        if (!options->quick) TRY(measure_march(options, 128, order));
    }
    return PLIM_OK;
}
