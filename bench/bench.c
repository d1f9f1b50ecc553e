#include "bench/bench.h"

#include "base/clock.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <stdio.h>

void bench_print(const BenchOptions *options, const BenchResult *result) {
    printf("{\"name\":\"%s\",\"case\":\"%s\",\"n\":%zu,\"threads\":%d,\"seconds\":%.6g,"
           "\"work\":%.6g,\"unit\":\"%s\",\"per_second\":%.6g,\"iterations\":%" PRIu64
           ",\"bytes\":%.6g",
           result->name, result->variant, result->n, options->context->threads, result->seconds,
           result->work, result->unit, result->work / result->seconds, result->iterations,
           result->bytes);
    for (size_t i = 0; i < result->figure_count; i++)
        printf(",\"%s\":%.6g", result->figures[i].name, result->figures[i].value);
    printf("}\n");
    fflush(stdout);
}

double bench_time(const BenchOptions *options, PlimStatus (*body)(void *user), void *user,
                  PlimStatus *status) {
    double budget = options->quick ? 0.1 : 1.0, best = 1e300, start = clock_seconds();
    *status = body(user); /* warms caches and memory */
    do {
        double before = clock_seconds();
        if (*status == PLIM_OK) *status = body(user);
        double seconds = clock_seconds() - before;
        if (seconds < best) best = seconds;
    } while (*status == PLIM_OK && clock_seconds() - start < budget);
    return best;
}

typedef struct Triad {
    int threads;
    size_t count;
    double *a, *b, *c;
} Triad;

static void triad_range(void *user, size_t begin, size_t end) {
    Triad *triad = user;
    for (size_t i = begin; i < end; i++) triad->a[i] = triad->b[i] + 0.5 * triad->c[i];
}

static PlimStatus run_triad(void *user) {
    Triad *triad = user;
    parallel_for(triad->threads, triad->count, 1 << 16, triad_range, triad);
    return PLIM_OK;
}

PlimStatus bench_triad(const BenchOptions *options, const char *name, double *bytes_per_second) {
    Triad triad = {options->context->threads, options->quick ? 1 << 22 : 1 << 24, NULL, NULL, NULL};
    double *memory = context_allocate(options->context, 3 * triad.count, sizeof *memory);
    if (!memory) return PLIM_OUT_OF_MEMORY;
    triad.a = memory;
    triad.b = memory + triad.count;
    triad.c = memory + 2 * triad.count;
    /* Pages that nobody wrote to are all one and the same in the caches. */
    for (size_t i = 0; i < 3 * triad.count; i++) memory[i] = 1.0;
    PlimStatus status;
    BenchResult line = {.name = name,
                        .variant = "triad",
                        .n = triad.count,
                        .seconds = bench_time(options, run_triad, &triad, &status),
                        .work = 24.0 * (double)triad.count,
                        .unit = "bytes",
                        .bytes = 24.0 * (double)triad.count};
    bench_print(options, &line);
    *bytes_per_second = line.bytes / line.seconds;
    context_free(options->context, memory, 3 * triad.count, sizeof *memory);
    return status;
}
