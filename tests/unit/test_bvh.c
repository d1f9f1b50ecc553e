/* Every query of a Bvh against trying all primitives, on plain and degenerate inputs. */
#include "ration.h"

#include "base/hash.h"
#include "base/random.h"
#include "geom/mesh/primitives.h"
#include "geom/query/bvh_node.h"
#include "geom/query/closest.h"

#include <stdlib.h>
#include <string.h>

static double uniform(uint64_t stream, uint64_t index) {
    return 2.0 * random_uniform(11, stream, index) - 1.0;
}

static Vec3 random_point(uint64_t stream, uint64_t index) {
    return vec3(uniform(3 * stream, index), uniform(3 * stream + 1, index),
                uniform(3 * stream + 2, index));
}

/* ---- inputs ---- */

enum { MAX_PRIMITIVES = 700 };

/* Primitives that share no vertices unless a maker lets them. */
typedef struct Soup {
    Vec3 vertices[3 * MAX_PRIMITIVES];
    int32_t indices[3 * MAX_PRIMITIVES];
    int corners;
    size_t count, vertex_count;
} Soup;

static BvhInput input_of(const Soup *soup) {
    return (BvhInput){soup->vertices, soup->indices, soup->corners, soup->count};
}

static void make_random(Soup *soup, size_t count, int corners, double size) {
    soup->count = count;
    soup->corners = corners;
    soup->vertex_count = count * (size_t)corners;
    for (size_t i = 0; i < soup->vertex_count; i++) {
        Vec3 center = random_point(0, i / (size_t)corners);
        soup->vertices[i] = vec3_add_scaled(center, size, random_point(1, i));
        if (corners == 2) soup->vertices[i].z = 0.0;
        soup->indices[i] = (int32_t)i;
    }
}

static void make_coincident(Soup *soup) {
    make_random(soup, 300, 3, 1.0);
    for (size_t i = 3; i < soup->vertex_count; i++) soup->vertices[i] = soup->vertices[i % 3];
}

/* Corners that are equal, on one line, and all the same point. */
static void make_flat(Soup *soup) {
    make_random(soup, 400, 3, 0.3);
    for (size_t i = 0; i < soup->count; i++) {
        Vec3 *v = soup->vertices + 3 * i;
        if (i % 4 == 0) v[1] = v[0];
        if (i % 4 == 1) v[2] = vec3_scale(0.5, vec3_add(v[0], v[1]));
        if (i % 4 == 2) v[1] = v[2] = v[0];
    }
}

static void make_in_plane(Soup *soup) {
    make_random(soup, 500, 3, 0.1);
    for (size_t i = 0; i < soup->vertex_count; i++) soup->vertices[i].y = 0.25;
}

static void make_on_line(Soup *soup) {
    make_random(soup, 300, 3, 0.1);
    for (size_t i = 0; i < soup->vertex_count; i++)
        soup->vertices[i] = vec3(soup->vertices[i].x, 0, 0);
}

static void make_mesh(Soup *soup, PlimContext *context, int which) {
    TriangleMesh mesh;
    PlimStatus status = which == 0   ? primitive_box(context, vec3(1, 1.5, 0.5), &mesh)
                        : which == 1 ? primitive_ball(context, 0.9, 2, &mesh)
                                     : primitive_torus(context, 0.7, 0.25, 20, 12, &mesh);
    assert_int_equal(status, PLIM_OK);
    assert_true(mesh.triangle_count <= MAX_PRIMITIVES);
    soup->corners = 3;
    soup->count = mesh.triangle_count;
    soup->vertex_count = mesh.vertex_count;
    memcpy(soup->vertices, mesh.vertices, mesh.vertex_count * sizeof *mesh.vertices);
    memcpy(soup->indices, mesh.triangles, mesh.triangle_count * sizeof *mesh.triangles);
    mesh_free(context, &mesh);
}

enum { SOUP_KINDS = 14 };

static void make_soup(Soup *soup, PlimContext *context, int kind) {
    switch (kind) {
    case 0:
        make_random(soup, 0, 3, 0.1);
        break;
    case 1:
        make_random(soup, 1, 3, 0.5);
        break;
    case 2:
        make_random(soup, 5, 3, 0.5);
        break;
    case 3:
        make_random(soup, 700, 3, 0.1);
        break;
    case 4:
        make_random(soup, 513, 3, 1.0);
        break;
    case 5:
        make_coincident(soup);
        break;
    case 6:
        make_flat(soup);
        break;
    case 7:
        make_in_plane(soup);
        break;
    case 8:
        make_on_line(soup);
        break;
    case 9:
    case 10:
    case 11:
        make_mesh(soup, context, kind - 9);
        break;
    case 12:
        make_random(soup, 600, 2, 0.1);
        break;
    default:
        make_random(soup, 1, 2, 0.1);
        break;
    }
}

