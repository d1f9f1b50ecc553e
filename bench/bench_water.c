/* Steps of a dam break: seconds a step by phase, particles moved in a second, memory of cells and
 * of particles. */
#include "bench/bench.h"

#include "fluid/internal.h"
#include "grid/level_surface.h"
#include "world/domains.h"

/* A cube of 1 m; the column is 0.4 m wide and 0.5 m high and reaches from back to front. */
static PlimStatus make_world(PlimContext *context, int n, const Solid *column, PlimWorld **out) {
    PlimWorldDesc world = plim_world_desc_default();
    TRY(plim_world_create(context, &world, out));
    FluidDesc desc = fluid_desc_default();
    desc.grid = (Grid){.dim = 3, .n = {n, n, n}, .spacing = 1.0 / n};
    desc.cfl = 2;
    desc.liquid.is_there = true;
    desc.liquid.shape = column;
    desc.liquid.particles.per_cell = 16;
    desc.liquid.particles.escape = 0.02; /* as in scenes */
    TRY(world_add_fluid(*out, NULL, &desc));
    return world_refresh(*out);
}

static Solid make_column(void) {
    Solid column = solid_default(SOLID_BOX);
    column.size[0] = 0.8;
    column.size[1] = 1;
    column.size[2] = 4; /* about the corner: what is outside does not count */
    return column;
}

typedef struct Bytes {
    double cell, particle;
} Bytes;

static Bytes find_bytes(const PlimWorld *world) {
    enum { STATE = 4 * sizeof(double) + sizeof(int32_t) }; /* place, radius, sign */
    const StateSize *size = &fluid_of(world)->sizes[FLUID_GROUP_PARTICLES];
    double held = (double)STATE * (double)size->capacity;
    double cells = (double)grid_cell_count(&fluid_of(world)->grid);
    return (Bytes){((double)plim_context_bytes(world->context) - held) / cells,
                   size->count > 0 ? held / (double)size->count : 0};
}

static void print_row(const BenchOptions *options, const PlimWorld *world, const char *variant,
                      double seconds, double iterations) {
    const Fluid *fluid = fluid_of(world);
    double particles = (double)fluid->sizes[FLUID_GROUP_PARTICLES].count;
    Bytes bytes = find_bytes(world);
    const BenchFigure figures[] = {{"particles", particles},
                                   {"liquid_cells", (double)fluid->cut.fluid_cells},
                                   {"bytes_a_particle", bytes.particle}};
    BenchResult result = {.name = "water",
                          .variant = variant,
                          .n = (size_t)fluid->grid.n[0],
                          .seconds = seconds,
                          .work = (double)grid_cell_count(&fluid->grid),
                          .unit = "cell steps",
                          .iterations = (uint64_t)(iterations + 0.5),
                          .bytes = bytes.cell,
                          .figures = figures,
                          .figure_count = sizeof figures / sizeof *figures};
    bench_print(options, &result);
}

/* The mean of some steps once the column has begun to fall. */
static PlimStatus run_steps(const BenchOptions *options, PlimWorld *world) {
    int first = options->quick ? 3 : 10, measured = options->quick ? 3 : 10;
    double carried = 0, solved = 0, iterations = 0;
    for (int i = 0; i < first + measured; i++) {
        StepInfo now = world_step_info(world, 0);
        TRY(plim_world_step(world, fluid_class.max_dt(fluid_of(world), &now)));
        if (i < first) continue;
        carried += world->stage_seconds[STAGE_ADVECT];
        solved += world->stage_seconds[STAGE_SOLVE_VELOCITIES];
        TRY(plim_world_measure(world));
        iterations += diagnostics_get(&world->diagnostics, "solve.pressure.iterations");
    }
    print_row(options, world, "step", (carried + solved) / measured, iterations / measured);
    print_row(options, world, "advect", carried / measured, 0);
    print_row(options, world, "pressure", solved / measured, iterations / measured);
    return PLIM_OK;
}

static PlimStatus move_particles(void *user) {
    PlimWorld *world = user;
    const Fluid *fluid = fluid_of(world);
    const GridField *velocity[3] = {&fluid->advect.faces[0], &fluid->advect.faces[1],
                                    &fluid->advect.faces[2]};
    StepInfo step = world_step_info(world, 1e-9); /* the same work, and the same places after it */
    LevelParticles sets[2];
    ParticleLevelSet set = fluid_particles(fluid_of(world), &step, sets);
    return particles_move(&set, velocity, step.dt);
}

static PlimStatus run_particles(const BenchOptions *options, PlimWorld *world) {
    PlimStatus status;
    double seconds = bench_time(options, move_particles, world, &status);
    BenchResult result = {.name = "water",
                          .variant = "particles moved",
                          .n = (size_t)fluid_of(world)->grid.n[0],
                          .seconds = seconds,
                          .work = (double)fluid_of(world)->sizes[FLUID_GROUP_PARTICLES].count,
                          .unit = "particles",
                          .bytes = find_bytes(world).particle};
    bench_print(options, &result);
    return status;
}

static PlimStatus extract_surface(void *user) {
    PlimWorld *world = user;
    TriangleMesh mesh;
    TRY(level_surface_extract(world->context, &fluid_of(world)->liquid.phi, NULL, 0, &mesh));
    mesh_free(world->context, &mesh);
    return PLIM_OK;
}

static PlimStatus run_surface(const BenchOptions *options, PlimWorld *world) {
    TriangleMesh mesh;
    TRY(level_surface_extract(world->context, &fluid_of(world)->liquid.phi, NULL, 0, &mesh));
    PlimStatus status;
    BenchResult result = {.name = "water",
                          .variant = "surface",
                          .n = (size_t)fluid_of(world)->grid.n[0],
                          .work = (double)mesh.triangle_count,
                          .unit = "triangles"};
    mesh_free(world->context, &mesh);
    result.seconds = bench_time(options, extract_surface, world, &status);
    bench_print(options, &result);
    return status;
}

PlimStatus bench_water(const BenchOptions *options) {
    static const int sizes[] = {64, 96, 128, 192};
    const Solid column = make_column();
    int count = options->quick ? 1 : options->whole_runs ? 4 : 3;
    PlimStatus status = PLIM_OK;
    for (int i = 0; status == PLIM_OK && i < count; i++) {
        PlimWorld *world = NULL;
        status = make_world(options->context, sizes[i], &column, &world);
        if (status == PLIM_OK) status = run_steps(options, world);
        if (status == PLIM_OK) status = run_particles(options, world);
        if (status == PLIM_OK) status = run_surface(options, world);
        plim_world_destroy(world);
    }
    return status;
}
