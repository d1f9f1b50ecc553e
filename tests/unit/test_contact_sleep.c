/* Bodies at an exact standstill are left alone until something touches them. */
#include "contact_world.h"

static const double dt = 1.0 / 120;

static Arena open_stack(int sleep, size_t count) {
    Arena arena = arena_open(-9.81);
    PlimRigidOptions options = plim_rigid_options_default();
    options.sleep = sleep;
    arena_configure(&arena, options);
    arena_add(&arena, floor_of("floor"));
    arena_add_stack(&arena, count, 0);
    return arena;
}

static size_t add_hammer(Arena *arena) {
    PlimRigidDesc ball = ball_of("ball", 0.4, vec3(-6, 1.6, 0.1));
    ball.pose.velocity[0] = 5;
    ball.pose.velocity[1] = 4.5;
    ball.restitution = 0.5;
    return arena_add(arena, ball);
}

static double asleep(Arena *arena) {
    return figure_of(arena, "asleep");
}

/* The greatest distance between the places of the same body in two worlds. */
static double apart(const Arena *a, const Arena *b) {
    double greatest = 0;
    for (size_t i = 0; i < plim_rigid_count(a->world); i++) {
        PlimPose of_a = pose_of(a, i), of_b = pose_of(b, i);
        Vec3 moved = vec3_sub(vec3_load(of_a.position), vec3_load(of_b.position));
        greatest = fmax(greatest, vec3_length(moved));
        for (int k = 0; k < 4; k++)
            greatest = fmax(greatest, fabs(of_a.orientation[k] - of_b.orientation[k]));
    }
    return greatest;
}

static void a_stack_falls_asleep(void **state) {
    (void)state;
    Arena arena = open_stack(1, 5);
    size_t flying = arena_add(&arena, ball_of("flying", 0.5, vec3(0, 100, 0)));
    arena_step(&arena, dt, 20);
    assert_close(asleep(&arena), 5, 0);
    assert_int_equal(arena.world->rigid->asleep[flying], 0);
    /* It costs no contacts. */
    assert_close(figure_of(&arena, "contacts"), 0, 0);
    arena_close(&arena);
}

/* To the bit until they wake. Awake again, contact begins without the forces of the last step. */
static void sleepers_are_where_they_would_be(void **state) {
    (void)state;
    Arena with = open_stack(1, 4), without = open_stack(0, 4);
    add_hammer(&with);
    add_hammer(&without);
    int slept = 0, woke = 0;
    while (woke < 10) {
        arena_step(&with, dt, 1);
        arena_step(&without, dt, 1);
        if (asleep(&with) == 4) slept++;
        if (slept > 0 && asleep(&with) == 0) woke++;
        assert_close(apart(&with, &without), 0, woke > 0 ? 1e-4 : 0);
        assert_close(asleep(&without), 0, 0);
        assert_true(plim_world_time(with.world) < 2);
    }
    assert_true(slept > 60);
    arena_close(&with);
    arena_close(&without);
}

/* Restored while asleep, a world goes on as it did. */
static void a_snapshot_of_sleepers(void **state) {
    (void)state;
    Arena arena = open_stack(1, 4);
    add_hammer(&arena);
    arena_step(&arena, dt, 60);
    assert_close(asleep(&arena), 4, 0);
    PlimSnapshot *snapshot = NULL;
    assert_int_equal(plim_snapshot_create(arena.world, &snapshot), PLIM_OK);
    uint64_t then = plim_world_hash(arena.world);
    arena_step(&arena, dt, 120);
    uint64_t end = plim_world_hash(arena.world);
    assert_int_equal(plim_snapshot_restore(arena.world, snapshot), PLIM_OK);
    assert_int_equal(plim_world_hash(arena.world), then);
    arena_step(&arena, dt, 120);
    assert_int_equal(plim_world_hash(arena.world), end);
    /* In another world with the same bodies, too. */
    Arena other = open_stack(1, 4);
    add_hammer(&other);
    assert_int_equal(plim_snapshot_restore(other.world, snapshot), PLIM_OK);
    arena_step(&other, dt, 120);
    assert_int_equal(plim_world_hash(other.world), end);
    plim_snapshot_destroy(snapshot);
    arena_close(&other);
    arena_close(&arena);
}

static void a_new_pose_wakes(void **state) {
    (void)state;
    Arena arena = open_stack(1, 3);
    arena_step(&arena, dt, 20);
    assert_close(asleep(&arena), 3, 0);
    PlimPose pose = pose_of(&arena, 1); /* the lowest cube is taken away */
    pose.position[0] = 5;
    assert_int_equal(plim_rigid_set_pose(arena.world, 1, &pose), PLIM_OK);
    arena_step(&arena, dt, 240);
    assert_close(position_of(&arena, 2).y, 0.5, 1e-2);
    assert_close(position_of(&arena, 3).y, 1.5, 1e-2);
    arena_close(&arena);
}

