/* Joints: rows against differences of their errors, chains of unlike masses, loops, ropes, two
 * dimensions, and descriptions that are refused. */
#include "check.h"

#include "base/random.h"
#include "plimsoll/plimsoll.h"
#include "rigid/bodies.h"
#include "world/world.h"

#include <string.h>

typedef struct Fixture {
    PlimContext *context;
    PlimWorld *world;
} Fixture;

static Fixture open_world(double gravity, bool plane) {
    Fixture f = {.context = test_context(1)};
    PlimWorldDesc desc = plim_world_desc_default();
    PlimRigidOptions options = plim_rigid_options_default();
    desc.gravity[1] = gravity;
    options.plane = plane;
    options.contact = 0;
    assert_int_equal(plim_world_create(f.context, &desc, &f.world), PLIM_OK);
    assert_int_equal(plim_rigid_configure(f.world, &options), PLIM_OK);
    return f;
}

static void close_world(Fixture *f) {
    plim_world_destroy(f->world);
    test_context_close(f->context);
}

static size_t add_box(Fixture *f, const char *name, double mass, double x, double y) {
    PlimRigidDesc desc = plim_rigid_desc_default();
    size_t id;
    desc.name = name;
    desc.shape.kind = PLIM_SHAPE_BOX;
    desc.shape.size[0] = 0.1;
    desc.shape.size[1] = 0.2;
    desc.shape.size[2] = 0.1;
    desc.mass = mass;
    desc.pose.position[0] = x;
    desc.pose.position[1] = y;
    if (plim_rigid_add(f->world, &desc, &id) != PLIM_OK) fail_msg("%s", plim_message(f->context));
    return id;
}

static PlimJointDesc joint(const char *name, PlimJointKind kind, size_t a, size_t b, double x,
                           double y) {
    PlimJointDesc desc = plim_joint_desc_default();
    desc.name = name;
    desc.kind = kind;
    desc.a = a;
    desc.b = b;
    desc.at[0] = x;
    desc.at[1] = y;
    return desc;
}

static size_t add_joint(Fixture *f, const PlimJointDesc *desc) {
    size_t id;
    if (plim_joint_add(f->world, desc, &id) != PLIM_OK) fail_msg("%s", plim_message(f->context));
    return id;
}

static PlimJointState state_of(const Fixture *f, size_t id) {
    PlimJointState state;
    assert_int_equal(plim_joint_state(f->world, id, &state), PLIM_OK);
    return state;
}

/* ---- rows ---- */

static Vec3 some(uint64_t stream) {
    return vec3(random_normal(3, stream, 0), random_normal(3, stream, 1),
                random_normal(3, stream, 2));
}

/* Where a body is after moving and turning at these rates for h. */
static BodyPlace moved(BodyPlace place, Vec3 velocity, Vec3 spin, double h) {
    return (BodyPlace){vec3_add_scaled(place.center, h, velocity),
                       quat_multiply(quat_exp(vec3_scale(h, spin)), place.turn)};
}

/* A joint that is closed, but for what it leaves free. */
static RigidJoint closed_joint(PlimJointKind kind, BodyPlace place[2]) {
    RigidJoint made = {.kind = kind, .size = 0.7, .length = 1.3};
    Quat axes = quat_exp(some(1));
    Vec3 at = some(2), z = quat_rotate(axes, vec3(0, 0, 1)), apart = vec3(0, 0, 0);
    if (kind == PLIM_JOINT_SLIDER || kind == PLIM_JOINT_CYLINDRICAL) apart = vec3_scale(0.4, z);
    if (kind == PLIM_JOINT_PLANE) apart = vec3_scale(0.6, quat_rotate(axes, vec3(1, 0, 0)));
    if (kind == PLIM_JOINT_DISTANCE || kind == PLIM_JOINT_ROPE)
        apart = vec3_scale(made.length, vec3_normalize(some(3)));
    for (int side = 0; side < 2; side++) {
        Vec3 own = side ? vec3_add(at, apart) : at;
        place[side] = (BodyPlace){some(4 + (uint64_t)side), quat_exp(some(6 + (uint64_t)side))};
        made.anchor[side] =
            quat_rotate_inverse(place[side].turn, vec3_sub(own, place[side].center));
        made.frame[side] = quat_multiply(quat_conjugate(place[side].turn), axes);
    }
    return made;
}

