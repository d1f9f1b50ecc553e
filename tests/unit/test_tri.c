/* Triangle meshes of the plane: quality, blocks, outlines, and isosurface stuffing of half-planes,
 * round, ring-like, sharp and wild shapes. */
#include "ration.h"

#include "base/hash.h"
#include "geom/tri/tri_mesh.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static void quality_of_known_triangles(void **state) {
    (void)state;
    Vec3 vertices[] = {{0, 0, 0}, {2, 0, 0}, {1, sqrt(3.0), 0}, {0, 2, 0}, {1, 0, 0}};
    int32_t triangles[][3] = {{0, 1, 2}, {0, 1, 3}, {0, 3, 1}, {0, 4, 1}};
    TriangleMesh mesh = {vertices, 5, triangles, 1};
    TriQuality regular = tri_mesh_quality(&mesh);
    assert_close(regular.area, sqrt(3.0), 1e-14);
    assert_int_equal(regular.inverted, 0);
    assert_close(regular.least_angle, 60.0, 1e-12);
    assert_close(regular.greatest_angle, 60.0, 1e-12);
    mesh.triangle_count = 2; /* and a right one */
    TriQuality right = tri_mesh_quality(&mesh);
    assert_close(right.area, sqrt(3.0) + 2.0, 1e-14);
    assert_close(right.least_angle, 45.0, 1e-12);
    assert_close(right.greatest_angle, 90.0, 1e-12);
    mesh.triangle_count = 4; /* the same turned, and a flat one */
    TriQuality bad = tri_mesh_quality(&mesh);
    assert_int_equal(bad.inverted, 2);
    assert_close(bad.area, sqrt(3.0), 1e-14);
    assert_close(bad.least_angle, 0.0, 0.0);
    assert_close(bad.greatest_angle, 180.0, 1e-12);
    mesh.triangle_count = 0;
    assert_close(tri_mesh_quality(&mesh).least_angle, 0.0, 0.0);
}

/* The outline is closed, has the mesh's area, and tells the same in both numberings. Returns its
 * number of segments. */
static size_t check_outline(PlimContext *context, const TriangleMesh *mesh) {
    SegmentMesh outline;
    int32_t(*edges)[2];
    size_t count;
    assert_int_equal(tri_mesh_outline(context, mesh, &outline), PLIM_OK);
    assert_int_equal(tri_mesh_outline_edges(context, mesh, &edges, &count), PLIM_OK);
    assert_true(segment_mesh_is_closed(context, &outline));
    assert_int_equal(outline.vertex_count, outline.segment_count); /* none that is not used */
    assert_int_equal(outline.segment_count, count);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            assert_memory_equal(&outline.vertices[outline.segments[i][k]],
                                &mesh->vertices[edges[i][k]], sizeof(Vec3));
    for (size_t i = 0, from = 0; i < outline.vertex_count; i++, from++) /* in the mesh's order */
        while (memcmp(&outline.vertices[i], &mesh->vertices[from], sizeof(Vec3)) != 0)
            assert_true(++from < mesh->vertex_count);
    double area = tri_mesh_quality(mesh).area;
    assert_close(segment_mesh_mass(&outline).area / area, 1.0, 1e-12);
    context_free(context, edges, count, sizeof *edges);
    segment_mesh_free(context, &outline);
    return count;
}

