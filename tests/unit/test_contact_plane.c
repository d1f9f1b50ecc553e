/* Bodies of the plane z = 0 that slide, roll, stack and collide; none leaves it, to the bit. */
#include "contact_world.h"

static const double dt = 1.0 / 240, pi = 3.14159265358979323846, g = 9.81;

static Arena plane_open(double gravity, int threads) {
    Arena arena = arena_in(test_context(threads), gravity);
    PlimRigidOptions options = plim_rigid_options_default();
    options.plane = 1;
    arena_configure(&arena, options);
    return arena;
}

static void turn_about_z(PlimRigidDesc *desc, double angle) {
    Quat own = quat_load(desc->pose.orientation);
    quat_store(desc->pose.orientation, quat_multiply(quat_exp(vec3(0, 0, angle)), own));
}

/* A cylinder about z, 1 m long. */
static PlimRigidDesc disc_of(const char *name, double radius, Vec3 position) {
    PlimRigidDesc desc = body_of(name, PLIM_SHAPE_CYLINDER, position);
    desc.shape.radius = radius;
    desc.shape.height = 1;
    quat_store(desc.pose.orientation, quat_exp(vec3(0.5 * pi, 0, 0)));
    return desc;
}

static void assert_in_plane(const Arena *arena) {
    for (size_t i = 0; i < plim_rigid_count(arena->world); i++) {
        PlimPose pose = pose_of(arena, i);
        assert_true(pose.position[2] == 0 && pose.velocity[2] == 0);
        assert_true(pose.angular_velocity[0] == 0 && pose.angular_velocity[1] == 0);
    }
}

/* ---- slopes ---- */

static PlimRigidDesc slope_of(double angle) {
    PlimRigidDesc slope = floor_of("slope");
    turn_about_z(&slope, angle);
    return slope;
}

static void a_block_on_a_slope(void **state) {
    (void)state;
    const double angle = 0.4, frictions[] = {0.2, 0.5};
    for (int k = 0; k < 2; k++) {
        Arena arena = plane_open(-g, 1);
        arena_add(&arena, slope_of(angle));
        Vec3 up = vec3(-sin(angle), cos(angle), 0);
        PlimRigidDesc box = box_of("box", vec3(1, 0.5, 1), vec3_scale(0.25, up));
        turn_about_z(&box, angle);
        box.friction = frictions[k];
        size_t id = arena_add(&arena, box);
        arena_step(&arena, dt, 240);
        double rate = g * (sin(angle) - frictions[k] * cos(angle)), t = 240 * dt;
        double expected = k == 0 ? 0.5 * rate * t * t : 0; /* tan 0.4 = 0.42: the second sticks */
        Vec3 moved = vec3_sub(position_of(&arena, id), vec3_scale(0.25, up));
        assert_close(vec3_length(moved), expected, 1e-9);
        assert_close(vec3_dot(moved, up), 0, 1e-9);
        assert_in_plane(&arena);
        arena_close(&arena);
    }
}

/* It rolls at two thirds of the acceleration of what slides freely: 1 / (1 + 1/2). */
static void a_disc_rolls(void **state) {
    (void)state;
    const double angle = 0.3, radius = 0.5;
    Arena arena = plane_open(-g, 1);
    arena_add(&arena, slope_of(angle));
    Vec3 start = vec3_scale(radius, vec3(-sin(angle), cos(angle), 0));
    PlimRigidDesc disc = disc_of("disc", radius, start);
    disc.friction = 0.9;
    size_t id = arena_add(&arena, disc);
    arena_step(&arena, dt, 240);
    double speed = 2.0 / 3.0 * g * sin(angle) * 240 * dt;
    PlimPose pose = pose_of(&arena, id);
    assert_close(vec3_length(vec3_load(pose.velocity)), speed, 1e-9 * speed);
    assert_close(pose.angular_velocity[2], speed / radius, 1e-9 * speed / radius);
    assert_in_plane(&arena);
    arena_close(&arena);
}

/* ---- collisions ---- */

static void discs_exchange_velocities(void **state) {
    (void)state;
    Arena arena = plane_open(0, 1);
    PlimRigidDesc left = disc_of("left", 0.5, vec3(-2, 0, 0));
    PlimRigidDesc right = disc_of("right", 0.5, vec3(0, 0, 0));
    left.friction = right.friction = 0;
    left.restitution = right.restitution = 1;
    left.pose.velocity[0] = 3;
    size_t a = arena_add(&arena, left), b = arena_add(&arena, right);
    arena_step(&arena, dt, 240);
    assert_vector_close(velocity_of(&arena, a), vec3(0, 0, 0), 1e-12);
    assert_vector_close(velocity_of(&arena, b), vec3(3, 0, 0), 1e-12);
    assert_in_plane(&arena);
    arena_close(&arena);
}

/* Momentum, and angular momentum about z, of a glancing blow with friction. */
static void a_glancing_blow_keeps_momentum(void **state) {
    (void)state;
    Arena arena = plane_open(0, 1);
    PlimRigidOptions options = plim_rigid_options_default();
    options.plane = 1;
    options.push_out = 0; /* turns bodies, and keeps their velocities */
    arena_configure(&arena, options);
    PlimRigidDesc box = box_of("box", vec3(1, 0.6, 1), vec3(-2, 0.5, 0));
    PlimRigidDesc disc = disc_of("disc", 0.5, vec3(0, 0, 0));
    box.pose.velocity[0] = 4;
    box.pose.angular_velocity[2] = 2;
    size_t id = arena_add(&arena, box);
    arena_add(&arena, disc);
    Vec3 momentum = momentum_of(&arena), turning = angular_momentum_of(&arena);
    arena_step(&arena, dt, 240);
    assert_true(velocity_of(&arena, id).x < 3.5); /* they met */
    assert_vector_close(momentum_of(&arena), momentum, 1e-9 * vec3_length(momentum));
    assert_vector_close(angular_momentum_of(&arena), turning, 1e-9 * vec3_length(turning));
    assert_in_plane(&arena);
    arena_close(&arena);
}