static void test_rows(void **state) {
    (void)state;
    static const int counts[PLIM_JOINT_KIND_COUNT] = {3, 6, 5, 5, 4, 4, 5, 1, 1, 1};
    const double h = 1e-6;
    for (int kind = 0; kind < PLIM_JOINT_KIND_COUNT; kind++) {
        BodyPlace place[2], ahead[2], back[2];
        RigidJoint made = closed_joint((PlimJointKind)kind, place);
        JointRow rows[JOINT_MOST_ROWS], after[JOINT_MOST_ROWS], before[JOINT_MOST_ROWS];
        JointBody body[2] = {{.velocity = some(10), .spin = some(11)},
                             {.velocity = some(12), .spin = some(13)}};
        assert_int_equal(joint_find_rows(&made, place, false, rows), counts[kind]);
        assert_true(joint_gap(&made, place, false) < 1e-14);
        for (int side = 0; side < 2; side++) {
            ahead[side] = moved(place[side], body[side].velocity, body[side].spin, h);
            back[side] = moved(place[side], body[side].velocity, body[side].spin, -h);
        }
        joint_find_rows(&made, ahead, false, after);
        joint_find_rows(&made, back, false, before);
        for (int i = 0; i < counts[kind]; i++) {
            double rate = (after[i].error - before[i].error) / (2 * h);
            assert_close(joint_row_speed(&rows[i], &body[0], &body[1]), rate, 1e-7);
            /* An impulse has no moment about the origin over both bodies. */
            Vec3 moment =
                vec3_sub(vec3_add(vec3_cross(place[1].center, rows[i].along), rows[i].turn[1]),
                         vec3_add(vec3_cross(place[0].center, rows[i].along), rows[i].turn[0]));
            assert_true(vec3_length(moment) < 1e-13);
        }
    }
}

/* ---- worlds ---- */

static void test_chain(void **state) {
    (void)state;
    enum { LINKS = 10 };
    Fixture f = open_world(-9.81, false);
    size_t last = PLIM_WORLD, top = 0;
    for (int i = 0; i < LINKS; i++) {
        char name[16];
        snprintf(name, sizeof name, "link%d", i);
        size_t link = add_box(&f, name, i == LINKS - 1 ? 1000 : 1, 0, -0.2 * i - 0.1);
        snprintf(name, sizeof name, "ring%d", i);
        PlimJointDesc ring = joint(name, PLIM_JOINT_POINT, last, link, 0, -0.2 * i);
        size_t id = add_joint(&f, &ring);
        if (i == 0) top = id;
        last = link;
    }
    assert_int_equal(world_refresh(f.world), PLIM_OK);
    assert_close(state_of(&f, top).force[1], (1000 + LINKS - 1) * 9.81, 1e-3); /* before any step */
    assert_int_equal(plim_world_advance(f.world, 0.1), PLIM_OK);
    assert_close(state_of(&f, top).force[1], (1000 + LINKS - 1) * 9.81, 1e-6);
    for (size_t i = 0; i < LINKS; i++) assert_true(state_of(&f, i).gap < 1e-12);
    close_world(&f);
}

