/* Scenes with a splashing liquid: what becomes of its keys, and what is refused. */
#include "bad_scene.h"
#include "scene_fixture.h"

#include "scene/scene.h"
#include "splash/internal.h"
#include "world/domains.h"

enum { LOG_CAPACITY = 4096 };

static void keep_log(void *user, PlimLogLevel level, const char *text) {
    char *log = user;
    (void)level;
    size_t used = strlen(log);
    snprintf(log + used, LOG_CAPACITY - used, "%s\n", text);
}

/* `log` gets all messages, one after the other. */
static Fixture open_logged(const char *text, char log[LOG_CAPACITY]) {
    PlimContextDesc desc = plim_context_desc_default();
    desc.threads = 2;
    desc.log = keep_log;
    desc.log_user = log;
    log[0] = '\0';
    PlimContext *context = NULL;
    assert_int_equal(plim_context_create(&desc, &context), PLIM_OK);
    return open_in(context, text);
}

#define START   "plimsoll: 1\nsplash:\n  cells: 8\n"
#define HALF    "{name: half, shape: {box: {size: [4, 1, 4]}}}" /* up to y = 0.5 */
#define POOL    START "  liquids: [" HALF "]\n"
#define BALL_AT "shape: {ball: {radius: 0.2}}, position: [0.5, 0.75, 0.5]"

/* ---- what is read ---- */

/* The defaults of the tables are those of the descriptor. */
static void test_defaults(void **state) {
    (void)state;
    Fixture f = open_scene("plimsoll: 1\ndim: 2\nseed: 7\nsplash:\n  liquids: [" HALF "]\n");
    SplashDesc expected = splash_desc_default(), *desc = &expected;
    const SplashDesc *read = &splash_of(f.world)->desc;
    assert_int_equal(read->grid.n[0], 64);
    assert_close(read->grid.spacing, 1.0 / 64, 0);
    assert_int_equal(read->seed, 7);
    assert_close(read->density, desc->density, 0);
    assert_int_equal(read->per_axis, desc->per_axis);
    assert_close(read->jitter, desc->jitter, 0);
    assert_int_equal(read->incompressibility, desc->incompressibility);
    assert_int_equal(read->transfer, desc->transfer);
    assert_close(read->flip, desc->flip, 0);
    assert_int_equal(read->path, desc->path);
    assert_int_equal(read->densities, desc->densities);
    assert_int_equal(read->fractions, desc->fractions);
    assert_close(read->air, desc->air, 0);
    assert_close(read->settling, desc->settling, 0);
    assert_int_equal(read->correct_density, desc->correct_density);
    assert_close(read->crowding, desc->crowding, 0);
    assert_int_equal(read->corrections, desc->corrections);
    assert_close(read->tolerance, desc->tolerance, 0);
    assert_int_equal(read->preconditioner, desc->preconditioner);
    assert_close(read->cfl, desc->cfl, 0);
    assert_int_equal(read->samples, desc->samples);
    assert_int_equal(read->extrapolation, desc->extrapolation);
    assert_int_equal(read->surface, desc->surface);
    assert_int_equal(read->all_particles, desc->all_particles);
    assert_close(read->surface_radius, desc->surface_radius, 0);
    assert_int_equal(read->surface_smoothing, desc->surface_smoothing);
    for (int c = 0; c < 3; c++) assert_close(read->absorption[c], desc->absorption[c], 0);
    check_written(&f);
    close_scene(&f);
}

static void check_options(const SplashDesc *desc) {
    assert_close(desc->density, 800, 0);
    assert_int_equal(desc->per_axis, 3);
    assert_close(desc->jitter, 0.5, 0);
    assert_int_equal(desc->incompressibility, SPLASH_BILATERAL);
    assert_int_equal(desc->transfer, SPLASH_APIC);
    assert_close(desc->flip, 0.5, 0);
    assert_int_equal(desc->path, SPLASH_EULER);
    assert_int_equal(desc->densities, SPLASH_DENSITY_MATRIX);
    assert_int_equal(desc->fractions, SPLASH_FRACTION_RIGHT);
    assert_close(desc->air, 0.25, 0);
    assert_close(desc->settling, 0.75, 0);
    assert_false(desc->correct_density);
    assert_close(desc->crowding, 0.01, 0);
    assert_int_equal(desc->corrections, 2);
    assert_close(desc->tolerance, 1e-6, 0);
    assert_int_equal(desc->preconditioner, POISSON_MIC0);
    assert_close(desc->cfl, 2, 0);
    assert_int_equal(desc->samples, 3);
    assert_int_equal(desc->extrapolation, 5);
    assert_true(!desc->surface && desc->all_particles);
    assert_close(desc->surface_radius, 1.5, 0);
    assert_int_equal(desc->surface_smoothing, 1);
    for (int c = 0; c < 3; c++) assert_close(desc->absorption[c], c + 1, 0);
}

