/* Conservative advection of momentum: sums are kept to rounding, constants stay, velocities are
 * never outside those that were there, smooth ones are carried at second order. */
#include "advect_case.h"

#include "grid/face_volumes.h"

#include <string.h>

typedef struct Case {
    PlimContext *context;
    Scratch scratch;
    FaceVolumes volumes;
    double *flux[3];
    size_t faces[3];
    MomentumFlow flow;
} Case;

static double uniform(uint64_t stream, uint64_t index) {
    return random_uniform(11, stream, index);
}

/* Masses between 0 and 1, a part of them 0; velocities between -1 and 1 or all 0.7; fluxes up to
 * `strength` cells in a part of the step. */
static Case make_case(const Grid *grid, int axis, int threads, double strength, bool constant) {
    Case c = {.context = test_context(threads), .volumes = face_volumes(grid, axis)};
    scratch_init(&c.scratch, c.context);
    size_t count = c.volumes.set.count;
    c.volumes.mass = malloc(count * sizeof(double));
    c.volumes.momentum = malloc(count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        double mass = uniform(1, i);
        c.volumes.mass[i] = mass < 0.2 ? 0 : mass;
        c.volumes.momentum[i] = c.volumes.mass[i] * (constant ? 0.7 : 2 * uniform(2, i) - 1);
    }
    c.flow = (MomentumFlow){.dt = 0.5, .parts = 2};
    for (int a = 0; a < grid->dim; a++) {
        c.faces[a] = grid_face_count(grid, a);
        c.flux[a] = malloc(c.faces[a] * sizeof(double));
        double most = strength * grid->spacing / (c.flow.dt / c.flow.parts);
        for (size_t i = 0; i < c.faces[a]; i++)
            c.flux[a][i] = most * (2 * uniform(3 + (uint64_t)a, i) - 1);
        for (size_t i = 0; i < c.faces[a]; i++) { /* nothing passes walls */
            int at[3];
            size_t nx = (size_t)grid_place_size(grid, grid_place_faces(a), 0);
            size_t ny = (size_t)grid_place_size(grid, grid_place_faces(a), 1);
            at[0] = (int)(i % nx), at[1] = (int)(i / nx % ny), at[2] = (int)(i / nx / ny);
            if (!grid_is_periodic(grid, a) && (at[a] == 0 || at[a] == grid->n[a])) c.flux[a][i] = 0;
        }
        c.flow.flux[a] = c.flux[a];
    }
    return c;
}

static void close_case(Case *c) {
    free(c->volumes.mass);
    free(c->volumes.momentum);
    for (int a = 0; a < 3; a++) free(c->flux[a]);
    scratch_free(&c->scratch);
    test_context_close(c->context);
}

static double sum_of(const double *x, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += x[i];
    return sum;
}

static void carry_case(Case *c, int threads) {
    assert_int_equal(face_volumes_carry(&c->volumes, &c->flow, threads, &c->scratch), PLIM_OK);
}

/* Velocities within bounds wherever there is mass to speak of. */
static void check_bounds(const FaceVolumes *volumes, double low, double high) {
    for (size_t i = 0; i < volumes->set.count; i++) {
        assert_true(volumes->mass[i] > -1e-15);
        if (!(volumes->mass[i] > 1e-9)) continue;
        double velocity = volumes->momentum[i] / volumes->mass[i];
        assert_true(velocity >= low - 1e-9 && velocity <= high + 1e-9);
    }
}

enum { CASES = 2 * 2 * 3 * 3 };

static Grid grid_of(int cases) {
    Grid grid = make_grid(2 + cases % 2, 9, 8, 7, cases / 2 % 2);
    for (int a = 0; a < 3; a++)
        for (int end = 0; end < 2; end++)
            if (grid.sides[a][end] == SIDE_OPEN) grid.sides[a][end] = SIDE_WALL;
    return grid;
}