/* Four hinges in a loop hold some motions twice; the loop keeps its energy and stays closed. */
static void test_loop(void **state) {
    (void)state;
    Fixture f = open_world(0, false);
    size_t a = add_box(&f, "a", 1, 0, 0.1), b = add_box(&f, "b", 1, 0.1, 0.2);
    size_t c = add_box(&f, "c", 1, 0.2, 0.1);
    PlimJointDesc hinges[4] = {joint("h0", PLIM_JOINT_HINGE, PLIM_WORLD, a, 0, 0),
                               joint("h1", PLIM_JOINT_HINGE, a, b, 0, 0.2),
                               joint("h2", PLIM_JOINT_HINGE, b, c, 0.2, 0.2),
                               joint("h3", PLIM_JOINT_HINGE, c, PLIM_WORLD, 0.2, 0)};
    for (int i = 0; i < 4; i++) add_joint(&f, &hinges[i]);
    PlimPose pose;
    const double spin = 3, speeds[3][3] = {{-0.3, 0, spin}, {-0.6, 0, 0}, {-0.3, 0, spin}};
    for (size_t i = 0; i < 3; i++) {
        plim_rigid_pose(f.world, i, &pose);
        pose.velocity[0] = speeds[i][0];
        pose.angular_velocity[2] = speeds[i][2];
        assert_int_equal(plim_rigid_set_pose(f.world, i, &pose), PLIM_OK);
    }
    assert_int_equal(world_refresh(f.world), PLIM_OK);
    double before = 0, after = 0;
    for (size_t i = 0; i < 3; i++) before += rigid_kinetic_energy(f.world->rigid, i);
    for (int i = 0; i < 200; i++) assert_int_equal(plim_world_step(f.world, 0.002), PLIM_OK);
    for (size_t i = 0; i < 3; i++) after += rigid_kinetic_energy(f.world->rigid, i);
    assert_close(after / before, 1, 1e-4);
    for (size_t i = 0; i < 4; i++) assert_true(state_of(&f, i).gap < 1e-12);
    assert_true(fabs(state_of(&f, 0).angle) > 0.5);
    close_world(&f);
}

/* A rope is slack, then taut; and breaks above its force. */
static void test_rope(void **state) {
    (void)state;
    Fixture f = open_world(-10, false);
    size_t body = add_box(&f, "body", 2, 0, -0.5);
    PlimJointDesc rope = joint("rope", PLIM_JOINT_ROPE, PLIM_WORLD, body, 0, 0);
    rope.to[1] = -0.5;
    rope.length = 0.8;
    size_t id = add_joint(&f, &rope);
    for (int i = 0; i < 10; i++) assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
    assert_close(state_of(&f, id).slide, 0.55, 1e-12); /* falls freely */
    assert_true(state_of(&f, id).force[1] == 0.0);
    for (int i = 0; i < 100; i++) assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
    assert_close(state_of(&f, id).slide, 0.8, 1e-9);
    assert_close(state_of(&f, id).force[1], 20, 1e-9);
    close_world(&f);

    f = open_world(-10, false);
    body = add_box(&f, "body", 2, 0, -0.5);
    rope.length = 0;
    rope.break_force = 15;
    id = add_joint(&f, &rope);
    for (int i = 0; i < 20; i++) assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
    assert_int_equal(state_of(&f, id).broken, 1);
    assert_true(state_of(&f, id).slide > 0.6);
    close_world(&f);
}

/* ---- limits, springs, drives ---- */

/* A bar on a hinge, level at the start. */
static size_t add_bar(Fixture *f, PlimJointDesc *hinge) {
    size_t bar = add_box(f, "bar", 2, 0.5, 0);
    *hinge = joint("hinge", PLIM_JOINT_HINGE, PLIM_WORLD, bar, 0, 0);
    return bar;
}

static void test_limit(void **state) {
    (void)state;
    Fixture f = open_world(-10, false);
    PlimJointDesc hinge;
    add_bar(&f, &hinge);
    hinge.has_limits = 1;
    hinge.limits[0] = -0.4;
    hinge.limits[1] = 1;
    size_t id = add_joint(&f, &hinge);
    double least = 0;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
        least = fmin(least, state_of(&f, id).angle);
    }
    assert_true(least > -0.4 - 1e-12);
    assert_close(state_of(&f, id).angle, -0.4, 1e-12);
    assert_close(state_of(&f, id).speed, 0, 1e-12);
    assert_close(state_of(&f, id).torque[2], 2 * 10 * 0.5 * cos(0.4), 1e-9);
    close_world(&f);
}

