/* Convex polyhedra for tests, and what their contact must be, found from the corners alone. */
#ifndef TESTS_POLYHEDRON_MAKE_H
#define TESTS_POLYHEDRON_MAKE_H

#include "check.h"

#include "base/random.h"
#include "collide/polyhedron.h"
#include "geom/mesh/mass.h"
#include "geom/mesh/primitives.h"
#include "math/quat.h"

/* A polyhedron with the mesh it was made from. */
typedef struct Solid3 {
    TriangleMesh mesh;
    Polyhedron *polyhedron;
} Solid3;

static inline Solid3 solid_from(PlimContext *context, TriangleMesh mesh) {
    Solid3 solid = {.mesh = mesh};
    assert_int_equal(polyhedron_create(context, &mesh, &solid.polyhedron), PLIM_OK);
    return solid;
}

static inline Solid3 solid_box(PlimContext *context, double x, double y, double z) {
    TriangleMesh mesh;
    assert_int_equal(primitive_box(context, vec3(x, y, z), &mesh), PLIM_OK);
    Solid3 solid = solid_from(context, mesh);
    assert_non_null(solid.polyhedron);
    return solid;
}

static inline void solid_free(PlimContext *context, Solid3 *solid) {
    polyhedron_destroy(context, solid->polyhedron);
    mesh_free(context, &solid->mesh);
}

/* Of `count` corners in the plane z = 0, counter-clockwise, `depth` thick. */
static inline TriangleMesh prism(PlimContext *context, const Vec3 *corners, int32_t count,
                                 double depth) {
    TriangleMesh mesh;
    assert_int_equal(mesh_allocate(context, &mesh, 2 * (size_t)count, 4 * (size_t)count - 4),
                     PLIM_OK);
    size_t next = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t j = (i + 1) % count;
        mesh.vertices[i] = vec3(corners[i].x, corners[i].y, -0.5 * depth);
        mesh.vertices[count + i] = vec3(corners[i].x, corners[i].y, 0.5 * depth);
        int32_t sides[2][3] = {{i, j, count + j}, {i, count + j, count + i}};
        for (int s = 0; s < 2; s++, next++)
            for (int k = 0; k < 3; k++) mesh.triangles[next][k] = sides[s][k];
    }
    for (int32_t i = 2; i < count; i++) {
        int32_t caps[2][3] = {{0, i, i - 1}, {count, count + i - 1, count + i}};
        for (int s = 0; s < 2; s++, next++)
            for (int k = 0; k < 3; k++) mesh.triangles[next][k] = caps[s][k];
    }
    assert_int_equal(next, mesh.triangle_count);
    return mesh;
}

static inline bool on_one_side(const Vec3 *points, size_t count, Vec3 origin, Vec3 normal) {
    for (size_t i = 0; i < count; i++)
        if (vec3_dot(normal, vec3_sub(points[i], origin)) > 1e-12) return false;
    return true;
}

enum { HULL_MOST_TRIANGLES = 64 };

/* The hull of points of which no four lie in a plane, by looking at all triangles. */
static inline TriangleMesh hull(PlimContext *context, const Vec3 *points, int32_t count) {
    int32_t found[HULL_MOST_TRIANGLES][3];
    size_t faces = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < count; j++)
            for (int32_t k = 0; k < count; k++) {
                if (i >= j || i >= k || j == k) continue; /* each order of turning once */
                Vec3 normal =
                    vec3_cross(vec3_sub(points[j], points[i]), vec3_sub(points[k], points[i]));
                if (!on_one_side(points, (size_t)count, points[i], normal)) continue;
                assert_true(faces < HULL_MOST_TRIANGLES);
                found[faces][0] = i, found[faces][1] = j, found[faces++][2] = k;
            }
    TriangleMesh mesh;
    assert_int_equal(mesh_allocate(context, &mesh, (size_t)count, faces), PLIM_OK);
    for (int32_t i = 0; i < count; i++) mesh.vertices[i] = points[i];
    for (size_t i = 0; i < faces; i++)
        for (int k = 0; k < 3; k++) mesh.triangles[i][k] = found[i][k];
    mesh_translate(&mesh, vec3_scale(-1.0, mesh_mass_properties(&mesh).center));
    return mesh;
}

static inline Vec3 random_vec3(uint64_t stream, uint64_t index) {
    return vec3(random_normal(3, stream, 3 * index), random_normal(3, stream, 3 * index + 1),
                random_normal(3, stream, 3 * index + 2));
}

