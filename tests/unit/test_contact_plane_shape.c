/* Cuts of shapes with the plane z = 0, and where they touch. */
#include "contact_case.h"
#include "ration.h"

#include "collide/plane_shape.h"
#include "geom/mesh/primitives.h"

static const double pi = 3.14159265358979323846;

static PlaneShape cut_of(PlimContext *context, TriangleMesh *mesh, Frame frame) {
    PlaneShape shape;
    assert_int_equal(plane_shape_cut(context, mesh, &frame, &shape), PLIM_OK);
    mesh_free(context, mesh);
    return shape;
}

static PlaneShape box_cut(PlimContext *context, Vec3 size, Frame frame) {
    TriangleMesh mesh;
    assert_int_equal(primitive_box(context, size, &mesh), PLIM_OK);
    return cut_of(context, &mesh, frame);
}

/* A prism over an angle iron: sides of 2, 1 thick. */
static PlaneShape angle_cut(PlimContext *context) {
    static const double corners[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const int32_t caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    TriangleMesh mesh;
    assert_int_equal(mesh_allocate(context, &mesh, 12, 20), PLIM_OK);
    for (int i = 0; i < 12; i++)
        mesh.vertices[i] = vec3(corners[i % 6][0], corners[i % 6][1], i < 6 ? -0.5 : 0.5);
    for (int32_t i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) {
            mesh.triangles[i][c] = caps[i][2 - c];
            mesh.triangles[4 + i][c] = caps[i][c] + 6;
        }
    for (int32_t i = 0; i < 6; i++) {
        int32_t j = (i + 1) % 6, *lower = mesh.triangles[8 + 2 * i], *upper = lower + 3;
        lower[0] = i, lower[1] = j, lower[2] = j + 6;
        upper[0] = i, upper[1] = j + 6, upper[2] = i + 6;
    }
    return cut_of(context, &mesh, frame_in_place());
}

/* ---- cuts ---- */

static void cuts_of_boxes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlaneShape shape = box_cut(context, vec3(3, 2, 1), frame_in_place());
    assert_int_equal(shape.kind, PLANE_LOOPS);
    assert_int_equal(shape.count, 4); /* triangles do not show */
    assert_true(shape.convex);
    assert_close(shape.area, 6, 1e-12);
    assert_close(shape.size, 2, 1e-12);
    plane_shape_free(context, &shape);
    /* Over a corner: a hexagon. */
    Vec3 axis = vec3_normalize(vec3(1, 1, 1)), turn = vec3_cross(axis, vec3(0, 0, 1));
    turn = vec3_scale(acos(axis.z) / vec3_length(turn), turn);
    shape = box_cut(context, vec3(1, 1, 1), frame_at(vec3(0, 0, 0), turn));
    assert_int_equal(shape.count, 6);
    assert_true(shape.convex);
    assert_close(shape.area, 3 * sqrt(3) / 4, 1e-12);
    plane_shape_free(context, &shape);
    shape = box_cut(context, vec3(1, 1, 1), frame_at(vec3(0, 0, 0.6), vec3(0, 0, 0)));
    assert_int_equal(shape.kind, PLANE_EMPTY);
    plane_shape_free(context, &shape);
    test_context_close(context);
}

static void cuts_that_are_not_convex(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlaneShape angle = angle_cut(context);
    assert_int_equal(angle.count, 6);
    assert_false(angle.convex);
    assert_close(angle.area, 3, 1e-12);
    plane_shape_free(context, &angle);
    /* A ring about z has a loop outside and one inside, which runs the other way round. */
    TriangleMesh mesh;
    assert_int_equal(primitive_torus(context, 1, 0.25, 256, 32, &mesh), PLIM_OK);
    PlaneShape ring = cut_of(context, &mesh, frame_at(vec3(0, 0, 0), vec3(0.5 * pi, 0, 0)));
    assert_int_equal(ring.count, 512);
    assert_false(ring.convex);
    assert_close(ring.area, pi * (1.25 * 1.25 - 0.75 * 0.75), 1e-3);
    assert_close(plane_shape_side(&ring, vec3(0, 0, 0)).distance, 0.75, 1e-3);
    assert_close(plane_shape_side(&ring, vec3(0.9, 0, 0)).distance, -0.15, 1e-3);
    plane_shape_free(context, &ring);
    test_context_close(context);
}

static PlimStatus cut_once(PlimContext *context, void *user) {
    (void)user;
    TriangleMesh mesh;
    PlaneShape shape;
    Frame frame = frame_in_place();
    TRY(primitive_box(context, vec3(1, 1, 1), &mesh));
    PlimStatus status = plane_shape_cut(context, &mesh, &frame, &shape);
    mesh_free(context, &mesh);
    if (status == PLIM_OK) plane_shape_free(context, &shape);
    return status;
}

static void memory_that_runs_out(void **state) {
    (void)state;
    starve(&(Starved){.use = cut_once, .least = 5, .most = 8});
}

/* ---- distance ---- */

