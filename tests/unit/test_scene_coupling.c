/* Scenes with dynamic bodies in a fluid: keys of the coupling, mass properties of what the fluid
 * sees, and what is refused. */
#include "bad_scene.h"
#include "rigid_offer.h"
#include "scene_fixture.h"

#include "fluid/internal.h"
#include "scene/scene.h"
#include "world/domains.h"

static const double pi = 3.14159265358979323846;

#define TANK "plimsoll: 1\nfluid: {cells: 16, density: 800}\nrigid:\n  bodies:\n"
#define POND "plimsoll: 1\ndim: 2\nfluid: {cells: 16, density: 800}\nrigid:\n  bodies:\n"
#define BALL "    - {name: ball, shape: {ball: {radius: 0.2}}, position: [0.5, 0.5, 0.5]"

/* ---- keys ---- */

typedef struct KeyCase {
    const char *text;
    bool monolithic, one_way, hold;
} KeyCase;

static void test_keys(void **state) {
    (void)state;
    static const KeyCase cases[] = {
        {TANK BALL "}\n", true, false, false},
        {TANK BALL ", motion: static}\n", false, false, false},
        {TANK BALL ", passive: true}\n", false, false, false},
        {TANK BALL "}\ncoupling: {}\n", true, false, false},
        {TANK BALL "}\ncoupling: {fluid: one_way}\n", false, true, false},
        {TANK BALL "}\ncoupling: {fluid: one_way, solver: split}\n", false, true, false},
        {TANK BALL ", motion: static}\ncoupling: {solver: monolithic}\n", true, false, false},
        {TANK BALL ", motion: static}\ncoupling: {solver: \"=1\"}\n", true, false, false},
        {TANK BALL "}\ncoupling: {positions: hold}\n", true, false, true},
        {"plimsoll: 1\nfluid: {cells: 8}\ncoupling: {solver: split}\n", false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture f = open_scene(cases[i].text);
        FluidDesc desc = fluid_of(f.world)->desc;
        assert_int_equal(desc.monolithic, cases[i].monolithic);
        assert_int_equal(desc.one_way, cases[i].one_way);
        assert_int_equal(desc.hold_bodies, cases[i].hold);
        assert_int_equal(f.world->rigid->options.hold_positions, cases[i].hold);
        Fixture again = open_scene(plim_scene_text(f.scene));
        assert_string_equal(plim_scene_text(again.scene), plim_scene_text(f.scene));
        close_scene(&again);
        close_scene(&f);
    }
}

static void test_holding(void **state) {
    (void)state;
    Fixture f = open_scene(TANK BALL ", pin: [0.4, 0.5, 0.6]}\n"
                                     "    - {name: b, shape: {ball: {radius: 0.1}}, position: "
                                     "[0.2, 0.2, 0.2], lock_rotation: true}\n");
    const RigidBodies *bodies = f.world->rigid;
    assert_int_equal(bodies->held[0], RIGID_PINNED);
    assert_close(bodies->pin[0], 0.4, 0);
    assert_close(bodies->pin[2], 0.6, 0);
    assert_int_equal(bodies->held[1], RIGID_TURN_LOCKED);
    /* As rows: three of the pin, then three of the lock. */
    SystemDofs dofs = rigid_offer_of(f.world->rigid, SOLVE_WHOLE_STEP);
    assert_int_equal(dof_rows_count(&dofs.rows), 6);
    for (size_t e = 0; e < dofs.rows.rows.row_start.data[3]; e++)
        assert_true(dofs.rows.rows.column.data[e] < 6);
    for (size_t e = dofs.rows.rows.row_start.data[3]; e < dofs.rows.rows.column.count; e++)
        assert_true(dofs.rows.rows.column.data[e] >= 9);
    dofs_free(&dofs, f.context);
    close_scene(&f);
}

/* ---- mass ---- */

/* In three dimensions the exact ball, in two the exact disc; both exactly as dense as asked for. */
static void test_density(void **state) {
    (void)state;
    Fixture f = open_scene(TANK BALL ", density: 800}\n");
    const RigidBodies *b = f.world->rigid;
    assert_close(b->volume[0], 4.0 / 3.0 * pi * 0.008, 1e-16);
    assert_true(b->mass[0] == 800 * b->volume[0]);
    close_scene(&f);
    f = open_scene(POND "    - {name: ball, shape: {ball: {radius: 0.25}}, position: [0.5, 0.5, "
                        "0.15], density: 800}\n");
    b = f.world->rigid;
    assert_close(b->volume[0] / (pi * 0.04), 1, 1e-7);
    assert_true(b->mass[0] == 800 * b->volume[0]);
    assert_close(b->inertia[8] / (0.5 * b->mass[0] * 0.04), 1, 1e-7);
    assert_close(b->position[2], 0, 0);
    close_scene(&f);
    /* The same without a fluid, whatever its triangles enclose. */
    f = open_scene("plimsoll: 1\nrigid:\n  bodies:\n" BALL ", density: 800}\n");
    assert_close(f.world->rigid->volume[0], 4.0 / 3.0 * pi * 0.008, 1e-16);
    assert_true(f.world->rigid->mass[0] == 800 * f.world->rigid->volume[0]);
    close_scene(&f);
}

/* A cone, cut along its axis: a triangle whose centre is a third of the way up. It lies on its
 * side, and what is drawn stays where it was. */
static void test_cut(void **state) {
    (void)state;
    Fixture f = open_scene(POND "    - {name: cone, shape: {cone: {radius: 0.2, height: 0.6}}, "
                                "position: [0.5, 0.45, 0], orientation: {axis: [0, 0, 1], "
                                "angle: 90}, mass: 3}\n");
    const RigidBodies *b = f.world->rigid;
    assert_close(b->volume[0], 0.2 * 0.6, 1e-7);
    assert_close(b->mass[0], 3, 0);
    /* The base is at +0.3 along x, the apex at -0.3. */
    assert_close(b->position[0], 0.5 + 0.3 - 0.2, 1e-7);
    assert_close(b->position[1], 0.45, 1e-7);
    double second = 0.12 * (0.6 * 0.6 / 18 + 0.4 * 0.4 / 24);
    assert_close(b->inertia[8] / (3 * second / 0.12), 1, 1e-6);
    Vec3 offset = b->extras.data[0].mesh_offset;
    /* The solid's centre of mass is a quarter up, the cut's a third. */
    assert_close(offset.y, 0.6 / 4 - 0.6 / 3, 1e-7);
    close_scene(&f);
}

/* An inertia that is given is that about the axis out of the plane. */
static void test_given_inertia(void **state) {
    (void)state;
    Fixture f = open_scene(POND "    - {name: bar, shape: {cylinder: {radius: 0.2, height: 1}}, "
                                "position: [0.5, 0.5, 0], orientation: {axis: [1, 0, 0], "
                                "angle: 90}, inertia: [1, 2, 3], angular_velocity: [0, 0, 5]}\n");
    assert_close(f.world->rigid->inertia[8], 2, 1e-14);
    assert_close(f.world->rigid->angular_momentum[2], 10, 1e-12);
    close_scene(&f);
}

/* A body that swims in the plane stays in it. */
static void test_stays_in_plane(void **state) {
    (void)state;
    Fixture f = open_scene(POND "    - {name: box, shape: {box: {size: [0.3, 0.2, 0.4]}}, "
                                "position: [0.5, 0.5, 0.1], orientation: {axis: [1, 2, 3], angle: "
                                "40}, angular_velocity: [0, 0, 3], pin: [0.6, 0.5, 7]}\n"
                                "coupling: {fluid: one_way}\n");
    for (int i = 0; i < 10; i++) assert_int_equal(plim_world_step(f.world, 0.02), PLIM_OK);
    const RigidBodies *b = f.world->rigid;
    assert_close(b->position[2], 0, 1e-15);
    assert_close(b->velocity[2], 0, 1e-15);
    assert_close(fabs(b->angular_velocity[0]) + fabs(b->angular_velocity[1]), 0, 1e-13);
    assert_true(fabs(b->angular_velocity[2]) > 0.1);
    close_scene(&f);
}

/* ---- what is refused ---- */

static void test_bad_keys(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {TANK BALL "}\ncoupling: {solver: split}\n", 6, "/coupling/solver", "'fluid: one_way'"},
        {TANK BALL "}\ncoupling: {solver: both}\n", 6, "/coupling/solver", "auto, monolithic"},
        {TANK BALL "}\ncoupling: {position: hold}\n", 6, "/coupling/position",
         "did you mean 'positions'?"},
        {"plimsoll: 1\ncoupling: {positions: hold}\n", 2, "/coupling", "there is no fluid"},
        {TANK BALL ", motion: static, pin: [0, 0, 0]}\n", 5, "/rigid/bodies/0/pin",
         "only a dynamic body"},
        {TANK BALL ", motion: static, lock_rotation: true}\n", 5, "/rigid/bodies/0/lock_rotation",
         "only a dynamic body"},
        {TANK BALL ", motion: static, passive: yes}\n", 5, "/rigid/bodies/0/passive",
         "only a dynamic body"},
        {TANK BALL ", passive: yes}\ncoupling: {fluid: one_way}\n", 5, "/rigid/bodies/0/passive",
         "no fluid that carries"},
        {"plimsoll: 1\nrigid:\n  bodies:\n" BALL ", passive: yes}\n", 4, "/rigid/bodies/0/passive",
         "no fluid that carries"},
        {TANK BALL ", mass: 0}\n", 5, "/rigid/bodies/0/mass", "above 0"},
        {TANK BALL ", density: 0}\n", 5, "/rigid/bodies/0/density", "above 0"},
        {POND BALL ", velocity: [0, 0, 1]}\n", 6, "/rigid/bodies/0/velocity", "two dimensions"},
        {POND BALL ", angular_velocity: [1, 0, 0]}\n", 6, "/rigid/bodies/0/angular_velocity",
         "about z alone"},
        {"plimsoll: 1\ndim: 2\ngravity: [0, 0, -9]\nfluid: {cells: 16}\nrigid:\n  bodies:\n"
         "    - {name: a, shape: {ball: {radius: 0.2}}, position: [0.5, 0.5, 0]}\n",
         3, "/gravity", "two dimensions"},
        {POND "    - {name: a, shape: {ball: {radius: 0.2}}, position: [0.5, 0.5, 0.5]}\n", 6,
         "/rigid/bodies/0", "nothing of the shape is in the plane"},
    };
    CHECK_ALL(cases);
}

