/* Strain and strain-rate limits of sheets (000 section 3.2.1): after the solve for positions,
 * impulses along edges change v^{n+1/2} so that no edge ends longer or shorter than its length at
 * rest by more than the limit, or changes by more than that in a step. Edges are taken one after
 * the other in a fixed order, there and back, until all are well. Each impulse acts on both ends:
 * momentum is kept. */
#include "deform/internal.h"

#include <stdlib.h>
#include <string.h>

static int compare_edges(const void *left, const void *right) {
    const LimitEdge *l = left, *r = right;
    if (l->nodes[0] != r->nodes[0]) return l->nodes[0] < r->nodes[0] ? -1 : 1;
    return (l->nodes[1] > r->nodes[1]) - (l->nodes[1] < r->nodes[1]);
}

static PlimStatus add_sides(Deform *d, size_t element, double limit) {
    int corners = d->corner_count[element];
    for (int c = 0; c < (corners == 2 ? 1 : corners); c++) {
        int32_t a = d->corners[4 * element + (size_t)c];
        int32_t b = d->corners[4 * element + (size_t)((c + 1) % corners)];
        Vec3 way = vec3_sub(vec3_load(d->rest + 3 * a), vec3_load(d->rest + 3 * b));
        LimitEdge edge = {{a < b ? a : b, a < b ? b : a}, vec3_length(way), limit, 0};
        if (!array_push(d->context, &d->limit_edges, edge)) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

PlimStatus limit_make(Deform *d) {
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        for (size_t k = 0; body->strain_limit > 0 && k < body->count[DEFORM_ELEMENTS]; k++)
            TRY(add_sides(d, body->first[DEFORM_ELEMENTS] + k, body->strain_limit));
    }
    size_t count = d->limit_edges.count, kept = 0;
    if (count == 0) return PLIM_OK;
    LimitEdge *edges = d->limit_edges.data;
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_edges(&edges[kept - 1], &edges[i]) != 0) edges[kept++] = edges[i];
    d->limit_edges.count = kept;
    if (!array_reserve(d->context, &d->limited, 3 * deform_count(d, DEFORM_NODES)) ||
        !array_reserve(d->context, &d->limit_changed, deform_count(d, DEFORM_NODES)))
        return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

/* What an impulse along n does to the velocity of a node: that of its free directions alone. */
static Vec3 answer(const Deform *d, int32_t node, Vec3 n) {
    int dim = d->options.dim;
    if (!d->is_held[node]) {
        double mass = d->mass[node]; /* + 0: as below, without negative zeros */
        return vec3(n.x / mass + 0.0, n.y / mass + 0.0, dim == 3 ? n.z / mass + 0.0 : 0.0);
    }
    const double *filter = d->filter + (size_t)(dim * dim) * (size_t)node;
    double in[3], out[3] = {0};
    vec3_store(in, n);
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) out[i] += filter[dim * i + j] * in[j] / d->mass[node];
    return vec3_load(out);
}

/* An impulse on a node: what a free rigid body holds of it acts on the body, and takes along all
 * that touches it. */
static void push_node(Deform *d, int32_t node, Vec3 impulse, bool with_bodies, double *v) {
    vec3_store(v + 3 * node, vec3_add(vec3_load(v + 3 * node), answer(d, node, impulse)));
    d->limit_changed.data[node] = d->limit_look;
    if (!with_bodies || !d->is_held[node]) return;
    pushed_take_impulse(d, (size_t)node, impulse, v);
    d->limit_body_changed = d->limit_look;
}

/* Whether it was well, and its ends have the velocities that they had then. */
static bool is_still(const Deform *d, const LimitEdge *edge) {
    size_t a = (size_t)edge->nodes[0], b = (size_t)edge->nodes[1];
    bool held = d->is_held[a] || d->is_held[b];
    return edge->still > d->limit_changed.data[a] && edge->still > d->limit_changed.data[b] &&
           !(held && edge->still <= d->limit_body_changed);
}

