#include "app.h"

#include "base/suggest.h"
#include "bench/bench.h"

#include <string.h>

typedef struct Benchmark {
    const char *name;
    PlimStatus (*run)(const BenchOptions *options);
} Benchmark;

static const Benchmark benchmarks[] = {
    {"math", bench_math},         {"rigid", bench_rigid},         {"io", bench_io},
    {"geometry", bench_geometry}, {"level_set", bench_level_set}, {"poisson", bench_poisson},
    {"lcp", bench_lcp},           {"advect", bench_advect},       {"viscosity", bench_viscosity},
    {"smoke", bench_smoke},       {"water", bench_water},         {"splash", bench_splash},
    {"fem", bench_fem},           {"cloth", bench_cloth},         {"fsi", bench_fsi},
    {"settle", bench_settle},     {"rings", bench_rings},         {"boxes", bench_boxes},
    {"chain", bench_chain},       {"figures", bench_figures},     {"bones", bench_bones},
    {"export", bench_export},
};

enum { BENCH_COUNT = sizeof benchmarks / sizeof *benchmarks, MAX_NAMES = 32 };

static const Benchmark *find_benchmark(const char *name) {
    for (int i = 0; i < BENCH_COUNT; i++)
        if (strcmp(benchmarks[i].name, name) == 0) return &benchmarks[i];
    return NULL;
}

static int unknown_benchmark(const char *name) {
    fprintf(stderr, "plimsoll: there is no benchmark '%s'; there are:", name);
    for (int i = 0; i < BENCH_COUNT; i++) fprintf(stderr, " %s", benchmarks[i].name);
    fputc('\n', stderr);
    return EXIT_BAD_REQUEST;
}

int command_bench(int argc, char **argv) {
    const char *names[MAX_NAMES];
    int64_t threads = 0;
    BenchOptions options = {0};
    const Option table[] = {{"--threads", OPTION_INTEGER, &threads},
                            {"--quick", OPTION_FLAG, &options.quick},
                            {"--long", OPTION_FLAG, &options.whole_runs}};
    int count;
    if (!parse_options("bench", argc, argv, table, 3, names, MAX_NAMES, &count))
        return EXIT_BAD_REQUEST;
    if (options.quick && options.whole_runs) {
        print_error("bench: --quick and --long exclude each other");
        return EXIT_BAD_REQUEST;
    }
    for (int i = 0; i < count; i++)
        if (!find_benchmark(names[i])) return unknown_benchmark(names[i]);
    options.context = open_context(threads, false);
    if (!options.context) return EXIT_RUN_FAILED;
    PlimStatus status = PLIM_OK;
    for (int i = 0; status == PLIM_OK && i < count; i++)
        status = find_benchmark(names[i])->run(&options);
    for (int i = 0; status == PLIM_OK && count == 0 && i < BENCH_COUNT; i++)
        status = benchmarks[i].run(&options);
    int code = report(options.context, status);
    close_context(options.context);
    return code;
}
