/* The fluid of a world: what scenes are refused, that a step makes velocities divergence-free and
 * allocates nothing later, bits for any number of threads and dropped caches, frames. */
#include "check.h"

#include "fluid/internal.h"
#include "fluid/measure.h"
#include "io/frame_file.h"
#include "scene/scene.h"
#include "world/domains.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "plimsoll: 1\nduration: 1\nfluid:\n"

static const char tank[] =
    HEAD "  domain: {low: [-0.5, 0, 0], high: [1, 0.8, 0.6]}\n"
         "  cells: 20\n"
         "  advection: none\n"
         "  initial: {random: {amplitude: 2, length: 0.3}}\n"
         "  obstacles:\n"
         "    - place: {shape: {ball: {radius: 0.2}}, position: [0.2, 0.4, 0.3]}\n";

static PlimScene *parse(PlimContext *context, const char *text, const PlimOverride *override,
                        PlimStatus expected) {
    PlimScene *scene;
    assert_int_equal(
        plim_scene_parse(context, "tank", text, strlen(text), override, override ? 1 : 0, &scene),
        expected);
    return scene;
}

/* The fluid alone, in the world of a scene. */
static PlimWorld *make_world(PlimContext *context, const char *dim, PlimScene **scene) {
    const PlimOverride override = {"/dim", dim};
    *scene = parse(context, tank, &override, PLIM_OK);
    PlimWorld *world;
    assert_int_equal(plim_scene_create_world(*scene, &world), PLIM_OK);
    return world;
}

static double figure(PlimWorld *world, const char *name) {
    assert_int_equal(plim_world_measure(world), PLIM_OK);
    return diagnostics_get(&world->diagnostics, name);
}

/* ---- scenes ---- */

static void test_bad_scenes(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {HEAD "  domain: {low: [0, 1, 0], high: [1, 1, 1]}\n", "low must be below high"},
        {HEAD "  sides: {left: periodic}\n", "one end of x is periodic"},
        {HEAD "  sides: {left: close}\n", "is not one of: wall, open"},
        {HEAD "  cells: 0\n", "at least 1"},
        {HEAD "  cells: 100000\n", "1e+15 cells of fluid would need"},
        {HEAD "  density: 0\n", "above 0"},
        {HEAD "  domain: {low: [-1e308, 0, 0], high: [1e308, 1, 1]}\n", "cells would have inf m"},
        {HEAD "  domain: {high: [1e-310, 1e-310, 1e-310]}\n", "change the domain"},
        {HEAD "  obstacle: []\n", "did you mean 'obstacles'"},
        {HEAD "  obstacles: [{bal: {}}]\n", "did you mean 'ball'"},
        {HEAD "  obstacles: [{union: {of: []}}]\n", "at least one shape"},
        {HEAD "  initial: {random: {length: 0}}\n", "above 0"},
        {"plimsoll: 1\nfluid: 3\n", "should be a map"},
    };
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PlimScene *scene = parse(context, cases[i][0], NULL, PLIM_BAD_INPUT);
        if (!strstr(plim_scene_problem(scene, 0), cases[i][1]))
            fail_msg("case %zu: '%s' has no '%s'", i, plim_scene_problem(scene, 0), cases[i][1]);
        plim_scene_destroy(scene);
    }
    test_context_close(context);
}

static void test_grid(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        PlimContext *context = test_context(1);
        PlimScene *scene;
        PlimWorld *world = make_world(context, dim == 2 ? "2" : "3", &scene);
        const Fluid *fluid = fluid_of(world);
        assert_int_equal(fluid->grid.dim, dim);
        assert_int_equal(fluid->grid.n[0], 20);
        assert_int_equal(fluid->grid.n[1], 11); /* 10.67 */
        assert_int_equal(fluid->grid.n[2], dim == 3 ? 8 : 1);
        assert_close(fluid->grid.spacing, 0.075, 1e-15);
        assert_int_equal(fluid->sizes[FLUID_GROUP_FACES_Z].count, dim == 3 ? 20 * 11 * 9 : 0);
        /* In two dimensions the plane z = 0 misses the ball, whose centre is 0.3 away. */
        if (dim == 2) assert_int_equal(fluid->cut.fluid_cells, 220);
        if (dim == 3) assert_true(fluid->cut.fluid_cells < 1760);
        /* The estimate that `check` prints holds for the world. */
        assert_true(plim_scene_memory(scene) > 0);
        plim_world_destroy(world);
        plim_scene_destroy(scene);
        test_context_close(context);
    }
}

