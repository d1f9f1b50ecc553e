/* MINRES by blocks: the residual's recurrence against b - A x, KKT systems of mixed units, and
 * every reason for stopping. */
#include "operator_test.h"
#include "ration.h"

#include "solve/krylov/krylov_blocks.h"
#include "solve/krylov/krylov_minres.h"

enum { MASSES = 60, ROWS = 20, UNKNOWNS = MASSES + ROWS };

/* [A D^T; D 0] with A = diagonal + sparse pairs, in units: row and column i times scale[i]. */
typedef struct Kkt {
    double matrix[UNKNOWNS][UNKNOWNS], scale[UNKNOWNS], inverse[UNKNOWNS];
} Kkt;

static void kkt_apply(const void *object, const double *x, double *y) {
    const Kkt *kkt = object;
    for (size_t i = 0; i < UNKNOWNS; i++) y[i] = operator_dot(kkt->matrix[i], x, UNKNOWNS);
}

static LinearMap kkt_map(const Kkt *kkt) {
    return (LinearMap){kkt, UNKNOWNS, UNKNOWNS, kkt_apply, kkt_apply};
}

static void kkt_precondition(void *object, const double *r, double *z) {
    const Kkt *kkt = object;
    for (size_t i = 0; i < UNKNOWNS; i++) z[i] = kkt->inverse[i] * r[i];
}

static void kkt_set(Kkt *kkt, size_t i, size_t j, double value) {
    kkt->matrix[i][j] += value;
    if (i != j) kkt->matrix[j][i] += value;
}

/* With `twins` the second half of the rows of D repeats the first. */
static Kkt *kkt_create(uint64_t seed, bool twins, double mass_unit, double row_unit) {
    Kkt *kkt = calloc(1, sizeof *kkt);
    for (size_t i = 0; i < UNKNOWNS; i++) kkt->scale[i] = i < MASSES ? mass_unit : row_unit;
    for (size_t i = 0; i < MASSES; i++) {
        kkt_set(kkt, i, i, 1.0 + random_uniform(seed, 0, i));
        if (i + 1 < MASSES) { /* a damper between two: positive semidefinite */
            double k = random_uniform(seed, 1, i);
            kkt_set(kkt, i, i, k);
            kkt_set(kkt, i + 1, i + 1, k);
            kkt_set(kkt, i, i + 1, -k);
        }
    }
    for (size_t row = 0; row < ROWS; row++) {
        size_t source = twins && row >= ROWS / 2 ? row - ROWS / 2 : row;
        for (size_t k = 0; k < 4; k++) {
            size_t column = (7 * source + 11 * k) % MASSES;
            kkt_set(kkt, MASSES + row, column, random_normal(seed, 2 + k, source));
        }
    }
    for (size_t i = 0; i < MASSES; i++) kkt->inverse[i] = 1.0 / kkt->matrix[i][i];
    for (size_t row = MASSES; row < UNKNOWNS; row++) {
        double sum = 0.0;
        for (size_t i = 0; i < MASSES; i++)
            sum += kkt->matrix[row][i] * kkt->matrix[row][i] * kkt->inverse[i];
        kkt->inverse[row] = 1.0 / sum;
    }
    for (size_t i = 0; i < UNKNOWNS; i++) {
        kkt->inverse[i] /= kkt->scale[i] * kkt->scale[i];
        for (size_t j = 0; j < UNKNOWNS; j++) kkt->matrix[i][j] *= kkt->scale[i] * kkt->scale[j];
    }
    return kkt;
}

static BlockResult run(PlimContext *context, const LinearMap *a, const Preconditioner *m,
                       const SolveBlock *blocks, size_t block_count, int max_iterations,
                       const double *b, double *x) {
    Scratch scratch;
    scratch_init(&scratch, context);
    BlockOptions options = {blocks, block_count, max_iterations, context->threads};
    BlockResult result;
    assert_int_equal(solve_minres_blocks(&scratch, a, m, &options, b, x, &result), PLIM_OK);
    scratch_free(&scratch);
    return result;
}

