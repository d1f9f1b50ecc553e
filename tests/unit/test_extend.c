/* Values continued from a liquid: constant along normals to second order, whatever is known stays,
 * nothing beyond the band, holes in the liquid filled, wrapping, same bits for any threads. */
#include "level_case.h"

#include "grid/extend.h"

#include <string.h>

typedef struct Case {
    PlimContext *context;
    Scratch scratch;
    Grid grid;
    Ball ball;
    GridField distance, values;
    size_t count;
    unsigned char *known; /* values inside the ball */
} Case;

/* A smooth function of the direction from the middle of the ball. */
static double by_direction(const Grid *grid, Ball ball, Vec3 p) {
    double away[3] = {0, 0, 0}, length = 0;
    for (int axis = 0; axis < grid->dim; axis++) {
        away[axis] = vec3_component(p, axis) - vec3_component(ball.centre, axis);
        if (grid_is_periodic(grid, axis))
            away[axis] -= grid->n[axis] * floor(away[axis] / grid->n[axis] + 0.5);
        length += away[axis] * away[axis];
    }
    length = sqrt(length);
    return (away[0] + 2.0 * away[1] * away[0] / length - away[2]) / length;
}

static size_t compact(const GridField *field, int i, int j, int k) {
    return ((size_t)k * (size_t)field->n[1] + (size_t)j) * (size_t)field->n[0] + (size_t)i;
}

static Case make_case(int dim, int n, GridPlace place, bool periodic, double shift) {
    Case c = {.context = test_context(1), .grid = level_grid(dim, n, 1.0 / n, periodic)};
    scratch_init(&c.scratch, c.context);
    double middle = (0.5 + shift) * n;
    c.ball = (Ball){vec3(middle + 0.23, middle - 0.31, dim == 3 ? middle + 0.11 : 0), n / 5.0};
    c.distance = level_field(c.context, &c.grid, PLACE_CELLS, c.ball, profile_distance);
    field_fill_halo(&c.distance, 1);
    assert_int_equal(field_create(c.context, &c.grid, place, 0, &c.values), PLIM_OK);
    c.count = grid_place_count(&c.grid, place);
    c.known = context_allocate(c.context, c.count, 1);
    assert_non_null(c.known);
    for (int k = 0; k < c.values.n[2]; k++)
        for (int j = 0; j < c.values.n[1]; j++)
            for (int i = 0; i < c.values.n[0]; i++) {
                Vec3 p = level_point(&c.values, i, j, k);
                bool inside = ball_distance(&c.grid, c.ball, p) < 0;
                c.known[compact(&c.values, i, j, k)] = inside;
                c.values.data[field_index(&c.values, i, j, k)] =
                    inside ? by_direction(&c.grid, c.ball, p) : 1e30;
            }
    return c;
}

static void close_case(Case *c) {
    field_free(c->context, &c->distance);
    field_free(c->context, &c->values);
    context_free(c->context, c->known, c->count, 1);
    scratch_free(&c->scratch);
    test_context_close(c->context);
}

/* The greatest error within `band`; what is beyond must be `fallback`. */
static double greatest_error(const Case *c, double band, double fallback) {
    double most = 0;
    for (int k = 0; k < c->values.n[2]; k++)
        for (int j = 0; j < c->values.n[1]; j++)
            for (int i = 0; i < c->values.n[0]; i++) {
                Vec3 p = level_point(&c->values, i, j, k);
                double value = c->values.data[field_index(&c->values, i, j, k)];
                double d = ball_distance(&c->grid, c->ball, p);
                if (d > band + 0.5 / c->grid.n[0])
                    assert_close(value, fallback, 0);
                else if (d < 0.95 * band)
                    most = fmax(most, fabs(value - by_direction(&c->grid, c->ball, p)));
            }
    return most;
}

static void constant_along_normals(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int p = PLACE_CELLS; p <= PLACE_NODES; p++) {
            if (dim == 2 && p == PLACE_FACES_Z) continue;
            double error[2];
            for (int fine = 0; fine < 2; fine++) {
                int n = fine ? 64 : 32;
                Case c = make_case(dim, n, (GridPlace)p, false, 0.0);
                assert_int_equal(field_extend(&c.values, c.known, &c.distance, NULL, 4.0 / n, -7.0,
                                              1, &c.scratch),
                                 PLIM_OK);
                error[fine] = greatest_error(&c, 4.0 / n, -7.0);
                close_case(&c);
            }
            assert_true(error[0] < 0.2);
            assert_true(error[1] < error[0] / 2.8);
        }
}

static void wraps_round(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int p = PLACE_CELLS; p <= PLACE_NODES; p++) {
            if (dim == 2 && p == PLACE_FACES_Z) continue;
            int n = 24;
            Case c = make_case(dim, n, (GridPlace)p, true, 0.5);
            assert_int_equal(
                field_extend(&c.values, c.known, &c.distance, NULL, 4.0 / n, -7.0, 1, &c.scratch),
                PLIM_OK);
            assert_true(greatest_error(&c, 4.0 / n, -7.0) < 0.25);
            close_case(&c);
        }
}

/* Unknown values within the liquid come from around them; known ones stay wherever they are. */
static void holes_are_filled(void **state) {
    (void)state;
    int n = 30;
    Case c = make_case(2, n, PLACE_FACES_X, false, 0.0);
    for (int j = 14; j <= 15; j++)
        for (int i = 14; i <= 15; i++) {
            c.known[compact(&c.values, i, j, 0)] = 0;
            c.values.data[field_index(&c.values, i, j, 0)] = 1e30;
        }
    c.known[compact(&c.values, 2, 2, 0)] = 1;
    c.values.data[field_index(&c.values, 2, 2, 0)] = 55.0;
    assert_int_equal(
        field_extend(&c.values, c.known, &c.distance, NULL, 4.0 / n, -7.0, 1, &c.scratch), PLIM_OK);
    assert_close(c.values.data[field_index(&c.values, 2, 2, 0)], 55.0, 0);
    assert_close(c.values.data[field_index(&c.values, 14, 14, 0)], 0.0, 3.0);
    assert_int_equal(c.known[compact(&c.values, 14, 14, 0)], 0);
    close_case(&c);
}

static void nothing_known(void **state) {
    (void)state;
    Case c = make_case(3, 10, PLACE_CELLS, false, 0.0);
    memset(c.known, 0, c.count);
    assert_int_equal(field_extend(&c.values, c.known, &c.distance, NULL, 0.4, -7.0, 1, &c.scratch),
                     PLIM_OK);
    for (size_t i = 0; i < c.values.count; i++) assert_close(c.values.data[i], -7.0, 0);
    close_case(&c);
}

static void same_bits(void **state) {
    (void)state;
    Case one = make_case(3, 40, PLACE_FACES_Y, false, 0.0);
    assert_int_equal(
        field_extend(&one.values, one.known, &one.distance, NULL, 0.1, 0.0, 1, &one.scratch),
        PLIM_OK);
    for (int threads = 2; threads <= 3; threads++) {
        Case many = make_case(3, 40, PLACE_FACES_Y, false, 0.0);
        assert_int_equal(field_extend(&many.values, many.known, &many.distance, NULL, 0.1, 0.0,
                                      threads, &many.scratch),
                         PLIM_OK);
        assert_memory_equal(one.values.data, many.values.data,
                            one.values.count * sizeof *one.values.data);
        close_case(&many);
    }
    close_case(&one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_along_normals),
        cmocka_unit_test(wraps_round),
        cmocka_unit_test(holes_are_filled),
        cmocka_unit_test(nothing_known),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
