/* Closest points and thickened rays against single primitives: what defines them, checked by
 * sampling and by the conditions that a nearest point fulfils. */
#include "check.h"

#include "base/random.h"
#include "geom/query/closest.h"
#include "geom/query/ray.h"

#include <float.h>

static double uniform(uint64_t stream, uint64_t index) {
    return 2.0 * random_uniform(7, stream, index) - 1.0;
}

static Vec3 random_point(uint64_t stream, uint64_t index) {
    return vec3(uniform(3 * stream, index), uniform(3 * stream + 1, index),
                uniform(3 * stream + 2, index));
}

/* Triangles of many kinds by index: plain, slivers of falling width, with two or three equal
 * corners, on a line. */
static void make_triangle(uint64_t i, Vec3 t[3]) {
    for (uint64_t k = 0; k < 3; k++) t[k] = random_point(k, i);
    Vec3 middle = vec3_add_scaled(t[0], random_uniform(7, 20, i), vec3_sub(t[1], t[0]));
    switch (i % 6) {
    case 1: /* a needle: the third corner near the opposite edge */
        t[2] = vec3_add_scaled(middle, pow(10.0, -16.0 * random_uniform(7, 21, i)), t[2]);
        break;
    case 2: /* a short edge */
        t[1] = vec3_add_scaled(t[0], pow(10.0, -16.0 * random_uniform(7, 21, i)), t[1]);
        break;
    case 3:
        t[2] = middle;
        break;
    case 4:
        t[1] = t[0];
        break;
    case 5:
        if (i % 12 == 5) t[1] = t[2] = t[0];
        break;
    default:
        break;
    }
}

static double largest_coordinate(const Vec3 *points, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        largest =
            fmax(largest, fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z))));
    return largest;
}

/* No step from q towards a corner, or the middle of two, comes nearer to p by more than rounding:
 * in a convex set, q is then nearest. */
static void check_nearest(Vec3 p, Vec3 q, const Vec3 *corners, int count) {
    Vec3 to_p = vec3_sub(p, q), all[4] = {p};
    for (int i = 0; i < count; i++) all[i + 1] = corners[i];
    double tolerance = 16 * DBL_EPSILON * largest_coordinate(all, count + 1);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i; j++) {
            Vec3 step = vec3_sub(vec3_scale(0.5, vec3_add(corners[i], corners[j])), q);
            double length2 = vec3_dot(step, step);
            double s = length2 > 0.0 ? vec3_dot(to_p, step) / length2 : 0.0;
            Vec3 rest = vec3_add_scaled(to_p, -fmin(fmax(s, 0.0), 1.0), step);
            assert_true(vec3_length(rest) >= vec3_length(to_p) - tolerance);
        }
    }
}

static void test_closest_on_triangle(void **state) {
    (void)state;
    static const double sizes[] = {1e-9, 1.0, 1e9};
    for (int s = 0; s < 3; s++) {
        for (uint64_t i = 0; i < 20000; i++) {
            Vec3 t[3], p = random_point(5, i);
            make_triangle(i, t);
            if (i % 7 == 0) p = vec3_scale(1e6, p);
            if (i % 11 == 0) p = t[i % 3];
            if (i % 13 == 0) p = vec3_add_scaled(t[0], 0.5, vec3_sub(t[1], t[0]));
            p = vec3_scale(sizes[s], p);
            for (int k = 0; k < 3; k++) t[k] = vec3_scale(sizes[s], t[k]);
            double w[3];
            Vec3 q = closest_on_triangle(p, t[0], t[1], t[2], w);
            check_nearest(p, q, t, 3);
            assert_true(w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0);
            assert_close(w[0] + w[1] + w[2], 1.0, 4 * DBL_EPSILON);
            Vec3 same =
                vec3_add_scaled(vec3_add_scaled(vec3_scale(w[0], t[0]), w[1], t[1]), w[2], t[2]);
            assert_close(vec3_length(vec3_sub(same, q)), 0.0,
                         8 * DBL_EPSILON * largest_coordinate(t, 3));
        }
    }
}