/* What the result says about each block, against b - A x formed here. */
static void check_residuals(const LinearMap *a, const double *b, const double *x,
                            const SolveBlock *blocks, size_t count, const BlockResult *result) {
    double *r = calloc(a->rows + 1, sizeof *r);
    a->apply(a->object, x, r);
    for (size_t i = 0; i < a->rows; i++) r[i] = b[i] - r[i];
    for (size_t k = 0; k < count; k++) {
        double norm = operator_norm(r + blocks[k].start, blocks[k].count);
        assert_close(result->last[k], norm, 1e-6 * norm);
        if (result->reason == SOLVE_CONVERGED) assert_true(norm <= blocks[k].tolerance);
    }
    free(r);
}

/* r_k = keep r_{k-1} + add v stays b - A x, preconditioned or not. */
static void test_recurrence(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    Kkt *kkt = kkt_create(1, false, 1.0, 1.0);
    LinearMap a = kkt_map(kkt);
    Preconditioner m = {kkt, kkt_precondition, 0};
    for (int round = 0; round < 2; round++) {
        double *b = operator_vector(UNKNOWNS, 1), *x = operator_vector(UNKNOWNS, 2);
        double ax[UNKNOWNS], r[UNKNOWNS];
        Minres minres;
        SolveReason reason;
        assert_int_equal(minres_take(&minres, &scratch, 1, &a, round ? &m : NULL), PLIM_OK);
        kkt_apply(kkt, x, ax);
        for (size_t i = 0; i < UNKNOWNS; i++) minres.r[i] = r[i] = b[i] - ax[i];
        assert_int_equal(minres_begin(&minres, &reason), PLIM_OK);
        for (int k = 0; k < 40; k++) {
            assert_int_equal(minres_step(&minres, x, &reason), PLIM_OK);
            kkt_apply(kkt, x, ax);
            for (size_t i = 0; i < UNKNOWNS; i++) {
                r[i] = minres.keep * r[i] + minres.add * minres.v_now[i];
                assert_close(r[i], b[i] - ax[i], 1e-11);
            }
        }
        assert_true(operator_norm(r, UNKNOWNS) < 0.1 * operator_norm(b, UNKNOWNS));
        free(b);
        free(x);
    }
    free(kkt);
    scratch_free(&scratch);
    test_context_close(context);
}

/* Units far apart change neither the number of iterations nor the accuracy of either block. */
static void test_mixed_units(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    const double units[3][2] = {{1.0, 1.0}, {1e6, 1e-5}, {1e-4, 1e3}};
    int iterations[3] = {0};
    for (int round = 0; round < 3; round++) {
        Kkt *kkt = kkt_create(2, false, units[round][0], units[round][1]);
        LinearMap a = kkt_map(kkt);
        operator_check(&a, &(OperatorTest){.tolerance = 1e-12, .symmetric = true});
        Preconditioner m = {kkt, kkt_precondition, 0};
        double *exact = operator_vector(UNKNOWNS, 3), *x = calloc(UNKNOWNS, sizeof *x);
        double b[UNKNOWNS];
        for (size_t i = 0; i < UNKNOWNS; i++) exact[i] /= kkt->scale[i];
        kkt_apply(kkt, exact, b);
        const SolveBlock blocks[2] = {{0, MASSES, 1e-11 * units[round][0]},
                                      {MASSES, ROWS, 1e-11 * units[round][1]}};
        BlockResult result = run(context, &a, &m, blocks, 2, 500, b, x);
        assert_int_equal(result.reason, SOLVE_CONVERGED);
        check_residuals(&a, b, x, blocks, 2, &result);
        for (size_t i = 0; i < UNKNOWNS; i++)
            assert_close(x[i] * kkt->scale[i], exact[i] * kkt->scale[i], 1e-9);
        iterations[round] = result.iterations;
        free(exact);
        free(x);
        free(kkt);
    }
    assert_in_range(iterations[0], 10, 2 * UNKNOWNS);
    assert_in_range(iterations[1], iterations[0] - 2, iterations[0] + 2);
    assert_in_range(iterations[2], iterations[0] - 2, iterations[0] + 2);
    test_context_close(context);
}

/* The tight block decides, whichever it is. */
static void test_each_block_counts(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Kkt *kkt = kkt_create(3, false, 1.0, 1.0);
    LinearMap a = kkt_map(kkt);
    Preconditioner m = {kkt, kkt_precondition, 0};
    double *b = operator_vector(UNKNOWNS, 4);
    for (int tight = 0; tight < 2; tight++) {
        double x[UNKNOWNS] = {0};
        const SolveBlock blocks[2] = {{0, MASSES, tight == 0 ? 1e-12 : 1e3},
                                      {MASSES, ROWS, tight == 1 ? 1e-12 : 1e3}};
        BlockResult result = run(context, &a, &m, blocks, 2, 500, b, x);
        assert_int_equal(result.reason, SOLVE_CONVERGED);
        assert_true(result.last[tight] <= 1e-12 && result.iterations > 10);
        check_residuals(&a, b, x, blocks, 2, &result);
    }
    free(b);
    free(kkt);
    test_context_close(context);
}

