/* CG and MINRES on small systems with known answers, and every reason for stopping. */
#include "operator_test.h"

#include "solve/krylov/krylov.h"

#include <string.h>

enum { N = 200 };

/* A chain of springs, its ends held, plus `shift` on the diagonal. */
static Csr chain(PlimContext *context, double shift) {
    Csr a;
    assert_int_equal(csr_create(context, N, N, 3 * N - 2, &a), PLIM_OK);
    size_t entry = 0;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) {
            a.column[entry] = (int32_t)j;
            a.value[entry++] = i == j ? 2.0 + shift : -1.0;
        }
        a.row_start[i + 1] = entry;
    }
    return a;
}

typedef PlimStatus (*Method)(Scratch *, const LinearMap *, const Preconditioner *,
                             const KrylovOptions *, const double *, double *, SolveResult *);

static SolveResult run(PlimContext *context, Method method, const Csr *a, const Preconditioner *m,
                       const double *b, double *x, double relative, int max_iterations) {
    Scratch scratch;
    scratch_init(&scratch, context);
    KrylovOptions options = krylov_options_default(context->threads);
    options.relative = relative;
    options.max_iterations = max_iterations;
    LinearMap map = csr_map(a);
    SolveResult result;
    assert_int_equal(method(&scratch, &map, m, &options, b, x, &result), PLIM_OK);
    scratch_free(&scratch);
    return result;
}

static void jacobi(void *object, const double *r, double *z) {
    const double *diagonal = object;
    for (size_t i = 0; i < N; i++) z[i] = r[i] / diagonal[i];
}

/* Both methods, with and without a preconditioner, against a known x; MINRES also indefinite. */
static void test_solves(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    double diagonal[N], exact[N], b[N], x[N];
    for (int round = 0; round < 6; round++) {
        bool indefinite = round >= 4;
        Csr a = chain(context, indefinite ? -1.3 : 0.01);
        Method method = round % 2 == 0 || indefinite ? solve_minres : solve_cg;
        Preconditioner m = {diagonal, jacobi, 0};
        LinearMap map = csr_map(&a);
        for (size_t i = 0; i < N; i++) {
            diagonal[i] = 1.0 + 0.5 * random_uniform(1, 0, i);
            exact[i] = random_normal(1, 1, i);
            x[i] = 0.0;
        }
        map.apply(map.object, exact, b);
        SolveResult result = run(context, method, &a, round % 4 < 2 ? NULL : &m, b, x, 1e-12, 2000);
        assert_int_equal(result.reason, SOLVE_CONVERGED);
        assert_true(result.last_residual <= 1e-12 * operator_norm(b, N));
        assert_true(result.applications > result.iterations);
        for (size_t i = 0; i < N; i++) assert_close(x[i], exact[i], 1e-8);
        csr_free(context, &a);
    }
    test_context_close(context);
}

static void test_reasons(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Csr a = chain(context, 0.0), indefinite = chain(context, -5.0);
    double b[N], x[N] = {0};
    for (size_t i = 0; i < N; i++) b[i] = random_normal(2, 0, i);
    assert_int_equal(run(context, solve_cg, &a, NULL, b, x, 1e-10, 5).reason,
                     SOLVE_ITERATION_LIMIT);
    assert_int_equal(run(context, solve_cg, &indefinite, NULL, b, x, 1e-10, 500).reason,
                     SOLVE_INDEFINITE);
    memset(x, 0, sizeof x);
    assert_int_equal(run(context, solve_cg, &a, NULL, b, x, 1e-25, 5000).reason, SOLVE_STAGNATED);
    memset(x, 0, sizeof x);
    double minus[N];
    for (size_t i = 0; i < N; i++) minus[i] = -1.0;
    Preconditioner negative = {minus, jacobi, 0};
    assert_int_equal(run(context, solve_minres, &a, &negative, b, x, 1e-10, 50).reason,
                     SOLVE_INDEFINITE);
    memset(x, 0, sizeof x);
    b[7] = NAN;
    assert_int_equal(run(context, solve_cg, &a, NULL, b, x, 1e-10, 50).reason, SOLVE_NOT_FINITE);
    assert_int_equal(run(context, solve_minres, &a, NULL, b, x, 1e-10, 50).reason,
                     SOLVE_NOT_FINITE);
    for (int reason = SOLVE_CONVERGED; reason <= SOLVE_NOT_FINITE; reason++)
        assert_true(strlen(solve_reason_name((SolveReason)reason)) > 3);
    csr_free(context, &a);
    csr_free(context, &indefinite);
    test_context_close(context);
}