/* ---- sleepers on a path that starts late ---- */

typedef struct LateStart {
    Vec3 velocity;
    double start;
} LateStart;

static PlimStatus late_path(void *user, PlimContext *context, double t, PlimPose *pose) {
    (void)context;
    const LateStart *late = user;
    double moving = fmax(0, t - late->start);
    vec3_store(pose->position, vec3_add_scaled(vec3(0, -0.5, 0), moving, late->velocity));
    if (moving > 0) vec3_store(pose->velocity, late->velocity);
    return PLIM_OK;
}

static Arena open_late(LateStart *late, int sleep) {
    Arena arena = arena_open(-9.81);
    PlimRigidOptions options = plim_rigid_options_default();
    options.sleep = sleep;
    arena_configure(&arena, options);
    PlimRigidDesc ground = box_of("ground", vec3(8, 1, 8), vec3(0, 0, 0));
    ground.motion = PLIM_KINEMATIC;
    ground.motion_path = late_path;
    ground.motion_user = late;
    arena_add(&arena, ground);
    arena_add_stack(&arena, 2, 0);
    return arena;
}

/* The ground rises, sinks, or goes aside under them. */
static void ground_that_starts_to_move_wakes(void **state) {
    (void)state;
    static const double directions[][3] = {{0, 1, 0}, {1, 0, 0}, {0, -1, 0}};
    for (size_t k = 0; k < 3; k++) {
        LateStart late = {vec3_load(directions[k]), 0.5};
        Arena with = open_late(&late, 1), without = open_late(&late, 0);
        arena_step(&with, dt, 50);
        arena_step(&without, dt, 50);
        assert_close(asleep(&with), 2, 0);
        for (int i = 0; i < 60; i++) {
            arena_step(&with, dt, 1);
            arena_step(&without, dt, 1);
            assert_close(apart(&with, &without), 0, 1e-2);
        }
        assert_close(asleep(&with), 0, 0);
        arena_close(&with);
        arena_close(&without);
    }
}

/* ---- held bodies ---- */

/* A plank that leans on a block by its weight sleeps with it; hit, it goes on with its weight. */
static void a_pinned_sleeper_wakes_with_its_weight(void **state) {
    (void)state;
    Arena both[2];
    for (int sleep = 0; sleep < 2; sleep++) {
        Arena *arena = &both[sleep];
        *arena = arena_open(-9.81);
        PlimRigidOptions options = plim_rigid_options_default();
        options.sleep = sleep;
        arena_configure(arena, options);
        arena_add(arena, floor_of("floor"));
        arena_add(arena, box_of("block", vec3(1, 1, 1), vec3(0, 0.5, 0)));
        PlimRigidDesc plank = box_of("plank", vec3(4, 0.2, 0.5), vec3(1.5, 1.1, 0));
        plank.has_pin = 1;
        plank.pin[0] = 3.5;
        plank.pin[1] = 1.1;
        arena_add(arena, plank);
        PlimRigidDesc ball = ball_of("ball", 0.2, vec3(2, 8, 0));
        arena_add(arena, ball);
    }
    bool slept = false, woke = false;
    for (int i = 0; i < 240 && !woke; i++) {
        for (int k = 0; k < 2; k++) arena_step(&both[k], dt, 1);
        slept |= asleep(&both[1]) == 2;
        woke |= slept && asleep(&both[1]) == 0;
        assert_close(apart(&both[0], &both[1]), 0, woke ? 1e-5 : 0);
    }
    assert_true(slept && woke);
    for (int k = 0; k < 2; k++) arena_close(&both[k]);
}

/* A body at rest sleeps whatever way it is turned. */
static void any_orientation_sleeps(void **state) {
    (void)state;
    Arena arena = arena_open(-9.81);
    arena_add(&arena, floor_of("floor"));
    enum { COUNT = 100 };
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "cube %d", i);
        PlimRigidDesc cube = box_of(name, vec3(1, 1, 1), vec3(2 * i, 0.5, 0));
        quat_store(cube.pose.orientation, quat_exp(vec3(0, 0.05 * i, 0)));
        arena_add(&arena, cube);
    }
    arena_step(&arena, dt, 30);
    assert_close(asleep(&arena), COUNT, 0);
    arena_close(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_falls_asleep),
        cmocka_unit_test(sleepers_are_where_they_would_be),
        cmocka_unit_test(a_snapshot_of_sleepers),
        cmocka_unit_test(a_new_pose_wakes),
        cmocka_unit_test(ground_that_starts_to_move_wakes),
        cmocka_unit_test(a_pinned_sleeper_wakes_with_its_weight),
        cmocka_unit_test(any_orientation_sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
