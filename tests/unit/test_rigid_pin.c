/* Bodies that are pinned or kept from turning, held places, and the bodies as others see them. */
#include "check.h"
#include "rigid_offer.h"

#include "plimsoll/plimsoll.h"
#include "rigid/bodies.h"
#include "world/world.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct Fixture {
    PlimContext *context;
    PlimWorld *world;
} Fixture;

static Fixture open_world(double gravity) {
    Fixture f = {.context = test_context(1)};
    PlimWorldDesc desc = plim_world_desc_default();
    desc.gravity[1] = gravity;
    assert_int_equal(plim_world_create(f.context, &desc, &f.world), PLIM_OK);
    return f;
}

static void close_world(Fixture *f) {
    plim_world_destroy(f->world);
    test_context_close(f->context);
}

static size_t add(Fixture *f, const PlimRigidDesc *desc) {
    size_t id;
    if (plim_rigid_add(f->world, desc, &id) != PLIM_OK) fail_msg("%s", plim_message(f->context));
    assert_int_equal(world_refresh(f->world), PLIM_OK);
    return id;
}

/* A box that hangs by a point `arm` above its middle, turned by `angle` about z. */
static PlimRigidDesc pendulum(double arm, double angle) {
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = "bob";
    desc.shape.kind = PLIM_SHAPE_BOX;
    desc.shape.size[0] = 0.2;
    desc.shape.size[1] = 0.6;
    desc.shape.size[2] = 0.1;
    desc.has_pin = 1;
    desc.pin[0] = 1;
    desc.pin[1] = 2;
    desc.pin[2] = 3;
    quat_store(desc.pose.orientation, quat_exp(vec3(0, 0, angle)));
    desc.pose.position[0] = 1 + arm * sin(angle);
    desc.pose.position[1] = 2 - arm * cos(angle);
    desc.pose.position[2] = 3;
    return desc;
}

/* How far the point of the body that was at its pin is from it. */
static double pin_error(const Fixture *f, size_t i) {
    const RigidBodies *b = f->world->rigid;
    Vec3 arm = quat_rotate(quat_load(b->orientation + 4 * i), vec3_load(b->pin_arm + 3 * i));
    Vec3 at = vec3_add(vec3_load(b->position + 3 * i), arm);
    return vec3_length(vec3_sub(at, vec3_load(b->pin + 3 * i)));
}

/* The time of `swings` whole swings, from where the bob passes below the pin. */
static double period(Fixture *f, double dt, int swings) {
    double before = 0, first = 0, t = 0;
    for (int passes = 0; passes <= swings;) {
        assert_int_equal(plim_world_step(f->world, dt), PLIM_OK);
        assert_true(pin_error(f, 0) < 1e-14);
        t += dt;
        double x = f->world->rigid->position[0] - 1;
        if (before < 0 && x >= 0) {
            double now = t - dt * x / (x - before);
            if (passes++ == 0) first = now;
            if (passes > swings) return (now - first) / swings;
        }
        before = x;
        assert_true(t < 100);
    }
    return 0;
}

static void test_pendulum(void **state) {
    (void)state;
    double arm = 0.5, angle = 0.05;
    double inertia = (0.2 * 0.2 + 0.6 * 0.6) / 12 + arm * arm; /* about the pin, for a mass of 1 */
    double expected = 2 * pi * sqrt(inertia / (9.81 * arm)) * (1 + angle * angle / 16);
    double error[2];
    for (int i = 0; i < 2; i++) {
        Fixture f = open_world(-9.81);
        PlimRigidDesc desc = pendulum(arm, angle);
        add(&f, &desc);
        error[i] = fabs(period(&f, i ? 0.01 : 0.02, 5) / expected - 1);
        /* It swings as far as at the start. */
        double furthest = 0;
        for (int k = 0; k < 200; k++) {
            assert_int_equal(plim_world_step(f.world, 0.01), PLIM_OK);
            furthest = fmax(furthest, f.world->rigid->position[0] - 1);
        }
        assert_close(furthest / (arm * sin(angle)), 1, 0.01);
        close_world(&f);
    }
    assert_true(error[0] < 0.005 && error[1] < 0.3 * error[0]);
}