/* Rows of D twice, targets that agree: solved, and the answer's velocities are the right ones. */
static void test_singular(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Kkt *kkt = kkt_create(4, true, 1.0, 1e-3);
    LinearMap a = kkt_map(kkt);
    Preconditioner m = {kkt, kkt_precondition, 0};
    double *exact = operator_vector(UNKNOWNS, 5), b[UNKNOWNS], x[UNKNOWNS] = {0};
    kkt_apply(kkt, exact, b);
    const SolveBlock blocks[2] = {{0, MASSES, 1e-12}, {MASSES, ROWS, 1e-15}};
    BlockResult result = run(context, &a, &m, blocks, 2, 500, b, x);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    check_residuals(&a, b, x, blocks, 2, &result);
    for (size_t i = 0; i < MASSES; i++) assert_close(x[i], exact[i], 1e-9);
    free(exact);
    free(kkt);
    test_context_close(context);
}

static void test_starts(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Kkt *kkt = kkt_create(5, false, 1.0, 1.0);
    LinearMap a = kkt_map(kkt);
    Preconditioner m = {kkt, kkt_precondition, 3};
    const SolveBlock blocks[2] = {{0, MASSES, 1e-10}, {MASSES, ROWS, 1e-10}};
    double *x = operator_vector(UNKNOWNS, 6), b[UNKNOWNS], zero[UNKNOWNS] = {0}, kept[UNKNOWNS];
    memcpy(kept, x, sizeof kept);
    kkt_apply(kkt, x, b);
    BlockResult exact = run(context, &a, &m, blocks, 2, 500, b, x);
    assert_int_equal(exact.reason, SOLVE_CONVERGED);
    assert_int_equal(exact.iterations, 0);
    assert_int_equal(exact.applications, 1);
    assert_memory_equal(x, kept, sizeof kept);
    BlockResult back = run(context, &a, &m, blocks, 2, 500, zero, x); /* to zero from afar */
    assert_int_equal(back.reason, SOLVE_CONVERGED);
    assert_true(back.iterations > 10);
    assert_true(back.applications >= 4 * back.iterations + 2);
    assert_close(operator_norm(x, UNKNOWNS), 0.0, 1e-8);
    memset(x, 0, sizeof kept);
    BlockResult at_zero = run(context, &a, &m, blocks, 2, 500, zero, x);
    assert_int_equal(at_zero.iterations, 0);
    assert_true(operator_norm(x, UNKNOWNS) == 0.0);
    free(x);
    free(kkt);
    test_context_close(context);
}

static void three_values(const void *object, const double *x, double *y) {
    const double *value = object;
    for (size_t i = 0; i < UNKNOWNS; i++) y[i] = value[i % 3] * x[i];
}

/* Three eigenvalues: three steps span all there is. One of them may be zero. */
static void test_exhausted(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const double values[3][3] = {{2.0, -1.0, 0.5}, {0.0, -1.0, 3.0}, {1.0, 1.0, 1.0}};
    const SolveBlock blocks[3] = {{0, 10, 1e-13}, {10, 0, 0.0}, {10, UNKNOWNS - 10, 1e-13}};
    const int steps[3] = {3, 2, 1};
    for (int round = 0; round < 3; round++) {
        LinearMap a = {values[round], UNKNOWNS, UNKNOWNS, three_values, three_values};
        double *exact = operator_vector(UNKNOWNS, 7), b[UNKNOWNS], x[UNKNOWNS] = {0};
        three_values(values[round], exact, b);
        BlockResult result = run(context, &a, NULL, blocks, 3, 500, b, x);
        assert_int_equal(result.reason, SOLVE_CONVERGED);
        assert_int_equal(result.iterations, steps[round]);
        check_residuals(&a, b, x, blocks, 3, &result);
        free(exact);
    }
    test_context_close(context);
}