/* Also where fluxes ask for many times what a volume holds. */
static void test_carry_keeps_sums(void **state) {
    (void)state;
    static const double strengths[] = {0.3, 1, 7};
    for (int cases = 0; cases < CASES; cases++) {
        Grid grid = grid_of(cases);
        int axis = cases / 4 % 3;
        if (axis >= grid.dim) continue;
        Case c = make_case(&grid, axis, 1, strengths[cases / 12], false);
        size_t count = c.volumes.set.count;
        double mass = sum_of(c.volumes.mass, count), momentum = sum_of(c.volumes.momentum, count);
        carry_case(&c, 1);
        assert_close(sum_of(c.volumes.mass, count), mass, 1e-12 * (double)count);
        assert_close(sum_of(c.volumes.momentum, count), momentum, 1e-12 * (double)count);
        check_bounds(&c.volumes, -1, 1);
        close_case(&c);
    }
}

static void test_carry_keeps_constants(void **state) {
    (void)state;
    for (int cases = 0; cases < CASES; cases++) {
        Grid grid = grid_of(cases);
        if (cases / 4 % 3 >= grid.dim) continue;
        Case c = make_case(&grid, cases / 4 % 3, 1, 1, true);
        carry_case(&c, 1);
        for (size_t i = 0; i < c.volumes.set.count; i++)
            assert_close(c.volumes.momentum[i], 0.7 * c.volumes.mass[i], 1e-12);
        close_case(&c);
    }
}

/* The same bits for any number of threads. */
static void test_carry_threads(void **state) {
    (void)state;
    Grid grid = make_grid(3, 31, 24, 17, true);
    Case one = make_case(&grid, 1, 1, 1, false), four = make_case(&grid, 1, 4, 1, false);
    carry_case(&one, 1);
    carry_case(&four, 4);
    size_t bytes = one.volumes.set.count * sizeof(double);
    assert_memory_equal(one.volumes.mass, four.volumes.mass, bytes);
    assert_memory_equal(one.volumes.momentum, four.volumes.momentum, bytes);
    close_case(&one);
    close_case(&four);
}

/* Fluxes without net outflow of cells change no mass: those of a stream function at nodes. */
static void test_carry_keeps_masses(void **state) {
    (void)state;
    Grid grid = make_grid(2, 12, 10, 1, true);
    Case c = make_case(&grid, 0, 1, 1, false);
    for (int j = 0; j <= grid.n[1]; j++)
        for (int i = 0; i <= grid.n[0]; i++) {
            double f[4];
            for (int k = 0; k < 4; k++) {
                int x = (i + k % 2) % grid.n[0], y = (j + k / 2) % grid.n[1];
                f[k] = 0.1 * uniform(9, (uint64_t)(y * grid.n[0] + x));
            }
            if (j < grid.n[1]) c.flux[0][grid_face_index(&grid, 0, i, j, 0)] = f[2] - f[0];
            if (i < grid.n[0]) c.flux[1][grid_face_index(&grid, 1, i, j, 0)] = f[0] - f[1];
        }
    for (size_t i = 0; i < c.volumes.set.count; i++) c.volumes.mass[i] = 1;
    carry_case(&c, 1);
    for (size_t i = 0; i < c.volumes.set.count; i++) assert_close(c.volumes.mass[i], 1, 1e-14);
    close_case(&c);
}

/* A wave that goes once around, aslant. */
static double wave_error(int n) {
    static const double pi = 3.14159265358979323846;
    Grid grid = unit_grid(2, n, true);
    Case c = make_case(&grid, 1, 1, 1, false);
    double error = 0;
    for (int a = 0; a < 2; a++)
        for (size_t i = 0; i < c.faces[a]; i++) c.flux[a][i] = a ? -1 : 2;
    size_t count = c.volumes.set.count;
    double *before = malloc(count * sizeof *before);
    for (size_t i = 0; i < count; i++) {
        double x = (value_place(&c.volumes.set, i, 0) + 0.5) / n;
        double y = value_place(&c.volumes.set, i, 1) / (double)n;
        c.volumes.mass[i] = 1;
        c.volumes.momentum[i] = before[i] = sin(2 * pi * x) * cos(2 * pi * y);
    }
    c.flow.dt = 1;
    c.flow.parts = 4 * n;
    carry_case(&c, 1);
    for (size_t i = 0; i < count; i++) error += fabs(c.volumes.momentum[i] - before[i]);
    free(before);
    close_case(&c);
    return error / (double)count;
}