/* ---- trying all primitives ---- */

static const int32_t *corners_of(const BvhInput *in, size_t i) {
    return in->indices + (size_t)in->corners * i;
}

static BvhClosest try_closest(const BvhInput *in, Vec3 p, double limit) {
    BvhClosest best = {.primitive = BVH_NONE, .distance = HUGE_VAL};
    double least = limit * limit;
    for (size_t i = 0; i < in->count; i++) {
        const int32_t *c = corners_of(in, i);
        const Vec3 *v = in->vertices;
        BvhClosest found = {.primitive = i};
        if (in->corners == 3) {
            found.point = closest_on_triangle(p, v[c[0]], v[c[1]], v[c[2]], found.weights);
        } else {
            found.point = closest_on_segment(p, v[c[0]], v[c[1]], &found.weights[1]);
            found.weights[0] = 1.0 - found.weights[1];
        }
        Vec3 gap = vec3_sub(p, found.point);
        double distance2 = vec3_dot(gap, gap);
        found.distance = sqrt(distance2);
        if (distance2 < least || (distance2 == least && best.primitive == BVH_NONE)) {
            least = distance2;
            best = found;
        }
    }
    return best;
}

static BvhRayHit try_ray(const BvhInput *in, Vec3 from, Vec3 to, double thickness) {
    BvhRayHit best = {.primitive = BVH_NONE};
    for (size_t i = 0; i < in->count; i++) {
        const int32_t *c = corners_of(in, i);
        const Vec3 *v = in->vertices;
        RayHit hit = {0};
        bool met = in->corners == 3
                       ? ray_triangle(from, to, v[c[0]], v[c[1]], v[c[2]], thickness, &hit)
                       : ray_segment_2d(from, to, v[c[0]], v[c[1]], thickness, &hit);
        if (met && (best.primitive == BVH_NONE || hit.t < best.hit.t)) best = (BvhRayHit){i, hit};
    }
    return best;
}

static Visibility try_visibility(const BvhInput *in, Vec3 from, Vec3 to, double thickness) {
    if (try_ray(in, to, to, thickness).primitive != BVH_NONE) return INSIDE;
    return try_ray(in, from, to, thickness).primitive != BVH_NONE ? OCCLUDED : VISIBLE;
}

static Box3 box_of(const BvhInput *in, size_t i) {
    Box3 box = box3_empty();
    for (int k = 0; k < in->corners; k++)
        box = box3_add_point(box, in->vertices[corners_of(in, i)[k]]);
    return box;
}

static bool boxes_near(Box3 a, Box3 b, double margin) {
    return a.low.x - b.high.x <= margin && b.low.x - a.high.x <= margin &&
           a.low.y - b.high.y <= margin && b.low.y - a.high.y <= margin &&
           a.low.z - b.high.z <= margin && b.low.z - a.high.z <= margin;
}

static bool share_vertex(const BvhInput *in, size_t i, size_t j) {
    for (int a = 0; a < in->corners; a++)
        for (int b = 0; b < in->corners; b++)
            if (corners_of(in, i)[a] == corners_of(in, j)[b]) return true;
    return false;
}

/* ---- comparisons ---- */

static Vec3 query_point(const Soup *soup, size_t i, double size) {
    if (i % 4 == 0 && soup->vertex_count > 0) return soup->vertices[i % soup->vertex_count];
    return vec3_scale(i % 4 == 1 ? 50.0 * size : 1.5 * size, random_point(8, i));
}

static void compare_closest(const Bvh *bvh, const Soup *soup, double size) {
    BvhInput in = input_of(soup);
    for (size_t i = 0; i < 150; i++) {
        Vec3 p = query_point(soup, i, size);
        double limit = i % 3 == 0 ? 0.2 * size : HUGE_VAL;
        BvhClosest a = bvh_closest(bvh, p, limit), b = try_closest(&in, p, limit);
        assert_int_equal(a.primitive, b.primitive);
        assert_true(a.distance == b.distance);
        assert_memory_equal(&a.point, &b.point, sizeof a.point);
        assert_memory_equal(a.weights, b.weights, sizeof a.weights);
    }
}

