/* Moving contacts of mesh collisions (000 section 3.2.2): points with faces, edges with edges,
 * stopped along their normals without bounce, with Coulomb friction. */
#include "collide/mesh/mesh_collision_data.h"

/* How a node moves for an impulse along a unit vector: along the wall that it leans on, and a
 * little into it or off it, so that what is pinched between walls yields there and is not sent far
 * along them. */
static Vec3 mobility(const CollisionStep *step, size_t i, Vec3 along) {
    const double into_wall = 0.01;
    double across = vec3_dot(along, step->wall[i]);
    return vec3_scale(step->inverse_mass[i],
                      vec3_add_scaled(along, -(1 - into_wall) * across, step->wall[i]));
}

double collision_softness(const CollisionStep *step, const CollisionPair *pair, Vec3 along) {
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        Vec3 moves = mobility(step, (size_t)pair->nodes[k], along);
        sum += pair->weights[k] * pair->weights[k] * vec3_dot(along, moves);
    }
    return sum;
}

double collision_free_softness(const CollisionStep *step, const CollisionPair *pair) {
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += pair->weights[k] * pair->weights[k] * step->inverse_mass[pair->nodes[k]];
    return sum;
}

/* How they move against each other over the step, m. */
Vec3 collision_relative(const CollisionStep *step, const CollisionPair *pair) {
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 4; k++) {
        size_t i = (size_t)pair->nodes[k];
        sum = vec3_add_scaled(sum, pair->weights[k], vec3_sub(step->x1[i], step->x0[i]));
    }
    return sum;
}

void collision_push(MeshCollision *m, const CollisionStep *step, const CollisionPair *pair,
                    Vec3 along, double amount) {
    for (int k = 0; k < 4; k++) {
        size_t i = (size_t)pair->nodes[k];
        double share = pair->weights[k] * amount;
        if (share == 0 || step->inverse_mass[i] == 0) continue;
        step->x1[i] = vec3_add_scaled(step->x1[i], share, mobility(step, i, along));
        m->changed[i] = m->search;
    }
}

void collision_rub(MeshCollision *m, const CollisionStep *step, const CollisionPair *pair,
                   double pushed) {
    double friction = 0;
    for (int k = 0; k < 4; k++)
        if (pair->weights[k] != 0) friction = fmax(friction, m->friction[pair->nodes[k]]);
    Vec3 way = collision_relative(step, pair);
    way = vec3_add_scaled(way, -vec3_dot(way, pair->normal), pair->normal);
    double length = vec3_length(way);
    if (!(length > 0) || !(friction > 0)) return;
    way = vec3_scale(1 / length, way);
    double softness = collision_softness(step, pair, way);
    if (!(softness > 0)) return;
    collision_push(m, step, pair, way, -fmin(friction * pushed, length / softness));
}

/* ---- finding ---- */

static bool pair_meets(const MeshCollision *m, const CollisionStep *step, int kind,
                       const int32_t nodes[4], MovingHit *hit) {
    Vec3 x0[4], x1[4];
    for (int k = 0; k < 4; k++) {
        x0[k] = step->x0[nodes[k]];
        x1[k] = step->x1[nodes[k]];
    }
    if (kind == EDGE_EDGE) return moving_edge_edge(x0, x1, hit);
    return m->dim == 3 ? moving_point_triangle(x0, x1, hit) : moving_point_segment(x0, x1, hit);
}

typedef struct HitJob {
    MeshCollision *m;
    const CollisionStep *step;
    int kind;
    int32_t since; /* only pairs with nodes that changed in this search or later */
} HitJob;

static void mark_hits(void *user, size_t begin, size_t end) {
    const HitJob *job = user;
    MeshCollision *m = job->m;
    for (size_t i = begin; i < end; i++) {
        int32_t nodes[4];
        MovingHit hit;
        collision_corners(m, job->kind, m->candidates[job->kind].items.data[i], nodes);
        bool is_new = false;
        for (int k = 0; k < 4; k++) is_new = is_new || m->changed[nodes[k]] >= job->since;
        m->found.data[i] = is_new && pair_meets(m, job->step, job->kind, nodes, &hit);
    }
}

static void set_hit(const MeshCollision *m, const MovingHit *hit, CollisionPair *pair) {
    pair->normal = hit->normal;
    for (int k = 0; k < 4; k++) pair->weights[k] = m->dim == 2 && k == 3 ? 0.0 : hit->weights[k];
}

static PlimStatus collect_hits(const HitJob *job) {
    MeshCollision *m = job->m;
    for (size_t i = 0; i < m->candidates[job->kind].items.count; i++) {
        BvhPair at = m->candidates[job->kind].items.data[i];
        CollisionPair pair = {.kind = job->kind, .parts = {(int32_t)at.a, (int32_t)at.b}};
        MovingHit hit;
        if (!m->found.data[i]) continue;
        collision_corners(m, job->kind, at, pair.nodes);
        pair_meets(m, job->step, job->kind, pair.nodes, &hit);
        set_hit(m, &hit, &pair);
        if (!array_push(m->context, &m->hits, pair)) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

/* Nodes that leave their boxes ask for a new broad phase, which then tests all pairs again. */
PlimStatus collision_find_hits(MeshCollision *m, const CollisionStep *step) {
    int32_t since = m->search;
    if (!collision_boxes_hold(m, step)) {
        TRY(collision_find_candidates(m, step));
        since = 0;
    }
    m->hits.count = 0;
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        HitJob job = {m, step, kind, since};
        size_t count = m->candidates[kind].items.count;
        m->found.count = 0;
        if (!array_reserve(m->context, &m->found, count)) return PLIM_OUT_OF_MEMORY;
        parallel_for(step->threads, count, 256, mark_hits, &job);
        TRY(collect_hits(&job));
    }
    m->search++;
    return PLIM_OK;
}

/* ---- stopping ---- */

/* An earlier one of this pass may have parted them already, or changed where they meet. What cannot
 * be stopped is looked at again, for zones to find it. */
static void stop_hit(MeshCollision *m, const CollisionStep *step, CollisionPair pair) {
    MovingHit hit;
    bool is_old = true;
    for (int k = 0; k < 4; k++) is_old = is_old && m->changed[pair.nodes[k]] < m->search;
    if (!is_old) {
        if (!pair_meets(m, step, pair.kind, pair.nodes, &hit)) return;
        set_hit(m, &hit, &pair);
    }
    for (int k = 0; k < 4; k++) m->changed[pair.nodes[k]] = m->search;
    double softness = collision_softness(step, &pair, pair.normal);
    double along = vec3_dot(collision_relative(step, &pair), pair.normal);
    if (!(softness > 0) || !(along < 0)) return;
    collision_push(m, step, &pair, pair.normal, -along / softness);
    collision_rub(m, step, &pair, -along / softness);
}

void collision_stop_hits(MeshCollision *m, const CollisionStep *step) {
    for (size_t i = 0; i < m->hits.count; i++) stop_hit(m, step, m->hits.data[i]);
}
