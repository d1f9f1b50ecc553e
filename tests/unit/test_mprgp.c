/* Quadratic programs with bounds against an exact solution, their own conditions, and conjugate
 * gradients. All checks are loops of this file over the matrix written out. */
#include "check.h"

#include "base/random.h"
#include "solve/krylov/mprgp.h"

#include <stdlib.h>
#include <string.h>

typedef struct Program {
    size_t n;
    double *a; /* dense, or NULL: -u'' on a line, entries -1, 2, -1 */
    double *b, *low, *x, *eigenvector;
} Program;

static Program program_create(size_t n, bool dense) {
    Program p = {.n = n};
    if (dense) p.a = calloc(n * n, sizeof(double));
    p.b = calloc(n, sizeof(double));
    p.low = calloc(n, sizeof(double));
    p.x = calloc(n, sizeof(double));
    p.eigenvector = calloc(n, sizeof(double));
    return p;
}

static void program_free(Program *p) {
    free(p->a);
    free(p->b);
    free(p->low);
    free(p->x);
    free(p->eigenvector);
}

static void multiply(const Program *p, const double *x, double *y) {
    for (size_t i = 0; i < p->n; i++) {
        y[i] = 0.0;
        if (p->a)
            for (size_t j = 0; j < p->n; j++) y[i] += p->a[i * p->n + j] * x[j];
        else
            y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i + 1 < p->n ? x[i + 1] : 0.0);
    }
}

static PlimStatus apply(void *object, double *x, double *y) {
    multiply(object, x, y);
    return PLIM_OK;
}

static void apply_map(const void *object, const double *x, double *y) {
    multiply(object, x, y);
}

static float *inverse_diagonal(const Program *p) {
    float *scale = malloc(p->n * sizeof *scale);
    for (size_t i = 0; i < p->n; i++) scale[i] = (float)(1.0 / (p->a ? p->a[i * p->n + i] : 2.0));
    return scale;
}

static MprgpResult solve(Program *p, bool scaled, double tolerance, int threads) {
    PlimContext *context = test_context(threads);
    Scratch scratch;
    scratch_init(&scratch, context);
    float *scale = inverse_diagonal(p);
    MprgpSystem system = {.object = p,
                          .n = p->n,
                          .apply = apply,
                          .scale = scaled ? scale : NULL,
                          .b = p->b,
                          .low = p->low};
    MprgpOptions options = mprgp_options_default(threads);
    options.tolerance = tolerance;
    options.max_iterations = 20000;
    MprgpResult result;
    assert_int_equal(mprgp_solve(&scratch, &system, &options, p->x, p->eigenvector, &result),
                     PLIM_OK);
    free(scale);
    scratch_free(&scratch);
    test_context_close(context);
    return result;
}

/* What a solution must keep, and by how much this x does not. */
typedef struct Broken {
    double below;           /* the bounds */
    double pull;            /* the largest -(A x + b) */
    double complementarity; /* |(x - low)^T (A x + b)| over the sum of x - low and 1 */
} Broken;

static Broken check(const Program *p) {
    Broken broken = {0};
    double *g = malloc(p->n * sizeof *g), product = 0.0, room = 1.0;
    multiply(p, p->x, g);
    for (size_t i = 0; i < p->n; i++) {
        broken.below = fmax(broken.below, p->low[i] - p->x[i]);
        broken.pull = fmax(broken.pull, -(g[i] + p->b[i]));
        product += (p->x[i] - p->low[i]) * (g[i] + p->b[i]);
        room += p->x[i] - p->low[i];
    }
    broken.complementarity = fabs(product) / room;
    free(g);
    return broken;
}

static bool is_solution(const Program *p, double tolerance) {
    Broken broken = check(p);
    return broken.below == 0.0 && broken.pull <= tolerance && broken.complementarity <= tolerance;
}

/* L1. A string under load 8 over a floor: u = 4 (x - a)^2 - 1/2 up to where it touches the floor,
 * which u(0) = 0 puts at a = sqrt(1/8). */
static double string_at(double x) {
    double a = sqrt(0.125), d = fmin(x, 1.0 - x) - a;
    return d < 0.0 ? 4.0 * d * d - 0.5 : -0.5;
}

