/* Scenes with a liquid: what becomes of its keys, sides, sources and probes, and what is refused.
 */
#include "bad_scene.h"
#include "scene_fixture.h"

#include "fluid/internal.h"
#include "scene/scene.h"
#include "world/domains.h"

static const FluidLiquid *liquid_of(const Fixture *f) {
    return &fluid_of(f->world)->desc.liquid;
}

static double at(const FieldFunction *function, double x, double y, double z, double t) {
    return field_function_at(function, vec3(x, y, z), t);
}

#define TANK "plimsoll: 1\nfluid:\n  cells: 8\n"
#define POOL TANK "  liquid: {level: \"=y-0.5\"}\n"

/* ---- what is read ---- */

static void test_defaults(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Fixture f = open_scene(dim == 2 ? POOL "dim: 2\n" : POOL);
        const FluidLiquid *liquid = liquid_of(&f);
        assert_true(liquid->is_there && liquid->has_particles);
        assert_null(liquid->shape);
        assert_close(at(&liquid->level, 0, 2, 0, 0), 1.5, 0);
        assert_false(liquid->first_order || liquid->corrects_twice || liquid->control);
        assert_int_equal(liquid->particles.per_cell, 16);
        assert_int_equal(liquid->scheme, ADVECT_SEMI_LAGRANGIAN);
        assert_close(liquid->particles.escape, 0.02, 0);
        assert_true(liquid->particles.keep_drops && !liquid->particles.keep_bubbles);
        assert_close(liquid->rise, 0.2, 0);
        assert_int_equal(liquid->reseed, 10);
        assert_int_equal(liquid->extension, 4);
        assert_close(liquid->absorption[0], 2, 0);
        assert_false(fluid_of(f.world)->desc.is_given || fluid_of(f.world)->desc.smoke.is_there);
        assert_close(fluid_liquid_volume(fluid_of(f.world)), 0.5, 1e-12);
        check_written(&f);
        close_scene(&f);
    }
}

static void test_values(void **state) {
    (void)state;
    Fixture f =
        open_scene("plimsoll: 1\nseed: 9\nparams: {n: 5, order: first_order}\n"
                   "fluid:\n"
                   "  cells: 12\n"
                   "  flow: given\n"
                   "  initial: {velocity: [\"=t\", 0, 0]}\n"
                   "  liquid:\n"
                   "    shapes:\n"
                   "      - place: {shape: {ball: {radius: 0.25}}, position: [0.5, 0.5, 0.5]}\n"
                   "      - {box: {size: [0.4, 0.4, 0.4]}}   # a corner\n"
                   "    surface: \"=order\"\n"
                   "    particles: \"=n\"\n"
                   "    scheme: maccormack\n"
                   "    escape: 0.5\n"
                   "    corrections: 2\n"
                   "    drops: false\n"
                   "    bubbles: true\n"
                   "    rise: 0.75\n"
                   "    reseed: 20\n"
                   "    extension: 5\n"
                   "    volume_control: true\n"
                   "    absorption: [1, 2, 3]\n");
    const FluidLiquid *liquid = liquid_of(&f);
    assert_non_null(liquid->shape);
    assert_close(solid_distance(liquid->shape, vec3(0.5, 0.5, 0.8)), 0.05, 1e-12);
    assert_close(solid_distance(liquid->shape, vec3(0.1, 0.1, 0.1)), -0.1, 1e-12);
    assert_true(liquid->first_order && liquid->corrects_twice && liquid->control);
    assert_int_equal(liquid->particles.per_cell, 5);
    assert_int_equal(liquid->particles.seed, 9);
    assert_int_equal(liquid->scheme, ADVECT_MACCORMACK);
    assert_close(liquid->particles.escape, 0.5, 0);
    assert_true(!liquid->particles.keep_drops && liquid->particles.keep_bubbles);
    assert_close(liquid->rise, 0.75, 0);
    assert_int_equal(liquid->reseed, 20);
    assert_int_equal(liquid->extension, 5);
    for (int c = 0; c < 3; c++) assert_close(liquid->absorption[c], c + 1, 0);
    assert_true(fluid_of(f.world)->desc.is_given);
    assert_true(fluid_of(f.world)->sizes[FLUID_GROUP_PARTICLES].count > 0);
    check_written(&f);
    close_scene(&f);
}

