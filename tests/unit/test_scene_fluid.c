/* Scenes with a fluid: what becomes of sides, fields, sources, bodies and probes, and what is
 * refused. */
#include "bad_scene.h"
#include "scene_fixture.h"

#include "fluid/internal.h"
#include "scene/scene.h"
#include "world/domains.h"

static const FluidDesc *desc_of(const Fixture *f) {
    return &fluid_of(f->world)->desc;
}

static double at(const FieldFunction *function, double x, double y, double z, double t) {
    return field_function_at(function, vec3(x, y, z), t);
}

#define TANK "plimsoll: 1\nfluid:\n  cells: 8\n"

static const char flow[] =
    "plimsoll: 1\n"
    "params: {n: 12, speed: 3, advection: semi_lagrangian, word: \"=advection\"}\n"
    "dim: 2\n"
    "seed: 5\n"
    "fluid:\n"
    "  domain: {low: [0, -0.5, 0], high: [1.5, 0.5, 1]}\n"
    "  cells: \"=n\"\n"
    "  sides:\n"
    "    left: {kind: inflow, velocity: [\"=speed*(1 - 4*y^2)\", \"=t\", 0], smoke: \"=x + 2*y\"}\n"
    "    right: open   # the way out\n"
    "    top: {velocity: [2, 0, 0], slip: 0.25}\n"
    "    bottom: wall\n"
    "  density: 1.5\n"
    "  tolerance: 1e-5\n"
    "  viscosity: 0.25\n"
    "  slip: 0.125\n"
    "  advection: \"=word\"\n"
    "  trace_order: 3\n"
    "  storage: node\n"
    "  cfl: 0.5\n"
    "  force: [0, \"=x*t\", 1]\n"
    "  confinement: 0.75\n"
    "  smoke: {weight: 1, buoyancy: 2, ambient: 3, cooling: 4, fading: 5}\n"
    "  initial: {velocity: [\"=y\", 0, 0], smoke: \"=x < 0.5\", temperature: 20}\n";

static void test_defaults(void **state) {
    (void)state;
    Fixture f = open_scene(TANK);
    const FluidDesc *desc = desc_of(&f);
    assert_close(desc->density, 1000, 0);
    assert_close(desc->viscosity + desc->slip + desc->confinement, 0, 0);
    assert_false(field_function_is_set(&desc->viscosity_of_place));
    assert_true(desc->carries_velocity && desc->advection == ADVECT_MACCORMACK);
    assert_int_equal(desc->trace_order, 2);
    assert_int_equal(desc->storage, FLUID_ON_FACES);
    assert_close(desc->cfl, 1, 0);
    assert_int_equal(desc->start, FLUID_AT_REST);
    assert_false(desc->smoke.is_there);
    for (int axis = 0; axis < 3; axis++) {
        assert_false(field_function_is_set(&desc->force[axis]));
        for (int end = 0; end < 2; end++) assert_int_equal(desc->grid.sides[axis][end], SIDE_WALL);
    }
    check_written(&f);
    close_scene(&f);
}

static void test_values(void **state) {
    (void)state;
    Fixture f = open_scene(flow);
    const FluidDesc *desc = desc_of(&f);
    assert_int_equal(desc->grid.n[0], 12);
    assert_close(desc->density, 1.5, 0);
    assert_close(desc->tolerance, 1e-5, 0);
    assert_close(desc->viscosity, 0.25, 0);
    assert_close(desc->slip, 0.125, 0);
    assert_int_equal(desc->advection, ADVECT_SEMI_LAGRANGIAN);
    assert_int_equal(desc->trace_order, 3);
    assert_int_equal(desc->storage, FLUID_ON_NODES);
    assert_close(desc->cfl, 0.5, 0);
    assert_close(desc->confinement, 0.75, 0);
    assert_close(at(&desc->force[1], 2, 0, 0, 3), 6, 0);
    assert_close(at(&desc->force[2], 2, 0, 0, 3), 1, 0);
    assert_true(desc->force[1].uses_time && desc->force[1].uses_place);
    assert_false(desc->force[2].evaluate);
    assert_true(desc->smoke.is_there);
    const double numbers[] = {desc->smoke.weight, desc->smoke.buoyancy, desc->smoke.ambient,
                              desc->smoke.cooling, desc->smoke.fading};
    for (int i = 0; i < 5; i++) assert_close(numbers[i], i + 1, 0);
    assert_int_equal(desc->start, FLUID_FUNCTION);
    assert_close(at(&desc->velocity[0], 0, 7, 0, 0), 7, 0);
    assert_close(at(&desc->smoke.amount, 0.25, 0, 0, 0), 1, 0);
    assert_close(at(&desc->smoke.temperature, 0.25, 0, 0, 0), 20, 0);
    close_scene(&f);
}

