/* What a scene says about bodies that meet: surfaces, half spaces, prisms, keyframes, options. */
#include "bad_scene.h"
#include "scene_fixture.h"

#include "geom/mesh/mass.h"
#include "scene/prism.h"
#include "scene/scene.h"
#include "world/world.h"

#include <string.h>

/* ---- prisms ---- */

/* The prism of a body's shape, read alone. */
static PlimStatus read_prism(PlimContext *context, const char *shape, PlimScene **scene,
                             TriangleMesh *mesh) {
    char text[1024];
    snprintf(text, sizeof text, "plimsoll: 1\nrigid: {bodies: [{name: a, shape: {prism: %s}}]}\n",
             shape);
    TRY(plim_scene_parse(context, "scene.yaml", text, strlen(text), NULL, 0, scene));
    SceneNode *list = (*scene)->document.rigid.bodies.node;
    SceneShape read = {0};
    reader_read_one_of(&(*scene)->reader, node_get(list->children.data[0], "shape"),
                       &scene_shape_table, &read);
    return prism_mesh(&(*scene)->reader, &read.prism, mesh);
}

static void check_prism(const char *shape, double volume, double center_x, double center_y) {
    PlimContext *context = test_context(1);
    PlimScene *scene;
    TriangleMesh mesh;
    assert_int_equal(read_prism(context, shape, &scene, &mesh), PLIM_OK);
    assert_true(mesh_is_closed(context, &mesh));
    MassProperties mass = mesh_mass_properties(&mesh);
    assert_close(mass.volume, volume, 1e-12);
    assert_close(mass.center.x, center_x, 1e-12);
    assert_close(mass.center.y, center_y, 1e-12);
    assert_close(mass.center.z, 0, 1e-12);
    mesh_free(context, &mesh);
    plim_scene_destroy(scene);
    test_context_close(context);
}

static void prisms_are_closed_and_have_their_volume(void **state) {
    (void)state;
    check_prism("{points: [[0, 0], [2, 0], [2, 1], [0, 1]], depth: 3}", 6, 1, 0.5);
    /* Clockwise, with a point on a straight side. */
    check_prism("{points: [[0, 0], [0, 1], [1, 1], [2, 1], [2, 0]], depth: 3}", 6, 1, 0.5);
    /* An L, which is not convex: two squares below, one above the left. */
    check_prism("{points: [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]}", 3, 5.0 / 6, 5.0 / 6);
    check_prism("{points: [[0, 0], [\"=3*1\", 0], [0, \"=sqrt(9)\"]]}", 4.5, 1, 1);
    /* A comb whose teeth point down. */
    check_prism("{points: [[0, 3], [0, 0], [1, 2], [2, 0], [3, 2], [4, 0], [4, 3]], depth: 0.5}", 4,
                2, 23.0 / 12);
}

static void prisms_differ_from_copy_to_copy(void **state) {
    (void)state;
    Fixture built = open_scene("plimsoll: 1\nrigid:\n  bodies:\n"
                               "    - name: a\n"
                               "      density: 1\n"
                               "      shape: {prism: {points: [[0, 0], [\"=1 + n\", 0], [0, 1]]}}\n"
                               "      orientation: {axis: [0, 0, 1], angle: \"=90*n\"}\n"
                               "      repeat: {count: 3, spacing: [10, 0, 0]}\n");
    PlimPose pose;
    for (size_t i = 0; i < 3; i++)
        assert_close(plim_rigid_mass(built.world, i), 0.5 * (double)(1 + i), 1e-12);
    plim_rigid_pose(built.world, 1, &pose);
    /* The corner at the place of the copy, x turned to y. */
    assert_close(pose.position[0], -1.0 / 3, 1e-12);
    assert_close(pose.position[1], 2.0 / 3, 1e-12);
    close_scene(&built);
}

static void prisms_are_parts_of_shapes(void **state) {
    (void)state;
    Fixture built =
        open_scene("plimsoll: 1\nrigid:\n  bodies:\n"
                   "    - name: a\n"
                   "      density: 1\n"
                   "      shape: {union: {cells: 40, of: [{prism: {points: [[0, 0], [1, 0], "
                   "[1, 1], [0, 1]]}}, {place: {shape: {box: {}}, position: [1, 0.5, 0]}}]}}"
                   "\n");
    assert_close(plim_rigid_mass(built.world, 0), 1.5, 0.05);
    close_scene(&built);
}

