/* Solids, places and searches that the tests of contact geometry share. */
#ifndef TESTS_CONTACT_CASE_H
#define TESTS_CONTACT_CASE_H

#include "check.h"

#include "base/random.h"
#include "collide/round.h"
#include "math/quat.h"

static inline Frame frame_in_place(void) {
    return (Frame){mat3_identity(), {0, 0, 0}};
}

static inline Frame frame_at(Vec3 origin, Vec3 turn) {
    return (Frame){quat_to_mat3(quat_exp(turn)), origin};
}

/* Uniform in a box of half size `size`. */
static inline Vec3 random_vector(uint64_t stream, uint64_t index, double size) {
    return vec3(size * (2 * random_uniform(7, 3 * stream, index) - 1),
                size * (2 * random_uniform(7, 3 * stream + 1, index) - 1),
                size * (2 * random_uniform(7, 3 * stream + 2, index) - 1));
}

static inline Frame random_frame(uint64_t stream, uint64_t index, double size) {
    return frame_at(random_vector(2 * stream, index, size),
                    random_vector(2 * stream + 1, index, 3.0));
}

/* `inner` in the axes of `outer`, in the axes of the world. */
static inline Frame frame_in_frame(const Frame *outer, const Frame *inner) {
    return (Frame){mat3_multiply(outer->axes, inner->axes), frame_to_world(outer, inner->origin)};
}

static inline DistanceField field_of(const Solid *solid) {
    return (DistanceField){solid, solid_bounds(solid)};
}

static inline double least_gap(const ContactPoints *points) {
    double least = HUGE_VAL;
    for (size_t i = 0; i < points->count; i++) least = fmin(least, points->at[i].gap);
    return least;
}

static inline void assert_vector(Vec3 actual, Vec3 expected, double tolerance) {
    Vec3 apart = vec3_sub(actual, expected);
    if (!(vec3_length(apart) <= tolerance))
        fail_msg("(%.12g, %.12g, %.12g), expected (%.12g, %.12g, %.12g) within %g", actual.x,
                 actual.y, actual.z, expected.x, expected.y, expected.z, tolerance);
}

/* Unit normals, and positions midway: half the gap from b's surface, for a solid b whose distance
 * is exact. */
static inline void assert_sound(const ContactPoints *points, const Solid *b, const Frame *at_b,
                                bool flip, double tolerance) {
    for (size_t i = 0; i < points->count; i++) {
        const ContactPoint *point = &points->at[i];
        Vec3 out = flip ? vec3_scale(-1, point->normal) : point->normal;
        assert_close(vec3_length(out), 1, 1e-12);
        Vec3 surface = vec3_add_scaled(point->position, -0.5 * point->gap, out);
        assert_close(solid_distance(b, frame_to_own(at_b, surface)), 0, tolerance);
    }
}

/* The same points in both lists, one in another frame. */
static inline void assert_same_points(const ContactPoints *a, const ContactPoints *b,
                                      const Frame *a_to_b, double tolerance) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        double nearest = HUGE_VAL;
        Vec3 position = frame_to_world(a_to_b, a->at[i].position);
        Vec3 normal = mat3_apply(a_to_b->axes, a->at[i].normal);
        for (size_t j = 0; j < b->count; j++) {
            double apart = vec3_length(vec3_sub(position, b->at[j].position)) +
                           vec3_length(vec3_sub(normal, b->at[j].normal)) +
                           fabs(a->at[i].gap - b->at[j].gap);
            nearest = fmin(nearest, apart);
        }
        assert_close(nearest, 0, tolerance);
    }
}

#endif
