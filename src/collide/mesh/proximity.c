/* Repulsions (000 section 3.2.2): where surfaces are nearer than their thickness, approach is
 * stopped without bounce, and a part of what they lack is made good in each step; Coulomb friction
 * goes with it. Impulses are summed up and stay pushes: sweeps converge to a common answer. */
#include "collide/mesh/mesh_collision_data.h"
#include "geom/query/closest.h"

/* ---- finding ---- */

static double mean_thickness(const MeshCollision *m, const CollisionPair *pair) {
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += fabs(pair->weights[k]) * m->thickness[pair->nodes[k]];
    return 0.5 * sum; /* the weights of each side add up to one */
}

/* Signed weights of the nearest points at places x, and the vector between them. */
static Vec3 nearest(const MeshCollision *m, const Vec3 *x, CollisionPair *pair) {
    const int32_t *n = pair->nodes;
    double *w = pair->weights;
    Vec3 a, b;
    if (pair->kind == EDGE_EDGE) {
        double s, r;
        a = closest_between_segments(x[n[0]], x[n[1]], x[n[2]], x[n[3]], &s, &r, &b);
        w[0] = 1 - s, w[1] = s, w[2] = -(1 - r), w[3] = -r;
    } else if (m->dim == 3) {
        double inside[3];
        a = x[n[0]];
        b = closest_on_triangle(a, x[n[1]], x[n[2]], x[n[3]], inside);
        w[0] = 1;
        for (int k = 0; k < 3; k++) w[k + 1] = -inside[k];
    } else {
        double along;
        a = x[n[0]];
        b = closest_on_segment(a, x[n[1]], x[n[2]], &along);
        w[0] = 1, w[1] = -(1 - along), w[2] = -along, w[3] = 0;
    }
    return vec3_sub(a, b);
}

/* What lies near at rest stays so: neighbours in one surface keep less than their distance there.
 */
static double wanted_distance(const MeshCollision *m, const CollisionPair *pair) {
    double thick = mean_thickness(m, pair);
    if (m->surface[pair->nodes[0]] != m->surface[pair->nodes[2]]) return thick;
    CollisionPair at_rest = *pair;
    return fmin(thick, 0.5 * vec3_length(nearest(m, m->rest, &at_rest)));
}

typedef struct NearJob {
    MeshCollision *m;
    const CollisionStep *step;
    int kind;
} NearJob;

static bool near_pair(const NearJob *job, size_t candidate, CollisionPair *pair) {
    const MeshCollision *m = job->m;
    BvhPair at = m->candidates[job->kind].items.data[candidate];
    pair->kind = job->kind;
    pair->parts[0] = (int32_t)at.a;
    pair->parts[1] = (int32_t)at.b;
    collision_corners(m, job->kind, at, pair->nodes);
    Vec3 gap = nearest(m, job->step->x0, pair);
    pair->distance = vec3_length(gap);
    double thick = mean_thickness(m, pair);
    if (!(pair->distance < thick) || !(pair->distance > 0)) return false;
    pair->normal = vec3_scale(1 / pair->distance, gap);
    /* Ends of edges belong to the points beside them: edges meet in their middle. */
    bool is_inner = true;
    for (int k = 0; pair->kind == EDGE_EDGE && k < 4; k++)
        is_inner = is_inner && fabs(pair->weights[k]) > 1e-9;
    pair->lacks = wanted_distance(m, pair) - pair->distance;
    return is_inner && pair->lacks > 0;
}

static void mark_near(void *user, size_t begin, size_t end) {
    const NearJob *job = user;
    for (size_t i = begin; i < end; i++) {
        CollisionPair pair;
        job->m->found.data[i] = near_pair(job, i, &pair);
    }
}

PlimStatus collision_find_near(MeshCollision *m, const CollisionStep *step) {
    m->near.items.count = 0;
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        NearJob job = {m, step, kind};
        size_t count = m->candidates[kind].items.count;
        m->found.count = 0;
        if (!array_reserve(m->context, &m->found, count)) return PLIM_OUT_OF_MEMORY;
        parallel_for(step->threads, count, 1024, mark_near, &job);
        for (size_t i = 0; i < count; i++) {
            CollisionPair pair;
            if (!m->found.data[i]) continue;
            near_pair(&job, i, &pair);
            if (!array_push(m->context, &m->near.items, pair)) return PLIM_OUT_OF_MEMORY;
        }
    }
    m->pushed.count = 0;
    return array_reserve(m->context, &m->pushed, m->near.items.count) ? PLIM_OK
                                                                      : PLIM_OUT_OF_MEMORY;
}

/* ---- pushing ---- */

/* One pair: what it moves along the normal gets at least `least`; its impulses so far are `sum`.
 * Layers between two walls may be stopped into those, but are not pushed there for their distance.
 */
static double push_pair(MeshCollision *m, const CollisionStep *step, size_t i, double least) {
    const double pinched = 0.05;
    const CollisionPair *pair = &m->near.items.data[i];
    double softness = collision_softness(step, pair, pair->normal), *sum = &m->pushed.data[i];
    if (!(softness > 0)) return 0;
    if (least > 0 && softness < pinched * collision_free_softness(step, pair)) return 0;
    double along = vec3_dot(collision_relative(step, pair), pair->normal);
    double before = *sum;
    *sum = fmax(0.0, before + (least - along) / softness);
    if (*sum == before) return 0;
    collision_push(m, step, pair, pair->normal, *sum - before);
    return fabs(*sum - before) * softness;
}

/* Sweeps until changes are a small part of the greatest one of the first sweep. */
static void sweep_pairs(MeshCollision *m, const CollisionStep *step, double part) {
    enum { SWEEPS = 20 };
    size_t count = m->near.items.count;
    double first = 0;
    for (size_t i = 0; i < count; i++) m->pushed.data[i] = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double most = 0;
        for (size_t i = 0; i < count; i++)
            most = fmax(most, push_pair(m, step, i, part * m->near.items.data[i].lacks));
        if (sweep == 0) first = most;
        if (!(most > 1e-2 * first)) break;
    }
    for (size_t i = 0; i < count && part == 0; i++)
        if (m->pushed.data[i] > 0)
            collision_rub(m, step, &m->near.items.data[i], m->pushed.data[i]);
}

void collision_stop_approach(MeshCollision *m, const CollisionStep *step) {
    sweep_pairs(m, step, 0.0);
}

void collision_push_out(MeshCollision *m, const CollisionStep *step) {
    for (size_t i = 0; i < m->node_count; i++) step->pushed_out[i] = step->x1[i];
    sweep_pairs(m, step, 0.1);
    for (size_t i = 0; i < m->node_count; i++)
        step->pushed_out[i] = vec3_sub(step->x1[i], step->pushed_out[i]);
}

void mesh_collision_stop(MeshCollision *m, const CollisionStep *step) {
    sweep_pairs(m, step, 0.0);
}