static void test_options(void **state) {
    (void)state;
    Fixture f = open_scene("plimsoll: 1\ndim: 2\nparams: {kind: bilateral}\n"
                           "splash:\n"
                           "  domain: {low: [-1, 0, 5], high: [1, 1, 6]}\n"
                           "  cells: 16\n"
                           "  sides: {top: open, left: open}\n"
                           "  density: 800\n"
                           "  particles: 3\n"
                           "  jitter: 0.5\n"
                           "  incompressibility: \"=kind\"\n"
                           "  transfer: apic\n"
                           "  flip: 0.5\n"
                           "  path: euler\n"
                           "  densities: matrix\n"
                           "  fractions: right\n"
                           "  air: 0.25\n"
                           "  settling: 0.75\n"
                           "  correct_density: false\n"
                           "  crowding: 0.01\n"
                           "  corrections: 2\n"
                           "  tolerance: 1e-6\n"
                           "  preconditioner: mic0\n"
                           "  cfl: 2\n"
                           "  samples: 3\n"
                           "  extrapolation: 5\n"
                           "  surface: {mesh: false, particles: true, radius: 1.5, smoothing: 1, "
                           "absorption: [1, 2, 3]}\n"
                           "  liquids: [" HALF "]\n");
    check_options(&splash_of(f.world)->desc);
    const Grid *grid = &splash_of(f.world)->desc.grid;
    assert_int_equal(grid->dim, 2);
    assert_true(grid->n[0] == 16 && grid->n[1] == 8 && grid->n[2] == 1);
    assert_close(grid->origin.x, -1, 0);
    assert_close(grid->origin.z, 0, 0);
    const SideKind expected[2][2] = {{SIDE_OPEN, SIDE_WALL}, {SIDE_WALL, SIDE_OPEN}};
    for (int axis = 0; axis < 2; axis++)
        for (int end = 0; end < 2; end++)
            assert_int_equal(grid->sides[axis][end], expected[axis][end]);
    /* 16 x 4 cells of 9 particles. */
    assert_int_equal(splash_of(f.world)->sizes[SPLASH_GROUP_PARTICLES].count, 16 * 4 * 9);
    check_written(&f);
    close_scene(&f);
}

static void test_lists(void **state) {
    (void)state;
    Fixture f = open_scene(
        START "  liquids:\n"
              "    - " HALF "\n"
              "    - {name: drop, " BALL_AT ", scale: 0.5, velocity: [0, \"=-1-x\", 2]}\n"
              "  obstacles:\n"
              "    - place: {shape: {box: {size: [0.25, 0.5, 9]}}, position: [0.5, 0, 0.5]}\n"
              "  sources:\n"
              "    - {name: tap, shape: {ball: {radius: 0.25}}, position: [0.5, 0.9, 0.5],\n"
              "       velocity: [0, -2, 0], rate: 10, runs: \"=t<1\"}\n"
              "    - {name: jet, shape: {ball: {radius: 0.25}}, position: [0.2, 0.6, 0.5],\n"
              "       velocity: [1, 0, 0]}\n"
              "  sinks:\n"
              "    - {name: drain, shape: {box: {size: [0.4, 0.4, 0.4]}}, position: [1, 0, 0.5]}\n"
              "  blasts:\n"
              "    - {name: bang, time: 0.5, center: [0.3, 0.3, 0.3], radius: 0.2, speed: 3}\n");
    const Splash *splash = splash_of(f.world);
    assert_int_equal(splash->mouths.count, 2);
    const SplashSource *tap = &splash->mouths.data[0].source;
    assert_string_equal(tap->name, "tap");
    assert_close(tap->center.y, 0.9, 0);
    assert_close(tap->velocity.y, -2, 0);
    assert_close(splash->mouths.data[0].rate, 10, 0);
    assert_close(field_function_at(&tap->runs, vec3(0, 0, 0), 0.5), 1, 0);
    assert_close(field_function_at(&tap->runs, vec3(0, 0, 0), 1.5), 0, 0);
    assert_close(splash->mouths.data[1].rate,
                 splash_mouth_rate(&splash->desc, &splash->mouths.data[1].source), 0);
    assert_int_equal(splash->sinks.count, 1);
    assert_string_equal(splash->sinks.data[0].name, "drain");
    assert_close(solid_distance(splash->sinks.data[0].solid, vec3(1, 0.3, 0.5)), 0.1, 1e-12);
    assert_int_equal(splash->blasts.count, 1);
    const SplashBlast *bang = splash->blasts.data;
    assert_close(bang->time, 0.5, 0);
    assert_close(bang->center.z, 0.3, 0);
    assert_close(bang->radius, 0.2, 0);
    assert_close(bang->speed, 3, 0);
    check_written(&f);
    close_scene(&f);
}

