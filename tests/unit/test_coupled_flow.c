/* The coupled solve of a flow with bodies against the same problem written out in full: its matrix,
 * its answer by elimination, and the documents' form (002 (5.30)). */
#include "coupled_flow_compare.h"

typedef struct Scenario {
    const char *name;
    int dim, n[3];
    SideKind sides[3][2];
} Scenario;

#define WALLS                                                                                      \
    { SIDE_WALL, SIDE_WALL }
#define JOINED                                                                                     \
    { SIDE_PERIODIC, SIDE_PERIODIC }

static const Scenario scenarios[] = {
    {"walls", 2, {8, 9, 1}, {WALLS, WALLS}},
    {"periodic", 2, {8, 8, 1}, {JOINED, JOINED}},
    {"channel", 2, {9, 8, 1}, {{SIDE_INFLOW, SIDE_OPEN}, WALLS}},
    {"open", 2, {8, 8, 1}, {{SIDE_OPEN, SIDE_WALL}, {SIDE_OPEN, SIDE_OPEN}}},
    {"mixed", 3, {4, 5, 6}, {WALLS, JOINED, {SIDE_INFLOW, SIDE_OPEN}}},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* A free disc of that density off the grid, an obstacle and a body with a motion of its own; in
 * three dimensions a free ball. The bodies stay clear of sides, but not of seams. */
static FlowCase *make(PlimContext *context, const Scenario *s, double mu, double density) {
    Grid grid = {.dim = s->dim, .spacing = 0.25, .origin = {0.3, -0.2, 0.0}};
    memcpy(grid.n, s->n, sizeof grid.n);
    memcpy(grid.sides, s->sides, sizeof grid.sides);
    FlowCase *c = flow_case_create(context, &grid, mu);
    bool joined = s->sides[0][0] == SIDE_PERIODIC;
    c->problem.density = 1.3;
    if (s->dim == 2) {
        flow_case_add(c, vec3(joined ? 0.41 : 1.02, 0.67, 0), 0.33, density);
        flow_case_add(c, vec3(1.73, 0.58, 0), 0.21, 0.0);
        flow_case_add(c, vec3(1.31, 1.35, 0), 0.23, 0.0);
    } else {
        flow_case_add(c, vec3(0.82, 0.93, 0.79), 0.26, density);
    }
    flow_case_build(c);
    if (s->dim == 2) {
        const double turning[6] = {0.3, -0.2, 0, 0, 0, 0.7};
        memcpy(c->start[2], turning, sizeof turning);
    }
    flow_case_random(c, 3);
    FLOW_FACES(c, a, i, j, k) {
        int at[3] = {i, j, k};
        bool inflow =
            flow_case_on_given_side(c, a, at) && at[a] == 0 && s->sides[a][0] == SIDE_INFLOW;
        if (inflow)
            c->velocity[a][grid_face_index(&c->grid, a, i, j, k)] =
                0.2 + 0.05 * (i + 2 * j + k * j);
    }
    flow_case_load_momenta(c);
    c->problem.divergence = 1e-12;
    c->problem.momentum = 1e-12;
    return c;
}

/* ---- the answer ---- */

static void test_viscous(void **state) {
    (void)state;
    static const double mus[] = {0.05, 30.0};
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < 2 * SCENARIOS; i++) {
        const Scenario *s = &scenarios[i / 2];
        print_message("%s, %g Pa s\n", s->name, mus[i % 2]);
        FlowCase *c = make(context, s, mus[i % 2], i < SCENARIOS ? 2.0 : 0.3);
        FlowDense *dense = flow_dense_create(c);
        FlowKkt kkt = flow_dense_kkt(dense);
        double *w = calloc(dense->rows.n, 8), *l = calloc(dense->rows.constraints, 8);
        FlowResult result = flow_case_solve(c);
        print_message("  %d iterations\n", result.iterations);
        flow_case_begin(c);
        FlowUnknowns u = flow_unknowns(c);
        flow_check_matrix(dense, &kkt, &u);
        flow_unknowns_free(&u);
        flow_case_end(c);
        flow_kkt_solve(&kkt, dense->rows.n, w, l);
        flow_compare(dense, w, l, 1e-8);
        flow_check_impulses(c);
        free(w);
        free(l);
        flow_kkt_free(&kkt);
        flow_dense_destroy(dense);
        flow_case_destroy(c);
    }
    test_context_close(context);
}

