/* Pairs of faces that cross, at the start of a run or where nothing could keep them apart: moving
 * contacts between them mean nothing until they part, so they are left out. */
#include "collide/crossing.h"
#include "collide/mesh/mesh_collision_data.h"

#include <stdlib.h>

static int compare_pairs(const void *a, const void *b) {
    const FacePair *x = a, *y = b;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static bool is_known(const MeshCollision *m, int32_t a, int32_t b) {
    FacePair key = {a < b ? a : b, a < b ? b : a};
    if (m->crossing.count == 0) return false;
    return bsearch(&key, m->crossing.data, m->crossing.count, sizeof key, compare_pairs) != NULL;
}

static bool share_corner(const MeshCollision *m, int32_t a, int32_t b) {
    for (int i = 0; i < m->dim; i++)
        for (int j = 0; j < m->dim; j++)
            if (m->faces[a][i] == m->faces[b][j]) return true;
    return false;
}

/* A primitive's faces: its own number, or those around a point or an edge. */
typedef struct FaceRange {
    const int32_t *faces;
    size_t count;
    int32_t own;
} FaceRange;

static FaceRange range_of(const FacesOf *of, size_t i) {
    return (FaceRange){.faces = of->faces + of->start[i], .count = of->start[i + 1] - of->start[i]};
}

static void faces_of_pair(const MeshCollision *m, int kind, BvhPair pair, FaceRange out[2]) {
    if (kind == EDGE_EDGE) {
        out[0] = range_of(&m->faces_of_edge, pair.a);
        out[1] = range_of(&m->faces_of_edge, pair.b);
    } else {
        out[0] = range_of(&m->faces_of_node, pair.a);
        out[1] = (FaceRange){.count = 1, .own = (int32_t)pair.b};
    }
}

static int32_t face_at(const FaceRange *range, size_t i) {
    return range->faces ? range->faces[i] : range->own;
}

bool collision_known_crossing(const MeshCollision *m, int kind, BvhPair pair) {
    FaceRange range[2];
    faces_of_pair(m, kind, pair, range);
    for (size_t i = 0; i < range[0].count; i++)
        for (size_t j = 0; j < range[1].count; j++)
            if (is_known(m, face_at(&range[0], i), face_at(&range[1], j))) return true;
    return false;
}

static PlimStatus add_pair(MeshCollision *m, int32_t a, int32_t b) {
    FacePair pair = {a < b ? a : b, a < b ? b : a};
    if (a == b || is_known(m, a, b)) return PLIM_OK;
    if (!array_push(m->context, &m->crossing, pair)) return PLIM_OUT_OF_MEMORY;
    qsort(m->crossing.data, m->crossing.count, sizeof pair, compare_pairs);
    return PLIM_OK;
}

PlimStatus collision_let_go(MeshCollision *m, const CollisionPair *pair) {
    FaceRange range[2];
    faces_of_pair(m, pair->kind, (BvhPair){(size_t)pair->parts[0], (size_t)pair->parts[1]}, range);
    for (size_t i = 0; i < range[0].count; i++)
        for (size_t j = 0; j < range[1].count; j++)
            TRY(add_pair(m, face_at(&range[0], i), face_at(&range[1], j)));
    return PLIM_OK;
}

/* ---- do they cross ---- */

static bool edges_meet_face(const MeshCollision *m, const Vec3 *x, int32_t edges, int32_t face) {
    const int32_t *e = m->faces[edges], *f = m->faces[face];
    if (m->dim == 2) return segments_meet(x[e[0]], x[e[1]], x[f[0]], x[f[1]]);
    for (int k = 0; k < 3; k++) {
        int32_t a = e[k], b = e[(k + 1) % 3];
        bool shared = false;
        for (int c = 0; c < 3; c++) shared = shared || f[c] == a || f[c] == b;
        if (!shared && segment_meets_triangle(x[a], x[b], x[f[0]], x[f[1]], x[f[2]])) return true;
    }
    return false;
}

static bool faces_cross(const MeshCollision *m, const Vec3 *x, int32_t a, int32_t b) {
    if (m->dim == 2 && share_corner(m, a, b)) return false;
    return edges_meet_face(m, x, a, b) || edges_meet_face(m, x, b, a);
}

static void forget_parted(MeshCollision *m, const Vec3 *x) {
    size_t kept = 0;
    for (size_t i = 0; i < m->crossing.count; i++) {
        FacePair pair = m->crossing.data[i];
        if (faces_cross(m, x, pair.a, pair.b)) m->crossing.data[kept++] = pair;
    }
    m->crossing.count = kept;
}

/* Faces around the corners of a face, itself among them. */
static size_t face_around(const MeshCollision *m, int32_t face, size_t number) {
    for (int c = 0; c < m->dim; c++) {
        FaceRange around = range_of(&m->faces_of_node, (size_t)m->faces[face][c]);
        if (number < around.count) return (size_t)around.faces[number];
        number -= around.count;
    }
    return m->face_count;
}

static PlimStatus cross_around(MeshCollision *m, const Vec3 *x, FacePair pair) {
    size_t a, b;
    for (size_t i = 0; (a = face_around(m, pair.a, i)) < m->face_count; i++)
        for (size_t j = 0; (b = face_around(m, pair.b, j)) < m->face_count; j++) {
            FacePair found = {(int32_t)(a < b ? a : b), (int32_t)(a < b ? b : a)};
            if (a == b || is_known(m, found.a, found.b)) continue;
            if (!faces_cross(m, x, found.a, found.b)) continue;
            if (!array_push(m->context, &m->crossing_more, found)) return PLIM_OUT_OF_MEMORY;
        }
    return PLIM_OK;
}

static PlimStatus add_more(MeshCollision *m) {
    for (size_t i = 0; i < m->crossing_more.count; i++)
        if (!array_push(m->context, &m->crossing, m->crossing_more.data[i]))
            return PLIM_OUT_OF_MEMORY;
    qsort(m->crossing.data, m->crossing.count, sizeof *m->crossing.data, compare_pairs);
    size_t kept = 0;
    for (size_t i = 0; i < m->crossing.count; i++) {
        FacePair pair = m->crossing.data[i];
        if (kept == 0 || compare_pairs(&pair, &m->crossing.data[kept - 1]) != 0)
            m->crossing.data[kept++] = pair;
    }
    m->crossing.count = kept;
    return PLIM_OK;
}

/* Surfaces that are drawn out of each other cross by other faces in each step, beside those that
 * crossed before. */
PlimStatus collision_follow_crossings(MeshCollision *m, const Vec3 *x) {
    do {
        m->crossing_more.count = 0;
        for (size_t i = 0; i < m->crossing.count; i++) TRY(cross_around(m, x, m->crossing.data[i]));
        TRY(add_more(m));
    } while (m->crossing_more.count > 0);
    forget_parted(m, x);
    return PLIM_OK;
}

/* ---- all of them ---- */

PlimStatus mesh_collision_find_crossings(MeshCollision *m, const Vec3 *x, size_t *count) {
    CrossingMesh mesh = {.vertices = x,
                         .edges = (const int32_t(*)[2])m->edges,
                         .edge_count = m->edge_count,
                         .triangles = (const int32_t(*)[3])m->faces,
                         .triangle_count = m->dim == 3 ? m->face_count : 0,
                         .dim = m->dim};
    CrossingPairs pairs = {0};
    PlimStatus status = crossing_find(m->context, &mesh, &pairs);
    m->crossing.count = 0;
    for (size_t i = 0; i < pairs.items.count && status == PLIM_OK; i++) {
        CrossingPair pair = pairs.items.data[i];
        FaceRange around = range_of(&m->faces_of_edge, pair.edge);
        for (size_t k = 0; k < around.count && status == PLIM_OK; k++)
            status = add_pair(m, face_at(&around, k), (int32_t)pair.other);
    }
    array_free(m->context, &pairs.items);
    *count = m->crossing.count;
    return status;
}

void mesh_collision_crossing(const MeshCollision *m, size_t i, int32_t faces[2]) {
    faces[0] = m->crossing.data[i].a;
    faces[1] = m->crossing.data[i].b;
}

void mesh_collision_face(const MeshCollision *m, int32_t face, int32_t *node, int32_t *surface) {
    *node = m->faces[face][0];
    *surface = m->surface[*node];
}