/* Without gravity energy and angular momentum about the pin stay, whatever the step. */
static void test_top(void **state) {
    (void)state;
    Fixture f = open_world(0);
    PlimRigidDesc desc = pendulum(0.3, 0.4);
    desc.pin[2] = 3.2;
    desc.pose.angular_velocity[0] = 3;
    desc.pose.angular_velocity[1] = 2;
    desc.pose.velocity[0] = 100; /* most of it is taken away by the pin */
    size_t id = add(&f, &desc);
    const RigidBodies *b = f.world->rigid;
    Vec3 about[2];
    double energy[2];
    for (int i = 0; i < 2; i++) {
        PinnedBody body = rigid_pinned_body(b, id);
        about[i] =
            pin_momentum_about(&body, vec3_load(b->velocity), vec3_load(b->angular_momentum));
        energy[i] = rigid_kinetic_energy(b, id);
        for (int k = 0; k < 500 && i == 0; k++)
            assert_int_equal(plim_world_step(f.world, 0.03), PLIM_OK);
        assert_true(pin_error(&f, id) < 1e-14);
    }
    assert_close(energy[1] / energy[0], 1, 1e-10);
    assert_close(vec3_length(vec3_sub(about[1], about[0])) / vec3_length(about[0]), 0, 1e-10);
    close_world(&f);
}

static void test_held_fast(void **state) {
    (void)state;
    Fixture f = open_world(-9.81);
    PlimRigidDesc desc = pendulum(0.5, 0.7);
    desc.lock_rotation = 1;
    desc.pose.velocity[0] = 3;
    desc.pose.angular_velocity[2] = 4;
    size_t id = add(&f, &desc);
    PlimPose before, after;
    plim_rigid_pose(f.world, id, &before);
    for (int k = 0; k < 20; k++) assert_int_equal(plim_world_step(f.world, 0.1), PLIM_OK);
    plim_rigid_pose(f.world, id, &after);
    assert_memory_equal(&before, &after, sizeof before);
    for (int axis = 0; axis < 3; axis++)
        assert_true(after.velocity[axis] == 0 && after.angular_velocity[axis] == 0);
    close_world(&f);
}

static void test_lock_rotation(void **state) {
    (void)state;
    Fixture f = open_world(-10);
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = "sledge";
    desc.lock_rotation = 1;
    desc.pose.velocity[0] = 1;
    desc.pose.angular_velocity[1] = 2;
    size_t id = add(&f, &desc);
    for (int k = 0; k < 10; k++) assert_int_equal(plim_world_step(f.world, 0.1), PLIM_OK);
    PlimPose pose;
    plim_rigid_pose(f.world, id, &pose);
    assert_close(pose.position[0], 1, 1e-14);
    assert_close(pose.position[1], -5, 1e-13);
    assert_close(pose.orientation[0], 1, 0);
    assert_close(pose.angular_velocity[1], 0, 0);
    close_world(&f);
}

static void test_hold_positions(void **state) {
    (void)state;
    Fixture f = open_world(-10);
    PlimRigidOptions options = plim_rigid_options_default();
    options.hold_positions = 1;
    assert_int_equal(plim_rigid_configure(f.world, &options), PLIM_OK);
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = "ball";
    desc.pose.angular_velocity[1] = 2;
    size_t ball = add(&f, &desc);
    desc = pendulum(0.5, 0.7);
    size_t bob = add(&f, &desc);
    PlimPose before, pose;
    plim_rigid_pose(f.world, bob, &before);
    assert_int_equal(plim_world_step(f.world, 0.5), PLIM_OK);
    plim_rigid_pose(f.world, ball, &pose);
    assert_close(pose.position[1], 0, 0);
    assert_close(pose.velocity[1], -5, 1e-14);
    assert_close(pose.orientation[0], 1, 0);
    plim_rigid_pose(f.world, bob, &pose);
    assert_memory_equal(pose.position, before.position, sizeof pose.position);
    double inertia = (0.2 * 0.2 + 0.6 * 0.6) / 12 + 0.25;
    assert_close(pose.angular_velocity[2], -0.5 * 10 * 0.5 * sin(0.7) / inertia, 1e-12);
    close_world(&f);
}

