/* The documents' form of the coupled solve (002 sections 5.5 to 5.9) and what they prove about it:
 * symmetry, spectra, energy, what is minimised. Both solvers must fulfil it. */
#include "coupled_make.h"

typedef struct Solved {
    double *w, *z; /* velocities, and a multiplier for each row of K */
} Solved;

static void solved_free(Solved *solved) {
    free(solved->w);
    free(solved->z);
}

static Solved solve_reference(PlimContext *context, const Case *made) {
    Coupled *coupled = case_build(context, made);
    CoupledReference reference;
    assert_int_equal(coupled_reference_create(coupled, &reference), PLIM_OK);
    Scratch scratch;
    scratch_init(&scratch, context);
    KrylovOptions options = {
        .absolute = 1e-13, .max_iterations = 20000, .threads = context->threads};
    Solved solved = {calloc(made->n, 8), calloc(case_row_count(made), 8)};
    SolveResult result;
    assert_int_equal(coupled_reference_solve(&reference, &scratch, &options, true, made->w,
                                             solved.w, solved.z, &result),
                     PLIM_OK);
    assert_true(result.last_residual < 1e-11);
    scratch_free(&scratch);
    coupled_reference_free(&reference);
    coupled_destroy(coupled);
    return solved;
}

/* The multipliers that the coupled solve does not give follow: C w of dampers, and what keeps a
 * tied velocity from following its own forces. */
static Solved solve_coupled(PlimContext *context, const Case *made) {
    Coupled *coupled = case_build(context, made);
    Scratch scratch;
    scratch_init(&scratch, context);
    size_t n = made->n, constraints = made->constraints, dampers = made->dampers;
    Solved solved = {calloc(n, 8), calloc(case_row_count(made), 8)};
    CoupledResult result;
    assert_int_equal(coupled_velocity_count(coupled), n);
    assert_int_equal(coupled_constraint_count(coupled), constraints);
    assert_int_equal(coupled_solve(coupled, &scratch, made->w, solved.w, solved.z, &result),
                     PLIM_OK);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    for (size_t i = 0; i < dampers; i++)
        solved.z[constraints + i] = operator_dot(made->c + i * n, solved.w, n);
    for (size_t i = 0; i < made->ties; i++) {
        size_t v = (size_t)made->tied[i];
        double force = 0.0;
        for (size_t k = 0; k < n; k++) force += made->mass[v * n + k] * (made->w[k] - solved.w[k]);
        for (size_t k = 0; k < constraints + dampers; k++)
            force -= case_k(made, k)[v] * solved.z[k];
        solved.z[constraints + dampers + i] = force;
    }
    scratch_free(&scratch);
    coupled_destroy(coupled);
    return solved;
}

static double entry(const Csr *matrix, size_t row, size_t column) {
    for (size_t i = matrix->row_start[row]; i < matrix->row_start[row + 1]; i++)
        if ((size_t)matrix->column[i] == column) return matrix->value[i];
    return 0.0;
}

/* Symmetric to the last bit, never negative, and it is K B^-1 K^T + P. */
static void test_form(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 0; number < CASES; number++) {
        Case made = make_numbered(number);
        Coupled *coupled = case_build(context, &made);
        CoupledReference reference;
        assert_int_equal(coupled_reference_create(coupled, &reference), PLIM_OK);
        const Csr *a = &reference.matrix;
        size_t rows = case_row_count(&made), n = made.n;
        assert_int_equal(a->rows, rows);
        for (size_t i = 0; i < rows; i++)
            for (size_t k = a->row_start[i]; k < a->row_start[i + 1]; k++)
                assert_true(a->value[k] == entry(a, (size_t)a->column[k], i));
        LinearMap map = csr_map(a);
        double *ax = calloc(rows, 8), *full = calloc(n * n, 8), *b = calloc(n, 8),
               *y = calloc(n, 8);
        for (uint64_t try = 0; try < 100; try++) {
            double *x = operator_vector(rows, 600 + try);
            map.apply(map.object, x, ax);
            assert_true(operator_dot(x, ax, rows) >= 0.0);
            free(x);
        }
        for (size_t i = 0; i < rows; i += 1 + rows / 12) { /* some rows by elimination */
            for (size_t k = 0; k < n * n; k++) full[k] = made.mass[k];
            for (size_t k = 0; k < n; k++) b[k] = made.given[k] ? 0.0 : case_k(&made, i)[k];
            case_eliminate(full, b, y, n);
            for (size_t k = 0; k < rows; k++) {
                double expected = operator_dot(case_k(&made, k), y, n);
                if (k == i && case_is_damper(&made, i)) expected += 1.0;
                assert_close(entry(a, i, k), expected, 1e-11);
            }
        }
        free(ax);
        free(full);
        free(b);
        free(y);
        coupled_reference_free(&reference);
        coupled_destroy(coupled);
        case_free(&made);
    }
    test_context_close(context);
}

