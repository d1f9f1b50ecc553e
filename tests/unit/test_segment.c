/* Segment loops in the plane: closed or not, and their mass properties against formulas. */
#include "check.h"

#include "base/random.h"
#include "geom/mesh/segment_mesh.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void circle_is_exact_and_converges(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double before = 0.0;
    for (int n = 3; n <= 384; n *= 2) {
        SegmentMesh mesh;
        assert_int_equal(segment_circle(context, 2.0, n, &mesh), PLIM_OK);
        assert_true(segment_mesh_is_closed(context, &mesh));
        SegmentMass mass = segment_mesh_mass(&mesh);
        double half = pi / n, area = n * 4.0 * sin(half) * cos(half);
        assert_close(mass.area, area, 1e-13);
        assert_close(vec3_length(mass.center), 0.0, 1e-15);
        /* Of a regular polygon: A R^2 (2 + cos(2 pi / n)) / 6. */
        assert_close(mass.inertia, area * 4.0 * (2.0 + cos(2.0 * half)) / 6.0, 1e-12);
        assert_close(segment_mesh_perimeter(&mesh), n * 4.0 * sin(half), 1e-12);
        double error = 4.0 * pi - mass.area;
        if (n > 24) assert_close(before / error, 4.0, 0.02); /* second order */
        before = error;
        mesh.segments[1][1] = 0; /* no loop any more */
        assert_false(segment_mesh_is_closed(context, &mesh));
        segment_mesh_free(context, &mesh);
    }
    test_context_close(context);
}

/* A rectangle with a rectangular hole, turned and far away: the parts subtract. */
static void holes_and_distance(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (uint64_t trial = 0; trial < 100; trial++) {
        SegmentMesh outer, inner, both;
        assert_int_equal(segment_rectangle(context, 3.0, 2.0, &outer), PLIM_OK);
        assert_int_equal(segment_rectangle(context, 0.5, 1.0, &inner), PLIM_OK);
        assert_int_equal(segment_mesh_allocate(context, &both, 8, 8), PLIM_OK);
        double angle = 6.0 * random_uniform(1, 0, trial);
        Vec3 far = vec3(1000 * random_uniform(1, 1, trial), -500, 0);
        for (int i = 0; i < 4; i++) {
            both.vertices[i] = outer.vertices[i];
            both.vertices[4 + i] = vec3_add(inner.vertices[i], vec3(0.6, 0.1, 0));
            both.segments[i][0] = i;
            both.segments[i][1] = (i + 1) % 4;
            both.segments[4 + i][0] = 4 + (i + 1) % 4; /* clockwise */
            both.segments[4 + i][1] = 4 + i;
        }
        for (int i = 0; i < 8; i++) {
            Vec3 p = both.vertices[i];
            both.vertices[i] = vec3(far.x + cos(angle) * p.x - sin(angle) * p.y,
                                    far.y + sin(angle) * p.x + cos(angle) * p.y, 0);
        }
        assert_true(segment_mesh_is_closed(context, &both));
        SegmentMass mass = segment_mesh_mass(&both);
        double x = -0.5 * 0.6 / 5.5, y = -0.5 * 0.1 / 5.5;
        assert_close(mass.area, 5.5, 1e-11);
        assert_close(mass.center.x, far.x + cos(angle) * x - sin(angle) * y, 1e-11);
        assert_close(mass.center.y, far.y + sin(angle) * x + cos(angle) * y, 1e-11);
        double solid = 6.0 * (9.0 + 4.0) / 12.0 + 6.0 * (x * x + y * y);
        double hole =
            0.5 * (0.25 + 1.0) / 12.0 + 0.5 * ((0.6 - x) * (0.6 - x) + (0.1 - y) * (0.1 - y));
        assert_close(mass.inertia, solid - hole, 1e-10);
        assert_close(segment_mesh_perimeter(&both), 13.0, 1e-11);
        segment_mesh_free(context, &outer);
        segment_mesh_free(context, &inner);
        segment_mesh_free(context, &both);
    }
    test_context_close(context);
}

static void sides_and_nonsense(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    SegmentMesh mesh;
    assert_int_equal(segment_rectangle(context, 2.0, 4.0, &mesh), PLIM_OK);
    for (size_t i = 0; i < 4; i++) { /* the outside is to the right */
        Vec3 a = mesh.vertices[mesh.segments[i][0]], b = mesh.vertices[mesh.segments[i][1]];
        Vec3 along = vec3_sub(b, a), right = vec3(along.y, -along.x, 0);
        assert_true(vec3_dot(right, vec3_add(a, b)) > 0.0);
        int32_t kept = mesh.segments[i][0];
        mesh.segments[i][0] = mesh.segments[i][1];
        mesh.segments[i][1] = kept;
    }
    assert_true(segment_mesh_is_closed(context, &mesh));
    assert_close(segment_mesh_mass(&mesh).area, -8.0, 1e-15);
    mesh.segments[2][0] = 4;
    assert_false(segment_mesh_is_closed(context, &mesh));
    mesh.segments[2][0] = -1;
    assert_false(segment_mesh_is_closed(context, &mesh));
    mesh.segments[2][0] = mesh.segments[2][1];
    assert_false(segment_mesh_is_closed(context, &mesh));
    for (int i = 0; i < 4; i++) mesh.vertices[i] = vec3(i, 2 * i, 0); /* flat */
    mesh.segments[2][0] = 3;
    SegmentMass flat = segment_mesh_mass(&mesh);
    assert_close(flat.area, 0.0, 0.0);
    assert_close(flat.inertia, 0.0, 0.0);
    segment_mesh_free(context, &mesh);
    assert_close(segment_mesh_mass(&mesh).area, 0.0, 0.0);

    assert_int_equal(segment_circle(context, -1.0, 8, &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "circle radius is -1 m"));
    assert_int_equal(segment_circle(context, 1.0, 2, &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "segments is 2"));
    assert_int_equal(segment_circle(context, 1.0, 2000000000, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(segment_rectangle(context, 1.0, NAN, &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "rectangle size y is nan"));
    assert_int_equal(segment_mesh_allocate(context, &mesh, (size_t)1 << 40, 1), PLIM_BAD_INPUT);
    assert_null(mesh.vertices);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circle_is_exact_and_converges),
        cmocka_unit_test(holes_and_distance),
        cmocka_unit_test(sides_and_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
