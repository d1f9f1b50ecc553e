/* Random-vector tests of linear maps, systems and preconditioners: a map against its transpose,
 * sums, symmetry, sign, declared nullspace, and the matrix-free form against its written-out rows.
 */
#ifndef TESTS_OPERATOR_TEST_H
#define TESTS_OPERATOR_TEST_H

#include "check.h"

#include "base/random.h"
#include "solve/linear_map.h"

#include <stdlib.h>

enum { OPERATOR_TRIES = 4 };

typedef struct OperatorTest {
    double tolerance; /* relative: 1e-12 for double precision, 1e-5 for single */
    bool symmetric;
    bool semidefinite;       /* x^T A x >= 0, up to the tolerance */
    const double *nullspace; /* a vector that A maps to zero, or NULL */
} OperatorTest;

static inline double *operator_vector(size_t n, uint64_t stream) {
    double *x = calloc(n + 1, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = random_normal(77, stream, i);
    return x;
}

static inline double operator_dot(const double *x, const double *y, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static inline double operator_norm(const double *x, size_t n) {
    return sqrt(operator_dot(x, x, n));
}

/* |y - z| <= tolerance (|y| + |z|). */
static inline void operator_equal(const char *what, const double *y, const double *z, size_t n,
                                  double tolerance) {
    double difference = 0.0;
    for (size_t i = 0; i < n; i++) difference += (y[i] - z[i]) * (y[i] - z[i]);
    difference = sqrt(difference);
    double scale = operator_norm(y, n) + operator_norm(z, n);
    if (!(difference <= tolerance * scale + 1e-300))
        fail_msg("%s: differ by %g of %g", what, difference, scale);
}

/* A(2 x - 3 y) against 2 A x - 3 A y. */
static inline void operator_check_linear(const LinearMap *map, const OperatorTest *test,
                                         uint64_t try) {
    double *x = operator_vector(map->columns, 10 + try),
           *y = operator_vector(map->columns, 20 + try);
    double *ax = malloc((map->rows + 1) * 8), *ay = malloc((map->rows + 1) * 8);
    double *sum = malloc((map->columns + 1) * 8), *out = malloc((map->rows + 1) * 8);
    for (size_t i = 0; i < map->columns; i++) sum[i] = 2.0 * x[i] - 3.0 * y[i];
    map->apply(map->object, x, ax);
    map->apply(map->object, y, ay);
    map->apply(map->object, sum, out);
    for (size_t i = 0; i < map->rows; i++) ax[i] = 2.0 * ax[i] - 3.0 * ay[i];
    operator_equal("linearity", out, ax, map->rows, test->tolerance);
    free(x);
    free(y);
    free(ax);
    free(ay);
    free(sum);
    free(out);
}

/* y . A x against x . A^T y, and A^T = A when symmetric. */
static inline void operator_check_transpose(const LinearMap *map, const OperatorTest *test,
                                            uint64_t try) {
    double *x = operator_vector(map->columns, 30 + try), *y = operator_vector(map->rows, 40 + try);
    double *ax = malloc((map->rows + 1) * 8), *aty = malloc((map->columns + 1) * 8);
    map->apply(map->object, x, ax);
    map->apply_transpose(map->object, y, aty);
    double left = operator_dot(y, ax, map->rows), right = operator_dot(x, aty, map->columns);
    double scale = operator_norm(ax, map->rows) * operator_norm(y, map->rows);
    assert_close(left, right, test->tolerance * scale + 1e-300);
    if (test->symmetric) {
        map->apply(map->object, y, aty);
        assert_close(left, operator_dot(x, aty, map->columns), test->tolerance * scale + 1e-300);
    }
    if (test->semidefinite) {
        double energy = operator_dot(x, ax, map->rows);
        assert_true(energy >=
                    -test->tolerance * operator_norm(ax, map->rows) * operator_norm(x, map->rows));
    }
    free(x);
    free(y);
    free(ax);
    free(aty);
}

static inline void operator_check_nullspace(const LinearMap *map, const OperatorTest *test) {
    double *out = malloc((map->rows + 1) * 8), *x = operator_vector(map->columns, 50);
    double *ax = malloc((map->rows + 1) * 8);
    map->apply(map->object, x, ax);
    map->apply(map->object, test->nullspace, out);
    double scale = operator_norm(ax, map->rows) / (operator_norm(x, map->columns) + 1e-300);
    assert_true(operator_norm(out, map->rows) <=
                test->tolerance * scale * operator_norm(test->nullspace, map->columns) + 1e-300);
    free(out);
    free(x);
    free(ax);
}

static inline void operator_check(const LinearMap *map, const OperatorTest *test) {
    for (uint64_t try = 0; try < OPERATOR_TRIES; try++) {
        operator_check_linear(map, test, try);
        operator_check_transpose(map, test, try);
    }
    if (test->nullspace) operator_check_nullspace(map, test);
}

/* Both forms of one map on random vectors. */
static inline void operator_check_same(const LinearMap *a, const LinearMap *b, double tolerance) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    for (uint64_t try = 0; try < OPERATOR_TRIES; try++) {
        double *x = operator_vector(a->columns, 60 + try);
        double *ya = malloc((a->rows + 1) * 8), *yb = malloc((a->rows + 1) * 8);
        a->apply(a->object, x, ya);
        b->apply(b->object, x, yb);
        operator_equal("two forms of a map", ya, yb, a->rows, tolerance);
        free(x);
        free(ya);
        free(yb);
    }
}

#endif
