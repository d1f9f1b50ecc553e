/* The pressure solve with bounds and columns, what gives way to the pressure: its conditions with
 * the matrix written out, bodies from heavy to nearly without mass, the same bits for any number of
 * threads. Checks are loops of this file. */
#include "poisson_case.h"

#include "solve/pressure/poisson_bounded.h"

enum { BLOCKS = 3 };

/* Water below air, with too much or too little in its cells. */
static PoissonCase *pool(int dim, int n, uint64_t seed) {
    PoissonCase *c = case_create((int[3]){n, n, dim == 3 ? n : 1}, dim, 0.1);
    size_t cell = 0;
    for (int k = 0; k < (dim == 3 ? n : 1); k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++, cell++) {
                c->kind[cell] = 4 * j < 3 * n ? CELL_FLUID : CELL_AIR;
                c->b[cell] = random_normal(seed, 1, cell) - 0.2;
            }
    return c;
}

/* Entries about cells here and there, two blocks in some of them; cells of air do not count. */
static BoundedColumns random_columns(const PoissonCase *c, uint64_t seed, double size,
                                     BoundedEntry *entries) {
    size_t cells = grid_cell_count(&c->grid), count = 0;
    for (size_t block = 0; block < BLOCKS; block++)
        for (size_t cell = block; cell < cells; cell += 3 + 2 * block) {
            BoundedEntry *entry = &entries[count++];
            *entry = (BoundedEntry){.cell = cell, .block = block};
            for (int i = 0; i < BOUNDED_BLOCK_SIZE; i++)
                entry->value[i] = size * random_normal(seed, 2 + block, 6 * cell + (uint64_t)i);
        }
    return (BoundedColumns){entries, count, BLOCKS};
}

static BoundedResult solve(PlimContext *context, PoissonCase *c, PoissonMethod method,
                           const BoundedColumns *columns, Csr *matrix, size_t **cells) {
    Poisson *poisson;
    BoundedResult result;
    BoundedOptions options = bounded_options_default(context->threads);
    double *eigenvector = calloc(grid_cell_count(&c->grid), sizeof *eigenvector);
    options.tolerance = 1e-10;
    options.max_iterations = 20000;
    options.columns = columns;
    c->problem.bounded = true;
    memset(c->p, 0, grid_cell_count(&c->grid) * sizeof *c->p);
    assert_int_equal(poisson_create(context, &c->grid, method, &poisson), PLIM_OK);
    assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
    assert_int_equal(
        poisson_solve_bounded(poisson, &options, c->b, NULL, c->p, eigenvector, &result), PLIM_OK);
    if (matrix) assert_int_equal(poisson_assemble(poisson, matrix, cells), PLIM_OK);
    poisson_destroy(poisson);
    free(eigenvector);
    return result;
}

/* A p + C C^T p + b, of unknown cells. */
static void slack_of(const PoissonCase *c, const BoundedColumns *columns, const Csr *matrix,
                     const size_t *cells, double *slack) {
    double motion[BLOCKS * BOUNDED_BLOCK_SIZE] = {0};
    memset(slack, 0, grid_cell_count(&c->grid) * sizeof *slack);
    for (size_t e = 0; e < columns->entry_count; e++)
        for (int i = 0; i < BOUNDED_BLOCK_SIZE; i++)
            motion[6 * columns->entries[e].block + (size_t)i] +=
                columns->entries[e].value[i] * c->p[columns->entries[e].cell];
    for (size_t e = 0; e < columns->entry_count; e++)
        for (int i = 0; i < BOUNDED_BLOCK_SIZE; i++)
            slack[columns->entries[e].cell] +=
                columns->entries[e].value[i] * motion[6 * columns->entries[e].block + (size_t)i];
    for (size_t row = 0; row < matrix->rows; row++) {
        slack[cells[row]] += c->b[cells[row]];
        for (size_t e = matrix->row_start[row]; e < matrix->row_start[row + 1]; e++)
            slack[cells[row]] += matrix->value[e] * c->p[cells[matrix->column[e]]];
    }
}

static void check_conditions(PlimContext *context, int dim, PoissonMethod method, double size,
                             uint64_t seed, size_t *free_cells) {
    PoissonCase *c = pool(dim, dim == 3 ? 8 : 16, seed);
    size_t count = grid_cell_count(&c->grid);
    BoundedEntry *entries = malloc(BLOCKS * count * sizeof *entries);
    double *slack = malloc(count * sizeof *slack);
    BoundedColumns columns = random_columns(c, seed, size, entries);
    Csr matrix;
    size_t *cells, pressed = 0;
    BoundedResult result = solve(context, c, method, &columns, &matrix, &cells);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    slack_of(c, &columns, &matrix, cells, slack);
    for (size_t row = 0; row < matrix.rows; row++) {
        assert_true(c->p[cells[row]] >= 0.0);
        assert_true(slack[cells[row]] >= -1e-8);
        assert_true(c->p[cells[row]] == 0.0 || slack[cells[row]] <= 1e-8);
        pressed += c->p[cells[row]] > 0.0;
    }
    assert_true(pressed > 0);
    *free_cells += matrix.rows - pressed;
    context_free(context, cells, matrix.rows + 1, sizeof(size_t));
    csr_free(context, &matrix);
    free(slack);
    free(entries);
    case_destroy(c);
}

static void test_conditions_hold(void **state) {
    (void)state;
    static const double sizes[] = {1e-3, 0.03, 0.3, 1.0};
    static const PoissonMethod methods[] = {POISSON_MULTIGRID, POISSON_MIC0, POISSON_PLAIN};
    PlimContext *context = test_context(2);
    size_t free_cells = 0;
    for (uint64_t seed = 0; seed < 24; seed++)
        check_conditions(context, 2 + (int)(seed % 2), methods[seed % 3], sizes[seed / 6], seed,
                         &free_cells);
    assert_true(free_cells > 100); /* bounds counted */
    test_context_close(context);
}

static void test_no_columns_are_none(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PoissonCase *c = pool(2, 16, 5), *other = pool(2, 16, 5);
    BoundedColumns columns = {.block_count = BLOCKS};
    solve(context, c, POISSON_MULTIGRID, NULL, NULL, NULL);
    solve(context, other, POISSON_MULTIGRID, &columns, NULL, NULL);
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++) assert_close(c->p[i], other->p[i], 1e-9);
    case_destroy(c);
    case_destroy(other);
    test_context_close(context);
}

static void test_same_bits_for_any_threads(void **state) {
    (void)state;
    PoissonCase *c[3];
    for (int i = 0; i < 3; i++) {
        PlimContext *context = test_context(1 << i);
        c[i] = pool(3, 12, 9);
        BoundedEntry *entries = malloc(BLOCKS * grid_cell_count(&c[i]->grid) * sizeof *entries);
        BoundedColumns columns = random_columns(c[i], 9, 0.3, entries);
        solve(context, c[i], POISSON_MULTIGRID, &columns, NULL, NULL);
        free(entries);
        test_context_close(context);
    }
    for (int i = 1; i < 3; i++) {
        size_t bytes = grid_cell_count(&c[0]->grid) * sizeof(double);
        assert_memory_equal(c[0]->p, c[i]->p, bytes);
    }
    for (int i = 0; i < 3; i++) case_destroy(c[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions_hold),
        cmocka_unit_test(test_no_columns_are_none),
        cmocka_unit_test(test_same_bits_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
