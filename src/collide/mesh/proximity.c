/* Repulsions (000 section 3.2.2): where surfaces are nearer than their thickness, approach is
 * stopped without bounce, and a part of what they lack is made good in each step; Coulomb friction
 * goes with it. Impulses are summed up and stay pushes: sweeps converge to a common answer. */
#include "collide/mesh/mesh_collision_data.h"

/* ---- finding ---- */

static double mean_thickness(const MeshCollision *m, const CollisionPair *pair) {
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += fabs(pair->weights[k]) * m->thickness[pair->nodes[k]];
    return 0.5 * sum; /* the weights of each side add up to one */
}

/* Signed weights of the nearest points at places x, and the vector between them. */
static Vec3 nearest(const MeshCollision *m, const Vec3 *x, CollisionPair *pair) {
    Vec3 corners[4];
    for (int k = 0; k < 4; k++) corners[k] = x[pair->nodes[k]];
    return mesh_collision_nearest(m->dim, pair->kind, corners, pair->weights);
}

/* What lies near at rest stays so: neighbours in one surface keep less than their distance there.
 */
static double wanted_distance(const MeshCollision *m, const CollisionPair *pair) {
    double thick = mean_thickness(m, pair);
    if (m->surface[pair->nodes[0]] != m->surface[pair->nodes[2]]) return thick;
    CollisionPair at_rest = *pair;
    return fmin(thick, 0.5 * vec3_length(nearest(m, m->rest, &at_rest)));
}

typedef struct NearJob NearJob;
/* Whether a candidate is a pair that is looked for, and the pair. */
typedef bool (*NearTest)(const NearJob *job, size_t candidate, CollisionPair *pair);

struct NearJob {
    MeshCollision *m;
    const CollisionStep *step;
    int kind;
    NearTest test;
};

/* Whether an implicit solve keeps all four apart. */
static bool is_solved(const MeshCollision *m, const CollisionPair *pair) {
    bool is_one = m->solver && m->solver[pair->nodes[0]] >= 0;
    for (int k = 1; k < 4 && is_one; k++)
        is_one = m->solver[pair->nodes[k]] == m->solver[pair->nodes[0]];
    return is_one;
}

static void start_pair(const NearJob *job, size_t candidate, CollisionPair *pair) {
    const MeshCollision *m = job->m;
    BvhPair at = m->candidates[job->kind].items.data[candidate];
    pair->kind = job->kind;
    pair->parts[0] = (int32_t)at.a;
    pair->parts[1] = (int32_t)at.b;
    collision_corners(m, job->kind, at, pair->nodes);
    Vec3 gap = nearest(m, job->step->x0, pair);
    pair->distance = vec3_length(gap);
    pair->normal = pair->distance > 0 ? vec3_scale(1 / pair->distance, gap) : vec3(0, 0, 0);
    pair->share = 1;
}

/* Ends of edges belong to the points beside them: edges meet in their middle. */
static bool is_inner(const CollisionPair *pair) {
    bool inner = true;
    for (int k = 0; pair->kind == EDGE_EDGE && k < 4; k++)
        inner = inner && fabs(pair->weights[k]) > 1e-9;
    return inner;
}

static bool near_pair(const NearJob *job, size_t candidate, CollisionPair *pair) {
    const double net = 0.5; /* of the distance, where a solve keeps it */
    const MeshCollision *m = job->m;
    start_pair(job, candidate, pair);
    double thick = mean_thickness(m, pair);
    if (!(pair->distance < thick) || !(pair->distance > 0)) return false;
    double wanted = wanted_distance(m, pair);
    pair->lacks = (is_solved(m, pair) ? net : 1.0) * wanted - pair->distance;
    return is_inner(pair) && pair->distance < wanted;
}

/* The farthest that a point of the one moves against a point of the other, m. */
static double relative_way(const CollisionStep *step, const CollisionPair *pair) {
    int first = pair->kind == EDGE_EDGE ? 2 : 1;
    double most = 0;
    Vec3 way[4];
    for (int k = 0; k < 4; k++)
        way[k] = vec3_sub(step->x1[pair->nodes[k]], step->x0[pair->nodes[k]]);
    for (int a = 0; a < first; a++)
        for (int b = first; b < 4; b++) most = fmax(most, vec3_length(vec3_sub(way[a], way[b])));
    return most;
}

/* Continuous in where edges are: nothing at their ends, and where they are parallel. */
static double share_of_edges(const CollisionStep *step, const CollisionPair *pair) {
    const double fine = 0.01; /* sine squared */
    const int32_t *n = pair->nodes;
    const double *w = pair->weights;
    Vec3 a = vec3_sub(step->x0[n[1]], step->x0[n[0]]);
    Vec3 b = vec3_sub(step->x0[n[3]], step->x0[n[2]]);
    double lengths = vec3_dot(a, a) * vec3_dot(b, b);
    Vec3 across = vec3_cross(a, b);
    double sine = lengths > 0 ? fmin(1.0, vec3_dot(across, across) / (lengths * fine)) : 0.0;
    return sine * (2 - sine) * 16 * w[0] * w[1] * w[2] * w[3];
}

