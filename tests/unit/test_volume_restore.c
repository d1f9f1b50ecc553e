/* Volume of a level set kept: nothing flows, nothing changes; what flows is predicted with no
 * volume made; what is taken from a ball comes back to it and to no other; what finds no surface
 * is a deficit; what leaves through an open side is told, and draws none after it; same bits for
 * any threads. */
#include "level_case.h"

#include "grid/volume_restore.h"

#include <string.h>

typedef struct Case {
    PlimContext *context;
    Scratch scratch;
    Grid grid;
    GridField phi, velocity[3];
    VolumeFlow flow;
    double *parts, *deficit;
    double left; /* through open sides, m^3 */
} Case;

static void make_case(Case *c, int dim, int n, GridPlace place, double courant, int threads) {
    *c = (Case){.context = test_context(threads), .grid = level_grid(dim, n, 1.0 / n, true)};
    scratch_init(&c->scratch, c->context);
    assert_int_equal(field_create(c->context, &c->grid, place, 2, &c->phi), PLIM_OK);
    c->flow = (VolumeFlow){.dt = courant / n, .threads = threads, .scratch = &c->scratch};
    for (int axis = 0; axis < dim; axis++) {
        GridField *u = &c->velocity[axis];
        assert_int_equal(field_create(c->context, &c->grid, grid_place_faces(axis), 1, u), PLIM_OK);
        for (size_t i = 0; i < u->count; i++) u->data[i] = 1.0 - 0.4 * axis;
        c->flow.velocity[axis] = u;
    }
    c->parts = context_allocate(c->context, grid_cell_count(&c->grid), sizeof *c->parts);
    c->deficit = context_allocate(c->context, grid_cell_count(&c->grid), sizeof *c->deficit);
    assert_non_null(c->parts);
    assert_non_null(c->deficit);
    memset(c->deficit, 0, grid_cell_count(&c->grid) * sizeof *c->deficit);
    level_fill(&c->phi, (Ball){vec3(0.3 * n, 0.3 * n, dim == 3 ? 0.3 * n : 0), 0.15 * n},
               profile_distance);
    field_fill_halo(&c->phi, threads);
}

static void close_case(Case *c) {
    context_free(c->context, c->parts, grid_cell_count(&c->grid), sizeof *c->parts);
    context_free(c->context, c->deficit, grid_cell_count(&c->grid), sizeof *c->deficit);
    for (int axis = 0; axis < c->grid.dim; axis++) field_free(c->context, &c->velocity[axis]);
    field_free(c->context, &c->phi);
    scratch_free(&c->scratch);
    test_context_close(c->context);
}

static double sum_of(const Case *c, const double *parts) {
    double sum = 0;
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++) sum += parts[i];
    return sum;
}

static double volume_of(Case *c) {
    size_t mark = scratch_mark(&c->scratch);
    double *parts = scratch_take(&c->scratch, grid_cell_count(&c->grid), sizeof *parts);
    assert_non_null(parts);
    liquid_fractions(&c->phi, NULL, 1, parts);
    double sum = sum_of(c, parts);
    scratch_release(&c->scratch, mark);
    return sum;
}

static void at_rest(void **state) {
    (void)state;
    Case c;
    make_case(&c, 2, 24, PLACE_CELLS, 0, 1);
    GridField before = c.phi;
    assert_int_equal(field_create(c.context, &c.grid, PLACE_CELLS, 2, &before), PLIM_OK);
    memcpy(before.data, c.phi.data, before.count * sizeof *before.data);
    assert_int_equal(volume_predict(&c.flow, &c.phi, c.parts, &c.left), PLIM_OK);
    assert_int_equal(volume_restore(&c.flow, &c.phi, c.parts, c.deficit), PLIM_OK);
    assert_memory_equal(before.data, c.phi.data, before.count * sizeof *before.data);
    field_free(c.context, &before);
    close_case(&c);
}

/* The part of each cell near to that of the ball moved along, the sum the same to rounding.
 */