/* Both forms give the same velocities and, where rows are independent, multipliers. */
static void test_same(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 0; number < CASES; number++) {
        Case made = make_numbered(number);
        Solved a = solve_reference(context, &made), b = solve_coupled(context, &made);
        double worst = 0.0;
        for (size_t i = 0; i < made.n; i++) worst = fmax(worst, fabs(a.w[i] - b.w[i]));
        assert_close(worst, 0.0, 1e-9);
        bool dependent = number == 4 || number == 5; /* a closed box: one cell follows */
        for (size_t i = 0; i < case_row_count(&made) && !dependent; i++)
            assert_close(a.z[i], b.z[i], 1e-8);
        solved_free(&a);
        solved_free(&b);
        case_free(&made);
    }
    test_context_close(context);
}

/* Eigenvalues of a symmetric matrix by Jacobi's rotations, ascending. */
static void eigenvalues(double *a, size_t n, double *values) {
    for (int sweep = 0; sweep < 60; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                if (fabs(a[p * n + q]) < 1e-300) continue;
                double theta = 0.5 * (a[q * n + q] - a[p * n + p]) / a[p * n + q];
                double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (size_t k = 0; k < n; k++) {
                    double kp = a[k * n + p], kq = a[k * n + q];
                    a[k * n + p] = c * kp - s * kq;
                    a[k * n + q] = s * kp + c * kq;
                }
                for (size_t k = 0; k < n; k++) {
                    double pk = a[p * n + k], qk = a[q * n + k];
                    a[p * n + k] = c * pk - s * qk;
                    a[q * n + k] = s * pk + c * qk;
                }
            }
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && values[at - 1] > a[i * n + i]; at--) values[at] = values[at - 1];
        values[at] = a[i * n + i];
    }
}

/* 002 section 5.6: I + C M^-1 C^T has the eigenvalues of I + M^-1 C^T C, but for ones. */
static void test_spectra(void **state) {
    (void)state;
    enum { POINTS = 12, ROWS = 7 };
    PlimContext *context = test_context(1);
    const CaseGroup group = {COUPLED_MASS_SCALAR, POINTS, 1};
    Case made = case_create(0, ROWS, 0, &group, 1);
    for (size_t i = 0; i < POINTS; i++)
        made.mass[i * POINTS + i] = pow(10.0, 2.0 * random_normal(84, 0, i));
    make_rows(made.c, ROWS, POINTS, 1.5, 700);
    Coupled *coupled = case_build(context, &made);
    CoupledReference reference;
    assert_int_equal(coupled_reference_create(coupled, &reference), PLIM_OK);
    double by_rows[ROWS * ROWS], by_points[POINTS * POINTS] = {0};
    for (size_t i = 0; i < ROWS * ROWS; i++)
        by_rows[i] = entry(&reference.matrix, i / ROWS, i % ROWS);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < POINTS; k++) { /* M^-1/2 C^T C M^-1/2, similar to M^-1 C^T C */
            for (size_t row = 0; row < ROWS; row++)
                by_points[i * POINTS + k] += made.c[row * POINTS + i] * made.c[row * POINTS + k];
            by_points[i * POINTS + k] /=
                sqrt(made.mass[i * POINTS + i] * made.mass[k * POINTS + k]);
            if (i == k) by_points[i * POINTS + k] += 1.0;
        }
    double few[ROWS], many[POINTS];
    eigenvalues(by_rows, ROWS, few);
    eigenvalues(by_points, POINTS, many);
    for (size_t i = 0; i < POINTS - ROWS; i++) assert_close(many[i], 1.0, 1e-12 * many[POINTS - 1]);
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(few[i] > 1.0);
        assert_close(few[i], many[i + POINTS - ROWS], 1e-12 * few[ROWS - 1]);
    }
    coupled_reference_free(&reference);
    coupled_destroy(coupled);
    case_free(&made);
    test_context_close(context);
}

/* K^T z of velocities of finite mass, then z^T K B^-1 K^T z from w* - w = B^-1 K^T z. */
static double quadratic(const Case *made, const Solved *solved) {
    double sum = 0.0;
    for (size_t i = 0; i < made->n; i++)
        for (size_t k = 0; k < case_row_count(made) && !made->given[i]; k++)
            sum += (made->w[i] - solved->w[i]) * case_k(made, k)[i] * solved->z[k];
    return sum;
}

static double damper_square(const Case *made, const double *z) {
    return operator_dot(z + made->constraints, z + made->constraints, made->dampers);
}