static void test_sides(void **state) {
    (void)state;
    Fixture f = open_scene(flow);
    static const SideKind kinds[2][2] = {{SIDE_INFLOW, SIDE_OPEN}, {SIDE_WALL, SIDE_WALL}};
    assert_memory_equal(desc_of(&f)->grid.sides, kinds, sizeof kinds);
    const FluidSide *left = &desc_of(&f)->sides[0][0], *top = &desc_of(&f)->sides[1][1];
    assert_close(at(&left->velocity[0], 0, 0.25, 0, 0), 2.25, 1e-15);
    assert_true(left->velocity[0].uses_place && !left->velocity[0].uses_time);
    assert_close(at(&left->velocity[1], 0, 0, 0, 5), 5, 0);
    assert_close(at(&left->smoke, 1, 2, 0, 0), 5, 0);
    assert_close(at(&left->temperature, 0, 0, 0, 0), 3, 0); /* ambient */
    assert_close(at(&top->velocity[0], 0, 0, 0, 0), 2, 0);
    assert_close(top->slip, 0.25, 0);
    const char *text = plim_scene_text(f.scene);
    assert_non_null(
        strstr(text, "right: {kind: open, velocity: [0, 0, 0], slip: 0, level: 1}  # the way"));
    check_written(&f);
    close_scene(&f);
}

/* ---- parameters ---- */

static void check_advection(const char *value, bool carries, AdvectionScheme scheme) {
    PlimOverride override = {"/params/advection", value};
    Fixture f = open_with(flow, &override, 1);
    assert_int_equal(desc_of(&f)->carries_velocity, carries);
    assert_int_equal(desc_of(&f)->advection, scheme);
    assert_false(desc_of(&f)->conserves_momentum);
    check_written(&f);
    close_scene(&f);
}

static void test_text_parameters(void **state) {
    (void)state;
    check_advection("semi_lagrangian", true, ADVECT_SEMI_LAGRANGIAN);
    check_advection("\"maccormack\"", true, ADVECT_MACCORMACK);
    check_advection("none", false, ADVECT_MACCORMACK);
    check_advection("0", true, ADVECT_SEMI_LAGRANGIAN);
    check_advection("1", true, ADVECT_MACCORMACK);
    check_advection("=3 - 1", false, ADVECT_MACCORMACK);
    Fixture f =
        open_scene("plimsoll: 1\n"
                   "params: {title: tank-2, shut: periodic, on: \"off\"}\n"
                   "name: \"= title \"\n"
                   "rigid: {energy_correction: \"=on\", bodies: []}\n"
                   "fluid: {cells: 4, sides: {left: \"=shut\", right: {kind: \"=shut\"}}}\n");
    assert_string_equal(plim_scene_name(f.scene), "tank-2");
    assert_int_equal(desc_of(&f)->grid.sides[0][0], SIDE_PERIODIC);
    assert_int_equal(desc_of(&f)->grid.sides[0][1], SIDE_PERIODIC);
    assert_false(f.world->rigid->options.energy_correction);
    check_written(&f);
    close_scene(&f);
}

/* Names of copies are parameters where there are no copies, and hide them where there are. */
static void test_conservative(void **state) {
    (void)state;
    Fixture f = open_scene(TANK "  advection: conservative\n");
    assert_true(desc_of(&f)->carries_velocity && desc_of(&f)->conserves_momentum);
    assert_int_equal(desc_of(&f)->advection, ADVECT_MACCORMACK);
    check_written(&f);
    close_scene(&f);
}