/* ---- steps ---- */

static void test_projection(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        PlimContext *context = test_context(2);
        PlimScene *scene;
        PlimWorld *world = make_world(context, dim == 2 ? "2" : "3", &scene);
        double rough = figure(world, "divergence.max");
        double energy = figure(world, "energy.kinetic");
        assert_true(rough > 1.0 && energy > 1.0);
        assert_int_equal(plim_world_step(world, 0.1), PLIM_OK);
        double kept = figure(world, "energy.kinetic");
        print_message("%dD: divergence %.3g -> %.3g 1/s, energy %.4g -> %.4g J, %g iterations\n",
                      dim, rough, figure(world, "divergence.max"), energy, kept,
                      figure(world, "solve.pressure.iterations"));
        assert_true(figure(world, "divergence.max") < 1e-4 * rough);
        assert_true(kept < energy && kept > 0.05 * energy);
        assert_true(figure(world, "solve.pressure.iterations") > 0);
        assert_int_equal(plim_world_step(world, 0.05), PLIM_OK);
        uint64_t allocations = context->allocations;
        for (int i = 0; i < 3; i++) assert_int_equal(plim_world_step(world, 0.05), PLIM_OK);
        assert_true(context->allocations == allocations);
        assert_close(figure(world, "energy.kinetic") / kept, 1.0, 1e-9);
        plim_world_destroy(world);
        plim_scene_destroy(scene);
        test_context_close(context);
    }
}

/* Runs three steps, with what may not matter in between. */
static uint64_t hash_after(int threads, const char *dim, bool drop, bool restore) {
    PlimContext *context = test_context(threads);
    PlimScene *scene;
    PlimWorld *world = make_world(context, dim, &scene);
    PlimSnapshot *snapshot = NULL;
    if (restore) assert_int_equal(plim_snapshot_create(world, &snapshot), PLIM_OK);
    for (int pass = restore ? 0 : 1; pass < 2; pass++) {
        for (int i = 0; i < 3; i++) {
            if (drop) assert_int_equal(plim_world_drop_caches(world), PLIM_OK);
            assert_int_equal(plim_world_step(world, 0.1), PLIM_OK);
        }
        if (pass == 0) assert_int_equal(plim_snapshot_restore(world, snapshot), PLIM_OK);
    }
    uint64_t hash = plim_world_hash(world);
    plim_snapshot_destroy(snapshot);
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    test_context_close(context);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    static const char *const dims[] = {"2", "3"};
    for (int i = 0; i < 2; i++) {
        uint64_t hash = hash_after(1, dims[i], false, false);
        assert_true(hash_after(2, dims[i], false, false) == hash);
        assert_true(hash_after(4, dims[i], true, false) == hash);
        assert_true(hash_after(2, dims[i], false, true) == hash);
    }
}

/* ---- flow ---- */

static PlimWorld *world_of(PlimContext *context, const char *text, PlimScene **scene) {
    *scene = parse(context, text, NULL, PLIM_OK);
    PlimWorld *world;
    if (plim_scene_create_world(*scene, &world) != PLIM_OK) fail_msg("%s", context->message);
    return world;
}

static void close_world(PlimContext *context, PlimWorld *world, PlimScene *scene) {
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    test_context_close(context);
}

/* 000 section 4.4.1: a step of no length changes no bit on nodes, where averaging velocities back
 * and forth would change them all; a short one changes as little as it is short. */
static void test_node_zero_step(void **state) {
    (void)state;
    static const char text[] =
        HEAD "  cells: 12\n  storage: node\n  cfl: 3\n"
             "  smoke: {buoyancy: 1}\n"
             "  initial: {random: {amplitude: 2, length: 0.3}, smoke: \"=x*y\", temperature: 3}\n"
             "  obstacles:\n"
             "    - place: {shape: {ball: {radius: 0.2}}, position: [0.5, 0.5, 0.5]}\n";
    PlimContext *context = test_context(2);
    PlimScene *scene;
    PlimWorld *world = world_of(context, text, &scene);
    assert_int_equal(plim_world_step(world, 0.02), PLIM_OK);
    const Fluid *fluid = fluid_of(world);
    uint64_t hash = plim_world_hash(world);
    StepInfo step = world_step_info(world, 0.0);
    assert_int_equal(fluid_advect_on_nodes(fluid_of(world), &step), PLIM_OK);
    assert_true(plim_world_hash(world) == hash);

    size_t faces = fluid->sizes[FLUID_GROUP_FACES_X].count;
    double *before = malloc(faces * sizeof *before), greatest = 0;
    memcpy(before, fluid->velocity_x, faces * sizeof *before);
    step = world_step_info(world, 1e-9);
    assert_int_equal(fluid_advect_on_nodes(fluid_of(world), &step), PLIM_OK);
    for (size_t i = 0; i < faces; i++)
        greatest = fmax(greatest, fabs(fluid->velocity_x[i] - before[i]));
    assert_true(greatest > 0 && greatest < 1e-6);
    free(before);
    close_world(context, world, scene);
}

