#include "bench/bench.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

void bench_print(const BenchOptions *options, const BenchResult *result) {
    printf("{\"name\":\"%s\",\"case\":\"%s\",\"n\":%zu,\"threads\":%d,\"seconds\":%.6g,"
           "\"work\":%.6g,\"unit\":\"%s\",\"per_second\":%.6g,\"iterations\":%" PRIu64
           ",\"bytes\":%.6g}\n",
           result->name, result->variant, result->n, options->context->threads, result->seconds,
           result->work, result->unit, result->work / result->seconds, result->iterations,
           result->bytes);
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