static void predicts(int dim, int n, GridPlace place, double courant) {
    Case c;
    make_case(&c, dim, n, place, courant, 1);
    double before = volume_of(&c), worst = 0;
    assert_int_equal(volume_predict(&c.flow, &c.phi, c.parts, &c.left), PLIM_OK);
    assert_close(sum_of(&c, c.parts), before, 1e-10 * before);
    double z = dim == 3 ? 0.3 * n + 0.2 * courant : 0;
    level_fill(&c.phi, (Ball){vec3(0.3 * n + courant, 0.3 * n + 0.6 * courant, z), 0.15 * n},
               profile_distance);
    field_fill_halo(&c.phi, 1);
    size_t cells = grid_cell_count(&c.grid);
    double *moved = context_allocate(c.context, cells, sizeof *moved);
    assert_non_null(moved);
    liquid_fractions(&c.phi, NULL, 1, moved);
    for (size_t i = 0; i < cells; i++) worst = fmax(worst, fabs(moved[i] - c.parts[i]));
    assert_true(worst < (dim == 3 ? 0.2 : 0.1));
    context_free(c.context, moved, cells, sizeof *moved);
    close_case(&c);
}

static void prediction(void **state) {
    (void)state;
    predicts(2, 40, PLACE_CELLS, 0.7);
    predicts(2, 40, PLACE_NODES, 0.7);
    predicts(2, 40, PLACE_CELLS, 1.8);
    predicts(3, 28, PLACE_CELLS, 0.7);
}

/* Two balls, of which one shrinks by a twentieth of a cell. */
static void shrink_one(Case *c) {
    int n = c->grid.n[0];
    Ball two = {vec3(0.75 * n, 0.75 * n, c->grid.dim == 3 ? 0.75 * n : 0), 0.12 * n};
    for (int k = 0; k < c->phi.n[2]; k++)
        for (int j = 0; j < c->phi.n[1]; j++)
            for (int i = 0; i < c->phi.n[0]; i++) {
                double *own = &c->phi.data[field_index(&c->phi, i, j, k)];
                *own = fmin(*own, ball_distance(&c->grid, two, level_point(&c->phi, i, j, k)));
            }
    field_fill_halo(&c->phi, 1);
    assert_int_equal(volume_predict(&c->flow, &c->phi, c->parts, &c->left), PLIM_OK);
    for (int k = 0; k < c->phi.n[2]; k++)
        for (int j = 0; j < c->phi.n[1]; j++)
            for (int i = 0; i < c->phi.n[0]; i++)
                if (level_point(&c->phi, i, j, k).x < 0.5 * n)
                    c->phi.data[field_index(&c->phi, i, j, k)] += 0.05 * c->grid.spacing;
    field_fill_halo(&c->phi, 1);
}

static void restores(int dim, GridPlace place) {
    int n = dim == 3 ? 28 : 40;
    Case c;
    make_case(&c, dim, n, place, 0, 1);
    shrink_one(&c);
    double wanted = sum_of(&c, c.parts), before = volume_of(&c);
    int at = (int)(0.75 * n), off = at + (int)(0.12 * n);
    size_t other = field_index(&c.phi, off, at, dim == 3 ? at : 0);
    double kept = c.phi.data[other];
    assert_true(before < 0.99 * wanted);
    assert_int_equal(volume_restore(&c.flow, &c.phi, c.parts, c.deficit), PLIM_OK);
    assert_close(volume_of(&c), wanted, 1e-4 * wanted);
    assert_true(c.phi.data[other] == kept);
    close_case(&c);
}

static void restoration(void **state) {
    (void)state;
    restores(2, PLACE_CELLS);
    restores(2, PLACE_NODES);
    restores(3, PLACE_CELLS);
}

static void fill_phi(Case *c, Ball ball, double away) {
    for (int k = 0; k < c->phi.n[2]; k++)
        for (int j = 0; j < c->phi.n[1]; j++)
            for (int i = 0; i < c->phi.n[0]; i++)
                c->phi.data[field_index(&c->phi, i, j, k)] =
                    ball_distance(&c->grid, ball, level_point(&c->phi, i, j, k)) + away;
    field_fill_halo(&c->phi, 1);
}

