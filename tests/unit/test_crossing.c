/* Exact intersections: signs against wide integers, segments and triangles of a small lattice
 * against separating axes, whole surfaces against trying all pairs. */
#include "ration.h"

#include "base/random.h"
#include "collide/crossing.h"
#include "geom/query/orient.h"

__extension__ typedef __int128 Wide;

typedef struct Point {
    int64_t x[3];
} Point;

static int64_t whole(uint64_t stream, uint64_t index, int64_t count) {
    return (int64_t)(random_uniform(31, stream, index) * (double)count);
}

static Vec3 place(Point p, double unit) {
    return vec3(unit * (double)p.x[0], unit * (double)p.x[1], unit * (double)p.x[2]);
}

/* ---- signs ---- */

static int wide_sign(Wide a) {
    return (a > 0) - (a < 0);
}

static Wide wide_det(Point a, Point b, Point c, Point d) {
    Wide m[3][3];
    for (int i = 0; i < 3; i++) {
        m[0][i] = a.x[i] - d.x[i];
        m[1][i] = b.x[i] - d.x[i];
        m[2][i] = c.x[i] - d.x[i];
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
           m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Four points near one plane, off it by a unit or not at all; coordinates of 40 bits. */
static void test_signs(void **state) {
    (void)state;
    int counts[3] = {0}, tries = test_size(200000, 20000);
    for (int n = 0; n < tries; n++) {
        uint64_t at = (uint64_t)n;
        Point p[4];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                p[k].x[i] = 8 * whole(3 * (uint64_t)k + (uint64_t)i, at, (int64_t)1 << 35);
            p[3].x[i] =
                p[0].x[i] + (p[1].x[i] - p[0].x[i]) / 8 * 3 + (p[2].x[i] - p[0].x[i]) / 8 * 7;
        }
        p[3].x[whole(20, at, 3)] += whole(21, at, 3) - 1;
        if (n % 4 == 0) p[2].x[whole(22, at, 3)] += 1;
        int expected = wide_sign(wide_det(p[0], p[1], p[2], p[3]));
        double unit = n % 3 == 0 ? 0x1p-50 : n % 3 == 1 ? 0x1p-40 : 0x1p-30;
        Vec3 a = place(p[0], unit), b = place(p[1], unit), c = place(p[2], unit),
             d = place(p[3], unit);
        assert_int_equal(orient_space(a, b, c, d), expected);
        assert_int_equal(orient_space(b, a, c, d), -expected);
        assert_int_equal(orient_space(d, c, b, a), expected);
        counts[expected + 1]++;
        for (int axis = 0; axis < 3; axis++) {
            int i = (axis + 1) % 3, j = (axis + 2) % 3;
            Wide area = (Wide)(p[0].x[i] - p[2].x[i]) * (p[1].x[j] - p[2].x[j]) -
                        (Wide)(p[0].x[j] - p[2].x[j]) * (p[1].x[i] - p[2].x[i]);
            assert_int_equal(orient_plane(a, b, c, axis), wide_sign(area));
        }
    }
    for (int i = 0; i < 3; i++) assert_true(counts[i] > tries / 20);
}

/* Differences that round: 1 beside 2^-53 and less. */
static void test_signs_of_rounded_differences(void **state) {
    (void)state;
    double tiny = 0x1p-100;
    Vec3 a = {1, 1, 0}, b = {tiny, tiny, 0}, c = {-1, -1, 0};
    assert_int_equal(orient_plane(a, b, c, 2), 0);
    b.y = 2 * tiny;
    assert_int_equal(orient_plane(a, b, c, 2), 1);
    b.y = 0.5 * tiny;
    assert_int_equal(orient_plane(a, b, c, 2), -1);
    Vec3 p = {1, 0, 1}, q = {0, 1, 1}, r = {-1, -1, 1}, s = {tiny, tiny, 1};
    assert_int_equal(orient_space(p, q, r, s), 0);
    s.z = nextafter(1.0, 0.0);
    assert_int_equal(orient_space(p, q, r, s), 1);
    s.z = nextafter(1.0, 2.0);
    assert_int_equal(orient_space(p, q, r, s), -1);
}

/* ---- pairs: disjoint convex sets have a separating axis along the shortest way between two
 * features ---- */

static Point minus(Point a, Point b) {
    return (Point){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static Point cross(Point a, Point b) {
    return (Point){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                    a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static bool axis_separates(Point n, const Point *a, int count_a, const Point *b, int count_b) {
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (int k = 0; k < count_a + count_b; k++) {
        Point p = k < count_a ? a[k] : b[k - count_a];
        int64_t along = n.x[0] * p.x[0] + n.x[1] * p.x[1] + n.x[2] * p.x[2];
        int side = k < count_a ? 0 : 1;
        if (along < low[side]) low[side] = along;
        if (along > high[side]) high[side] = along;
    }
    return low[0] > high[1] || low[1] > high[0];
}

static bool apart(const Point *a, int count_a, const Point *b, int count_b) {
    Point edges[6];
    int edge_count = 0;
    for (int i = 0; i < count_a; i++)
        for (int j = i + 1; j < count_a; j++) edges[edge_count++] = minus(a[j], a[i]);
    for (int i = 0; i < count_b; i++)
        for (int j = i + 1; j < count_b; j++) edges[edge_count++] = minus(b[j], b[i]);
    for (int i = 0; i < edge_count; i++)
        for (int j = i + 1; j < edge_count; j++)
            if (axis_separates(cross(edges[i], edges[j]), a, count_a, b, count_b)) return true;
    for (int i = 0; i < count_a; i++)
        for (int j = 0; j < count_b; j++) {
            Point way = minus(a[i], b[j]);
            if (axis_separates(way, a, count_a, b, count_b)) return true;
            for (int k = 0; k < edge_count; k++) {
                Point across = cross(cross(edges[k], way), edges[k]);
                if (axis_separates(across, a, count_a, b, count_b)) return true;
            }
        }
    return false;
}

static void test_small_lattice(void **state) {
    (void)state;
    int meet = 0, tries = test_size(400000, 40000);
    for (int n = 0; n < tries; n++) {
        Point p[5];
        int size = 2 + n % 5, flat = n % 3;
        for (int k = 0; k < 5; k++)
            for (int i = 0; i < 3; i++)
                p[k].x[i] = i == 2 && flat == 0
                                ? 0
                                : whole(40 + 3 * (uint64_t)k + (uint64_t)i, (uint64_t)n, size);
        Vec3 x[5];
        for (int k = 0; k < 5; k++) x[k] = place(p[k], 0x1p-7);
        bool expected = !apart(p, 2, p + 2, 3);
        assert_int_equal(segment_meets_triangle(x[0], x[1], x[2], x[3], x[4]), expected);
        assert_int_equal(segment_meets_triangle(x[1], x[0], x[4], x[3], x[2]), expected);
        meet += expected;
        for (int k = 0; k < 5; k++) p[k].x[2] = 0;
        assert_int_equal(segments_meet(x[0], x[1], x[2], x[3]), !apart(p, 2, p + 2, 2));
    }
    assert_true(meet > tries / 20 && meet < tries - tries / 20);
}

/* A segment that ends on a triangle, one step of its last coordinate before it, and one beyond. */
static void test_by_one_ulp(void **state) {
    (void)state;
    Vec3 a = {0, 0, 1}, b = {1, 0, 1}, c = {0, 1, 1}, above = {0.25, 0.25, 2}, end = {0.3, 0.3, 1};
    assert_true(segment_meets_triangle(above, end, a, b, c));
    end.z = nextafter(1.0, 2.0);
    assert_false(segment_meets_triangle(above, end, a, b, c));
    end.z = nextafter(1.0, 0.0);
    assert_true(segment_meets_triangle(above, end, a, b, c));
    /* Within its plane, beside the side from a to b. */
    Vec3 left = {-1, 0, 1}, right = {2, 0, 1};
    assert_true(segment_meets_triangle(left, right, a, b, c));
    left.y = right.y = -0x1p-200;
    assert_false(segment_meets_triangle(left, right, a, b, c));
}

/* ---- surfaces ---- */

enum { MOST_TRIANGLES = 300, MOST_VERTICES = 200 };

typedef struct Surface {
    Vec3 vertices[MOST_VERTICES];
    int32_t triangles[MOST_TRIANGLES][3], edges[3 * MOST_TRIANGLES][2];
    CrossingMesh mesh;
} Surface;

/* Random corners on a lattice, so that many touch. */
static void make_surface(Surface *s, int dim) {
    for (size_t i = 0; i < MOST_VERTICES; i++)
        s->vertices[i] = vec3((double)whole(60, i, 12), (double)whole(61, i, 12),
                              dim == 3 ? (double)whole(62, i, 12) : 0.0);
    for (size_t t = 0; t < MOST_TRIANGLES; t++)
        for (int k = 0; k < 3; k++) {
            s->triangles[t][k] = (int32_t)whole(63 + (uint64_t)k, t, MOST_VERTICES);
            s->edges[3 * t + (size_t)k][0] = s->triangles[t][k];
        }
    for (size_t e = 0; e < 3 * MOST_TRIANGLES; e++)
        s->edges[e][1] = s->triangles[e / 3][(e + 1) % 3];
    s->mesh = (CrossingMesh){.vertices = s->vertices,
                             .edges = s->edges,
                             .dim = dim,
                             .edge_count = dim == 3 ? 3 * MOST_TRIANGLES : MOST_TRIANGLES};
    if (dim == 3) s->mesh.triangles = s->triangles, s->mesh.triangle_count = MOST_TRIANGLES;
}

static bool shares_corner(const int32_t *a, const int32_t *b, int count_b) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < count_b; j++)
            if (a[i] == b[j]) return true;
    return false;
}

static void check_surface(int dim, int threads) {
    static Surface s;
    make_surface(&s, dim);
    PlimContext *context = test_context(threads);
    CrossingPairs pairs = {0};
    assert_int_equal(crossing_find(context, &s.mesh, &pairs), PLIM_OK);
    size_t at = 0, others = dim == 3 ? s.mesh.triangle_count : s.mesh.edge_count;
    const Vec3 *x = s.vertices;
    for (size_t e = 0; e < s.mesh.edge_count; e++)
        for (size_t o = dim == 3 ? 0 : e + 1; o < others; o++) {
            const int32_t *p = s.edges[e], *q = dim == 3 ? s.triangles[o] : s.edges[o];
            if (shares_corner(p, q, dim)) continue;
            bool meet = dim == 3
                            ? segment_meets_triangle(x[p[0]], x[p[1]], x[q[0]], x[q[1]], x[q[2]])
                            : segments_meet(x[p[0]], x[p[1]], x[q[0]], x[q[1]]);
            if (!meet) continue;
            assert_true(at < pairs.items.count);
            assert_int_equal(pairs.items.data[at].edge, e);
            assert_int_equal(pairs.items.data[at].other, o);
            at++;
        }
    assert_int_equal(at, pairs.items.count);
    assert_true(at > 100);
    array_free(context, &pairs.items);
    test_context_close(context);
}

static void test_surfaces(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; threads++)
        for (int dim = 2; dim <= 3; dim++) check_surface(dim, threads);
}

static void test_nothing_to_find(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    CrossingMesh mesh = {.dim = 3};
    CrossingPairs pairs = {0};
    assert_int_equal(crossing_find(context, &mesh, &pairs), PLIM_OK);
    assert_int_equal(pairs.items.count, 0);
    test_context_close(context);
}

static PlimStatus find_once(PlimContext *context, void *user) {
    Surface *s = user;
    CrossingPairs pairs = {0};
    PlimStatus status = crossing_find(context, &s->mesh, &pairs);
    array_free(context, &pairs.items);
    return status;
}

static void test_memory_runs_out(void **state) {
    (void)state;
    static Surface s;
    make_surface(&s, 3);
    starve(&(Starved){.use = find_once, .user = &s, .least = 4, .most = 200});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs),           cmocka_unit_test(test_signs_of_rounded_differences),
        cmocka_unit_test(test_small_lattice),   cmocka_unit_test(test_by_one_ulp),
        cmocka_unit_test(test_surfaces),        cmocka_unit_test(test_nothing_to_find),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