/* No point of a fine sampling is nearer. */
static void test_closest_against_sampling(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 600; i++) {
        Vec3 t[3], p = random_point(5, i);
        make_triangle(i, t);
        double w[3], least = HUGE_VAL;
        Vec3 q = closest_on_triangle(p, t[0], t[1], t[2], w);
        const int n = 50;
        for (int a = 0; a <= n; a++) {
            for (int b = 0; a + b <= n; b++) {
                Vec3 r = vec3_add_scaled(vec3_add_scaled(t[0], (double)a / n, vec3_sub(t[1], t[0])),
                                         (double)b / n, vec3_sub(t[2], t[0]));
                least = fmin(least, vec3_length(vec3_sub(r, p)));
            }
        }
        double distance = vec3_length(vec3_sub(q, p));
        assert_true(distance <= least + 1e-15);
        assert_true(distance >= least - 4.0 / n);
    }
}

static void test_closest_on_segment(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        Vec3 t[2] = {random_point(0, i), random_point(1, i)}, p = random_point(5, i);
        if (i % 5 == 0) t[1] = t[0];
        if (i % 5 == 1) t[1] = vec3_add_scaled(t[0], 1e-14, t[1]);
        double along;
        check_nearest(p, closest_on_segment(p, t[0], t[1], &along), t, 2);
        assert_true(along >= 0.0 && along <= 1.0);
    }
}

static double distance_at(double t, Vec3 from, Vec3 to, const Vec3 *corner) {
    double w[3];
    Vec3 p = vec3_add_scaled(from, t, vec3_sub(to, from));
    return vec3_length(vec3_sub(p, closest_on_triangle(p, corner[0], corner[1], corner[2], w)));
}

/* The least distance between the segment and the triangle by golden section: the distance is convex
 * along the segment. */
static double least_distance(Vec3 from, Vec3 to, const Vec3 *corner) {
    double a = 0.0, b = 1.0,
           least = fmin(distance_at(0, from, to, corner), distance_at(1, from, to, corner));
    for (int i = 0; i < 80; i++) {
        double c = b - 0.6180339887498949 * (b - a), d = a + 0.6180339887498949 * (b - a);
        double at_c = distance_at(c, from, to, corner), at_d = distance_at(d, from, to, corner);
        least = fmin(least, fmin(at_c, at_d));
        if (at_c < at_d)
            b = d;
        else
            a = c;
    }
    return least;
}

/* A hit means within half the thickness, no hit means beyond it, and t is where that begins. */
static void test_ray_is_distance(void **state) {
    (void)state;
    static const double thickness[] = {0.0, 1e-12, 1e-6, 1e-3, 0.1, 1.0};
    int hits = 0;
    for (uint64_t i = 0; i < 30000; i++) {
        Vec3 t[3], from = random_point(5, i), to = random_point(6, i);
        make_triangle(i, t);
        if (i % 8 == 0) { /* through the plane of the triangle, near an edge */
            Vec3 aim = vec3_add_scaled(t[0], random_uniform(7, 30, i), vec3_sub(t[1], t[0]));
            to = vec3_add_scaled(aim, 1.0, vec3_sub(aim, from));
        }
        if (i % 8 == 1) to = vec3_add_scaled(from, 1e-9, to); /* almost a point */
        if (i % 8 == 2) to = from;
        double width = thickness[i / 6 % 6], rounding = 1e-14;
        RayHit hit = {0};
        bool met = ray_triangle(from, to, t[0], t[1], t[2], width, &hit);
        double least = least_distance(from, to, t);
        if (least < 0.5 * width) assert_true(met);
        if (!met) continue;
        hits++;
        assert_true(least <= 0.5 * width + rounding);
        assert_true(hit.t >= 0.0 && hit.t <= 1.0);
        double reached = distance_at(hit.t, from, to, t);
        assert_true(reached <= 0.5 * width + rounding);
        if (width > 1e-9 && hit.t > 0.0) /* below, rounding tilts a grazing gap */
            assert_true(reached >= 0.5 * width * (1.0 - 1e-3));
        for (int k = 0; k < 20 && hit.t > 0.0; k++)
            assert_true(distance_at(hit.t * k / 20, from, to, t) >= 0.5 * width - rounding);
        assert_close(hit.weights[0] + hit.weights[1] + hit.weights[2], 1.0, 1e-14);
    }
    assert_true(hits > 5000);
}

