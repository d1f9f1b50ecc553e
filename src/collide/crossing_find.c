/* All crossings of a surface: pairs of boxes from two hierarchies, then exact signs. */
#include "collide/crossing.h"

#include "base/parallel.h"
#include "geom/query/bvh.h"

typedef struct Search {
    const CrossingMesh *mesh;
    const BvhPair *near;
    bool *meets; /* for each pair that is near */
} Search;

static bool pair_meets(const CrossingMesh *mesh, BvhPair pair) {
    const Vec3 *x = mesh->vertices;
    const int32_t *e = mesh->edges[pair.a];
    if (mesh->dim == 2) {
        const int32_t *f = mesh->edges[pair.b];
        return segments_meet(x[e[0]], x[e[1]], x[f[0]], x[f[1]]);
    }
    const int32_t *t = mesh->triangles[pair.b];
    for (int i = 0; i < 2; i++)
        if (e[i] == t[0] || e[i] == t[1] || e[i] == t[2]) return false;
    return segment_meets_triangle(x[e[0]], x[e[1]], x[t[0]], x[t[1]], x[t[2]]);
}

static void try_pairs(void *user, size_t begin, size_t end) {
    const Search *search = user;
    for (size_t i = begin; i < end; i++)
        search->meets[i] = pair_meets(search->mesh, search->near[i]);
}

static PlimStatus keep_meeting(PlimContext *context, const CrossingMesh *mesh, const BvhPairs *near,
                               CrossingPairs *out) {
    size_t count = near->items.count;
    if (count == 0) return PLIM_OK;
    bool *meets = context_allocate(context, count, sizeof *meets);
    if (!meets) return PLIM_OUT_OF_MEMORY;
    Search search = {mesh, near->items.data, meets};
    parallel_for(context->threads, count, 1024, try_pairs, &search);
    PlimStatus status = PLIM_OK;
    for (size_t i = 0; i < count && status == PLIM_OK; i++) {
        CrossingPair pair = {near->items.data[i].a, near->items.data[i].b};
        if (meets[i] && !array_push(context, &out->items, pair)) status = PLIM_OUT_OF_MEMORY;
    }
    context_free(context, meets, count, sizeof *meets);
    return status;
}

static PlimStatus find_near(PlimContext *context, const CrossingMesh *mesh, const Bvh *edges,
                            Scratch *scratch, BvhPairs *near) {
    if (mesh->dim == 2) return bvh_overlap_pairs(edges, edges, 0.0, scratch, near);
    BvhInput input = {mesh->vertices, *mesh->triangles, 3, mesh->triangle_count};
    Bvh *triangles;
    TRY(bvh_create(context, &input, &triangles));
    PlimStatus status = bvh_overlap_pairs(edges, triangles, 0.0, scratch, near);
    bvh_destroy(triangles);
    return status;
}

PlimStatus crossing_find(PlimContext *context, const CrossingMesh *mesh, CrossingPairs *out) {
    if (mesh->edge_count == 0 || (mesh->dim == 3 && mesh->triangle_count == 0)) return PLIM_OK;
    BvhInput input = {mesh->vertices, *mesh->edges, 2, mesh->edge_count};
    Bvh *edges;
    TRY(bvh_create(context, &input, &edges));
    BvhPairs near = {0};
    Scratch scratch;
    scratch_init(&scratch, context);
    PlimStatus status = find_near(context, mesh, edges, &scratch, &near);
    if (status == PLIM_OK) status = keep_meeting(context, mesh, &near, out);
    array_free(context, &near.items);
    scratch_free(&scratch);
    bvh_destroy(edges);
    return status;
}