static void blocks_are_exact(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const double size[2] = {2.0, 1.5};
    const int cells[2] = {4, 3};
    for (int pattern = TRI_CROSSWISE; pattern <= TRI_ONE_WAY; pattern++) {
        bool crosswise = pattern == TRI_CROSSWISE;
        TriangleMesh mesh;
        assert_int_equal(tri_mesh_block(context, size, cells, (TriPattern)pattern, &mesh), PLIM_OK);
        assert_int_equal(mesh.vertex_count, 20 + (crosswise ? 12 : 0));
        assert_int_equal(mesh.triangle_count, crosswise ? 48 : 24);
        TriQuality quality = tri_mesh_quality(&mesh);
        assert_close(quality.area, 3.0, 1e-14);
        assert_int_equal(quality.inverted, 0);
        assert_close(quality.least_angle, 45.0, 1e-12);
        assert_close(quality.greatest_angle, 90.0, 1e-12);
        Vec3 node = mesh.vertices[3 + 1 * 5];
        assert_close(node.x, 0.5, 1e-15);
        assert_close(node.y, -0.25, 1e-15);
        if (crosswise) assert_close(mesh.vertices[20 + 3 + 1 * 4].x, 0.75, 1e-15);
        if (crosswise) assert_close(mesh.vertices[20 + 3 + 1 * 4].y, 0.0, 1e-15);
        for (size_t i = 0; i < mesh.vertex_count; i++) assert_close(mesh.vertices[i].z, 0.0, 0.0);
        assert_int_equal(check_outline(context, &mesh), 14);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

/* The second diagonal of the first row shows the pattern. */
static void patterns_differ(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const double size[2] = {2.0, 1.0};
    const int cells[2] = {2, 1};
    TriangleMesh mesh;
    assert_int_equal(tri_mesh_block(context, size, cells, TRI_ONE_WAY, &mesh), PLIM_OK);
    assert_memory_equal(mesh.triangles[0], ((int32_t[]){0, 1, 4}), 12);
    assert_memory_equal(mesh.triangles[2], ((int32_t[]){1, 2, 5}), 12);
    mesh_free(context, &mesh);
    assert_int_equal(tri_mesh_block(context, size, cells, TRI_HERRING_BONE, &mesh), PLIM_OK);
    assert_memory_equal(mesh.triangles[0], ((int32_t[]){0, 1, 4}), 12);
    assert_memory_equal(mesh.triangles[2], ((int32_t[]){1, 2, 4}), 12);
    mesh_free(context, &mesh);

    assert_int_equal(tri_mesh_block(context, size, (const int[]){1, 0}, TRI_ONE_WAY, &mesh),
                     PLIM_BAD_INPUT);
    assert_int_equal(tri_mesh_block(context, (const double[]){1, NAN}, cells, TRI_ONE_WAY, &mesh),
                     PLIM_BAD_INPUT);
    assert_int_equal(tri_mesh_block(context, size, (const int[]){99999, 99999}, TRI_ONE_WAY, &mesh),
                     PLIM_BAD_INPUT);
    test_context_close(context);
}

/* Shapes as signed distances */

typedef struct Line {
    double angle, offset;
} Line;

static double half_plane(void *user, Vec3 p) {
    const Line *line = user;
    return cos(line->angle) * p.x + sin(line->angle) * p.y - line->offset;
}

static double disc(void *user, Vec3 p) {
    assert_close(p.z, 0.0, 0.0);
    return hypot(p.x, p.y) - *(const double *)user;
}

static double ring(void *user, Vec3 p) {
    (void)user;
    return fabs(hypot(p.x - 0.03, p.y + 0.01) - 0.7) - 0.25;
}

/* No distance: the value grows faster along y. Half axes 1 and 0.5, least radius of curvature 0.25.
 */
static double ellipse(void *user, Vec3 p) {
    (void)user;
    return p.x * p.x + 4.0 * p.y * p.y - 1.0;
}

static double box_distance(Vec3 p, double x, double y) {
    double a = fabs(p.x) - x, b = fabs(p.y) - y;
    return fmin(fmax(a, b), 0.0) + hypot(fmax(a, 0.0), fmax(b, 0.0));
}

#define ROUNDED_AREA (1.2 * 0.6 + 3.6 * 0.2 + pi * 0.04)

static double rounded_box(void *user, Vec3 p) {
    (void)user;
    double c = cos(0.3), s = sin(0.3);
    return box_distance(vec3(c * p.x - s * p.y, s * p.x + c * p.y, 0.0), 0.6, 0.3) - 0.2;
}

static double sharp_box(void *user, Vec3 p) {
    (void)user;
    double c = cos(0.2), s = sin(0.2);
    return box_distance(vec3(c * p.x - s * p.y, s * p.x + c * p.y, 0.0), 0.8, 0.5);
}

typedef struct Shape {
    const char *name;
    double (*distance)(void *user, Vec3 p);
    double area;   /* m^2 */
    double coarse; /* spacing */
    double worst;  /* error of the area at that spacing, relative */
    int holes;     /* the Euler characteristic is 1 less these */
} Shape;

static void check_shape(PlimContext *context, const Shape *shape, double spacing, double tolerance,
                        double *error) {
    double radius = 1.0;
    TriangleMesh mesh;
    Box3 box = {vec3(-1.1, -1.1, 5.0), vec3(1.1, 1.1, -5.0)}; /* z does not count */
    assert_int_equal(tri_mesh_stuff(context, box, spacing, shape->distance, &radius, &mesh),
                     PLIM_OK);
    TriQuality quality = tri_mesh_quality(&mesh);
    *error = fabs(quality.area / shape->area - 1.0);
    if (quality.inverted > 0 || !(quality.least_angle > 17.0) || !(*error < tolerance))
        fail_msg("%s at %g: %zu inverted, angles %g to %g, area off by %g", shape->name, spacing,
                 quality.inverted, quality.least_angle, quality.greatest_angle, *error);
    size_t outline = check_outline(context, &mesh);
    /* vertices - edges + triangles, edges = (3 triangles + outline) / 2 */
    long euler = 2 * (long)mesh.vertex_count - (long)(mesh.triangle_count + outline);
    assert_int_equal(euler, 2 * (1 - shape->holes));
    SegmentMesh loops;
    assert_int_equal(tri_mesh_outline(context, &mesh, &loops), PLIM_OK);
    for (size_t i = 0; i < loops.vertex_count; i++) /* on the zero set */
        assert_close(shape->distance(&radius, loops.vertices[i]), 0.0, 1e-9 * spacing);
    for (size_t i = 0; i < mesh.vertex_count; i++)
        assert_true(shape->distance(&radius, mesh.vertices[i]) < 1e-9 * spacing);
    segment_mesh_free(context, &loops);
    mesh_free(context, &mesh);
}

/* Smooth outlines, with spacings up to half the radius of curvature, and one with corners. */
static void shapes_are_stuffed(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const Shape shapes[] = {
        {"disc", disc, pi, 0.5, 0.10, 0},
        {"ring", ring, pi * 4.0 * 0.7 * 0.25, 0.2, 0.05, 1},
        {"ellipse", ellipse, pi * 0.5, 0.125, 0.02, 0},
        {"rounded box", rounded_box, ROUNDED_AREA, 0.1, 0.02, 0},
        {"sharp box", sharp_box, 1.6, 0.1, 0.02, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        double error;
        for (int level = 0; level < 4; level++)
            check_shape(context, &shapes[i], shapes[i].coarse / (1 << level), shapes[i].worst,
                        &error);
    }
    test_context_close(context);
}

/* Errors as the mean over several spacings, so that chance does not show. No ring: what its outer
 * polygon lacks its inner one gains, to this order. */
static void areas_are_second_order(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const Shape shapes[] = {
        {"disc", disc, pi, 0.0, 1.0, 0},
        {"ellipse", ellipse, pi * 0.5, 0.0, 1.0, 0},
        {"rounded box", rounded_box, ROUNDED_AREA, 0.0, 1.0, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        double sum[2] = {0.0, 0.0}, error;
        for (int part = 0; part < 2 * 8; part++) {
            double spacing = (0.1 + 0.004 * (part / 2)) / (part % 2 ? 4 : 1);
            check_shape(context, &shapes[i], spacing, 1.0, &error);
            sum[part % 2] += error;
        }
        double order = 0.5 * log2(sum[0] / sum[1]);
        if (!(order > 1.8 && order < 2.2)) fail_msg("%s: order %g", shapes[i].name, order);
    }
    test_context_close(context);
}

/* Half-planes in many positions and directions, and discs of many sizes down to two spacings. */
static void angles_hold_for_smooth_outlines(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const int count = test_size(4000, 1000);
    Box3 box = {vec3(-4, -4, 0), vec3(4, 4, 0)};
    double least[2] = {180.0, 180.0}, greatest = 0.0;
    for (int i = 0; i < 2 * count; i++) {
        Line line = {2.0 * pi * (i / 2) * 0.6180339887498949, -2.0 + 4.0 * (i / 2) / count};
        double radius = 2.0 + 1.5 * (i / 2) / count;
        TriangleMesh mesh;
        PlimStatus status = i % 2 ? tri_mesh_stuff(context, box, 1.0, disc, &radius, &mesh)
                                  : tri_mesh_stuff(context, box, 1.0, half_plane, &line, &mesh);
        assert_int_equal(status, PLIM_OK);
        TriQuality quality = tri_mesh_quality(&mesh);
        assert_int_equal(quality.inverted, 0);
        least[i % 2] = fmin(least[i % 2], quality.least_angle);
        greatest = fmax(greatest, quality.greatest_angle);
        check_outline(context, &mesh);
        mesh_free(context, &mesh);
    }
    if (!(least[0] > 17.0 && least[1] > 17.0 && greatest < 130.0))
        fail_msg("angles from %g (half-planes) and %g (discs) to %g", least[0], least[1], greatest);
    test_context_close(context);
}

/* White noise: every sign and cut point at random, as bad as a field can be. The bound on the
 * angles does not depend on the field. */
static double noise(void *user, Vec3 p) {
    const uint64_t *seed = user;
    uint64_t hash = hash_mix(hash_bytes(*seed, &p, sizeof p));
    return 2.0 * ((double)(hash >> 11) * 0x1p-53) - 1.0;
}

static void angles_hold_for_noise(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Box3 box = {vec3(-1, -1, 0), vec3(1, 1, 0)};
    for (uint64_t seed = 0; seed < (uint64_t)test_size(200, 50); seed++) {
        TriangleMesh mesh;
        assert_int_equal(tri_mesh_stuff(context, box, 0.04, noise, &seed, &mesh), PLIM_OK);
        TriQuality quality = tri_mesh_quality(&mesh);
        assert_int_equal(quality.inverted, 0);
        if (!(quality.least_angle > 17.0)) fail_msg("least angle %g", quality.least_angle);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

static double everywhere(void *user, Vec3 p) {
    const Box3 *box = user;
    assert_true(box3_contains(*box, p)); /* never asked outside */
    return -1.0;
}

/* The inside ends at the box, but for its corners. */
static void box_cuts_off(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Box3 box = {vec3(3, 4, 0), vec3(3.5, 4.75, 0)};
    TriangleMesh mesh;
    assert_int_equal(tri_mesh_stuff(context, box, 0.02, everywhere, &box, &mesh), PLIM_OK);
    TriQuality quality = tri_mesh_quality(&mesh);
    assert_true(quality.area <= 0.375 + 1e-9 && quality.area > 0.375 - 4.0 * 0.02 * 0.02);
    assert_true(quality.least_angle > 17.0);
    check_outline(context, &mesh);
    mesh_free(context, &mesh);
    test_context_close(context);
}

/* The same call gives the same bits. */
static void stuffing_repeats(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Box3 box = {vec3(-1, -1, 0), vec3(1, 1, 0)};
    TriangleMesh a, b;
    assert_int_equal(tri_mesh_stuff(context, box, 0.05, ring, NULL, &a), PLIM_OK);
    assert_int_equal(tri_mesh_stuff(context, box, 0.05, ring, NULL, &b), PLIM_OK);
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_int_equal(a.triangle_count, b.triangle_count);
    assert_memory_equal(a.vertices, b.vertices, a.vertex_count * sizeof *a.vertices);
    assert_memory_equal(a.triangles, b.triangles, a.triangle_count * sizeof *a.triangles);
    mesh_free(context, &a);
    mesh_free(context, &b);
    test_context_close(context);
}

static double no_number(void *user, Vec3 p) {
    (void)user;
    return p.x > 0.2 ? NAN : p.x;
}

static double nothing(void *user, Vec3 p) {
    (void)user;
    (void)p;
    return 1.0;
}

static void stuffing_refuses(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Box3 box = {vec3(-1, -1, 0), vec3(1, 1, 0)}, turned = {vec3(1, 1, 0), vec3(-1, -1, 0)};
    TriangleMesh mesh;
    assert_int_equal(tri_mesh_stuff(context, box, 0.0, ring, NULL, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tri_mesh_stuff(context, box, NAN, ring, NULL, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tri_mesh_stuff(context, turned, 0.1, ring, NULL, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tri_mesh_stuff(context, box3_empty(), 0.1, ring, NULL, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tri_mesh_stuff(context, box, 0.5, nothing, NULL, &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "nothing is inside"));
    assert_int_equal(tri_mesh_stuff(context, box, 0.1, no_number, NULL, &mesh), PLIM_FAILED);
    assert_non_null(strstr(plim_message(context), "not a number"));
    assert_int_equal(tri_mesh_stuff(context, box, 1e-5, ring, NULL, &mesh), PLIM_OUT_OF_MEMORY);
    assert_int_equal(tri_mesh_stuff(context, box, 1e-300, ring, NULL, &mesh), PLIM_OUT_OF_MEMORY);
    assert_true(!mesh.vertices && !mesh.triangles);
    test_context_close(context);
}

static PlimStatus make_all(PlimContext *context, void *user) {
    (void)user;
    TriangleMesh mesh;
    SegmentMesh outline;
    Box3 box = {vec3(-1, -1, 0), vec3(1, 1, 0)};
    PlimStatus status = tri_mesh_stuff(context, box, 0.2, ring, NULL, &mesh);
    if (status != PLIM_OK) {
        assert_true(!mesh.vertices && !mesh.triangles);
        return status;
    }
    status = tri_mesh_outline(context, &mesh, &outline);
    if (status != PLIM_OK) assert_true(!outline.vertices && !outline.segments);
    segment_mesh_free(context, &outline);
    mesh_free(context, &mesh);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    starve(&(Starved){.use = make_all, .least = 10, .most = 1000});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quality_of_known_triangles),
        cmocka_unit_test(blocks_are_exact),
        cmocka_unit_test(patterns_differ),
        cmocka_unit_test(shapes_are_stuffed),
        cmocka_unit_test(areas_are_second_order),
        cmocka_unit_test(angles_hold_for_smooth_outlines),
        cmocka_unit_test(angles_hold_for_noise),
        cmocka_unit_test(box_cuts_off),
        cmocka_unit_test(stuffing_repeats),
        cmocka_unit_test(stuffing_refuses),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
