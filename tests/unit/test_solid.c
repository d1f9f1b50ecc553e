/* Solids as signed distances: primitives against the triangles of the same shape, combinations
 * against what sets say, surfaces closed and of the right volume. */
#include "check.h"

#include "base/random.h"
#include "geom/mesh/mass.h"
#include "geom/mesh/primitives.h"
#include "geom/solid.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static Vec3 random_point(uint64_t index, double size) {
    return vec3(size * (2 * random_uniform(1, 0, index) - 1),
                size * (2 * random_uniform(1, 1, index) - 1),
                size * (2 * random_uniform(1, 2, index) - 1));
}

/* |solid_distance| against the closest point of a fine mesh, which lies within `facet` of it. */
static void compare(PlimContext *context, const Solid *solid, TriangleMesh *mesh, double facet) {
    Bvh *bvh;
    BvhInput input = bvh_input_triangles(mesh);
    assert_int_equal(bvh_create(context, &input, &bvh), PLIM_OK);
    for (uint64_t i = 0; i < 2000; i++) {
        Vec3 p = random_point(i, 1.5);
        double nearest = bvh_closest(bvh, p, HUGE_VAL).distance;
        assert_close(fabs(solid_distance(solid, p)), nearest, facet);
    }
    bvh_destroy(bvh);
    mesh_free(context, mesh);
}

static void primitives_have_exact_distances(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    TriangleMesh mesh;
    Solid solid = solid_default(SOLID_BOX);
    solid.size[1] = 0.4;
    assert_int_equal(primitive_box(context, vec3(1, 0.4, 1), &mesh), PLIM_OK);
    compare(context, &solid, &mesh, 1e-13);

    solid = solid_default(SOLID_BALL);
    assert_int_equal(primitive_ball(context, 0.5, 5, &mesh), PLIM_OK);
    compare(context, &solid, &mesh, 1e-3);

    solid = solid_default(SOLID_CYLINDER);
    assert_int_equal(primitive_cylinder(context, 0.5, 1, 400, &mesh), PLIM_OK);
    compare(context, &solid, &mesh, 1e-4);

    solid = solid_default(SOLID_CAPSULE);
    assert_int_equal(primitive_capsule(context, 0.5, 1, 200, 60, &mesh), PLIM_OK);
    compare(context, &solid, &mesh, 1e-3);

    solid = solid_default(SOLID_TORUS);
    assert_int_equal(primitive_torus(context, 0.5, 0.2, 300, 120, &mesh), PLIM_OK);
    compare(context, &solid, &mesh, 1e-3);

    solid = solid_default(SOLID_CONE);
    assert_int_equal(primitive_cone(context, 0.5, 1, 400, &mesh), PLIM_OK);
    compare(context, &solid, &mesh, 1e-4);
    test_context_close(context);
}

static void signs_are_those_of_the_inside(void **state) {
    (void)state;
    Solid cone = solid_default(SOLID_CONE), half = solid_default(SOLID_HALF_SPACE);
    assert_true(solid_distance(&cone, vec3(0, 0, 0)) < 0);
    assert_true(solid_distance(&cone, vec3(0, 0.6, 0)) > 0);
    assert_true(solid_distance(&cone, vec3(0, -0.6, 0)) > 0);
    assert_true(solid_distance(&cone, vec3(0.3, 0.2, 0)) > 0);
    assert_close(solid_distance(&half, vec3(3, -2, 1)), -2, 0);
}

/* A box at a place, turned and scaled, against the same done to the point by hand. */
static void places_move_turn_and_scale(void **state) {
    (void)state;
    Solid solid = solid_default(SOLID_BOX);
    solid.position = vec3(1, 2, 3);
    solid.orientation = quat_exp(vec3(0, 0, pi / 2));
    solid.scale = 2;
    /* A box of edge 2 about (1, 2, 3): a quarter turn leaves it as it is. */
    assert_close(solid_distance(&solid, vec3(3, 2, 3)), 1, 1e-14);
    assert_close(solid_distance(&solid, vec3(1, 2, 3)), -1, 1e-14);
    Box3 box = solid_bounds(&solid);
    assert_close(box.low.x, 0, 1e-12);
    assert_close(box.high.z, 4, 1e-12);
}

