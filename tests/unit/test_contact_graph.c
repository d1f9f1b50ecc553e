/* Who rests on whom: levels and islands (000 section 2.8.1). */
#include "contact_world.h"

static int32_t level_of(const Arena *arena, size_t id) {
    return arena->world->rigid->contacts.levels.data[id];
}

static int32_t island_of(const Arena *arena, size_t id) {
    return arena->world->rigid->contacts.body_islands.data[id];
}

static Arena open_without_sleep(void) {
    Arena arena = arena_open(-9.81);
    PlimRigidOptions options = plim_rigid_options_default();
    options.sleep = 0;
    arena_configure(&arena, options);
    return arena;
}

static void a_stack_has_a_level_for_each_cube(void **state) {
    (void)state;
    Arena arena = open_without_sleep();
    size_t top = arena_add(&arena, box_of("top", vec3(1, 1, 1), vec3(0, 6.5, 0)));
    size_t floor = arena_add(&arena, floor_of("floor"));
    size_t lowest = arena_add_stack(&arena, 6, 0);
    for (int i = 0; i < 3; i++) {
        arena_step(&arena, 0.01, 1);
        assert_int_equal(level_of(&arena, floor), 0);
        for (size_t k = 0; k < 6; k++) assert_int_equal(level_of(&arena, lowest + k), k + 1);
        assert_int_equal(level_of(&arena, top), 7);
        assert_close(figure_of(&arena, "contact.levels"), 7, 0);
        assert_close(figure_of(&arena, "contact.islands"), 1, 0);
        assert_close(figure_of(&arena, "contact.pairs"), 7, 0);
    }
    arena_close(&arena);
}

/* A wide plank over two towers of different heights is above the higher one. */
static void a_bridge_is_above_all_it_rests_on(void **state) {
    (void)state;
    Arena arena = open_without_sleep();
    arena_add(&arena, floor_of("floor"));
    size_t left = arena_add_stack(&arena, 3, -3);
    size_t right = arena_add(&arena, box_of("tall", vec3(1, 3, 1), vec3(3, 1.5, 0)));
    size_t bridge = arena_add(&arena, box_of("bridge", vec3(8, 0.5, 1), vec3(0, 3.25, 0)));
    arena_step(&arena, 0.01, 2);
    assert_int_equal(level_of(&arena, left + 2), 3);
    assert_int_equal(level_of(&arena, right), 1);
    assert_int_equal(level_of(&arena, bridge), 4);
    assert_close(figure_of(&arena, "contact.islands"), 1, 0);
    arena_close(&arena);
}

/* Side by side they touch, and nobody rests on the other. */
static void neighbours_are_of_one_level(void **state) {
    (void)state;
    Arena arena = open_without_sleep();
    arena_add(&arena, floor_of("floor"));
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "cube %d", i);
        arena_add(&arena, box_of(name, vec3(1, 1, 1), vec3(i, 0.5, 0)));
    }
    arena_step(&arena, 0.01, 2);
    for (size_t i = 1; i <= 4; i++) assert_int_equal(level_of(&arena, i), 1);
    arena_close(&arena);
}

/* Stacks far apart, and a body in the air. */
static void islands_are_apart(void **state) {
    (void)state;
    Arena arena = open_without_sleep();
    size_t floor = arena_add(&arena, floor_of("floor"));
    size_t stacks[3];
    for (int k = 0; k < 3; k++) stacks[k] = arena_add_stack(&arena, (size_t)k + 1, 10.0 * k);
    size_t flying = arena_add(&arena, ball_of("flying", 0.5, vec3(0, 50, 0)));
    arena_step(&arena, 0.01, 2);
    assert_close(figure_of(&arena, "contact.islands"), 3, 0);
    assert_int_equal(island_of(&arena, floor), -1);
    assert_int_equal(island_of(&arena, flying), -1);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i <= k; i++) {
            assert_int_equal(island_of(&arena, stacks[k] + i), island_of(&arena, stacks[k]));
            for (size_t l = 0; l < k; l++)
                assert_int_not_equal(island_of(&arena, stacks[k]), island_of(&arena, stacks[l]));
        }
    arena_close(&arena);
}

/* Planks in a ring on the ground, each with its end on the next: all depend on all, and have one
 * level (000 figure 2.11 b). */
static void a_ring_is_one_level(void **state) {
    (void)state;
    enum { COUNT = 8 };
    Arena arena = open_without_sleep();
    arena_add(&arena, floor_of("floor"));
    double length = 1, thick = 0.1, tilt = 0.2, radius = 1.1;
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "plank %d", i);
        double turn = 2 * 3.14159265358979 * i / COUNT;
        double high = 0.5 * length * sin(tilt) + 0.5 * thick * cos(tilt);
        PlimRigidDesc plank = box_of(name, vec3(length, thick, 0.4),
                                     vec3(radius * sin(turn), high, radius * cos(turn)));
        Quat heading = quat_exp(vec3(0, turn, 0)), lean = quat_exp(vec3(0, 0, tilt));
        quat_store(plank.pose.orientation, quat_multiply(heading, lean));
        arena_add(&arena, plank);
    }
    arena_step(&arena, 0.005, 1);
    for (int i = 0; i < 200 && figure_of(&arena, "contact.pairs") < 2 * COUNT; i++)
        arena_step(&arena, 0.005, 1);
    assert_close(figure_of(&arena, "contact.pairs"), 2 * COUNT, 0);
    for (size_t i = 2; i <= COUNT; i++) assert_int_equal(level_of(&arena, i), level_of(&arena, 1));
    arena_close(&arena);
}

/* In a lift that goes up, bodies rest on it and on each other as on the ground (000 2.8.1, note 4).
 */
static PlimStatus rise(void *user, PlimContext *context, double t, PlimPose *pose) {
    (void)user, (void)context;
    pose->position[1] = -0.5 + 3 * t;
    pose->velocity[1] = 3;
    return PLIM_OK;
}

static void levels_in_a_lift(void **state) {
    (void)state;
    Arena arena = open_without_sleep();
    PlimRigidDesc ground = box_of("lift", vec3(4, 1, 4), vec3(0, 0, 0));
    ground.motion = PLIM_KINEMATIC;
    ground.motion_path = rise;
    arena_add(&arena, ground);
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "cube %d", i);
        PlimRigidDesc cube = box_of(name, vec3(1, 1, 1), vec3(0, 0.5 + i, 0));
        cube.pose.velocity[1] = 3;
        arena_add(&arena, cube);
    }
    for (int step = 0; step < 5; step++) {
        arena_step(&arena, 0.01, 1);
        for (size_t i = 1; i <= 4; i++) assert_int_equal(level_of(&arena, i), i);
    }
    arena_close(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_has_a_level_for_each_cube),
        cmocka_unit_test(a_bridge_is_above_all_it_rests_on),
        cmocka_unit_test(neighbours_are_of_one_level),
        cmocka_unit_test(islands_are_apart),
        cmocka_unit_test(a_ring_is_one_level),
        cmocka_unit_test(levels_in_a_lift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