/* Control follows its curve under load; what is too heavy for its torque sinks. */
static void test_control(void **state) {
    (void)state;
    for (int weak = 0; weak < 2; weak++) {
        Fixture f = open_world(-10, false);
        PlimJointDesc hinge;
        add_bar(&f, &hinge);
        hinge.drive = PLIM_DRIVE_CONTROL;
        hinge.value = 0.5;
        hinge.strength = 25;
        hinge.max_torque = weak ? 4 : 0;
        size_t id = add_joint(&f, &hinge);
        for (int i = 0; i < 50; i++) assert_int_equal(plim_world_step(f.world, 0.02), PLIM_OK);
        PlimJointState now = state_of(&f, id);
        if (!weak) {
            assert_close(now.angle, 0.5 * (1 - 6 * exp(-5)), 1e-9);
        } else {
            assert_close(now.motor_torque, 4, 1e-9);
            assert_true(now.angle < -0.5);
        }
        close_world(&f);
    }
}

static void test_motor_and_spring(void **state) {
    (void)state;
    Fixture f = open_world(0, false);
    PlimJointDesc hinge;
    add_bar(&f, &hinge);
    hinge.drive = PLIM_DRIVE_MOTOR;
    hinge.value = 2;
    hinge.max_torque = 1;
    size_t id = add_joint(&f, &hinge);
    double inertia = 2 * (0.25 + (0.01 + 0.04) / 12);
    for (int i = 0; i < 50; i++) assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
    assert_close(state_of(&f, id).speed, 0.5 / inertia, 1e-9); /* as fast as its torque allows */
    for (int i = 0; i < 100; i++) assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
    assert_close(state_of(&f, id).speed, 2, 1e-12);
    assert_close(state_of(&f, id).motor_torque, 0, 1e-9);
    close_world(&f);

    f = open_world(0, false);
    add_bar(&f, &hinge);
    hinge.stiffness = 1e6;
    hinge.rest = 0.1;
    id = add_joint(&f, &hinge);
    double start = 0.5 * 1e6 * 0.01;
    for (int i = 0; i < 500; i++) {
        assert_int_equal(plim_world_step(f.world, 1.0 / 60), PLIM_OK);
        PlimJointState now = state_of(&f, id);
        double energy = 0.5 * 1e6 * pow(now.angle - 0.1, 2) + 0.5 * inertia * now.speed * now.speed;
        assert_true(energy < start * 1.001);
    }
    close_world(&f);
}

/* ---- contact ---- */

/* Two boxes on the floor, a bar joined to both by hinges above them: joints stay closed in contact,
 * the floor carries the weight of all, and joints that of the bar. */
static void test_contact(void **state) {
    (void)state;
    Fixture f = open_world(-10, false);
    PlimRigidOptions options = plim_rigid_options_default();
    options.sleep = 0;
    assert_int_equal(plim_rigid_configure(f.world, &options), PLIM_OK);
    PlimRigidDesc floor = plim_rigid_desc_default();
    size_t ground, left = add_box(&f, "left", 1, -0.5, 0.1),
                   right = add_box(&f, "right", 1, 0.5, 0.1);
    size_t bar = add_box(&f, "bar", 30, 0, 0.3);
    floor.name = "floor";
    floor.motion = PLIM_STATIC;
    floor.shape.kind = PLIM_SHAPE_HALF_SPACE;
    assert_int_equal(plim_rigid_add(f.world, &floor, &ground), PLIM_OK);
    PlimJointDesc hinges[2] = {joint("one", PLIM_JOINT_HINGE, left, bar, -0.5, 0.2),
                               joint("two", PLIM_JOINT_HINGE, right, bar, 0.5, 0.2)};
    for (int i = 0; i < 2; i++) add_joint(&f, &hinges[i]);
    for (int i = 0; i < 100; i++) assert_int_equal(plim_world_step(f.world, 0.005), PLIM_OK);
    double carried = 0, lowest = 1;
    for (size_t i = 0; i < 3; i++) {
        PlimPose pose;
        plim_rigid_pose(f.world, i, &pose);
        carried += f.world->rigid->contact_force[3 * i + 1];
        lowest = fmin(lowest, pose.position[1]);
    }
    assert_close(carried, 320, 0.5);
    assert_true(lowest > 0.099);
    for (size_t i = 0; i < 2; i++) {
        assert_true(state_of(&f, i).gap < 1e-9);
        assert_close(state_of(&f, i).force[1], 150, 1);
    }
    close_world(&f);
}

