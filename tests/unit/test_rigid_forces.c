/* Forces, damping, belts, groups and pairs of materials through the C interface. */
#include "check.h"

#include "plimsoll/plimsoll.h"

#include <math.h>
#include <string.h>

typedef struct Fixture {
    PlimContext *context;
    PlimWorld *world;
} Fixture;

static Fixture open_world(double gravity) {
    Fixture f = {.context = test_context(1)};
    PlimWorldDesc desc = plim_world_desc_default();
    desc.gravity[1] = -gravity;
    assert_int_equal(plim_world_create(f.context, &desc, &f.world), PLIM_OK);
    return f;
}

static void close_world(Fixture *f) {
    plim_world_destroy(f->world);
    test_context_close(f->context);
}

static PlimRigidDesc box(const char *name, double y) {
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = name;
    desc.shape.kind = PLIM_SHAPE_BOX;
    for (int k = 0; k < 3; k++) desc.shape.size[k] = 0.2;
    desc.mass = 2;
    desc.pose.position[1] = y;
    return desc;
}

static PlimRigidDesc ground(void) {
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = "ground";
    desc.motion = PLIM_STATIC;
    desc.shape.kind = PLIM_SHAPE_HALF_SPACE;
    desc.shape.size[0] = desc.shape.size[2] = 10;
    return desc;
}

static size_t add(const Fixture *f, const PlimRigidDesc *desc) {
    size_t id;
    assert_int_equal(plim_rigid_add(f->world, desc, &id), PLIM_OK);
    return id;
}

static PlimPose pose_of(const Fixture *f, size_t id) {
    PlimPose pose;
    assert_int_equal(plim_rigid_pose(f->world, id, &pose), PLIM_OK);
    return pose;
}

static PlimStatus cubic(void *user, PlimContext *context, double t, PlimForce *force) {
    (void)user, (void)context;
    *force = (PlimForce){.force = {t * t * t, 0, 0}};
    return PLIM_OK;
}

/* int t^3/2 = t^4/8, and t^5/40: in one step. */
static void one_step_is_exact_for_a_cubic(void **state) {
    (void)state;
    Fixture f = open_world(0);
    PlimForceDesc force = {.path = cubic};
    PlimRigidDesc desc = box("pushed", 0);
    desc.forces = &force;
    desc.force_count = 1;
    size_t id = add(&f, &desc);
    assert_int_equal(plim_world_step(f.world, 2.0), PLIM_OK);
    PlimPose pose = pose_of(&f, id);
    assert_close(pose.velocity[0], 2.0, 1e-14);
    assert_close(pose.position[0], 0.8, 1e-14);
    close_world(&f);
}

static PlimStatus fails(void *user, PlimContext *context, double t, PlimForce *force) {
    (void)context;
    force->force[0] = user ? NAN : 1.0;
    return t > 0.0 && !user ? PLIM_FAILED : PLIM_OK;
}

static void bad_forces_are_refused(void **state) {
    (void)state;
    Fixture f = open_world(0);
    size_t id;
    int nan = 1;
    PlimForceDesc force = {.path = fails, .path_user = &nan};
    PlimRigidDesc desc = box("bad", 0);
    desc.forces = &force;
    desc.force_count = 1;
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(f.context), "'bad'"));
    force = (PlimForceDesc){.force = {.torque = {0, INFINITY, 0}}};
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    force = (PlimForceDesc){.has_at = 1, .at = {NAN, 0, 0}};
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    desc.forces = NULL;
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    desc.forces = &force;
    desc.motion = PLIM_STATIC;
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    desc = box("bad", 0);
    desc.angular_damping = -1;
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(f.context), "angular_damping"));
    desc = box("bad", 0);
    desc.kinetic_friction = 0.6;
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    assert_int_equal(plim_rigid_count(f.world), 0);
    /* One that fails on the way stops the run, with its name. */
    desc = box("breaks", 0);
    force = (PlimForceDesc){.path = fails};
    desc.forces = &force;
    desc.force_count = 1;
    add(&f, &desc);
    assert_int_equal(plim_world_step(f.world, 0.1), PLIM_FAILED);
    assert_non_null(strstr(plim_message(f.context), "'breaks'"));
    close_world(&f);
}

static void run(const Fixture *f, int steps) {
    for (int k = 0; k < steps; k++) assert_int_equal(plim_world_step(f->world, 1.0 / 240), PLIM_OK);
}

static void groups_pass_through(void **state) {
    (void)state;
    Fixture f = open_world(10);
    PlimRigidDesc floor = ground(), ghost = box("ghost", 0.1), solid = box("solid", 0.1);
    ghost.groups = 2;
    ghost.collides_with = 2;
    solid.pose.position[0] = 3;
    add(&f, &floor);
    size_t through = add(&f, &ghost), on = add(&f, &solid);
    run(&f, 240);
    assert_close(pose_of(&f, through).position[1], 0.1 - 5.0, 1e-9);
    assert_close(pose_of(&f, on).position[1], 0.1, 1e-9);
    close_world(&f);
}

/* A belt of one material under two others. */
static void pairs_of_materials_count(void **state) {
    (void)state;
    Fixture f = open_world(10);
    PlimMaterialPair pair = plim_material_pair_default();
    pair.a = 2;
    pair.b = 1;
    pair.friction = 0.1;
    assert_int_equal(plim_rigid_add_material_pair(f.world, &pair), PLIM_OK);
    assert_int_equal(plim_rigid_add_material_pair(f.world, &pair), PLIM_BAD_INPUT);
    pair.a = 3;
    pair.kinetic_friction = 0.2;
    assert_int_equal(plim_rigid_add_material_pair(f.world, &pair), PLIM_BAD_INPUT);
    PlimRigidDesc floor = ground(), slow = box("slow", 0.1), fast = box("fast", 0.1);
    floor.material = 1;
    floor.surface_velocity[0] = 100;
    slow.material = 2;
    fast.material = 3;
    fast.pose.position[2] = 3;
    add(&f, &floor);
    size_t of_pair = add(&f, &slow), of_bodies = add(&f, &fast);
    run(&f, 120);
    assert_close(pose_of(&f, of_pair).velocity[0], 0.1 * 10 * 0.5, 1e-9);
    assert_close(pose_of(&f, of_bodies).velocity[0], 0.5 * 10 * 0.5, 1e-9);
    close_world(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_is_exact_for_a_cubic),
        cmocka_unit_test(bad_forces_are_refused),
        cmocka_unit_test(groups_pass_through),
        cmocka_unit_test(pairs_of_materials_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