static void test_carry_order(void **state) {
    (void)state;
    double coarse = wave_error(32), fine = wave_error(64);
    assert_true(log2(coarse / fine) > 1.8);
}

/* ---- the fit ---- */

/* Masses move by a part of a volume; some are wanted where nothing is and nowhere near. */
static void fit_case(Case *c, bool all_near, double *handed, int threads) {
    size_t count = c->volumes.set.count;
    double *mass = malloc(count * sizeof *mass);
    unsigned char *is_near = malloc(count);
    for (size_t i = 0; i < count; i++) {
        double wanted = uniform(21, i);
        is_near[i] = all_near || i % 3 > 0;
        mass[i] = !is_near[i] ? 0.5 + 0.5 * wanted : wanted < 0.3 ? 0 : wanted;
    }
    double *handed_mass = malloc(count * sizeof *handed_mass);
    MomentumFit fit = {
        .mass = mass, .is_near = is_near, .handed_mass = handed_mass, .handed = handed};
    assert_int_equal(face_volumes_fit(&c->volumes, &fit, threads, &c->scratch), PLIM_OK);
    for (size_t i = 0; i < count; i++) {
        assert_true(c->volumes.mass[i] == mass[i]);
        if (mass[i] == 0) assert_close(c->volumes.momentum[i], 0, 1e-15);
        if (!is_near[i]) assert_true(handed[i] == 0 && handed_mass[i] == 0);
    }
    free(handed_mass);
    free(mass);
    free(is_near);
}

static void test_fit_keeps_sums(void **state) {
    (void)state;
    for (int cases = 0; cases < CASES; cases++) {
        Grid grid = grid_of(cases);
        bool all_near = cases / 12 > 0;
        if (cases / 4 % 3 >= grid.dim) continue;
        Case c = make_case(&grid, cases / 4 % 3, 1, 1, false);
        size_t count = c.volumes.set.count;
        double *handed = malloc(count * sizeof *handed);
        double momentum = sum_of(c.volumes.momentum, count);
        fit_case(&c, all_near, handed, 1);
        assert_close(sum_of(c.volumes.momentum, count) + sum_of(handed, count), momentum,
                     1e-13 * (double)count);
        if (all_near) check_bounds(&c.volumes, -1, 1);
        free(handed);
        close_case(&c);
    }
}

static void test_fit_keeps_constants(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Grid grid = make_grid(dim, 9, 8, 7, true);
        Case c = make_case(&grid, 0, 1, 1, true);
        double *handed = malloc(c.volumes.set.count * sizeof *handed);
        fit_case(&c, true, handed, 1);
        for (size_t i = 0; i < c.volumes.set.count; i++)
            assert_close(c.volumes.momentum[i], 0.7 * c.volumes.mass[i], 1e-12);
        free(handed);
        close_case(&c);
    }
}

static void test_fit_threads(void **state) {
    (void)state;
    Grid grid = make_grid(3, 21, 14, 17, true);
    Case one = make_case(&grid, 2, 1, 1, false), four = make_case(&grid, 2, 4, 1, false);
    size_t count = one.volumes.set.count;
    double *handed[2] = {malloc(count * sizeof(double)), malloc(count * sizeof(double))};
    fit_case(&one, true, handed[0], 1);
    fit_case(&four, true, handed[1], 4);
    assert_memory_equal(one.volumes.momentum, four.volumes.momentum, count * sizeof(double));
    assert_memory_equal(handed[0], handed[1], count * sizeof(double));
    free(handed[0]);
    free(handed[1]);
    close_case(&one);
    close_case(&four);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_carry_keeps_sums),    cmocka_unit_test(test_carry_keeps_constants),
        cmocka_unit_test(test_carry_threads),       cmocka_unit_test(test_carry_keeps_masses),
        cmocka_unit_test(test_carry_order),         cmocka_unit_test(test_fit_keeps_sums),
        cmocka_unit_test(test_fit_keeps_constants), cmocka_unit_test(test_fit_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