static void combinations_are_sets(void **state) {
    (void)state;
    Solid parts[2] = {solid_default(SOLID_BOX), solid_default(SOLID_BALL)};
    parts[1].position = vec3(0.5, 0, 0);
    for (int kind = SOLID_UNION; kind <= SOLID_DIFFERENCE; kind++) {
        Solid solid = solid_default((SolidKind)kind);
        solid.children = parts;
        solid.child_count = 2;
        for (uint64_t i = 0; i < 3000; i++) {
            Vec3 p = random_point(i, 1.2);
            bool a = solid_distance(&parts[0], p) < 0, b = solid_distance(&parts[1], p) < 0;
            bool inside = kind == SOLID_UNION          ? a || b
                          : kind == SOLID_INTERSECTION ? a && b
                                                       : a && !b;
            assert_int_equal(solid_distance(&solid, p) < 0, inside);
        }
    }
}

/* A ball less a ball: 4/3 pi (R^3 - r^3), second order in the cells. */
static void surfaces_enclose_the_volume(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    Solid parts[2] = {solid_default(SOLID_BALL), solid_default(SOLID_BALL)};
    parts[1].radius = 0.3;
    Solid shell = solid_default(SOLID_DIFFERENCE);
    shell.children = parts;
    shell.child_count = 2;
    double exact = 4.0 / 3.0 * pi * (0.125 - 0.027), errors[2];
    for (int level = 0; level < 2; level++) {
        TriangleMesh mesh;
        assert_int_equal(solid_to_mesh(context, &shell, level ? 64 : 32, &mesh), PLIM_OK);
        assert_true(mesh_is_closed(context, &mesh));
        errors[level] = fabs(mesh_mass_properties(&mesh).volume - exact);
        mesh_free(context, &mesh);
    }
    assert_true(errors[1] < 0.005 * exact);
    assert_true(errors[0] / errors[1] > 3);
    test_context_close(context);
}

/* A copy stands alone, and is told from all that differ from it. */
static void copies_are_whole(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Solid inner[2] = {solid_default(SOLID_BALL), solid_default(SOLID_BOX)};
    Solid parts[2] = {solid_default(SOLID_UNION), solid_default(SOLID_TORUS)};
    Solid whole = solid_default(SOLID_DIFFERENCE);
    parts[0].children = inner;
    whole.children = parts;
    parts[0].child_count = whole.child_count = 2;
    inner[1].position = vec3(0.3, 0.1, 0);
    whole.scale = 2;
    Solid *copy = solid_copy(context, &whole);
    assert_non_null(copy);
    assert_true(solid_hash(0, copy) == solid_hash(0, &whole));
    double before[100];
    for (uint64_t i = 0; i < 100; i++) before[i] = solid_distance(&whole, random_point(i, 1.5));
    inner[1].size[0] = 5;
    assert_true(solid_hash(0, copy) != solid_hash(0, &whole));
    for (uint64_t i = 0; i < 100; i++)
        assert_close(solid_distance(copy, random_point(i, 1.5)), before[i], 0);
    solid_destroy(context, copy);
    test_context_close(context);
}

static void what_has_no_surface_is_refused(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    Solid half = solid_default(SOLID_HALF_SPACE);
    assert_int_equal(solid_to_mesh(context, &half, 16, &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "no end"));
    Solid parts[2] = {solid_default(SOLID_BALL), solid_default(SOLID_BALL)};
    parts[1].position = vec3(3, 0, 0);
    Solid nothing = solid_default(SOLID_INTERSECTION);
    nothing.children = parts;
    nothing.child_count = 2;
    assert_int_equal(solid_to_mesh(context, &nothing, 16, &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "nothing inside"));
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_have_exact_distances),
        cmocka_unit_test(signs_are_those_of_the_inside),
        cmocka_unit_test(places_move_turn_and_scale),
        cmocka_unit_test(combinations_are_sets),
        cmocka_unit_test(surfaces_enclose_the_volume),
        cmocka_unit_test(copies_are_whole),
        cmocka_unit_test(what_has_no_surface_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
