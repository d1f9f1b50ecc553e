/* Sparse block LDL^T: against a dense product, no fill on trees, dependent and empty rows. */
#include "operator_test.h"

#include "solve/block/block_ldl.h"

#include <string.h>

enum { NODES = 6, ROWS = 15 };

static const int32_t SIZES[NODES] = {3, 1, 5, 2, 3, 1};

/* G G^T of a random G that couples the nodes of each edge: positive definite with a diagonal. */
static void fill(BlockLdl *ldl, const int32_t (*edges)[2], size_t edge_count,
                 double dense[ROWS][ROWS], double shift) {
    double g[16][ROWS] = {{0}};
    memset(dense, 0, sizeof(double) * ROWS * ROWS);
    for (size_t e = 0; e < edge_count; e++)
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < (size_t)SIZES[edges[e][side]]; i++)
                g[e][block_ldl_row(ldl, (size_t)edges[e][side]) + i] =
                    random_normal(7, e, (uint64_t)side * 16 + i);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            dense[i][j] = i == j ? shift : 0.0;
            for (size_t e = 0; e < edge_count; e++) dense[i][j] += g[e][i] * g[e][j];
        }
    block_ldl_clear(ldl);
    for (size_t a = 0; a < NODES; a++)
        for (size_t k = 0; k <= edge_count; k++) {
            size_t b = k == edge_count ? a : (size_t)edges[k][1];
            if (k < edge_count && (size_t)edges[k][0] != a) continue;
            BlockLdlPlace place = block_ldl_find(ldl, a, b);
            size_t rows = (size_t)SIZES[a], columns = (size_t)SIZES[b];
            for (size_t i = 0; i < rows; i++)
                for (size_t j = 0; j < columns; j++)
                    ldl->value
                        .data[place.value + (place.is_swapped ? j * rows + i : i * columns + j)] =
                        dense[block_ldl_row(ldl, a) + i][block_ldl_row(ldl, b) + j];
        }
}

static double residual(double dense[ROWS][ROWS], const double *x, const double *b,
                       const bool *left_out) {
    double worst = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        double sum = -b[i];
        for (size_t j = 0; j < ROWS; j++) sum += dense[i][j] * x[j];
        if (!left_out || !left_out[i]) worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static void test_tree(void **state) {
    (void)state;
    static const int32_t edges[5][2] = {{0, 1}, {1, 2}, {1, 3}, {3, 4}, {3, 5}};
    PlimContext *context = test_context(1);
    BlockLdl ldl;
    double dense[ROWS][ROWS], b[ROWS], x[ROWS];
    assert_int_equal(block_ldl_lay_out(context, &ldl, SIZES, NODES, edges, 5), PLIM_OK);
    assert_int_equal(ldl.row_count, ROWS);
    assert_int_equal(ldl.below.count, 5); /* no fill */
    fill(&ldl, edges, 5, dense, 0.1);
    for (size_t i = 0; i < ROWS; i++) x[i] = b[i] = random_normal(8, 0, i);
    assert_int_equal(block_ldl_factor(&ldl, 1e-11), 0);
    block_ldl_solve(&ldl, x);
    assert_true(residual(dense, x, b, NULL) < 1e-12);
    block_ldl_free(&ldl);
    test_context_close(context);
}

static void test_loop(void **state) {
    (void)state;
    static const int32_t edges[7][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}, {1, 4}};
    PlimContext *context = test_context(1);
    BlockLdl ldl;
    double dense[ROWS][ROWS], b[ROWS], x[ROWS];
    assert_int_equal(block_ldl_lay_out(context, &ldl, SIZES, NODES, edges, 7), PLIM_OK);
    fill(&ldl, edges, 7, dense, 0.5);
    for (size_t i = 0; i < ROWS; i++) x[i] = b[i] = random_normal(8, 1, i);
    assert_int_equal(block_ldl_factor(&ldl, 1e-11), 0);
    block_ldl_solve(&ldl, x);
    assert_true(residual(dense, x, b, NULL) < 1e-12);
    block_ldl_free(&ldl);
    test_context_close(context);
}

/* Without the shift the matrix has a rank of 5: rows that depend on others are dropped, and what
 * they ask for, which agrees with the others, is met. */
static void test_dependent(void **state) {
    (void)state;
    static const int32_t edges[5][2] = {{0, 1}, {1, 2}, {1, 3}, {3, 4}, {3, 5}};
    PlimContext *context = test_context(1);
    BlockLdl ldl;
    double dense[ROWS][ROWS], b[ROWS] = {0}, x[ROWS];
    assert_int_equal(block_ldl_lay_out(context, &ldl, SIZES, NODES, edges, 5), PLIM_OK);
    fill(&ldl, edges, 5, dense, 0.0);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) b[i] += dense[i][j] * random_normal(8, 2, j);
    memcpy(x, b, sizeof x);
    assert_int_equal(block_ldl_factor(&ldl, 1e-11), ROWS - 5);
    block_ldl_solve(&ldl, x);
    assert_true(residual(dense, x, b, NULL) < 1e-11);
    for (size_t i = 0; i < ROWS; i++)
        if (!block_ldl_has_row(&ldl, i)) assert_true(x[i] == 0.0);
    block_ldl_free(&ldl);
    test_context_close(context);
}

/* A row without entries is off: it counts neither as dropped nor in the answer. */
static void test_off(void **state) {
    (void)state;
    static const int32_t edges[1][2] = {{0, 1}}, sizes[2] = {2, 2};
    PlimContext *context = test_context(1);
    BlockLdl ldl;
    assert_int_equal(block_ldl_lay_out(context, &ldl, sizes, 2, edges, 1), PLIM_OK);
    block_ldl_clear(&ldl);
    for (size_t node = 0; node < 2; node++)
        ldl.value.data[block_ldl_find(&ldl, node, node).value] = 2.0;
    assert_int_equal(block_ldl_factor(&ldl, 1e-11), 0);
    double x[4] = {1, 1, 1, 1};
    block_ldl_solve(&ldl, x);
    for (size_t node = 0; node < 2; node++) {
        assert_true(x[block_ldl_row(&ldl, node)] == 0.5);
        assert_true(x[block_ldl_row(&ldl, node) + 1] == 0.0);
    }
    block_ldl_free(&ldl);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_dependent),
        cmocka_unit_test(test_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
