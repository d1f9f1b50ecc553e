/* Viscosity below a free surface known within cells: the operator, a film down a wall, a disc of
 * liquid that turns faster inside than outside, iterations. */
#include "viscosity_case.h"

#include "grid/liquid_fraction.h"
#include "solve/viscosity/viscosity_internal.h"

typedef double (*Level)(Vec3 x);

static double lump(Vec3 x) {
    return vec3_length(vec3_sub(x, vec3(0.513, 0.478, x.z > 0.0 ? 0.523 : 0.0))) - 0.27;
}

static double tilted(Vec3 x) {
    return x.y - 0.4137 - 0.2 * (x.x - 0.5);
}

static float *corners_of(PlimContext *context, const Grid *grid, Level level) {
    GridField phi;
    float *corners = calloc(grid_cell_count(grid) << grid->dim, sizeof *corners);
    int deep = grid->dim == 3;
    assert_int_equal(field_create(context, grid, PLACE_CELLS, 1, &phi), PLIM_OK);
    for (int k = -deep; k < grid->n[2] + deep; k++)
        for (int j = -1; j <= grid->n[1]; j++)
            for (int i = -1; i <= grid->n[0]; i++)
                phi.data[field_index(&phi, i, j, k)] = level(grid_cell_center(grid, i, j, k));
    liquid_fractions_of_corners(&phi, 1, corners);
    field_free(context, &phi);
    return corners;
}

static SolveResult solve(PlimContext *context, Viscosity *v, ViscosityCase *c, double dt) {
    SolveResult result;
    KrylovOptions options = krylov_options_default(context->threads);
    options.relative = 1e-11;
    options.max_iterations = 20000;
    assert_int_equal(viscosity_setup(v, &c->problem, context->threads), PLIM_OK);
    assert_int_equal(viscosity_solve(v, &c->problem, dt, &options, c->velocity, &result), PLIM_OK);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    return result;
}

/* ---- the matrix ---- */

/* Parts by chance, a third of the cells dry, any walls and viscosities: symmetric, and positive. */
static void test_matrix(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (uint64_t seed = 0; seed < 12; seed++) {
        int dim = 2 + (int)(seed % 2);
        ViscosityCase *c = visc_create(dim, 7, 6, 5, 0.25);
        size_t parts = grid_cell_count(&c->grid) << dim;
        float *corners = calloc(parts, sizeof *corners);
        for (size_t i = 0; i < parts; i++) {
            double cell = 1.5 * random_uniform(seed, 30, i >> dim) - 0.5;
            if (cell > 0.0) corners[i] = (float)fmin(1.0, 2.0 * cell * random_uniform(seed, 31, i));
        }
        if (seed % 3 == 1) visc_sides(c, 0, SIDE_PERIODIC, SIDE_PERIODIC);
        if (seed % 3 == 2) visc_sides(c, 1, SIDE_OPEN, SIDE_WALL);
        if (seed >= 4) visc_random_distance(c, seed);
        if (seed >= 8) visc_random_mu(c, seed);
        c->problem.liquid_of_corners = corners;
        Viscosity *v;
        assert_int_equal(viscosity_create(context, &c->grid, &v), PLIM_OK);
        assert_int_equal(viscosity_setup(v, &c->problem, 1), PLIM_OK);
        LinearMap map = viscosity_map(v, 1.0, 0.3);
        operator_check(&map, &(OperatorTest){1e-13, .symmetric = true, .semidefinite = true});
        viscosity_destroy(v);
        free(corners);
        visc_destroy(c);
    }
    test_context_close(context);
}

/* ---- a film ---- */

static double film_depth; /* of the box */

static double film_level(Vec3 x) {
    return x.y - film_depth;
}

/* Pushed along a wall, to the steady state in one long step. All velocities are exact but for what
 * the wall, half a cell away, makes of a parabola, which is the same everywhere, and for the last
 * face: the greatest error of others less that of the first one, and of the last, of the greatest
 * velocity. */
static void film_errors(int n, double depth, double *inside, double *last) {
    PlimContext *context = test_context(1);
    ViscosityCase *c = visc_create(2, 4, n, 1, 1.0 / n);
    Viscosity *v;
    double dt = 1e6, h = 1.0 / n, first = 0.0;
    film_depth = depth;
    float *corners = corners_of(context, &c->grid, film_level);
    c->problem.liquid_of_corners = corners;
    visc_sides(c, 0, SIDE_PERIODIC, SIDE_PERIODIC);
    for (size_t f = 0; f < grid_face_count(&c->grid, 0); f++) c->velocity[0][f] = dt;
    assert_int_equal(viscosity_create(context, &c->grid, &v), PLIM_OK);
    solve(context, v, c, dt);
    *inside = *last = 0.0;
    for (int j = 0; j < n && viscosity_moves_face(v, 0, (int[3]){0, j, 0}); j++) {
        double y = (j + 0.5) * h;
        double error = *visc_at(c, c->velocity, 0, 0, j, 0) - y * (depth - 0.5 * y);
        if (j == 0) first = error;
        bool is_last = !viscosity_moves_face(v, 0, (int[3]){0, j + 1, 0});
        double *worst = is_last ? last : inside;
        *worst = fmax(*worst, fabs(error - first) / (0.5 * depth * depth));
    }
    viscosity_destroy(v);
    free(corners);
    visc_destroy(c);
    test_context_close(context);
}

