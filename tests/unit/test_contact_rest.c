/* Bodies that rest on each other: slopes, stacks, see-saws, lifts. */
#include "contact_world.h"

static const double pi = 3.14159265358979323846;
static const double g = 9.81;

/* ---- slopes ---- */

/* A floor turned about z by `angle`, and a block on it; down the slope is -x for positive angles.
 */
static size_t add_slope(Arena *arena, double angle, double friction) {
    PlimRigidDesc slope = floor_of("slope");
    slope.restitution = 1;
    quat_store(slope.pose.orientation, quat_exp(vec3(0, 0, angle)));
    arena_add(arena, slope);
    Vec3 up = vec3(-sin(angle), cos(angle), 0);
    PlimRigidDesc block = box_of("block", vec3(1, 0.4, 0.6), vec3_scale(0.2, up));
    block.friction = friction;
    block.restitution = 1; /* what rests does not bounce whatever it is made of */
    quat_store(block.pose.orientation, quat_exp(vec3(0, 0, angle)));
    return arena_add(arena, block);
}

static double slide_error(double angle, double friction, double dt) {
    Arena arena = arena_open(-g);
    size_t block = add_slope(&arena, angle, friction);
    Vec3 start = position_of(&arena, block), down = vec3(-cos(angle), -sin(angle), 0);
    arena_step(&arena, dt, (size_t)lround(1 / dt));
    Vec3 moved = vec3_sub(position_of(&arena, block), start);
    double expected = 0.5 * g * fmax(0, sin(angle) - friction * cos(angle));
    double along = vec3_dot(moved, down);
    /* It neither leaves the slope nor turns. */
    assert_close(vec3_length(vec3_add_scaled(moved, -along, down)), 0, 1e-7);
    assert_vector_close(vec3_load(pose_of(&arena, block).angular_velocity), vec3(0, 0, 0), 1e-9);
    arena_close(&arena);
    return fabs(along - expected);
}

