/* Fast marching against the distance to circles and spheres at its orders, and extrapolation
 * against fields that are constant along normals. */
#include "check.h"

#include "base/hash.h"
#include "geom/level_set/march.h"

#include <stdlib.h>
#include <string.h>

/* The unit square or cube with a circle or sphere in the middle. */
typedef struct Field {
    MarchGrid grid;
    size_t count;
    double *phi, *exact;
    unsigned char *known;
} Field;

static const double radius = 0.31;

static Field field_create(int n, int dim, double band) {
    Field f = {.grid = {{n, n, dim == 3 ? n : 1}, 1.0 / (n - 1)}};
    f.count = (size_t)n * (size_t)n * (size_t)f.grid.n[2];
    f.phi = malloc(f.count * sizeof *f.phi);
    f.exact = malloc(f.count * sizeof *f.exact);
    f.known = malloc(f.count);
    size_t node = 0;
    for (int k = 0; k < f.grid.n[2]; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++, node++) {
                double h = f.grid.spacing, x = i * h - 0.5, y = j * h - 0.5;
                double z = dim == 3 ? k * h - 0.5 : 0.0;
                f.exact[node] = sqrt(x * x + y * y + z * z) - radius;
                f.known[node] = fabs(f.exact[node]) <= band;
                f.phi[node] = f.known[node] ? f.exact[node] : f.exact[node] < 0 ? -1e-30 : 7.0;
            }
    return f;
}

static void field_free(Field *f) {
    free(f->phi);
    free(f->exact);
    free(f->known);
}

/* Marches from a band of fixed width; the mean and the greatest error, the middle left out. */
static void marched_error(int n, int dim, int order, double error[2]) {
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    Field f = field_create(n, dim, 0.07);
    assert_int_equal(march_distance(&scratch, &f.grid, f.known, order, HUGE_VAL, f.phi), PLIM_OK);
    size_t count = 0;
    error[0] = error[1] = 0.0;
    for (size_t i = 0; i < f.count; i++) {
        assert_true((f.phi[i] < 0.0) == (f.exact[i] < 0.0));
        if (f.known[i]) assert_true(f.phi[i] == f.exact[i]);
        if (f.exact[i] < -0.6 * radius) continue;
        error[0] += fabs(f.phi[i] - f.exact[i]);
        error[1] = fmax(error[1], fabs(f.phi[i] - f.exact[i]));
        count++;
    }
    error[0] /= (double)count;
    field_free(&f);
    scratch_free(&scratch);
    test_context_close(context);
}

static void check_order(int dim, int order, int n, double expected) {
    double coarse[2], fine[2];
    marched_error(n + 1, dim, order, coarse);
    marched_error(2 * n + 1, dim, order, fine);
    double mean = log2(coarse[0] / fine[0]), greatest = log2(coarse[1] / fine[1]);
    print_message("%dD order %d: mean error %.3g (order %.2f), greatest %.3g (order %.2f)\n", dim,
                  order, fine[0], mean, fine[1], greatest);
    assert_true(mean > expected);
    assert_true(greatest > expected - 0.1);
}

/* First order loses to the logarithm that every first-order eikonal scheme has. */
static void converges_at_its_order(void **state) {
    (void)state;
    check_order(2, 1, 128, 0.85);
    check_order(2, 2, 128, 1.8);
    check_order(3, 1, 48, 0.85);
    check_order(3, 2, 48, 1.8);
}

/* Along one axis both orders are exact. */
static void planes_are_exact(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    for (int axis = 0; axis < 3; axis++) {
        for (int order = 1; order <= 2; order++) {
            MarchGrid grid = {{11, 12, 13}, 0.25};
            double phi[11 * 12 * 13], exact[11 * 12 * 13];
            unsigned char known[11 * 12 * 13];
            size_t node = 0;
            for (int k = 0; k < 13; k++)
                for (int j = 0; j < 12; j++)
                    for (int i = 0; i < 11; i++, node++) {
                        int at = axis == 0 ? i : axis == 1 ? j : k;
                        exact[node] = (at - 4.25) * 0.25;
                        known[node] = at == 4 || at == 5;
                        phi[node] = known[node] ? exact[node] : exact[node] > 0 ? 1 : -1;
                    }
            assert_int_equal(march_distance(&scratch, &grid, known, order, HUGE_VAL, phi), PLIM_OK);
            for (size_t i = 0; i < node; i++) assert_close(phi[i], exact[i], 1e-14);
        }
    }
    scratch_free(&scratch);
    test_context_close(context);
}

