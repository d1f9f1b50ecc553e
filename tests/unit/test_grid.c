/* Fields with a halo, and interpolation: constants and linear functions exactly, the transpose by
 * random vectors, orders on smooth data, no overshoot on steps, wrapping round periodic sides. */
#include "check.h"

#include "base/hash.h"
#include "base/random.h"
#include "grid/interpolate.h"
#include "solve/interpolation_map.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const GridPlace places[] = {PLACE_CELLS, PLACE_FACES_X, PLACE_FACES_Y, PLACE_FACES_Z,
                                   PLACE_NODES};

/* Places that exist in the grid's dimension. */
static int place_count(int dim) {
    return dim == 3 ? 5 : 3;
}

static GridPlace place_at(int dim, int i) {
    return dim == 2 && i == 2 ? PLACE_FACES_Y : places[dim == 2 && i == 3 ? 4 : i];
}

static Grid make_grid(int dim, int nx, int ny, int nz, bool periodic) {
    Grid grid = {.dim = dim,
                 .n = {nx, ny, dim == 3 ? nz : 1},
                 .spacing = 0.37,
                 .origin = {-1.3, 0.4, dim == 3 ? 2.1 : 0.0}};
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            grid.sides[axis][end] = periodic ? SIDE_PERIODIC : end ? SIDE_OPEN : SIDE_WALL;
    return grid;
}

/* Where value (i, j, k) of a place lies. */
static Vec3 place_point(const Grid *grid, GridPlace place, int i, int j, int k) {
    double h = grid->spacing;
    double o[3];
    for (int axis = 0; axis < 3; axis++)
        o[axis] = grid_place_on_ends(grid, place, axis) ? 0.0 : 0.5;
    return vec3(grid->origin.x + (i + o[0]) * h, grid->origin.y + (j + o[1]) * h,
                grid->dim == 3 ? grid->origin.z + (k + o[2]) * h : 0.0);
}

typedef double (*Function)(Vec3 p);

static void fill_compact(const Grid *grid, GridPlace place, Function f, double *values) {
    size_t at = 0;
    for (int k = 0; k < grid_place_size(grid, place, 2); k++)
        for (int j = 0; j < grid_place_size(grid, place, 1); j++)
            for (int i = 0; i < grid_place_size(grid, place, 0); i++)
                values[at++] = f(place_point(grid, place, i, j, k));
}

static GridField make_field(PlimContext *context, const Grid *grid, GridPlace place, int halo,
                            Function f) {
    GridField field;
    assert_int_equal(field_create(context, grid, place, halo, &field), PLIM_OK);
    double *values = malloc(grid_place_count(grid, place) * sizeof *values);
    fill_compact(grid, place, f, values);
    field_load(&field, context->threads, values);
    field_fill_halo(&field, context->threads);
    free(values);
    return field;
}

/* A point in the grid's box widened by `margin` spacings on each side. */
static Vec3 random_point(const Grid *grid, double margin, uint64_t stream, uint64_t index) {
    double x[3];
    for (int axis = 0; axis < 3; axis++)
        x[axis] =
            ((grid->n[axis] + 2 * margin) * random_uniform(11, stream + (uint64_t)axis, index) -
             margin) *
            grid->spacing;
    return vec3(grid->origin.x + x[0], grid->origin.y + x[1],
                grid->dim == 3 ? grid->origin.z + x[2] : 0.0);
}

static double linear_function(Vec3 p) {
    return 0.7 + 1.3 * p.x - 2.1 * p.y + 0.4 * p.z;
}

static double constant_function(Vec3 p) {
    (void)p;
    return 1.7;
}

/* ---- fields ---- */

static void test_field_round_trip(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++) {
        Grid grid = make_grid(dim, 7, 5, 4, dim == 2);
        for (int i = 0; i < place_count(dim); i++) {
            GridPlace place = place_at(dim, i);
            size_t count = grid_place_count(&grid, place);
            double *values = malloc(count * sizeof *values), *back = malloc(count * sizeof *back);
            for (size_t v = 0; v < count; v++) values[v] = random_uniform(1, 2, v);
            GridField field;
            assert_int_equal(field_create(context, &grid, place, 2, &field), PLIM_OK);
            field_load(&field, 2, values);
            field_store(&field, 2, back);
            assert_memory_equal(values, back, count * sizeof *values);
            if (place != PLACE_NODES && place != PLACE_CELLS)
                assert_int_equal(count, grid_face_count(&grid, (int)place - PLACE_FACES_X));
            field_free(context, &field);
            free(values);
            free(back);
        }
    }
    test_context_close(context);
}

