/* Hierarchies over triangle meshes: build, refit, nearest points, rays, pairs. */
#include "bench/bench.h"

#include "base/parallel.h"
#include "base/random.h"
#include "geom/mesh/primitives.h"
#include "geom/query/bvh.h"

enum { QUERIES = 1 << 17 };

typedef struct GeometryBench {
    PlimContext *context;
    TriangleMesh mesh;
    Bvh *bvh;
    Vec3 (*rays)[2]; /* from, to; nearest points are asked for at `from` */
    double *results; /* keeps the compiler from leaving the work out */
    BvhPairs pairs;
} GeometryBench;

static PlimStatus run_build(void *user) {
    GeometryBench *bench = user;
    bvh_destroy(bench->bvh);
    BvhInput input = bvh_input_triangles(&bench->mesh);
    return bvh_create(bench->context, &input, &bench->bvh);
}

static PlimStatus run_refit(void *user) {
    GeometryBench *bench = user;
    bvh_refit(bench->bvh);
    return PLIM_OK;
}

static void closest_range(void *user, size_t begin, size_t end) {
    GeometryBench *bench = user;
    for (size_t i = begin; i < end; i++)
        bench->results[i] = bvh_closest(bench->bvh, bench->rays[i][0], HUGE_VAL).distance;
}

static void ray_range(void *user, size_t begin, size_t end) {
    GeometryBench *bench = user;
    for (size_t i = begin; i < end; i++)
        bench->results[i] =
            bvh_ray_first(bench->bvh, bench->rays[i][0], bench->rays[i][1], 1e-9).hit.t;
}

static PlimStatus run_closest(void *user) {
    GeometryBench *bench = user;
    parallel_for(bench->context->threads, QUERIES, 1024, closest_range, bench);
    return PLIM_OK;
}

static PlimStatus run_rays(void *user) {
    GeometryBench *bench = user;
    parallel_for(bench->context->threads, QUERIES, 1024, ray_range, bench);
    return PLIM_OK;
}

/* Within a thousandth of the torus' size of one another: a few neighbours each. */
static PlimStatus run_pairs(void *user) {
    GeometryBench *bench = user;
    Scratch scratch;
    bench->pairs.items.count = 0;
    scratch_init(&scratch, bench->context);
    PlimStatus status = bvh_overlap_pairs(bench->bvh, bench->bvh, 1e-3, &scratch, &bench->pairs);
    scratch_free(&scratch);
    return status;
}

/* Points within 2% of the size of the surface (0.01 away on average), each with the start of
 * another as the far end of its ray. In order, neighbours follow one another as the nodes of a grid
 * do; scattered, every query finds the caches cold. */
static void make_rays(GeometryBench *bench, bool scattered) {
    for (size_t i = 0; i < QUERIES; i++) {
        double where = scattered ? random_uniform(1, 0, i) : (double)i / QUERIES;
        size_t triangle = (size_t)(where * (double)bench->mesh.triangle_count);
        Vec3 p = bench->mesh.vertices[bench->mesh.triangles[triangle][0]];
        Vec3 off = vec3(random_uniform(1, 1, i), random_uniform(1, 2, i), random_uniform(1, 3, i));
        p = vec3_add_scaled(p, 0.04, vec3_sub(off, vec3(0.5, 0.5, 0.5)));
        bench->rays[i][0] = p;
        bench->rays[(i + QUERIES / 3) % QUERIES][1] = p;
    }
}

static PlimStatus measure(const BenchOptions *options, GeometryBench *bench, const char *variant,
                          PlimStatus (*body)(void *), double work, const char *unit, double bytes) {
    PlimStatus status;
    double seconds = bench_time(options, body, bench, &status);
    BenchResult result = {.name = "geometry",
                          .variant = variant,
                          .n = bench->mesh.triangle_count,
                          .seconds = seconds,
                          .work = work > 0.0 ? work : (double)bench->pairs.items.count,
                          .unit = unit,
                          .bytes = bytes};
    if (status == PLIM_OK) bench_print(options, &result);
    return status;
}

static PlimStatus measure_mesh(const BenchOptions *options, GeometryBench *bench) {
    double triangles = (double)bench->mesh.triangle_count;
    TRY(measure(options, bench, "bvh build", run_build, triangles, "triangles", 0));
    /* Read: corners and, once each, vertices; written and read again: the boxes. */
    double moved = triangles * (12.0 + 0.5 * sizeof(Vec3)) + 2.0 * (double)bvh_bytes(bench->bvh);
    TRY(measure(options, bench, "bvh refit", run_refit, triangles, "triangles", moved));
    make_rays(bench, false);
    TRY(measure(options, bench, "closest point", run_closest, QUERIES, "queries", 0));
    TRY(measure(options, bench, "first ray hit", run_rays, QUERIES, "rays", 0));
    make_rays(bench, true);
    TRY(measure(options, bench, "closest point, scattered", run_closest, QUERIES, "queries", 0));
    TRY(measure(options, bench, "first ray hit, scattered", run_rays, QUERIES, "rays", 0));
    return measure(options, bench, "near pairs", run_pairs, 0, "pairs", 0);
}

static PlimStatus measure_size(const BenchOptions *options, GeometryBench *bench, int sides) {
    TRY(primitive_torus(options->context, 0.35, 0.15, 2 * sides, sides, &bench->mesh));
    PlimStatus status = measure_mesh(options, bench);
    bvh_destroy(bench->bvh);
    bench->bvh = NULL;
    array_free(options->context, &bench->pairs.items);
    mesh_free(options->context, &bench->mesh);
    return status;
}

PlimStatus bench_geometry(const BenchOptions *options) {
    static const int sides[] = {79, 112, 158, 224, 316, 447}; /* 25k to 800k triangles */
    int sizes = options->quick ? 2 : (int)(sizeof sides / sizeof *sides);
    GeometryBench bench = {.context = options->context};
    bench.rays = context_allocate(options->context, QUERIES, sizeof *bench.rays);
    if (!bench.rays) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    bench.results = context_allocate(options->context, QUERIES, sizeof *bench.results);
    if (bench.results) {
        status = PLIM_OK;
        for (int i = 0; i < sizes && status == PLIM_OK; i++)
            status = measure_size(options, &bench, sides[i]);
        context_free(options->context, bench.results, QUERIES, sizeof *bench.results);
    }
    context_free(options->context, bench.rays, QUERIES, sizeof *bench.rays);
    return status;
}
