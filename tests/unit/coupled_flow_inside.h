/* The coupled solve from inside: its matrix and its preconditioner over the unknowns. */
#ifndef TESTS_COUPLED_FLOW_INSIDE_H
#define TESTS_COUPLED_FLOW_INSIDE_H

#include "coupled_flow_case.h"

/* What a viscous solve does before it iterates; a solve must have been there. flow_case_end lets
 * go of it. */
static inline void flow_case_begin(FlowCase *c) {
    CoupledFlow *flow = c->flow;
    Viscosity *v = c->viscosity;
    PoissonProblem poisson = flow_poisson_problem(&c->problem);
    flow_case_load(c);
    flow->problem = &c->problem;
    assert_int_equal(flow_begin_structure(flow), PLIM_OK);
    assert_int_equal(poisson_setup(c->poisson, &poisson), PLIM_OK);
    viscosity_set_step(v, c->problem.density, c->problem.dt);
    flow_set_weights(flow);
    assert_int_equal(flow_gather_friction(flow, c->velocity), PLIM_OK);
    assert_int_equal(flow_gather_fluxes(flow, v->stride, v->origin), PLIM_OK);
    assert_int_equal(flow_set_masses(flow), PLIM_OK);
    assert_int_equal(flow_precondition_setup(flow), PLIM_OK);
}

static inline void flow_case_end(FlowCase *c) {
    assert_int_equal(scratch_reset(&c->flow->scratch), PLIM_OK);
    c->flow->problem = NULL;
}

/* The unknowns among lattice vectors: free faces, cells with an equation, motions. */
typedef struct FlowUnknowns {
    FlowCase *c;
    size_t count, faces, cells; /* all; faces come first, then cells */
    size_t *at;
    double *x, *y; /* lattice vectors */
} FlowUnknowns;

static inline FlowUnknowns flow_unknowns(FlowCase *c) {
    const Viscosity *v = c->viscosity;
    size_t size = flow_velocity_size(c->flow), all = flow_vector_size(c->flow);
    FlowUnknowns u = {.c = c, .at = calloc(all, sizeof(size_t))};
    for (size_t i = 0; i < size; i++)
        if (face_is_unknown(v->face[i / v->count][i % v->count])) u.at[u.count++] = i;
    u.faces = u.count;
    for (size_t i = 0; i < v->count; i++)
        if (c->flow->active[i] > 0.0f) u.at[u.count++] = size + i;
    u.cells = u.count - u.faces;
    for (size_t i = size + v->count; i < all; i++) u.at[u.count++] = i;
    u.x = calloc(all, sizeof(double));
    u.y = calloc(all, sizeof(double));
    return u;
}

static inline void flow_unknowns_free(FlowUnknowns *u) {
    free(u->at);
    free(u->x);
    free(u->y);
}

static inline void flow_unknowns_spread(const FlowUnknowns *u, const double *x) {
    size_t size = flow_velocity_size(u->c->flow);
    memset(u->x, 0, flow_vector_size(u->c->flow) * sizeof *u->x);
    for (size_t i = 0; i < u->count; i++) u->x[u->at[i]] = x[i];
    viscosity_fill_copies(u->c->viscosity, u->x);
    viscosity_fill_lattice(u->c->viscosity, u->x + size);
}

static inline void flow_unknowns_apply(const void *object, const double *x, double *y) {
    const FlowUnknowns *u = object;
    LinearMap map = flow_kkt_map(u->c->flow);
    flow_unknowns_spread(u, x);
    map.apply(map.object, u->x, u->y);
    for (size_t i = 0; i < u->count; i++) y[i] = u->y[u->at[i]];
}

static inline void flow_unknowns_precondition(const void *object, const double *r, double *z) {
    const FlowUnknowns *u = object;
    Preconditioner preconditioner = flow_preconditioner(u->c->flow);
    memset(u->x, 0, flow_vector_size(u->c->flow) * sizeof *u->x);
    for (size_t i = 0; i < u->count; i++) u->x[u->at[i]] = r[i];
    preconditioner.apply(preconditioner.object, u->x, u->y);
    for (size_t i = 0; i < u->count; i++) z[i] = u->y[u->at[i]];
}

static inline LinearMap flow_unknowns_map(const FlowUnknowns *u) {
    return (LinearMap){u, u->count, u->count, flow_unknowns_apply, flow_unknowns_apply};
}

static inline LinearMap flow_unknowns_preconditioner(const FlowUnknowns *u) {
    return (LinearMap){u, u->count, u->count, flow_unknowns_precondition,
                       flow_unknowns_precondition};
}

#endif