static void test_parameter_names(void **state) {
    (void)state;
    Fixture f = open_scene(
        "plimsoll: 1\n"
        "params: {n: 6, count: 3, i: 1.5, j: \"=2*i\", k: small}\n"
        "fluid: {cells: \"=n\", density: \"=j\"}\n"
        "coupling: {fluid: one_way}\n"
        "rigid:\n"
        "  bodies:\n"
        "    - name: a\n"
        "      shape: {box: {size: [\"=0.1*(n + 1)\", 0.1, 0.1]}}\n"
        "      position: [\"=n/count\", \"=k\", 0]\n"
        "      repeat: {count: \"=count\", spacing: [\"=i\", 0, 0]}\n"
        "    - {name: b, shape: {ball: {}}, position: [\"=n/count\", 0, 0], motion: static}\n");
    assert_int_equal(desc_of(&f)->grid.n[0], 6);
    assert_close(desc_of(&f)->density, 3, 0);
    assert_int_equal(plim_rigid_count(f.world), 4);
    for (size_t n = 0; n < 3; n++) {
        PlimPose pose;
        plim_rigid_pose(f.world, n, &pose);
        assert_close(pose.position[0], (double)n / 3 + 1.5 * ((double)n - 1), 1e-15);
        assert_close(pose.position[1], 0, 0);
    }
    PlimPose pose;
    plim_rigid_pose(f.world, 3, &pose);
    assert_close(pose.position[0], 2, 0);
    check_written(&f);
    close_scene(&f);
}

/* ---- start, viscosity, sources, bodies ---- */

static void test_start(void **state) {
    (void)state;
    Fixture f = open_scene(TANK "  initial: {random: {amplitude: 2, length: 0.5}}\n"
                                "  viscosity: \"=1 + x\"\n  smoke: {ambient: 7}\n");
    assert_int_equal(desc_of(&f)->start, FLUID_RANDOM);
    assert_close(desc_of(&f)->amplitude, 2, 0);
    assert_close(desc_of(&f)->length, 0.5, 0);
    assert_close(at(&desc_of(&f)->viscosity_of_place, 3, 0, 0, 0), 4, 0);
    assert_close(at(&desc_of(&f)->smoke.temperature, 0, 0, 0, 0), 7, 0);
    assert_false(field_function_is_set(&desc_of(&f)->smoke.amount));
    check_written(&f);
    close_scene(&f);
}

static void test_sources(void **state) {
    (void)state;
    Fixture f = open_scene(
        TANK
        "  smoke: {}\n"
        "  sides: {top: open}\n"
        "  sources:\n"
        "    - {name: fire, shape: {box: {size: [0.2, 0.4, 0.2]}}, position: [0.5, 0.5, 0.5],\n"
        "       orientation: {axis: [0, 0, 1], angle: 90}, smoke: \"=x\", temperature: 9}\n"
        "    - {name: fan, shape: {ball: {radius: 0.25}}, velocity: [0, \"=t\", 0]}\n"
        "    - {name: well, shape: {union: {of: [{ball: {}}]}}, expansion: 0.5}\n");
    assert_int_equal(fluid_of(f.world)->sources.list.count, 3);
    const FluidSource *fire = &fluid_of(f.world)->sources.list.data[0], *fan = fire + 1,
                      *well = fire + 2;
    assert_true(fire->sets_smoke && fire->sets_temperature && !fire->sets_velocity);
    assert_close(at(&fire->smoke, 0.25, 0, 0, 0), 0.25, 0);
    assert_close(solid_distance(&fire->solid, vec3(0.8, 0.5, 0.5)), 0.1, 1e-15);
    assert_close(solid_distance(&fire->solid, vec3(0.5, 0.5, 0.5)), -0.1, 1e-15);
    assert_true(fan->sets_velocity && !fan->sets_smoke && !fan->sets_temperature);
    assert_close(at(&fan->velocity[1], 0, 0, 0, 3), 3, 0);
    assert_close(solid_distance(&fan->solid, vec3(1, 0, 0)), 0.75, 1e-15);
    assert_true(!well->sets_velocity && !well->sets_smoke && !well->sets_temperature);
    assert_close(at(&well->expansion, 0, 0, 0, 0), 0.5, 0);
    check_written(&f);
    close_scene(&f);
}