/* Fluid at rest stays at rest to the bit, in both storages, with bodies and smoke in it. */
static void test_rest(void **state) {
    (void)state;
    static const char *const storages[] = {"face", "node"};
    for (int round = 0; round < 2; round++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD "  cells: 10\n  storage: %s\n  viscosity: 0.1\n  smoke: {}\n"
                      "  initial: {smoke: \"=x\"}\n"
                      "rigid:\n  bodies:\n"
                      "    - {name: ball, motion: static, shape: {ball: {radius: 0.2}}, "
                      "position: [0.5, 0.4, 0.5]}\n",
                 storages[round]);
        PlimContext *context = test_context(2);
        PlimScene *scene;
        PlimWorld *world = world_of(context, text, &scene);
        uint64_t hash = state_hash(fluid_class.schema, fluid_of(world), 1);
        for (int i = 0; i < 3; i++) assert_int_equal(plim_world_step(world, 0.1), PLIM_OK);
        assert_true(state_hash(fluid_class.schema, fluid_of(world), 1) == hash);
        close_world(context, world, scene);
    }
}

static double probe(const PlimWorld *world, const char *object, const char *quantity, int which) {
    const Fluid *fluid = fluid_of(world);
    size_t index = fluid_find_object(fluid, object);
    assert_true(index != SIZE_MAX);
    for (size_t i = 0; i < FLUID_QUANTITY_COUNT; i++) {
        double values[4];
        if (strcmp(fluid_quantities[i].name, quantity) != 0) continue;
        assert_true(fluid_quantities[i].applies(fluid, index));
        fluid_quantities[i].read(fluid, index, values);
        return values[which];
    }
    fail_msg("no quantity %s", quantity);
    return 0;
}

/* Archimedes: fluid at rest lifts a body by the weight of what it displaces, in any direction of
 * gravity; the surface is cut into planes, which makes an error of second order. */
static void test_archimedes(void **state) {
    (void)state;
    static const char text[] = "plimsoll: 1\ngravity: [3, -8, 2]\nfluid:\n"
                               "  cells: 32\n  density: 900\n"
                               "rigid:\n  bodies:\n"
                               "    - {name: ball, motion: static, shape: {ball: {radius: 0.3}}, "
                               "position: [0.52, 0.47, 0.5]}\n";
    PlimContext *context = test_context(2);
    PlimScene *scene;
    PlimWorld *world = world_of(context, text, &scene);
    const double gravity[3] = {3, -8, 2}, pi = 3.14159265358979323846;
    double displaced = 900 * 4.0 / 3.0 * pi * 0.027;
    for (int axis = 0; axis < 3; axis++)
        assert_close(probe(world, "ball", "fluid_force", axis) / (-displaced * gravity[axis]), 1,
                     0.01);
    close_world(context, world, scene);
}

/* A piston in a tank with an opening pushes out what it sweeps, in every step, also when it turns
 * around within a cell. */
static void test_swept_volume(void **state) {
    (void)state;
    static const char text[] =
        "plimsoll: 1\ndim: 2\nfluid:\n"
        "  domain: {high: [2, 1, 1]}\n  cells: 32\n  sides: {right: open}\n  tolerance: 1e-13\n"
        "rigid:\n  bodies:\n"
        "    - {name: piston, motion: kinematic, shape: {box: {size: [1, 1.4, 1]}}, "
        "position: [\"=-0.2 + 0.3*sin(3*t)\", 0.5, 0]}\n";
    PlimContext *context = test_context(2);
    PlimScene *scene;
    PlimWorld *world = world_of(context, text, &scene);
    double at = -0.2, worst = 0;
    for (int i = 1; i <= 40; i++) {
        assert_int_equal(plim_world_step(world, 0.03), PLIM_OK);
        double now = -0.2 + 0.3 * sin(3 * 0.03 * i), swept = (now - at) / 0.03;
        worst = fmax(worst, fabs(probe(world, "right", "flux", 0) - swept));
        at = now;
    }
    print_message("flux less swept volume: %.2g m^3/s\n", worst);
    assert_true(worst < 1e-10);
    close_world(context, world, scene);
}