static void test_no_particles(void **state) {
    (void)state;
    Fixture f = open_scene(TANK "  liquid: {level: \"=y-0.5\", particles: 0}\n");
    assert_false(liquid_of(&f)->has_particles);
    check_written(&f);
    assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
    assert_int_equal(fluid_of(f.world)->sizes[FLUID_GROUP_PARTICLES].count, 0);
    assert_int_equal(plim_world_measure(f.world), PLIM_OK);
    for (size_t i = 0; i < f.world->diagnostics.count; i++)
        assert_null(strstr(f.world->diagnostics.names[i], "particles"));
    close_scene(&f);
}

static void test_sources_and_sides(void **state) {
    (void)state;
    Fixture f = open_scene(
        TANK "  sides:\n"
             "    left: {kind: inflow, velocity: [\"=0.5*(y<0.25)\", 0, 0], level: \"=y-0.25\"}\n"
             "    top: open\n"
             "  liquid: {}\n"
             "  sources:\n"
             "    - {name: tap, shape: {ball: {radius: 0.2}}, position: [0.5, 0.7, 0.5],\n"
             "       liquid: fill, velocity: [0, -1, 0], runs: \"=t<2\"}\n"
             "    - {name: sink, shape: {box: {size: [0.4, 0.4, 0.4]}}, position: [0.9, 0, 0.5],\n"
             "       liquid: drain}\n"
             "    - {name: fan, shape: {ball: {}}, velocity: [1, 0, 0]}\n");
    const FluidSource *tap = fluid_of(f.world)->sources.list.data, *sink = tap + 1, *fan = tap + 2;
    assert_int_equal(tap->pouring, FLUID_FILLS);
    assert_int_equal(sink->pouring, FLUID_DRAINS);
    assert_int_equal(fan->pouring, FLUID_LEAVES);
    assert_close(at(&tap->runs, 0, 0, 0, 1), 1, 0);
    assert_close(at(&tap->runs, 0, 0, 0, 3), 0, 0);
    assert_close(at(&sink->runs, 0, 0, 0, 3), 1, 0);
    assert_true(tap->sets_velocity && !sink->sets_velocity);
    const FluidSide(*sides)[2] = fluid_of(f.world)->desc.sides;
    assert_close(at(&sides[0][0].level, 0, 0.5, 0, 0), 0.25, 0);
    assert_close(at(&sides[1][1].level, 0, 0.5, 0, 0), 1, 0); /* air comes in from above */
    check_written(&f);
    close_scene(&f);
}

/* A liquid that only sources or sides bring need not be there at the start. */
static void test_empty_start(void **state) {
    (void)state;
    static const char *const texts[] = {
        TANK "  liquid: {}\n  sources: [{name: tap, shape: {ball: {radius: 0.3}}, "
             "position: [0.5, 0.5, 0.5], liquid: fill}]\n",
        "plimsoll: 1\ndim: 2\nfluid:\n  cells: 32\n  liquid: {}\n"
        "  sides: {top: open, left: {kind: inflow, velocity: [1, 0, 0], level: \"=y-0.5\"}}\n",
    };
    for (int i = 0; i < 2; i++) {
        Fixture f = open_scene(texts[i]);
        assert_close(fluid_liquid_volume(fluid_of(f.world)), 0, 0);
        for (int s = 0; s < 3; s++) assert_int_equal(plim_world_step(f.world, 0.02), PLIM_OK);
        assert_true(fluid_liquid_volume(fluid_of(f.world)) > 0.01);
        close_scene(&f);
    }
}