/* ---- surfaces, options ---- */

static void own_values_come_before_the_material(void **state) {
    (void)state;
    Fixture built = open_scene(
        "plimsoll: 1\n"
        "materials: [{name: ice, friction: 0, restitution: 0.25}]\n"
        "rigid:\n"
        "  bodies:\n"
        "    - {name: a, shape: {box: {}}, material: ice}\n"
        "    - {name: b, shape: {box: {}}, position: [3, 0, 0], material: ice, friction: 0.9,\n"
        "       rolling_friction: 0.01}\n"
        "    - {name: c, shape: {box: {}}, position: [6, 0, 0], spinning_friction: 0.02}\n");
    static const double expected[3][4] = {{0, 0.25, 0, 0}, {0.9, 0.25, 0.01, 0}, {0.5, 0, 0, 0.02}};
    const RigidBodies *bodies = built.world->rigid;
    for (size_t i = 0; i < 3; i++) {
        assert_close(bodies->friction[i], expected[i][0], 0);
        assert_close(bodies->restitution[i], expected[i][1], 0);
        assert_close(bodies->rolling_friction[i], expected[i][2], 0);
        assert_close(bodies->spinning_friction[i], expected[i][3], 0);
    }
    close_scene(&built);
}

static void options_reach_the_bodies(void **state) {
    (void)state;
    Fixture built =
        open_scene("plimsoll: 1\n"
                   "seed: 17\n"
                   "rigid:\n"
                   "  contact: {collision_iterations: 7, shock_iterations: 0, clamp: no,\n"
                   "            travel: 0, pairs: lagged, sequence: standard}\n"
                   "  bodies:\n"
                   "    - {name: floor, shape: {half_space: {size: [3, 2]}}, motion: static}\n"
                   "    - {name: a, shape: {box: {}}, position: [0, 0.5, 0]}\n");
    const PlimRigidOptions *options = &built.world->rigid->options;
    assert_true(options->contact && options->push_out && options->sleep);
    assert_false(options->clamp);
    assert_int_equal(options->collision_iterations, 7);
    assert_int_equal(options->contact_iterations, 10);
    assert_int_equal(options->level_iterations, 2);
    assert_int_equal(options->shock_iterations, 0);
    assert_close(options->travel, 0, 0);
    assert_int_equal(options->pairs, PLIM_PAIRS_LAGGED);
    assert_int_equal(options->sequence, PLIM_SEQUENCE_STANDARD);
    assert_int_equal(options->seed, 17);
    close_scene(&built);
    built = open_scene("plimsoll: 1\nrigid: {contact: {enabled: false}, bodies: []}\n");
    assert_false(built.world->rigid->options.contact);
    close_scene(&built);
}

/* ---- keyframes ---- */

static void velocities_of_keyframes_are_derivatives(const char *body) {
    char text[1024];
    snprintf(text, sizeof text,
             "plimsoll: 1\nrigid:\n  bodies:\n    - {name: a, shape: {prism: {points: [[0, 0], [1, "
             "0], [0, 1]]}}, motion: kinematic, %s}\n",
             body);
    Fixture built = open_scene(text);
    RigidBodies *bodies = built.world->rigid;
    PlimPose before, at, after;
    const double h = 1e-5;
    for (double t = -0.5; t < 5.5; t += 0.0931) {
        PlimPose *poses[] = {&before, &at, &after};
        for (int i = 0; i < 3; i++)
            assert_int_equal(bodies->extras.data[0].path(bodies->extras.data[0].path_user,
                                                         built.context, t + (i - 1) * h, poses[i]),
                             PLIM_OK);
        for (int axis = 0; axis < 3; axis++)
            assert_close(at.velocity[axis],
                         (after.position[axis] - before.position[axis]) / (2 * h), 2e-4);
        Quat turned = quat_multiply(quat_load(after.orientation),
                                    quat_conjugate(quat_load(before.orientation)));
        Vec3 spin = vec3_scale(1 / (2 * h), quat_log(turned));
        assert_close(vec3_length(vec3_sub(spin, vec3_load(at.angular_velocity))), 0, 2e-4);
    }
    close_scene(&built);
}

