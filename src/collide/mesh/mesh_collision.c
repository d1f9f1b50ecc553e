/* Collisions of meshes: the loop (000 section 3.2.3). */
#include "collide/mesh/mesh_collision_data.h"

#include <stdlib.h>
#include <string.h>

/* ---- topology ---- */

static int compare_edges(const void *a, const void *b) {
    const int32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Each edge of a face once, the lower node first, sorted; in the plane edges are the faces. */
static PlimStatus make_edges(MeshCollision *m) {
    size_t count = 3 * m->face_count, kept = 0;
    m->edges = context_allocate(m->context, count, sizeof *m->edges);
    if (!m->edges) return PLIM_OUT_OF_MEMORY;
    m->edge_count = m->face_count;
    for (size_t f = 0; m->dim == 2 && f < m->face_count; f++)
        memcpy(m->edges[f], m->faces[f], sizeof *m->edges);
    if (m->dim == 2) return PLIM_OK;
    for (size_t e = 0; e < count; e++) {
        const int32_t *face = m->faces[e / 3];
        int32_t a = face[e % 3], b = face[(e + 1) % 3];
        m->edges[e][0] = a < b ? a : b;
        m->edges[e][1] = a < b ? b : a;
    }
    qsort(m->edges, count, sizeof *m->edges, compare_edges);
    for (size_t e = 0; e < count; e++) {
        if (kept > 0 && compare_edges(m->edges[e], m->edges[kept - 1]) == 0) continue;
        memcpy(m->edges[kept++], m->edges[e], sizeof *m->edges);
    }
    m->edge_count = kept;
    return PLIM_OK;
}

static size_t find_edge(const MeshCollision *m, int32_t a, int32_t b) {
    int32_t key[2] = {a < b ? a : b, a < b ? b : a};
    const int32_t(*at)[2] = bsearch(key, m->edges, m->edge_count, sizeof *m->edges, compare_edges);
    return (size_t)(at - (const int32_t(*)[2])m->edges);
}

/* `part(m, face, k)` is one of `parts` of a face. */
static PlimStatus list_faces(MeshCollision *m, FacesOf *of, size_t items, int parts,
                             size_t (*part)(const MeshCollision *m, size_t face, int k)) {
    of->start = context_allocate(m->context, items + 2, sizeof *of->start);
    of->faces = context_allocate(m->context, (size_t)parts * m->face_count, sizeof *of->faces);
    if (!of->start || !of->faces) return PLIM_OUT_OF_MEMORY;
    for (size_t f = 0; f < m->face_count; f++)
        for (int k = 0; k < parts; k++) of->start[part(m, f, k) + 2]++;
    for (size_t i = 2; i < items + 2; i++) of->start[i] += of->start[i - 1];
    for (size_t f = 0; f < m->face_count; f++)
        for (int k = 0; k < parts; k++) of->faces[of->start[part(m, f, k) + 1]++] = (int32_t)f;
    return PLIM_OK;
}

static size_t corner_of(const MeshCollision *m, size_t face, int k) {
    return (size_t)m->faces[face][k];
}

static size_t edge_of(const MeshCollision *m, size_t face, int k) {
    if (m->dim == 2) return face;
    return find_edge(m, m->faces[face][k], m->faces[face][(k + 1) % 3]);
}

/* A box has two corners, its low one and its high one. */
static int32_t *box_indices(MeshCollision *m, const int32_t *nodes, size_t count, int corners,
                            int stride) {
    int32_t *indices = context_allocate(m->context, 2 * count * (size_t)corners, sizeof *indices);
    if (!indices) return NULL;
    for (size_t i = 0; i < count; i++) {
        int32_t *to = indices + 2 * i * (size_t)corners;
        for (int k = 0; k < corners; k++) {
            int32_t node = nodes ? nodes[i * (size_t)stride + (size_t)k] : (int32_t)i;
            to[k] = node;
            to[k + corners] = node + (int32_t)m->node_count;
        }
    }
    return indices;
}

static PlimStatus make_topology(MeshCollision *m) {
    TRY(list_faces(m, &m->faces_of_node, m->node_count, m->dim, corner_of));
    m->box_points = box_indices(m, NULL, m->node_count, 1, 1);
    m->box_faces = box_indices(m, &m->faces[0][0], m->face_count, m->dim, 3);
    if (!m->box_points || !m->box_faces) return PLIM_OUT_OF_MEMORY;
    TRY(make_edges(m));
    TRY(list_faces(m, &m->faces_of_edge, m->edge_count, m->dim == 3 ? 3 : 1, edge_of));
    m->box_edges = box_indices(m, &m->edges[0][0], m->edge_count, 2, 2);
    return m->box_edges ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* ---- memory ---- */

static void *copy_of(PlimContext *context, const void *from, size_t count, size_t size) {
    void *to = context_allocate(context, count, size);
    if (to) memcpy(to, from, count * size);
    return to;
}

static PlimStatus fill(MeshCollision *m, const MeshCollisionDesc *desc) {
    PlimContext *context = m->context;
    size_t nodes = desc->node_count;
    m->dim = desc->dim;
    m->affine_zones = desc->affine_zones;
    m->rigid_surfaces = desc->rigid_surfaces;
    m->node_count = nodes;
    m->face_count = desc->face_count;
    m->faces = copy_of(context, desc->faces, desc->face_count, sizeof *m->faces);
    m->rest = copy_of(context, desc->rest, nodes, sizeof *m->rest);
    m->surface = copy_of(context, desc->surface, nodes, sizeof *m->surface);
    m->thickness = copy_of(context, desc->thickness, nodes, sizeof *m->thickness);
    m->friction = copy_of(context, desc->friction, nodes, sizeof *m->friction);
    if (desc->solver) m->solver = copy_of(context, desc->solver, nodes, sizeof *m->solver);
    m->boxes = context_allocate(context, 2 * nodes, sizeof *m->boxes);
    m->changed = context_allocate(context, nodes, sizeof *m->changed);
    m->zone = context_allocate(context, nodes, sizeof *m->zone);
    m->next_in_zone = context_allocate(context, nodes, sizeof *m->next_in_zone);
    m->stands = context_allocate(context, nodes, sizeof *m->stands);
    if (!m->faces || !m->rest || !m->surface || !m->thickness || !m->friction || !m->boxes ||
        !m->changed || !m->zone || !m->next_in_zone || !m->stands || (desc->solver && !m->solver))
        return PLIM_OUT_OF_MEMORY;
    /* What is usual; where there are more, arrays grow. */
    enum { PAIRS = 2, CANDIDATES = 32 };
    if (!array_reserve(context, &m->ahead.items, m->solver ? PAIRS * nodes : 0) ||
        !array_reserve(context, &m->near.items, PAIRS * nodes) ||
        !array_reserve(context, &m->pushed, PAIRS * nodes) ||
        !array_reserve(context, &m->candidates[POINT_FACE].items, CANDIDATES * nodes) ||
        !array_reserve(context, &m->candidates[EDGE_EDGE].items, CANDIDATES * nodes) ||
        !array_reserve(context, &m->found, CANDIDATES * nodes))
        return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < nodes; i++) m->thickest = fmax(m->thickest, m->thickness[i]);
    return make_topology(m);
}

PlimStatus mesh_collision_create(PlimContext *context, const MeshCollisionDesc *desc,
                                 MeshCollision **out) {
    *out = NULL;
    MeshCollision *m = context_allocate(context, 1, sizeof *m);
    if (!m) return PLIM_OUT_OF_MEMORY;
    m->context = context;
    PlimStatus status = fill(m, desc);
    if (status == PLIM_OK)
        *out = m;
    else
        mesh_collision_destroy(m);
    return status;
}

static void free_faces_of(MeshCollision *m, FacesOf *of, size_t items, size_t parts) {
    context_free(m->context, of->start, items + 2, sizeof *of->start);
    context_free(m->context, of->faces, parts * m->face_count, sizeof *of->faces);
}

void mesh_collision_destroy(MeshCollision *m) {
    if (!m) return;
    PlimContext *context = m->context;
    size_t nodes = m->node_count, dim = (size_t)m->dim;
    bvh_destroy(m->points);
    bvh_destroy(m->surfaces);
    bvh_destroy(m->lines);
    free_faces_of(m, &m->faces_of_node, nodes, dim);
    free_faces_of(m, &m->faces_of_edge, m->edge_count, m->dim == 3 ? 3 : 1);
    context_free(context, m->box_points, 2 * nodes, sizeof *m->box_points);
    context_free(context, m->box_faces, 2 * dim * m->face_count, sizeof *m->box_faces);
    context_free(context, m->box_edges, 4 * m->edge_count, sizeof *m->box_edges);
    context_free(context, m->edges, 3 * m->face_count, sizeof *m->edges);
    context_free(context, m->faces, m->face_count, sizeof *m->faces);
    context_free(context, m->rest, nodes, sizeof *m->rest);
    context_free(context, m->surface, nodes, sizeof *m->surface);
    context_free(context, m->thickness, nodes, sizeof *m->thickness);
    context_free(context, m->friction, nodes, sizeof *m->friction);
    if (m->solver) context_free(context, m->solver, nodes, sizeof *m->solver);
    context_free(context, m->boxes, 2 * nodes, sizeof *m->boxes);
    context_free(context, m->changed, nodes, sizeof *m->changed);
    context_free(context, m->zone, nodes, sizeof *m->zone);
    context_free(context, m->next_in_zone, nodes, sizeof *m->next_in_zone);
    context_free(context, m->stands, nodes, sizeof *m->stands);
    for (int kind = 0; kind < PAIR_KINDS; kind++) array_free(context, &m->candidates[kind].items);
    array_free(context, &m->near.items);
    array_free(context, &m->ahead.items);
    array_free(context, &m->pushed);
    array_free(context, &m->found);
    array_free(context, &m->hits);
    array_free(context, &m->crossing);
    array_free(context, &m->crossing_more);
    context_free(context, m, 1, sizeof *m);
}

const CollisionPairs *mesh_collision_proximities(const MeshCollision *m) {
    return &m->near;
}

/* ---- the loop ---- */

/* Impulses until nothing hits, or the passes are used up. Hits that an earlier call left are still
 * there, though their nodes have not changed since. */
static PlimStatus stop_hits(MeshCollision *m, const CollisionStep *step,
                            CollisionFigures *figures) {
    enum { PASSES = 10 };
    for (size_t i = 0; i < m->hits.count; i++)
        for (int k = 0; k < 4; k++) m->changed[m->hits.data[i].nodes[k]] = m->search;
    TRY(collision_find_hits(m, step));
    for (int pass = 0; pass < PASSES && m->hits.count > 0; pass++) {
        figures->hits += (double)m->hits.count;
        figures->passes++;
        collision_stop_hits(m, step);
        TRY(collision_find_hits(m, step));
    }
    return PLIM_OK;
}

/* What is stopped pulls at what is not: surfaces that stretch only so far spread the blow. True
 * when that changed something. */
static PlimStatus spread(MeshCollision *m, const CollisionStep *step, bool *changed) {
    size_t mark = scratch_mark(step->scratch);
    Vec3 *before = scratch_take(step->scratch, m->node_count, sizeof *before);
    if (!before) return PLIM_OUT_OF_MEMORY;
    memcpy(before, step->x1, m->node_count * sizeof *before);
    step->limit(step->limit_user, step->x1);
    *changed = false;
    for (size_t i = 0; i < m->node_count; i++) {
        if (memcmp(&before[i], &step->x1[i], sizeof *before) == 0) continue;
        m->changed[i] = m->search;
        *changed = true;
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

PlimStatus mesh_collision_find_hits(MeshCollision *m, const CollisionStep *step,
                                    CollisionPair **hits, size_t *count) {
    m->search = 1;
    for (size_t i = 0; i < m->node_count; i++) m->changed[i] = m->search; /* all are to be tested */
    TRY(collision_find_candidates(m, step));
    TRY(collision_find_hits(m, step));
    *hits = m->hits.data;
    *count = m->hits.count;
    return PLIM_OK;
}

PlimStatus mesh_collision_run(MeshCollision *m, const CollisionStep *step,
                              CollisionFigures *figures) {
    enum { ROUNDS = 10 };
    bool again = true;
    *figures = (CollisionFigures){0};
    m->hits.count = 0;
    m->search = 1;
    for (size_t i = 0; i < m->node_count; i++) m->changed[i] = m->search; /* all are to be tested */
    TRY(collision_find_candidates(m, step));
    TRY(collision_find_near(m, step));
    figures->proximities = (double)m->near.items.count;
    collision_push_out(m, step);
    for (int round = 0; round < ROUNDS && again; round++) {
        collision_stop_approach(m, step);
        TRY(stop_hits(m, step, figures));
        again = false;
        if (step->limit) TRY(spread(m, step, &again));
    }
    if (again) TRY(stop_hits(m, step, figures));
    if (m->hits.count > 0) TRY(collision_zones(m, step, figures));
    if (m->crossing.count > 0) TRY(collision_follow_crossings(m, step->x1));
    figures->left = (double)m->crossing.count;
    return PLIM_OK;
}
