/* Meshes mended: needles, orientation, nested and one-sided pieces, damage at random. */
#include "mesh_make.h"
#include "ration.h"

#include "base/hash.h"
#include "geom/mesh/mass.h"

/* A box with one more vertex in the middle of the edge 4 5: one side of the edge is cut there, and
 * on the other a needle closes the gap. */
static void needles_are_flipped(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh = box(context), middle;
    assert_int_equal(mesh_allocate(context, &middle, 1, 0), PLIM_OK);
    middle.vertices[0] = vec3(0, -1, 1);
    append(context, &mesh, &middle);
    mesh.triangles[5][1] = 8; /* 0 5 4 becomes 0 8 4, and 0 5 8 is new */
    append_triangle(context, &mesh, 0, 5, 8);
    append_triangle(context, &mesh, 4, 8, 5);
    MeshReport report = report_of(context, &mesh);
    expect_only(&report, DEFECT_DEGENERATE_TRIANGLE, 1);
    assert_true(report.closed);
    expect_place(&report.defects[DEFECT_DEGENERATE_TRIANGLE], 0, vec3(0, -1, 1));
    MeshRepair done = repair_twice(context, &mesh);
    assert_int_equal(done.flipped_edges, 1);
    assert_int_equal(done.dropped_triangles, 0);
    expect_clean(context, &mesh);
    assert_close(report_of(context, &mesh).volume, 8.0, 1e-14);
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void nested_pieces_alternate(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    /* Balls of radius 4, 3, 2, 1 in each other, every one outward: the second and the fourth turn.
     */
    TriangleMesh mesh = ball(context, 4.0, 3);
    for (int r = 3; r >= 1; r--) {
        TriangleMesh inner = ball(context, r, 3);
        append(context, &mesh, &inner);
    }
    size_t each = mesh.triangle_count / 4;
    MeshRepair done = repair_twice(context, &mesh);
    assert_int_equal(done.turned_triangles, 2 * each);
    MeshReport report = report_of(context, &mesh);
    assert_int_equal(report.components, 4);
    TriangleMesh one = ball(context, 1.0, 3);
    double unit = mesh_mass_properties(&one).volume;
    assert_close(report.volume, unit * (64 - 27 + 8 - 1), 1e-11);
    mesh_free(context, &one);
    turn_all(&mesh);
    assert_true(report_of(context, &mesh).inside_out);
    done = repair_twice(context, &mesh);
    assert_int_equal(done.turned_triangles, 4 * each);
    assert_close(report_of(context, &mesh).volume, unit * 44, 1e-11);
    mesh_free(context, &mesh);

    test_context_close(context);
}

static void pieces_that_overlap_or_touch(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    /* Two that overlap and one beside them: outward every one. */
    TriangleMesh mesh = ball(context, 1.0, 3);
    TriangleMesh second = ball(context, 0.9, 3), third = ball(context, 0.5, 2);
    mesh_translate(&second, vec3(0.3, 0.2, 0.1));
    mesh_translate(&third, vec3(3, 0, 0));
    turn_all(&third);
    size_t turned = third.triangle_count;
    append(context, &mesh, &second);
    append(context, &mesh, &third);
    MeshRepair done = repair_twice(context, &mesh);
    assert_int_equal(done.turned_triangles, turned);
    mesh_free(context, &mesh);

    /* A box in the bounds of a ball, its corners poking out. */
    mesh = ball(context, 1.2, 3);
    TriangleMesh inner = box(context);
    append(context, &mesh, &inner);
    done = repair_twice(context, &mesh);
    assert_int_equal(done.turned_triangles, 0);
    mesh_free(context, &mesh);

    /* Boxes that share an edge: four triangles there, and each box is a piece of its own. */
    mesh = box(context);
    TriangleMesh other = box(context);
    mesh_translate(&other, vec3(2, 2, 0));
    turn_all(&other);
    append(context, &mesh, &other);
    done = repair_twice(context, &mesh);
    assert_int_equal(done.merged_vertices, 2);
    assert_int_equal(done.turned_triangles, 12);
    MeshReport report = report_of(context, &mesh);
    expect_only(&report, DEFECT_NON_MANIFOLD_EDGE, 1);
    assert_close(report.volume, 16.0, 1e-13);
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void open_pieces_keep_their_side(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_sheet(context, 1, 1, 6, 6, &mesh), PLIM_OK);
    turn_all(&mesh); /* seen from below */
    for (size_t i = 0; i < 20; i++) turn_triangle(&mesh, 3 * i);
    MeshRepair done = repair_twice(context, &mesh);
    assert_int_equal(done.turned_triangles, 20);
    for (size_t i = 0; i < mesh.triangle_count; i++) {
        const int32_t *t = mesh.triangles[i];
        Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
        assert_true(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)).y < 0.0);
    }
    mesh_free(context, &mesh);
    test_context_close(context);
}

/* A band of 20 quads with half a twist, and the projective plane of ten triangles: nowhere can all
 * neighbours agree. Some edges stay flipped, and a second repair leaves them where they are. */