static void stops_at_the_limit(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    Field all = field_create(40, 3, 0.06), some = field_create(40, 3, 0.06);
    const double limit = 0.15;
    assert_int_equal(march_distance(&scratch, &all.grid, all.known, 2, HUGE_VAL, all.phi), PLIM_OK);
    assert_int_equal(march_distance(&scratch, &some.grid, some.known, 2, limit, some.phi), PLIM_OK);
    size_t beyond = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (fabs(all.phi[i]) <= limit) {
            assert_true(some.phi[i] == all.phi[i]);
        } else {
            assert_true(some.phi[i] == (all.phi[i] < 0.0 ? -limit : limit));
            beyond++;
        }
    }
    assert_true(beyond > all.count / 4);
    field_free(&all);
    field_free(&some);
    scratch_free(&scratch);
    test_context_close(context);
}

/* Nothing known, everything known, one node, one row. */
static void odd_grids(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    double phi[5] = {1, 1, 1, -1, -1};
    unsigned char known[5] = {0};
    MarchGrid row = {{5, 1, 1}, 0.5};
    assert_int_equal(march_distance(&scratch, &row, known, 2, 3.0, phi), PLIM_OK);
    for (int i = 0; i < 5; i++) assert_true(phi[i] == (i < 3 ? 3.0 : -3.0));
    known[1] = 1, phi[1] = 0.25;
    assert_int_equal(march_distance(&scratch, &row, known, 2, HUGE_VAL, phi), PLIM_OK);
    for (int i = 0; i < 5; i++)
        assert_close(phi[i], (i < 3 ? 1 : -1) * (0.25 + 0.5 * abs(i - 1)), 1e-15);
    memset(known, 1, sizeof known);
    assert_int_equal(march_distance(&scratch, &row, known, 1, HUGE_VAL, phi), PLIM_OK);
    assert_true(phi[1] == 0.25);
    MarchGrid one = {{1, 1, 1}, 0.5};
    known[0] = 0;
    assert_int_equal(march_distance(&scratch, &one, known, 1, 2.0, phi), PLIM_OK);
    assert_true(phi[0] == 2.0);
    MarchGrid column = {{1, 1, 4}, 0.5}; /* no x: rows are one node long */
    known[1] = known[2] = known[3] = 0, known[0] = 1;
    assert_int_equal(march_distance(&scratch, &column, known, 2, HUGE_VAL, phi), PLIM_OK);
    assert_close(fabs(phi[3]), 3.5, 1e-14);
    MarchGrid huge = {{1 << 20, 1 << 20, 4}, 1.0};
    assert_int_equal(march_distance(&scratch, &huge, known, 2, HUGE_VAL, phi), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "too large"));
    scratch_free(&scratch);
    test_context_close(context);
}

/* A lattice of equal sources makes ties everywhere; leftovers in scratch memory must not matter. */
static void ties_do_not_depend_on_memory(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    uint64_t hashes[3];
    for (int run = 0; run < 3; run++) {
        MarchGrid grid = {{33, 33, 33}, 1.0};
        size_t count = 33 * 33 * 33;
        double *phi = malloc(count * sizeof *phi), *values = malloc(count * sizeof *values);
        unsigned char *known = malloc(count);
        for (size_t i = 0; i < count; i++) {
            size_t x = i % 33, y = i / 33 % 33, z = i / 33 / 33;
            known[i] = x % 8 == 0 && y % 8 == 0 && z % 8 == 0;
            phi[i] = known[i] ? 0.0 : 1.0;
            values[i] = (double)(i % 7);
        }
        assert_int_equal(scratch_reset(&scratch), PLIM_OK);
        if (run > 0) scratch_poison(&scratch);
        assert_int_equal(march_distance(&scratch, &grid, known, 2, HUGE_VAL, phi), PLIM_OK);
        assert_int_equal(march_extrapolate(&scratch, &grid, known, phi, HUGE_VAL, 1, values),
                         PLIM_OK);
        hashes[run] = hash_bytes(hash_bytes(HASH_START, phi, count * sizeof *phi), values,
                                 count * sizeof *values);
        free(phi);
        free(values);
        free(known);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
    scratch_free(&scratch);
    test_context_close(context);
}

/* Across a tilted plane a field that is linear along it is carried exactly. */
static void extrapolates_along_planes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    MarchGrid grid = {{20, 21, 22}, 0.1};
    size_t count = 20 * 21 * 22, node = 0;
    double *phi = malloc(count * sizeof *phi), *values = malloc(2 * count * sizeof *values);
    unsigned char *known = malloc(count);
    const double limit = 0.2;
    for (int k = 0; k < 22; k++)
        for (int j = 0; j < 21; j++)
            for (int i = 0; i < 20; i++, node++) {
                double x = 0.1 * i, y = 0.1 * j, z = 0.1 * k;
                phi[node] = (2 * x + 2 * y + z) / 3.0 - 1.2;
                known[node] = phi[node] < 0.0;
                values[2 * node] = known[node] ? x - y : 99.0; /* both constant along (2, 2, 1) */
                values[2 * node + 1] = known[node] ? 1.0 + x - 2 * z : 99.0;
            }
    assert_int_equal(march_extrapolate(&scratch, &grid, known, phi, limit, 2, values), PLIM_OK);
    size_t carried = 0;
    node = 0;
    for (int k = 0; k < 22; k++)
        for (int j = 0; j < 21; j++)
            for (int i = 0; i < 20; i++, node++) {
                double x = 0.1 * i, y = 0.1 * j, z = 0.1 * k;
                if (phi[node] > limit) {
                    assert_true(values[2 * node] == 99.0);
                    continue;
                }
                /* Near low sides of the grid what would be upwind is missing. */
                if (!known[node] && (i < 4 || j < 4 || k < 7)) continue;
                carried += !known[node];
                assert_close(values[2 * node], x - y, 1e-12);
                assert_close(values[2 * node + 1], 1.0 + x - 2 * z, 1e-12);
            }
    assert_true(carried > 200);
    free(phi);
    free(values);
    free(known);
    scratch_free(&scratch);
    test_context_close(context);
}

