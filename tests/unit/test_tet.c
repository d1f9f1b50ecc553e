/* Tetrahedral meshes: quality, surfaces, blocks, and isosurface stuffing of round, sharp, thin and
 * wild shapes. */
#include "ration.h"

#include "base/hash.h"
#include "geom/mesh/mass.h"
#include "geom/tet/tet_mesh.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void quality_of_known_tets(void **state) {
    (void)state;
    Vec3 vertices[] = {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}, {1, 1, -1}, {5, 5, 5}};
    int32_t tets[][4] = {{0, 1, 2, 3}, {4, 2, 3, 0}, {4, 3, 2, 0}, {0, 5, 1, 2}};
    TetMesh mesh = {vertices, 6, tets, 1};
    TetQuality regular = tet_mesh_quality(&mesh); /* on four corners of a cube of edge 2 */
    assert_close(regular.volume, 8.0 / 3.0, 1e-14);
    assert_int_equal(regular.inverted, 0);
    assert_close(regular.least_dihedral, acos(1.0 / 3.0) * 180.0 / pi, 1e-12);
    assert_close(regular.greatest_dihedral, acos(1.0 / 3.0) * 180.0 / pi, 1e-12);
    mesh.tet_count = 2; /* and one at another corner */
    TetQuality corner = tet_mesh_quality(&mesh);
    assert_close(corner.volume, 4.0, 1e-14);
    assert_close(corner.least_dihedral, acos(1.0 / sqrt(3.0)) * 180.0 / pi, 1e-12);
    assert_close(corner.greatest_dihedral, 90.0, 1e-12);
    mesh.tet_count = 4; /* the same turned inside out, and a flat one */
    vertices[5] = vec3_scale(0.5, vec3_add(vertices[0], vertices[1]));
    TetQuality bad = tet_mesh_quality(&mesh);
    assert_int_equal(bad.inverted, 2);
    assert_close(bad.volume, 8.0 / 3.0, 1e-14);
    assert_close(bad.least_dihedral, 0.0, 1e-6);
    mesh.tet_count = 0;
    assert_close(tet_mesh_quality(&mesh).volume, 0.0, 0.0);
}

/* The edges of a surface, each with a sign for its direction. */
static int compare_edges(const void *a, const void *b) {
    return memcmp(a, b, 2 * sizeof(int32_t));
}

/* Every edge is used as often in one direction as in the other: no opening. Two pieces may share an
 * edge, which mesh_is_closed would not let pass. */
static void check_no_opening(const TriangleMesh *mesh) {
    size_t count = 3 * mesh->triangle_count;
    int32_t(*edges)[3] = malloc((count + 1) * sizeof *edges);
    assert_non_null(edges);
    for (size_t e = 0; e < count; e++) {
        const int32_t *t = mesh->triangles[e / 3];
        int32_t from = t[e % 3], to = t[(e % 3 + 1) % 3];
        edges[e][0] = from < to ? from : to;
        edges[e][1] = from < to ? to : from;
        edges[e][2] = from < to ? 1 : -1;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t e = 0; e < count;) {
        int32_t sum = 0, first[2] = {edges[e][0], edges[e][1]};
        for (; e < count && edges[e][0] == first[0] && edges[e][1] == first[1]; e++)
            sum += edges[e][2];
        assert_int_equal(sum, 0);
    }
    free(edges);
}