static void test_bad_fit(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {TANK "    - {name: a, shape: {box: {size: [1.2, 0.3, 0.3]}}, position: [0.5, 0.5, 0.5]}\n",
         5, "/rigid/bodies/0", "body 'a' is longer along x than the fluid's domain"},
        {TANK "    - {name: a, shape: {ball: {radius: 0.2}}, position: [0.5, 0.1, 0.5]}\n", 5,
         "/rigid/bodies/0", "overlaps the bottom side of the fluid's domain, which is a wall"},
        {TANK "    - {name: a, shape: {ball: {radius: 0.2}}, position: [0.5, 0.5, 0.9]}\n", 5,
         "/rigid/bodies/0", "overlaps the front side"},
        {TANK "    - {name: a, shape: {ball: {radius: 0.2}}, position: [0.5, 2, 0.5]}\n", 5,
         "/rigid/bodies/0", "body 'a' is outside the fluid's domain"},
        {TANK "    - {name: a, shape: {box: {size: [0.5, 0.05, 0.5]}}, position: [0.5, 0.5, "
              "0.5]}\n",
         5, "/rigid/bodies/0", "1.5 cells thick, 0.09375 m"},
        {TANK "    - {name: a, shape: {ball: {radius: 0.2}}, position: [\"=0.3 + n\", 0.5, 0.5], "
              "repeat: {count: 2, spacing: [0, 0, 0]}}\n",
         5, "/rigid/bodies/0", "body 'a_1' is outside"},
        {POND "    - {name: a, shape: {box: {size: [0.5, 0.05, 1]}}, position: [0.5, 0.5, 0]}\n", 6,
         "/rigid/bodies/0", "body 'a' is too thin for cells of 0.0625 m"},
        {"plimsoll: 1\nfluid: {cells: 16, sides: {left: inflow, right: open}}\nrigid:\n  bodies:\n"
         "    - {name: a, shape: {ball: {radius: 0.2}}, position: [0.1, 0.5, 0.5]}\n",
         5, "/rigid/bodies/0", "overlaps the left side of the fluid's domain, which is an inflow"},
    };
    CHECK_ALL(cases);
}

