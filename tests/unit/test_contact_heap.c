/* Three bodies at one place: the seams of some are not where the others hide. */
#include "contact_world.h"

#include "base/random.h"

enum { TRIOS = 100 };

/* Cubes of edge 1, their middles on a circle of half an edge, turned at random: each overlaps both
 * others. */
static PlimRigidDesc cube_of_trio(const char *name, size_t trio, size_t k) {
    double angle = 2.0 * 3.14159265358979323846 * (double)k / 3.0;
    uint64_t draw = 8 * (3 * trio + k);
    Vec3 at = vec3(6.0 * (double)trio + 0.48 * cos(angle), 0, 0.48 * sin(angle));
    PlimRigidDesc desc = box_of(name, vec3(1, 1, 1), at);
    double turn[4];
    for (uint64_t i = 0; i < 4; i++) turn[i] = random_normal(5, 0, draw + i);
    quat_store(desc.pose.orientation, quat_normalize(quat_load(turn)));
    return desc;
}

/* Of a corner of one cube in the other, m. */
static double corner_depth(const Arena *arena, size_t corners_of, size_t in) {
    PlimPose from = pose_of(arena, corners_of), to = pose_of(arena, in);
    double deepest = 0.0;
    for (int i = 0; i < 8; i++) {
        Vec3 own = vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
        Vec3 corner =
            vec3_add(vec3_load(from.position), quat_rotate(quat_load(from.orientation), own));
        Vec3 seen = quat_rotate_inverse(quat_load(to.orientation),
                                        vec3_sub(corner, vec3_load(to.position)));
        double inside = 0.5 - fmax(fabs(seen.x), fmax(fabs(seen.y), fabs(seen.z)));
        deepest = fmax(deepest, inside);
    }
    return deepest;
}

static double deepest_of_all(const Arena *arena) {
    double deepest = 0.0;
    for (size_t i = 0; i < 3 * TRIOS; i++)
        for (size_t k = 1; k < 3; k++) {
            size_t other = i / 3 * 3 + (i + k) % 3;
            deepest = fmax(deepest, corner_depth(arena, i, other));
        }
    return deepest;
}

/* Each hides the contact of the other two from where it is. */
static void three_in_one_another_come_apart(void **state) {
    (void)state;
    Arena arena = arena_open(0);
    for (size_t i = 0; i < 3 * TRIOS; i++) {
        char name[32];
        snprintf(name, sizeof name, "cube %zu", i);
        assert_int_equal(arena_add(&arena, cube_of_trio(name, i / 3, i % 3)), i);
    }
    assert_true(deepest_of_all(&arena) > 0.3);
    arena_step(&arena, 1.0 / 96, 96);
    assert_true(deepest_of_all(&arena) < 0.01);
    arena_close(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_in_one_another_come_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