/* The fluid sees exact shapes about their centres of mass. */
static void test_bodies(void **state) {
    (void)state;
    Fixture f = open_scene(
        "plimsoll: 1\n"
        "dim: 2\n"
        "fluid: {cells: 16, obstacles: [{place: {shape: {ball: {}}, position: [3, 0, 0]}}]}\n"
        "rigid:\n"
        "  bodies:\n"
        "    - {name: pin, shape: {cone: {radius: 0.1, height: 0.4}}, position: [0.5, 0.5, 0],\n"
        "       motion: static}\n"
        "    - {name: dot, shape: {ball: {radius: 0.05}}, position: [0.2, 0.2, 0],\n"
        "       repeat: {count: 2, spacing: [0.2, 0, 0]}}\n");
    size_t pins = 0, dots = 0;
    const Fluid *fluid = fluid_of(f.world);
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const Collider *collider = &fluid->colliders.list.data[i].now;
        size_t body = fluid->colliders.list.data[i].ref.surface;
        if (immersed_is_obstacle(&fluid->colliders.list.data[i])) continue;
        if (body == 0) { /* its apex is where the scene puts it, and the base */
            pins++;
            assert_close(collider->position.y, 0.4, 1e-15);
            assert_close(collider_distance(collider, vec3(0.5, 0.7, 0)), 0, 1e-15);
            assert_close(collider_distance(collider, vec3(0.5, 0.2, 0)), 0.1, 1e-15);
        } else if (body <= 2) {
            dots++;
            double x = body == 1 ? 0.1 : 0.3;
            assert_close(collider_distance(collider, vec3(x, 0.3, 0)), 0.05, 1e-15);
        }
    }
    assert_int_equal(pins, 1);
    assert_int_equal(dots, 2);
    check_written(&f);
    PlimWorld *second; /* both worlds borrow from the scene */
    assert_int_equal(plim_scene_create_world(f.scene, &second), PLIM_OK);
    assert_int_equal(plim_world_step(second, 0.01), PLIM_OK);
    assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
    assert_true(plim_world_hash(second) == plim_world_hash(f.world));
    plim_world_destroy(second);
    close_scene(&f);
}

/* ---- probes ---- */

static void test_probes(void **state) {
    (void)state;
    Fixture f = open_scene(
        TANK "  smoke: {}\n"
             "rigid: {bodies: [{name: ball, shape: {ball: {radius: 0.2}}, motion: static}]}\n"
             "probes:\n"
             "  - {name: here, point: [0.5, 0.25, 0.75], quantities: [velocity, pressure]}\n"
             "  - {name: gate, section: {axis: y, at: 0.5}, quantities: [flux]}\n"
             "  - {name: slot, section: {axis: x, at: 0.25, low: [0, 0, 0.5], high: [1, 1, 1]},\n"
             "     quantities: [flux]}\n"
             "  - {name: ball, quantities: [position, fluid_force]}\n"
             "  - {name: all, object: fluid, quantities: [kinetic_energy, smoke]}\n");
    assert_int_equal(world_probe_value_count(f.world), 3 + 1 + 1 + 1 + 3 + 3 + 1 + 1);
    size_t point = fluid_class.find_object(fluid_of(f.world), "here");
    assert_close(fluid_of(f.world)->objects.all.list.data[point].point.z, 0.75, 0);
    size_t gate = fluid_class.find_object(fluid_of(f.world), "gate");
    const FluidObjects *objects = &fluid_of(f.world)->objects;
    assert_int_equal(objects->all.list.data[gate].kind, OBJECT_SECTION);
    assert_int_equal(objects->sections.data[objects->all.list.data[gate].item].axis, 1);
    check_written(&f);
    close_scene(&f);
}

/* ---- what is refused ---- */