/* Linear functions go on into the halo, corners included. */
static void test_halo_linear(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++) {
        Grid grid = make_grid(dim, 6, 4, 5, false);
        for (int p = 0; p < place_count(dim); p++) {
            GridPlace place = place_at(dim, p);
            GridField field = make_field(context, &grid, place, 3, linear_function);
            int deep = dim == 3 ? 3 : 0;
            for (int k = -deep; k < field.n[2] + deep; k++)
                for (int j = -3; j < field.n[1] + 3; j++)
                    for (int i = -3; i < field.n[0] + 3; i++)
                        assert_close(field.data[field_index(&field, i, j, k)],
                                     linear_function(place_point(&grid, place, i, j, k)), 1e-13);
            field_free(context, &field);
        }
    }
    test_context_close(context);
}

/* Every padded value of a periodic field is that of its place modulo the period, also when the halo
 * is wider than the grid. */
static void test_halo_periodic(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int dim = 2; dim <= 3; dim++)
        for (int width = 1; width <= 5; width += 2) {
            Grid grid = make_grid(dim, width, 3, 2, true);
            for (int p = 0; p < place_count(dim); p++) {
                GridField field;
                GridPlace place = place_at(dim, p);
                size_t count = grid_place_count(&grid, place);
                double *values = malloc(count * sizeof *values);
                for (size_t v = 0; v < count; v++) values[v] = random_uniform(3, 4, v);
                assert_int_equal(field_create(context, &grid, place, 4, &field), PLIM_OK);
                field_load(&field, 1, values);
                field_fill_halo(&field, 1);
                int deep = dim == 3 ? 4 : 0;
                for (int k = -deep; k < field.n[2] + deep; k++)
                    for (int j = -4; j < field.n[1] + 4; j++)
                        for (int i = -4; i < field.n[0] + 4; i++) {
                            size_t x = (size_t)((i + 20 * width) % width);
                            size_t y = (size_t)((j + 60) % 3);
                            size_t z = dim == 3 ? (size_t)((k + 40) % 2) : 0;
                            size_t nx = (size_t)field.n[0], ny = (size_t)field.n[1];
                            assert_true(field.data[field_index(&field, i, j, k)] ==
                                        values[(z * ny + y) * nx + x]);
                        }
                field_free(context, &field);
                free(values);
            }
        }
    test_context_close(context);
}

/* The constant filling is that of the periodic axes where they are; elsewhere every value beyond
 * the ends is the nearest one. */
static void test_halo_constant(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++)
        for (int p = 0; p < place_count(dim); p++) {
            Grid grid = make_grid(dim, 6, 4, 5, false);
            grid.sides[1][0] = grid.sides[1][1] = SIDE_PERIODIC;
            GridField field;
            assert_int_equal(field_create(context, &grid, place_at(dim, p), 3, &field), PLIM_OK);
            for (size_t i = 0; i < field.count; i++) field.data[i] = random_uniform(3, 5, i);
            field_fill_halo_constant(&field, 2);
            int deep = dim == 3 ? 3 : 0;
            for (int k = -deep; k < field.n[2] + deep; k++)
                for (int j = -3; j < field.n[1] + 3; j++)
                    for (int i = -3; i < field.n[0] + 3; i++) {
                        int x = i < 0 ? 0 : i < field.n[0] ? i : field.n[0] - 1;
                        int z = k < 0 ? 0 : k < field.n[2] ? k : field.n[2] - 1;
                        assert_true(field.data[field_index(&field, i, j, k)] ==
                                    field.data[field_index(&field, x, (j + 4) % 4, z)]);
                    }
            field_free(context, &field);
        }
    test_context_close(context);
}

/* A grid one cell wide has no second value to go on from. */
static void test_halo_thin(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Grid grid = make_grid(3, 1, 4, 1, false);
    GridField field = make_field(context, &grid, PLACE_CELLS, 2, constant_function);
    for (size_t i = 0; i < field.count; i++) assert_close(field.data[i], 1.7, 1e-15);
    Vec3 p = random_point(&grid, 1.0, 5, 6);
    assert_close(field_sample_cubic(&field, p), 1.7, 1e-15);
    assert_close(field_sample_linear(&field, p), 1.7, 1e-15);
    field_free(context, &field);
    test_context_close(context);
}

/* ---- what is reproduced exactly ---- */