static double string_error(size_t n) {
    Program p = program_create(n - 1, false);
    double h = 1.0 / (double)n, first = 1.0, last = 0.0, error = 0.0;
    for (size_t i = 0; i < n - 1; i++) {
        p.b[i] = 8.0 * h * h;
        p.low[i] = -0.5;
    }
    MprgpResult result = solve(&p, true, 1e-15, 1);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    for (size_t i = 0; i < n - 1; i++) {
        double x = (double)(i + 1) * h;
        error = fmax(error, fabs(p.x[i] - string_at(x)));
        if (p.x[i] > -0.5) continue;
        first = fmin(first, x);
        last = fmax(last, x);
    }
    assert_close(first, 0.353553, h);
    assert_close(last, 0.646447, h);
    double *g = malloc((n - 1) * sizeof *g), product = 0.0;
    multiply(&p, p.x, g);
    for (size_t i = 0; i < n - 1; i++) product += (p.x[i] + 0.5) * (g[i] + p.b[i]) / h;
    assert_true(fabs(product) < 1e-10);
    assert_true(is_solution(&p, 1e-12));
    free(g);
    program_free(&p);
    return error;
}

static void test_string_over_floor(void **state) {
    (void)state;
    /* The slope of log error over log h, by least squares: errors depend on where between two
     * points the string leaves the floor. */
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, count = 0.0;
    for (size_t n = 20; n <= 640; n = n * 5 / 4) {
        double x = log(1.0 / (double)n), e = string_error(n), y = log(e);
        assert_true(e < 4.0 / (double)(n * n));
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        count += 1.0;
    }
    assert_close((count * sxy - sx * sy) / (count * sxx - sx * sx), 2.0, 0.3);
}

/* Off-diagonals of an M-matrix, or anything symmetric: made positive by its diagonal or as B^T B.
 */
static Program random_program(uint64_t seed, bool full) {
    size_t n = 1 + (size_t)(60.0 * random_uniform(seed, 0, 0));
    Program p = program_create(n, true);
    double *root = malloc(n * n * sizeof *root);
    for (size_t i = 0; i < n * n; i++) root[i] = random_normal(seed, 1, i);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; full && k < n; k++)
                p.a[i * n + j] += root[k * n + i] * root[k * n + j] / (double)n;
        for (size_t j = 0; j < i && !full; j++) {
            double contrast = pow(10.0, 3.0 * random_uniform(seed, 2, i * n + j));
            double g = random_uniform(seed, 3, i * n + j) < 0.2 ? contrast : 0.0;
            p.a[i * n + j] = p.a[j * n + i] = -g;
            p.a[i * n + i] += g;
            p.a[j * n + j] += g;
        }
        p.b[i] = random_normal(seed, 4, i) - 0.3;
        p.low[i] = seed % 2 ? 0.0 : random_normal(seed, 5, i);
        p.x[i] = seed % 3 ? 0.0 : random_normal(seed, 6, i);
    }
    for (size_t i = 0; i < n; i++) p.a[i * n + i] += full ? 1e-3 : 0.1;
    free(root);
    return p;
}

static void test_conditions_hold(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        Program p = random_program(seed, seed % 4 < 2);
        MprgpResult result = solve(&p, seed % 5 != 0, 1e-10, 1);
        Broken broken = check(&p);
        if (result.reason != SOLVE_CONVERGED || !is_solution(&p, 1e-8))
            fail_msg("seed %d: %s after %d; below %g, pull %g, complementarity %g", (int)seed,
                     solve_reason_name(result.reason), result.iterations, broken.below, broken.pull,
                     broken.complementarity);
        size_t count = 0;
        for (size_t i = 0; i < p.n; i++) count += p.x[i] > p.low[i];
        assert_int_equal(count, result.free_count);
        assert_close(result.least_slack, -broken.pull, 1e-9);
        program_free(&p);
    }
}

static void conjugate_gradients(const Program *p, double *x) {
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    LinearMap map = {p, p->n, p->n, apply_map, apply_map};
    KrylovOptions options = krylov_options_default(1);
    options.relative = 1e-13;
    double *b = malloc(p->n * sizeof *b);
    for (size_t i = 0; i < p->n; i++) b[i] = -p->b[i];
    SolveResult result;
    memset(x, 0, p->n * sizeof *x);
    assert_int_equal(solve_cg(&scratch, &map, NULL, &options, b, x, &result), PLIM_OK);
    free(b);
    scratch_free(&scratch);
    test_context_close(context);
}

static void test_equals_conjugate_gradients_without_bounds(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        Program p = random_program(seed, false);
        double *x = malloc(p.n * sizeof *x), size = 0.0;
        conjugate_gradients(&p, x);
        for (size_t i = 0; i < p.n; i++) {
            size = fmax(size, fabs(x[i]));
            p.low[i] = -1e6;
        }
        MprgpResult result = solve(&p, true, 1e-11, 1);
        assert_int_equal(result.reason, SOLVE_CONVERGED);
        assert_int_equal(result.free_count, p.n);
        for (size_t i = 0; i < p.n; i++) assert_close(p.x[i], x[i], 1e-8 * size);
        free(x);
        program_free(&p);
    }
}

/* The checks above are worth something: what ignores the bounds and cuts at them afterwards fails.
 */