static void test_bad_values(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {TANK "  viscosity: -1\n", 4, "/fluid/viscosity", "is -1 Pa s; it must be at least 0"},
        {TANK "  viscosity: \"=2 - 3\"\n", 4, "/fluid/viscosity", "at least 0"},
        {TANK "  viscosity: \"=x - 0.5\"\n", 4, "/fluid/viscosity",
         "is -0.4375 Pa s at (0.0625, 0.0625, 0.0625); it must be at least 0"},
        {TANK "  viscosity: \"=1/(x - 0.0625)\"\n", 2, "/fluid", "has no value at (0.0625"},
        {TANK "  viscosity: \"=t\"\n", 4, "/fluid/viscosity", "not with time"},
        {TANK "  viscosity: \"=1/(x\"\n", 4, "/fluid/viscosity", "column 5: unexpected end"},
        {TANK "  viscosity: \"=1/0\"\n", 4, "/fluid/viscosity", "division by zero"},
        {TANK "  viscosity: thick\n", 4, "/fluid/viscosity", "finite number, is 'thick'"},
        {TANK "  slip: -1\n", 4, "/fluid/slip", "at least 0"},
        {TANK "  cfl: 0\n", 4, "/fluid/cfl", "above 0"},
        {TANK "  confinement: -1\n", 4, "/fluid/confinement", "at least 0"},
        {TANK "  trace_order: 4\n", 4, "/fluid/trace_order", "at most 3"},
        {TANK "  advection: upwind\n", 4, "/fluid/advection",
         "is not one of: semi_lagrangian, maccormack, none"},
        {TANK "  advection: \"=4\"\n", 4, "/fluid/advection",
         "is 4; it must be a whole number from 0 to 3, for: semi_lagrangian"},
        {TANK "  advection: conservative\n  storage: node\n", 4, "/fluid/advection",
         "conservative needs 'storage: face'"},
        {TANK "  advection: conservative\n  liquid: {}\n", 4, "/fluid/advection",
         "take 'liquid' out"},
        {TANK "  advection: \"=0.5\"\n", 4, "/fluid/advection", "whole number"},
        {TANK "  advection: \"=wave\"\n", 4, "/fluid/advection", "unknown name \"wave\""},
        {TANK "  storage: cell\n", 4, "/fluid/storage", "is not one of: face, node"},
        {TANK "  force: [0, 1]\n", 4, "/fluid/force", "three numbers, has 2"},
        {TANK "  force: [0, \"=w\", 0]\n", 4, "/fluid/force/1", "unknown name \"w\""},
        {TANK "  smoke: {cooling: -1}\n", 4, "/fluid/smoke/cooling", "at least 0"},
        {TANK "  smoke: 3\n", 4, "/fluid/smoke", "should be a map, is a single value"},
        {TANK "  domain: {high: [1, 0.1, 1]}\n", 4, "/fluid/domain",
         "a cell of 0.125 m is larger than the domain, which has 0.1 m along y"},
        {TANK "  domain: {high: [1, 0, 1]}\n", 4, "/fluid/domain", "low must be below high"},
    };
    CHECK_ALL(cases);
}

static void test_bad_sides(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {TANK "  sides: {left: close}\n", 4, "/fluid/sides/left/kind", "is not one of: wall, open"},
        {TANK "  sides: {left: [1]}\n", 4, "/fluid/sides/left", "should be a map, is a list"},
        {TANK "  sides: {left: {kinds: wall}}\n", 4, "/fluid/sides/left/kinds", "mean 'kind'?"},
        {TANK "  sides:\n    left: {velocity: [1, 2, 0]}\n", 5, "/fluid/sides/left/velocity",
         "the x part of its velocity must be 0"},
        {TANK "  sides:\n    top: {velocity: [1, \"=t\", 0]}\n", 5, "/fluid/sides/top/velocity",
         "the y part"},
        {TANK "  sides:\n    top: {kind: open, velocity: [1, 0, 0]}\n", 5,
         "/fluid/sides/top/velocity", "only a wall or an inflow"},
        {TANK "  sides:\n    top: {slip: -1}\n", 5, "/fluid/sides/top/slip", "at least 0"},
        {TANK "  sides:\n    left: {kind: periodic}\n", 4, "/fluid/sides",
         "one end of x is periodic"},
        {TANK "  sides:\n    top: {kind: open, smoke: 1}\n", 5, "/fluid/sides/top/smoke",
         "add 'smoke: {}' to the fluid"},
    };
    CHECK_ALL(cases);
}