/* The drop's velocity is that of its place; the pool's is 0. */
static void test_velocities(void **state) {
    (void)state;
    Fixture f = open_scene(START "  liquids:\n"
                                 "    - " HALF "\n"
                                 "    - {name: drop, " BALL_AT ", velocity: [0, \"=-1-x\", 2]}\n");
    const Splash *splash = splash_of(f.world);
    size_t drops = 0;
    for (size_t p = 0; p < splash->sizes[SPLASH_GROUP_PARTICLES].count; p++) {
        bool is_drop = splash->position_y[p] > 0.5;
        drops += is_drop;
        assert_close(splash->velocity_y[p], is_drop ? -1 - splash->position_x[p] : 0, 1e-15);
        assert_close(splash->velocity_z[p], is_drop ? 2 : 0, 0);
    }
    double volume = (double)drops / 8 / 512, ball = 4.0 / 3 * 3.14159265 * 0.008;
    assert_close(volume, ball, 0.15 * ball);
    close_scene(&f);
}

/* Liquid that two claim is there once, and the log tells how much that is. */
static void test_overlap(void **state) {
    (void)state;
    char log[LOG_CAPACITY];
    Fixture f = open_logged(START "  liquids:\n"
                                  "    - " HALF "\n"
                                  "    - {name: more, shape: {box: {size: [4, 0.5, 4]}}}\n",
                            log);
    assert_int_equal(splash_of(f.world)->sizes[SPLASH_GROUP_PARTICLES].count, 8 * 4 * 8 * 8);
    assert_close(splash_overlap(splash_of(f.world)), 250, 1e-9);
    assert_non_null(strstr(log, "liquids of the splash overlap: 250 kg"));
    close_scene(&f);
}

static void test_probes(void **state) {
    (void)state;
    Fixture f =
        open_scene(POOL "probes:\n"
                        "  - {name: all, object: splash, quantities: [mass, center]}\n"
                        "  - {name: gauge, point: [0.3, 0.2, 0.6], quantities: [pressure]}\n");
    check_written(&f);
    double values[8];
    assert_int_equal(world_probe_value_count(f.world), 5);
    world_probe_values(f.world, values);
    const double expected[] = {500, 0.5, 0.25, 0.5};
    for (int i = 0; i < 4; i++) assert_close(values[i], expected[i], 1e-9);
    for (int s = 0; s < 4; s++) assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
    world_probe_values(f.world, values);
    assert_close(values[4], 1000 * 9.81 * 0.3, 1000); /* of a surface that is blurred over a cell */
    close_scene(&f);
}

/* Bodies of every motion are obstacles; one that forces move is pushed, unless it is told to go one
 * way alone, and walls hold it. */
