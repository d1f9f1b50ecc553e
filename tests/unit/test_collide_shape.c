/* Shapes of bodies as contact sees them: which way of looking is taken for which pair. */
#include "contact_case.h"
#include "ration.h"

#include "rigid/shape.h"

#include <string.h>

static const double radius = 0.5, height = 1.2, tube = 0.2;

enum { KINDS = 7 }; /* all but the mesh: that is one of the tests */
static const PlimShapeKind kinds[KINDS] = {
    PLIM_SHAPE_BOX,   PLIM_SHAPE_BALL, PLIM_SHAPE_CYLINDER,  PLIM_SHAPE_CAPSULE,
    PLIM_SHAPE_TORUS, PLIM_SHAPE_CONE, PLIM_SHAPE_HALF_SPACE};

typedef struct Shapes {
    PlimContext *context;
    ShapeLibrary library;
    size_t index[KINDS];
} Shapes;

static Shapes open_shapes(void) {
    Shapes shapes = {.context = test_context(1)};
    for (int k = 0; k < KINDS; k++) {
        PlimShapeDesc desc = shape_desc_default(kinds[k]);
        desc.size[0] = 1, desc.size[1] = 0.6, desc.size[2] = 0.8;
        desc.radius = radius;
        desc.height = height;
        desc.tube = tube;
        desc.segments = 64;
        assert_int_equal(
            shape_library_get(shapes.context, &shapes.library, &desc, NULL, &shapes.index[k]),
            PLIM_OK);
        RigidShape *shape = &shapes.library.shapes.data[shapes.index[k]];
        assert_int_equal(shape_prepare_contact(shapes.context, shape), PLIM_OK);
    }
    return shapes;
}

static void close_shapes(Shapes *shapes) {
    shape_library_free(shapes->context, &shapes->library);
    test_context_close(shapes->context);
}

static const CollideShape *shape_at(const Shapes *shapes, int k) {
    return &shapes->library.shapes.data[shapes->index[k]].collide;
}

/* How far a shape reaches from its centre of mass along the unit vector d of its own axes. */
static double reach(PlimShapeKind kind, Vec3 d) {
    double across = sqrt(d.x * d.x + d.z * d.z);
    switch (kind) {
    case PLIM_SHAPE_BOX:
        return 0.5 * fabs(d.x) + 0.3 * fabs(d.y) + 0.4 * fabs(d.z);
    case PLIM_SHAPE_BALL:
        return radius;
    case PLIM_SHAPE_CYLINDER:
        return radius * across + 0.5 * height * fabs(d.y);
    case PLIM_SHAPE_CAPSULE:
        return radius + 0.5 * height * fabs(d.y);
    case PLIM_SHAPE_TORUS:
        return tube + radius * across;
    case PLIM_SHAPE_CONE:
        return fmax(0.75 * height * d.y, radius * across - 0.25 * height * d.y);
    default:
        return 0;
    }
}

/* Above and a little inside the ground, turned at random; triangles lie that much inside. */
static void all_shapes_on_the_ground(void **state) {
    (void)state;
    Shapes shapes = open_shapes();
    Frame ground = frame_in_place();
    for (int k = 0; k < KINDS - 1; k++)
        for (uint64_t i = 0; i < 60; i++) {
            Frame frame = random_frame(5, i, 1);
            double gap = 0.1 * random_uniform(8, (uint64_t)k, i) - 0.05;
            Vec3 down = mat3_apply_transpose(frame.axes, vec3(0, -1, 0));
            frame.origin.y = reach(kinds[k], down) + gap;
            ContactPoints points;
            collide_shapes(shape_at(&shapes, k), &frame, shape_at(&shapes, KINDS - 1), &ground, 0.2,
                           &points);
            assert_true(points.count > 0);
            bool exact =
                kinds[k] == PLIM_SHAPE_BOX || shape_at(&shapes, k)->core.kind != ROUND_NONE;
            assert_close(least_gap(&points), gap, exact ? 1e-9 : 1.5e-3 * radius);
            for (size_t p = 0; p < points.count; p++)
                assert_vector(points.at[p].normal, vec3(0, 1, 0), 1e-9);
        }
    close_shapes(&shapes);
}

/* The nearest point of a ball is its centre's distance less its radius, whatever it meets. */
static void a_ball_near_each_shape(void **state) {
    (void)state;
    Shapes shapes = open_shapes();
    const CollideShape *ball = shape_at(&shapes, 1);
    for (int k = 0; k < KINDS; k++)
        for (uint64_t i = 0; i < 200; i++) {
            Frame other = random_frame(6, i, 1), at = random_frame(7, i, 1.5);
            const CollideShape *shape = shape_at(&shapes, k);
            double distance = solid_distance(&shape->solid, frame_to_own(&other, at.origin));
            double gap = distance - radius;
            if (distance < 0.01) continue;
            ContactPoints points;
            collide_shapes(ball, &at, shape, &other, 0.3, &points);
            if (gap > 0.3) {
                assert_int_equal(points.count, 0);
                continue;
            }
            assert_true(points.count > 0);
            assert_close(least_gap(&points), gap, 1e-6);
            collide_shapes(shape, &other, ball, &at, 0.3, &points);
            assert_close(least_gap(&points), gap, 1e-6);
        }
    close_shapes(&shapes);
}