/* What touches a wall, lies across an open or periodic side, is just thick enough, or does not feel
 * the fluid. */
static void test_good_fit(void **state) {
    (void)state;
    static const char *const cases[] = {
        TANK "    - {name: a, shape: {ball: {radius: 0.2}}, position: [0.2, 0.2, 0.8]}\n",
        TANK "    - {name: a, shape: {box: {size: [0.4, 0.4, 0.4]}}, position: [0.5, 0.2, 0.5]}\n",
        TANK "    - {name: a, shape: {box: {size: [0.5, 0.09375, 0.5]}}, position: [0.51, 0.47, "
             "0.5], orientation: {axis: [1, 1, 0], angle: 20}}\n",
        TANK "    - {name: a, shape: {ball: {radius: 0.01}}, position: [0.5, 0.5, 0.5], passive: "
             "true}\n",
        TANK "    - {name: a, shape: {ball: {radius: 0.01}}, position: [0.5, 9, 0.5]}\n"
             "coupling: {fluid: one_way}\n",
        TANK "    - {name: a, shape: {box: {size: [2, 1, 1]}}, position: [0.5, 9, 0.5], motion: "
             "static}\n",
        "plimsoll: 1\nfluid: {cells: 16, sides: {top: open, left: periodic, right: periodic}}\n"
        "rigid: {bodies: [{name: a, shape: {box: {size: [1.1, 0.3, 0.3]}}, position: [3.1, 1, "
        "0.5]}]}\n",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture f = open_scene(cases[i]);
        close_scene(&f);
    }
}