/* Hot fluid rises, smoke that is heavy sinks, against gravity wherever it points. */
static void test_buoyancy(void **state) {
    (void)state;
    static const char *const smokes[] = {"{buoyancy: 2}", "{weight: 2}"};
    for (int round = 0; round < 4; round++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "plimsoll: 1\ngravity: [4, 0, 0]\nfluid:\n"
                 "  cells: 12\n  storage: %s\n  smoke: %s\n"
                 "  initial: {smoke: \"=exp(-40*((x-0.5)^2+(y-0.5)^2+(z-0.5)^2))\", "
                 "temperature: \"=exp(-40*((x-0.5)^2+(y-0.5)^2+(z-0.5)^2))\"}\n"
                 "probes: [{name: middle, point: [0.5, 0.5, 0.5], quantities: [velocity]}]\n",
                 round / 2 ? "node" : "face", smokes[round % 2]);
        PlimContext *context = test_context(2);
        PlimScene *scene;
        PlimWorld *world = world_of(context, text, &scene);
        for (int i = 0; i < 3; i++) assert_int_equal(plim_world_step(world, 0.05), PLIM_OK);
        double up = -probe(world, "middle", "velocity", 0);
        assert_true(round % 2 ? up < -0.02 : up > 0.02);
        close_world(context, world, scene);
    }
}

/* Smoke comes in through an inflow, in both storages, and the same all along a periodic side. */
static void test_smoke_comes_in(void **state) {
    (void)state;
    static const char *const storages[] = {"face", "node"};
    for (int round = 0; round < 2; round++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "plimsoll: 1\ndim: 2\nfluid:\n  cells: 16\n  storage: %s\n  smoke: {}\n"
                 "  sides: {bottom: periodic, top: periodic, right: open,\n"
                 "    left: {kind: inflow, velocity: [1, 0.5, 0], slip: 1e30, smoke: 1}}\n"
                 "  initial: {velocity: [1, 0.5, 0]}\n",
                 storages[round]);
        PlimContext *context = test_context(2);
        PlimScene *scene;
        PlimWorld *world = world_of(context, text, &scene);
        for (int i = 0; i < 10; i++) assert_int_equal(plim_world_step(world, 0.05), PLIM_OK);
        const Fluid *fluid = fluid_of(world);
        assert_close(fluid_total_smoke(fluid), 0.5, 0.06);
        size_t nx = (size_t)grid_place_size(&fluid->grid, fluid_smoke_place(fluid), 0);
        for (size_t i = 0; i < fluid->sizes[FLUID_GROUP_SMOKE].count; i++)
            assert_close(fluid->smoke[i], fluid->smoke[i % nx], 1e-12);
        close_world(context, world, scene);
    }
}

/* A body across a periodic side is as whole as one in the middle. */
static void test_periodic_body(void **state) {
    (void)state;
    double force[2];
    for (int round = 0; round < 2; round++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "plimsoll: 1\nfluid:\n  cells: 20\n"
                 "  sides: {left: periodic, right: periodic}\n"
                 "rigid:\n  bodies:\n    - {name: ball, motion: static, "
                 "shape: {ball: {radius: 0.2}}, position: [%g, 0.5, 0.5]}\n",
                 round ? 0.95 : 0.45);
        PlimContext *context = test_context(2);
        PlimScene *scene;
        PlimWorld *world = world_of(context, text, &scene);
        force[round] = probe(world, "ball", "fluid_force", 1);
        close_world(context, world, scene);
    }
    assert_close(force[1] / force[0], 1, 1e-6);
}

/* Fluid at rest in which volume is made flows out by as much. */
static void test_expansion(void **state) {
    (void)state;
    static const char text[] =
        "plimsoll: 1\ndim: 2\nfluid:\n  cells: 16\n  sides: {top: open}\n  tolerance: 1e-12\n"
        "  sources: [{name: well, shape: {box: {size: [0.5, 0.25, 1]}}, position: [0.5, 0.25, 0], "
        "expansion: 3}]\n";
    PlimContext *context = test_context(2);
    PlimScene *scene;
    PlimWorld *world = world_of(context, text, &scene);
    assert_int_equal(plim_world_step(world, 0.01), PLIM_OK);
    assert_close(probe(world, "top", "flux", 0), 3 * 0.125, 1e-9);
    close_world(context, world, scene);
}

