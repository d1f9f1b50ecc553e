/* How solids cut the grid: open parts of faces against exact areas, and values that go on into
 * them. */
#include "check.h"

#include "base/random.h"
#include "grid/aperture.h"
#include "grid/extrapolate.h"

#include <string.h>

static void test_segment(void **state) {
    (void)state;
    assert_true(aperture_of_segment(1, 2) == 1);
    assert_true(aperture_of_segment(-1, -2) == 0);
    assert_true(aperture_of_segment(0, 0) == 0);
    assert_close(aperture_of_segment(1, -3), 0.25, 1e-15);
    assert_close(aperture_of_segment(-3, 1), 0.25, 1e-15);
}

/* The area of the unit square where a + b x + c y > 0, by a fine sum over exact strips. */
static double strip_area(double a, double b, double c) {
    enum { STRIPS = 4000 };
    double sum = 0;
    for (int i = 0; i < STRIPS; i++) {
        double y = (i + 0.5) / STRIPS;
        sum += aperture_of_segment(a + c * y, a + b + c * y);
    }
    return sum / STRIPS;
}

/* A straight cut is exact, from whatever side the square is looked at. */
static void test_square(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        double a = random_normal(seed, 1, 0), b = random_normal(seed, 1, 1),
               c = random_normal(seed, 1, 2);
        double v[4] = {a, a + b, a + b + c, a + c};
        double part = aperture_of_square(v[0], v[1], v[2], v[3]);
        assert_close(part, strip_area(a, b, c), 2e-4);
        assert_close(aperture_of_square(v[1], v[2], v[3], v[0]), part, 1e-14);
        assert_close(aperture_of_square(v[3], v[2], v[1], v[0]), part, 1e-14);
        assert_close(aperture_of_square(-v[0], -v[1], -v[2], -v[3]), 1 - part, 1e-14);
    }
}

/* First moments of a straight cut, against a fine sum over the square. */
static void test_moments(void **state) {
    (void)state;
    enum { POINTS = 400 };
    for (uint64_t seed = 0; seed < 40; seed++) {
        double a = random_normal(seed, 2, 0), b = random_normal(seed, 2, 1),
               c = random_normal(seed, 2, 2), sum[2] = {0, 0}, moment[2];
        const double v[4] = {a - b / 2 - c / 2, a + b / 2 - c / 2, a + b / 2 + c / 2,
                             a - b / 2 + c / 2};
        for (int j = 0; j < POINTS; j++)
            for (int i = 0; i < POINTS; i++) {
                double x = (i + 0.5) / POINTS - 0.5, y = (j + 0.5) / POINTS - 0.5;
                if (!(a + b * x + c * y > 0)) continue;
                sum[0] += x / (POINTS * POINTS);
                sum[1] += y / (POINTS * POINTS);
            }
        aperture_moment_of_square(v, moment);
        assert_close(moment[0], sum[0], 2e-3);
        assert_close(moment[1], sum[1], 2e-3);
    }
    /* A quarter at the low end: its middle is 3/8 below that of the segment. */
    assert_close(aperture_moment_of_segment(1, -3), -0.25 * 0.375, 1e-15);
    assert_close(aperture_moment_of_segment(-3, 1), 0.25 * 0.375, 1e-15);
    assert_true(aperture_moment_of_segment(1, 1) == 0 && aperture_moment_of_segment(-1, -2) == 0);
}

/* A constant goes on as the constant; what no layer reaches gets the fallback; known values stay;
 * periodic axes wrap. */
static void test_extrapolate(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    Grid grid = {.dim = 2, .n = {12, 9, 1}, .spacing = 1};
    grid.sides[0][0] = grid.sides[0][1] = SIDE_PERIODIC;
    GridField field;
    assert_int_equal(field_create(context, &grid, PLACE_CELLS, 1, &field), PLIM_OK);
    unsigned char known[108];
    for (int j = 0; j < 9; j++)
        for (int i = 0; i < 12; i++) {
            known[j * 12 + i] = i < 3 && j < 2;
            field.data[field_index(&field, i, j, 0)] = i < 3 && j < 2 ? 7 : NAN;
        }
    assert_int_equal(field_extrapolate(&field, known, 2, -1, &scratch), PLIM_OK);
    for (int j = 0; j < 9; j++)
        for (int i = 0; i < 12; i++) {
            int across = i < 3 ? 0 : i - 2 < 12 - i ? i - 2 : 12 - i; /* around the other end too */
            int layers = across + (j < 2 ? 0 : j - 1);
            double expected = layers <= 2 ? 7 : -1;
            assert_true(field.data[field_index(&field, i, j, 0)] == expected);
        }
    field_free(context, &field);
    scratch_free(&scratch);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segment),
        cmocka_unit_test(test_square),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_extrapolate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