/* Outward from a circle: the value at the foot of the normal, first order. Inward too. */
static double carried_error(int n, bool outward) {
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    Field f = field_create(n, 2, HUGE_VAL);
    double *values = malloc(f.count * sizeof *values);
    for (size_t i = 0; i < f.count; i++) {
        double x = (double)(i % (size_t)n) * f.grid.spacing - 0.5;
        double y = (double)(i / (size_t)n) * f.grid.spacing - 0.5;
        f.known[i] = (f.exact[i] < 0.0) == outward;
        values[i] = f.known[i] ? cos(atan2(y, x)) : 5.0;
    }
    assert_int_equal(march_extrapolate(&scratch, &f.grid, f.known, f.exact, 0.15, 1, values),
                     PLIM_OK);
    double error = 0.0;
    for (size_t i = 0; i < f.count; i++) {
        double x = (double)(i % (size_t)n) * f.grid.spacing - 0.5;
        double y = (double)(i / (size_t)n) * f.grid.spacing - 0.5;
        if (fabs(f.exact[i]) <= 0.15)
            error = fmax(error, fabs(values[i] - x / sqrt(x * x + y * y)));
    }
    field_free(&f);
    free(values);
    scratch_free(&scratch);
    test_context_close(context);
    return error;
}

static void extrapolates_from_circles(void **state) {
    (void)state;
    for (int outward = 0; outward < 2; outward++) {
        double coarse = carried_error(65, outward), fine = carried_error(129, outward);
        print_message("extrapolation %s: errors %.3g, %.3g\n", outward ? "outward" : "inward",
                      coarse, fine);
        assert_true(coarse / fine > 1.7);
        assert_true(fine < 0.02);
    }
}

/* A local maximum of |phi| on the way, and an island that nothing reaches. */
static void extrapolation_reaches_what_it_can(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    MarchGrid row = {{7, 1, 1}, 1.0};
    double phi[7] = {3, 2, 1, 2, 9, 1, 2}, values[7] = {4, 0, 0, 0, -1, -1, -1};
    unsigned char known[7] = {1, 0, 0, 0, 0, 0, 0};
    assert_int_equal(march_extrapolate(&scratch, &row, known, phi, 5.0, 1, values), PLIM_OK);
    const double expected[7] = {4, 4, 4, 4, -1, -1, -1};
    for (int i = 0; i < 7; i++) assert_close(values[i], expected[i], 0.0);
    scratch_free(&scratch);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converges_at_its_order),
        cmocka_unit_test(planes_are_exact),
        cmocka_unit_test(stops_at_the_limit),
        cmocka_unit_test(odd_grids),
        cmocka_unit_test(ties_do_not_depend_on_memory),
        cmocka_unit_test(extrapolates_along_planes),
        cmocka_unit_test(extrapolates_from_circles),
        cmocka_unit_test(extrapolation_reaches_what_it_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
