/* Piles that form in a full tank (scenes/fsi/settle.yaml): what contact in the coupled solve costs,
 * 5 bodies and 50 on the same grid. */
#include "bench/fsi_bench.h"

#include <stdio.h>
#include <string.h>

static const char settle[] =
    "plimsoll: 1\nparams: {count: %d, mu: %g, cells: %d, size: 0.082, pitch: \"=1.5*size\"}\n"
    "dim: 2\nfluid:\n  domain: {low: [0, 0, -0.5], high: [1, 1, 0.5]}\n  cells: \"=cells\"\n"
    "  density: 1000\n  viscosity: \"=mu\"\n  sides: {top: open}\nrigid:\n  bodies:\n"
    "    - name: box\n"
    "      shape: {box: {size: [\"=size*(0.8+0.4*random(1))\", \"=size*(0.8+0.4*random(2))\", "
    "\"=size\"]}}\n"
    "      position: [\"=0.5+pitch*(mod(2*n,7)-3)+0.1*size*random(3)\", "
    "\"=pitch*(0.7+floor(2*n/7))\", 0]\n"
    "      orientation: {axis: [0, 0, 1], angle: \"=360*random(4)\"}\n"
    "      density: 2500\n      repeat: {count: \"=ceil(count/2)\", spacing: [0, 0, 0]}\n"
    "    - name: ball\n"
    "      shape: {ball: {radius: \"=0.5*size*(0.8+0.4*random(1))\"}}\n"
    "      position: [\"=0.5+pitch*(mod(2*n+1,7)-3)+0.1*size*random(3)\", "
    "\"=pitch*(0.7+floor((2*n+1)/7))\", 0]\n"
    "      density: 2500\n      rolling_friction: \"=0.05*size\"\n"
    "      repeat: {count: \"=floor(count/2)\", spacing: [0, 0, 0]}\n";

/* Means of a step. */
typedef struct Settled {
    int steps;
    double seconds; /* of all solves with the fluid and of contact in them */
    double step, iterations, half_iterations, rounds;
    double bytes;
} Settled;

static double solves_of(const PlimWorld *world) {
    const double *seconds = world->stage_seconds;
    return seconds[STAGE_SOLVE_POSITIONS] + seconds[STAGE_COLLIDE] + seconds[STAGE_CONTACT] +
           seconds[STAGE_SOLVE_VELOCITIES];
}

static PlimStatus add_step(PlimWorld *world, Settled *sum) {
    TRY(plim_world_measure(world));
    const Diagnostics *figures = &world->diagnostics;
    sum->steps++;
    sum->seconds += solves_of(world);
    for (int stage = 0; stage < STAGE_COUNT; stage++) sum->step += world->stage_seconds[stage];
    sum->iterations += diagnostics_get(figures, "solve.coupled.iterations");
    sum->half_iterations += diagnostics_get(figures, "solve.coupled.half_iterations");
    sum->rounds += diagnostics_get(figures, "contact.rounds");
    return PLIM_OK;
}

static PlimStatus run(PlimContext *context, const char *text, double until, Settled *out) {
    FsiScene scene = {.dim = 2};
    double before = (double)plim_context_bytes(context);
    *out = (Settled){0};
    PlimStatus status =
        plim_scene_parse(context, "bench", text, strlen(text), NULL, 0, &scene.scene);
    if (status == PLIM_OK) status = plim_scene_create_world(scene.scene, &scene.world);
    while (status == PLIM_OK && *scene.world->clock.time < until) {
        double now = *scene.world->clock.time;
        status = plim_world_substep(scene.world, fmin(until, now + 0.1));
        if (status == PLIM_OK) status = add_step(scene.world, out);
    }
    out->bytes = (double)plim_context_bytes(context) - before;
    fsi_close(&scene);
    return status;
}

PlimStatus bench_settle(const BenchOptions *options) {
    static const int counts[] = {5, 50};
    static const double viscosities[] = {0, 0.1, 10};
    int cells = options->quick ? 32 : 64;
    double until = options->quick ? 0.5 : 3; /* s: until heaps lie, nearly */
    for (int v = 0; v < 3; v++) {
        double few = 0;
        for (int c = 0; c < 2; c++) {
            char text[4096], variant[200];
            Settled found;
            snprintf(text, sizeof text, settle, counts[c], viscosities[v], cells);
            TRY(run(options->context, text, until, &found));
            double seconds = found.seconds / found.steps;
            if (c == 0) few = seconds;
            snprintf(variant, sizeof variant,
                     "%g Pa s, %d cells, %g s: %d steps of %.3g s, of it solves and contact %.3g "
                     "s, %.2f of "
                     "that with %d bodies; %.3g half-step iterations, %.2g turns",
                     viscosities[v], cells, until, found.steps, found.step / found.steps, seconds,
                     seconds / few, counts[0], found.half_iterations / found.steps,
                     found.rounds / found.steps);
            BenchResult line = {.name = "settle",
                                .variant = variant,
                                .n = (size_t)counts[c],
                                .seconds = seconds,
                                .work = (double)cells * cells,
                                .unit = "cells",
                                .iterations = (uint64_t)(found.iterations / found.steps + 0.5),
                                .bytes = found.bytes};
            bench_print(options, &line);
        }
    }
    return PLIM_OK;
}
