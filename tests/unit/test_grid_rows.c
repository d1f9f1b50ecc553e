/* Lists of values gathered in parallel: what a plain loop lists, for any number of threads, in two
 * and three dimensions, of every place on the grid. */
#include "check.h"

#include "base/random.h"
#include "grid/rows.h"

typedef struct Marks {
    Grid grid;
    GridPlace place;
    double share; /* of values that belong into the list, about */
    uint64_t seed;
} Marks;

static bool is_marked(const void *user, int i, int j, int k) {
    const Marks *marks = user;
    uint64_t number = ((uint64_t)k * 1000 + (uint64_t)j) * 1000 + (uint64_t)i;
    return random_uniform(marks->seed, 0, number) < marks->share;
}

/* As written out: x fastest, then y, then z. */
static size_t list_plainly(const Marks *marks, size_t *items) {
    const Grid *grid = &marks->grid;
    size_t at = 0, count = 0;
    for (int k = 0; k < grid_place_size(grid, marks->place, 2); k++)
        for (int j = 0; j < grid_place_size(grid, marks->place, 1); j++)
            for (int i = 0; i < grid_place_size(grid, marks->place, 0); i++, at++)
                if (is_marked(marks, i, j, k)) items[count++] = at;
    assert_int_equal(at, grid_place_count(grid, marks->place));
    return count;
}

static void check_places(const Marks *marks, const GridList *list) {
    for (size_t i = 0; i < list->count; i++) {
        int at[3];
        grid_place_at(&marks->grid, marks->place, list->items[i], at);
        assert_true(is_marked(marks, at[0], at[1], at[2]));
    }
}

static void check_gather(PlimContext *context, const Marks *marks) {
    static const int threads[] = {1, 2, 4};
    size_t values = grid_place_count(&marks->grid, marks->place);
    size_t *expected = calloc(values, sizeof *expected);
    assert_non_null(expected);
    size_t count = list_plainly(marks, expected);
    if (marks->share == 0) assert_int_equal(count, 0);
    if (marks->share == 1) assert_int_equal(count, values);
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        Scratch scratch;
        GridList list;
        scratch_init(&scratch, context);
        assert_int_equal(
            grid_gather(&marks->grid, marks->place, threads[t], is_marked, marks, &scratch, &list),
            PLIM_OK);
        assert_int_equal(list.count, count);
        if (count > 0) assert_memory_equal(list.items, expected, count * sizeof *expected);
        check_places(marks, &list);
        scratch_free(&scratch);
    }
    free(expected);
}

/* One row, fewer rows than threads, and many; no value, all, and some. */
static void test_gather(void **state) {
    static const int sizes[][3] = {{1, 1, 1}, {7, 2, 1}, {13, 11, 9}, {3, 40, 17}};
    static const double shares[] = {0, 0.02, 0.5, 1};
    (void)state;
    PlimContext *context = test_context(4);
    uint64_t seed = 0;
    for (int dim = 2; dim <= 3; dim++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (GridPlace place = PLACE_CELLS; place <= PLACE_NODES; place++) {
                const int *n = sizes[s];
                Grid grid = {.dim = dim, .n = {n[0], n[1], dim == 3 ? n[2] : 1}, .spacing = 0.5};
                for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
                    check_gather(context, &(Marks){grid, place, shares[i], seed++});
            }
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gather)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
