/* Immersed surfaces: the nearest by bins against looking at all of them, across periodic sides, in
 * two and three dimensions; places and the velocities between them. */
#include "check.h"

#include "base/random.h"
#include "plimsoll/plimsoll.h"
#include "system/immersed.h"

#include <string.h>

enum { BODIES = 40, KINDS = 5 };

typedef struct Case {
    PlimContext *context;
    Immersed immersed;
    Solid solids[BODIES];
    Collider places[BODIES];
} Case;

static Surface describe(const void *system, size_t body) {
    const Case *test = system;
    return (Surface){.name = "it", .motion = SURFACE_FREE, .solid = &test->solids[body]};
}

static void read_place(const void *system, size_t body, Collider *collider) {
    const Case *test = system;
    const Solid *solid = collider->solid;
    *collider = test->places[body];
    collider->solid = solid;
}

static const SurfaceClass surfaces = {.describe = describe, .read = read_place};

static double of(uint64_t stream, size_t index) {
    return random_uniform(11, stream, index);
}

/* In and around the unit box. */
static Vec3 place(uint64_t stream, size_t index, int dim) {
    return vec3(1.4 * of(stream, index) - 0.2, 1.4 * of(stream + 1, index) - 0.2,
                dim == 3 ? 1.4 * of(stream + 2, index) - 0.2 : 0);
}

static void scatter(Case *test, uint64_t stream, int dim) {
    for (size_t i = 0; i < BODIES; i++) {
        Vec3 turn = vec3(of(stream + 3, i), of(stream + 4, i), 3 * of(stream + 5, i));
        if (dim == 2) turn.x = turn.y = 0;
        test->places[i] = (Collider){.position = place(stream, i, dim),
                                     .orientation = quat_exp(turn),
                                     .velocity = vec3(1, 2, 3)};
    }
}

/* `is_combined`: one has no true distance, and must be looked at from everywhere. */
static void make_bodies(Case *test, int count, bool is_combined) {
    static const SolidKind kinds[KINDS] = {SOLID_BOX, SOLID_BALL, SOLID_CYLINDER, SOLID_CAPSULE,
                                           SOLID_CONE};
    static const Solid parts[2] = {
        {.kind = SOLID_BALL, .radius = 0.1, .orientation = {1, 0, 0, 0}, .scale = 1},
        {.kind = SOLID_BALL,
         .radius = 0.08,
         .orientation = {1, 0, 0, 0},
         .position = {0.05, 0, 0},
         .scale = 1}};
    for (size_t i = 0; i < (size_t)count; i++) {
        Solid *solid = &test->solids[i];
        *solid = solid_default(kinds[i % KINDS]);
        solid->size[0] = solid->size[1] = solid->size[2] = 0.04 + 0.1 * of(0, i);
        solid->radius = 0.02 + 0.05 * of(1, i);
        solid->height = 0.1;
        if (is_combined && i == 3) {
            *solid = solid_default(SOLID_DIFFERENCE);
            solid->children = parts;
            solid->child_count = 2;
        }
        ImmersedSurface surface = {.ref = {&surfaces, test, i}};
        assert_int_equal(immersed_add(&test->immersed, &surface), PLIM_OK);
    }
}

static void check_nearest(const Immersed *immersed, Vec3 x) {
    const ImmersedCollider *nearest = NULL;
    double least = HUGE_VAL;
    Vec3 at = x, beside;
    for (size_t i = 0; i < immersed->list.count; i++)
        for (int image = 0; image < grid_image_count(&immersed->grid); image++) {
            Vec3 moved = vec3_sub(x, grid_image_offset(&immersed->grid, image));
            double distance = collider_distance(&immersed->list.data[i].now,
                                                grid_in_plane(&immersed->grid, moved));
            if (!(distance < least)) continue;
            least = distance;
            nearest = &immersed->list.data[i];
            at = moved;
        }
    assert_ptr_equal(immersed_nearest(immersed, x, &beside), nearest);
    assert_close(vec3_length(vec3_sub(beside, at)), 0, 0);
}