/* 000 figure 2.8, with restitution 1. */
static void a_block_slides_as_fast_as_theory(void **state) {
    (void)state;
    static const double cases[][2] = {{20, 0.25}, {20, 0}, {30, 0.3}, {45, 0.9}, {35, 0.6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double angle = cases[k][0] * pi / 180;
        assert_true(slide_error(angle, cases[k][1], 0.01) < 1e-9);
        assert_true(slide_error(angle, cases[k][1], 0.04) < 1e-9);
    }
    /* Friction that nearly holds: 0.9 mm in this second. */
    assert_true(slide_error(35 * pi / 180, 0.7, 0.01) < 1e-4);
}

static void a_block_that_holds_does_not_creep(void **state) {
    (void)state;
    static const double cases[][2] = {{20, 0.37}, {20, 0.5}, {30, 0.58}, {45, 1.01}, {0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Arena arena = arena_open(-g);
        size_t block = add_slope(&arena, cases[k][0] * pi / 180, cases[k][1]);
        PlimPose before = pose_of(&arena, block);
        arena_step(&arena, 0.01, 100);
        PlimPose after = pose_of(&arena, block);
        assert_vector_close(vec3_load(after.position), vec3_load(before.position), 1e-8);
        assert_vector_close(vec3_load(after.velocity), vec3(0, 0, 0), 0);
        arena_close(&arena);
    }
}

/* v^2 / (2 mu g), then it stands. */
static void a_block_slows_down_and_stops(void **state) {
    (void)state;
    Arena arena = arena_open(-g);
    arena_add(&arena, floor_of("floor"));
    PlimRigidDesc block = box_of("block", vec3(1, 0.4, 0.6), vec3(0, 0.2, 0));
    block.friction = 0.3;
    block.pose.velocity[0] = 2;
    size_t id = arena_add(&arena, block);
    arena_step(&arena, 0.005, 300);
    assert_close(position_of(&arena, id).x, 4 / (2 * 0.3 * g), 1e-4);
    assert_vector_close(velocity_of(&arena, id), vec3(0, 0, 0), 0);
    arena_close(&arena);
}

/* A ball that slides rolls in the end with 5/7 of its velocity, whatever the friction. */
static void a_sliding_ball_comes_to_roll(void **state) {
    (void)state;
    Arena arena = arena_open(-g);
    arena_add(&arena, floor_of("floor"));
    PlimRigidDesc ball = ball_of("ball", 0.25, vec3(0, 0.25, 0));
    ball.friction = 0.2;
    ball.pose.velocity[0] = 2;
    size_t id = arena_add(&arena, ball);
    arena_step(&arena, 0.005, 200);
    assert_close(velocity_of(&arena, id).x, 10.0 / 7, 1e-9);
    assert_close(pose_of(&arena, id).angular_velocity[2], -40.0 / 7, 1e-8);
    arena_close(&arena);
}

/* Lever arm times weight against the rolling, 7/5 of the mass to slow down (000 section 2.9). */
static void a_rolling_ball_slows_down(void **state) {
    (void)state;
    double radius = 0.25, lever = 0.005, speed = 1, t = 1;
    Arena arena = arena_open(-g);
    arena_add(&arena, floor_of("floor"));
    PlimRigidDesc ball = ball_of("ball", radius, vec3(0, radius, 0));
    ball.rolling_friction = lever;
    ball.pose.velocity[0] = speed;
    ball.pose.angular_velocity[2] = -speed / radius;
    size_t id = arena_add(&arena, ball);
    arena_step(&arena, 0.005, (size_t)lround(t / 0.005));
    double slowing = lever * g / (1.4 * radius);
    assert_close(velocity_of(&arena, id).x, speed - slowing * t, 1e-6);
    assert_close(position_of(&arena, id).x, speed * t - 0.5 * slowing * t * t, 1e-3);
    assert_close(pose_of(&arena, id).angular_velocity[2], -(speed - slowing * t) / radius, 1e-5);
    /* It stops and does not roll back. */
    arena_step(&arena, 0.005, 1400);
    assert_close(position_of(&arena, id).x, 0.5 * speed * speed / slowing, 5e-3);
    assert_vector_close(velocity_of(&arena, id), vec3(0, 0, 0), 1e-9);
    arena_close(&arena);
}

static void a_spinning_ball_slows_down(void **state) {
    (void)state;
    double radius = 0.25, lever = 0.005, spin = 10;
    Arena arena = arena_open(-g);
    arena_add(&arena, floor_of("floor"));
    PlimRigidDesc ball = ball_of("ball", radius, vec3(0, radius, 0));
    ball.spinning_friction = lever;
    ball.pose.angular_velocity[1] = spin;
    size_t id = arena_add(&arena, ball);
    arena_step(&arena, 0.005, 100);
    double slowing = lever * g / (0.4 * radius * radius);
    assert_close(pose_of(&arena, id).angular_velocity[1], spin - 0.5 * slowing, 1e-6);
    assert_vector_close(position_of(&arena, id), vec3(0, radius, 0), 1e-9);
    arena_step(&arena, 0.005, 1000);
    assert_vector_close(vec3_load(pose_of(&arena, id).angular_velocity), vec3(0, 0, 0), 1e-9);
    arena_close(&arena);
}

/* 000 figure 2.7: why collisions come before forces. */
static void the_standard_sequence_bounces(void **state) {
    (void)state;
    for (int standard = 0; standard < 2; standard++) {
        Arena arena = arena_open(-g);
        PlimRigidOptions options = plim_rigid_options_default();
        if (standard) options.sequence = PLIM_SEQUENCE_STANDARD;
        arena_configure(&arena, options);
        size_t block = add_slope(&arena, 20 * pi / 180, 0.5);
        Vec3 start = position_of(&arena, block);
        arena_step(&arena, 0.02, 50);
        double moved = vec3_length(vec3_sub(position_of(&arena, block), start));
        if (standard)
            assert_true(moved > 0.05);
        else
            assert_close(moved, 0, 1e-9);
        arena_close(&arena);
    }
}

/* ---- stacks ---- */

static void check_stack(size_t count, double dt, double tolerance) {
    Arena arena = arena_open(-g);
    arena_add(&arena, floor_of("floor"));
    size_t lowest = arena_add_stack(&arena, count, 0);
    arena_step(&arena, dt, 50);
    for (size_t i = 0; i < count; i++) {
        PlimPose pose = pose_of(&arena, lowest + i);
        assert_vector_close(vec3_load(pose.position), vec3(0, 0.5 + (double)i, 0), tolerance);
        assert_vector_close(vec3_load(pose.velocity), vec3(0, 0, 0), 0);
        assert_vector_close(vec3_load(pose.angular_velocity), vec3(0, 0, 0), 0);
    }
    arena_close(&arena);
}

/* Of few cubes that touch to the bit, to the bit; of many to what ten sweeps leave. */
static void a_stack_stands_still(void **state) {
    (void)state;
    static const double steps[] = {1.0 / 24, 1.0 / 60, 1.0 / 240, 1.0 / 1000};
    for (size_t k = 0; k < 4; k++) {
        for (size_t count = 1; count <= 7; count++) check_stack(count, steps[k], 0);
        check_stack(8, steps[k], 1e-9);
        check_stack(12, steps[k], 1e-8);
    }
}

/* A hundred times heavier on top of a light one. */
static void heavy_on_light(void **state) {
    (void)state;
    Arena arena = arena_open(-g);
    arena_add(&arena, floor_of("floor"));
    PlimRigidDesc light = box_of("light", vec3(1, 1, 1), vec3(0, 0.5, 0));
    PlimRigidDesc heavy = box_of("heavy", vec3(1, 1, 1), vec3(0.1, 1.5, 0));
    light.density = 10;
    heavy.density = 1e4;
    size_t ids[2] = {arena_add(&arena, light), arena_add(&arena, heavy)};
    arena_step(&arena, 0.01, 200);
    assert_vector_close(position_of(&arena, ids[0]), vec3(0, 0.5, 0), 1e-9);
    assert_vector_close(position_of(&arena, ids[1]), vec3(0.1, 1.5, 0), 1e-9);
    arena_close(&arena);
}

/* ---- see-saw ---- */

/* A plank on a pin, a heavy block on its right end, a light one on its left. */
static double see_saw_angle(double left, double right, PlimRigidOptions options, double time) {
    Arena arena = arena_open(-g);
    arena_configure(&arena, options);
    PlimRigidDesc plank = box_of("plank", vec3(4, 0.1, 1), vec3(0, 1, 0));
    plank.has_pin = 1;
    plank.pin[1] = 1;
    plank.mass = 2;
    size_t id = arena_add(&arena, plank);
    PlimRigidDesc blocks[2] = {box_of("left", vec3(0.5, 0.5, 0.5), vec3(-1.5, 1.3, 0)),
                               box_of("right", vec3(0.5, 0.5, 0.5), vec3(1.5, 1.3, 0))};
    blocks[0].mass = left;
    blocks[1].mass = right;
    for (int k = 0; k < 2; k++) {
        blocks[k].friction = 1;
        arena_add(&arena, blocks[k]);
    }
    arena_step(&arena, 0.005, (size_t)lround(time / 0.005));
    const double *q = pose_of(&arena, id).orientation;
    double angle = 2 * atan2(q[3], q[0]);
    arena_close(&arena);
    return angle;
}

static void a_see_saw_tips_to_the_heavy_side(void **state) {
    (void)state;
    PlimRigidOptions options = plim_rigid_options_default();
    options.contact_iterations = 50;
    double t = 0.1, left = 2, right = 10;
    /* While the blocks stick to the plank all turn as one body about the pin. */
    double about =
        (left + right) * (1.5 * 1.5 + 0.3 * 0.3 + 0.5 * 0.5 / 6) + 2 * (4 * 4 + 0.1 * 0.1) / 12;
    double expected = -0.5 * (right - left) * g * 1.5 / about * t * t;
    assert_close(see_saw_angle(left, right, options, t) / expected, 1, 0.02);
    assert_close(see_saw_angle(right, left, options, t) / -expected, 1, 0.02);
    assert_close(see_saw_angle(5, 5, options, t), 0, 1e-9);
}

/* ---- a moving ground ---- */

typedef struct Lift {
    double velocity, swing, rate;
} Lift;

static PlimStatus lift_path(void *user, PlimContext *context, double t, PlimPose *pose) {
    (void)context;
    const Lift *lift = user;
    pose->position[1] = lift->velocity * t + lift->swing * (1 - cos(lift->rate * t));
    pose->velocity[1] = lift->velocity + lift->swing * lift->rate * sin(lift->rate * t);
    return PLIM_OK;
}

/* Up and down, as long as it does not fall faster than bodies do. */
static void a_lift_carries_a_block(void **state) {
    (void)state;
    Lift lifts[] = {{1, 0, 0}, {-1, 0, 0}, {0, 0.25, 4}, {0.5, 0.1, 6}};
    for (size_t k = 0; k < sizeof lifts / sizeof *lifts; k++) {
        Arena arena = arena_open(-g);
        PlimRigidDesc ground = box_of("lift", vec3(3, 1, 3), vec3(0, 0, 0));
        ground.motion = PLIM_KINEMATIC;
        ground.motion_path = lift_path;
        ground.motion_user = &lifts[k];
        size_t floor = arena_add(&arena, ground);
        PlimRigidDesc low = box_of("low", vec3(1, 1, 1), vec3(0, 1, 0));
        PlimRigidDesc high = box_of("high", vec3(1, 1, 1), vec3(0.2, 2, 0.1));
        low.pose.velocity[1] = high.pose.velocity[1] = lifts[k].velocity;
        size_t blocks[2] = {arena_add(&arena, low), arena_add(&arena, high)};
        for (int i = 0; i < 200; i++) {
            arena_step(&arena, 0.01, 1);
            Vec3 at = position_of(&arena, floor), v = velocity_of(&arena, floor);
            for (int b = 0; b < 2; b++) {
                Vec3 apart = vec3_sub(position_of(&arena, blocks[b]), at);
                assert_close(apart.y, 1 + b, 1e-8);
                assert_close(velocity_of(&arena, blocks[b]).y, v.y, 1e-8);
            }
        }
        arena_close(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_as_fast_as_theory),
        cmocka_unit_test(a_block_that_holds_does_not_creep),
        cmocka_unit_test(a_block_slows_down_and_stops),
        cmocka_unit_test(a_sliding_ball_comes_to_roll),
        cmocka_unit_test(a_rolling_ball_slows_down),
        cmocka_unit_test(a_spinning_ball_slows_down),
        cmocka_unit_test(the_standard_sequence_bounces),
        cmocka_unit_test(a_stack_stands_still),
        cmocka_unit_test(heavy_on_light),
        cmocka_unit_test(a_see_saw_tips_to_the_heavy_side),
        cmocka_unit_test(a_lift_carries_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
