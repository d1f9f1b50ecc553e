/* The thinnest wall and the narrowest gap of surfaces, and distance fields that have them. */
#include "check.h"

#include "geom/level_set/level_set.h"
#include "geom/level_set/thinnest.h"
#include "geom/mesh/primitives.h"

typedef struct Vessel {
    TriangleMesh mesh;
    Bvh *bvh;
} Vessel;

/* A closed box with a wall around a hollow in it. */
static Vessel hollow_box(PlimContext *context, double wall) {
    Vessel vessel;
    TriangleMesh box[2];
    double size = 1 - 2 * wall;
    assert_int_equal(primitive_box(context, vec3(1, 1, 1), &box[0]), PLIM_OK);
    assert_int_equal(primitive_box(context, vec3(size, size, size), &box[1]), PLIM_OK);
    size_t vertices = box[0].vertex_count, triangles = box[0].triangle_count;
    assert_int_equal(mesh_allocate(context, &vessel.mesh, 2 * vertices, 2 * triangles), PLIM_OK);
    for (size_t i = 0; i < 2 * vertices; i++)
        vessel.mesh.vertices[i] = box[i / vertices].vertices[i % vertices];
    for (size_t t = 0; t < 2 * triangles; t++)
        for (int k = 0; k < 3; k++) { /* the second's inside is the hollow */
            bool is_hollow = t >= triangles;
            int32_t corner = box[is_hollow].triangles[t % triangles][is_hollow ? 2 - k : k];
            vessel.mesh.triangles[t][k] = corner + (is_hollow ? (int32_t)vertices : 0);
        }
    mesh_free(context, &box[0]);
    mesh_free(context, &box[1]);
    BvhInput input = bvh_input_triangles(&vessel.mesh);
    assert_int_equal(bvh_create(context, &input, &vessel.bvh), PLIM_OK);
    return vessel;
}

static void test_walls(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const double walls[] = {0.2, 0.05, 0.02, 0.004};
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++) {
        Vessel vessel = hollow_box(context, walls[i]);
        assert_close(surface_thinnest(&vessel.mesh, vessel.bvh, 1), walls[i], 1e-5);
        bvh_destroy(vessel.bvh);
        mesh_free(context, &vessel.mesh);
    }
    test_context_close(context);
}

/* The wall is there in a field whose cells are chosen, all around. */
static void test_field(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Vessel vessel = hollow_box(context, 0.02);
    LevelSetOptions options = level_set_options_default();
    LevelSet *field;
    assert_int_equal(level_set_from_mesh(context, &vessel.mesh, vessel.bvh, &options, &field, NULL),
                     PLIM_OK);
    assert_true(level_set_grid(field)->spacing < 0.007);
    for (double y = -0.48; y < 0.48; y += 0.013)
        for (double z = -0.48; z < 0.48; z += 0.013) {
            assert_true(level_set_value(field, vec3(0.49, y, z)) < -0.005);
            assert_true(level_set_value(field, vec3(y, -0.49, z)) < -0.005);
        }
    level_set_destroy(field);
    bvh_destroy(vessel.bvh);
    mesh_free(context, &vessel.mesh);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