static void test_film(void **state) {
    (void)state;
    for (int tenth = 0; tenth < 20; tenth++) {
        double worst[2][2];
        for (int size = 0; size < 2; size++) {
            int n = 16 << size;
            film_errors(n, (8.0 * (1 + size) + 0.05 * tenth) / n, &worst[size][0], &worst[size][1]);
        }
        assert_true(worst[0][0] < 1e-5 && worst[1][0] < 1e-5);
        assert_true(worst[0][1] < 5e-3 && worst[1][1] < 1.3e-3);
    }
}

/* ---- a disc ---- */

static double disc_radius = 0.3;

static double disc_level(Vec3 x) {
    return hypot(x.x - 0.5137, x.y - 0.4891) - disc_radius;
}

/* Round and round with J_1(k r), k where no stress acts on the rim: J_2(k R) = 0. */
static const double rim = 5.135622301840683;

static double disc_field(const void *user, int component, Vec3 x) {
    double dx = x.x - 0.5137, dy = x.y - 0.4891, r = hypot(dx, dy);
    double turn = r > 0.0 ? j1(rim / disc_radius * r) / r : 0.0;
    return *(const double *)user * turn * (component == 0 ? -dy : dx);
}

/* One step takes 1 / (1 + nu dt k^2) of it. The root of the mean square of the error over faces
 * whose middle is in the liquid, of that of the field. */
static double disc_error(int n, bool within_cells) {
    PlimContext *context = test_context(1);
    ViscosityCase *c = visc_create(2, n, n, 1, 1.0 / n);
    double k = rim / disc_radius, one = 1.0, decayed = 0.5, dt = 1.0 / (k * k);
    float *corners = corners_of(context, &c->grid, disc_level);
    double *cells = calloc(grid_cell_count(&c->grid), sizeof *cells), sum = 0.0, all = 0.0;
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++)
        for (int corner = 0; corner < 4; corner++)
            cells[i] += 0.25 * (double)corners[4 * i + (size_t)corner];
    c->problem.liquid = cells;
    if (within_cells) c->problem.liquid_of_corners = corners;
    Viscosity *v;
    assert_int_equal(viscosity_create(context, &c->grid, &v), PLIM_OK);
    visc_set_velocity(c, disc_field, &one);
    solve(context, v, c, dt);
    VISC_FACES(c, a, i, j, l) {
        Vec3 x = grid_face_center(&c->grid, a, i, j, l);
        if (disc_level(x) > 0.0) continue;
        double exact = disc_field(&decayed, a, x);
        double error = *visc_at(c, c->velocity, a, i, j, l) - exact;
        sum += error * error;
        all += exact * exact;
    }
    viscosity_destroy(v);
    free(corners);
    free(cells);
    visc_destroy(c);
    test_context_close(context);
    return sqrt(sum / all);
}

static void test_disc(void **state) {
    (void)state;
    for (int within = 0; within < 2; within++) {
        double error[4];
        for (int size = 0; size < 4; size++) error[size] = disc_error(16 << size, within != 0);
        double order = log2(error[0] / error[3]) / 3.0;
        print_message("disc, parts of %s: errors %.2g %.2g %.2g %.2g at 16 to 128 cells, order "
                      "%.2f\n",
                      within ? "sub-cells" : "cells", error[0], error[1], error[2], error[3],
                      order);
        if (within) assert_true(error[0] < 0.05 && order > 1.8);
    }
}

/* ---- iterations ---- */

static int iterations(int dim, int n, double ratio, Level level) {
    PlimContext *context = test_context(1);
    ViscosityCase *c = visc_create(dim, n, n, n, 1.0 / n);
    float *corners = level ? corners_of(context, &c->grid, level) : NULL;
    c->problem.liquid_of_corners = corners;
    visc_random_velocity(c, 3);
    VISC_FACES(c, a, i, j, k)
    if (!visc_is_free(c, a, i, j, k)) *visc_at(c, c->velocity, a, i, j, k) = 0.0;
    SolveResult result = visc_solve(context, c, ratio / (n * n), 1e-8);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    free(corners);
    visc_destroy(c);
    test_context_close(context);
    return result.iterations;
}

static void test_iterations(void **state) {
    (void)state;
    static const double ratios[] = {0.1, 1.0, 10.0, 1e3, 1e5, 1e7};
    for (int round = 0; round < 12; round++) {
        int dim = 2 + round / 6, n = dim == 2 ? 64 : 20;
        double ratio = ratios[round % 6];
        int full = iterations(dim, n, ratio, NULL), half = iterations(dim, n, ratio, tilted);
        int free_lump = iterations(dim, n, ratio, lump);
        print_message("%dD, dt mu/(density h^2) %g: %d full, %d half full, %d a lump\n", dim, ratio,
                      full, half, free_lump);
        assert_true(half <= full + 8);
        assert_true(free_lump <= (ratio > 1e6 ? 120 : 80));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix), cmocka_unit_test(test_film),
                                       cmocka_unit_test(test_disc),
                                       cmocka_unit_test(test_iterations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