static void test_probes(void **state) {
    (void)state;
    Fixture f = open_scene(
        POOL "probes:\n"
             "  - {name: all, object: fluid, quantities: [volume, front]}\n"
             "  - {name: gauge, point: [0.3, 0.2, 0.6], quantities: [surface, level, pressure]}\n");
    check_written(&f);
    double values[8];
    assert_int_equal(world_probe_value_count(f.world), 5);
    world_probe_values(f.world, values);
    const double expected[] = {0.5, 1, 0.5, -0.3};
    for (int i = 0; i < 4; i++) assert_close(values[i], expected[i], 1e-12);
    assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
    world_probe_values(f.world, values);
    assert_close(values[4], 1000 * 9.81 * 0.3, 1);
    close_scene(&f);
}

/* ---- what is refused ---- */

static void test_bad_values(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {TANK "  liquid: 3\n", 4, "/fluid/liquid", "should be a map"},
        {TANK "  liquid: {shape: []}\n", 4, "/fluid/liquid/shape", "did you mean 'shapes'?"},
        {TANK "  liquid: {shapes: [{bal: {}}]}\n", 4, "/fluid/liquid/shapes/0/bal",
         "did you mean 'ball'?"},
        {TANK "  liquid: {shapes: {ball: {}}}\n", 4, "/fluid/liquid/shapes", "should be a list"},
        {TANK "  liquid: {level: deep}\n", 4, "/fluid/liquid/level", "finite number"},
        {TANK "  liquid: {level: \"=1/(x-0.0625)\"}\n", 2, "/fluid",
         "the initial level of the fluid has no value at (0.0625"},
        {TANK "  liquid: {surface: third_order}\n", 4, "/fluid/liquid/surface",
         "is not one of: second_order, first_order"},
        {TANK "  liquid: {particles: -1}\n", 4, "/fluid/liquid/particles", "at least 0"},
        {TANK "  liquid: {particles: 1025}\n", 4, "/fluid/liquid/particles", "at most 1024"},
        {TANK "  liquid: {particles: 1.5}\n", 4, "/fluid/liquid/particles", "whole number"},
        {TANK "  liquid: {scheme: none}\n", 4, "/fluid/liquid/scheme",
         "is not one of: semi_lagrangian, maccormack"},
        {TANK "  liquid: {escape: -1}\n", 4, "/fluid/liquid/escape", "at least 0"},
        {TANK "  liquid: {corrections: 0}\n", 4, "/fluid/liquid/corrections", "at least 1"},
        {TANK "  liquid: {corrections: 3}\n", 4, "/fluid/liquid/corrections", "at most 2"},
        {TANK "  liquid: {drops: many}\n", 4, "/fluid/liquid/drops", "true or false"},
        {TANK "  liquid: {rise: -1}\n", 4, "/fluid/liquid/rise", "at least 0"},
        {TANK "  liquid: {reseed: 0}\n", 4, "/fluid/liquid/reseed", "at least 1"},
        {TANK "  liquid: {extension: 2}\n", 4, "/fluid/liquid/extension", "at least 3"},
        {TANK "  liquid: {extension: 6}\n", 4, "/fluid/liquid/extension", "at most 5"},
        {TANK "  liquid: {absorption: [1, -1, 0]}\n", 4, "/fluid/liquid/absorption/1",
         "at least 0"},
        {TANK "  flow: taken\n", 4, "/fluid/flow", "is not one of: solved, given"},
        {POOL "  sides: {top: {level: deep}}\n", 5, "/fluid/sides/top/level", "finite number"},
        {TANK "probes:\n  - {name: fluid, quantities: [volume]}\n", 5, "/probes/0",
         "asks for 'volume'"},
        {TANK "probes:\n  - {name: a, point: [0.5, 0.5, 0.5], quantities: [surface]}\n", 5,
         "/probes/0", "asks for 'surface'"},
    };
    CHECK_ALL(cases);
}

