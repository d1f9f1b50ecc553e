/* The matrix of the coupled solve on lattice vectors: G and its transpose (002 section 5.4.2) with
 * the viscosity's own operator and the entries of bodies. */
#include "solve/coupled/coupled_flow_internal.h"

#include <string.h>

/* ---- set-up ---- */

static void weigh_rows(void *user, size_t begin, size_t end) {
    CoupledFlow *flow = user;
    const FlowProblem *problem = flow->problem;
    const Viscosity *v = problem->viscosity;
    const Grid *grid = &flow->grid;
    const PoissonLayout cells = poisson_layout(flow->poisson);
    const float *inverse = poisson_inverse_diagonal(flow->poisson);
    for (size_t row = begin; row < end; row++) {
        int j, k;
        lattice_row_place(v, row, &j, &k);
        for (int i = -1; i <= grid->n[0] + 1; i++) {
            size_t c = lattice_index(v, i, j, k);
            int at[3] = {i, j, k};
            bool inside = true;
            for (int a = 0; a < grid->dim; a++) inside &= at[a] >= 0 && at[a] < grid->n[a];
            flow->active[c] =
                inside && inverse[poisson_index(&cells, i, j, k)] > 0.0f ? 1.0f : 0.0f;
            for (int a = 0; a < grid->dim; a++) {
                bool is_free = face_is_free(v->face[a][c]);
                const double *open = problem->open[a];
                double part = is_free && open ? open[face_wrapped(grid, a, at)] : 1.0;
                flow->weight[a][c] = is_free ? (float)part : 0.0f;
            }
        }
    }
}

void flow_set_weights(CoupledFlow *flow) {
    const Viscosity *v = flow->problem->viscosity;
    flow->area = grid_face_area(&flow->grid);
    parallel_for(v->threads, (size_t)v->size[1] * (size_t)v->size[2], row_grain(v), weigh_rows,
                 flow);
}

/* ---- divergence ---- */

typedef struct DivergenceJob {
    const CoupledFlow *flow;
    const double *u;
    double *p;
} DivergenceJob;

static void diverge_rows(void *user, size_t begin, size_t end) {
    const DivergenceJob *job = user;
    const CoupledFlow *flow = job->flow;
    const Viscosity *v = flow->problem->viscosity;
    const Grid *grid = &flow->grid;
    size_t length = (size_t)v->size[0];
    for (size_t row = begin; row < end; row++) {
        int j, k;
        lattice_row_place(v, row, &j, &k);
        size_t start = lattice_index(v, -1, j, k);
        double *p = job->p + start;
        memset(p, 0, length * sizeof *p);
        if (j < 0 || j >= grid->n[1] || k < 0 || k >= grid->n[2]) continue;
        for (int a = 0; a < grid->dim; a++) {
            const double *u = job->u + (size_t)a * v->count + start, *next = u + v->stride[a];
            const float *w = flow->weight[a] + start, *w_next = w + v->stride[a];
            for (size_t i = 1; i + 1 < length; i++)
                p[i] += (double)w_next[i] * next[i] - (double)w[i] * u[i];
        }
        const float *active = flow->active + start;
        for (size_t i = 0; i < length; i++) p[i] *= flow->area * (double)active[i];
    }
}

void flow_divergence(const CoupledFlow *flow, const double *u, double *p) {
    const Viscosity *v = flow->problem->viscosity;
    DivergenceJob job = {flow, u, p};
    parallel_for(v->threads, (size_t)v->size[1] * (size_t)v->size[2], row_grain(v), diverge_rows,
                 &job);
}

/* ---- the whole ---- */

typedef struct GradientJob {
    const CoupledFlow *flow;
    const double *l;
    double *y;
} GradientJob;

/* y += D^T l in a row of one component. */
static void add_gradient(void *user, size_t start, size_t count) {
    const GradientJob *job = user;
    const CoupledFlow *flow = job->flow;
    const Viscosity *v = flow->problem->viscosity;
    int a = (int)(start / v->count);
    size_t c = start - (size_t)a * v->count;
    if (c < v->stride[a]) return; /* a row of the halo: nothing is unknown there */
    const double *l = job->l + c, *below = l - v->stride[a];
    const float *w = flow->weight[a] + c, *part = v->part[a] + c;
    double *y = job->y + start, area = flow->area;
    for (size_t i = a == 0; i < count; i++)
        if (part[i] > 0.0f) y[i] += area * (double)w[i] * (below[i] - l[i]);
}

static void kkt_apply(const void *object, const double *x, double *y) {
    const CoupledFlow *flow = object;
    const Viscosity *v = flow->problem->viscosity;
    size_t velocities = flow_velocity_size(flow);
    const double *l = x + velocities, *motions = l + v->count;
    double *y_l = y + velocities, *y_motions = y_l + v->count;
    GradientJob job = {flow, l, y};
    viscosity_apply_then(v, x, y, add_gradient, &job);
    flow_divergence(flow, x, y_l);
    if (flow->motion_count == 0) return;
    double *y_links = y_motions + flow->motion_count;
    flow_apply_structure(flow, motions, y_motions);
    flow_from_motions(&flow->friction, motions, y);
    flow_to_motions(&flow->friction, x, y_motions);
    flow_from_motions(&flow->fluxes, motions, y_l);
    flow_to_motions(&flow->fluxes, l, y_motions);
    memset(y_links, 0, flow->links.at.count * sizeof *y_links);
    flow_apply_links(flow, 1.0, motions, y_links);
    flow_apply_links_transpose(flow, 1.0, motions + flow->motion_count, y_motions);
}

LinearMap flow_kkt_map(const CoupledFlow *flow) {
    size_t n = flow_vector_size(flow);
    return (LinearMap){flow, n, n, kkt_apply, kkt_apply};
}
