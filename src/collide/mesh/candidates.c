/* Broad phase of mesh collisions: swept boxes in bounding volume hierarchies. Boxes are larger than
 * the way of their nodes, so that one search serves all passes as long as nodes stay in them. */
#include "collide/mesh/mesh_collision_data.h"

typedef struct BoxJob {
    MeshCollision *m;
    const CollisionStep *step;
} BoxJob;

/* Half the thickness holds what proximity asks for, the other half is room to be pushed in. */
static void set_boxes(void *user, size_t begin, size_t end) {
    const BoxJob *job = user;
    MeshCollision *m = job->m;
    for (size_t i = begin; i < end; i++) {
        Vec3 a = job->step->x0[i], b = job->step->x1[i];
        double margin = m->thickness[i] + 0.1 * vec3_length(vec3_sub(b, a));
        Box3 box = box3_grow((Box3){vec3_min(a, b), vec3_max(a, b)}, margin);
        m->boxes[i] = box.low;
        m->boxes[m->node_count + i] = box.high;
    }
}

bool collision_boxes_hold(const MeshCollision *m, const CollisionStep *step) {
    for (size_t i = 0; i < m->node_count; i++) {
        Box3 box = {m->boxes[i], m->boxes[m->node_count + i]};
        if (!box3_contains(box, step->x1[i])) return false;
    }
    return true;
}

static PlimStatus build(MeshCollision *m) {
    const int32_t *indices[] = {m->box_points, m->box_faces, m->box_edges};
    size_t counts[] = {m->node_count, m->face_count, m->edge_count};
    int corners[] = {2, 2 * m->dim, 4};
    Bvh **trees[] = {&m->points, &m->surfaces, &m->lines};
    for (int k = 0; k < 3; k++) {
        bvh_destroy(*trees[k]);
        *trees[k] = NULL;
        BvhInput input = {m->boxes, indices[k], corners[k], counts[k]};
        if (m->dim == 3 || k < 2) TRY(bvh_create(m->context, &input, trees[k]));
    }
    return PLIM_OK;
}

/* The shape of the trees is that of the first step: a later one would make resumed runs differ in
 * speed only, for the pairs found are the same. */
PlimStatus collision_refit(MeshCollision *m) {
    if (!m->points) return build(m);
    bvh_refit(m->points);
    bvh_refit(m->surfaces);
    if (m->lines) bvh_refit(m->lines);
    return PLIM_OK;
}

void collision_corners(const MeshCollision *m, int kind, BvhPair pair, int32_t nodes[4]) {
    if (kind == POINT_FACE) {
        nodes[0] = (int32_t)pair.a;
        for (int k = 0; k < 3; k++) nodes[k + 1] = m->faces[pair.b][k < m->dim ? k : 1];
    } else {
        for (int k = 0; k < 2; k++) {
            nodes[k] = m->edges[pair.a][k];
            nodes[k + 2] = m->edges[pair.b][k];
        }
    }
}

/* Whether it may be tested at all: no corner shared, something that can be moved, not crossing. */
static bool applies(const MeshCollision *m, const CollisionStep *step, int kind, BvhPair pair,
                    const int32_t nodes[4]) {
    bool can_move = false;
    if (m->rigid_surfaces && m->surface[nodes[0]] == m->surface[nodes[2]]) return false;
    for (int k = 0; k < 4; k++) {
        if (kind == POINT_FACE && k > 0 && nodes[k] == nodes[0]) return false;
        can_move = can_move || step->kind[nodes[k]] != COLLISION_RIGID;
    }
    return can_move && !(m->crossing.count > 0 && collision_known_crossing(m, kind, pair));
}

void collision_filter_candidates(MeshCollision *m, const CollisionStep *step) {
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        BvhPairs *pairs = &m->candidates[kind];
        size_t kept = 0;
        for (size_t i = 0; i < pairs->items.count; i++) {
            int32_t nodes[4];
            collision_corners(m, kind, pairs->items.data[i], nodes);
            if (applies(m, step, kind, pairs->items.data[i], nodes))
                pairs->items.data[kept++] = pairs->items.data[i];
        }
        pairs->items.count = kept;
    }
}

PlimStatus collision_find_candidates(MeshCollision *m, const CollisionStep *step) {
    BoxJob job = {m, step};
    parallel_for(step->threads, m->node_count, 4096, set_boxes, &job);
    TRY(collision_refit(m));
    for (int kind = 0; kind < PAIR_KINDS; kind++) m->candidates[kind].items.count = 0;
    TRY(bvh_overlap_pairs(m->points, m->surfaces, 0.0, step->scratch, &m->candidates[POINT_FACE]));
    if (m->dim == 3)
        TRY(bvh_overlap_pairs(m->lines, m->lines, 0.0, step->scratch, &m->candidates[EDGE_EDGE]));
    collision_filter_candidates(m, step);
    return PLIM_OK;
}