static void test_bodies(void **state) {
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        int dim = 2 + variant % 2, kind = variant / 2;
        static const char *const more[] = {"", "coupling: {fluid: one_way}\n",
                                           "  incompressibility: bilateral\n"};
        char text[1024];
        snprintf(text, sizeof text,
                 POOL "%sdim: %d\n"
                      "rigid:\n"
                      "  bodies:\n"
                      "    - {name: post, shape: {box: {size: [0.25, 0.5, 9]}}, motion: static,\n"
                      "       position: [0.5, 0.1, 0.5]}\n"
                      "    - {name: paddle, shape: {ball: {radius: 0.2}}, motion: kinematic,\n"
                      "       position: [\"=0.2+t\", 0.7, 0]}\n"
                      "    - {name: crate, shape: {box: {size: [0.25, 0.25, 0.25]}},\n"
                      "       position: [0.75, 0.8, 0]}\n",
                 more[kind], dim);
        char log[LOG_CAPACITY];
        Fixture f = open_logged(text, log);
        assert_int_equal(splash_of(f.world)->colliders.list.count, 3);
        assert_int_equal(splash_of(f.world)->push.bodies.count, kind == 0);
        const char *told =
            strstr(log, "body 'crate' pushes the splashing liquid but does not feel");
        assert_true((told != NULL) == (kind > 0));
        const RigidBodies *rigid = f.world->rigid;
        assert_int_equal(rigid_surfaces.count(rigid), 3);
        assert_int_equal(rigid->still_surfaces.count, dim == 3 ? 6 : 4);
        assert_string_equal(rigid->still_surfaces.data[0].name, "left wall of the tank");
        check_written(&f);
        for (int s = 0; s < 3; s++) assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
        close_scene(&f);
    }
}

/* Only sources: there is nothing at the start. */
static void test_empty_start(void **state) {
    (void)state;
    Fixture f = open_scene(START "  sources: [{name: tap, " BALL_AT ", velocity: [0, -1, 0]}]\n");
    assert_int_equal(splash_of(f.world)->sizes[SPLASH_GROUP_PARTICLES].count, 0);
    for (int s = 0; s < 5; s++) assert_int_equal(plim_world_step(f.world, 0.02), PLIM_OK);
    assert_true(splash_of(f.world)->sizes[SPLASH_GROUP_PARTICLES].count > 40);
    close_scene(&f);
}

/* ---- what is refused ---- */

static void test_bad_values(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {POOL "  particles: 0\n", 5, "/splash/particles", "at least 1"},
        {POOL "  particles: -2\n", 5, "/splash/particles", "a cell of liquid has this many"},
        {POOL "  particles: 1.5\n", 5, "/splash/particles", "whole number"},
        {POOL "  jitter: 2\n", 5, "/splash/jitter", "at most 1"},
        {POOL "  incompressibility: both\n", 5, "/splash/incompressibility",
         "is not one of: unilateral, bilateral"},
        {POOL "  transfer: pic\n", 5, "/splash/transfer", "is not one of: flip, apic"},
        {POOL "  flip: 1.5\n", 5, "/splash/flip", "at most 1"},
        {POOL "  settling: 2\n", 5, "/splash/settling", "at most 1"},
        {POOL "  density: 0\n", 5, "/splash/density", "above 0"},
        {POOL "  density: .nan\n", 5, "/splash/density", "finite number"},
        {POOL "  sides: {left: periodic}\n", 5, "/splash/sides/left/kind",
         "is not one of: wall, open"},
        {POOL "  sides: {left: inflow}\n", 5, "/splash/sides/left/kind",
         "is not one of: wall, open"},
        {POOL "  sides: {left: {kind: open, friction: 0.2}}\n", 5, "/splash/sides/left/friction",
         "only a wall has friction"},
        {POOL "  sides: {left: {restitution: 2}}\n", 5, "/splash/sides/left/restitution",
         "at most 1"},
        {POOL "  preconditioner: ilu\n", 5, "/splash/preconditioner", "is not one of: multigrid"},
        {POOL "  cfl: 0\n", 5, "/splash/cfl", "above 0"},
        {POOL "  cfl: 11\n", 5, "/splash/cfl", "at most 10"},
        {POOL "  samples: 0\n", 5, "/splash/samples", "at least 1"},
        {POOL "  suction: 1\n", 5, "/splash/suction", "unknown key"},
        {POOL "  tolerance: 0\n", 5, "/splash/tolerance", "at least 1e-14"},
        {POOL "  domain: {low: [0, 2, 0]}\n", 5, "/splash/domain", "low must be below high"},
        {POOL "  surface: {mesh: maybe}\n", 5, "/splash/surface/mesh", "true or false"},
        {POOL "  liquid: []\n", 5, "/splash/liquid", "did you mean 'liquids'?"},
        {POOL "  blasts:\n    - {name: a, time: -1, center: [0.5, 0.2, 0.5]}\n", 6,
         "/splash/blasts/0/time", "at least 0"},
        {POOL "  blasts:\n    - {name: a, center: [.inf, 0.2, 0.5]}\n", 6,
         "/splash/blasts/0/center/0", "finite number"},
        {POOL "  sources:\n    - {name: a, " BALL_AT "}\n", 6, "/splash/sources/0",
         "the key 'velocity' is missing"},
        {POOL "probes:\n  - {name: splash, quantities: [volume]}\n", 6, "/probes/0",
         "asks for 'volume'"},
        {POOL "probes:\n  - {name: a, point: [0.5, 7, 0.5], quantities: [pressure]}\n", 6,
         "/probes/0", "outside"},
        {POOL "probes:\n  - {name: a, section: {axis: x, at: 0.5}, quantities: [flux]}\n", 6,
         "/probes/0/section", "a splash has no sections; use a 'point'"},
    };
    CHECK_ALL(cases);
}