/* In the plane a hinge holds two motions, a rigid joint three. */
static void test_plane(void **state) {
    (void)state;
    Fixture f = open_world(-9.81, true);
    size_t a = add_box(&f, "a", 1, 0.1, 0), b = add_box(&f, "b", 1, 0.2, 0);
    PlimJointDesc hinge = joint("hinge", PLIM_JOINT_HINGE, PLIM_WORLD, a, 0, 0);
    PlimJointDesc weld = joint("weld", PLIM_JOINT_RIGID, a, b, 0.15, 0);
    add_joint(&f, &hinge);
    add_joint(&f, &weld);
    for (int i = 0; i < 100; i++) assert_int_equal(plim_world_step(f.world, 0.005), PLIM_OK);
    PlimPose one, two;
    plim_rigid_pose(f.world, a, &one);
    plim_rigid_pose(f.world, b, &two);
    assert_close(hypot(one.position[0], one.position[1]), 0.1, 1e-12);
    assert_close(hypot(two.position[0], two.position[1]), 0.2, 1e-12);
    assert_close(one.angular_velocity[2], two.angular_velocity[2], 1e-10);
    assert_true(state_of(&f, 0).gap < 1e-12 && state_of(&f, 1).gap < 1e-12);
    close_world(&f);
}

static void refuse(Fixture *f, const PlimJointDesc *desc, const char *why) {
    size_t id;
    assert_int_equal(plim_joint_add(f->world, desc, &id), PLIM_BAD_INPUT);
    if (!strstr(plim_message(f->context), why)) fail_msg("%s", plim_message(f->context));
}

static void test_refused(void **state) {
    (void)state;
    Fixture f = open_world(-9.81, false);
    size_t a = add_box(&f, "a", 1, 0, 0), b = add_box(&f, "b", 1, 0, -0.2);
    PlimJointDesc good = joint("j", PLIM_JOINT_HINGE, a, b, 0, -0.1), bad = good;
    bad.b = 7;
    refuse(&f, &bad, "no rigid body 7");
    bad = good;
    bad.a = bad.b = PLIM_WORLD;
    refuse(&f, &bad, "must be dynamic");
    bad = good;
    bad.a = b;
    refuse(&f, &bad, "name two");
    bad = good;
    bad.axis[2] = 0;
    refuse(&f, &bad, "axis has no length");
    bad = good;
    bad.at[0] = 1000;
    refuse(&f, &bad, "from the centre of");
    bad = good;
    bad.name = "a";
    refuse(&f, &bad, "a rigid body has that name");
    bad = good;
    bad.kind = PLIM_JOINT_UNIVERSAL;
    bad.second_axis[0] = 0;
    bad.second_axis[2] = 1;
    refuse(&f, &bad, "square");
    bad = good;
    bad.has_limits = 1;
    bad.limits[0] = 1;
    bad.limits[1] = -1;
    refuse(&f, &bad, "must be below");
    bad.limits[1] = 2;
    refuse(&f, &bad, "0 is not within");
    bad = good;
    bad.kind = PLIM_JOINT_POINT;
    bad.stiffness = 1;
    refuse(&f, &bad, "not for point");
    bad = good;
    bad.swing = 1;
    refuse(&f, &bad, "use limits");
    bad = good;
    bad.drive = PLIM_DRIVE_CONTROL;
    refuse(&f, &bad, "strength");
    add_joint(&f, &good);
    refuse(&f, &good, "two joints are named");
    /* Two rods that cannot meet. */
    PlimJointDesc rod = joint("rod", PLIM_JOINT_DISTANCE, PLIM_WORLD, a, 2, 0);
    rod.length = 0.5;
    add_joint(&f, &rod);
    rod.name = "other";
    rod.at[0] = -2;
    add_joint(&f, &rod);
    assert_int_equal(world_refresh(f.world), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(f.context), "cannot close"));
    close_world(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_chain),
        cmocka_unit_test(test_loop),    cmocka_unit_test(test_rope),
        cmocka_unit_test(test_contact), cmocka_unit_test(test_plane),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_control), cmocka_unit_test(test_motor_and_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