/* The lengths that an edge may have at the end, given the one it has. */
static void allowed_lengths(const LimitEdge *edge, double before, double part, double *low,
                            double *high) {
    double most = edge->limit * edge->rest, back = part * most;
    *low = fmax(edge->rest - most, before - most);
    *high = fmin(edge->rest + most, before + most);
    /* It starts out off: as near as the rate lets it. */
    if (before > edge->rest + most) *high = fmax(*high, before - back);
    if (before < edge->rest - most) *low = fmin(*low, before + back);
}

/* Of the way that edges may come back in a usual step: in a shorter one they would fly otherwise,
 * and make the next one shorter still. */
static double part_of_step(const Deform *d, double dt) {
    double usual = d->step_limit[3];
    return dt < usual ? dt / usual : 1.0;
}

/* True when it had to be changed by more than a little. */
static bool limit_edge(Deform *d, LimitEdge *edge, const double *x0, double dt, double *v,
                       bool with_bodies) {
    const double slack = 0.01; /* of the limit */
    int32_t a = edge->nodes[0], b = edge->nodes[1];
    if (is_still(d, edge)) return false;
    edge->still = ++d->limit_look;
    Vec3 start = vec3_sub(vec3_load(x0 + 3 * b), vec3_load(x0 + 3 * a));
    Vec3 speed = vec3_sub(vec3_load(v + 3 * b), vec3_load(v + 3 * a));
    Vec3 end = vec3_add_scaled(start, dt, speed);
    double before = vec3_length(start), after = vec3_length(end), low, high;
    allowed_lengths(edge, before, part_of_step(d, dt), &low, &high);
    if (!(after > high || after < low) || !(after > 0)) return false;
    Vec3 n = vec3_scale(1 / after, end), of_a = answer(d, a, n), of_b = answer(d, b, n);
    double give = vec3_dot(n, of_a) + vec3_dot(n, of_b);
    with_bodies = with_bodies && !pushed_share(d, (size_t)a, (size_t)b);
    if (with_bodies) give += pushed_give(d, (size_t)a, n) + pushed_give(d, (size_t)b, n);
    if (!(give > 0)) return false;
    double impulse = ((after > high ? high : low) - after) / (dt * give);
    push_node(d, a, vec3_scale(-impulse, n), with_bodies, v);
    push_node(d, b, vec3_scale(impulse, n), with_bodies, v);
    return fmax(after - high, low - after) > slack * edge->limit * edge->rest;
}

size_t limit_velocities(Deform *d, const double *x0, double dt, double *v, bool with_bodies,
                        double *sweeps) {
    enum { MOST_SWEEPS = 500 };
    size_t count = d->limit_edges.count, left = count;
    *sweeps = 0;
    d->limit_look = d->limit_body_changed = 0;
    if (count > 0)
        memset(d->limit_changed.data, 0, deform_count(d, DEFORM_NODES) * sizeof(int64_t));
    for (size_t k = 0; k < count; k++) d->limit_edges.data[k].still = 0;
    for (int sweep = 0; sweep < MOST_SWEEPS && left > 0; sweep++) {
        left = 0;
        for (size_t k = 0; k < count; k++) {
            size_t e = sweep % 2 == 0 ? k : count - 1 - k;
            left += limit_edge(d, &d->limit_edges.data[e], x0, dt, v, with_bodies);
        }
        *sweeps = sweep + (left > 0);
    }
    return left;
}

void limit_strain(Deform *d, const StepInfo *step) {
    size_t values = 3 * deform_count(d, DEFORM_NODES);
    double *change = d->limited.data;
    if (d->limit_edges.count == 0) return;
    memcpy(change, d->velocity_half, values * sizeof *change);
    d->figures.unlimited = (double)limit_velocities(d, d->position, step->dt, d->velocity_half,
                                                    d->pushes, &d->figures.limit_sweeps);
    for (size_t i = 0; i < values; i++) change[i] = d->velocity_half[i] - change[i];
}