static void compare_rays(const Bvh *bvh, const Soup *soup, double size) {
    BvhInput in = input_of(soup);
    static const double widths[] = {0.0, 1e-12, 1e-3, 0.1};
    for (size_t i = 0; i < 150; i++) {
        Vec3 from = query_point(soup, i + 1, size), to = query_point(soup, 3 * i, size);
        if (i % 5 == 0) to = vec3_add_scaled(to, 0.5, vec3_sub(to, from));
        if (i % 7 == 0) to = vec3(to.x, from.y, from.z); /* along an axis */
        if (i % 31 == 0) to = from;
        double thickness = widths[i % 4] * size;
        BvhRayHit a = bvh_ray_first(bvh, from, to, thickness);
        BvhRayHit b = try_ray(&in, from, to, thickness);
        assert_int_equal(a.primitive, b.primitive);
        assert_memory_equal(&a.hit, &b.hit, sizeof a.hit);
        assert_int_equal(bvh_visibility(bvh, from, to, thickness),
                         try_visibility(&in, from, to, thickness));
    }
}

static void compare_lists(PlimContext *context, const Bvh *bvh, const Soup *soup, double size) {
    BvhInput in = input_of(soup);
    BvhList list = {0};
    for (size_t i = 0; i < 60; i++) {
        Vec3 p = query_point(soup, i, size);
        double radius = 0.3 * size * random_uniform(11, 40, i);
        Box3 box = box3_grow((Box3){p, p}, radius);
        list.items.count = 0;
        assert_int_equal(i % 2 ? bvh_overlap_box(bvh, box, &list)
                               : bvh_overlap_ball(bvh, p, radius, &list),
                         PLIM_OK);
        size_t found = 0;
        for (size_t k = 0; k < in.count; k++) {
            Box3 own = box_of(&in, k);
            if (i % 2 ? !box3_overlap(own, box)
                      : !(box3_distance_squared(own, p) <= radius * radius))
                continue;
            assert_true(found < list.items.count && list.items.data[found] == k);
            found++;
        }
        assert_int_equal(found, list.items.count);
    }
    array_free(context, &list.items);
}

static void compare_pairs(PlimContext *context, const Bvh *bvh, const Soup *soup, const Bvh *other,
                          const Soup *other_soup, double margin) {
    BvhInput a = input_of(soup), b = input_of(other_soup);
    BvhPairs pairs = {0};
    Scratch scratch;
    scratch_init(&scratch, context);
    assert_int_equal(bvh_overlap_pairs(bvh, other, margin, &scratch, &pairs), PLIM_OK);
    scratch_free(&scratch);
    size_t found = 0;
    for (size_t i = 0; i < a.count; i++) {
        for (size_t j = bvh == other ? i + 1 : 0; j < b.count; j++) {
            if (!boxes_near(box_of(&a, i), box_of(&b, j), margin)) continue;
            if (bvh == other && share_vertex(&a, i, j)) continue;
            assert_true(found < pairs.items.count);
            assert_true(pairs.items.data[found].a == i && pairs.items.data[found].b == j);
            found++;
        }
    }
    assert_int_equal(found, pairs.items.count);
    array_free(context, &pairs.items);
}

static void check_all(PlimContext *context, const Bvh *bvh, const Soup *soup, double size) {
    compare_closest(bvh, soup, size);
    compare_rays(bvh, soup, size);
    compare_lists(context, bvh, soup, size);
    compare_pairs(context, bvh, soup, bvh, soup, 0.02 * size);
}

static void test_equals_trying_all(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    Soup *soup = malloc(sizeof *soup), *other = malloc(sizeof *other);
    make_random(other, 300, 3, 0.2);
    static const double sizes[] = {1.0, 1e-9, 1e9};
    for (int kind = 0; kind < SOUP_KINDS; kind++) {
        for (int s = 0; s < 3; s++) {
            make_soup(soup, context, kind);
            for (size_t i = 0; i < soup->vertex_count; i++)
                soup->vertices[i] = vec3_scale(sizes[s], soup->vertices[i]);
            BvhInput input = input_of(soup), other_input = input_of(other);
            Bvh *bvh, *other_bvh;
            assert_int_equal(bvh_create(context, &input, &bvh), PLIM_OK);
            assert_int_equal(bvh_create(context, &other_input, &other_bvh), PLIM_OK);
            check_all(context, bvh, soup, sizes[s]);
            compare_pairs(context, bvh, soup, other_bvh, other, 0.01);
            compare_pairs(context, other_bvh, other, bvh, soup, 0.0);
            bvh_destroy(bvh);
            bvh_destroy(other_bvh);
        }
    }
    free(soup);
    free(other);
    test_context_close(context);
}