static void test_inviscid(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const double densities[] = {1e-9, 0.01, 1e4};
    for (size_t i = 0; i < 3 * SCENARIOS; i++) {
        const Scenario *s = &scenarios[i / 3];
        print_message("%s, %g kg/m^3\n", s->name, densities[i % 3]);
        FlowCase *c = make(context, s, 0.0, densities[i % 3]);
        FlowDense *dense = flow_dense_create(c);
        FlowKkt kkt = flow_dense_kkt(dense);
        double *w = calloc(dense->rows.n, 8), *l = calloc(dense->rows.constraints, 8);
        flow_case_solve(c);
        flow_kkt_solve(&kkt, dense->rows.n, w, l);
        flow_compare(dense, w, l, 1e-8);
        flow_check_impulses(c);
        free(w);
        free(l);
        flow_kkt_free(&kkt);
        flow_dense_destroy(dense);
        flow_case_destroy(c);
    }
    test_context_close(context);
}

/* ---- the documents' form ---- */

/* (K B^-1 K^T + P) z = K w* - s over rows of cells, dampers and ties, and the generic solve of the
 * same description. Where rounding of coefficients to single precision made a term indefinite, its
 * factors are off by as much. */
static void check_reference(FlowDense *dense) {
    PlimContext *context = dense->c->context;
    const Case *rows = &dense->rows;
    Coupled *coupled = case_build(context, rows);
    CoupledReference reference;
    assert_int_equal(coupled_reference_create(coupled, &reference), PLIM_OK);
    Scratch scratch;
    scratch_init(&scratch, context);
    KrylovOptions options = {.relative = 1e-11, .max_iterations = 50000, .threads = 1};
    size_t count = rows->constraints + rows->dampers + rows->ties;
    double *w = calloc(rows->n, 8), *z = calloc(count, 8), *l = calloc(rows->constraints, 8);
    SolveResult spd;
    assert_int_equal(
        coupled_reference_solve(&reference, &scratch, &options, true, rows->w, w, z, &spd),
        PLIM_OK);
    assert_int_equal(spd.reason, SOLVE_CONVERGED);
    print_message("  SPD form: %zu rows, %d iterations\n", count, spd.iterations);
    flow_compare(dense, w, z, 1e-7);
    CoupledResult generic;
    assert_int_equal(coupled_solve(coupled, &scratch, rows->w, w, l, &generic), PLIM_OK);
    assert_int_equal(generic.reason, SOLVE_CONVERGED);
    print_message("  generic: %d iterations\n", generic.iterations);
    flow_compare(dense, w, l, 1e-7);
    free(w);
    free(z);
    free(l);
    scratch_free(&scratch);
    coupled_reference_free(&reference);
    coupled_destroy(coupled);
}

static void test_reference(void **state) {
    (void)state;
    static const double mus[] = {0.0, 0.05, 3.0};
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < 3 * SCENARIOS; i++) {
        const Scenario *s = &scenarios[i / 3];
        if (s->dim == 3 && i % 3 != 1) continue;
        print_message("%s, %g Pa s\n", s->name, mus[i % 3]);
        FlowCase *c = make(context, s, mus[i % 3], 2.0);
        FlowDense *dense = flow_dense_create(c);
        dense->rows.tolerance = 1e-11;
        FlowResult result = flow_case_solve(c);
        print_message("  %d iterations\n", result.iterations);
        check_reference(dense);
        flow_dense_destroy(dense);
        flow_case_destroy(c);
    }
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_viscous),
        cmocka_unit_test(test_inviscid),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
