/* Sampled surfaces in distance fields: against what geometry says, and against dense sampling. */
#include "contact_case.h"
#include "ration.h"

#include "geom/mesh/primitives.h"

static const double pi = 3.14159265358979323846;

/* A mesh with its tree and the solid of the same form. */
typedef struct Body {
    TriangleMesh mesh;
    SampleTree *tree;
    Solid solid;
} Body;

static Body body_of(PlimContext *context, TriangleMesh mesh, Solid solid) {
    Body body = {.mesh = mesh, .solid = solid};
    assert_int_equal(sample_tree_create(context, &body.mesh, &body.tree), PLIM_OK);
    return body;
}

static Body box_body(PlimContext *context, Vec3 size) {
    TriangleMesh mesh;
    Solid solid = solid_default(SOLID_BOX);
    vec3_store(solid.size, size);
    assert_int_equal(primitive_box(context, size, &mesh), PLIM_OK);
    return body_of(context, mesh, solid);
}

static Body cylinder_body(PlimContext *context, double radius, double height, int segments) {
    TriangleMesh mesh;
    Solid solid = solid_default(SOLID_CYLINDER);
    solid.radius = radius;
    solid.height = height;
    assert_int_equal(primitive_cylinder(context, radius, height, segments, &mesh), PLIM_OK);
    return body_of(context, mesh, solid);
}

static Body cone_body(PlimContext *context, double radius, double height, int segments) {
    TriangleMesh mesh;
    Solid solid = solid_default(SOLID_CONE);
    solid.radius = radius;
    solid.height = height;
    assert_int_equal(primitive_cone(context, radius, height, segments, &mesh), PLIM_OK);
    return body_of(context, mesh, solid);
}

static void body_free(PlimContext *context, Body *body) {
    sample_tree_destroy(context, body->tree);
    mesh_free(context, &body->mesh);
}

static ContactPoints contact(const Body *a, Frame at_a, const Solid *b, Frame at_b, double margin) {
    ContactPoints points = {.count = 0};
    DistanceField field = field_of(b);
    sample_contact(a->tree, &at_a, &field, &at_b, margin, false, &points);
    return points;
}

/* Width of the points' positions along x and z. */
static void spread(const ContactPoints *points, double width[2]) {
    Box3 box = box3_empty();
    for (size_t i = 0; i < points->count; i++) box = box3_add_point(box, points->at[i].position);
    width[0] = box.high.x - box.low.x;
    width[1] = box.high.z - box.low.z;
}

/* ---- what geometry says ---- */

static void box_stands_on_a_plane(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Body box = box_body(context, vec3(1, 0.5, 2));
    Solid plane = solid_default(SOLID_HALF_SPACE);
    Frame at = frame_at(vec3(5, 0.249, 3), vec3(0, 0.7, 0));
    ContactPoints points = contact(&box, at, &plane, frame_in_place(), 0.01);
    assert_int_equal(points.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_close(points.at[i].gap, -0.001, 1e-14);
        assert_close(points.at[i].position.y, -0.0005, 1e-14);
        assert_vector(points.at[i].normal, vec3(0, 1, 0), 1e-14);
        assert_true(isinf(points.at[i].radius));
        Vec3 own = frame_to_own(&at, points.at[i].position);
        assert_close(fabs(own.x), 0.5, 1e-12);
        assert_close(fabs(own.z), 1, 1e-12);
    }
    /* On an edge: its two ends. Far away: nothing. */
    at = frame_at(vec3(0, 0.5 * hypot(1, 0.5), 0), vec3(0, 0, atan2(1, 0.5)));
    points = contact(&box, at, &plane, frame_in_place(), 0.01);
    assert_int_equal(points.count, 2);
    at.origin.y += 0.02;
    assert_int_equal(contact(&box, at, &plane, frame_in_place(), 0.01).count, 0);
    body_free(context, &box);
    test_context_close(context);
}

/* 000 figure 2.4: no vertex is inside, the edges are. */
static void edges_rest_on_a_thin_bar(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Body box = box_body(context, vec3(1, 1, 1));
    Solid bar = solid_default(SOLID_BOX);
    bar.size[0] = 0.05;
    bar.size[1] = 0.1;
    bar.size[2] = 4;
    double low[2] = {0.5, sqrt(0.5)}, width[2];
    for (int on_edge = 0; on_edge < 2; on_edge++)
        for (int tilted = -1; tilted < 2; tilted++) {
            Frame at = frame_at(vec3(0.1, 0.05 + low[on_edge] - 0.0005, 0.2),
                                vec3(on_edge * pi / 4, 0, 0));
            Frame tilt = frame_at(vec3(0, 0, 0), vec3(0, 0, 1e-4 * tilted));
            at.axes = mat3_multiply(tilt.axes, at.axes);
            ContactPoints points = contact(&box, at, &bar, frame_in_place(), 0.002);
            assert_in_range(points.count, on_edge ? 2 : 4, on_edge ? 3 : 6);
            for (size_t i = 0; i < points.count; i++)
                assert_vector(points.at[i].normal, vec3(0, 1, 0), 2e-4);
            spread(&points, width);
            assert_close(width[0], 0.05, 0.002);
            assert_close(width[1], on_edge ? 0 : 1, 0.002);
            assert_close(least_gap(&points), -0.0005, 2e-5);
        }
    body_free(context, &box);
    test_context_close(context);
}

