/* Finite elements: forces and stiffness of neo-Hookean balls, an implicit step of one that hangs
 * by its top, and explicit steps. The work is in tetrahedra; `cpu` is processor time. */
#include "bench/bench.h"

#include "base/clock.h"
#include "deform/internal.h"
#include "geom/tet/tet_mesh.h"
#include "world/world.h"

#include <time.h>

static const double radius = 0.5, young = 5e4, poisson = 0.4, implicit_dt = 1.0 / 96;

typedef struct FemBench {
    PlimWorld *world;
    Deform *deform; /* in the world */
    double *x;      /* m, bent */
    double *force;
    StepInfo step;
    double cpu; /* s, of all threads, least of the repetitions: steadier on a busy machine */
} FemBench;

/* ---- a ball ---- */

/* Arrays of a body that starts at rest. */
static PlimStatus add_ball(PlimContext *context, Deform *d, const TetMesh *mesh) {
    int32_t(*faces)[3], *held = NULL;
    size_t face_count, held_count = 0, count = mesh->vertex_count, ball;
    TRY(tet_mesh_surface_faces(context, mesh, &faces, &face_count));
    Vec3 *still = context_allocate(context, count, sizeof *still);
    held = context_allocate(context, count, sizeof *held);
    PlimStatus status = still && held ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; status == PLIM_OK && i < count; i++) {
        still[i] = vec3(0, 0, 0);
        if (mesh->vertices[i].y > 0.9 * radius) held[held_count++] = (int32_t)i;
    }
    DeformBodyDesc body = {.name = "ball",
                           .node_count = count,
                           .element_count = mesh->tet_count,
                           .face_count = face_count,
                           .rest = mesh->vertices,
                           .position = mesh->vertices,
                           .velocity = still,
                           .elements = (const int32_t(*)[4])mesh->tets,
                           .faces = (const int32_t(*)[3])faces,
                           .density = 1000,
                           .has_law = true,
                           .law = law_from_young(LAW_NEO_HOOKEAN, 3, young, poisson)};
    if (status == PLIM_OK) status = deform_add_body(d, &body, &ball);
    DeformPinDesc pin = {.name = "top",
                         .body = 0,
                         .nodes = held,
                         .node_count = held_count,
                         .axes = {true, true, true}};
    if (status == PLIM_OK) status = deform_add_pin(d, &pin);
    context_free(context, held, count, sizeof *held);
    context_free(context, still, count, sizeof *still);
    context_free(context, faces, face_count, sizeof *faces);
    return status;
}

static void close_bench(PlimContext *context, FemBench *bench) {
    size_t values = bench->deform ? 3 * deform_count(bench->deform, DEFORM_NODES) : 0;
    context_free(context, bench->x, values, sizeof *bench->x);
    context_free(context, bench->force, values, sizeof *bench->force);
    plim_world_destroy(bench->world);
}

/* The world owns the deformable solids once they are in it. */
static PlimStatus add_solids(PlimContext *context, DeformIntegrator integrator, const TetMesh *mesh,
                             FemBench *bench) {
    DeformOptions options = deform_options_default(3);
    options.integrator = integrator;
    Deform *d;
    TRY(deform_create(context, &options, &d));
    PlimStatus status = add_ball(context, d, mesh);
    if (status == PLIM_OK) status = deform_finish(d);
    if (status != PLIM_OK) {
        deform_class.destroy(d);
        return status;
    }
    TRY(world_add_system(bench->world, NULL, &deform_class, d, ORDER_SOLIDS + 1));
    bench->deform = d;
    return world_refresh(bench->world);
}

static PlimStatus open_bench(PlimContext *context, DeformIntegrator integrator, const TetMesh *mesh,
                             FemBench *bench) {
    *bench = (FemBench){0};
    PlimWorldDesc world = plim_world_desc_default();
    TRY(plim_world_create(context, &world, &bench->world));
    TRY(add_solids(context, integrator, mesh, bench));
    size_t values = 3 * deform_count(bench->deform, DEFORM_NODES);
    bench->x = context_allocate(context, values, sizeof *bench->x);
    bench->force = context_allocate(context, values, sizeof *bench->force);
    if (!bench->x || !bench->force) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < values; i++) {
        double x = bench->deform->position[i];
        bench->x[i] = x + 0.02 * sin(7 * bench->deform->position[i / 3 * 3]) + 0.05 * x;
    }
    bench->step = world_step_info(bench->world, implicit_dt);
    return PLIM_OK;
}

/* ---- what is measured ---- */

static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void note_cpu(FemBench *bench, double before) {
    bench->cpu = fmin(bench->cpu, cpu_seconds() - before);
}

static PlimStatus run_forces(void *user) {
    FemBench *bench = user;
    double before = cpu_seconds();
    ForceParts parts = {.x = bench->x, .elastic = true};
    TRY(deform_forces(bench->deform, &bench->step, &parts, bench->force, NULL));
    note_cpu(bench, before);
    return PLIM_OK;
}