/* 002 section 5.8: 2 KE' - 2 KE* = -z^T (K B^-1 K^T + 2 P) z <= 0, with targets of zero. */
static void test_energy(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 0; number < CASES; number++) {
        Case made =
            number < 4 ? make_random(&(RandomDesc){.dampers = number >= 2, .ties = number % 2 == 1})
                       : make_numbered(number);
        if (number == 7) made.w[0] = 30.0; /* the joints once more, in other motion */
        if (number == 7) memset(made.target, 0, made.constraints * 8);
        if (number == 7) memset(made.w + 12, 0, 6 * 8);
        for (int way = 0; way < 2; way++) {
            Solved solved =
                way == 0 ? solve_reference(context, &made) : solve_coupled(context, &made);
            double before = 2.0 * case_energy(&made, made.w),
                   after = 2.0 * case_energy(&made, solved.w);
            double expected = -quadratic(&made, &solved) - 2.0 * damper_square(&made, solved.z);
            assert_true(after < before && expected < 0.0);
            assert_close(after - before, expected, 1e-12 * before);
            solved_free(&solved);
        }
        case_free(&made);
    }
    test_context_close(context);
}

/* The proof is for targets of zero: a piston at rest that must move gains energy. */
static void test_targets_add_energy(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const CaseGroup group = {COUPLED_MASS_SCALAR, 1, 1};
    Case made = case_create(1, 0, 0, &group, 1);
    made.mass[0] = 2.0;
    made.w[0] = 0.0;
    made.d[0] = 1.0;
    made.target[0] = 3.0;
    Solved a = solve_reference(context, &made), b = solve_coupled(context, &made);
    assert_close(case_energy(&made, a.w), 9.0, 1e-12);
    assert_close(case_energy(&made, b.w), 9.0, 1e-12);
    solved_free(&a);
    solved_free(&b);
    case_free(&made);
    test_context_close(context);
}

/* KE + z^T P z / 2 for other impulses, w = w* - B^-1 K^T z (5.36). */
static double modified_energy(const Case *made, const CoupledReference *reference,
                              const double *z) {
    /* 1/2 w*^T B w* - z^T K w* + 1/2 z^T (K B^-1 K^T + P) z */
    size_t rows = case_row_count(made);
    LinearMap map = csr_map(&reference->matrix);
    double *az = calloc(rows, 8), sum = case_energy(made, made->w);
    map.apply(map.object, z, az);
    for (size_t i = 0; i < rows; i++)
        sum += z[i] * (0.5 * az[i] - operator_dot(case_k(made, i), made->w, made->n));
    free(az);
    return sum;
}

/* 002 section 5.9: no other impulses make that smaller; it is what the solution says it is. */
static void test_minimised(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 0; number < 6; number++) {
        Case made =
            number < 4 ? make_random(&(RandomDesc){.dampers = number >= 2, .ties = number % 2 == 1})
                       : make_numbered(number);
        Coupled *coupled = case_build(context, &made);
        CoupledReference reference;
        assert_int_equal(coupled_reference_create(coupled, &reference), PLIM_OK);
        size_t rows = case_row_count(&made);
        for (int way = 0; way < 2; way++) {
            Solved solved =
                way == 0 ? solve_reference(context, &made) : solve_coupled(context, &made);
            double least = modified_energy(&made, &reference, solved.z);
            double start = case_energy(&made, made.w);
            assert_close(least, case_energy(&made, solved.w) + 0.5 * damper_square(&made, solved.z),
                         1e-11 * start);
            for (uint64_t try = 0; try < 30; try++) {
                double *other = operator_vector(rows, 800 + try),
                       size = pow(0.1, (double)(try % 5));
                for (size_t i = 0; i < rows; i++) other[i] = solved.z[i] + size * other[i];
                assert_true(modified_energy(&made, &reference, other) > least - 1e-12 * start);
                free(other);
            }
            solved_free(&solved);
        }
        coupled_reference_free(&reference);
        coupled_destroy(coupled);
        case_free(&made);
    }
    test_context_close(context);
}

/* 002 section C.1.3: stopped early, conjugate gradients have lowered the energy all the same; so
 * they have with a preconditioner, when the first guess is zero. */
static void test_early_end(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 4; number < 7; number += 2) {
        Case made = make_numbered(number);
        double last = HUGE_VAL, *w = calloc(made.n, 8);
        for (made.max_iterations = 0; made.max_iterations < 8; made.max_iterations++) {
            Coupled *coupled = case_build(context, &made);
            Scratch scratch;
            scratch_init(&scratch, context);
            CoupledResult result;
            assert_true(coupled_is_block_diagonal(coupled));
            assert_int_equal(coupled_solve(coupled, &scratch, made.w, w, NULL, &result), PLIM_OK);
            assert_int_equal(result.reason, SOLVE_ITERATION_LIMIT);
            assert_int_equal(result.iterations, made.max_iterations);
            assert_true(result.energy_after <= result.energy_before * (1.0 + 1e-15));
            assert_true(result.energy_after < last);
            last = result.energy_after;
            scratch_free(&scratch);
            coupled_destroy(coupled);
        }
        free(w);
        case_free(&made);
    }
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),      cmocka_unit_test(test_same),
        cmocka_unit_test(test_spectra),   cmocka_unit_test(test_energy),
        cmocka_unit_test(test_minimised), cmocka_unit_test(test_targets_add_energy),
        cmocka_unit_test(test_early_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
