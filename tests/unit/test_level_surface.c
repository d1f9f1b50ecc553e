/* Parts of cells that are liquid: exact for planes, second order for spheres; surfaces of liquids:
 * vertices on the sphere to third order, closed, in front of solids. */
#include "level_case.h"

#include "grid/level_surface.h"

static Ball off_grid(int dim, int n, double radius) {
    return (Ball){vec3(0.5 * n + 0.23, 0.5 * n - 0.31, dim == 3 ? 0.5 * n + 0.11 : 0.0), radius};
}

/* ---- parts ---- */

/* The part of one cell below a plane, by counting points. */
static double counted_part(int dim, Vec3 normal, double offset, int i, int j, int k) {
    enum { FINE = 40 };
    int count = 0, depth = dim == 3 ? FINE : 1;
    for (int c = 0; c < depth; c++)
        for (int b = 0; b < FINE; b++)
            for (int a = 0; a < FINE; a++) {
                Vec3 p = vec3(i + (a + 0.5) / FINE, j + (b + 0.5) / FINE,
                              dim == 3 ? k + (c + 0.5) / FINE : 0.0);
                count += vec3_dot(normal, p) < offset;
            }
    return count / ((double)FINE * FINE * depth);
}

static void fill_plane(GridField *phi, Vec3 normal, double offset) {
    for (int k = 0; k < phi->n[2]; k++)
        for (int j = 0; j < phi->n[1]; j++)
            for (int i = 0; i < phi->n[0]; i++)
                phi->data[field_index(phi, i, j, k)] =
                    vec3_dot(normal, level_point(phi, i, j, k)) - offset;
    field_fill_halo(phi, 1);
}

static void planes_are_exact(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int at_nodes = 0; at_nodes < 2; at_nodes++) {
            PlimContext *context = test_context(1);
            Grid grid = level_grid(dim, 4, 1.0, false);
            GridField phi;
            GridPlace place = at_nodes ? PLACE_NODES : PLACE_CELLS;
            assert_int_equal(field_create(context, &grid, place, 1, &phi), PLIM_OK);
            Vec3 normal = vec3_normalize(vec3(0.3, -0.8, dim == 3 ? 0.45 : 0.0));
            fill_plane(&phi, normal, 0.1);
            double parts[64], upper[64];
            liquid_fractions(&phi, NULL, 1, parts);
            fill_plane(&phi, vec3_scale(-1.0, normal), -0.1);
            liquid_fractions(&phi, NULL, 1, upper);
            for (int k = 0; k < grid.n[2]; k++)
                for (int j = 0; j < grid.n[1]; j++)
                    for (int i = 0; i < grid.n[0]; i++) {
                        size_t cell = grid_cell_index(&grid, i, j, k);
                        assert_close(parts[cell] + upper[cell], 1.0, 1e-12);
                        assert_close(parts[cell], counted_part(dim, normal, 0.1, i, j, k),
                                     dim == 3 ? 0.002 : 0.02);
                    }
            field_free(context, &phi);
            test_context_close(context);
        }
}

static void ball_converges(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int at_nodes = 0; at_nodes < 2; at_nodes++) {
            PlimContext *context = test_context(2);
            double error[2];
            for (int fine = 0; fine < 2; fine++) {
                double radius = fine ? 8.0 : 4.0;
                Grid grid = level_grid(dim, 24, 0.1, false);
                GridField phi = level_field(context, &grid, at_nodes ? PLACE_NODES : PLACE_CELLS,
                                            off_grid(dim, 24, radius), profile_distance);
                double one = level_volume(context, &phi, NULL, 1);
                assert_true(one == level_volume(context, &phi, NULL, 2));
                error[fine] = fabs(one / ball_volume(dim, radius) - 1.0);
                field_free(context, &phi);
            }
            assert_true(error[1] < 3e-4);
            assert_true(error[1] < error[0] || error[0] < 1e-4);
            test_context_close(context);
        }
}

/* Half of a ball is in a solid, below a plane between nodes. */
static void solids_take_their_part(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        PlimContext *context = test_context(1);
        Grid grid = level_grid(dim, 24, 1.0, false);
        Ball ball = off_grid(dim, 24, 8.0);
        GridField phi = level_field(context, &grid, PLACE_CELLS, ball, profile_distance);
        size_t count = grid_place_count(&grid, PLACE_NODES);
        double *solid = context_allocate(context, count, sizeof *solid);
        assert_non_null(solid);
        for (size_t i = 0; i < count; i++) solid[i] = (double)(i / 25 % 25) - ball.centre.y;
        assert_close(level_volume(context, &phi, solid, 1) / ball_volume(dim, 8.0), 0.5, 0.002);
        for (size_t i = 0; i < count; i++) solid[i] = -1.0;
        assert_close(level_volume(context, &phi, solid, 1), 0.0, 0);
        context_free(context, solid, count, sizeof *solid);
        field_free(context, &phi);
        test_context_close(context);
    }
}

/* ---- surfaces ---- */