static void test_bad_combinations(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {POOL "fluid: {cells: 8}\n", 2, "/splash/domain",
         "the domains of 'fluid' and 'splash' overlap; move one of them, they may touch"},
        {START, 2, "/splash", "has no liquid and no source"},
        {START "  liquids: []\n  sources: []\n", 2, "/splash", "has no liquid and no source"},
        {START "  liquids:\n    - " HALF "\n    - " HALF "\n", 6, "/splash/liquids/1",
         "two parts of the splash are named 'half'; rename one"},
        {POOL "  sinks:\n    - {name: half, " BALL_AT "}\n", 6, "/splash/sinks/0",
         "two parts of the splash are named 'half'"},
        {POOL "  blasts:\n    - {name: half, center: [0.5, 0.2, 0.5]}\n", 6, "/splash/blasts/0",
         "two parts of the splash are named 'half'"},
        {POOL "  fractions: right\nrigid: {bodies: [{name: a, shape: {ball: {}}}]}\n", 2, "/splash",
         "a splash with 'fractions: right' pushes no bodies, and 'a' is dynamic"},
        {POOL "rigid: {bodies: [{name: a, shape: {box: {size: [0.9, 0.1, 0.9]}}, "
              "position: [0.5, 0.5, 0.5]}]}\n",
         5, "/rigid/bodies/0", "body 'a' is too thin for cells of 0.125 m"},
        {POOL "rigid: {bodies: [{name: a, shape: {ball: {}}, passive: true}]}\n", 5,
         "/rigid/bodies/0/passive", "there is no fluid that carries bodies"},
    };
    CHECK_ALL(cases);
}

static void test_bad_sources(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {POOL "  sources:\n    - {name: a, " BALL_AT ", velocity: [0, 0, 0]}\n", 6,
         "/splash/sources/0/velocity", "nothing comes out of source 'a'"},
        {POOL "  sources:\n    - {name: a, " BALL_AT ", velocity: [0, 0, 1]}\ndim: 2\n", 6,
         "/splash/sources/0/velocity", "the scene has two dimensions"},
        {POOL "  sources:\n    - {name: a, " BALL_AT ", velocity: [1, 0, 0], runs: \"=x\"}\n", 6,
         "/splash/sources/0/runs", "uses x, y or z"},
        /* 1000 cells of 1/8 m in a frame of 1/24 s. */
        {POOL "  sources:\n    - {name: a, " BALL_AT ", velocity: [0, 3001, 0]}\n", 6,
         "/splash/sources/0/velocity", "'a' has a speed of 3001 m/s"},
        {POOL "  sources:\n    - {name: a, " BALL_AT ", velocity: [0, -1, 0], rate: 1e6}\n", 6,
         "/splash/sources/0/rate", "kg/s at most, not 1e+06; make its mouth wider"},
        {POOL "  sources:\n    - {name: a, shape: {ball: {radius: 0.01}}, "
              "position: [0.5, 0.75, 0.5], velocity: [0, -1, 0]}\n",
         6, "/splash/sources/0", "no particle fits into the mouth of source 'a'"},
        {POOL "  sources:\n    - {name: a, shape: {ball: {radius: 0.2}}, position: [3, 0, 0], "
              "velocity: [0, -1, 0]}\n",
         6, "/splash/sources/0", "source 'a' is outside the splash's domain"},
    };
    CHECK_ALL(cases);
}