/* A new pose turns a pinned body about its pin. */
static void test_set_pose(void **state) {
    (void)state;
    Fixture f = open_world(-9.81);
    PlimRigidDesc desc = pendulum(0.5, 0);
    size_t id = add(&f, &desc);
    PlimPose pose = {.position = {9, 9, 9}, .velocity = {1, 0, 0}};
    quat_store(pose.orientation, quat_exp(vec3(0, 0, pi / 2)));
    assert_int_equal(plim_rigid_set_pose(f.world, id, &pose), PLIM_OK);
    plim_rigid_pose(f.world, id, &pose);
    assert_close(pose.position[0], 1.5, 1e-14);
    assert_close(pose.position[1], 2, 1e-14);
    assert_close(pose.velocity[0], 0, 1e-14); /* along the arm */
    close_world(&f);
}

static void test_refused(void **state) {
    (void)state;
    Fixture f = open_world(-9.81);
    size_t id;
    PlimRigidDesc desc = pendulum(0.5, 0);
    desc.motion = PLIM_STATIC;
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(f.context), "'bob': only a dynamic body"));
    desc = pendulum(0.5, 0);
    desc.pin[1] = NAN;
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    desc = pendulum(0.5, 0);
    desc.volume = -1;
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(f.context), "volume"));
    close_world(&f);
}

/* ---- as others see them ---- */

static void test_view(void **state) {
    (void)state;
    Fixture f = open_world(-10);
    PlimRigidDesc desc = pendulum(0.5, 0.3);
    desc.has_pin = 0;
    desc.pose.angular_velocity[0] = 1;
    desc.pose.angular_velocity[2] = -2;
    size_t id = add(&f, &desc);
    RigidBodies *b = f.world->rigid;
    Surface surface = rigid_surfaces.describe(b, id);
    assert_int_equal(surface.motion, SURFACE_FREE);
    assert_close(surface.volume, 0.2 * 0.6 * 0.1, 1e-16);
    assert_close(surface.mass, 12, 1e-12);
    SystemDofs dofs = rigid_offer_of(b, SOLVE_WHOLE_STEP);
    assert_int_equal(dof_rows_count(&dofs.rows), 0);
    assert_close(dofs.blocks.data[id].mass[1][1], 12, 1e-12);
    assert_close(dofs.velocity.data[3], 1, 1e-14);
    assert_close(dofs.velocity.data[5], -2, 1e-14);
    for (int i = 0; i < 3; i++) {
        double momentum = 0;
        for (int j = 0; j < 3; j++)
            momentum += dofs.blocks.data[id].mass[3 + i][3 + j] * dofs.velocity.data[3 + j];
        assert_close(momentum, b->angular_momentum[i], 1e-14);
    }
    dofs_free(&dofs, f.context);
    /* What is accepted is offered again, for either velocity alone. */
    const double found[6] = {1, 2, 3, 4, 5, 6}, before[6] = {0};
    const bool solved = true;
    DofAnswer answer = {.is_solved = &solved, .velocity = found, .before = before};
    rigid_dofs.accept(b, NULL, SOLVE_HALF_STEP, &answer);
    dofs = rigid_offer_of(b, SOLVE_HALF_STEP);
    for (int i = 0; i < 6; i++) assert_close(dofs.velocity.data[i], found[i], i < 3 ? 0 : 1e-14);
    dofs_free(&dofs, f.context);
    assert_close(b->velocity[0], 0, 0);
    assert_close(b->angular_velocity[0], 1, 0);
    rigid_dofs.accept(b, NULL, SOLVE_WHOLE_STEP, &answer);
    assert_close(b->velocity[2], 3, 0);
    assert_close(b->angular_velocity[2], 6, 0);
    dofs = rigid_offer_of(b, SOLVE_WHOLE_STEP);
    for (int i = 3; i < 6; i++) assert_close(dofs.velocity.data[i], found[i], 1e-14);
    dofs_free(&dofs, f.context);
    close_world(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),       cmocka_unit_test(test_top),
        cmocka_unit_test(test_held_fast),      cmocka_unit_test(test_lock_rotation),
        cmocka_unit_test(test_hold_positions), cmocka_unit_test(test_set_pose),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