static void block_is_exact(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TetMesh mesh;
    TriangleMesh surface;
    const int cells[3] = {4, 3, 5};
    assert_int_equal(tet_mesh_block(context, vec3(2.0, 1.5, 2.5), cells, &mesh), PLIM_OK);
    assert_int_equal(mesh.vertex_count, 5 * 4 * 6);
    assert_int_equal(mesh.tet_count, 5 * 60);
    TetQuality quality = tet_mesh_quality(&mesh);
    assert_close(quality.volume, 7.5, 1e-12);
    assert_int_equal(quality.inverted, 0);
    assert_close(quality.least_dihedral, acos(1.0 / sqrt(3.0)) * 180.0 / pi, 1e-9);
    assert_close(quality.greatest_dihedral, 90.0, 1e-9);
    assert_int_equal(tet_mesh_surface(context, &mesh, &surface), PLIM_OK);
    assert_true(mesh_is_closed(context, &surface));
    assert_int_equal(surface.triangle_count, 4 * (12 + 15 + 20)); /* no face between two cubes */
    assert_int_equal(surface.vertex_count, 120 - 3 * 2 * 4);
    MassProperties mass = mesh_mass_properties(&surface);
    assert_close(mass.volume, 7.5, 1e-12);
    assert_close(vec3_length(mass.center), 0.0, 1e-12);
    for (size_t i = 0, from = 0; i < surface.vertex_count; i++, from++) /* in the mesh's order */
        while (memcmp(&surface.vertices[i], &mesh.vertices[from], sizeof(Vec3)) != 0)
            assert_true(++from < mesh.vertex_count);
    int32_t(*faces)[3]; /* the same surface, on the mesh's own numbers */
    size_t count;
    assert_int_equal(tet_mesh_surface_faces(context, &mesh, &faces, &count), PLIM_OK);
    assert_int_equal(count, surface.triangle_count);
    for (size_t f = 0; f < count; f++)
        for (int k = 0; k < 3; k++)
            assert_memory_equal(&mesh.vertices[faces[f][k]],
                                &surface.vertices[surface.triangles[f][k]], sizeof(Vec3));
    context_free(context, faces, count, sizeof *faces);
    mesh_free(context, &surface);
    tet_mesh_free(context, &mesh);

    assert_int_equal(tet_mesh_block(context, vec3(1, 1, 1), (const int[]){1, 0, 1}, &mesh),
                     PLIM_BAD_INPUT);
    assert_int_equal(tet_mesh_block(context, vec3(1, NAN, 1), cells, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(
        tet_mesh_block(context, vec3(1, 1, 1), (const int[]){99999, 99999, 99999}, &mesh),
        PLIM_BAD_INPUT);
    test_context_close(context);
}

/* Shapes as signed distances */

static double box_distance(Vec3 p, Vec3 center, Vec3 half) {
    Vec3 d = vec3_sub(p, center);
    Vec3 q = vec3(fabs(d.x) - half.x, fabs(d.y) - half.y, fabs(d.z) - half.z);
    double inside = fmin(fmax(q.x, fmax(q.y, q.z)), 0.0);
    return inside + vec3_length(vec3_max(q, vec3(0, 0, 0)));
}

static double ball(void *user, Vec3 p) {
    (void)user;
    return vec3_length(p) - 1.0;
}

static double torus(void *user, Vec3 p) {
    (void)user;
    return hypot(hypot(p.x, p.z) - 0.7, p.y) - 0.3;
}

static double two_boxes(void *user, Vec3 p) {
    (void)user;
    return fmin(box_distance(p, vec3(-0.2, 0, 0), vec3(0.6, 0.4, 0.5)),
                box_distance(p, vec3(0.3, 0.25, 0.1), vec3(0.4, 0.5, 0.3)));
}

/* 1.5 cells of 0.04 thick, at an angle to the lattice. */
static double thin_plate(void *user, Vec3 p) {
    (void)user;
    double c = cos(0.3), s = sin(0.3);
    return box_distance(vec3(c * p.x - s * p.y, s * p.x + c * p.y, p.z), vec3(0, 0.013, 0),
                        vec3(1.0, 0.03, 1.0));
}

/* Radius 0.5 at y = -1, a sharp tip at y = 1. */
static double cone(void *user, Vec3 p) {
    (void)user;
    return fmax((2.0 * hypot(p.x, p.z) + 0.5 * (p.y - 1.0)) / hypot(2.0, 0.5), -1.0 - p.y);
}

/* A torus eaten by a gyroid: thin bridges, small holes, no distance any more. */
static double eaten_torus(void *user, Vec3 p) {
    double k = 14.0;
    return torus(user, p) + 0.06 * (sin(k * p.x) * cos(k * p.y) + sin(k * p.y) * cos(k * p.z) +
                                    sin(k * p.z) * cos(k * p.x));
}

typedef struct Shape {
    const char *name;
    double (*distance)(void *user, Vec3 p);
    Vec3 half; /* of a box around the origin that holds it */
    double spacing;
    double volume; /* m^3; 0: counted on a fine grid */
    bool pinched;  /* pieces of the surface touch along edges */
} Shape;

static double counted_volume(const Shape *shape) {
    enum { N = 160 };
    Vec3 cell = vec3_scale(2.0 / N, shape->half);
    size_t inside = 0;
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                inside += shape->distance(NULL, vec3((i + 0.5) * cell.x - shape->half.x,
                                                     (j + 0.5) * cell.y - shape->half.y,
                                                     (k + 0.5) * cell.z - shape->half.z)) < 0.0;
    return (double)inside * cell.x * cell.y * cell.z;
}

static void check_shape(PlimContext *context, const Shape *shape) {
    TetMesh mesh;
    TriangleMesh surface;
    Box3 box = {vec3_scale(-1.0, shape->half), shape->half};
    assert_int_equal(tet_mesh_stuff(context, box, shape->spacing, shape->distance, NULL, &mesh),
                     PLIM_OK);
    TetQuality quality = tet_mesh_quality(&mesh);
    double volume = shape->volume > 0.0 ? shape->volume : counted_volume(shape);
    if (quality.inverted > 0 || !(quality.least_dihedral > 10.0) ||
        !(quality.greatest_dihedral < 165.0) || !(fabs(quality.volume / volume - 1.0) < 0.01))
        fail_msg("%s: %zu inverted, angles %g to %g, volume off by %g %%", shape->name,
                 quality.inverted, quality.least_dihedral, quality.greatest_dihedral,
                 100.0 * (quality.volume / volume - 1.0));
    assert_int_equal(tet_mesh_surface(context, &mesh, &surface), PLIM_OK);
    check_no_opening(&surface);
    if (!shape->pinched) assert_true(mesh_is_closed(context, &surface));
    assert_close(mesh_mass_properties(&surface).volume / quality.volume, 1.0, 1e-9);
    /* A face left over inside, where neighbours do not agree, would have a vertex in there. */
    for (size_t i = 0; i < surface.vertex_count; i++)
        assert_close(shape->distance(NULL, surface.vertices[i]), 0.0, 1e-9);
    mesh_free(context, &surface);
    tet_mesh_free(context, &mesh);
}

static void shapes_are_stuffed(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const Shape shapes[] = {
        {"ball", ball, {1, 1, 1}, 0.1, 4.0 / 3.0 * pi, false},
        {"torus", torus, {1, 0.3, 1}, 0.06, 2.0 * pi * pi * 0.7 * 0.09, false},
        {"two boxes", two_boxes, {0.9, 0.8, 0.6}, 0.05, 0.96 + 0.48 - 0.195, false},
        {"thin plate", thin_plate, {1.1, 0.5, 1.1}, 0.04, 4.0 * 0.06, false},
        {"cone", cone, {0.6, 1.1, 0.6}, 0.05, pi * 0.25 * 2.0 / 3.0, false},
        {"eaten torus", eaten_torus, {1.2, 0.6, 1.2}, 0.05, 0.0, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check_shape(context, &shapes[i]);
    test_context_close(context);
}

/* White noise: every sign and cut point at random, as bad as a field can be. The bound on the
 * angles does not depend on the field. */
static double noise(void *user, Vec3 p) {
    const uint64_t *seed = user;
    uint64_t hash = hash_mix(hash_bytes(*seed, &p, sizeof p));
    double value = 2.0 * ((double)(hash >> 11) * 0x1p-53) - 1.0;
    double smooth = 10.0 * (vec3_length(p) - 0.8) * (double)(*seed % 8);
    return value + smooth;
}

static void angles_hold_for_noise(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Box3 box = {vec3(-1, -1, -1), vec3(1, 1, 1)};
    for (uint64_t seed = 0; seed < 24; seed++) {
        TetMesh mesh;
        TriangleMesh surface;
        assert_int_equal(tet_mesh_stuff(context, box, 0.1, noise, &seed, &mesh), PLIM_OK);
        TetQuality quality = tet_mesh_quality(&mesh);
        assert_int_equal(quality.inverted, 0);
        assert_true(quality.least_dihedral > 10.7 && quality.greatest_dihedral < 164.8);
        assert_int_equal(tet_mesh_surface(context, &mesh, &surface), PLIM_OK);
        check_no_opening(&surface);
        mesh_free(context, &surface);
        tet_mesh_free(context, &mesh);
    }
    test_context_close(context);
}

static void ball_is_second_order(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double error[3];
    for (int level = 0; level < 3; level++) {
        TetMesh mesh;
        assert_int_equal(tet_mesh_ball(context, 0.5, 0.11 / (1 << level), &mesh), PLIM_OK);
        error[level] = 1.0 - tet_mesh_quality(&mesh).volume / (pi / 6.0);
        for (size_t i = 0; i < mesh.vertex_count; i++)
            assert_true(vec3_length(mesh.vertices[i]) < 0.5 + 1e-9);
        tet_mesh_free(context, &mesh);
    }
    double order = 0.5 * log2(error[0] / error[2]);
    if (!(order > 1.8 && order < 2.2))
        fail_msg("order %g, errors %g %g %g", order, error[0], error[1], error[2]);
    test_context_close(context);
}

static double everywhere(void *user, Vec3 p) {
    Box3 *box = user;
    assert_true(box3_contains(*box, p)); /* never asked outside */
    return -1.0;
}

/* The inside ends at the box; one on the lattice's planes is filled exactly. */
static void box_cuts_off(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Box3 box = {vec3(3, 4, 5), vec3(3.5, 4.75, 5.25)};
    TetMesh mesh;
    assert_int_equal(tet_mesh_stuff(context, box, 0.125, everywhere, &box, &mesh), PLIM_OK);
    TetQuality quality = tet_mesh_quality(&mesh);
    assert_close(quality.volume, 0.5 * 0.75 * 0.25, 1e-9);
    assert_true(quality.least_dihedral > 40.0);
    tet_mesh_free(context, &mesh);
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
    Box3 box = {vec3(-1, -1, -1), vec3(1, 1, 1)};
    Box3 turned = {vec3(1, 1, 1), vec3(-1, -1, -1)};
    TetMesh mesh;
    assert_int_equal(tet_mesh_stuff(context, box, 0.0, ball, NULL, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tet_mesh_stuff(context, box, NAN, ball, NULL, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tet_mesh_stuff(context, turned, 0.1, ball, NULL, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tet_mesh_stuff(context, box3_empty(), 0.1, ball, NULL, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tet_mesh_stuff(context, box, 0.5, nothing, NULL, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tet_mesh_stuff(context, box, 0.1, no_number, NULL, &mesh), PLIM_FAILED);
    assert_int_equal(tet_mesh_stuff(context, box, 1e-4, ball, NULL, &mesh), PLIM_OUT_OF_MEMORY);
    assert_int_equal(tet_mesh_stuff(context, box, 1e-300, ball, NULL, &mesh), PLIM_OUT_OF_MEMORY);
    assert_int_equal(tet_mesh_ball(context, -1.0, 0.1, &mesh), PLIM_BAD_INPUT);
    assert_int_equal(tet_mesh_ball(context, 1.0, 100.0, &mesh), PLIM_BAD_INPUT);
    test_context_close(context);
}

/* Makes a ball and its surface. */
static PlimStatus make_all(PlimContext *context, void *user) {
    (void)user;
    TetMesh mesh;
    TriangleMesh surface;
    PlimStatus status = tet_mesh_ball(context, 1.0, 0.5, &mesh);
    if (status != PLIM_OK) {
        assert_true(!mesh.vertices && !mesh.tets);
        return status;
    }
    status = tet_mesh_surface(context, &mesh, &surface);
    if (status != PLIM_OK) assert_true(!surface.vertices && !surface.triangles);
    mesh_free(context, &surface);
    tet_mesh_free(context, &mesh);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    starve(&(Starved){.use = make_all, .least = 15, .most = 1000});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quality_of_known_tets), cmocka_unit_test(block_is_exact),
        cmocka_unit_test(shapes_are_stuffed),    cmocka_unit_test(angles_hold_for_noise),
        cmocka_unit_test(ball_is_second_order),  cmocka_unit_test(box_cuts_off),
        cmocka_unit_test(stuffing_refuses),      cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