static PlimStatus run_assembly(void *user) {
    FemBench *bench = user;
    double before = cpu_seconds();
    MatrixParts parts = {.x = bench->x,
                         .v = bench->deform->velocity,
                         .mass = 1,
                         .elastic = 0.25 * implicit_dt * implicit_dt,
                         .damping = 0.5 * implicit_dt};
    TRY(deform_assemble(bench->deform, &bench->step, &parts));
    note_cpu(bench, before);
    return PLIM_OK;
}

static void print_case(const BenchOptions *options, const char *variant, const FemBench *bench,
                       BenchResult line) {
    size_t tets = deform_count(bench->deform, DEFORM_ELEMENTS);
    line.name = "fem";
    line.variant = variant;
    line.n = tets;
    line.work = (double)tets;
    line.bytes = (double)plim_context_bytes(options->context);
    bench_print(options, &line);
}

static PlimStatus run_step(void *user) {
    FemBench *bench = user;
    double before = cpu_seconds();
    TRY(plim_world_step(bench->world, bench->step.dt));
    note_cpu(bench, before);
    return PLIM_OK;
}

static PlimStatus measure_part(const BenchOptions *options, FemBench *bench, const char *variant,
                               PlimStatus (*run)(void *user)) {
    PlimStatus status;
    bench->cpu = HUGE_VAL;
    BenchResult line = {.unit = "tets", .seconds = bench_time(options, run, bench, &status)};
    TRY(status);
    BenchFigure figure = {"cpu", bench->cpu};
    line.figures = &figure;
    line.figure_count = 1;
    print_case(options, variant, bench, line);
    return PLIM_OK;
}

/* The first step makes what later ones use again; the mean of two that follow. */
static PlimStatus measure_implicit_steps(const BenchOptions *options, FemBench *bench) {
    enum { STEPS = 2 };
    double seconds = 0, cpu = 0, newton = 0, iterations = 0;
    for (int i = 0; i <= STEPS; i++) {
        double before = clock_seconds(), cpu_before = cpu_seconds();
        TRY(plim_world_step(bench->world, implicit_dt));
        if (i == 0) continue;
        seconds += clock_seconds() - before;
        cpu += cpu_seconds() - cpu_before;
        newton += bench->deform->figures.newton;
        iterations += bench->deform->figures.iterations;
    }
    BenchFigure figures[] = {
        {"cpu", cpu / STEPS}, {"newton", newton / STEPS}, {"cg", iterations / STEPS}};
    BenchResult line = {.seconds = seconds / STEPS,
                        .unit = "tet steps",
                        .iterations = (uint64_t)(iterations / STEPS + 0.5),
                        .figures = figures,
                        .figure_count = 3};
    print_case(options, "implicit midpoint, dt 1/96 s", bench, line);
    return PLIM_OK;
}

static PlimStatus measure_implicit(const BenchOptions *options, const TetMesh *mesh) {
    FemBench bench;
    PlimStatus status = open_bench(options->context, DEFORM_MIDPOINT, mesh, &bench);
    if (status == PLIM_OK) status = measure_part(options, &bench, "forces", run_forces);
    if (status == PLIM_OK) status = measure_part(options, &bench, "assembly", run_assembly);
    if (status == PLIM_OK) status = measure_implicit_steps(options, &bench);
    close_bench(options->context, &bench);
    return status;
}

static PlimStatus measure_explicit(const BenchOptions *options, const TetMesh *mesh) {
    FemBench bench;
    PlimStatus status = open_bench(options->context, DEFORM_NEWMARK, mesh, &bench);
    if (status == PLIM_OK) {
        bench.cpu = HUGE_VAL;
        bench.step.dt = deform_max_dt(bench.deform, &bench.step);
        double seconds = bench_time(options, run_step, &bench, &status);
        BenchFigure figures[] = {
            {"cpu", bench.cpu}, {"dt", bench.step.dt}, {"steps_per_second", 1 / seconds}};
        print_case(
            options, "newmark step", &bench,
            (BenchResult){
                .seconds = seconds, .unit = "tet steps", .figures = figures, .figure_count = 3});
    }
    close_bench(options->context, &bench);
    return status;
}

/* With one thread and with all. */
static PlimStatus measure_ball(const BenchOptions *options, double spacing) {
    PlimContext *context = options->context;
    int threads = context->threads;
    TetMesh mesh;
    TRY(tet_mesh_ball(context, radius, spacing, &mesh));
    PlimStatus status = PLIM_OK;
    for (int pass = threads > 1 ? 0 : 1; status == PLIM_OK && pass < 2; pass++) {
        context->threads = pass == 0 ? 1 : threads;
        status = measure_implicit(options, &mesh);
        if (status == PLIM_OK) status = measure_explicit(options, &mesh);
    }
    context->threads = threads;
    tet_mesh_free(context, &mesh);
    return status;
}

PlimStatus bench_fem(const BenchOptions *options) {
    static const double spacings[] = {0.082, 0.04, 0.0235};
    for (int i = 0; i < (options->quick ? 1 : 3); i++) TRY(measure_ball(options, spacings[i]));
    return PLIM_OK;
}