static void the_nearest_is_that_of_all(void **state) {
    (void)state;
    static const int counts[] = {0, 3, 8, BODIES};
    for (int variant = 0; variant < 2 * 3 * 4 * 2; variant++) {
        int dim = 2 + variant % 2, periodic = variant / 2 % 3, count = counts[variant / 6 % 4];
        Case test = {.context = test_context(1)};
        Grid grid = {.dim = dim, .n = {20, 20, dim == 3 ? 20 : 1}, .spacing = 0.05};
        for (int axis = 0; axis < dim; axis++)
            for (int end = 0; end < 2; end++)
                grid.sides[axis][end] = axis < periodic ? SIDE_PERIODIC : SIDE_WALL;
        test.immersed = (Immersed){.context = test.context, .grid = grid};
        make_bodies(&test, count, variant >= 24);
        for (uint64_t move = 0; move < 3; move++) {
            scatter(&test, 100 * move + 10, dim);
            immersed_read(&test.immersed, 0);
            immersed_fill_bins(&test.immersed);
            assert_true(test.immersed.bins.is_filled == (count >= 8));
            for (size_t i = 0; i < 300; i++)
                check_nearest(&test.immersed, place(1000 + move, i, dim));
        }
        immersed_free(&test.immersed);
        test_context_close(test.context);
    }
}

/* A step's velocities lead from where a body was to where it is, across periodic sides too. */
static void steps_have_velocities(void **state) {
    (void)state;
    Case test = {.context = test_context(1)};
    Grid grid = {.dim = 3, .n = {20, 20, 20}, .spacing = 0.05};
    grid.sides[0][0] = grid.sides[0][1] = SIDE_PERIODIC;
    test.immersed = (Immersed){.context = test.context, .grid = grid};
    make_bodies(&test, 1, false);
    test.places[0] = (Collider){.position = {0.9, 0.5, 0.5}, .orientation = quat_identity()};
    immersed_read(&test.immersed, 0);
    immersed_keep(&test.immersed);
    assert_false(immersed_read(&test.immersed, 0.1));
    test.places[0].position.x = 1.1;
    test.places[0].orientation = quat_exp(vec3(0, 0, 0.2));
    assert_true(immersed_read(&test.immersed, 0.1));
    const ImmersedCollider *it = immersed_find(&test.immersed, 0);
    assert_true(immersed_has_moved(it) && !it->is_elsewhere);
    assert_close(it->now.position.x, 0.1, 1e-14);
    assert_close(it->now.velocity.x, 2, 1e-13);
    assert_close(it->now.angular_velocity.z, 2, 1e-13);
    immersed_free(&test.immersed);
    test_context_close(test.context);
}

/* Of several domains each has what reaches into its room, and finds the others by their numbers. */
static void rooms_part_bodies(void **state) {
    (void)state;
    Case test = {.context = test_context(1)};
    Box3 other = {{1, 0, 0}, {2, 1, 1}};
    test.immersed =
        (Immersed){.context = test.context,
                   .grid = {.dim = 3, .n = {20, 20, 20}, .spacing = 0.05},
                   .room = {.box = {{0, 0, 0}, {1, 1, 1}}, .others = &other, .other_count = 1}};
    make_bodies(&test, 3, false);
    for (size_t i = 0; i < 3; i++)
        test.places[i] = (Collider){.position = {0.5, 0.5, 0.5}, .orientation = quat_identity()};
    test.places[1].position.x = 1.5;
    test.places[2].position.x = 1.01;
    assert_true(immersed_read(&test.immersed, 0));
    assert_int_equal(test.immersed.list.count, 2);
    assert_int_equal(test.immersed.list.data[1].number, 2);
    assert_true(test.immersed.list.data[1].is_elsewhere);
    assert_close(immersed_find(&test.immersed, 1)->now.position.x, 1.5, 0);
    immersed_keep(&test.immersed);
    test.places[1].position.x = 0.7; /* it comes */
    assert_true(immersed_read(&test.immersed, 0.1));
    assert_int_equal(test.immersed.list.count, 3);
    assert_close(immersed_find(&test.immersed, 1)->now.velocity.x, -8, 1e-12);
    immersed_free(&test.immersed);
    test_context_close(test.context);
}

static Surface describe_bare(const void *system, size_t body) {
    (void)system, (void)body;
    return (Surface){.name = "net", .motion = SURFACE_STILL};
}

static void without_a_solid_it_is_refused(void **state) {
    (void)state;
    static const SurfaceClass bare = {.describe = describe_bare};
    PlimContext *context = test_context(1);
    Immersed immersed = {.context = context};
    ImmersedSurface surface = {.ref = {&bare, NULL, 0}};
    assert_int_equal(immersed_add(&immersed, &surface), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "net"));
    immersed_free(&immersed);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_is_that_of_all),
        cmocka_unit_test(steps_have_velocities),
        cmocka_unit_test(rooms_part_bodies),
        cmocka_unit_test(without_a_solid_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
