/* What is wrong with a mesh, found: defects of every kind made by hand. */
#include "mesh_make.h"

#include "geom/mesh/mass.h"
#include "math/quat.h"

#include <stdlib.h>

static void primitives_are_clean(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (uint64_t i = 0; i < 60; i++) {
        TriangleMesh mesh;
        int segments = 3 + (int)(40 * uniform(0, i)), rings = 1 + (int)(10 * uniform(1, i));
        double size = pow(10.0, 6.0 * uniform(2, i) - 3.0), height = size * (0.1 + uniform(3, i));
        PlimStatus status =
            i % 6 == 0   ? primitive_box(context, vec3(size, height, 2 * size), &mesh)
            : i % 6 == 1 ? primitive_ball(context, size, (int)(i % 5), &mesh)
            : i % 6 == 2 ? primitive_cylinder(context, size, height, segments, &mesh)
            : i % 6 == 3 ? primitive_capsule(context, size, height, segments, rings, &mesh)
            : i % 6 == 4 ? primitive_torus(context, 2 * size, size, segments, rings + 3, &mesh)
                         : primitive_cone(context, size, height, segments, &mesh);
        assert_int_equal(status, PLIM_OK);
        Quat q = quat_exp(vec3(3 * uniform(4, i), uniform(5, i), uniform(6, i)));
        for (size_t k = 0; k < mesh.vertex_count; k++)
            mesh.vertices[k] = vec3_add(quat_rotate(q, mesh.vertices[k]), vec3(7, 8, 9));
        expect_clean(context, &mesh);
        MeshReport report = report_of(context, &mesh);
        assert_int_equal(report.components, 1);
        assert_int_equal(report.triangles, mesh.triangle_count);
        assert_close(report.volume, mesh_mass_properties(&mesh).volume, 0.0);
        MeshRepair done = repair_twice(context, &mesh), nothing = {0};
        assert_memory_equal(&done, &nothing, sizeof done);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

static void cone_and_sheet(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_cone(context, 2.0, 3.0, 8, &mesh), PLIM_OK);
    MassProperties mass = mesh_mass_properties(&mesh);
    double base = 0.5 * 8 * 4.0 * sqrt(0.5); /* a regular octagon */
    assert_close(mass.volume, base * 3.0 / 3.0, 1e-13);
    assert_close(mass.center.y, -0.75, 1e-14);
    mesh_free(context, &mesh);

    assert_int_equal(primitive_sheet(context, 3.0, 2.0, 3, 2, &mesh), PLIM_OK);
    MeshReport report = report_of(context, &mesh);
    expect_only(&report, DEFECT_OPEN_EDGE, 10);
    assert_false(report.closed);
    assert_close(report.area, 6.0, 1e-14);
    assert_close(report.low.x, -1.5, 0.0);
    assert_close(report.high.z, 1.0, 0.0);
    for (size_t i = 0; i < mesh.triangle_count; i++) { /* seen from above */
        const int32_t *t = mesh.triangles[i];
        Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
        assert_true(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)).y > 0.0);
    }
    /* Opposite diagonals: the inner vertices have four or eight triangles in turn. */
    int uses[12] = {0};
    for (size_t i = 0; i < mesh.triangle_count; i++)
        for (int k = 0; k < 3; k++) uses[mesh.triangles[i][k]]++;
    assert_int_equal(uses[5] + uses[6], 12);
    assert_int_equal(abs(uses[5] - uses[6]), 4);
    mesh_free(context, &mesh);
    assert_int_equal(primitive_cone(context, 1, 0, 8, &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "cone height is 0 m"));
    assert_int_equal(primitive_cone(context, 1, 1, 2, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(primitive_sheet(context, 1, NAN, 1, 1, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(primitive_sheet(context, 1, 1, 0, 1, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(primitive_sheet(context, 1, 1, 1, 5000, &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "quads along z is 5000"));
    test_context_close(context);
}

static void edges_are_counted(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh = box(context); /* triangle 0: 0 4 6, on the face x = -1 */
    mesh.triangles[0][0] = mesh.triangles[0][1] = mesh.triangles[0][2] = 0; /* as good as removed */
    MeshReport report = report_of(context, &mesh);
    assert_int_equal(report.defects[DEFECT_OPEN_EDGE].count, 3);
    assert_int_equal(report.defects[DEFECT_DEGENERATE_TRIANGLE].count, 1);
    expect_place(&report.defects[DEFECT_OPEN_EDGE], 0, vec3(-1, -1, 0)); /* edges 0 4, 0 6, 4 6 */
    expect_place(&report.defects[DEFECT_OPEN_EDGE], 1, vec3(-1, 0, 0));
    expect_place(&report.defects[DEFECT_OPEN_EDGE], 2, vec3(-1, 0, 1));
    expect_place(&report.defects[DEFECT_DEGENERATE_TRIANGLE], 0, vec3(-1, -1, -1));
    assert_false(report.closed);
    MeshRepair done = repair_twice(context, &mesh);
    assert_int_equal(done.dropped_triangles, 1);
    report = report_of(context, &mesh);
    expect_only(&report, DEFECT_OPEN_EDGE, 3); /* holes are not filled */
    mesh_free(context, &mesh);

    mesh = box(context);
    turn_triangle(&mesh, 5);
    report = report_of(context, &mesh);
    expect_only(&report, DEFECT_FLIPPED_EDGE, 3);
    assert_false(report.closed);
    done = repair_twice(context, &mesh);
    assert_int_equal(done.turned_triangles, 1);
    expect_clean(context, &mesh);

    TriangleMesh fin; /* a fin on the edge 0 4 */
    assert_int_equal(mesh_allocate(context, &fin, 1, 0), PLIM_OK);
    fin.vertices[0] = vec3(-3, -3, 0);
    append(context, &mesh, &fin);
    append_triangle(context, &mesh, 0, 4, 8);
    report = report_of(context, &mesh);
    assert_int_equal(report.defects[DEFECT_NON_MANIFOLD_EDGE].count, 1);
    assert_int_equal(report.defects[DEFECT_OPEN_EDGE].count, 2);
    expect_place(&report.defects[DEFECT_NON_MANIFOLD_EDGE], 0, vec3(-1, -1, 0));
    assert_int_equal(report.components, 1);
    assert_false(report.closed);
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void copies_and_leftovers(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh plain = box(context), mesh;
    assert_int_equal(mesh_allocate(context, &mesh, 36, 12), PLIM_OK);
    for (size_t i = 0; i < 36; i++) { /* every triangle has vertices of its own */
        mesh.vertices[i] = plain.vertices[plain.triangles[i / 3][i % 3]];
        mesh.triangles[i / 3][i % 3] = (int32_t)i;
    }
    MeshReport report = report_of(context, &mesh);
    assert_int_equal(report.defects[DEFECT_DUPLICATE_VERTEX].count, 28);
    expect_place(&report.defects[DEFECT_DUPLICATE_VERTEX], 0, mesh.vertices[3]);
    assert_int_equal(report.defects[DEFECT_OPEN_EDGE].count, 36);
    assert_int_equal(report.components, 12);
    assert_int_equal(report.defects[DEFECT_SELF_INTERSECTION].count, 0);
    MeshRepair done = repair_twice(context, &mesh);
    assert_int_equal(done.merged_vertices, 28);
    assert_int_equal(done.dropped_vertices + done.dropped_triangles + done.turned_triangles, 0);
    expect_clean(context, &mesh);
    mesh_free(context, &mesh);

    append_triangle(context, &plain, 6, 4, 0); /* triangle 0 the other way round */
    report = report_of(context, &plain);
    assert_int_equal(report.defects[DEFECT_DUPLICATE_TRIANGLE].count, 1);
    expect_place(&report.defects[DEFECT_DUPLICATE_TRIANGLE], 0, vec3(-1, -1.0 / 3, 1.0 / 3));
    assert_int_equal(report.defects[DEFECT_NON_MANIFOLD_EDGE].count, 3);
    TriangleMesh loose;
    assert_int_equal(mesh_allocate(context, &loose, 2, 0), PLIM_OK);
    loose.vertices[0] = vec3(5, 6, 7);
    loose.vertices[1] = vec3(-0.0, 0.0, 9);
    append(context, &plain, &loose);
    report = report_of(context, &plain);
    assert_int_equal(report.defects[DEFECT_UNUSED_VERTEX].count, 2);
    expect_place(&report.defects[DEFECT_UNUSED_VERTEX], 0, vec3(5, 6, 7));
    done = repair_twice(context, &plain);
    assert_int_equal(done.dropped_triangles, 1);
    assert_int_equal(done.dropped_vertices, 2);
    expect_clean(context, &plain);
    mesh_free(context, &plain);
    test_context_close(context);
}

static void neighbors_share_an_edge(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh = ball(context, 1.0, 2);
    append_triangle(context, &mesh, mesh.triangles[9][0], mesh.triangles[9][1], 0); /* a fin */
    mesh.triangles[20][0] = mesh.triangles[20][1];                                  /* a hole */
    int32_t *across = malloc(3 * mesh.triangle_count * sizeof *across);
    assert_int_equal(mesh_neighbors(context, &mesh, across), PLIM_OK);
    for (size_t i = 0; i < mesh.triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            int32_t from = mesh.triangles[i][k], to = mesh.triangles[i][(k + 1) % 3];
            int32_t others = 0, found = -1;
            for (size_t j = 0; j < mesh.triangle_count; j++) {
                bool has_from = false, has_to = false;
                for (int m = 0; m < 3; m++) {
                    has_from |= mesh.triangles[j][m] == from;
                    has_to |= mesh.triangles[j][m] == to;
                }
                if (j == i || !has_from || !has_to || i == 20 || j == 20) continue;
                others++;
                found = (int32_t)j;
            }
            assert_int_equal(across[3 * i + (size_t)k], others == 1 ? found : -1);
        }
    }
    free(across);
    mesh_free(context, &mesh);
    test_context_close(context);
}

/* So many that different places come to the same hash a few times. */
static void many_places(void **state) {
    (void)state;
    enum { PLACES = 300000 };
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(mesh_allocate(context, &mesh, 2 * PLACES, 0), PLIM_OK);
    for (uint64_t i = 0; i < PLACES; i++) {
        Vec3 place = vec3(uniform(0, i), i % 2 ? 0.0 : uniform(1, i), uniform(2, i) - 0.5);
        mesh.vertices[i] = mesh.vertices[2 * PLACES - 1 - i] = place;
        if (i % 2) mesh.vertices[i].y = -0.0;
    }
    MeshReport report = report_of(context, &mesh);
    assert_int_equal(report.defects[DEFECT_DUPLICATE_VERTEX].count, PLACES);
    assert_int_equal(report.defects[DEFECT_UNUSED_VERTEX].count, 2 * PLACES);
    expect_place(&report.defects[DEFECT_DUPLICATE_VERTEX], 3, mesh.vertices[PLACES - 4]);
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void empty_and_impossible_meshes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh = {0};
    MeshReport report;
    MeshRepair done;
    int32_t across[36];
    assert_int_equal(mesh_report(context, &mesh, &report), PLIM_OK);
    assert_false(report.closed);
    assert_int_equal(mesh_repair(context, &mesh, &done), PLIM_OK);
    mesh_free(context, &mesh);
    mesh = box(context);
    mesh.triangles[3][1] = 8;
    assert_int_equal(mesh_report(context, &mesh, &report), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "triangle 3 names vertex 8"));
    assert_int_equal(mesh_repair(context, &mesh, &done), PLIM_BAD_INPUT);
    assert_int_equal(mesh_neighbors(context, &mesh, across), PLIM_BAD_INPUT);
    mesh.triangles[3][1] = 7;
    mesh.vertices[5].y = NAN;
    assert_int_equal(mesh_report(context, &mesh, &report), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "vertex 5 is not at a finite place"));
    mesh.vertices[5].y = -1.0;
    for (size_t i = 0; i < mesh.vertex_count; i++) mesh.vertices[i] = vec3(1, 2, 3);
    assert_int_equal(mesh_repair(context, &mesh, &done),
                     PLIM_OK); /* all in one point: nothing left */
    assert_int_equal(mesh.triangle_count + mesh.vertex_count, 0);
    assert_int_equal(done.merged_vertices, 7);
    assert_int_equal(done.dropped_vertices, 1);
    mesh_free(context, &mesh);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_are_clean),        cmocka_unit_test(cone_and_sheet),
        cmocka_unit_test(edges_are_counted),           cmocka_unit_test(copies_and_leftovers),
        cmocka_unit_test(neighbors_share_an_edge),     cmocka_unit_test(many_places),
        cmocka_unit_test(empty_and_impossible_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