static void keyframes_move_smoothly(void **state) {
    (void)state;
    velocities_of_keyframes_are_derivatives(
        "keyframes: [{t: 0, position: [0, 1, 2]}, {t: 1, position: [1, 1, 0]}, "
        "{t: 3, position: [4, 0, 1]}, {t: 5, orientation: {axis: [0, 0, 1], angle: 90}}]");
    velocities_of_keyframes_are_derivatives(
        "keyframes: [{t: 0, orientation: {axis: [1, 0, 0], angle: 0}}, "
        "{t: 2, orientation: {axis: [1, 0, 0], angle: 900}}, "
        "{t: 5, orientation: {axis: [1, 0, 0], angle: 1000}}]");
    velocities_of_keyframes_are_derivatives(
        "keyframes: [{t: 0}, {t: 2, orientation: {axis: [1, 0, 0], angle: 90}}, "
        "{t: 4, orientation: {axis: [0, 0, 1], angle: -60}}]");
}

static void keyframes_are_reached(void **state) {
    (void)state;
    Fixture built = open_scene(
        "plimsoll: 1\nrigid:\n  bodies:\n"
        "    - {name: a, shape: {box: {}}, motion: kinematic, position: [1, 2, 3],\n"
        "       keyframes: [{t: 0.5}, {t: 1, position: [2, 2, 3]}, {t: 2, position: [4, 2, 3],\n"
        "       orientation: {axis: [0, 1, 0], angle: 720}}]}\n");
    static const struct {
        double t, x, angle;
    } cases[] = {{0, 1, 0}, {0.5, 1, 0}, {0.75, 1.5, 0}, {1, 2, 0}, {2, 4, 0}, {9, 4, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PlimPose pose;
        RigidBodies *bodies = built.world->rigid;
        assert_int_equal(bodies->extras.data[0].path(bodies->extras.data[0].path_user,
                                                     built.context, cases[i].t, &pose),
                         PLIM_OK);
        /* The middle of the first span, between rest and a rate of 2 m/s, is a little back. */
        assert_close(pose.position[0], cases[i].x, i == 2 ? 0.2 : 1e-12);
        assert_close(pose.position[1], 2, 1e-12);
        assert_close(fabs(pose.orientation[0]), 1, 1e-12);
        if (cases[i].t > 2) assert_close(pose.velocity[0], 0, 0);
    }
    close_scene(&built);
}

/* ---- what is refused ---- */

#define BODY(rest) "plimsoll: 1\nrigid: {bodies: [{name: a, " rest "}]}\n"
#define AT_BODY    "/rigid/bodies/0"

static void bad_surfaces_are_refused(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {BODY("shape: {box: {}}, restitution: 1.2"), 2, AT_BODY "/restitution",
         "is 1.2; it must be at least 0 and at most 1: above 1 each bounce would make energy"},
        {BODY("shape: {box: {}}, restitution: -0.1"), 2, AT_BODY "/restitution", "at least 0"},
        {BODY("shape: {box: {}}, friction: -0.1"), 2, AT_BODY "/friction/static", "at least 0"},
        {BODY("shape: {box: {}}, friction: .nan"), 2, AT_BODY "/friction/static", "finite"},
        {BODY("shape: {box: {}}, friction: \"=0/0\""), 2, AT_BODY "/friction/static",
         "division by zero"},
        {BODY("shape: {box: {}}, friction: {static: 0.2, kinetic: 0.3}"), 2, AT_BODY "/friction",
         "what slides must not be held better"},
        {BODY("shape: {box: {}}, friction: {kinetic: 0.3}"), 2, AT_BODY "/friction",
         "'static' is missing"},
        {BODY("shape: {box: {}}, rolling_friction: -1"), 2, AT_BODY "/rolling_friction",
         "at least 0"},
        /* The letter may be a parameter, and then is not Euler's number, which would do. */
        {"plimsoll: 1\nparams: {e: 3}\nmaterials: [{name: m, friction: \"=e - 3.1\"}]\n", 3,
         "/materials/0/friction/static", "is -0.1"},
        {"plimsoll: 1\nmaterials: [{name: m, restitution: 2}]\n", 2, "/materials/0/restitution",
         "above 1"},
        {BODY("shape: {box: {size: [1, 0, 1]}}"), 2, AT_BODY "/shape/box/size/1", "above 0"},
        {BODY("shape: {half_space: {}}"), 2, AT_BODY "/shape", "no end and no mass"},
        {BODY("motion: static, shape: {half_space: {size: [1]}}"), 2,
         AT_BODY "/shape/half_space/size", "two numbers"},
        {"plimsoll: 1\nrigid: {contact: {pairs: laged}}\n", 2, "/rigid/contact/pairs",
         "did you mean 'lagged'?"},
        {"plimsoll: 1\nrigid: {contact: {shock_iterations: 2}}\n", 2,
         "/rigid/contact/shock_iterations", "at most 1"}};
    CHECK_ALL(cases);
}

