/* Decompositions of 3x3 matrices, and the deterministic sum. */
#include "bench/bench.h"

#include "base/parallel.h"
#include "base/random.h"
#include "math/decompose.h"

enum { MATRICES = 4096 };

typedef struct MathBench {
    int threads;
    Scratch scratch;
    Mat3 matrices[MATRICES];
    double *values;
    size_t count;
    double result; /* keeps the compiler from leaving the work out */
} MathBench;

static PlimStatus run_svd(void *user) {
    MathBench *bench = user;
    for (int i = 0; i < MATRICES; i++) {
        Mat3 u, v;
        Vec3 sigma;
        svd_rotations(bench->matrices[i], &u, &sigma, &v);
        bench->result += sigma.x;
    }
    return PLIM_OK;
}

static PlimStatus run_eigen(void *user) {
    MathBench *bench = user;
    for (int i = 0; i < MATRICES; i++) {
        Mat3 vectors;
        Vec3 values;
        Mat3 a = bench->matrices[i];
        symmetric_eigen(mat3_add(a, mat3_transpose(a)), &values, &vectors);
        bench->result += values.x;
    }
    return PLIM_OK;
}

static void add_values(void *user, size_t begin, size_t end, double *partial) {
    const MathBench *bench = user;
    for (size_t i = begin; i < end; i++) partial[0] += bench->values[i];
}

static PlimStatus run_sum(void *user) {
    MathBench *bench = user;
    return parallel_sum(bench->threads, bench->count, 1, add_values, bench, &bench->scratch,
                        &bench->result);
}

static PlimStatus measure_sum(const BenchOptions *options, MathBench *bench) {
    bench->count = options->quick ? 1 << 20 : 1 << 24;
    bench->values = context_allocate(options->context, bench->count, sizeof *bench->values);
    if (!bench->values) return PLIM_OUT_OF_MEMORY;
    PlimStatus status;
    double seconds = bench_time(options, run_sum, bench, &status);
    BenchResult result = {.name = "math",
                          .variant = "deterministic sum",
                          .n = bench->count,
                          .seconds = seconds,
                          .work = (double)bench->count,
                          .unit = "values",
                          .bytes = 8.0 * (double)bench->count};
    if (status == PLIM_OK) bench_print(options, &result);
    context_free(options->context, bench->values, bench->count, sizeof *bench->values);
    return status;
}

static PlimStatus measure_matrices(const BenchOptions *options, MathBench *bench,
                                   const char *variant, PlimStatus (*body)(void *)) {
    PlimStatus status;
    double seconds = bench_time(options, body, bench, &status);
    BenchResult result = {.name = "math",
                          .variant = variant,
                          .n = MATRICES,
                          .seconds = seconds,
                          .work = MATRICES,
                          .unit = "matrices"};
    if (status == PLIM_OK) bench_print(options, &result);
    return status;
}

PlimStatus bench_math(const BenchOptions *options) {
    MathBench *bench = context_allocate(options->context, 1, sizeof *bench);
    if (!bench) return PLIM_OUT_OF_MEMORY;
    bench->threads = options->context->threads;
    scratch_init(&bench->scratch, options->context);
    for (uint64_t i = 0; i < MATRICES; i++) {
        double entries[9];
        for (uint64_t k = 0; k < 9; k++) entries[k] = random_normal(1, k, i);
        bench->matrices[i] = mat3_load(entries);
    }
    PlimStatus status = measure_matrices(options, bench, "svd", run_svd);
    if (status == PLIM_OK) status = measure_matrices(options, bench, "eigen", run_eigen);
    if (status == PLIM_OK) status = measure_sum(options, bench);
    scratch_free(&bench->scratch);
    context_free(options->context, bench, 1, sizeof *bench);
    return status;
}