/* Greatest distance of a vertex from the sphere, in radii. */
static double surface_error(PlimContext *context, int n, double spacing, GridPlace place) {
    Grid grid = level_grid(3, n, spacing, false);
    grid.origin = vec3(3.0 * spacing, -2.0 * spacing, spacing);
    Ball ball = {vec3(0.51 * n, 0.49 * n, 0.505 * n), 0.3 * n};
    GridField phi = level_field(context, &grid, place, ball, profile_distance);
    field_fill_halo(&phi, 1);
    TriangleMesh mesh;
    assert_int_equal(level_surface_extract(context, &phi, NULL, 0.0, &mesh), PLIM_OK);
    assert_true(mesh.triangle_count > 0 && mesh_is_closed(context, &mesh));
    double most = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        Vec3 p = vec3_scale(1.0 / spacing, vec3_sub(mesh.vertices[v], grid.origin));
        most = fmax(most, fabs(ball_distance(&grid, ball, p)) / (ball.radius * spacing));
    }
    mesh_free(context, &mesh);
    field_free(context, &phi);
    return most;
}

static void vertices_are_third_order(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int at_nodes = 0; at_nodes < 2; at_nodes++) {
        GridPlace place = at_nodes ? PLACE_NODES : PLACE_CELLS;
        double coarse = surface_error(context, 16, 0.1, place);
        double middle = surface_error(context, 32, 0.1, place);
        double fine = surface_error(context, 64, 0.1, place);
        print_message("vertices: %.2e %.2e %.2e radii, orders %.2f %.2f\n", coarse, middle, fine,
                      log2(coarse / middle), log2(middle / fine));
        assert_true(coarse < 3e-3);
        assert_true(log2(coarse / middle) > 2.7 && log2(middle / fine) > 2.7);
        assert_close(surface_error(context, 16, 1e-3, place), coarse, 1e-9);
        assert_close(surface_error(context, 16, 1e3, place), coarse, 1e-9);
    }
    test_context_close(context);
}

/* A ball half out of the grid is closed on its side, and its rim is on the sphere. */
static void closed_on_the_sides(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Grid grid = level_grid(3, 24, 1.0, false);
    Ball ball = {vec3(0.3, 12.1, 11.9), 7.3};
    GridField phi = level_field(context, &grid, PLACE_CELLS, ball, profile_distance);
    field_fill_halo(&phi, 1);
    TriangleMesh mesh;
    assert_int_equal(level_surface_extract(context, &phi, NULL, 0.0, &mesh), PLIM_OK);
    assert_true(mesh_is_closed(context, &mesh));
    int on_side = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        Vec3 p = mesh.vertices[v];
        assert_true(p.x > -3e-6);
        on_side += p.x <= 0;
        if (p.x >= 0) assert_close(ball_distance(&grid, ball, p), 0.0, p.x < 2 ? 0.1 : 1e-3);
    }
    assert_true(on_side > 100);
    mesh_free(context, &mesh);
    field_free(context, &phi);
    test_context_close(context);
}

/* Water that goes on into a floor ends `depth` inside it. */
static void ends_within_solids(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Grid grid = level_grid(3, 16, 1.0, false);
    Ball ball = off_grid(3, 16, 5.0);
    GridField phi = level_field(context, &grid, PLACE_CELLS, ball, profile_distance);
    field_fill_halo(&phi, 1);
    size_t count = grid_place_count(&grid, PLACE_NODES);
    double *solid = context_allocate(context, count, sizeof *solid);
    assert_non_null(solid);
    for (size_t i = 0; i < count; i++) solid[i] = (double)(i / 17 % 17) - 8.2;
    TriangleMesh mesh;
    assert_int_equal(level_surface_extract(context, &phi, solid, 0.5, &mesh), PLIM_OK);
    assert_true(mesh_is_closed(context, &mesh));
    double lowest = 100;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        Vec3 p = mesh.vertices[v];
        lowest = fmin(lowest, p.y);
        double d = ball_distance(&grid, ball, p);
        assert_true(fabs(d) < 0.01 || p.y < 9.0);
    }
    assert_close(lowest, 7.7, 0.01);
    mesh_free(context, &mesh);
    context_free(context, solid, count, sizeof *solid);
    field_free(context, &phi);
    test_context_close(context);
}

static void all_or_nothing(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Grid grid = level_grid(3, 6, 1.0, false);
    GridField phi;
    assert_int_equal(field_create(context, &grid, PLACE_CELLS, 2, &phi), PLIM_OK);
    for (int inside = 0; inside < 2; inside++) {
        for (size_t i = 0; i < phi.count; i++) phi.data[i] = inside ? -3.0 : 3.0;
        assert_close(level_volume(context, &phi, NULL, 1), inside ? 216.0 : 0.0, 0);
        TriangleMesh mesh;
        assert_int_equal(level_surface_extract(context, &phi, NULL, 0.0, &mesh), PLIM_OK);
        assert_true(mesh_is_closed(context, &mesh));
        assert_true((mesh.triangle_count > 0) == inside);
        for (size_t v = 0; v < mesh.vertex_count; v++)
            for (int axis = 0; axis < 3; axis++) {
                double x = vec3_component(mesh.vertices[v], axis);
                assert_true(x > -3e-6 && x < 6.0 + 3e-6);
            }
        mesh_free(context, &mesh);
    }
    field_free(context, &phi);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_are_exact),       cmocka_unit_test(ball_converges),
        cmocka_unit_test(solids_take_their_part), cmocka_unit_test(vertices_are_third_order),
        cmocka_unit_test(closed_on_the_sides),    cmocka_unit_test(ends_within_solids),
        cmocka_unit_test(all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