/* ---- stacks and piles ---- */

static void a_stack_stands(void **state) {
    (void)state;
    enum { HIGH = 8 };
    Arena arena = plane_open(-g, 1);
    PlimRigidDesc floor = floor_of("floor");
    floor.restitution = 0;
    arena_add(&arena, floor);
    size_t lowest = arena_add_stack(&arena, HIGH, 0);
    arena_step(&arena, dt, 480);
    for (size_t i = 0; i < HIGH; i++)
        assert_vector_close(position_of(&arena, lowest + i), vec3(0, 0.5 + (double)i, 0), 1e-6);
    assert_true(figure_of(&arena, "asleep") == HIGH);
    assert_in_plane(&arena);
    arena_close(&arena);
}

/* A box is carried by a slab that moves up, then sideways. */
static PlimStatus slab_path(void *user, PlimContext *context, double t, PlimPose *pose) {
    (void)user, (void)context;
    double up = fmin(t, 1), aside = fmax(t - 1, 0);
    pose->position[0] = 0.25 * aside * aside;
    pose->velocity[0] = 0.5 * aside;
    pose->position[1] = -0.1 * cos(pi * up);
    pose->velocity[1] = 0.1 * pi * sin(pi * up);
    return PLIM_OK;
}

static void a_slab_carries(void **state) {
    (void)state;
    Arena arena = plane_open(-g, 1);
    PlimRigidDesc slab = box_of("slab", vec3(4, 0.2, 1), vec3(0, -0.1, 0));
    slab.motion = PLIM_KINEMATIC;
    slab.motion_path = slab_path;
    arena_add(&arena, slab);
    size_t id = arena_add(&arena, box_of("box", vec3(0.5, 0.5, 1), vec3(0.5, 0.25, 0)));
    arena_step(&arena, dt, 480);
    assert_vector_close(position_of(&arena, id), vec3(0.75, 0.45, 0), 1e-3);
    assert_in_plane(&arena);
    arena_close(&arena);
}

/* Boxes, discs, triangles and capsules between two slopes. */
static uint64_t pile_hash(int threads, double *kinetic) {
    Arena arena = plane_open(-g, threads);
    PlimRigidDesc left = floor_of("left"), right = floor_of("right");
    left.friction = right.friction = left.restitution = right.restitution = 0.3;
    turn_about_z(&left, -0.5);
    turn_about_z(&right, 0.5);
    arena_add(&arena, left);
    arena_add(&arena, right);
    for (int i = 0; i < test_size(24, 12); i++) {
        char name[16];
        snprintf(name, sizeof name, "body %d", i);
        Vec3 place = vec3(-0.75 + 0.5 * (i % 4) + 0.02 * (i % 3), 1.5 + 0.5 * (i / 4), 0);
        PlimRigidDesc desc = disc_of(name, 0.18, place);
        if (i % 3 == 0) desc = box_of(name, vec3(0.4, 0.3, 1), place);
        if (i % 3 == 1) {
            desc.shape.kind = PLIM_SHAPE_CAPSULE;
            desc.shape.radius = 0.12;
            desc.shape.height = 0.15;
            quat_store(desc.pose.orientation, quat_identity());
        }
        turn_about_z(&desc, 0.3 * i);
        arena_add(&arena, desc);
    }
    arena_step(&arena, dt, 960);
    assert_in_plane(&arena);
    assert_true(figure_of(&arena, "penetration.max") < 2e-3);
    assert_true(figure_of(&arena, "missed") == 0);
    for (size_t i = 2; i < plim_rigid_count(arena.world); i++)
        assert_true(position_of(&arena, i).y > 0.5 * fabs(position_of(&arena, i).x));
    *kinetic = figure_of(&arena, "energy.kinetic");
    uint64_t hash = plim_world_hash(arena.world);
    arena_close(&arena);
    return hash;
}

static void a_pile_comes_to_rest(void **state) {
    (void)state;
    double kinetic, again;
    uint64_t one = pile_hash(1, &kinetic);
    assert_true(kinetic < 1e-3);
    assert_int_equal(pile_hash(2, &again), one);
    assert_int_equal(pile_hash(4, &again), one);
}

/* What the plane does not cut does not meet anything. */
static void beside_the_plane(void **state) {
    (void)state;
    Arena arena = plane_open(-g, 1);
    PlimRigidDesc shelf = box_of("shelf", vec3(4, 0.2, 1), vec3(0, -0.5, 0.6));
    shelf.motion = PLIM_STATIC;
    arena_add(&arena, shelf);
    size_t id = arena_add(&arena, disc_of("disc", 0.2, vec3(0, 0, 0)));
    arena_step(&arena, dt, 120);
    double t = 120 * dt;
    assert_close(position_of(&arena, id).y, -0.5 * g * t * t, 1e-9);
    arena_close(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_slope),
        cmocka_unit_test(a_disc_rolls),
        cmocka_unit_test(discs_exchange_velocities),
        cmocka_unit_test(a_glancing_blow_keeps_momentum),
        cmocka_unit_test(a_stack_stands),
        cmocka_unit_test(a_slab_carries),
        cmocka_unit_test(a_pile_comes_to_rest),
        cmocka_unit_test(beside_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