/* a with b says what b with a says, with the normals the other way round. */
static void order_of_the_pair(void **state) {
    (void)state;
    Shapes shapes = open_shapes();
    Frame ground = frame_in_place();
    size_t met = 0;
    for (int k = 0; k < KINDS - 1; k++)
        for (int l = 0; l < KINDS; l++)
            for (uint64_t i = 0; i < 25; i++) {
                Frame a = random_frame(9, i, 0.6), b = random_frame(10, i, 0.6);
                if (kinds[l] == PLIM_SHAPE_HALF_SPACE) b = ground;
                ContactPoints there, back;
                collide_shapes(shape_at(&shapes, k), &a, shape_at(&shapes, l), &b, 0.05, &there);
                collide_shapes(shape_at(&shapes, l), &b, shape_at(&shapes, k), &a, 0.05, &back);
                assert_int_equal(there.count > 0, back.count > 0);
                if (there.count == 0) continue;
                met++;
                /* Faces of the first are taken before those of the second, if they differ by less
                 * than a ten-thousandth of the size. */
                assert_close(least_gap(&there), least_gap(&back), 1e-3);
                for (size_t p = 0; p < there.count; p++) {
                    assert_close(vec3_length(there.at[p].normal), 1, 1e-9);
                    assert_true(there.at[p].gap <= 0.05 + 1e-12);
                }
            }
    assert_true(met > 500);
    close_shapes(&shapes);
}

static void far_apart_is_nothing(void **state) {
    (void)state;
    Shapes shapes = open_shapes();
    for (int k = 0; k < KINDS - 1; k++)
        for (int l = 0; l < KINDS; l++) {
            Frame a = frame_at(vec3(3, 5, 2), vec3(0.1, 0.2, 0.3)), b = frame_in_place();
            ContactPoints points;
            collide_shapes(shape_at(&shapes, k), &a, shape_at(&shapes, l), &b, 0.5, &points);
            assert_int_equal(points.count, 0);
        }
    close_shapes(&shapes);
}

/* ---- meshes ---- */

/* A cube with a dent in its top. */
static const double dented[] = {-0.5, -0.5, -0.5, 0.5,  -0.5, -0.5, 0.5, -0.5, 0.5,
                                -0.5, -0.5, 0.5,  -0.5, 0.5,  -0.5, 0.5, 0.5,  -0.5,
                                0.5,  0.5,  0.5,  -0.5, 0.5,  0.5,  0,   0.1,  0};
static const int32_t dented_faces[] = {0, 1, 2, 0, 2, 3, 0, 4, 5, 0, 5, 1, 1, 5,
                                       6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3,
                                       4, 0, 4, 8, 5, 5, 8, 6, 6, 8, 7, 7, 8, 4};
static const PlimMeshDesc dented_mesh = {dented, 9, dented_faces, 14};

static PlimShapeDesc dented_shape(int cells) {
    PlimShapeDesc desc = shape_desc_default(PLIM_SHAPE_MESH);
    desc.mesh = &dented_mesh;
    desc.cells = cells;
    return desc;
}

/* A ball lies in the dent: it sees the slopes, not the cube around them. */
static void a_ball_in_a_dent(void **state) {
    (void)state;
    Shapes shapes = open_shapes();
    size_t index;
    PlimShapeDesc desc = dented_shape(40), small = shape_desc_default(PLIM_SHAPE_BALL);
    small.radius = 0.1;
    assert_int_equal(shape_library_get(shapes.context, &shapes.library, &desc, NULL, &index),
                     PLIM_OK);
    RigidShape *mesh = &shapes.library.shapes.data[index];
    assert_int_equal(shape_prepare_contact(shapes.context, mesh), PLIM_OK);
    assert_null(mesh->collide.polyhedron);
    assert_non_null(mesh->collide.level_set);
    double middle = mesh->mass.center.y;
    size_t ball_index;
    assert_int_equal(shape_library_get(shapes.context, &shapes.library, &small, NULL, &ball_index),
                     PLIM_OK);
    RigidShape *ball = &shapes.library.shapes.data[ball_index];
    mesh = &shapes.library.shapes.data[index];
    assert_int_equal(shape_prepare_contact(shapes.context, ball), PLIM_OK);
    /* The slopes fall 0.4 over 0.5. A ball on all four of them has its middle 0.1 / cos above their
     * point. */
    double lift = 0.1 * sqrt(0.5 * 0.5 + 0.4 * 0.4) / 0.5;
    Frame at_mesh = frame_in_place(), at_ball = frame_in_place();
    at_ball.origin.y = 0.1 + lift - middle;
    ContactPoints points;
    collide_shapes(&ball->collide, &at_ball, &mesh->collide, &at_mesh, 0.02, &points);
    assert_true(points.count > 0);
    assert_close(least_gap(&points), 0, 5e-3);
    at_ball.origin.y += 0.2;
    collide_shapes(&ball->collide, &at_ball, &mesh->collide, &at_mesh, 0.02, &points);
    assert_int_equal(points.count, 0);
    close_shapes(&shapes);
}

static PlimStatus make_mesh_shape(PlimContext *context, void *user) {
    (void)user;
    ShapeLibrary library = {0};
    PlimShapeDesc desc = dented_shape(8);
    size_t index;
    PlimStatus status = shape_library_get(context, &library, &desc, NULL, &index);
    if (status == PLIM_OK) status = shape_prepare_contact(context, &library.shapes.data[index]);
    shape_library_free(context, &library);
    return status;
}

static void memory_that_runs_out(void **state) {
    (void)state;
    starve(&(Starved){.use = make_mesh_shape, .least = 10, .most = 1000});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_shapes_on_the_ground), cmocka_unit_test(a_ball_near_each_shape),
        cmocka_unit_test(order_of_the_pair),        cmocka_unit_test(far_apart_is_nothing),
        cmocka_unit_test(a_ball_in_a_dent),         cmocka_unit_test(memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