/* On top of one of equal size the rim is on two faces at once; the faces that press on each other
 * are meant. */
static void equal_bodies_stack(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Body bodies[2] = {box_body(context, vec3(1, 1, 1)), cylinder_body(context, 0.5, 1, 64)};
    const Vec3 shifts[] = {{0, 0, 0},       {1e-9, 0, -1e-9},  {-1e-17, 0, 1e-16},
                           {2e-4, 0, 1e-4}, {0.01, 0, -0.003}, {0.3, 0, 0.2}};
    const double gaps[] = {1e-3, 1e-8, 0, -1e-8, -1e-4, -1e-3};
    for (size_t body = 0; body < 2; body++)
        for (size_t shift = 0; shift < 6; shift++)
            for (size_t gap = 0; gap < 6; gap++) {
                Vec3 above = vec3_add(shifts[shift], vec3(0, 1 + gaps[gap], 0));
                const Body *one = &bodies[body];
                /* Samples of the upper in the lower, and of the lower in the upper. */
                Frame up = frame_at(above, vec3(0, 0, 0)), down = frame_in_place();
                ContactPoints points = contact(one, up, &one->solid, down, 2e-3);
                ContactPoints others = contact(one, down, &one->solid, up, 2e-3);
                /* Beside the rim, the way from rim to rim is at an angle. */
                double width[2] = {0, 0}, straight = gaps[gap] > 0 ? 0.5 : 0.999;
                for (size_t i = 0; i < points.count; i++) {
                    assert_true(points.at[i].normal.y > straight);
                    assert_close(points.at[i].gap, gaps[gap], gaps[gap] > 0 ? 1e-3 : 1e-5);
                }
                for (size_t i = 0; i < others.count; i++) {
                    assert_true(-others.at[i].normal.y > straight);
                    points.at[points.count < 12 ? points.count++ : 0] = others.at[i];
                }
                assert_true(points.count >= 4);
                spread(&points, width);
                assert_true(width[0] > 0.5 && width[1] > 0.5);
            }
    body_free(context, &bodies[0]);
    body_free(context, &bodies[1]);
    test_context_close(context);
}

/* What faces away from b is not in contact with it, however thin a is. */
static void far_side_of_a_plate_is_left_out(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Body plate = box_body(context, vec3(1, 1e-3, 1));
    Solid plane = solid_default(SOLID_HALF_SPACE);
    Frame at = frame_at(vec3(0, 6e-4, 0), vec3(0, 0, 0));
    ContactPoints points = contact(&plate, at, &plane, frame_in_place(), 0.01);
    assert_int_equal(points.count, 4);
    for (size_t i = 0; i < 4; i++) assert_close(points.at[i].gap, 1e-4, 1e-12);
    body_free(context, &plate);
    test_context_close(context);
}

/* An open sheet draped over a ball: it has no inside, both sides count. */
static void shell_meets_a_ball(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_sheet(context, 1, 1, 16, 16, &mesh), PLIM_OK);
    Body sheet = body_of(context, mesh, solid_default(SOLID_BALL));
    for (int below = 0; below < 2; below++) {
        double sign = below ? -1 : 1;
        Frame at = frame_at(vec3(0, sign * 0.499, 0), vec3(0, 0, 0));
        ContactPoints points = contact(&sheet, at, &sheet.solid, frame_in_place(), 0);
        assert_int_equal(points.count, 1); /* the vertex in the middle */
        assert_close(points.at[0].gap, -0.001, 1e-12);
        assert_vector(points.at[0].normal, vec3(0, sign, 0), 1e-9);
        assert_vector(points.at[0].position, vec3(0, sign * 0.4995, 0), 1e-9);
    }
    body_free(context, &sheet);
    test_context_close(context);
}

/* ---- other frames, other roles ---- */

