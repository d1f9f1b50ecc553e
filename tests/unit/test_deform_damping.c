/* Damping of finite elements: C is a root of its operator, and it takes energy. */
#include "deform_case.h"

#include "deform/damping.h"
#include "math/decompose.h"

static double contract(Mat3 a, Mat3 b) {
    return vec3_dot(a.r[0], b.r[0]) + vec3_dot(a.r[1], b.r[1]) + vec3_dot(a.r[2], b.r[2]);
}

/* C^T C F' = P and |C F'|^2 = P:F'. */
static void check_root(DampingForm form, int dim, double alpha, double beta, Mat3 f, Mat3 rate) {
    double rows[54], product[9] = {0}, squares = 0.0, flat[9];
    Mat3 stress;
    int n = dim * dim, count = damping_rows(form, dim, alpha, beta, f, rows);
    assert_int_equal(count, dim == 2 ? 3 : 6);
    damping_stress(form, dim, alpha, beta, f, rate, &stress);
    for (int i = 0; i < n; i++) flat[i] = *entry(&rate, i / dim, i % dim);
    for (int r = 0; r < count; r++) {
        double value = 0.0;
        for (int i = 0; i < n; i++) value += rows[n * r + i] * flat[i];
        for (int i = 0; i < n; i++) product[i] += rows[n * r + i] * value;
        squares += value * value;
    }
    double size = (alpha + beta) * fmax(1.0, contract(f, f)) * sqrt(contract(rate, rate));
    double operator[81] = {0};
    damping_add_operator(form, dim, alpha, beta, f, 0.5, operator);
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += 2.0 * operator[n * i + j] * flat[j];
        assert_close(sum, product[i], 1e-13 * size);
    }
    for (int i = 0; i < n; i++)
        assert_close(product[i], *entry(&stress, i / dim, i % dim), 1e-13 * size);
    if (dim == 2) rate.r[2] = vec3(0, 0, 0);
    double power = contract(stress, rate);
    assert_close(squares, power, 1e-13 * size * (1.0 + sqrt(contract(rate, rate))));
    assert_true(power >= -1e-13 * size);
    if (dim == 2) assert_close(vec3_length(stress.r[2]), 0.0, 0.0);
}

static void rows_are_a_root_of_the_operator(void **state) {
    (void)state;
    Draw draw = {.stream = 1};
    for (int dim = 2; dim <= 3; dim++) {
        for (int i = 0; i < test_size(5000, 1000); i++) {
            DampingForm form = i % 2 ? DAMPING_GREEN : DAMPING_DIAGONAL;
            double alpha = draw_uniform(&draw, 0, 3), beta = draw_uniform(&draw, 0, 2);
            Mat3 rate = draw_matrix(&draw, dim);
            check_root(form, dim, alpha, beta, draw_matrix(&draw, dim), rate);
            check_root(form, dim, 0.0, beta, draw_matrix(&draw, dim), rate);
            check_root(form, dim, alpha, 0.0, draw_matrix(&draw, dim), rate);
            check_root(form, dim, alpha, beta, mat3_diagonal(0, 0, 0), rate);
            check_root(form, dim, alpha, beta, mat3_diagonal(1, -1, dim == 2 ? 1 : 0), rate);
        }
    }
}

/* Written from the formulas of both forms. */
static void stress_is_that_of_the_formulas(void **state) {
    (void)state;
    Draw draw = {.stream = 2};
    const double alpha = 1.3, beta = 0.7;
    for (int i = 0; i < test_size(2000, 500); i++) {
        Mat3 f = draw_matrix(&draw, 3), rate = draw_matrix(&draw, 3), p, u, v;
        Mat3 x = mat3_multiply(mat3_transpose(f), rate);
        Mat3 strain = mat3_scale(0.5, mat3_add(x, mat3_transpose(x)));
        double pressure = alpha * mat3_trace(strain);
        Mat3 inner =
            mat3_add(mat3_scale(2.0 * beta, strain), mat3_diagonal(pressure, pressure, pressure));
        Mat3 expected = mat3_multiply(f, inner);
        damping_stress(DAMPING_GREEN, 3, alpha, beta, f, rate, &p);
        assert_close(largest_entry(mat3_add(p, mat3_scale(-1.0, expected))), 0.0, 1e-12);

        Vec3 sigma;
        svd_rotations(f, &u, &sigma, &v);
        x = mat3_multiply(mat3_multiply(mat3_transpose(u), rate), v);
        pressure = alpha * mat3_trace(x);
        inner = mat3_add(mat3_scale(beta, mat3_add(x, mat3_transpose(x))),
                         mat3_diagonal(pressure, pressure, pressure));
        expected = mat3_multiply(mat3_multiply(u, inner), mat3_transpose(v));
        damping_stress(DAMPING_DIAGONAL, 3, alpha, beta, f, rate, &p);
        assert_close(largest_entry(mat3_add(p, mat3_scale(-1.0, expected))), 0.0, 1e-12);
    }
}

static void green_damping_bears_no_torque(void **state) {
    (void)state;
    Draw draw = {.stream = 3};
    for (int dim = 2; dim <= 3; dim++) {
        for (int i = 0; i < test_size(5000, 1000); i++) {
            Mat3 f = draw_matrix(&draw, dim), p;
            damping_stress(DAMPING_GREEN, dim, 1.3, 0.7, f, draw_matrix(&draw, dim), &p);
            double size = fmax(1.0, largest_entry(p) * largest_entry(f));
            Mat3 t = mat3_multiply(p, mat3_transpose(f));
            assert_close(t.r[0].y, t.r[1].x, 1e-10 * size);
            assert_close(t.r[0].z, t.r[2].x, 1e-10 * size);
            assert_close(t.r[1].z, t.r[2].y, 1e-10 * size);
            /* A spin of the whole element: F' = W F with W skew. */
            Vec3 w = draw_vector(&draw);
            if (dim == 2) w.x = w.y = 0.0;
            Mat3 spin = {{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}};
            damping_stress(DAMPING_GREEN, dim, 1.3, 0.7, f, mat3_multiply(spin, f), &p);
            assert_close(largest_entry(p), 0.0, 1e-11 * (1.0 + contract(f, f) * largest_entry(f)));
        }
    }
}

/* At rest both forms are the same viscosity. */
static void forms_agree_at_rest(void **state) {
    (void)state;
    Draw draw = {.stream = 4};
    for (int dim = 2; dim <= 3; dim++) {
        for (int i = 0; i < 200; i++) {
            Mat3 f = draw_rotation(&draw, dim), rate = draw_matrix(&draw, dim), p, q;
            damping_stress(DAMPING_GREEN, dim, 1.3, 0.7, f, rate, &p);
            damping_stress(DAMPING_DIAGONAL, dim, 1.3, 0.7, f, rate, &q);
            assert_close(largest_entry(mat3_add(p, mat3_scale(-1.0, q))), 0.0, 1e-13 * 20.0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_a_root_of_the_operator),
        cmocka_unit_test(stress_is_that_of_the_formulas),
        cmocka_unit_test(green_damping_bears_no_torque),
        cmocka_unit_test(forms_agree_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