static void one_sided_surfaces(void **state) {
    (void)state;
    static const int32_t plane[10][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 1},
                                         {1, 2, 4}, {2, 3, 5}, {3, 4, 1}, {4, 5, 2}, {5, 1, 3}};
    enum { QUADS = 20 };
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(mesh_allocate(context, &mesh, 2 * QUADS, 2 * QUADS), PLIM_OK);
    for (int i = 0; i < QUADS; i++) {
        double turn = 2 * 3.14159265358979323846 * i / QUADS;
        for (int side = 0; side < 2; side++) {
            double along = (side ? 0.3 : -0.3) * cos(turn / 2), up = (side ? 0.3 : -0.3);
            mesh.vertices[2 * i + side] =
                vec3((1 + along) * cos(turn), up * sin(turn / 2), (1 + along) * sin(turn));
        }
        int a = 2 * i, b = 2 * i + 1, c = i + 1 < QUADS ? a + 2 : 1, d = i + 1 < QUADS ? b + 2 : 0;
        int32_t *t = mesh.triangles[2 * i], *u = mesh.triangles[2 * i + 1];
        t[0] = a, t[1] = b, t[2] = c;
        u[0] = c, u[1] = b, u[2] = d;
    }
    MeshReport report = report_of(context, &mesh);
    assert_int_equal(report.defects[DEFECT_OPEN_EDGE].count, 2 * QUADS);
    assert_int_equal(report.defects[DEFECT_FLIPPED_EDGE].count, 1);
    assert_int_equal(report.components, 1);
    for (size_t i = 0; i < 10; i++) turn_triangle(&mesh, 4 * i);
    repair_twice(context, &mesh);
    report = report_of(context, &mesh);
    assert_int_equal(report.defects[DEFECT_FLIPPED_EDGE].count, 1);
    mesh_free(context, &mesh);

    assert_int_equal(mesh_allocate(context, &mesh, 6, 10), PLIM_OK);
    memcpy(mesh.triangles, plane, sizeof plane);
    for (uint64_t i = 0; i < 6; i++)
        mesh.vertices[i] = vec3(uniform(20, i), uniform(21, i), uniform(22, i));
    repair_twice(context, &mesh);
    report = report_of(context, &mesh);
    assert_int_equal(report.defects[DEFECT_OPEN_EDGE].count, 0);
    assert_true(report.defects[DEFECT_FLIPPED_EDGE].count > 0);
    assert_false(report.closed);
    mesh_free(context, &mesh);
    test_context_close(context);
}

/* Balls broken at random: vertices split, triangles turned, copied and put in without area. */
static void broken_balls_are_mended(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (uint64_t trial = 0; trial < 60; trial++) {
        TriangleMesh good = ball(context, 1.0, 1 + (int)(trial % 3)), mesh;
        double volume = mesh_mass_properties(&good).volume;
        size_t triangles = good.triangle_count, extra = triangles / 5;
        assert_int_equal(mesh_allocate(context, &mesh, 3 * triangles + 3, triangles + extra),
                         PLIM_OK);
        size_t vertices = good.vertex_count;
        memcpy(mesh.vertices, good.vertices, vertices * sizeof *good.vertices);
        for (size_t i = 0; i < triangles + extra; i++) {
            uint64_t number = trial << 32 | i;
            size_t from = i < triangles ? i : (size_t)(uniform(1, number) * (double)triangles);
            memcpy(mesh.triangles[i], good.triangles[from], sizeof *mesh.triangles);
            if (uniform(2, number) < 0.3) turn_triangle(&mesh, i);
            for (int k = 0; k < 3; k++) {
                if (uniform(3 + (uint64_t)k, number) > 0.2 || vertices >= mesh.vertex_count)
                    continue;
                mesh.vertices[vertices] = mesh.vertices[mesh.triangles[i][k]];
                mesh.triangles[i][k] = (int32_t)vertices++;
            }
            if (i >= triangles && uniform(6, number) < 0.5)
                mesh.triangles[i][0] = mesh.triangles[i][1];
        }
        repair_twice(context, &mesh);
        expect_clean(context, &mesh);
        assert_int_equal(mesh.triangle_count, triangles);
        assert_int_equal(mesh.vertex_count, good.vertex_count);
        assert_close(mesh_mass_properties(&mesh).volume, volume, 1e-13);
        mesh_free(context, &good);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

static uint64_t hash_of(const TriangleMesh *mesh) {
    uint64_t hash =
        hash_bytes(HASH_START, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    return hash_bytes(hash, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
}

enum { NEIGHBORS, REPORT, REPAIR };

static PlimStatus use_broken_mesh(PlimContext *context, void *user) {
    int what = *(int *)user;
    long granted = ration_set(context, LONG_MAX);
    TriangleMesh mesh = ball(context, 2.0, 1), inner = box(context);
    append(context, &mesh, &inner);
    mesh.triangles[0][0] = mesh.triangles[0][1];
    TriangleMesh before = mesh;
    uint64_t hash = hash_of(&mesh);
    size_t held = plim_context_bytes(context);
    MeshReport report;
    MeshRepair done;
    int32_t across[3 * 92];
    ration_set(context, granted);
    PlimStatus status = what == NEIGHBORS ? mesh_neighbors(context, &mesh, across)
                        : what == REPORT  ? mesh_report(context, &mesh, &report)
                                          : mesh_repair(context, &mesh, &done);
    if (status != PLIM_OK) {
        assert_int_equal(plim_context_bytes(context), held);
        assert_memory_equal(&mesh, &before, sizeof mesh);
        assert_int_equal(hash_of(&mesh), hash);
    }
    mesh_free(context, &mesh);
    return status;
}

/* Refused at every allocation in turn, reports and repairs say so and leave the mesh as it is. */
static void memory_runs_out(void **state) {
    (void)state;
    for (int what = NEIGHBORS; what <= REPAIR; what++)
        starve(&(Starved){.use = use_broken_mesh,
                          .user = &what,
                          .least = what == NEIGHBORS ? 1 : 8,
                          .most = 1000});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needles_are_flipped),
        cmocka_unit_test(nested_pieces_alternate),
        cmocka_unit_test(pieces_that_overlap_or_touch),
        cmocka_unit_test(open_pieces_keep_their_side),
        cmocka_unit_test(one_sided_surfaces),
        cmocka_unit_test(broken_balls_are_mended),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