/* ---- pockets ---- */

/* What is in the middle of a ring under water: a few cells are like air, a lake is not. */
static CellKind inside_ring(const char *ring) {
    char text[512];
    snprintf(text, sizeof text,
             "plimsoll: 1\ndim: 2\nfluid:\n  cells: 32\n  sides: {top: open}\n"
             "  liquid: {level: \"=y-0.95\"}\nrigid:\n  bodies:\n"
             "    - {name: ring, shape: {torus: %s}, position: [0.484375, 0.484375, 0], "
             "orientation: {axis: [1, 0, 0], angle: 90}, density: 1000}\n",
             ring);
    Fixture f = open_scene(text);
    assert_int_equal(plim_world_step(f.world, 1e-3), PLIM_OK);
    const Fluid *fluid = fluid_of(f.world);
    CellKind kind = fluid->cut.kind[grid_cell_index(&fluid->grid, 15, 15, 0)];
    close_scene(&f);
    return kind;
}

static void test_pockets(void **state) {
    (void)state;
    assert_int_equal(inside_ring("{radius: 0.2, tube: 0.16, segments: 96}"), CELL_AIR);
    assert_int_equal(inside_ring("{radius: 0.3, tube: 0.12, segments: 96}"), CELL_FLUID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_holding),
        cmocka_unit_test(test_density),
        cmocka_unit_test(test_pockets),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_given_inertia),
        cmocka_unit_test(test_stays_in_plane),
        cmocka_unit_test(test_bad_keys),
        cmocka_unit_test(test_bad_fit),
        cmocka_unit_test(test_good_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
