/* Rooms of domains: which points and boxes are in them. */
#include "check.h"

#include "geom/query/room.h"

static const double far = HUGE_VAL;

/* Two boxes of 1 m side by side that are open at the top, and one on the second. */
static const Box3 first = {{0, 0, 0}, {1, 1, 1}}, second = {{1, 0, 0}, {2, 1, 1}},
                  above = {{1, 1, 0}, {2, 2, 1}};

static void test_alone(void **state) {
    (void)state;
    Room room = {.box = first};
    assert_true(room_holds(&room, vec3(7, -3, 0)));
    assert_true(room_meets(&room, (Box3){{5, 5, 5}, {6, 6, 6}}));
}

static void test_points(void **state) {
    (void)state;
    const Box3 beside[] = {second, above}, below[] = {first, above};
    Room left = {{{0, 0, 0}, {1, far, 1}}, beside, 2}, right = {{{1, 0, 0}, {2, far, 1}}, below, 2};
    assert_true(room_holds(&left, vec3(0.5, 0.5, 0.5)));
    assert_true(room_holds(&left, vec3(0.5, 9, 0.5)));
    assert_false(room_holds(&left, vec3(0.5, -0.1, 0.5)));
    assert_false(room_holds(&left, vec3(1.5, 0.5, 0.5)));
    /* What is between two is in one of them. */
    assert_false(room_holds(&left, vec3(1, 0.5, 0.5)));
    assert_true(room_holds(&right, vec3(1, 0.5, 0.5)));
    /* Above its own box, in that of another; beyond that one again. */
    assert_false(room_holds(&right, vec3(1.5, 1.5, 0.5)));
    assert_true(room_holds(&right, vec3(1.5, 2.5, 0.5)));
}

static void test_boxes(void **state) {
    (void)state;
    const Box3 beside[] = {second, above}, below[] = {first, above};
    Room left = {{{0, 0, 0}, {1, far, 1}}, beside, 2}, right = {{{1, 0, 0}, {2, far, 1}}, below, 2};
    assert_true(room_meets(&left, (Box3){{0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}}));
    assert_true(room_meets(&left, (Box3){{0.9, 0.4, 0.4}, {1.1, 0.6, 0.6}}));
    assert_false(room_meets(&left, (Box3){{1, 0.4, 0.4}, {1.2, 0.6, 0.6}}));
    assert_false(room_meets(&left, (Box3){{1 - 2e-16, 0.4, 0.4}, {1.2, 0.6, 0.6}}));
    assert_true(room_meets(&left, (Box3){{1 - 1e-6, 0.4, 0.4}, {1.2, 0.6, 0.6}}));
    assert_false(room_meets(&right, (Box3){{1.2, 1.2, 0.2}, {1.4, 1.4, 0.4}}));
    assert_true(room_meets(&right, (Box3){{1.2, 0.9, 0.2}, {1.4, 1.4, 0.4}}));
    assert_true(room_meets(&right, (Box3){{1.2, 1.9, 0.2}, {1.4, 2.1, 0.4}}));
    /* Across the two others, which together cover it: those are looked at in any order. */
    const Box3 stack[] = {{{0, 2, 0}, {1, 3, 1}}, {{0, 1, 0}, {1, 2, 1}}};
    Room tall = {{{0, 0, 0}, {1, far, 1}}, stack, 2};
    assert_false(room_meets(&tall, (Box3){{0.2, 1.5, 0.2}, {0.4, 2.5, 0.4}}));
    assert_true(room_meets(&tall, (Box3){{0.2, 1.5, 0.2}, {0.4, 3.5, 0.4}}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