static void bad_prisms_are_refused(void **state) {
    (void)state;
#define POINTS(list) BODY("shape: {prism: {points: " list "}}"), 2, AT_BODY "/shape/prism/points"
    static const BadScene cases[] = {
        {POINTS("[]"), "has 0 points; it must have at least 3"},
        {POINTS("[[0, 0], [1, 0]]"), "has 2 points"},
        {POINTS("[[0, 0], [1, 1], [2, 2]]"), "turns back on itself"},
        {POINTS("[[0, 0], [1, 1], [1, 0], [0, 1]]"), "crosses or touches itself"},
        {POINTS("[[0, 0], [2, 0], [2, 2], [1, 0], [0, 2]]"), "crosses or touches itself"},
        {POINTS("[[0, 0], [0, 0], [1, 0], [0, 1]]"), "turns back on itself"},
        {BODY("shape: {prism: {points: [[0, 0], [1], [1, 1]]}}"), 2,
         AT_BODY "/shape/prism/points/1", "two numbers"},
        {BODY("shape: {prism: {points: [[0, 0], [1, b], [1, 1]]}}"), 2,
         AT_BODY "/shape/prism/points/1/1", "finite number"},
        {BODY("shape: {prism: {points: 3}}"), 2, AT_BODY "/shape/prism/points", "a list of points"},
        {BODY("shape: {prism: {points: [[0, 0], [1, 0], [1, 1]], depth: 0}}"), 2,
         AT_BODY "/shape/prism/depth", "above 0"},
        /* Only the second copy is wrong. */
        {BODY("shape: {prism: {points: [[0, 0], [1, 0], [1, \"=1 - n\"]]}}, repeat: {count: 2}"), 2,
         AT_BODY "/shape", "turns back on itself"}};
    CHECK_ALL(cases);
}

static void bad_keyframes_are_refused(void **state) {
    (void)state;
#define PATH "shape: {box: {}}, motion: kinematic, keyframes: "
    static const BadScene cases[] = {
        {BODY(PATH "[{t: 0}, {t: 2}, {t: 1}]"), 2, AT_BODY "/keyframes/2",
         "is at t = 1 s, the one before at 2 s"},
        {BODY(PATH "[{t: 0}, {t: 0}]"), 2, AT_BODY "/keyframes/1", "each must be later"},
        {BODY(PATH "[]"), 2, AT_BODY "/keyframes", "at least one"},
        {BODY(PATH "[{position: [0, 0, 0]}]"), 2, AT_BODY "/keyframes/0", "'t' is missing"},
        {BODY(PATH "[{t: 0, orientation: {angle: \"=t\"}}]"), 2, AT_BODY "/keyframes/0", "uses t"},
        {BODY(PATH "[{t: 0, orientation: {axis: [0, 0, 0]}}]"), 2, AT_BODY "/keyframes/0",
         "must not be zero"},
        {BODY(PATH "[{t: 0}], position: [\"=t\", 0, 0]"), 2, AT_BODY, "both keyframes"},
        {BODY("shape: {box: {}}, keyframes: [{t: 0}]"), 2, AT_BODY "/keyframes",
         "motion: kinematic"}};
    CHECK_ALL(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prisms_are_closed_and_have_their_volume),
        cmocka_unit_test(prisms_differ_from_copy_to_copy),
        cmocka_unit_test(prisms_are_parts_of_shapes),
        cmocka_unit_test(own_values_come_before_the_material),
        cmocka_unit_test(options_reach_the_bodies),
        cmocka_unit_test(keyframes_move_smoothly),
        cmocka_unit_test(keyframes_are_reached),
        cmocka_unit_test(bad_surfaces_are_refused),
        cmocka_unit_test(bad_prisms_are_refused),
        cmocka_unit_test(bad_keyframes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