/* More goes in than out of a closed box: refused with a message that says so. */
static void test_net_inflow(void **state) {
    (void)state;
    static const char text[] =
        HEAD "  cells: 8\n  sides: {left: {kind: inflow, velocity: [1, 0, 0]}}\n";
    PlimContext *context = test_context(1);
    PlimScene *scene = parse(context, text, NULL, PLIM_OK);
    PlimWorld *world;
    assert_int_equal(plim_scene_create_world(scene, &world), PLIM_BAD_INPUT);
    assert_non_null(strstr(context->message, "closed part of the fluid"));
    plim_scene_destroy(scene);
    test_context_close(context);
}

/* ---- frames ---- */

static void test_frame(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlimScene *scene;
    PlimWorld *world = make_world(context, "3", &scene);
    FrameView view;
    size_t mark = scratch_mark(&world->scratch), sizes[2];
    assert_int_equal(world_view_frame(world, &view), PLIM_OK);
    char *frame, *shapes;
    assert_int_equal(frame_file_encode(context, &view, 7, 0.5, &frame, &sizes[0]), PLIM_OK);
    assert_int_equal(shapes_file_encode(context, &view, &shapes, &sizes[1]), PLIM_OK);
    FrameData data;
    assert_int_equal(frame_file_decode(context, "frame", frame, sizes[0], shapes, sizes[1], &data),
                     PLIM_OK);
    assert_int_equal(data.view.volume_count, 1);
    const FrameVolume *a = &view.volumes[0], *b = &data.view.volumes[0];
    size_t cells = grid_cell_count(&fluid_of(world)->grid);
    assert_string_equal(b->name, "fluid");
    assert_int_equal(b->dim, 3);
    assert_memory_equal(a->n, b->n, sizeof a->n);
    assert_memory_equal(a->origin, b->origin, sizeof a->origin);
    assert_memory_equal(a->velocity, b->velocity, 3 * cells * sizeof(float));
    assert_memory_equal(a->pressure, b->pressure, cells * sizeof(float));
    assert_memory_equal(a->solid, b->solid, cells * sizeof(int32_t));
    frame_data_free(context, &data);
    context_free(context, frame, sizes[0], 1);
    context_free(context, shapes, sizes[1], 1);
    scratch_release(&world->scratch, mark);
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    test_context_close(context);
}

/* Frames whose grid and arrays do not fit together are refused, not read. */
static void test_damaged_frame(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const float values[24] = {0};
    const int32_t solid[8] = {0};
    FrameVolume volume = {.name = "fluid",
                          .dim = 3,
                          .n = {2, 2, 2},
                          .spacing = 1,
                          .velocity = values,
                          .pressure = values,
                          .solid = solid};
    FrameVolume small = volume, flat = volume, none = volume;
    small.n[2] = 1;
    flat.dim = 2;
    none.spacing = 0;
    const FrameVolume *pairs[][2] = {{&volume, &small}, {&flat, &flat}, {&none, &none}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        FrameView views[2] = {{.volume_count = 1}, {.volume_count = 1}};
        char *bytes[2];
        size_t sizes[2];
        for (int k = 0; k < 2; k++) views[k].volumes[0] = *pairs[i][k];
        assert_int_equal(frame_file_encode(context, &views[0], 0, 0, &bytes[0], &sizes[0]),
                         PLIM_OK);
        assert_int_equal(shapes_file_encode(context, &views[1], &bytes[1], &sizes[1]), PLIM_OK);
        FrameData data;
        assert_int_equal(
            frame_file_decode(context, "frame", bytes[0], sizes[0], bytes[1], sizes[1], &data),
            PLIM_BAD_INPUT);
        for (int k = 0; k < 2; k++) context_free(context, bytes[k], sizes[k], 1);
    }
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_scenes),     cmocka_unit_test(test_grid),
        cmocka_unit_test(test_projection),     cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_node_zero_step), cmocka_unit_test(test_rest),
        cmocka_unit_test(test_archimedes),     cmocka_unit_test(test_swept_volume),
        cmocka_unit_test(test_buoyancy),       cmocka_unit_test(test_smoke_comes_in),
        cmocka_unit_test(test_periodic_body),  cmocka_unit_test(test_expansion),
        cmocka_unit_test(test_net_inflow),     cmocka_unit_test(test_frame),
        cmocka_unit_test(test_damaged_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