/* Liquid that vanishes where there is no other is a deficit, and given back to what comes by. */
static void what_is_owed(void **state) {
    (void)state;
    Case c;
    int n = 40;
    Ball ball = {vec3(0.5 * n, 0.5 * n, 0), 0.2 * n};
    make_case(&c, 2, n, PLACE_CELLS, 0, 1);
    fill_phi(&c, ball, 0);
    assert_int_equal(volume_predict(&c.flow, &c.phi, c.parts, &c.left), PLIM_OK);
    double volume = sum_of(&c, c.parts);
    fill_phi(&c, ball, 2.0 * n * c.grid.spacing);
    assert_int_equal(volume_restore(&c.flow, &c.phi, c.parts, c.deficit), PLIM_OK);
    assert_true(volume_of(&c) == 0);
    assert_close(sum_of(&c, c.deficit), volume, 1e-9 * volume);

    /* A tenth of it, on a ball that is there: all is paid within a few steps. */
    for (size_t i = 0; i < grid_cell_count(&c.grid); i++) c.deficit[i] *= 0.1;
    fill_phi(&c, ball, 0);
    for (int step = 0; step < 4; step++) {
        assert_int_equal(volume_predict(&c.flow, &c.phi, c.parts, &c.left), PLIM_OK);
        assert_int_equal(volume_restore(&c.flow, &c.phi, c.parts, c.deficit), PLIM_OK);
    }
    assert_close(volume_of(&c), 1.1 * volume, 1e-3 * volume);
    close_case(&c);
}

static double only_liquid(const void *user, int axis, int end, const int cell[3]) {
    (void)user, (void)axis, (void)end, (void)cell;
    return 1;
}

static void flow_through_top(Case *c, double speed) {
    for (size_t i = 0; i < c->velocity[1].count; i++) c->velocity[1].data[i] = speed;
    double before = volume_of(c), cell = grid_cell_volume(&c->grid);
    assert_int_equal(volume_predict(&c->flow, &c->phi, c->parts, &c->left), PLIM_OK);
    assert_close(sum_of(c, c->parts) + c->left / cell, before, 1e-10 * before);
}

static void open_side(void **state) {
    (void)state;
    Case c;
    int n = 40;
    make_case(&c, 2, n, PLACE_CELLS, 0.5, 1);
    c.grid.sides[1][0] = SIDE_WALL;
    c.grid.sides[1][1] = SIDE_OPEN;
    c.phi.grid = c.grid;
    fill_phi(&c, (Ball){vec3(0.5 * n, n, 0), 0.2 * n}, 0);
    double swept = 0.5 / n * 2 * 0.2; /* of the ball's diameter, m^3 */
    flow_through_top(&c, 1);
    assert_close(c.left, swept, 0.02 * swept);
    flow_through_top(&c, -1);
    assert_true(c.left == 0);
    c.flow.liquid_beyond = only_liquid;
    flow_through_top(&c, -1);
    assert_close(c.left, -0.5 / n, 1e-12); /* all along the side */
    close_case(&c);
}

static void same_bits(void **state) {
    (void)state;
    Case one, many;
    make_case(&one, 2, 40, PLACE_CELLS, 0.5, 1);
    make_case(&many, 2, 40, PLACE_CELLS, 0.5, 4);
    shrink_one(&one);
    shrink_one(&many);
    assert_memory_equal(one.parts, many.parts, grid_cell_count(&one.grid) * sizeof *one.parts);
    assert_int_equal(volume_restore(&one.flow, &one.phi, one.parts, one.deficit), PLIM_OK);
    assert_int_equal(volume_restore(&many.flow, &many.phi, many.parts, many.deficit), PLIM_OK);
    assert_memory_equal(one.phi.data, many.phi.data, one.phi.count * sizeof *one.phi.data);
    close_case(&one);
    close_case(&many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest),      cmocka_unit_test(prediction), cmocka_unit_test(restoration),
        cmocka_unit_test(what_is_owed), cmocka_unit_test(open_side),  cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