static void test_reasons(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Kkt *kkt = kkt_create(6, false, 1.0, 1.0);
    LinearMap a = kkt_map(kkt);
    Preconditioner m = {kkt, kkt_precondition, 0};
    SolveBlock blocks[2] = {{0, MASSES, 1e-30}, {MASSES, ROWS, 1e-30}};
    double *b = operator_vector(UNKNOWNS, 8), x[UNKNOWNS] = {0};
    BlockResult result = run(context, &a, &m, blocks, 2, 5, b, x);
    assert_int_equal(result.reason, SOLVE_ITERATION_LIMIT);
    assert_int_equal(result.iterations, 5);
    check_residuals(&a, b, x, blocks, 2, &result);
    result = run(context, &a, &m, blocks, 2, 5000, b, x);
    assert_int_equal(result.reason, SOLVE_STAGNATED);
    assert_true(result.last[0] < 1e-12 && result.last[1] < 1e-12);
    double inverse = kkt->inverse[3];
    for (size_t i = 0; i < UNKNOWNS; i++) x[i] = 0.0;
    kkt->inverse[3] = -1e3;
    assert_int_equal(run(context, &a, &m, blocks, 2, 500, b, x).reason, SOLVE_INDEFINITE);
    kkt->inverse[3] = inverse;
    double bad = b[7];
    b[7] = NAN;
    assert_int_equal(run(context, &a, &m, blocks, 2, 500, b, x).reason, SOLVE_NOT_FINITE);
    b[7] = bad;
    Scratch scratch;
    scratch_init(&scratch, context);
    blocks[1].count--;
    BlockOptions options = {blocks, 2, 100, 1};
    assert_int_equal(solve_minres_blocks(&scratch, &a, &m, &options, b, x, &result),
                     PLIM_BAD_INPUT);
    scratch_free(&scratch);
    free(b);
    free(kkt);
    test_context_close(context);
}

enum { LONG_CHAIN = 5000 };

/* Springs with a shift that makes the matrix indefinite. */
static void chain_apply(const void *object, const double *x, double *y) {
    (void)object;
    for (size_t i = 0; i < LONG_CHAIN; i++)
        y[i] = 0.7 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i + 1 < LONG_CHAIN ? x[i + 1] : 0.0);
}

static void test_threads(void **state) {
    (void)state;
    LinearMap a = {NULL, LONG_CHAIN, LONG_CHAIN, chain_apply, chain_apply};
    const SolveBlock blocks[2] = {{0, 1700, 1e-6}, {1700, LONG_CHAIN - 1700, 1e-6}};
    double *b = operator_vector(LONG_CHAIN, 9), *x[3];
    BlockResult results[3];
    memset(results, 0, sizeof results);
    for (int round = 0; round < 3; round++) {
        PlimContext *context = test_context(1 << round);
        x[round] = calloc(LONG_CHAIN, sizeof *x[round]);
        BlockResult result = run(context, &a, NULL, blocks, 2, 60, b, x[round]);
        for (int k = 0; k < 2; k++) results[round].last[k] = result.last[k];
        results[round].iterations = result.iterations;
        test_context_close(context);
    }
    for (int round = 1; round < 3; round++) {
        assert_memory_equal(x[0], x[round], LONG_CHAIN * sizeof *x[0]);
        assert_memory_equal(&results[0], &results[round], sizeof results[0]);
    }
    for (int round = 0; round < 3; round++) free(x[round]);
    free(b);
}

static PlimStatus starved_use(PlimContext *context, void *user) {
    const Kkt *kkt = user;
    LinearMap a = kkt_map(kkt);
    const SolveBlock blocks[1] = {{0, UNKNOWNS, 1e-8}};
    BlockOptions options = {blocks, 1, 500, 1};
    BlockResult result;
    Scratch scratch;
    scratch_init(&scratch, context);
    double x[UNKNOWNS] = {0};
    PlimStatus status = solve_minres_blocks(&scratch, &a, NULL, &options, kkt->scale, x, &result);
    scratch_free(&scratch);
    return status;
}

static void test_memory(void **state) {
    (void)state;
    Kkt *kkt = kkt_create(7, false, 1.0, 1.0);
    starve(&(Starved){.use = starved_use, .user = kkt, .least = 2, .most = 2000});
    free(kkt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recurrence),
        cmocka_unit_test(test_mixed_units),
        cmocka_unit_test(test_each_block_counts),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_exhausted),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
