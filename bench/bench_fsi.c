/* Steps with a body in the fluid: seconds of the two coupled solves of a step, how they grow with
 * the cells, and what they cost beside the same flow without a body and with split solves. Then the
 * coupled solve against other ways to do it (fsi_compare.c). */
#include "bench/fsi_bench.h"

#include <stdio.h>
#include <string.h>

static void keep_problem(void *user, const FlowProblem *problem, double *const velocity[3],
                         const double *pressure) {
    (void)velocity;
    (void)pressure;
    ((FsiScene *)user)->last = *problem;
}

PlimStatus fsi_open(PlimContext *context, FsiScene *scene) {
    char text[1024], body[512] = "";
    double h = 1.0 / scene->n;
    scene->dt = 0.5 * h;
    scene->scene = NULL;
    scene->world = NULL;
    if (scene->density > 0)
        snprintf(body, sizeof body,
                 "rigid:\n  bodies:\n"
                 "    - {name: body, shape: {ball: {radius: 0.125}}, position: [0.437, 0.563, %g], "
                 "density: %.17g, velocity: [0, -0.3, 0], angular_velocity: [0, 0, 1]}\n",
                 scene->dim == 3 ? 0.521 : 0.0, 1000 * scene->density);
    snprintf(text, sizeof text,
             "plimsoll: 1\ndim: %d\nfluid:\n  cells: %d\n  density: 1000\n  viscosity: %.17g\n"
             "  initial: {random: {amplitude: 0.2, length: 0.2}}\n%s",
             scene->dim, scene->n, scene->stiffness * 1000 * h * h / scene->dt, body);
    TRY(plim_scene_parse(context, "bench", text, strlen(text), NULL, 0, &scene->scene));
    TRY(plim_scene_create_world(scene->scene, &scene->world));
    coupling_watch(scene->world->coupling, keep_problem, scene);
    return PLIM_OK;
}

void fsi_close(FsiScene *scene) {
    if (scene->world) plim_world_destroy(scene->world);
    if (scene->scene) plim_scene_destroy(scene->scene);
    scene->world = NULL;
    scene->scene = NULL;
}

typedef struct Measured {
    double solves, step; /* s, the fastest */
    double iterations, bytes;
} Measured;

static double seconds_of(const PlimWorld *world, bool solves_alone) {
    double sum = 0;
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        if (!solves_alone || stage == STAGE_SOLVE_POSITIONS || stage == STAGE_SOLVE_VELOCITIES)
            sum += world->stage_seconds[stage];
    return sum;
}

static PlimStatus run_steps(const BenchOptions *options, FsiScene *scene, Measured *out) {
    int first = 1, measured = scene->dim == 3 ? 1 : 3;
    PlimWorld *world = scene->world;
    *out = (Measured){.solves = 1e300, .step = 1e300};
    for (int i = 0; i < first + measured; i++) {
        TRY(plim_world_step(world, scene->dt));
        if (i < first) continue;
        TRY(plim_world_measure(world));
        const char *name =
            scene->density > 0 ? "solve.coupled.iterations" : "solve.pressure.iterations";
        out->iterations += diagnostics_get(&world->diagnostics, name) / measured;
        out->solves = fmin(out->solves, seconds_of(world, true));
        out->step = fmin(out->step, seconds_of(world, false));
    }
    out->bytes = (double)plim_context_bytes(options->context);
    return PLIM_OK;
}

static PlimStatus measure(const BenchOptions *options, FsiScene *scene, Measured *out) {
    PlimStatus status = fsi_open(options->context, scene);
    if (status == PLIM_OK) status = run_steps(options, scene, out);
    fsi_close(scene);
    return status;
}

/* `smallest` is seconds a cell at the first size; set when 0. */
static PlimStatus measure_pair(const BenchOptions *options, int dim, int n, double stiffness,
                               double *smallest) {
    FsiScene coupled = {.dim = dim, .n = n, .stiffness = stiffness, .density = 2};
    FsiScene split = {.dim = dim, .n = n, .stiffness = stiffness, .density = 0};
    Measured with, without;
    TRY(measure(options, &coupled, &with));
    TRY(measure(options, &split, &without));
    double cells = (double)n * n * (dim == 3 ? n : 1), a_cell = with.solves / cells;
    if (*smallest == 0) *smallest = a_cell;
    char variant[200];
    snprintf(variant, sizeof variant,
             "%dD %s, two coupled solves of a step; whole step %.3g s; seconds a cell %.2f of the "
             "smallest size; %.2f of split solves without a body, %.2f of its step; %.0f bytes "
             "held a cell",
             dim, stiffness > 0 ? "viscous" : "inviscid", with.step, a_cell / *smallest,
             with.solves / without.solves, with.step / without.step, with.bytes / cells);
    BenchResult line = {.name = "fsi",
                        .variant = variant,
                        .n = (size_t)n,
                        .seconds = with.solves,
                        .work = cells,
                        .unit = "cells",
                        .iterations = (uint64_t)(with.iterations + 0.5),
                        .bytes = with.bytes};
    bench_print(options, &line);
    return PLIM_OK;
}

PlimStatus bench_fsi(const BenchOptions *options) {
    TRY(fsi_many(options));
    static const int sizes[2][4] = {{64, 128, 256, 512}, {32, 48, 64, 96}};
    for (int dim = 2; dim <= 3; dim++)
        for (int viscous = 1; viscous >= 0; viscous--) {
            double smallest = 0;
            int count = options->quick ? 2 - (dim == 3) : 4;
            for (int i = 0; i < count; i++)
                TRY(measure_pair(options, dim, sizes[dim - 2][i], viscous, &smallest));
        }
    return fsi_compare(options);
}