static bool pair_ahead(const NearJob *job, size_t candidate, CollisionPair *pair) {
    const MeshCollision *m = job->m;
    start_pair(job, candidate, pair);
    double reach = mean_thickness(m, pair) + relative_way(job->step, pair);
    if (!(pair->distance < reach) || !(pair->distance > 0) || !is_solved(m, pair)) return false;
    pair->lacks = wanted_distance(m, pair) - pair->distance;
    if (pair->kind == EDGE_EDGE) pair->share = share_of_edges(job->step, pair);
    return pair->share > 1e-6;
}

static void mark_near(void *user, size_t begin, size_t end) {
    const NearJob *job = user;
    for (size_t i = begin; i < end; i++) {
        CollisionPair pair;
        job->m->found.data[i] = job->test(job, i, &pair);
    }
}

/* All candidates that pass a test. */
static PlimStatus collect_pairs(MeshCollision *m, const CollisionStep *step, NearTest test,
                                CollisionPairs *out) {
    out->items.count = 0;
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        NearJob job = {m, step, kind, test};
        size_t count = m->candidates[kind].items.count;
        m->found.count = 0;
        if (!array_reserve(m->context, &m->found, count)) return PLIM_OUT_OF_MEMORY;
        parallel_for(step->threads, count, 1024, mark_near, &job);
        for (size_t i = 0; i < count; i++) {
            CollisionPair pair;
            if (!m->found.data[i]) continue;
            test(&job, i, &pair);
            if (!array_push(m->context, &out->items, pair)) return PLIM_OUT_OF_MEMORY;
        }
    }
    return PLIM_OK;
}

PlimStatus collision_find_near(MeshCollision *m, const CollisionStep *step) {
    TRY(collect_pairs(m, step, near_pair, &m->near));
    m->pushed.count = 0;
    return array_reserve(m->context, &m->pushed, m->near.items.count) ? PLIM_OK
                                                                      : PLIM_OUT_OF_MEMORY;
}

PlimStatus mesh_collision_find_pairs(MeshCollision *m, const CollisionStep *step) {
    TRY(collision_find_candidates(m, step));
    return collect_pairs(m, step, pair_ahead, &m->ahead);
}

const CollisionPairs *mesh_collision_pairs(const MeshCollision *m) {
    return &m->ahead;
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

/* What pairs may do over a step: those that are too near part by a tenth of what they lack, or do
 * not approach. Others may come as near as they should keep; velocities of theirs are free. */
typedef enum Sweep { SWEEP_APART, SWEEP_WAY, SWEEP_VELOCITY } Sweep;

static double least_way(const CollisionPair *pair, Sweep what) {
    const double part = 0.1;
    if (pair->lacks > 0) return what == SWEEP_APART ? part * pair->lacks : 0.0;
    return what == SWEEP_WAY ? pair->lacks : -HUGE_VAL;
}

/* Sweeps until changes are a small part of the greatest one of the first sweep. */
static void sweep_pairs(MeshCollision *m, const CollisionStep *step, Sweep what) {
    enum { SWEEPS = 20 };
    size_t count = m->near.items.count;
    double first = 0;
    for (size_t i = 0; i < count; i++) m->pushed.data[i] = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double most = 0;
        for (size_t i = 0; i < count; i++) {
            double least = least_way(&m->near.items.data[i], what);
            if (least > -HUGE_VAL) most = fmax(most, push_pair(m, step, i, least));
        }
        if (sweep == 0) first = most;
        if (!(most > 1e-2 * first)) break;
    }
    for (size_t i = 0; i < count && what != SWEEP_APART; i++)
        if (m->pushed.data[i] > 0)
            collision_rub(m, step, &m->near.items.data[i], m->pushed.data[i]);
}

void collision_stop_approach(MeshCollision *m, const CollisionStep *step) {
    sweep_pairs(m, step, SWEEP_WAY);
}

void collision_push_out(MeshCollision *m, const CollisionStep *step) {
    for (size_t i = 0; i < m->node_count; i++) step->pushed_out[i] = step->x1[i];
    sweep_pairs(m, step, SWEEP_APART);
    for (size_t i = 0; i < m->node_count; i++)
        step->pushed_out[i] = vec3_sub(step->x1[i], step->pushed_out[i]);
}

void mesh_collision_stop(MeshCollision *m, const CollisionStep *step) {
    sweep_pairs(m, step, SWEEP_VELOCITY);
}