/* The same for segments in the plane, by way of triangles with two equal corners. */
static void test_ray_segment_2d(void **state) {
    (void)state;
    int hits = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        Vec3 p[4];
        for (uint64_t k = 0; k < 4; k++) p[k] = random_point(k, i);
        if (i % 4 == 0) p[3] = p[2];
        double width = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 1e-9 : 0.1;
        RayHit hit = {0}, flat = {0};
        bool met = ray_segment_2d(p[0], p[1], p[2], p[3], width, &hit);
        for (int k = 0; k < 4; k++) p[k].z = 0.0; /* which are ignored */
        assert_true(met == ray_segment_2d(p[0], p[1], p[2], p[3], width, &flat));
        assert_true(hit.t == flat.t);
        Vec3 corner[3] = {p[2], p[3], p[3]};
        double least = least_distance(p[0], p[1], corner);
        if (least < 0.5 * width) assert_true(met);
        if (!met) continue;
        hits++;
        assert_true(least <= 0.5 * width + 1e-14);
        assert_true(distance_at(hit.t, p[0], p[1], corner) <= 0.5 * width + 1e-14);
    }
    assert_true(hits > 2000);
}

/* Hits worked out by hand. */
static void test_ray_known(void **state) {
    (void)state;
    Vec3 a = vec3(0, 0, 0), b = vec3(1, 0, 0), c = vec3(0, 1, 0);
    RayHit hit;
    assert_true(ray_triangle(vec3(0.25, 0.25, 1), vec3(0.25, 0.25, -1), a, b, c, 0.0, &hit));
    assert_close(hit.t, 0.5, 1e-15);
    assert_close(hit.weights[1], 0.25, 1e-15);
    assert_true(ray_triangle(vec3(0.25, 0.25, 1), vec3(0.25, 0.25, -1), a, b, c, 0.2, &hit));
    assert_close(hit.t, 0.45, 1e-15);
    assert_false(ray_triangle(vec3(0.25, 0.25, 1), vec3(0.25, 0.25, 0.11), a, b, c, 0.2, &hit));
    assert_true(ray_triangle(vec3(0.25, 0.25, 1), vec3(0.25, 0.25, 0.09), a, b, c, 0.2, &hit));
    /* in the plane of the triangle, across it */
    assert_true(ray_triangle(vec3(-1, 0.25, 0), vec3(1, 0.25, 0), a, b, c, 0.0, &hit));
    assert_close(hit.t, 0.5, 1e-15);
    /* past an edge, within and beyond half the thickness */
    assert_true(ray_triangle(vec3(0.5, -0.09, 1), vec3(0.5, -0.09, -1), a, b, c, 0.2, &hit));
    assert_false(ray_triangle(vec3(0.5, -0.11, 1), vec3(0.5, -0.11, -1), a, b, c, 0.2, &hit));
    /* starts inside the wedge */
    assert_true(ray_triangle(vec3(0.25, 0.25, 0.05), vec3(0.25, 0.25, 1), a, b, c, 0.2, &hit));
    assert_close(hit.t, 0.0, 0.0);
    assert_true(ray_segment_2d(vec3(0.5, 1, 5), vec3(0.5, -1, -3), a, b, 0.0, &hit));
    assert_close(hit.t, 0.5, 1e-15);
    assert_close(hit.weights[1], 0.5, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closest_on_triangle), cmocka_unit_test(test_closest_against_sampling),
        cmocka_unit_test(test_closest_on_segment),  cmocka_unit_test(test_ray_is_distance),
        cmocka_unit_test(test_ray_segment_2d),      cmocka_unit_test(test_ray_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