static void distance_of_the_angle(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlaneShape angle = angle_cut(context);
    const struct {
        Vec3 at;
        double distance;
        Vec3 normal;
    } cases[] = {{{0.5, 0.3, 0}, -0.3, {0, -1, 0}},      {{3, 0.5, 0}, 1, {1, 0, 0}},
                 {{2.3, -0.4, 0}, 0.5, {0.6, -0.8, 0}},  {{1.5, 1.2, 0}, 0.2, {0, 1, 0}},
                 {{0.94, 0.92, 0}, -0.1, {0.6, 0.8, 0}}, {{1, 1.5, 0}, 0, {1, 0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PlaneSide side = plane_shape_side(&angle, cases[i].at);
        assert_close(side.distance, cases[i].distance, 1e-12);
        assert_vector(side.normal, cases[i].normal, 1e-12);
    }
    plane_shape_free(context, &angle);
    test_context_close(context);
}

/* ---- contact ---- */

static Frame turned(double x, double y, double angle) {
    return (Frame){{{{cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {0, 0, 1}}},
                   {x, y, 0}};
}

/* All points lie in the plane, with normals of length 1; either order says the same. */
static ContactPoints contact_of(const PlaneShape *a, Frame at_a, const PlaneShape *b, Frame at_b,
                                double margin) {
    ContactPoints points, back;
    plane_contact(a, &at_a, b, &at_b, margin, &points);
    plane_contact(b, &at_b, a, &at_a, margin, &back);
    assert_int_equal(points.count, back.count);
    for (size_t i = 0; i < points.count; i++) {
        assert_true(points.at[i].position.z == 0 && points.at[i].normal.z == 0);
        assert_close(vec3_length(points.at[i].normal), 1, 1e-12);
    }
    if (points.count > 0) assert_close(least_gap(&points), least_gap(&back), 1e-9);
    return points;
}

static void polygons_touch(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlaneShape box = box_cut(context, vec3(2, 1, 1), frame_in_place());
    ContactPoints points = contact_of(&box, turned(0.5, 0.99, 0), &box, turned(0, 0, 0), 0.1);
    assert_int_equal(points.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_close(points.at[i].gap, -0.01, 1e-12);
        assert_vector(points.at[i].normal, vec3(0, 1, 0), 1e-12);
        assert_close(points.at[i].position.y, 0.495, 1e-12);
    }
    assert_close(fabs(points.at[0].position.x - points.at[1].position.x), 1.5, 1e-12);
    /* On its corner. */
    double diagonal = 0.5 * sqrt(5), lean = atan(0.5);
    points = contact_of(&box, turned(0.2, 0.5 + diagonal - 0.02, 0.5 * pi - lean), &box,
                        turned(0, 0, 0), 0.01);
    assert_int_equal(points.count, 1);
    assert_close(points.at[0].gap, -0.02, 1e-12);
    assert_close(points.at[0].position.x, 0.2, 1e-12);
    assert_int_equal(contact_of(&box, turned(0, 1.2, 0), &box, turned(0, 0, 0), 0.1).count, 0);
    assert_int_equal(contact_of(&box, turned(2.5, 0, 0), &box, turned(0, 0, 0), 0.1).count, 0);
    plane_shape_free(context, &box);
    test_context_close(context);
}

static void round_ones_touch(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlaneShape box = box_cut(context, vec3(2, 1, 1), frame_in_place());
    Vec3 none = {0, 0, 0};
    PlaneShape disc = plane_shape_round(none, none, 0.5);
    PlaneShape bar = plane_shape_round(vec3(-1, 0, 0), vec3(1, 0, 0), 0.25);
    PlaneShape ground = plane_shape_half(vec3(0, 1, 0), 0.1);
    ContactPoints points = contact_of(&disc, turned(0.6, 0.8, 1), &disc, turned(0, 0, 2), 0.1);
    assert_int_equal(points.count, 1);
    assert_close(points.at[0].gap, 0, 1e-12);
    assert_vector(points.at[0].normal, vec3(0.6, 0.8, 0), 1e-12);
    points = contact_of(&disc, turned(1.24, 0.82, 0), &box, turned(0, 0, 0), 0.1);
    assert_int_equal(points.count, 1); /* over a corner */
    assert_close(points.at[0].gap, -0.1, 1e-12);
    assert_vector(points.at[0].normal, vec3(0.6, 0.8, 0), 1e-12);
    points = contact_of(&bar, turned(0.5, 0.74, 0), &box, turned(0, 0, 0), 0.05);
    assert_int_equal(points.count, 2); /* one end, and the corner of the box under the bar */
    assert_close(points.at[0].gap, -0.01, 1e-12);
    assert_close(points.at[1].gap, -0.01, 1e-12);
    assert_int_equal(contact_of(&bar, turned(0, 0.35, 0), &ground, turned(0, 0, 0), 0.1).count, 2);
    points = contact_of(&disc, turned(3, 0.55, 0), &ground, turned(0, 0, 0), 0.1);
    assert_int_equal(points.count, 1);
    assert_close(points.at[0].gap, -0.05, 1e-12);
    assert_close(points.at[0].radius, 0.5, 0);
    points = contact_of(&disc, turned(0, 0, 0), &disc, turned(0, 0, 0), 0.1);
    assert_int_equal(points.count, 1); /* one in the middle of the other */
    assert_close(points.at[0].gap, -1, 1e-12);
    plane_shape_free(context, &box);
    test_context_close(context);
}

/* A box that stands in the inner corner of an angle iron touches both of its sides. */
static void in_a_corner(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlaneShape angle = angle_cut(context);
    PlaneShape box = box_cut(context, vec3(0.6, 0.8, 1), frame_in_place());
    ContactPoints points = contact_of(&box, turned(1.31, 1.41, 0), &angle, turned(0, 0, 0), 0.02);
    bool right = false, up = false;
    for (size_t i = 0; i < points.count; i++) {
        right |= points.at[i].normal.x > 0.999;
        up |= points.at[i].normal.y > 0.999;
        assert_close(points.at[i].gap, 0.01, 1e-12);
    }
    assert_true(right && up);
    plane_shape_free(context, &box);
    plane_shape_free(context, &angle);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_of_boxes),        cmocka_unit_test(cuts_that_are_not_convex),
        cmocka_unit_test(memory_that_runs_out), cmocka_unit_test(distance_of_the_angle),
        cmocka_unit_test(polygons_touch),       cmocka_unit_test(round_ones_touch),
        cmocka_unit_test(in_a_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
