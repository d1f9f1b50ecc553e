/* Eigenvalues and eigenvectors of symmetric 6x6 matrices. */
#include "check.h"

#include "base/random.h"
#include "math/eigen6.h"

#include <string.h>

/* ---- matrices ---- */

static void random_matrix(uint64_t stream, double scale, double a[6][6]) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            a[i][j] = a[j][i] = scale * random_normal(11, stream, (uint64_t)(6 * i + j));
}

/* Columns that are orthonormal, by Gram and Schmidt, twice over. */
static void random_basis(uint64_t stream, double q[6][6]) {
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 6; i++) q[i][k] = random_normal(12, stream, (uint64_t)(6 * i + k));
        for (int round = 0; round < 2; round++)
            for (int l = 0; l < k; l++) {
                double along = 0;
                for (int i = 0; i < 6; i++) along += q[i][k] * q[i][l];
                for (int i = 0; i < 6; i++) q[i][k] -= along * q[i][l];
            }
        double square = 0;
        for (int i = 0; i < 6; i++) square += q[i][k] * q[i][k];
        for (int i = 0; i < 6; i++) q[i][k] /= sqrt(square);
    }
}

static void from_values(uint64_t stream, const double values[6], double a[6][6]) {
    double q[6][6];
    random_basis(stream, q);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
            a[i][j] = 0;
            for (int k = 0; k < 6; k++) a[i][j] += values[k] * q[i][k] * q[j][k];
            a[j][i] = a[i][j];
        }
}

static double size_of(double a[6][6]) {
    double square = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) square += a[i][j] * a[i][j];
    return sqrt(square);
}

/* ---- checks ---- */

/* V^T V = 1 and A = V diag V^T, relative to the size of A. */
static void check_decomposition(double a[6][6], double values[6]) {
    double work[6][6], v[6][6], tolerance = 1e-14 * size_of(a);
    memcpy(work, a, sizeof work);
    symmetric_eigen6(work, values, v);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double product = 0, rebuilt = 0;
            for (int k = 0; k < 6; k++) {
                product += v[k][i] * v[k][j];
                rebuilt += v[i][k] * values[k] * v[j][k];
            }
            assert_close(product, i == j, 1e-14);
            assert_close(rebuilt, a[i][j], tolerance);
        }
}

static void sort(double values[6]) {
    for (int i = 1; i < 6; i++)
        for (int j = i; j > 0 && values[j - 1] > values[j]; j--) {
            double kept = values[j];
            values[j] = values[j - 1];
            values[j - 1] = kept;
        }
}

static void random_matrices_are_rebuilt(void **state) {
    (void)state;
    for (uint64_t stream = 0; stream < 500; stream++) {
        double a[6][6], values[6], trace = 0, sum = 0;
        random_matrix(stream, pow(10, (double)(stream % 31) - 15), a);
        check_decomposition(a, values);
        for (int i = 0; i < 6; i++) {
            trace += a[i][i];
            sum += values[i];
        }
        assert_close(sum, trace, 1e-14 * size_of(a));
    }
}

static void known_values_are_found(void **state) {
    (void)state;
    static const double spectra[][6] = {{-3, -1, 0.5, 2, 4, 7},
                                        {1, 1, 1, 1, 1, 1}, /* all alike */
                                        {2, 2, 2, 5, 5, 5}, /* two of them */
                                        {1, 1 + 1e-13, 1 + 2e-13, 3, 3, 3},
                                        {1e-8, 1e-4, 1, 1e2, 1e4, 1e6},
                                        {-1, -1, -1, 1, 1, 1}};
    for (size_t s = 0; s < sizeof spectra / sizeof *spectra; s++)
        for (uint64_t stream = 0; stream < 20; stream++) {
            double a[6][6], values[6];
            from_values(stream, spectra[s], a);
            check_decomposition(a, values);
            sort(values);
            for (int i = 0; i < 6; i++) assert_close(values[i], spectra[s][i], 4e-15 * size_of(a));
        }
}

/* As push-out makes them: three, five and one values that are not zero. */
static void zeros_are_found_to_rounding(void **state) {
    (void)state;
    for (int rank = 0; rank <= 6; rank++)
        for (uint64_t stream = 0; stream < 50; stream++) {
            double a[6][6], values[6], given[6] = {0};
            for (int k = 0; k < rank; k++)
                given[k] = exp(4 * random_normal(13, stream, (uint64_t)k));
            from_values(stream, given, a);
            check_decomposition(a, values);
            int zeros = 0;
            for (int k = 0; k < 6; k++) zeros += fabs(values[k]) <= 1e-14 * size_of(a);
            assert_true(zeros >= 6 - rank);
        }
}

static void special_matrices(void **state) {
    (void)state;
    double zero[6][6] = {{0}}, diagonal[6][6] = {{0}}, ones[6][6], values[6];
    check_decomposition(zero, values);
    for (int i = 0; i < 6; i++) assert_close(values[i], 0, 0);
    for (int i = 0; i < 6; i++) diagonal[i][i] = 6 - i;
    check_decomposition(diagonal, values);
    for (int i = 0; i < 6; i++) assert_close(values[i], 6 - i, 0);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) ones[i][j] = 1;
    check_decomposition(ones, values);
    sort(values);
    for (int i = 0; i < 5; i++) assert_close(values[i], 0, 1e-14);
    assert_close(values[5], 6, 1e-14);
}

/* Entries whose squares are numbers still. */
static void very_large_and_very_small(void **state) {
    (void)state;
    for (int power = -120; power <= 120; power += 40) {
        double a[6][6], scaled[6][6], values[6], vectors[6][6], scale = pow(10, power);
        random_matrix(3, 1, a);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) scaled[i][j] = scale * a[i][j];
        symmetric_eigen6(scaled, values, vectors);
        double expected[6];
        check_decomposition(a, expected);
        sort(values);
        sort(expected);
        for (int i = 0; i < 6; i++) assert_close(values[i] / scale, expected[i], 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_are_rebuilt), cmocka_unit_test(known_values_are_found),
        cmocka_unit_test(zeros_are_found_to_rounding), cmocka_unit_test(special_matrices),
        cmocka_unit_test(very_large_and_very_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
