/* Measurements of hot paths: one JSON line a case, comparable as ratios within one run. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/context.h"

typedef struct BenchOptions {
    PlimContext *context;
    bool quick;      /* smaller sizes, shorter times */
    bool whole_runs; /* piles of bodies: all sizes, 10 s each, an hour or more; water: 192^3 too */
} BenchOptions;

/* A figure of one benchmark alone. */
typedef struct BenchFigure {
    const char *name;
    double value;
} BenchFigure;

typedef struct BenchResult {
    const char *name;    /* of the benchmark */
    const char *variant; /* the case within it */
    size_t n;            /* size of the problem */
    double seconds;      /* of one repetition, the fastest of several */
    double work;         /* units done in one repetition */
    const char *unit;
    uint64_t iterations;        /* of a solver; 0 where there is none */
    double bytes;               /* of memory moved or held; 0: not known */
    const BenchFigure *figures; /* more members of the line */
    size_t figure_count;
} BenchResult;

void bench_print(const BenchOptions *options, const BenchResult *result);

/* Repeats `body` for about a second (a tenth when quick) and returns the fastest time. */
double bench_time(const BenchOptions *options, PlimStatus (*body)(void *user), void *user,
                  PlimStatus *status);

/* a = b + c / 2 on arrays larger than the caches: prints a line, and tells what memory gives in the
 * same run. */
PlimStatus bench_triad(const BenchOptions *options, const char *name, double *bytes_per_second);

PlimStatus bench_rigid(const BenchOptions *options);
PlimStatus bench_math(const BenchOptions *options);
PlimStatus bench_export(const BenchOptions *options);
PlimStatus bench_io(const BenchOptions *options);
PlimStatus bench_geometry(const BenchOptions *options);
PlimStatus bench_poisson(const BenchOptions *options);
PlimStatus bench_lcp(const BenchOptions *options);
PlimStatus bench_level_set(const BenchOptions *options);
PlimStatus bench_advect(const BenchOptions *options);
PlimStatus bench_viscosity(const BenchOptions *options);
PlimStatus bench_smoke(const BenchOptions *options);
PlimStatus bench_water(const BenchOptions *options);
PlimStatus bench_splash(const BenchOptions *options);
PlimStatus bench_fem(const BenchOptions *options);
PlimStatus bench_cloth(const BenchOptions *options);
PlimStatus bench_fsi(const BenchOptions *options);
PlimStatus bench_settle(const BenchOptions *options);
PlimStatus bench_rings(const BenchOptions *options);
PlimStatus bench_boxes(const BenchOptions *options);
PlimStatus bench_bones(const BenchOptions *options);
PlimStatus bench_chain(const BenchOptions *options);
PlimStatus bench_figures(const BenchOptions *options);

#endif