/* The point moved onto the box of the values of a place. */
static Vec3 onto_hull(const Grid *grid, GridPlace place, Vec3 p) {
    Vec3 low = place_point(grid, place, 0, 0, 0);
    Vec3 high =
        place_point(grid, place, grid_place_size(grid, place, 0) - 1,
                    grid_place_size(grid, place, 1) - 1, grid_place_size(grid, place, 2) - 1);
    return vec3_min(vec3_max(p, low), high);
}

static void test_constant_and_linear(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int dim = 2; dim <= 3; dim++)
        for (int s = 0; s < place_count(dim); s++) {
            Grid grid = make_grid(dim, 6, 5, 4, false);
            GridPlace place = place_at(dim, s);
            double *values = malloc(grid_place_count(&grid, place) * sizeof *values);
            fill_compact(&grid, place, linear_function, values);
            GridField constant = make_field(context, &grid, place, 2, constant_function);
            GridField linear = make_field(context, &grid, place, 2, linear_function);
            for (uint64_t i = 0; i < 500; i++) {
                Vec3 p = random_point(&grid, 0.8, 20, i);
                double expected = linear_function(onto_hull(&grid, place, p));
                LinearStencil stencil = linear_stencil(&grid, place, p);
                assert_close(linear_gather(&stencil, values), expected, 1e-13);
                assert_close(field_sample_linear(&linear, p), expected, 1e-13);
                assert_close(field_sample_cubic(&linear, p), expected, 1e-13);
                assert_close(field_sample_linear(&constant, p), 1.7, 1e-15);
                assert_close(field_sample_cubic(&constant, p), 1.7, 1e-15);
            }
            field_free(context, &constant);
            field_free(context, &linear);
            free(values);
        }
    test_context_close(context);
}

/* Both ways of linear interpolation agree, values are met at their own places, and a point that is
 * not a number does no harm. */
static void test_linear_twice(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int dim = 2; dim <= 3; dim++)
        for (int s = 0; s < 2 * place_count(dim); s++) {
            Grid grid = make_grid(dim, 5, 4, 6, s % 2);
            GridPlace place = place_at(dim, s / 2);
            size_t count = grid_place_count(&grid, place);
            GridField field;
            assert_int_equal(field_create(context, &grid, place, 2, &field), PLIM_OK);
            double *values = malloc(count * sizeof *values);
            for (size_t v = 0; v < count; v++) values[v] = random_normal(5, 6, v);
            field_load(&field, 1, values);
            field_fill_halo(&field, 1);
            for (uint64_t i = 0; i < 300; i++) {
                Vec3 p = random_point(&grid, 9.0, 30, i);
                LinearStencil stencil = linear_stencil(&grid, place, p);
                double sum = 0;
                for (int c = 0; c < stencil.count; c++) sum += stencil.weight[c];
                assert_close(sum, 1.0, 1e-15);
                assert_close(field_sample_linear(&field, p), linear_gather(&stencil, values),
                             1e-14);
            }
            for (int k = 0; k < grid.n[2]; k++)
                for (int j = 0; j < grid.n[1]; j++)
                    for (int i = 0; i < grid.n[0]; i++) {
                        Vec3 p = place_point(&grid, place, i, j, k);
                        double own = field.data[field_index(&field, i, j, k)];
                        assert_close(field_sample_linear(&field, p), own, 1e-13);
                        assert_close(field_sample_cubic(&field, p), own, 1e-12);
                    }
            assert_true(isfinite(field_sample_cubic(&field, vec3(NAN, HUGE_VAL, -HUGE_VAL))));
            field_free(context, &field);
            free(values);
        }
    test_context_close(context);
}

/* ---- the transpose ---- */

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* <A x, y> = <x, A^T y>; the scatter of one point after another gives the same. Returns the hash of
 * what the map makes. */