static void frames_do_not_matter(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Body box = box_body(context, vec3(1, 0.5, 0.8));
    Body other = cylinder_body(context, 0.4, 1, 24);
    DistanceField field = field_of(&other.solid);
    size_t met = 0;
    for (uint64_t i = 0; i < 400; i++) {
        Frame at = random_frame(2, i, 0.7), moved = random_frame(3, i, 5);
        Frame at_moved = frame_in_frame(&moved, &at);
        ContactPoints here = {.count = 0}, there = here, flipped = here;
        Frame in_place = frame_in_place();
        sample_contact(box.tree, &at, &field, &in_place, 0.02, false, &here);
        sample_contact(box.tree, &at_moved, &field, &moved, 0.02, false, &there);
        assert_same_points(&here, &there, &moved, 1e-5);
        sample_contact(box.tree, &at_moved, &field, &moved, 0.02, true, &flipped);
        assert_int_equal(flipped.count, there.count);
        for (size_t k = 0; k < there.count; k++) {
            assert_vector(flipped.at[k].position, there.at[k].position, 0);
            assert_vector(flipped.at[k].normal, vec3_scale(-1, there.at[k].normal), 0);
            assert_close(flipped.at[k].gap, there.at[k].gap, 0);
        }
        met += here.count > 0;
    }
    assert_true(met > 100);
    body_free(context, &box);
    body_free(context, &other);
    test_context_close(context);
}

/* ---- nothing is missed ---- */

static double reach_of(const TriangleMesh *mesh) {
    double reach = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        reach = fmax(reach, vec3_length(mesh->vertices[i]));
    return reach;
}

/* Least distance of points spread over a's triangles in b's field; HUGE_VAL: none is nearer to b
 * than a ball around it. */
static double dense_least(const TriangleMesh *mesh, const Frame *at_a, const Body *b,
                          const Frame *at_b, int side) {
    double least = HUGE_VAL, reach = reach_of(&b->mesh);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i <= side; i++)
            for (int j = 0; i + j <= side; j++) {
                const int32_t *corner = mesh->triangles[t];
                double u = (double)i / side, v = (double)j / side;
                Vec3 p = vec3_scale(1 - u - v, mesh->vertices[corner[0]]);
                p = vec3_add_scaled(p, u, mesh->vertices[corner[1]]);
                p = vec3_add_scaled(p, v, mesh->vertices[corner[2]]);
                p = frame_to_own(at_b, frame_to_world(at_a, p));
                if (vec3_length(p) - reach < fmin(least, 0))
                    least = fmin(least, solid_distance(&b->solid, p));
            }
    return least;
}

static double dense_least_of_two(const Body *a, const Frame *at_a, const Body *b, const Frame *at_b,
                                 int side) {
    return fmin(dense_least(&a->mesh, at_a, b, at_b, side),
                dense_least(&b->mesh, at_b, a, at_a, side));
}

/* Moves a along a line until it is `depth` into b. */
static Frame touching_frame(const Body *a, const Body *b, uint64_t index, double depth) {
    Frame at = random_frame(4, index, 0.5), at_b = frame_in_place();
    Vec3 way = vec3_normalize(random_vector(9, index, 1)), start = at.origin;
    double in = 0, out = 3;
    for (int round = 0; round < 24; round++) {
        double middle = 0.5 * (in + out);
        at.origin = vec3_add_scaled(start, middle, way);
        if (dense_least_of_two(a, &at, b, &at_b, 12) > -depth)
            out = middle;
        else
            in = middle;
    }
    return at;
}

static void deepest_point_is_found(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Body bodies[4] = {box_body(context, vec3(1, 0.5, 0.8)),
                      box_body(context, vec3(1.2, 0.06, 0.06)),
                      cylinder_body(context, 0.4, 0.8, 40), cone_body(context, 0.4, 0.8, 40)};
    double worst = -HUGE_VAL;
    int met = 0;
    for (uint64_t i = 0; i < 192; i++) {
        const Body *a = &bodies[i % 4], *b = &bodies[i / 4 % 4];
        Frame at = touching_frame(a, b, i, 0.002), at_b = frame_in_place();
        double least = dense_least_of_two(a, &at, b, &at_b, 40);
        if (least > 0) continue; /* they did not meet on that line */
        met++;
        ContactPoints points = contact(a, at, &b->solid, at_b, 0.001);
        assert_sound(&points, &b->solid, &at_b, false, 0.02);
        ContactPoints others = contact(b, at_b, &a->solid, at, 0.001);
        double found = fmin(least_gap(&points), least_gap(&others));
        worst = fmax(worst, found - least);
        if (found - least > 5e-4) print_message("%d: %g, dense %g\n", (int)i, found, least);
    }
    assert_true(met > 120);
    assert_true(worst < 5e-4);
    print_message("found at most %.1e less deep than dense samples\n", worst);
    for (int i = 0; i < 4; i++) body_free(context, &bodies[i]);
    test_context_close(context);
}

/* ---- level sets ---- */

