/* Visibility: walls part what is on either side of them, at any place and turn, and nothing else.
 */
#include "check.h"

#include "grid/rows.h"
#include "grid/visibility.h"

#include <math.h>

enum { N = 24 };

typedef double (*Shape)(Vec3 x, double size, double turn);

/* A plate of some thickness through the middle, and a box. */
static double plate(Vec3 x, double size, double turn) {
    double along = (x.x - 0.5) * cos(turn) + (x.y - 0.5) * sin(turn);
    return fabs(along) - 0.5 * size;
}

static double box(Vec3 x, double size, double turn) {
    (void)turn;
    double a = fabs(x.x - 0.5) - 0.5 * size, b = fabs(x.y - 0.5) - 0.5 * size;
    return a > 0 && b > 0 ? sqrt(a * a + b * b) : fmax(a, b);
}

typedef struct Case {
    PlimContext *context;
    Scratch scratch;
    Grid grid;
    double distance[(N + 1) * (N + 1) * 2];
    unsigned char parted[(N + 1) * (N + 1)];
} Case;

static void open_case(Case *c, Shape shape, double size, double turn, int threads) {
    c->context = test_context(threads);
    scratch_init(&c->scratch, c->context);
    c->grid = (Grid){.dim = 2, .n = {N, N, 1}, .spacing = 1.0 / N};
    for (int j = 0; j <= N; j++)
        for (int i = 0; i <= N; i++)
            c->distance[j * (N + 1) + i] =
                fmin(shape(vec3((double)i / N, (double)j / N, 0), size, turn), 4.0 / N);
    assert_int_equal(
        visibility_find(&c->grid, PLACE_CELLS, c->distance, threads, &c->scratch, c->parted),
        PLIM_OK);
}

static void close_case(Case *c) {
    scratch_free(&c->scratch);
    test_context_close(c->context);
}

/* Whether steps between neighbours that see one another lead through the plate. */
static bool leads_through(const Case *c, double size, double turn) {
    unsigned char reached[N * N] = {0};
    for (int round = 0; round < N * N; round++) {
        bool more = false;
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                Vec3 x = grid_cell_center(&c->grid, i, j, 0);
                double along = (x.x - 0.5) * cos(turn) + (x.y - 0.5) * sin(turn);
                int at = j * N + i;
                bool here = reached[at] || along < -0.5 * size;
                here |= i > 0 && reached[at - 1] && !(c->parted[at] & 1);
                here |= j > 0 && reached[at - N] && !(c->parted[at] & 2);
                here |= i < N - 1 && reached[at + 1] && !(c->parted[at + 1] & 1);
                here |= j < N - 1 && reached[at + N] && !(c->parted[at + N] & 2);
                if (here && along > 0.5 * size) return true;
                more |= here && !reached[at];
                reached[at] = here;
            }
        if (!more) return false;
    }
    return false;
}

static void plates_part(void **state) {
    (void)state;
    static const double cells[] = {1.5, 2.0, 2.6, 4.0};
    for (int t = 0; t < 4; t++)
        for (int turn = 0; turn <= 45; turn += 5) {
            Case c;
            double angle = turn * acos(-1.0) / 180;
            open_case(&c, plate, cells[t] / N, angle, 1);
            assert_false(leads_through(&c, cells[t] / N, angle));
            close_case(&c);
        }
}

/* Nothing is parted around a box of ten cells. */
static void box_parts_nothing_outside(void **state) {
    (void)state;
    Case c;
    open_case(&c, box, 10.0 / N, 0, 1);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (box(grid_cell_center(&c.grid, i, j, 0), 10.0 / N, 0) > -1.5 / N)
                assert_int_equal(c.parted[j * N + i], 0);
    close_case(&c);
}

static void same_for_threads(void **state) {
    (void)state;
    Case one, many;
    open_case(&one, plate, 2.0 / N, 0.3, 1);
    open_case(&many, plate, 2.0 / N, 0.3, 4);
    assert_memory_equal(one.parted, many.parted, N * N);
    close_case(&one);
    close_case(&many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_part),
        cmocka_unit_test(box_parts_nothing_outside),
        cmocka_unit_test(same_for_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