/* 5 to 16 points on an ellipsoid whose half axes are between 0.2 and 1. */
static inline Solid3 random_solid(PlimContext *context, uint64_t stream) {
    Vec3 points[16], half = {0};
    double *axis[3] = {&half.x, &half.y, &half.z};
    for (uint64_t k = 0; k < 3; k++) *axis[k] = 0.2 + 0.8 * random_uniform(4, stream, k);
    int32_t count = 5 + (int32_t)(12 * random_uniform(4, stream, 3));
    for (int32_t i = 0; i < count; i++) {
        Vec3 p = vec3_normalize(random_vec3(stream, (uint64_t)i));
        points[i] = vec3(half.x * p.x, half.y * p.y, half.z * p.z);
    }
    Solid3 solid = solid_from(context, hull(context, points, count));
    assert_non_null(solid.polyhedron);
    return solid;
}

static inline Frame frame_at(double x, double y, double z) {
    return (Frame){mat3_identity(), vec3(x, y, z)};
}

static inline Frame frame_turned(Vec3 turn, Vec3 origin) {
    return (Frame){quat_to_mat3(quat_exp(turn)), origin};
}

static inline Frame frame_after(const Frame *outer, const Frame *inner) {
    return (Frame){mat3_multiply(outer->axes, inner->axes), frame_to_world(outer, inner->origin)};
}

static inline ContactPoints contact_of(const Solid3 *a, Frame at_a, const Solid3 *b, Frame at_b,
                                       double margin) {
    ContactPoints points = {.count = 0};
    polyhedron_contact(a->polyhedron, &at_a, b->polyhedron, &at_b, margin, &points);
    for (size_t i = 0; i < points.count; i++) {
        assert_close(vec3_length(points.at[i].normal), 1.0, 1e-14);
        assert_true(points.at[i].gap <= margin);
        assert_true(isinf(points.at[i].radius));
    }
    return points;
}

static inline double least_gap(const ContactPoints *points) {
    double least = HUGE_VAL;
    for (size_t i = 0; i < points->count; i++) least = fmin(least, points->at[i].gap);
    return least;
}

/* How far all corners of b are before all corners of a along a direction. */
static inline double separation_along(const Solid3 *a, const Frame *at_a, const Solid3 *b,
                                      const Frame *at_b, Vec3 direction) {
    double most_a = -HUGE_VAL, least_b = HUGE_VAL;
    for (size_t i = 0; i < a->mesh.vertex_count; i++)
        most_a = fmax(most_a, vec3_dot(direction, frame_to_world(at_a, a->mesh.vertices[i])));
    for (size_t i = 0; i < b->mesh.vertex_count; i++)
        least_b = fmin(least_b, vec3_dot(direction, frame_to_world(at_b, b->mesh.vertices[i])));
    return least_b - most_a;
}

static inline Vec3 mesh_side(const Solid3 *solid, const Frame *at, size_t side) {
    const int32_t *t = solid->mesh.triangles[side / 3];
    const Vec3 *v = solid->mesh.vertices;
    return mat3_apply(at->axes, vec3_sub(v[t[(side + 1) % 3]], v[t[side % 3]]));
}

/* The wider one of the gaps along the common normal of two sides and against it. */
static inline double separation_across(const Solid3 *a, const Frame *at_a, const Solid3 *b,
                                       const Frame *at_b, Vec3 one, Vec3 two) {
    Vec3 normal = vec3_cross(one, two);
    double length = vec3_length(normal);
    if (length < 1e-6 * vec3_length(one) * vec3_length(two)) return -HUGE_VAL;
    normal = vec3_scale(1.0 / length, normal);
    return fmax(separation_along(a, at_a, b, at_b, normal),
                separation_along(a, at_a, b, at_b, vec3_scale(-1.0, normal)));
}

/* The widest gap between them along any normal of a triangle or of any two sides, whether or not
 * these face each other. */
static inline double widest_separation(const Solid3 *a, const Frame *at_a, const Solid3 *b,
                                       const Frame *at_b) {
    double widest = -HUGE_VAL;
    for (int which = 0; which < 2; which++) {
        const Solid3 *solid = which ? b : a;
        const Frame *at = which ? at_b : at_a;
        for (size_t side = 0; side < 3 * solid->mesh.triangle_count; side += 3) {
            Vec3 one = mesh_side(solid, at, side), two = mesh_side(solid, at, side + 1);
            widest = fmax(widest, separation_across(a, at_a, b, at_b, one, two));
        }
    }
    for (size_t i = 0; i < 3 * a->mesh.triangle_count; i++)
        for (size_t k = 0; k < 3 * b->mesh.triangle_count; k++) {
            Vec3 one = mesh_side(a, at_a, i), two = mesh_side(b, at_b, k);
            widest = fmax(widest, separation_across(a, at_a, b, at_b, one, two));
        }
    return widest;
}

#endif
