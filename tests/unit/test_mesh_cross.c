/* Self-intersections: crossing told from touching, against exact integers and by symmetry. */
#include "mesh_make.h"

#include "geom/mesh/mesh_predicates.h"
#include "math/quat.h"

#include <stdlib.h>

typedef struct Whole {
    long long x, y, z;
} Whole;

static Whole sub(Whole a, Whole b) {
    return (Whole){a.x - b.x, a.y - b.y, a.z - b.z};
}

static Whole cross(Whole a, Whole b) {
    return (Whole){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long long dot(Whole a, Whole b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

typedef struct Fraction {
    long long top, bottom; /* bottom > 0 */
} Fraction;

static bool less(Fraction a, Fraction b) {
    return a.top * b.bottom < b.top * a.bottom;
}

/* The ends, along the line, of the part of it in triangle p. False unless p straddles the plane. */
static bool ends_along(const Whole p[3], const long long side[3], Whole line, Fraction ends[2]) {
    int found = 0;
    bool above = false, below = false;
    for (int k = 0; k < 3; k++) {
        above |= side[k] > 0;
        below |= side[k] < 0;
    }
    if (!above || !below) return false;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if (side[k] == 0) ends[found++] = (Fraction){dot(p[k], line), 1};
        if (side[k] * side[next] >= 0) continue;
        long long bottom = side[k] - side[next];
        long long top = dot(p[k], line) * bottom + side[k] * dot(sub(p[next], p[k]), line);
        ends[found++] = bottom > 0 ? (Fraction){top, bottom} : (Fraction){-top, -bottom};
    }
    assert_int_equal(found, 2);
    if (less(ends[1], ends[0])) {
        Fraction kept = ends[0];
        ends[0] = ends[1];
        ends[1] = kept;
    }
    return true;
}

static bool cross_exactly(const Whole a[3], const Whole b[3]) {
    Whole na = cross(sub(a[1], a[0]), sub(a[2], a[0])),
          nb = cross(sub(b[1], b[0]), sub(b[2], b[0]));
    Whole line = cross(na, nb);
    long long side_a[3], side_b[3];
    for (int k = 0; k < 3; k++) {
        side_a[k] = dot(nb, sub(a[k], b[0]));
        side_b[k] = dot(na, sub(b[k], a[0]));
    }
    Fraction in_a[2], in_b[2];
    if (!ends_along(a, side_a, line, in_a) || !ends_along(b, side_b, line, in_b)) return false;
    Fraction low = less(in_a[0], in_b[0]) ? in_b[0] : in_a[0];
    Fraction high = less(in_a[1], in_b[1]) ? in_a[1] : in_b[1];
    return less(low, high);
}

/* On a small grid, where most pairs touch, share edges or lie in one plane. */
static void exact_on_a_grid(void **state) {
    (void)state;
    int crossing = 0, tried = 300000;
    for (int i = 0; i < tried; i++) {
        int size = 2 + i % 5;
        Whole whole[6];
        Vec3 p[6], place;
        for (int k = 0; k < 6; k++) {
            uint32_t random[4];
            random_block(3, (uint64_t)k, (uint64_t)i, random);
            whole[k] = (Whole){random[0] % size, random[1] % size, random[2] % size};
            p[k] = vec3((double)whole[k].x, (double)whole[k].y, (double)whole[k].z);
        }
        bool expected = cross_exactly(whole, whole + 3);
        assert_int_equal(triangles_cross(p, p + 3, &place), expected);
        assert_int_equal(triangles_cross(p + 3, p, &place), expected);
        crossing += expected;
    }
    assert_true(crossing > tried / 50 && crossing < tried / 2);
}

/* The answer is the same for a pair anywhere and of any size; random pairs do not just touch. */
static void same_anywhere(void **state) {
    (void)state;
    static const double sizes[] = {1e-150, 1e-9, 1.0, 1e9, 1e150};
    for (uint64_t i = 0; i < 3000; i++) {
        Vec3 p[6], place;
        for (uint64_t k = 0; k < 6; k++)
            p[k] = vec3(uniform(3 * k, i), uniform(3 * k + 1, i), uniform(3 * k + 2, i));
        bool first = triangles_cross(p, p + 3, &place);
        if (first) /* in both planes */
            for (int t = 0; t < 6; t += 3) {
                Vec3 n =
                    vec3_normalize(vec3_cross(vec3_sub(p[t + 1], p[t]), vec3_sub(p[t + 2], p[t])));
                assert_close(vec3_dot(n, vec3_sub(place, p[t])), 0.0, 1e-9);
            }
        for (size_t s = 0; s < 5; s++) {
            Quat turn = quat_exp(vec3(uniform(30, i), uniform(31, i), uniform(32, i)));
            Vec3 q[6];
            for (int k = 0; k < 6; k++)
                q[k] = vec3_scale(sizes[s], vec3_add(quat_rotate(turn, p[k]), vec3(3, -2, 5)));
            assert_int_equal(triangles_cross(q, q + 3, &place), first);
            assert_int_equal(triangles_cross(q + 3, q, &place), first);
        }
    }
}

static size_t crossings(PlimContext *context, const TriangleMesh *mesh) {
    return report_of(context, mesh).defects[DEFECT_SELF_INTERSECTION].count;
}

/* Boxes face to face, edge to edge, corner to face, turned and moved: rounding makes them overlap
 * by some 1e-16, which is not a crossing. */
static void touching_is_not_crossing(void **state) {
    (void)state;
    static const Vec3 moves[] = {{2, 0, 0}, {2, 0.7, 0.3}, {2, 2, 0}, {2, 2, 2}, {0, 2, 0.1}};
    PlimContext *context = test_context(2);
    for (uint64_t i = 0; i < 200; i++) {
        TriangleMesh mesh = box(context), other = box(context);
        mesh_translate(&other, moves[i % 5]);
        append(context, &mesh, &other);
        Quat turn = quat_exp(vec3(3 * uniform(0, i), uniform(1, i), uniform(2, i)));
        for (size_t k = 0; k < mesh.vertex_count; k++)
            mesh.vertices[k] = vec3_add(quat_rotate(turn, mesh.vertices[k]),
                                        vec3(100 * uniform(3, i), 1, uniform(4, i)));
        assert_int_equal(crossings(context, &mesh), 0);
        for (size_t k = 8; k < 16; k++) /* a little closer: one goes through the other */
            mesh.vertices[k] =
                vec3_sub(mesh.vertices[k], vec3_scale(1e-9, quat_rotate(turn, vec3(1, 1, 0.9))));
        assert_true(crossings(context, &mesh) > 0);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

static void crossings_are_counted(void **state) {
    (void)state;
    static const Vec3 places[6] = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 2},
                                   {0, -1, 0},  {0, 1, 0},  {0.5, 1, 0.1}};
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(mesh_allocate(context, &mesh, 6, 2), PLIM_OK);
    for (int i = 0; i < 6; i++) {
        mesh.vertices[i] = places[i];
        mesh.triangles[i / 3][i % 3] = i;
    }
    mesh.vertices[5].y =
        1.0; /* from the x axis to beyond: the line meets both at (0..0.25, 0, ...) */
    MeshReport report = report_of(context, &mesh);
    assert_int_equal(report.defects[DEFECT_SELF_INTERSECTION].count, 1);
    expect_place(&report.defects[DEFECT_SELF_INTERSECTION], 0, vec3(0.125, 0, 0.025));
    mesh_free(context, &mesh);

    /* Against trying all pairs, for any number of threads. */
    TriangleMesh other = ball(context, 0.8, 3);
    mesh = ball(context, 1.0, 3);
    mesh_translate(&other, vec3(0.5, 0.1, 0.2));
    append(context, &mesh, &other);
    size_t expected = 0;
    for (size_t i = 0; i < mesh.triangle_count / 2; i++)
        for (size_t j = mesh.triangle_count / 2; j < mesh.triangle_count; j++) {
            Vec3 a[3], b[3], place;
            for (int k = 0; k < 3; k++) {
                a[k] = mesh.vertices[mesh.triangles[i][k]];
                b[k] = mesh.vertices[mesh.triangles[j][k]];
            }
            expected += triangles_cross(a, b, &place);
        }
    report = report_of(context, &mesh);
    assert_int_equal(report.defects[DEFECT_SELF_INTERSECTION].count, expected);
    assert_true(expected > 100);
    PlimContext *wide = test_context(4);
    MeshReport again = report_of(wide, &mesh);
    assert_memory_equal(&report, &again, sizeof report);
    test_context_close(wide);
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void flat_triangles(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        Vec3 a = vec3(uniform(0, i), uniform(1, i), uniform(2, i));
        Vec3 b = vec3(uniform(3, i), uniform(4, i), uniform(5, i));
        Vec3 on = vec3_add_scaled(a, uniform(6, i), vec3_sub(b, a));
        Vec3 side = vec3_any_orthogonal(vec3_sub(b, a));
        assert_true(triangle_is_flat(a, b, on)); /* up to rounding */
        assert_true(triangle_is_flat(on, a, a));
        assert_false(triangle_is_flat(a, vec3_add_scaled(on, 1e-13, side), b));
        double s = i % 2 ? 1e-160 : 1e160;
        assert_true(triangle_is_flat(vec3_scale(s, a), vec3_scale(s, b), vec3_scale(s, on)));
        assert_false(triangle_is_flat(vec3_scale(s, a), vec3_scale(s, b),
                                      vec3_scale(s, vec3_add_scaled(on, 1e-13, side))));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_on_a_grid),          cmocka_unit_test(same_anywhere),
        cmocka_unit_test(touching_is_not_crossing), cmocka_unit_test(crossings_are_counted),
        cmocka_unit_test(flat_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