/* After motion, a refitted tree answers as a new one would: both answer as trying all does. */
static void test_refit(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    Soup *soup = malloc(sizeof *soup);
    for (int kind = 3; kind < SOUP_KINDS; kind++) {
        make_soup(soup, context, kind);
        BvhInput input = input_of(soup);
        Bvh *bvh, *anew;
        assert_int_equal(bvh_create(context, &input, &bvh), PLIM_OK);
        for (size_t i = 0; i < soup->vertex_count; i++) {
            Vec3 motion = vec3_scale(0.5, random_point(20, i));
            if (soup->corners == 2) motion.z = 0.0;
            soup->vertices[i] = vec3_add(soup->vertices[i], motion);
        }
        bvh_refit(bvh);
        assert_int_equal(bvh_create(context, &input, &anew), PLIM_OK);
        Box3 a = bvh_bounds(bvh), b = bvh_bounds(anew);
        assert_memory_equal(&a, &b, sizeof a);
        check_all(context, bvh, soup, 1.0);
        bvh_destroy(bvh);
        bvh_destroy(anew);
    }
    free(soup);
    test_context_close(context);
}

static uint64_t hash_tree(const Bvh *bvh) {
    uint64_t hash = hash_bytes(HASH_START, bvh->order, bvh->input.count * sizeof *bvh->order);
    for (int i = 0; i < bvh->levels; i++)
        hash = hash_bytes(hash, bvh->level[i], bvh->level_count[i] * sizeof *bvh->level[i]);
    return hash;
}

static void test_same_tree_for_any_threads(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 4};
    uint64_t built[3], refitted[3], paired[3];
    for (int i = 0; i < 3; i++) {
        PlimContext *context = test_context(threads[i]);
        TriangleMesh mesh;
        assert_int_equal(primitive_torus(context, 1.0, 0.3, 300, 150, &mesh), PLIM_OK);
        BvhInput input = bvh_input_triangles(&mesh);
        Bvh *bvh;
        assert_int_equal(bvh_create(context, &input, &bvh), PLIM_OK);
        built[i] = hash_tree(bvh);
        for (size_t k = 0; k < mesh.vertex_count; k++)
            mesh.vertices[k] = vec3_add_scaled(mesh.vertices[k], 0.01, random_point(3, k));
        bvh_refit(bvh);
        refitted[i] = hash_tree(bvh);
        BvhPairs pairs = {0};
        Scratch scratch;
        scratch_init(&scratch, context);
        assert_int_equal(bvh_overlap_pairs(bvh, bvh, 0.0, &scratch, &pairs), PLIM_OK);
        scratch_free(&scratch);
        assert_true(pairs.items.count > 1000);
        paired[i] =
            hash_bytes(HASH_START, pairs.items.data, pairs.items.count * sizeof *pairs.items.data);
        array_free(context, &pairs.items);
        bvh_destroy(bvh);
        mesh_free(context, &mesh);
        test_context_close(context);
    }
    for (int i = 1; i < 3; i++) {
        assert_true(built[i] == built[0] && refitted[i] == refitted[0]);
        assert_true(paired[i] == paired[0]);
    }
}

static PlimStatus make_pairs(PlimContext *context, void *user) {
    Bvh *bvh;
    BvhPairs pairs = {0};
    Scratch scratch;
    scratch_init(&scratch, context);
    PlimStatus status = bvh_create(context, user, &bvh);
    if (status == PLIM_OK) status = bvh_overlap_pairs(bvh, bvh, 0.1, &scratch, &pairs);
    array_free(context, &pairs.items);
    scratch_free(&scratch);
    bvh_destroy(bvh);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    Soup *soup = malloc(sizeof *soup);
    make_random(soup, 600, 3, 0.1);
    BvhInput input = input_of(soup);
    starve(&(Starved){.use = make_pairs, .user = &input, .least = 5, .most = 1000});
    free(soup);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_trying_all),
        cmocka_unit_test(test_refit),
        cmocka_unit_test(test_same_tree_for_any_threads),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
