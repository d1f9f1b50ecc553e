/* Meshes for tests of reports and repairs: made, joined, broken, and looked at. */
#ifndef TESTS_MESH_MAKE_H
#define TESTS_MESH_MAKE_H

#include "check.h"

#include "base/random.h"
#include "geom/mesh/mesh_report.h"
#include "geom/mesh/primitives.h"

#include <string.h>

static inline double uniform(uint64_t stream, uint64_t index) {
    return random_uniform(7, stream, index);
}

/* b's triangles and vertices after those of a; both stay as they are. */
static inline TriangleMesh joined(PlimContext *context, const TriangleMesh *a,
                                  const TriangleMesh *b) {
    TriangleMesh mesh;
    assert_int_equal(mesh_allocate(context, &mesh, a->vertex_count + b->vertex_count,
                                   a->triangle_count + b->triangle_count),
                     PLIM_OK);
    for (size_t i = 0; i < mesh.vertex_count; i++)
        mesh.vertices[i] = i < a->vertex_count ? a->vertices[i] : b->vertices[i - a->vertex_count];
    for (size_t i = 0; i < a->triangle_count; i++)
        memcpy(mesh.triangles[i], a->triangles[i], sizeof mesh.triangles[i]);
    for (size_t i = 0; i < b->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            mesh.triangles[a->triangle_count + i][k] =
                b->triangles[i][k] + (int32_t)a->vertex_count;
    return mesh;
}

static inline void append(PlimContext *context, TriangleMesh *mesh, TriangleMesh *other) {
    TriangleMesh both = joined(context, mesh, other);
    mesh_free(context, mesh);
    mesh_free(context, other);
    *mesh = both;
}

/* One more triangle of vertices that are there. */
static inline void append_triangle(PlimContext *context, TriangleMesh *mesh, int32_t a, int32_t b,
                                   int32_t c) {
    TriangleMesh none = {0};
    TriangleMesh more = joined(context, mesh, &none);
    size_t count = mesh->triangle_count;
    more.triangles =
        context_resize(context, more.triangles, count, count + 1, sizeof *more.triangles);
    more.triangle_count = count + 1;
    int32_t *t = more.triangles[count];
    t[0] = a, t[1] = b, t[2] = c;
    mesh_free(context, mesh);
    *mesh = more;
}

static inline void turn_triangle(TriangleMesh *mesh, size_t i) {
    int32_t kept = mesh->triangles[i][0];
    mesh->triangles[i][0] = mesh->triangles[i][1];
    mesh->triangles[i][1] = kept;
}

static inline void turn_all(TriangleMesh *mesh) {
    for (size_t i = 0; i < mesh->triangle_count; i++) turn_triangle(mesh, i);
}

static inline TriangleMesh box(PlimContext *context) {
    TriangleMesh mesh;
    assert_int_equal(primitive_box(context, vec3(2, 2, 2), &mesh), PLIM_OK);
    return mesh;
}

static inline TriangleMesh ball(PlimContext *context, double radius, int subdivisions) {
    TriangleMesh mesh;
    assert_int_equal(primitive_ball(context, radius, subdivisions, &mesh), PLIM_OK);
    return mesh;
}

static inline MeshReport report_of(PlimContext *context, const TriangleMesh *mesh) {
    MeshReport report;
    assert_int_equal(mesh_report(context, mesh, &report), PLIM_OK);
    return report;
}

/* All defects but the one named, which has `count`. */
static inline void expect_only(const MeshReport *report, DefectKind kind, size_t count) {
    for (int i = 0; i < DEFECT_KIND_COUNT; i++) {
        size_t expected = (DefectKind)i == kind ? count : 0;
        if (report->defects[i].count != expected)
            fail_msg("%zu %s, expected %zu", report->defects[i].count, defect_name((DefectKind)i),
                     expected);
    }
}

static inline void expect_clean(PlimContext *context, const TriangleMesh *mesh) {
    MeshReport report = report_of(context, mesh);
    expect_only(&report, DEFECT_OPEN_EDGE, 0);
    assert_true(report.closed);
    assert_false(report.inside_out);
    assert_int_equal(report.closed, mesh_is_closed(context, mesh));
}

static inline void expect_place(const MeshDefect *defect, size_t which, Vec3 place) {
    assert_true(which < defect->count && which < DEFECT_PLACES);
    assert_close(vec3_length(vec3_sub(defect->places[which], place)), 0.0, 1e-14);
}

/* Repairs, checks that a second time nothing changes, and returns what was done. */
static inline MeshRepair repair_twice(PlimContext *context, TriangleMesh *mesh) {
    MeshRepair first, second;
    assert_int_equal(mesh_repair(context, mesh, &first), PLIM_OK);
    TriangleMesh none = {0}, before = joined(context, mesh, &none);
    assert_int_equal(mesh_repair(context, mesh, &second), PLIM_OK);
    MeshRepair nothing = {0};
    assert_memory_equal(&second, &nothing, sizeof nothing);
    assert_int_equal(mesh->vertex_count, before.vertex_count);
    assert_int_equal(mesh->triangle_count, before.triangle_count);
    assert_memory_equal(mesh->vertices, before.vertices,
                        mesh->vertex_count * sizeof *mesh->vertices);
    assert_memory_equal(mesh->triangles, before.triangles,
                        mesh->triangle_count * sizeof *mesh->triangles);
    mesh_free(context, &before);
    return first;
}

#endif
