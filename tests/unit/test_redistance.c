/* Level sets made distances again: against the exact distance, with its order; the volume after
 * many times; thin sheets and drops; periodic sides; any scale and number of threads. */
#include "level_case.h"

#include "base/random.h"
#include "grid/redistance.h"

#include <string.h>

/* Greatest error within `within` cells of the surface, in cells. */
static double greatest_error(const GridField *phi, Ball ball, double within) {
    double h = phi->grid.spacing, most = 0;
    for (int k = 0; k < phi->n[2]; k++)
        for (int j = 0; j < phi->n[1]; j++)
            for (int i = 0; i < phi->n[0]; i++) {
                double d = ball_distance(&phi->grid, ball, level_point(phi, i, j, k));
                if (fabs(d) > within * h || d < -0.7 * ball.radius * h) continue;
                most = fmax(most, fabs(phi->data[field_index(phi, i, j, k)] - d) / h);
            }
    return most;
}

static Ball off_grid(int dim, int n, double radius) {
    return (Ball){vec3(0.5 * n + 0.23, 0.5 * n - 0.31, dim == 3 ? 0.5 * n + 0.11 : 0.0), radius};
}

static void bent_becomes_distance(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int at_nodes = 0; at_nodes < 2; at_nodes++) {
            PlimContext *context = test_context(1);
            Scratch scratch;
            scratch_init(&scratch, context);
            double error[2];
            for (int fine = 0; fine < 2; fine++) {
                int n = fine ? 48 : 24;
                Grid grid = level_grid(dim, n, 1.0 / n, false);
                Ball ball = off_grid(dim, n, n / 4.0);
                GridField phi = level_field(context, &grid, at_nodes ? PLACE_NODES : PLACE_CELLS,
                                            ball, profile_bent);
                assert_int_equal(field_redistance(&phi, 5.0 / n, NULL, 1, &scratch), PLIM_OK);
                error[fine] = greatest_error(&phi, ball, 4.5);
                assert_true(greatest_error(&phi, ball, 0.7) < (fine ? 0.01 : 0.03));
                field_free(context, &phi);
            }
            /* In cells: first order here is second order in metres. */
            assert_true(error[0] < 0.15);
            assert_true(error[1] < 0.7 * error[0]);
            scratch_free(&scratch);
            test_context_close(context);
        }
}

static void volume_stays(void **state) {
    (void)state;
    static const double radii[] = {3, 8};
    for (int dim = 2; dim <= 3; dim++)
        for (int at_nodes = 0; at_nodes < 2; at_nodes++)
            for (int r = 0; r < 2; r++) {
                PlimContext *context = test_context(1);
                Scratch scratch;
                scratch_init(&scratch, context);
                int n = 2 * (int)radii[r] + 8;
                Grid grid = level_grid(dim, n, 0.1, false);
                Ball ball = off_grid(dim, n, radii[r]);
                GridField phi = level_field(context, &grid, at_nodes ? PLACE_NODES : PLACE_CELLS,
                                            ball, profile_distance);
                double before = level_volume(context, &phi, NULL, 1);
                for (int time = 0; time < 500; time++)
                    assert_int_equal(field_redistance(&phi, 0.3, NULL, 1, &scratch), PLIM_OK);
                double after = level_volume(context, &phi, NULL, 1);
                assert_close(after / before, 1.0, 0.002);
                field_free(context, &phi);
                scratch_free(&scratch);
                test_context_close(context);
            }
}

/* Any function keeps its signs, and only values beside the zero set decide. */
static void signs_stay(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        PlimContext *context = test_context(1);
        Scratch scratch;
        scratch_init(&scratch, context);
        Grid grid = level_grid(dim, 13, 1.0, false);
        GridField phi, before;
        assert_int_equal(field_create(context, &grid, PLACE_CELLS, 1, &phi), PLIM_OK);
        assert_int_equal(field_create(context, &grid, PLACE_CELLS, 1, &before), PLIM_OK);
        for (size_t i = 0; i < phi.count; i++) {
            double any = 2.0 * random_uniform(7, (uint64_t)dim, i) - 1.0;
            before.data[i] = phi.data[i] = fabs(any) < 0.1 ? 0.0 : any;
        }
        for (int time = 0; time < 3; time++)
            assert_int_equal(field_redistance(&phi, 4.0, NULL, 1, &scratch), PLIM_OK);
        for (int k = 0; k < phi.n[2]; k++)
            for (int j = 0; j < phi.n[1]; j++)
                for (int i = 0; i < phi.n[0]; i++) {
                    size_t at = field_index(&phi, i, j, k);
                    assert_true((phi.data[at] < 0) == (before.data[at] < 0));
                    assert_true(fabs(phi.data[at]) <= 4.0);
                }
        field_free(context, &phi);
        field_free(context, &before);
        scratch_free(&scratch);
        test_context_close(context);
    }
}

