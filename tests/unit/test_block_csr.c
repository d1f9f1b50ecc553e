/* Matrices of small blocks: pattern, product against a dense matrix, same bits for any threads. */
#include "operator_test.h"

#include "solve/block/block_csr.h"

#include <string.h>

enum { NODES = 9, ELEMENTS = 4 };

/* A quadruple, a pair, a triple, the pair again; node 8 belongs to no element. */
static const size_t START[ELEMENTS + 1] = {0, 4, 6, 9, 11};
static const int32_t NODE[11] = {5, 0, 3, 1, 2, 7, 6, 4, 2, 7, 2};

static BlockCsr make(PlimContext *context, int size) {
    BlockCsr a;
    assert_int_equal(block_csr_create(context, size, NODES, START, NODE, ELEMENTS, &a), PLIM_OK);
    size_t n = (size_t)size;
    for (size_t row = 0; row < NODES; row++)
        for (size_t e = a.row_start[row]; e < a.row_start[row + 1]; e++)
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                    size_t p = row * n + i, q = (size_t)a.column[e] * n + j;
                    size_t low = p < q ? p : q, high = p < q ? q : p;
                    a.value[(e * n + i) * n + j] = random_normal(1, low, high);
                }
    return a;
}

static void test_pattern(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    BlockCsr a = make(context, 2);
    /* 16 of the quadruple, 9 of the triple, 4 of the pair less node 2 with itself, node 8. */
    assert_int_equal(a.entries, 16 + 9 + 3 + 1);
    assert_int_equal(a.row_start[NODES], a.entries);
    for (size_t row = 0; row < NODES; row++) {
        for (size_t e = a.row_start[row]; e < a.row_start[row + 1]; e++) {
            assert_int_equal(block_csr_find(&a, row, (size_t)a.column[e]), e);
            if (e > a.row_start[row]) assert_true(a.column[e] > a.column[e - 1]);
        }
        assert_int_equal(a.column[block_csr_find(&a, row, row)], row);
    }
    block_csr_free(&a);
    const int32_t beyond[2] = {0, NODES};
    const size_t start[2] = {0, 2};
    assert_int_equal(block_csr_create(context, 3, NODES, start, beyond, 1, &a), PLIM_BAD_INPUT);
    assert_int_equal(block_csr_create(context, 7, NODES, START, NODE, ELEMENTS, &a),
                     PLIM_BAD_INPUT);
    test_context_close(context);
}

static void test_product(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int size = 1; size <= BLOCK_SIZE_MAX; size++) {
        BlockCsr a = make(context, size);
        LinearMap map = block_csr_map(&a);
        size_t s = (size_t)size, n = NODES * s;
        assert_int_equal(map.rows, n);
        double *dense = calloc(n * n, sizeof *dense), y[NODES * BLOCK_SIZE_MAX];
        double *x = operator_vector(n, 1), expected[NODES * BLOCK_SIZE_MAX] = {0.0};
        for (size_t row = 0; row < NODES; row++)
            for (size_t e = a.row_start[row]; e < a.row_start[row + 1]; e++)
                for (size_t k = 0; k < s * s; k++)
                    dense[(row * s + k / s) * n + (size_t)a.column[e] * s + k % s] =
                        a.value[e * s * s + k];
        for (size_t i = 0; i < n; i++) expected[i] = operator_dot(dense + i * n, x, n);
        map.apply(map.object, x, y);
        operator_equal("product", y, expected, n, 1e-14);
        operator_check(&map, &(OperatorTest){.tolerance = 1e-13, .symmetric = true});
        free(dense);
        free(x);
        block_csr_free(&a);
    }
    test_context_close(context);
}

/* A chain long enough for many ranges of rows. */
static void test_threads(void **state) {
    (void)state;
    enum { LENGTH = 5000 };
    size_t *start = calloc(LENGTH, sizeof *start);
    int32_t *node = calloc(2 * LENGTH, sizeof *node);
    for (size_t e = 0; e + 1 < LENGTH; e++) {
        start[e + 1] = 2 * (e + 1);
        node[2 * e] = (int32_t)e;
        node[2 * e + 1] = (int32_t)e + 1;
    }
    double *x = operator_vector(3 * LENGTH, 2), *y[3];
    for (int round = 0; round < 3; round++) {
        PlimContext *context = test_context(1 << round);
        BlockCsr a;
        assert_int_equal(block_csr_create(context, 3, LENGTH, start, node, LENGTH - 1, &a),
                         PLIM_OK);
        assert_int_equal(a.threads, 1 << round);
        for (size_t i = 0; i < 9 * a.entries; i++) a.value[i] = random_normal(4, 0, i);
        LinearMap map = block_csr_map(&a);
        y[round] = calloc(3 * LENGTH, sizeof(double));
        map.apply(map.object, x, y[round]);
        assert_memory_equal(y[0], y[round], 3 * LENGTH * sizeof(double));
        block_csr_free(&a);
        test_context_close(context);
    }
    for (int round = 0; round < 3; round++) free(y[round]);
    free(start);
    free(node);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_product),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
