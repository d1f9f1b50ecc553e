/* Steps of a splashing dam break: seconds a step by phase, as in 001 table 3.2, particles a second,
 * memory of a particle. */
#include "bench/bench.h"

#include "splash/internal.h"
#include "world/domains.h"

/* A cube of 1 m; the column is 0.4 m wide and 0.5 m high and reaches from back to front. */
static PlimStatus make_world(PlimContext *context, int n, SplashIncompressibility kind,
                             PlimWorld **out) {
    PlimWorldDesc world = plim_world_desc_default();
    TRY(plim_world_create(context, &world, out));
    Solid column = solid_default(SOLID_BOX);
    column.size[0] = 0.8;
    column.size[1] = 1;
    column.size[2] = 4; /* about the corner: what is outside does not count */
    SplashLiquid liquid = {.name = "column", .solid = &column};
    SplashDesc desc = splash_desc_default();
    desc.grid = (Grid){.dim = 3, .n = {n, n, n}, .spacing = 1.0 / n};
    desc.incompressibility = kind;
    /* What such solvers usually take. */
    if (kind == SPLASH_BILATERAL) desc.cfl = 5;
    desc.liquids = &liquid;
    desc.liquid_count = 1;
    TRY(world_add_splash(*out, NULL, &desc));
    return world_refresh(*out);
}

static void print_row(const BenchOptions *options, const PlimWorld *world, const char *variant,
                      double seconds, double iterations, double steps_a_frame) {
    const Splash *splash = splash_of(world);
    double particles = (double)splash->sizes[SPLASH_GROUP_PARTICLES].count;
    const BenchFigure figures[] = {{"cells", (double)grid_cell_count(&splash->grid)},
                                   {"steps_a_frame", steps_a_frame}};
    BenchResult result = {.name = "splash",
                          .variant = variant,
                          .n = (size_t)splash->grid.n[0],
                          .seconds = seconds,
                          .work = particles,
                          .unit = "particle steps",
                          .iterations = (uint64_t)(iterations + 0.5),
                          .bytes = splash_bytes_per_particle(&splash->desc),
                          .figures = figures,
                          .figure_count = sizeof figures / sizeof *figures};
    bench_print(options, &result);
}

/* Frames of 1/24 s in which the column falls and runs out. */
static PlimStatus run_frames(const BenchOptions *options, PlimWorld *world, bool classic) {
    static const char *const phases[2][SPLASH_WALL_COUNT] = {
        {"unilateral: rasterize", "unilateral: solve", "unilateral: extrapolate",
         "unilateral: particles", "unilateral: correct", "unilateral: sort"},
        {"bilateral: rasterize", "bilateral: solve", "bilateral: extrapolate",
         "bilateral: particles", "bilateral: correct", "bilateral: sort"}};
    int first = options->quick ? 1 : 4, last = options->quick ? 2 : 8;
    double wall[SPLASH_WALL_COUNT] = {0}, all = 0, steps = 0, iterations = 0;
    for (int frame = 1; frame <= last; frame++) do {
            TRY(plim_world_substep(world, frame / 24.0));
            if (frame <= first) continue;
            steps++;
            TRY(plim_world_measure(world));
            iterations += diagnostics_get(&world->diagnostics, "solve.pressure.iterations");
            for (int part = 0; part < SPLASH_WALL_COUNT; part++) {
                wall[part] += splash_of(world)->wall[part];
                all += splash_of(world)->wall[part];
            }
        } while (plim_world_time(world) < frame / 24.0);
    double a_frame = steps / (last - first);
    for (int part = 0; part < SPLASH_WALL_COUNT; part++)
        print_row(options, world, phases[classic][part], wall[part] / steps,
                  part == SPLASH_WALL_SOLVE ? iterations / steps : 0, a_frame);
    print_row(options, world, classic ? "bilateral: step" : "unilateral: step", all / steps,
              iterations / steps, a_frame);
    return PLIM_OK;
}

PlimStatus bench_splash(const BenchOptions *options) {
    static const int sizes[] = {32, 64, 100};
    PlimStatus status = PLIM_OK;
    for (int i = 0; status == PLIM_OK && i < (options->quick ? 1 : 3); i++)
        for (int classic = 0; status == PLIM_OK && classic < 2; classic++) {
            PlimWorld *world = NULL;
            status =
                make_world(options->context, sizes[i], (SplashIncompressibility)classic, &world);
            if (status == PLIM_OK) status = run_frames(options, world, classic == 1);
            plim_world_destroy(world);
        }
    return status;
}