static uint64_t check_transpose(int threads, int dim, GridPlace place, bool periodic) {
    enum { POINTS = 20000 };
    PlimContext *context = test_context(threads);
    Grid grid = make_grid(dim, 23, 17, 13, periodic);
    size_t count = grid_place_count(&grid, place);
    Vec3 *points = malloc(POINTS * sizeof *points);
    for (size_t i = 0; i < POINTS; i++) points[i] = random_point(&grid, 1.0, 40, i);
    Interpolation *interpolation;
    assert_int_equal(interpolation_create(context, &grid, place, points, POINTS, &interpolation),
                     PLIM_OK);
    LinearMap map = interpolation_map(interpolation);
    assert_int_equal(map.rows, POINTS);
    assert_int_equal(map.columns, count);

    double *x = malloc(count * sizeof *x), *back = malloc(count * sizeof *back);
    double *scattered = calloc(count, sizeof *scattered);
    double *y = malloc(POINTS * sizeof *y), *ax = malloc(POINTS * sizeof *ax);
    for (size_t i = 0; i < count; i++) x[i] = random_normal(7, 8, i);
    for (size_t i = 0; i < POINTS; i++) y[i] = random_normal(9, 10, i);
    map.apply(map.object, x, ax);
    map.apply_transpose(map.object, y, back);
    double scale = sqrt(dot(ax, ax, POINTS) * dot(y, y, POINTS));
    assert_close(dot(ax, y, POINTS), dot(x, back, count), 1e-14 * scale);
    for (size_t i = 0; i < POINTS; i++) {
        LinearStencil stencil = linear_stencil(&grid, place, points[i]);
        assert_close(linear_gather(&stencil, x), ax[i], 1e-14);
        linear_scatter(&stencil, y[i], scattered);
    }
    for (size_t i = 0; i < count; i++) assert_close(scattered[i], back[i], 1e-12);
    /* What is scattered is kept: momentum does not get lost at the sides. */
    double given = 0, got = 0;
    for (size_t i = 0; i < POINTS; i++) given += y[i];
    for (size_t i = 0; i < count; i++) got += back[i];
    assert_close(got, given, 1e-10);

    uint64_t hash = hash_bytes(HASH_START, ax, POINTS * sizeof *ax);
    hash = hash_bytes(hash, back, count * sizeof *back);
    free(points);
    free(x);
    free(back);
    free(scattered);
    free(y);
    free(ax);
    interpolation_destroy(interpolation);
    test_context_close(context);
    return hash;
}

static void test_transpose(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int s = 0; s < place_count(dim); s++)
            for (int periodic = 0; periodic < 2; periodic++) {
                GridPlace place = place_at(dim, s);
                uint64_t one = check_transpose(1, dim, place, periodic);
                assert_true(check_transpose(2, dim, place, periodic) == one);
                assert_true(check_transpose(4, dim, place, periodic) == one);
            }
}

static void test_no_points(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Grid grid = make_grid(2, 3, 3, 1, false);
    Interpolation *interpolation;
    assert_int_equal(interpolation_create(context, &grid, PLACE_CELLS, NULL, 0, &interpolation),
                     PLIM_OK);
    double values[9] = {1};
    interpolation_apply_transpose(interpolation, NULL, values);
    for (int i = 0; i < 9; i++) assert_true(values[i] == 0);
    interpolation_destroy(interpolation);
    test_context_close(context);
}

/* ---- orders ---- */

static double phase; /* moves the extrema of the wave relative to the values */

static double wave(Vec3 p) { /* period 1 in each axis */
    return sin(2 * pi * p.x + phase) * cos(2 * pi * p.y - 2 * phase) *
           cos(2 * pi * p.z + 0.7 * phase);
}

static double slope(Vec3 p) { /* monotone along each axis */
    return exp(0.7 * p.x + 0.9 * p.y - 0.5 * p.z);
}

/* Adds the mean error over random points at least `margin` from the sides of the unit box, and
 * keeps the greatest. */
static void sample_error(int dim, GridPlace place, int n, bool periodic, double margin, Function f,
                         bool cubic, double error[2]) {
    enum { SAMPLES = 4000 };
    PlimContext *context = test_context(1);
    Grid grid = make_grid(dim, n, n, n, periodic);
    grid.spacing = 1.0 / n;
    grid.origin = vec3(0, 0, 0);
    GridField field = make_field(context, &grid, place, 2, f);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        double x[3];
        for (int axis = 0; axis < 3; axis++)
            x[axis] = margin + (1 - 2 * margin) * random_uniform(50, (uint64_t)axis, i);
        Vec3 p = vec3(x[0], x[1], dim == 3 ? x[2] : 0.0);
        double value = cubic ? field_sample_cubic(&field, p) : field_sample_linear(&field, p);
        double away = fabs(value - f(p));
        error[0] += away / SAMPLES;
        error[1] = fmax(error[1], away);
    }
    field_free(context, &field);
    test_context_close(context);
}