static LevelSet *level_set_of(PlimContext *context, const TriangleMesh *mesh, int cells) {
    Bvh *bvh;
    LevelSet *level_set;
    BvhInput input = bvh_input_triangles(mesh);
    assert_int_equal(bvh_create(context, &input, &bvh), PLIM_OK);
    LevelSetOptions options = level_set_options_default();
    options.cells = cells;
    assert_int_equal(level_set_from_mesh(context, mesh, bvh, &options, &level_set, NULL), PLIM_OK);
    bvh_destroy(bvh);
    return level_set;
}

/* The tree finds what trying every vertex finds. */
static void tree_misses_no_vertex(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_torus(context, 0.5, 0.15, 60, 30, &mesh), PLIM_OK);
    Body a = body_of(context, mesh, solid_default(SOLID_FIELD));
    LevelSet *level_set = level_set_of(context, &mesh, 40);
    a.solid.field = level_set;
    DistanceField field = {&a.solid, {{-0.65, -0.15, -0.65}, {0.65, 0.15, 0.65}}};
    Frame at_b = frame_in_place();
    size_t met = 0;
    for (uint64_t i = 0; i < (uint64_t)test_size(600, 250); i++) {
        Frame at = random_frame(5, i, 1.0);
        ContactPoints points = {.count = 0};
        sample_contact(a.tree, &at, &field, &at_b, 0, false, &points);
        double least = dense_least(&mesh, &at, &a, &at_b, 1);
        if (least > 0) {
            assert_int_equal(points.count, 0);
            continue;
        }
        met++;
        assert_close(least_gap(&points), least, 1e-12);
    }
    assert_true(met > 100);
    level_set_destroy(level_set);
    body_free(context, &a);
    test_context_close(context);
}

/* A long rod passes by a small body: both its ends are far beyond the grid. */
static void long_edge_meets_a_level_set(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_ball(context, 0.2, 4, &mesh), PLIM_OK);
    LevelSet *level_set = level_set_of(context, &mesh, 32);
    Body rod = box_body(context, vec3(4, 0.1, 0.1));
    Solid solid = solid_default(SOLID_FIELD);
    solid.field = level_set;
    DistanceField field = {&solid, {{-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}}};
    for (int i = 0; i < 40; i++) {
        /* Resting on an edge of the rod, at any angle about the vertical. */
        Frame at = frame_at(vec3(0, 0.2 + 0.05 * sqrt(2) - 0.002, 0), vec3(0, 0.1 * i, 0));
        Frame turn = frame_at(vec3(0.01 * i, 0, 0), vec3(pi / 4, 0, 0)), at_b = frame_in_place();
        at = frame_in_frame(&at, &turn);
        ContactPoints points = {.count = 0};
        sample_contact(rod.tree, &at, &field, &at_b, 0.001, false, &points);
        assert_true(points.count >= 1);
        assert_close(least_gap(&points), -0.002, 5e-4);
        assert_vector(points.at[0].normal, vec3(0, 1, 0), 0.1);
    }
    level_set_destroy(level_set);
    body_free(context, &rod);
    mesh_free(context, &mesh);
    test_context_close(context);
}

/* ---- trees ---- */

static PlimStatus make_tree(PlimContext *context, void *user) {
    SampleTree *tree = NULL;
    PlimStatus status = sample_tree_create(context, user, &tree);
    if (status == PLIM_OK)
        sample_tree_destroy(context, tree);
    else
        assert_null(tree);
    return status;
}

static void trees_report_lack_of_memory(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_cylinder(context, 0.5, 1, 30, &mesh), PLIM_OK);
    Starved starved = {.use = make_tree, .user = &mesh, .least = 8, .most = 40};
    starve(&starved);
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void trees_hold_what_they_say(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    SampleTree *tree;
    assert_int_equal(primitive_ball(context, 0.5, 3, &mesh), PLIM_OK);
    size_t before = plim_context_bytes(context);
    assert_int_equal(sample_tree_create(context, &mesh, &tree), PLIM_OK);
    assert_int_equal(plim_context_bytes(context) - before, sample_tree_bytes(tree));
    sample_tree_destroy(context, tree);
    mesh_free(context, &mesh);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_stands_on_a_plane),
        cmocka_unit_test(edges_rest_on_a_thin_bar),
        cmocka_unit_test(equal_bodies_stack),
        cmocka_unit_test(far_side_of_a_plate_is_left_out),
        cmocka_unit_test(shell_meets_a_ball),
        cmocka_unit_test(frames_do_not_matter),
        cmocka_unit_test(deepest_point_is_found),
        cmocka_unit_test(tree_misses_no_vertex),
        cmocka_unit_test(long_edge_meets_a_level_set),
        cmocka_unit_test(trees_report_lack_of_memory),
        cmocka_unit_test(trees_hold_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