static void test_bad_sources(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {TANK "  initial: {temperature: 1}\n", 4, "/fluid/initial/temperature", "add 'smoke: {}'"},
        {TANK "  initial: {velocity: [1, 0, 0], random: {}}\n", 4, "/fluid/initial",
         "both 'velocity' and 'random'"},
        {TANK "  initial: {velocity: random}\n", 4, "/fluid/initial/velocity",
         "should be a list of three numbers"},
        {TANK "  initial: {random: {length: 0}}\n", 4, "/fluid/initial/random/length", "above 0"},
        {TANK "  sources:\n    - {name: a, shape: {ball: {}}}\n", 5, "/fluid/sources/0",
         "sets nothing"},
        {TANK "  sources:\n    - {name: a, shape: {ball: {}}, smoke: 1}\n", 5,
         "/fluid/sources/0/smoke", "add 'smoke: {}'"},
        {TANK "  sources:\n    - {shape: {ball: {}}, expansion: 1}\n", 5, "/fluid/sources/0",
         "'name' is missing"},
        {TANK "  sources:\n    - {name: a, expansion: 1}\n", 5, "/fluid/sources/0",
         "'shape' is missing"},
        {TANK "  sources:\n    - {name: a, shape: {bal: {}}, expansion: 1}\n", 5,
         "/fluid/sources/0/shape/bal", "did you mean 'ball'?"},
        {TANK "  sources:\n    - {name: a, shape: {ball: {}}, expansion: 1,\n"
              "       orientation: {angle: \"=t\"}}\n",
         5, "/fluid/sources/0", "does not move"},
        {TANK "  sources:\n    - {name: a, shape: {ball: {}}, expansion: fast}\n", 5,
         "/fluid/sources/0/expansion", "finite number"},
        {TANK "  sources: {}\n", 4, "/fluid/sources", "should be a list, is a map"},
    };
    CHECK_ALL(cases);
}

static void test_bad_probes(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {"plimsoll: 1\nprobes:\n  - {name: a, point: [0, 0, 0], quantities: [pressure]}\n", 3,
         "/probes/0/point", "the scene has no fluid"},
        {"plimsoll: 1\nprobes:\n  - {name: a, section: {axis: x, at: 0}, quantities: [flux]}\n", 3,
         "/probes/0/section", "the scene has no fluid"},
        {TANK "probes:\n  - {name: a, point: [0, 0, 0], section: {axis: x, at: 0},\n"
              "     quantities: [flux]}\n",
         5, "/probes/0", "more than one of 'object', 'point' and 'section'"},
        {TANK "probes:\n  - {name: a, point: [0, 0, 0], object: fluid, quantities: [pressure]}\n",
         5, "/probes/0", "more than one of"},
        {TANK "probes:\n  - {name: a, section: {axis: w, at: 0}, quantities: [flux]}\n", 5,
         "/probes/0/section/axis", "is not one of: x, y, z"},
        {TANK "probes:\n  - {name: a, section: {axis: x}, quantities: [flux]}\n", 5,
         "/probes/0/section", "'at' is missing"},
        {TANK "probes:\n  - {name: a, point: 3, quantities: [pressure]}\n", 5, "/probes/0/point",
         "should be a list of three numbers"},
        {TANK "probes:\n  - {name: fluid, point: [0.5, 0.5, 0.5], quantities: [pressure]}\n", 5,
         "/probes/0", "fluid"},
        {TANK "probes:\n  - {name: a, point: [0.5, 0.5, 0.5], quantities: [colour]}\n", 5,
         "/probes/0", "asks for 'colour'"},
    };
    CHECK_ALL(cases);
}

/* An expression without a value somewhere is not refused before it is used there. */
static void test_holes_are_allowed(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlimScene *scene;
    static const char text[] = TANK "  force: [\"=1/(x - 0.5)\", 0, \"=sqrt(-1 - t)\"]\n";
    assert_int_equal(plim_scene_parse(context, "test", text, strlen(text), NULL, 0, &scene),
                     PLIM_OK);
    plim_scene_destroy(scene);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_text_parameters),
        cmocka_unit_test(test_parameter_names),
        cmocka_unit_test(test_conservative),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_bad_sides),
        cmocka_unit_test(test_bad_sources),
        cmocka_unit_test(test_bad_probes),
        cmocka_unit_test(test_holes_are_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
