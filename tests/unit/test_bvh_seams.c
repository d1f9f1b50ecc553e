/* Rays aimed at the edges and vertices of closed surfaces, from inside to outside: none slips
 * through, at three scales, with and without thickness. PLIM_RAY_TRIES sets how many (1e7 for
 * validation). */
#include "check.h"

#include "base/random.h"
#include "geom/mesh/primitives.h"
#include "geom/query/bvh.h"

#include <stdlib.h>

static double uniform(uint64_t stream, uint64_t index) {
    return 2.0 * random_uniform(11, stream, index) - 1.0;
}

static Vec3 random_point(uint64_t stream, uint64_t index) {
    return vec3(uniform(3 * stream, index), uniform(3 * stream + 1, index),
                uniform(3 * stream + 2, index));
}

static size_t ray_tries(void) {
    const char *text = getenv("PLIM_RAY_TRIES");
    return text ? (size_t)strtod(text, NULL) : 300000;
}

static PlimStatus make_closed(PlimContext *context, int which, double scale, TriangleMesh *mesh) {
    if (which == 0) return primitive_ball(context, scale, 3, mesh);
    if (which == 1) return primitive_box(context, vec3(scale, 1.5 * scale, 0.7 * scale), mesh);
    return primitive_torus(context, scale, 0.4 * scale, 24, 12, mesh);
}

/* A point inside the mesh before it was moved by `offset`; often one with short coordinates. */
static Vec3 point_inside(int which, double scale, uint64_t i) {
    Vec3 p = vec3_scale(i % 4 == 0 ? 0.0 : 0.3 * scale, random_point(30, i));
    if (which != 2) return p;
    double angle = 6.283185307179586 * random_uniform(11, 100, i);
    return vec3_add(vec3(scale * cos(angle), 0, scale * sin(angle)), vec3_scale(0.5, p));
}

/* From inside through a vertex, the middle of an edge, or anywhere on an edge, and on to far
 * outside: a hit, and no later than where the ray was aimed (inside a torus that may be where it
 * only grazes an edge, which rounding must not lose either). */
static void aim_at_seam(const Bvh *bvh, const TriangleMesh *mesh, Vec3 from, double scale,
                        uint64_t i) {
    const int32_t *t =
        mesh->triangles[(size_t)(random_uniform(11, 101, i) * (double)mesh->triangle_count)];
    Vec3 a = mesh->vertices[t[i % 3]], b = mesh->vertices[t[(i + 1) % 3]];
    double s = i % 5 < 2 ? 0.0 : i % 5 == 2 ? 0.5 : random_uniform(11, 102, i);
    Vec3 aim = vec3_add_scaled(a, s, vec3_sub(b, a));
    Vec3 along = vec3_sub(aim, from);
    double stretch = 20.0 * scale / vec3_length(along);
    Vec3 to = vec3_add_scaled(from, stretch, along);
    BvhRayHit hit = bvh_ray_first(bvh, from, to, i % 2 ? 0.0 : 1e-12 * scale);
    if (hit.primitive == BVH_NONE || hit.hit.t * stretch > 1.0 + 1e-9)
        fail_msg("ray %llu slipped through", (unsigned long long)i);
}

static void test_nothing_slips_through(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const double scales[] = {1e-6, 1.0, 1e6};
    size_t tries = ray_tries() / 18 + 1;
    for (int kind = 0; kind < 18; kind++) {
        int which = kind % 3;
        double scale = scales[kind / 3 % 3];
        Vec3 offset = vec3_scale(kind < 9 ? 0.0 : scale, vec3(3.1, -7.3, 0.57));
        TriangleMesh mesh;
        assert_int_equal(make_closed(context, which, scale, &mesh), PLIM_OK);
        mesh_translate(&mesh, offset);
        BvhInput input = bvh_input_triangles(&mesh);
        Bvh *bvh;
        assert_int_equal(bvh_create(context, &input, &bvh), PLIM_OK);
        for (uint64_t i = 0; i < tries; i++)
            aim_at_seam(bvh, &mesh, vec3_add(offset, point_inside(which, scale, i)), scale, i);
        bvh_destroy(bvh);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

/* The same for closed loops of segments in the plane. */
static void test_nothing_slips_through_loops(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    enum { SIDES = 101 };
    Vec3 vertices[SIDES];
    int32_t indices[2 * SIDES];
    for (int i = 0; i < SIDES; i++) {
        double angle = 6.283185307179586 * i / SIDES, radius = 1.0 + 0.3 * uniform(50, (uint64_t)i);
        vertices[i] = vec3(3.1 + radius * cos(angle), radius * sin(angle) - 7.3, 0.0);
        indices[2 * i] = i, indices[2 * i + 1] = (i + 1) % SIDES;
    }
    BvhInput input = {vertices, indices, 2, SIDES};
    Bvh *bvh;
    assert_int_equal(bvh_create(context, &input, &bvh), PLIM_OK);
    for (uint64_t i = 0; i < 30000; i++) {
        Vec3 from =
            vec3_add(vec3(3.1, -7.3, 0), vec3_scale(i % 4 ? 0.4 : 0.0, random_point(51, i)));
        Vec3 to = vec3_add_scaled(from, 5.0, vec3_sub(vertices[i % SIDES], from));
        BvhRayHit hit = bvh_ray_first(bvh, from, to, i % 2 ? 0.0 : 1e-12);
        assert_true(hit.primitive != BVH_NONE && hit.hit.t <= 0.2 + 1e-9);
    }
    bvh_destroy(bvh);
    test_context_close(context);
}

static void test_visibility(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_box(context, vec3(2, 2, 2), &mesh), PLIM_OK);
    BvhInput input = bvh_input_triangles(&mesh);
    Bvh *bvh;
    assert_int_equal(bvh_create(context, &input, &bvh), PLIM_OK);
    Vec3 eye = vec3(0.1, 0.2, 0.3);
    assert_int_equal(bvh_visibility(bvh, eye, vec3(0.5, -0.9, 0.5), 0.1), VISIBLE);
    assert_int_equal(bvh_visibility(bvh, eye, vec3(0.5, -0.96, 0.5), 0.1), INSIDE);
    assert_int_equal(bvh_visibility(bvh, eye, vec3(0.5, -1.04, 0.5), 0.1), INSIDE);
    assert_int_equal(bvh_visibility(bvh, eye, vec3(0.5, -1.06, 0.5), 0.1), OCCLUDED);
    assert_int_equal(bvh_visibility(bvh, eye, vec3(0.5, -9, 0.5), 0.1), OCCLUDED);
    assert_int_equal(bvh_visibility(bvh, vec3(5, 5, 5), vec3(-5, 5, 5), 0.1), VISIBLE);
    bvh_destroy(bvh);
    mesh_free(context, &mesh);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_slips_through),
        cmocka_unit_test(test_nothing_slips_through_loops),
        cmocka_unit_test(test_visibility),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