/* A good guess saves iterations, one above zero's energy is not used, zero b gives zero at once. */
static void test_warm_start(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Csr a = chain(context, 0.01);
    LinearMap map = csr_map(&a);
    double exact[N], b[N], x[N];
    for (size_t i = 0; i < N; i++) exact[i] = random_normal(3, 0, i);
    map.apply(map.object, exact, b);
    for (size_t i = 0; i < N; i++) x[i] = exact[i] * (1.0 + 1e-9);
    SolveResult warm = run(context, solve_cg, &a, NULL, b, x, 1e-6, 1000);
    assert_int_equal(warm.iterations, 0);
    for (size_t i = 0; i < N; i++) x[i] = -1e6 * exact[i];
    SolveResult bad = run(context, solve_cg, &a, NULL, b, x, 1e-6, 1000);
    memset(x, 0, sizeof x);
    SolveResult cold = run(context, solve_cg, &a, NULL, b, x, 1e-6, 1000);
    assert_int_equal(bad.iterations, cold.iterations);
    memset(b, 0, sizeof b);
    for (size_t i = 0; i < N; i++) x[i] = 1.0;
    SolveResult zero = run(context, solve_cg, &a, NULL, b, x, 1e-6, 1000);
    assert_int_equal(zero.reason, SOLVE_CONVERGED);
    for (size_t i = 0; i < N; i++) assert_true(x[i] == 0.0);
    csr_free(context, &a);
    test_context_close(context);
}

/* A rectangular matrix passes the operator tests and comes back from its own map unchanged. */
static void test_csr(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Csr a, again;
    assert_int_equal(csr_create(context, 3, 4, 5, &a), PLIM_OK);
    const int32_t columns[5] = {0, 3, 1, 0, 2};
    const double values[5] = {1.5, -2.0, 4.0, 0.5, 3.0};
    memcpy(a.column, columns, sizeof columns);
    memcpy(a.value, values, sizeof values);
    a.row_start[1] = 2;
    a.row_start[2] = 3;
    a.row_start[3] = 5;
    LinearMap map = csr_map(&a);
    operator_check(&map, &(OperatorTest){.tolerance = 1e-14});
    assert_int_equal(csr_from_map(context, &map, &again), PLIM_OK);
    assert_int_equal(again.entries, 5);
    assert_memory_equal(again.row_start, a.row_start, 4 * sizeof *a.row_start);
    assert_memory_equal(again.column, a.column, sizeof columns);
    assert_memory_equal(again.value, a.value, sizeof values);
    csr_free(context, &a);
    csr_free(context, &again);
    test_context_close(context);
}

/* Same bits for 1, 2 and 4 threads. */
static void test_threads(void **state) {
    (void)state;
    double b[N], x[3][N];
    for (size_t i = 0; i < N; i++) b[i] = random_normal(5, 0, i);
    for (int round = 0; round < 3; round++) {
        PlimContext *context = test_context(1 << round);
        Csr a = chain(context, 0.01);
        memset(x[round], 0, sizeof x[round]);
        run(context, solve_cg, &a, NULL, b, x[round], 1e-8, 1000);
        csr_free(context, &a);
        test_context_close(context);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(x[0], x[2], sizeof x[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves),     cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_warm_start), cmocka_unit_test(test_csr),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