static void test_bad_places(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {START "  liquids:\n    - {name: a, " BALL_AT ", scale: 0.1}\n    - {name: b, shape: "
               "{ball: {radius: 0.2}}, position: [4, 0, 0]}\n",
         5, "/splash/liquids/0", "liquid 'a' has no particle in the splash's domain"},
        {START "  liquids:\n    - {name: b, shape: {ball: {radius: 0.2}}, position: [4, 0, 0]}\n",
         5, "/splash/liquids/0", "liquid 'b' is outside the splash's domain; move it inside"},
        {"dim: 2\n" START "  liquids:\n    - {name: b, " BALL_AT "}\n", 6, "/splash/liquids/0",
         "liquid 'b' is outside the splash's domain"},
        {POOL "  obstacles:\n    - {box: {size: [3, 3, 3]}}\n", 5, "/splash/obstacles",
         "fill the splash's domain, and leave no cell for liquid"},
        {POOL "  obstacles:\n    - {box: {size: [3, 1.5, 3]}}\n", 4, "/splash/liquids/0",
         "obstacles and bodies leave no room for liquid 'half'"},
        {START "  liquids:\n    - {name: a, " BALL_AT ", velocity: [\"=1/(x-0.53125)\", 0, 0]}\n",
         5, "/splash/liquids/0/velocity", "the velocity of liquid 'a' has no value at (0.53125"},
        {POOL
         "  obstacles: [{place: {shape: {box: {}}, position: [0.5, 1, 0.5]}}]\n  sources:\n    "
         "- {name: a, " BALL_AT ", velocity: [1, 0, 0]}\n",
         7, "/splash/sources/0", "leave no room for source 'a'"},
        {POOL "rigid: {bodies: [{name: a, motion: static, shape: {box: {size: [4, 4, 4]}}}]}\n", 4,
         "/splash/liquids/0", "obstacles and bodies leave no room for liquid 'half'"},
        {POOL "  sinks:\n    - {name: a, shape: {ball: {}}, position: [9, 0, 0]}\n", 6,
         "/splash/sinks/0", "sink 'a' is outside the splash's domain"},
        {POOL "  blasts:\n    - {name: a, center: [0.5, -1, 0.5], radius: 0.5}\n", 6,
         "/splash/blasts/0", "blast 'a' is outside the splash's domain"},
        {POOL "  blasts:\n    - {name: a, center: [0.5, 0.2, 0.5], speed: 1e9}\n", 6,
         "/splash/blasts/0/speed", "'a' has a speed of 1e+09 m/s"},
    };
    CHECK_ALL(cases);
}

/* Refused with the number, before anything large is made. */
static void test_too_large(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {"plimsoll: 1\nsplash:\n  cells: 100000\n  liquids: [" HALF "]\n", 2, "/splash",
         "1e+15 cells of a splash would need about"},
        {START "  sources: [{name: a, " BALL_AT ", velocity: [0, -5, 0]}]\nduration: 1e5\n", 2,
         "/splash", "particles would need about"},
        {"plimsoll: 1\nsplash:\n  cells: 160\n  particles: 16\n  liquids: [" HALF "]\n", 2,
         "/splash", "8.38861e+09 particles would need about"},
    };
    CHECK_ALL(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),    cmocka_unit_test(test_options),
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_velocities),
        cmocka_unit_test(test_overlap),     cmocka_unit_test(test_probes),
        cmocka_unit_test(test_bodies),      cmocka_unit_test(test_empty_start),
        cmocka_unit_test(test_bad_values),  cmocka_unit_test(test_bad_combinations),
        cmocka_unit_test(test_bad_sources), cmocka_unit_test(test_bad_places),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