static void thin_things_stay(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    for (int dim = 2; dim <= 3; dim++) {
        Grid grid = level_grid(dim, 16, 1.0, false);
        /* A drop that is inside at one value only. */
        Ball drop = {vec3(8.5, 8.5, dim == 3 ? 8.5 : 0.0), 0.4};
        GridField phi = level_field(context, &grid, PLACE_CELLS, drop, profile_distance);
        for (int time = 0; time < 50; time++)
            assert_int_equal(field_redistance(&phi, 4.0, NULL, 1, &scratch), PLIM_OK);
        assert_close(phi.data[field_index(&phi, 8, 8, dim == 3 ? 8 : 0)], -0.4, 1e-12);
        assert_close(phi.data[field_index(&phi, 11, 8, dim == 3 ? 8 : 0)], 2.6, 1e-12);
        /* A sheet 1.4 cells thick across the diagonal. */
        for (int k = 0; k < phi.n[2]; k++)
            for (int j = 0; j < phi.n[1]; j++)
                for (int i = 0; i < phi.n[0]; i++)
                    phi.data[field_index(&phi, i, j, k)] = fabs(i + j - 14.9) * sqrt(0.5) - 0.7;
        double before = level_volume(context, &phi, NULL, 1);
        for (int time = 0; time < 50; time++)
            assert_int_equal(field_redistance(&phi, 4.0, NULL, 1, &scratch), PLIM_OK);
        assert_close(level_volume(context, &phi, NULL, 1) / before, 1.0, 0.1);
        field_free(context, &phi);
    }
    scratch_free(&scratch);
    test_context_close(context);
}

static void one_side_only(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    for (int inside = 0; inside < 2; inside++) {
        Grid grid = level_grid(3, 5, 1.0, inside);
        GridField phi;
        assert_int_equal(field_create(context, &grid, PLACE_CELLS, 1, &phi), PLIM_OK);
        for (size_t i = 0; i < phi.count; i++) phi.data[i] = inside ? -0.1 : 0.0;
        assert_int_equal(field_redistance(&phi, 3.0, NULL, 1, &scratch), PLIM_OK);
        assert_close(phi.data[field_index(&phi, 2, 3, 4)], inside ? -3.0 : 3.0, 0);
        field_free(context, &phi);
    }
    scratch_free(&scratch);
    test_context_close(context);
}

/* A ball in a corner of a periodic grid has the values of one in the middle. */
static void wraps_round(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    for (int dim = 2; dim <= 3; dim++)
        for (int at_nodes = 0; at_nodes < 2; at_nodes++) {
            int n = 16, half = 8, depth = dim == 3 ? half : 0;
            Grid grid = level_grid(dim, n, 1.0, true);
            Ball middle = off_grid(dim, n, 4.2), corner = middle;
            corner.centre = vec3_sub(corner.centre, vec3(half, half, depth));
            GridPlace place = at_nodes ? PLACE_NODES : PLACE_CELLS;
            GridField a = level_field(context, &grid, place, middle, profile_distance);
            GridField b = level_field(context, &grid, place, corner, profile_distance);
            assert_int_equal(field_redistance(&a, 3.5, NULL, 1, &scratch), PLIM_OK);
            assert_int_equal(field_redistance(&b, 3.5, NULL, 1, &scratch), PLIM_OK);
            for (int k = 0; k < b.n[2]; k++)
                for (int j = 0; j < b.n[1]; j++)
                    for (int i = 0; i < b.n[0]; i++)
                        assert_close(b.data[field_index(&b, i, j, k)],
                                     a.data[field_index(&a, (i + half) % n, (j + half) % n,
                                                        dim == 3 ? (k + depth) % n : 0)],
                                     1e-9);
            field_free(context, &a);
            field_free(context, &b);
        }
    scratch_free(&scratch);
    test_context_close(context);
}

static void same_bits_and_any_scale(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    for (int dim = 2; dim <= 3; dim++) {
        int n = dim == 3 ? 40 : 150;
        Ball ball = off_grid(dim, n, 0.3 * n);
        Grid grid = level_grid(dim, n, 1.0, false);
        GridField one = level_field(context, &grid, PLACE_CELLS, ball, profile_bent);
        assert_int_equal(field_redistance(&one, 5.0, NULL, 1, &scratch), PLIM_OK);
        for (int threads = 2; threads <= 3; threads++) {
            GridField many = level_field(context, &grid, PLACE_CELLS, ball, profile_bent);
            assert_int_equal(field_redistance(&many, 5.0, NULL, threads, &scratch), PLIM_OK);
            for (int k = 0; k < one.n[2]; k++)
                for (int j = 0; j < one.n[1]; j++) {
                    size_t row = field_index(&one, 0, j, k);
                    assert_memory_equal(one.data + row, many.data + row,
                                        (size_t)one.n[0] * sizeof *one.data);
                }
            field_free(context, &many);
        }
        static const double scales[] = {1e-3, 1e3};
        for (int s = 0; s < 2; s++) {
            Grid scaled = level_grid(dim, n, scales[s], false);
            GridField phi = level_field(context, &scaled, PLACE_CELLS, ball, profile_bent);
            assert_int_equal(field_redistance(&phi, 5.0 * scales[s], NULL, 1, &scratch), PLIM_OK);
            for (int k = 0; k < one.n[2]; k++)
                for (int j = 0; j < one.n[1]; j++)
                    for (int i = 0; i < one.n[0]; i++)
                        assert_close(phi.data[field_index(&phi, i, j, k)] / scales[s],
                                     one.data[field_index(&one, i, j, k)], 1e-6);
            field_free(context, &phi);
        }
        field_free(context, &one);
    }
    scratch_free(&scratch);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_becomes_distance),
        cmocka_unit_test(volume_stays),
        cmocka_unit_test(signs_stay),
        cmocka_unit_test(thin_things_stay),
        cmocka_unit_test(one_side_only),
        cmocka_unit_test(wraps_round),
        cmocka_unit_test(same_bits_and_any_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
