/* Many boxes of four cells in a full tank: how the coupled solve grows with them. */
#include "bench/fsi_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 200000 };

typedef struct Tank {
    int cells, bodies;
    double viscosity, density; /* Pa s; of the boxes over the fluid's */
} Tank;

typedef struct Grown {
    double seconds, bytes; /* of the two solves of a step; held by the world */
    double iterations;
} Grown;

/* Boxes spread over a lattice of 9.6 cells, a little off the grid, none like another. */
static void write_bodies(const Tank *tank, char *text) {
    int side = tank->cells * 10 / 96, places = side * side * side;
    double h = 1.0 / tank->cells, pitch = 1.0 / side;
    size_t used = (size_t)snprintf(text, MOST_TEXT, "rigid:\n  bodies:\n");
    for (int b = 0; b < tank->bodies; b++) {
        int place = (int)((double)b * places / tank->bodies);
        double x = place % side + 0.5, y = place / side % side + 0.5;
        double z = place / (side * side) + 0.5;
        used += (size_t)snprintf(
            text + used, MOST_TEXT - used,
            "    - {name: b%d, shape: {box: {size: [%g, %g, %g]}}, density: %g, "
            "position: [%.6f, %.6f, %.6f]}\n",
            b, 4 * h, 4 * h, 4 * h, 1000 * tank->density, x * pitch + 0.1 * h * (b % 7) / 7,
            y * pitch + 0.1 * h * (b % 5) / 5, z * pitch + 0.1 * h * (b % 3) / 3);
    }
}

static PlimStatus run(PlimContext *context, const char *text, Grown *out) {
    FsiScene scene = {.dim = 3};
    double before = (double)plim_context_bytes(context);
    PlimStatus status =
        plim_scene_parse(context, "bench", text, strlen(text), NULL, 0, &scene.scene);
    if (status == PLIM_OK) status = plim_scene_create_world(scene.scene, &scene.world);
    *out = (Grown){.seconds = HUGE_VAL};
    for (int i = 0; i < 3 && status == PLIM_OK; i++) {
        status = plim_world_step(scene.world, 0.005);
        if (status != PLIM_OK || i == 0) continue; /* the first step warms up */
        const double *seconds = scene.world->stage_seconds;
        out->seconds =
            fmin(out->seconds, seconds[STAGE_SOLVE_POSITIONS] + seconds[STAGE_SOLVE_VELOCITIES]);
        status = plim_world_measure(scene.world);
        out->iterations = diagnostics_get(&scene.world->diagnostics, "solve.coupled.iterations");
    }
    out->bytes = (double)plim_context_bytes(context) - before;
    fsi_close(&scene);
    return status;
}

static PlimStatus measure(const BenchOptions *options, const Tank *tank, Grown *out) {
    char *bodies = malloc(MOST_TEXT), *text = malloc(MOST_TEXT + 500);
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    if (bodies && text) {
        bodies[0] = '\0';
        if (tank->bodies > 0) write_bodies(tank, bodies);
        snprintf(text, MOST_TEXT + 500,
                 "plimsoll: 1\ncoupling: {solver: monolithic}\nfluid:\n  cells: %d\n"
                 "  density: 1000\n  viscosity: %g\n%s",
                 tank->cells, tank->viscosity, bodies);
        status = run(options->context, text, out);
    }
    free(bodies);
    free(text);
    return status;
}

PlimStatus fsi_many(const BenchOptions *options) {
    static const double densities[] = {0.5, 0.1};
    static const int counts[] = {0, 10, 100, 1000};
    for (int d = 0; d < 2; d++)
        for (int viscous = 0; viscous < 2; viscous++) {
            Grown empty = {0}, last = {0};
            for (int i = 0; i < (options->quick ? 3 : 4); i++) {
                Tank tank = {options->quick ? 48 : 96, counts[i], viscous ? 0.01 : 0, densities[d]};
                Grown grown;
                char variant[160];
                TRY(measure(options, &tank, &grown));
                if (i == 0) empty = grown;
                double seconds = grown.seconds - empty.seconds, bytes = grown.bytes - empty.bytes;
                if (i > 0) {
                    snprintf(variant, sizeof variant,
                             "boxes of 4 cells, %g of the density, %d^3 %s; beyond the empty tank: "
                             "%.3g s, %.3g MB; exponents %.2f, %.2f",
                             densities[d], tank.cells, viscous ? "viscous" : "inviscid", seconds,
                             bytes * 1e-6, i > 1 ? log10(seconds / last.seconds) : 0,
                             i > 1 ? log10(bytes / last.bytes) : 0);
                    BenchResult line = {.name = "fsi",
                                        .variant = variant,
                                        .n = (size_t)counts[i],
                                        .seconds = grown.seconds,
                                        .work = counts[i],
                                        .unit = "bodies",
                                        .iterations = (uint64_t)grown.iterations,
                                        .bytes = grown.bytes};
                    bench_print(options, &line);
                }
                last = (Grown){seconds, bytes, grown.iterations};
            }
        }
    return PLIM_OK;
}