static void test_bad_combinations(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {TANK "  liquid: {shapes: [{ball: {}}], level: 1}\n", 4, "/fluid/liquid",
         "has both 'shapes' and 'level'; leave one out"},
        {POOL "  smoke: {}\n", 5, "/fluid/smoke",
         "a fluid has smoke or a free surface, not both; take one out"},
        {POOL "  confinement: 1\n", 5, "/fluid/confinement",
         "vortices of a liquid with a free surface are not confined"},
        {POOL "  flow: given\nrigid: {bodies: [{name: a, shape: {ball: {radius: 0.2}}, position: "
              "[0.5, 0.5, 0.5]}]}\n",
         5, "/fluid/flow", "a given flow does not move bodies: use 'solved'"},
    };
    CHECK_ALL(cases);
}

static void test_bad_sources(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {POOL "  sources:\n    - {name: a, shape: {ball: {}}}\n", 6, "/fluid/sources/0",
         "sets nothing; give it smoke, temperature, velocity, expansion or liquid"},
        {POOL "  sources:\n    - {name: a, shape: {ball: {}}, liquid: none}\n", 6,
         "/fluid/sources/0", "sets nothing"},
        {TANK "  sources:\n    - {name: a, shape: {ball: {}}, liquid: fill}\n", 5,
         "/fluid/sources/0/liquid", "this fluid has no free surface; add 'liquid: {}'"},
        {TANK "  sources:\n    - {name: a, shape: {ball: {}}, liquid: drain}\n", 5,
         "/fluid/sources/0/liquid", "this fluid has no free surface"},
        {POOL "  sources:\n    - {name: a, shape: {ball: {}}, liquid: pour}\n", 6,
         "/fluid/sources/0/liquid", "is not one of: none, fill, drain"},
        {POOL "  sources:\n    - {name: a, shape: {ball: {}}, liquid: fill, smoke: 1}\n", 6,
         "/fluid/sources/0/smoke", "add 'smoke: {}'"},
        {POOL "  sources:\n    - {name: a, shape: {ball: {}}, liquid: fill, runs: \"=u\"}\n", 6,
         "/fluid/sources/0/runs", "unknown name \"u\""},
    };
    CHECK_ALL(cases);
}

/* What shows only when everything is in its place has no line. */
static void test_bad_places(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {POOL "  sources:\n    - {name: far, shape: {ball: {}}, position: [5, 0, 0], "
              "liquid: fill}\n",
         "the source 'far' has no cell of the fluid's domain in it"},
        {POOL "  sources:\n    - {name: deep, shape: {ball: {radius: 0.2}}, "
              "position: [0.5, 0.5, 0.5], liquid: drain}\n"
              "  obstacles: [{place: {shape: {ball: {radius: 0.4}}, position: [0.5, 0.5, 0.5]}}]\n",
         "the source 'deep' is inside a solid; move it out"},
        {TANK "  liquid: {}\n", "there is no liquid in the fluid's domain at t = 0"},
        {TANK "  liquid: {shapes: [{place: {shape: {ball: {}}, position: [9, 0, 0]}}]}\n",
         "move its shapes into the domain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PlimContext *context = test_context(1);
        PlimScene *scene;
        const char *text = cases[i][0];
        assert_int_equal(try_scene(context, text, strlen(text), &scene), PLIM_BAD_INPUT);
        if (!strstr(plim_message(context), cases[i][1]))
            fail_msg("'%s' has no '%s'", plim_message(context), cases[i][1]);
        plim_scene_destroy(scene);
        test_context_close(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),     cmocka_unit_test(test_values),
        cmocka_unit_test(test_no_particles), cmocka_unit_test(test_sources_and_sides),
        cmocka_unit_test(test_empty_start),  cmocka_unit_test(test_probes),
        cmocka_unit_test(test_bad_values),   cmocka_unit_test(test_bad_combinations),
        cmocka_unit_test(test_bad_sources),  cmocka_unit_test(test_bad_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
