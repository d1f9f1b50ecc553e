/* Steps of a plume of smoke: seconds a step by phase, and how they grow with the cells. */
#include "bench/bench.h"

#include "world/domains.h"

/* A hot spot on the floor of a box that is open at the top. */
static PlimStatus make_world(PlimContext *context, int n, PlimWorld **out) {
    PlimWorldDesc world = plim_world_desc_default();
    TRY(plim_world_create(context, &world, out));
    FluidSource fire = {.name = "fire",
                        .solid = solid_default(SOLID_BALL),
                        .sets_smoke = true,
                        .sets_temperature = true,
                        .smoke = {.constant = 1},
                        .temperature = {.constant = 1}};
    fire.solid.radius = 0.12;
    fire.solid.position = vec3(0.5, 0.15, 0.5);
    FluidDesc desc = fluid_desc_default();
    desc.grid = (Grid){.dim = 3, .n = {n, n, n}, .spacing = 1.0 / n};
    desc.grid.sides[1][1] = SIDE_OPEN;
    desc.density = 1.2;
    desc.smoke.is_there = true;
    desc.smoke.buoyancy = 4;
    desc.cfl = 2;
    desc.sources = &fire;
    desc.source_count = 1;
    TRY(world_add_fluid(*out, NULL, &desc));
    return world_refresh(*out);
}

static void print_phase(const BenchOptions *options, const char *variant, int n, double seconds,
                        double iterations, double bytes) {
    double cells = (double)n * n * n;
    BenchResult result = {.name = "smoke",
                          .variant = variant,
                          .n = (size_t)n,
                          .seconds = seconds,
                          .work = cells,
                          .unit = "cell steps",
                          .iterations = (uint64_t)(iterations + 0.5),
                          .bytes = bytes / cells};
    bench_print(options, &result);
}

/* The plume needs some steps to be one; then the mean of some more. */
static PlimStatus run_steps(const BenchOptions *options, PlimWorld *world, int n) {
    int first = options->quick ? 2 : 8, measured = options->quick ? 2 : 8;
    double carried = 0, solved = 0, iterations = 0;
    for (int i = 0; i < first + measured; i++) {
        TRY(plim_world_step(world, 1.5 / n));
        if (i < first) continue;
        carried += world->stage_seconds[STAGE_ADVECT];
        solved += world->stage_seconds[STAGE_SOLVE_VELOCITIES];
        TRY(plim_world_measure(world));
        iterations += diagnostics_get(&world->diagnostics, "solve.pressure.iterations");
    }
    double bytes = (double)plim_context_bytes(options->context);
    print_phase(options, "step", n, (carried + solved) / measured, iterations / measured, bytes);
    print_phase(options, "advect", n, carried / measured, 0, 0);
    print_phase(options, "pressure", n, solved / measured, iterations / measured, 0);
    return PLIM_OK;
}

PlimStatus bench_smoke(const BenchOptions *options) {
    PlimStatus status = PLIM_OK;
    for (int n = 64; status == PLIM_OK && n <= (options->quick ? 64 : 256); n *= 2) {
        PlimWorld *world = NULL;
        status = make_world(options->context, n, &world);
        if (status == PLIM_OK) status = run_steps(options, world, n);
        plim_world_destroy(world);
    }
    return status;
}