static void test_clamped_solve_is_rejected(void **state) {
    (void)state;
    int rejected = 0, bound = 0;
    for (uint64_t seed = 1; seed < 60; seed += 2) {
        Program p = random_program(seed, seed % 4 == 1);
        bool cut = false;
        for (size_t i = 0; i < p.n; i++) p.b[i] += 0.3;
        conjugate_gradients(&p, p.x);
        for (size_t i = 0; i < p.n; i++) {
            cut = cut || p.x[i] < -1e-6;
            p.x[i] = fmax(p.x[i], 0.0);
        }
        if (p.n > 4 && cut) {
            bound++;
            rejected += !is_solution(&p, 1e-8);
        }
        program_free(&p);
    }
    assert_true(bound > 15);
    assert_int_equal(rejected, bound);
}

static void test_same_bits_for_any_threads(void **state) {
    (void)state;
    Program runs[3];
    MprgpResult results[3];
    for (int r = 0; r < 3; r++) {
        runs[r] = program_create(9000, false);
        for (size_t i = 0; i < runs[r].n; i++) {
            runs[r].b[i] = random_normal(7, 0, i) + 0.5 + sin(0.1 * (double)i);
            runs[r].low[i] = i % 3 ? 0.0 : -0.1;
        }
        results[r] = solve(&runs[r], true, 1e-9, 1 << r);
        assert_int_equal(results[r].reason, SOLVE_CONVERGED);
        assert_true(is_solution(&runs[r], 1e-8));
        assert_memory_equal(runs[r].x, runs[0].x, runs[0].n * sizeof(double));
        assert_memory_equal(runs[r].eigenvector, runs[0].eigenvector, runs[0].n * sizeof(double));
        assert_memory_equal(&results[r].norm, &results[0].norm, sizeof(double));
        assert_int_equal(results[r].applications, results[0].applications);
    }
    for (int r = 0; r < 3; r++) program_free(&runs[r]);
}

static void test_first_guess_and_norm_are_used_again(void **state) {
    (void)state;
    Program p = program_create(500, false);
    for (size_t i = 0; i < p.n; i++) p.b[i] = 1e-3 * random_normal(8, 0, i);
    MprgpResult first = solve(&p, true, 1e-9, 1), second = solve(&p, true, 1e-9, 1);
    assert_true(first.expansions > 0 && first.proportionings > 0 && first.cg_steps > 0);
    assert_int_equal(second.iterations, 0);
    assert_true(second.applications < 8);
    assert_true(second.norm >= first.norm);
    assert_close(second.norm, 2.0, 0.1); /* 1 + cos(pi / 501) over a diagonal of one */
    program_free(&p);
}

static void test_ends_where_there_is_no_solution(void **state) {
    (void)state;
    Program p = program_create(40, true);
    for (size_t i = 0; i + 1 < p.n; i++) { /* a chain that nothing holds */
        p.a[i * p.n + i] += 1.0;
        p.a[(i + 1) * p.n + i + 1] += 1.0;
        p.a[i * p.n + i + 1] = p.a[(i + 1) * p.n + i] = -1.0;
    }
    for (size_t i = 0; i < p.n; i++) p.b[i] = random_normal(9, 0, i) - 0.5;
    assert_int_not_equal(solve(&p, true, 1e-9, 1).reason, SOLVE_CONVERGED);
    for (size_t i = 0; i < p.n; i++) p.b[i] += 1.0; /* the sum is positive: one entry stays bound */
    memset(p.x, 0, p.n * sizeof *p.x);
    assert_int_equal(solve(&p, true, 1e-9, 1).reason, SOLVE_CONVERGED);
    assert_true(is_solution(&p, 1e-8));
    program_free(&p);
}

static void test_what_is_not_finite(void **state) {
    (void)state;
    Program p = program_create(50, false);
    p.b[17] = NAN;
    assert_int_equal(solve(&p, true, 1e-9, 1).reason, SOLVE_NOT_FINITE);
    p.b[17] = -INFINITY;
    assert_int_equal(solve(&p, true, 1e-9, 1).reason, SOLVE_NOT_FINITE);
    p.b[17] = -1.0;
    p.x[3] = NAN; /* a guess that is of no use is not used */
    p.eigenvector[4] = NAN;
    assert_int_equal(solve(&p, true, 1e-9, 1).reason, SOLVE_CONVERGED);
    assert_true(is_solution(&p, 1e-8));
    program_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_string_over_floor),
        cmocka_unit_test(test_conditions_hold),
        cmocka_unit_test(test_equals_conjugate_gradients_without_bounds),
        cmocka_unit_test(test_clamped_solve_is_rejected),
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_first_guess_and_norm_are_used_again),
        cmocka_unit_test(test_ends_where_there_is_no_solution),
        cmocka_unit_test(test_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