static void check_orders(const char *what, int dim, GridPlace place, bool periodic, double margin,
                         Function f, bool cubic, double mean, double greatest) {
    enum { PHASES = 12 };
    double coarse[2] = {0, 0}, fine[2] = {0, 0};
    int n = dim == 3 ? 24 : 64;
    for (int i = 0; i < PHASES; i++) {
        phase = 0.1 + 0.49 * i;
        sample_error(dim, place, n, periodic, margin, f, cubic, coarse);
        sample_error(dim, place, 2 * n, periodic, margin, f, cubic, fine);
    }
    double orders[2] = {log2(coarse[0] / fine[0]), log2(coarse[1] / fine[1])};
    print_message("%s %dD place %d: mean error %.2e (order %.2f), greatest %.2e (order %.2f)\n",
                  what, dim, (int)place, fine[0] / PHASES, orders[0], fine[1], orders[1]);
    assert_true(orders[0] > mean);
    assert_true(orders[1] > greatest);
}

static void test_orders(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        check_orders("linear, wave", dim, PLACE_CELLS, true, 0.0, wave, false, 1.95, 1.9);
        for (int s = 0; s < place_count(dim); s += 2) {
            GridPlace place = place_at(dim, s);
            /* Where there is no extremum the greatest error is third order too. */
            check_orders("cubic, slope", dim, place, false, 0.1, slope, true, 2.9, 2.85);
            /* An interval with an extremum is cut flat: h^2 there, on a fraction h of the
             * intervals. */
            check_orders("cubic, wave", dim, place, true, 0.0, wave, true, 2.7, 1.6);
        }
    }
}

/* ---- no overshoot ---- */

static double step_function(Vec3 p) {
    return p.x + 0.6 * p.y + 0.3 * p.z > 1.1 ? 1.0 : 0.0;
}

static void test_no_overshoot(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < 2; kind++) {
            Grid grid = make_grid(dim, 9, 8, 7, kind == 1);
            GridField field = make_field(context, &grid, PLACE_CELLS, 2, step_function);
            if (kind == 1) { /* noise, for all signs and sizes of slopes */
                for (size_t i = 0; i < field.count; i++)
                    field.data[i] = random_normal(60, 61, i) * exp(5 * random_normal(60, 62, i));
                field_fill_halo(&field, 1);
            }
            for (uint64_t i = 0; i < 20000; i++) {
                Vec3 p = random_point(&grid, 0.5, 70, i);
                LinearStencil stencil = linear_stencil(&grid, PLACE_CELLS, p);
                double low = HUGE_VAL, high = -HUGE_VAL;
                for (int c = 0; c < stencil.count; c++) {
                    size_t at = stencil.index[c], nx = (size_t)grid.n[0], ny = (size_t)grid.n[1];
                    double value = field.data[field_index(
                        &field, (int)(at % nx), (int)(at / nx % ny), (int)(at / nx / ny))];
                    low = fmin(low, value);
                    high = fmax(high, value);
                }
                double sample = field_sample_cubic(&field, p);
                assert_true(sample >= low && sample <= high);
            }
            field_free(context, &field);
        }
    test_context_close(context);
}

/* ---- wrapping ---- */

/* A point and its copies whole periods away have the same value; across the seam the wave goes on.
 */
static void test_wrap(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int dim = 2; dim <= 3; dim++)
        for (int s = 0; s < place_count(dim); s++) {
            Grid grid = make_grid(dim, 16, 16, 16, true);
            grid.spacing = 1.0 / 16;
            grid.origin = vec3(0, 0, 0);
            GridField field = make_field(context, &grid, place_at(dim, s), 2, wave);
            for (uint64_t i = 0; i < 200; i++) {
                Vec3 p = random_point(&grid, 0.0, 80, i);
                Vec3 far = vec3(p.x + 3, p.y - 2, dim == 3 ? p.z + 1 : 0);
                assert_close(field_sample_linear(&field, far), field_sample_linear(&field, p),
                             1e-12);
                assert_close(field_sample_cubic(&field, far), field_sample_cubic(&field, p), 1e-12);
                Vec3 seam = vec3(p.x * 1e-3 - 5e-4, p.y, p.z);
                assert_close(field_sample_cubic(&field, seam), wave(seam), 0.02);
            }
            field_free(context, &field);
        }
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_round_trip), cmocka_unit_test(test_halo_linear),
        cmocka_unit_test(test_halo_periodic),    cmocka_unit_test(test_halo_constant),
        cmocka_unit_test(test_halo_thin),        cmocka_unit_test(test_constant_and_linear),
        cmocka_unit_test(test_linear_twice),     cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_no_points),        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_no_overshoot),     cmocka_unit_test(test_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
