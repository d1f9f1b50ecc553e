/* Cloth: steps of a sheet that lies over a ball in folds, with all collisions. The work is in
 * triangles; the implicit solve and the collisions of meshes are timed apart. */
#include "bench/bench.h"

#include "base/clock.h"
#include "plimsoll/scene.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/* Folds run down from the ball; they are as many for all sizes. */
static const char cloth_text[] =
    "plimsoll: 1\n"
    "name: cloth\n"
    "params: {n: %d, R: 0.3}\n"
    "rigid:\n"
    "  bodies:\n"
    "    - {name: ball, shape: {ball: {radius: \"=R\"}}, motion: static}\n"
    "deformable:\n"
    "  integrator: backward_euler\n"
    "  iterations: 2\n"
    "  bodies:\n"
    "    - name: cloth\n"
    "      sheet: {size: [1.6, 1.6], cells: [\"=n\", \"=n\"]}\n"
    "      fabric: cotton\n"
    "      damping: 0.01\n"
    "      start:\n"
    "        - \"=x*(0.6 + 0.4/(1 + 4*(x^2 + z^2)))\"\n"
    "        - \"=R + 0.02 - 0.8*(x^2 + z^2)/(0.3 + sqrt(x^2 + z^2)) + 0.03*cos(30*x)*cos(30*z)\"\n"
    "        - \"=z*(0.6 + 0.4/(1 + 4*(x^2 + z^2)))\"\n";

static PlimStatus measure_steps(const BenchOptions *options, PlimWorld *world, int n) {
    enum { WARM = 2, STEPS = 4 };
    const double dt = 1.0 / 120;
    double seconds = 0, solve = 0, move = 0;
    for (int i = 0; i < WARM + STEPS; i++) {
        double before = clock_seconds();
        TRY(plim_world_step(world, dt));
        if (i < WARM) continue;
        seconds += clock_seconds() - before;
        solve += world->stage_seconds[STAGE_SOLVE_POSITIONS];
        move += world->stage_seconds[STAGE_MOVE];
    }
    BenchFigure figures[] = {{"solve", solve / STEPS},
                             {"collisions", move / STEPS},
                             {"frame", seconds / STEPS * 5}}; /* of 1/24 s */
    BenchResult line = {.name = "cloth",
                        .variant = "step of 1/120 s over a ball",
                        .n = (size_t)(2 * n * n),
                        .seconds = seconds / STEPS,
                        .work = 2.0 * n * n,
                        .unit = "triangle steps",
                        .bytes = (double)plim_context_bytes(options->context),
                        .figures = figures,
                        .figure_count = 3};
    bench_print(options, &line);
    return PLIM_OK;
}

static PlimStatus measure(const BenchOptions *options, int n) {
    PlimScene *scene = NULL;
    PlimWorld *world = NULL;
    char text[sizeof cloth_text + 16];
    snprintf(text, sizeof text, cloth_text, n);
    PlimStatus status =
        plim_scene_parse(options->context, "bench", text, strlen(text), NULL, 0, &scene);
    if (status == PLIM_OK) status = plim_scene_create_world(scene, &world);
    if (status == PLIM_OK) status = measure_steps(options, world, n);
    plim_world_destroy(world);
    if (scene) plim_scene_destroy(scene);
    return status;
}

PlimStatus bench_cloth(const BenchOptions *options) {
    static const int cells[] = {50, 122, 245};
    for (int i = 0; i < (options->quick ? 1 : 3); i++) TRY(measure(options, cells[i]));
    return PLIM_OK;
}
