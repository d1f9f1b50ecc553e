/* The coupled solve of a flow with bodies against the same problem written out in full: its matrix,
 * its answer by elimination, and the documents' form (002 (5.30)). */
#include "coupled_flow_dense.h"

#include "math/cholesky.h"

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

/* ---- the matrix ---- */

/* The velocity of the dense form that an unknown of the method is. */
static void match_unknowns(const FlowDense *dense, const FlowKkt *kkt, const FlowUnknowns *u,
                           size_t *place) {
    const FlowCase *c = dense->c;
    size_t *of_velocity = calloc(dense->rows.n, sizeof *of_velocity), cell = 0;
    size_t size = flow_velocity_size(c->flow), motions = size + c->viscosity->count;
    for (size_t i = 0; i < kkt->q; i++) of_velocity[kkt->velocity[i]] = i;
    for (size_t i = 0; i < u->count; i++) {
        if (u->at[i] < size)
            place[i] = of_velocity[dense->of_lattice[u->at[i]]];
        else if (u->at[i] < motions) /* both run over cells in the same order */
            place[i] = kkt->q + cell++;
        else
            place[i] = of_velocity[dense->first[0] + u->at[i] - motions];
    }
    free(of_velocity);
}

/* The matrix of the method is symmetric and the one written out; its first block is positive. */
static void check_matrix(const FlowDense *dense, const FlowKkt *kkt, const FlowUnknowns *u) {
    LinearMap map = flow_unknowns_map(u);
    Csr matrix;
    PlimContext *context = dense->c->context;
    assert_int_equal(csr_from_map(context, &map, &matrix), PLIM_OK);
    assert_int_equal(matrix.rows, kkt->n);
    size_t n = kkt->n, *place = calloc(n, sizeof *place);
    double *full = calloc(n * n, sizeof *full), most = 0.0, worst = 0.0, skew = 0.0;
    match_unknowns(dense, kkt, u, place);
    for (size_t i = 0; i < n; i++)
        for (size_t e = matrix.row_start[i]; e < matrix.row_start[i + 1]; e++)
            full[place[i] * n + place[matrix.column[e]]] = matrix.value[e];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            most = fmax(most, fabs(full[i * n + j]));
            worst = fmax(worst, fabs(full[i * n + j] - kkt->matrix[i * n + j]));
            skew = fmax(skew, fabs(full[i * n + j] - full[j * n + i]));
        }
    print_message("  %zu unknowns, entries to %.3g: off by %.2g, skew by %.2g\n", n, most, worst,
                  skew);
    assert_true(worst <= 1e-14 * most);
    assert_true(skew <= 1e-14 * most);
    for (size_t i = 0; i < kkt->q; i++) memmove(full + i * kkt->q, full + i * n, kkt->q * 8);
    assert_true(cholesky_factor(full, kkt->q));
    free(full);
    free(place);
    csr_free(context, &matrix);
}

/* ---- the answer ---- */

static double mean_of(const double *x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += x[i] / (double)count;
    return sum;
}

static bool has_open_side(const FlowCase *c) {
    for (int a = 0; a < c->grid.dim; a++)
        if (c->grid.sides[a][0] == SIDE_OPEN || c->grid.sides[a][1] == SIDE_OPEN) return true;
    return false;
}

/* Velocities, pressures and motions of the solve against w and l. */
static void compare(const FlowDense *dense, const double *w, const double *l, double tolerance) {
    const FlowCase *c = dense->c;
    double worst = 0.0, off = 0.0, most = 0.0;
    FLOW_FACES(c, a, i, j, k) {
        double u = c->velocity[a][grid_face_index(&c->grid, a, i, j, k)];
        if (flow_case_is_free(c, a, (int[3]){i, j, k}))
            worst = fmax(worst, fabs(u - w[flow_dense_number(dense, a, (int[3]){i, j, k})]));
    }
    for (size_t b = 0; b < c->body_count; b++)
        for (int m = 0; c->bodies[b].is_free && m < c->bodies[b].motion_count; m++) {
            const double *motion = c->bodies[b].motion[m];
            double v =
                operator_dot(motion, c->bodies[b].velocity, 6) / operator_dot(motion, motion, 6);
            worst = fmax(worst, fabs(v - w[dense->first[b] + (size_t)m]));
        }
    size_t cells = dense->rows.constraints;
    double *p = calloc(cells, 8), *exact = calloc(cells, 8);
    for (size_t i = 0; i < cells; i++) {
        p[i] = c->pressure[dense->cell[i]];
        exact[i] = -l[i] / c->problem.dt;
    }
    double shift = has_open_side(c) ? 0.0 : mean_of(p, cells) - mean_of(exact, cells);
    for (size_t i = 0; i < cells; i++) {
        off = fmax(off, fabs(p[i] - exact[i] - shift));
        most = fmax(most, fabs(exact[i]));
    }
    print_message("  velocities off by %.2g, pressures by %.2g of %.3g\n", worst, off, most);
    assert_true(worst < tolerance);
    assert_true(off < tolerance * most);
    free(p);
    free(exact);
}

/* What the fluid gave to a free body is its change of momentum. */
static void check_impulses(const FlowCase *c) {
    for (size_t b = 0; b < c->body_count; b++) {
        const FlowBody *body = &c->bodies[b];
        for (int i = 0; body->is_free && i < 6; i++) {
            if (c->grid.dim == 2 && i >= 2 && i < 5) continue;
            double after = operator_dot(body->mass[i], body->velocity, 6);
            assert_close(body->impulse[i], after - body->momentum[i],
                         1e-8 * (fabs(after) + fabs(body->momentum[i]) + 1e-3));
        }
    }
}

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
        check_matrix(dense, &kkt, &u);
        flow_unknowns_free(&u);
        flow_case_end(c);
        flow_kkt_solve(&kkt, dense->rows.n, w, l);
        compare(dense, w, l, 1e-8);
        check_impulses(c);
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
        compare(dense, w, l, 1e-8);
        check_impulses(c);
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
    compare(dense, w, z, 1e-7);
    CoupledResult generic;
    assert_int_equal(coupled_solve(coupled, &scratch, rows->w, w, l, &generic), PLIM_OK);
    assert_int_equal(generic.reason, SOLVE_CONVERGED);
    print_message("  generic: %d iterations\n", generic.iterations);
    compare(dense, w, l, 1e-7);
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
