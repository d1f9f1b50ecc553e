/* The coupled solve against the problem written out: matrix, answer, impulses. */
#ifndef TESTS_COUPLED_FLOW_COMPARE_H
#define TESTS_COUPLED_FLOW_COMPARE_H

#include "coupled_flow_dense.h"

#include "math/cholesky.h"

/* ---- the matrix ---- */

/* The velocity of the dense form that an unknown of the method is. */
static inline void flow_match_unknowns(const FlowDense *dense, const FlowKkt *kkt,
                                       const FlowUnknowns *u, size_t *place) {
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
static inline void flow_check_matrix(const FlowDense *dense, const FlowKkt *kkt,
                                     const FlowUnknowns *u) {
    LinearMap map = flow_unknowns_map(u);
    Csr matrix;
    PlimContext *context = dense->c->context;
    assert_int_equal(csr_from_map(context, &map, &matrix), PLIM_OK);
    assert_int_equal(matrix.rows, kkt->n);
    size_t n = kkt->n, *place = calloc(n, sizeof *place);
    double *full = calloc(n * n, sizeof *full), most = 0.0, worst = 0.0, skew = 0.0;
    flow_match_unknowns(dense, kkt, u, place);
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

static inline double flow_mean_of(const double *x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += x[i] / (double)count;
    return sum;
}

/* Whether the level of the pressure is known: some side is open, or there is air. */
static inline bool flow_has_level(const FlowCase *c) {
    if (c->phi) return true;
    for (int a = 0; a < c->grid.dim; a++)
        if (c->grid.sides[a][0] == SIDE_OPEN || c->grid.sides[a][1] == SIDE_OPEN) return true;
    return false;
}

/* Velocities, pressures and motions of the solve against w and l. */
static inline void flow_compare(const FlowDense *dense, const double *w, const double *l,
                                double tolerance) {
    const FlowCase *c = dense->c;
    double worst = 0.0, off = 0.0, most = 0.0;
    FLOW_FACES(c, a, i, j, k) {
        double u = c->velocity[a][grid_face_index(&c->grid, a, i, j, k)];
        if (flow_case_is_free(c, a, (int[3]){i, j, k}))
            worst = fmax(worst, fabs(u - w[flow_dense_number(dense, a, (int[3]){i, j, k})]));
    }
    for (size_t b = 0; b < c->body_count; b++)
        for (int m = 0; c->bodies[b].is_free && m < c->motion_count[b]; m++) {
            const double *motion = c->motion[b][m];
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
    double shift = flow_has_level(c) ? 0.0 : flow_mean_of(p, cells) - flow_mean_of(exact, cells);
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
static inline void flow_check_impulses(const FlowCase *c) {
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

#endif
