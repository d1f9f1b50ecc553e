/* Building and refitting a bounding volume hierarchy: order, pack, then boxes level by level from
 * the bottom. */
#include "base/parallel.h"
#include "geom/query/bvh_node.h"

enum { LINE = 64 /* bytes in a cache line, which nodes start at */ };

BvhInput bvh_input_triangles(const TriangleMesh *mesh) {
    return (BvhInput){mesh->vertices, (const int32_t *)mesh->triangles, 3, mesh->triangle_count};
}

static void set_child_box(BvhNode *node, int k, const Box3 *box) {
    node->low[0][k] = box->low.x, node->high[0][k] = box->high.x;
    node->low[1][k] = box->low.y, node->high[1][k] = box->high.y;
    node->low[2][k] = box->low.z, node->high[2][k] = box->high.z;
}

static void fit_bottom(void *user, size_t begin, size_t end) {
    const Bvh *bvh = user;
    size_t corners = (size_t)bvh->input.corners;
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < BVH_WIDTH; k++) {
            size_t place = BVH_WIDTH * i + k;
            Box3 box = box3_empty();
            if (place < bvh->input.count)
                box = bvh_primitive_box(bvh->input.vertices, bvh->indices + corners * place,
                                        bvh->input.corners);
            set_child_box(&bvh->level[0][i], (int)k, &box);
        }
    }
}

static Box3 node_box(const BvhNode *node) {
    Box3 box = bvh_child_box(node, 0);
    for (int k = 1; k < BVH_WIDTH; k++) {
        box.low = vec3(bvh_least(box.low.x, node->low[0][k]), bvh_least(box.low.y, node->low[1][k]),
                       bvh_least(box.low.z, node->low[2][k]));
        box.high = vec3(bvh_greatest(box.high.x, node->high[0][k]),
                        bvh_greatest(box.high.y, node->high[1][k]),
                        bvh_greatest(box.high.z, node->high[2][k]));
    }
    return box;
}

typedef struct LevelJob {
    const Bvh *bvh;
    int level;
} LevelJob;

static void fit_level(void *user, size_t begin, size_t end) {
    const LevelJob *job = user;
    const BvhNode *below = job->bvh->level[job->level - 1];
    size_t below_count = job->bvh->level_count[job->level - 1];
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < BVH_WIDTH; k++) {
            size_t child = BVH_WIDTH * i + k;
            Box3 box = child < below_count ? node_box(&below[child]) : box3_empty();
            set_child_box(&job->bvh->level[job->level][i], (int)k, &box);
        }
    }
}

void bvh_refit(Bvh *bvh) {
    int threads = bvh->context->threads;
    if (bvh->levels > 0) parallel_for(threads, bvh->level_count[0], 2048, fit_bottom, bvh);
    for (int level = 1; level < bvh->levels; level++)
        parallel_for(threads, bvh->level_count[level], 2048, fit_level, &(LevelJob){bvh, level});
    bvh->bounds = bvh->levels > 0 ? node_box(bvh->level[bvh->levels - 1]) : box3_empty();
}

static void pack_indices(void *user, size_t begin, size_t end) {
    Bvh *bvh = user;
    size_t corners = (size_t)bvh->input.corners;
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < corners; k++)
            bvh->indices[corners * i + k] = bvh->input.indices[corners * bvh->order[i] + k];
}

static size_t block_bytes(const Bvh *bvh) {
    return bvh->node_count * sizeof(BvhNode) + LINE;
}

static PlimStatus allocate_nodes(Bvh *bvh) {
    for (size_t count = bvh->input.count; count > 0 && (count > 1 || bvh->levels == 0);) {
        count = (count + BVH_WIDTH - 1) / BVH_WIDTH;
        bvh->level_count[bvh->levels++] = count;
        bvh->node_count += count;
    }
    bvh->block = context_allocate(bvh->context, block_bytes(bvh), 1);
    if (!bvh->block) return PLIM_OUT_OF_MEMORY;
    uintptr_t past = (uintptr_t)bvh->block % LINE;
    BvhNode *next = (BvhNode *)((unsigned char *)bvh->block + (past ? LINE - past : 0));
    for (int level = bvh->levels - 1; level >= 0; level--) { /* the top first: it is used most */
        bvh->level[level] = next;
        next += bvh->level_count[level];
    }
    return PLIM_OK;
}

static PlimStatus build(Bvh *bvh) {
    PlimContext *context = bvh->context;
    size_t count = bvh->input.count;
    bvh->order = context_allocate(context, count, sizeof *bvh->order);
    if (!bvh->order) return PLIM_OUT_OF_MEMORY;
    bvh->indices =
        context_allocate(context, count * (size_t)bvh->input.corners, sizeof *bvh->indices);
    if (!bvh->indices) return PLIM_OUT_OF_MEMORY;
    TRY(bvh_order(context, &bvh->input, bvh->order));
    TRY(allocate_nodes(bvh));
    parallel_for(context->threads, count, 16384, pack_indices, bvh);
    bvh_refit(bvh);
    return PLIM_OK;
}

PlimStatus bvh_create(PlimContext *context, const BvhInput *input, Bvh **out) {
    *out = NULL;
    if (input->corners < 2 || input->corners > BVH_MAX_CORNERS)
        return context_fail(context, PLIM_BAD_INPUT,
                            "primitives of %d corners: use 2 (segments), 3 (triangles), up to %d",
                            input->corners, BVH_MAX_CORNERS);
    if (input->count > UINT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT, "%zu primitives are too many: use at most %u",
                            input->count, UINT32_MAX);
    Bvh *bvh = context_allocate(context, 1, sizeof *bvh);
    if (!bvh) return PLIM_OUT_OF_MEMORY;
    bvh->context = context;
    bvh->input = *input;
    PlimStatus status = build(bvh);
    if (status == PLIM_OK)
        *out = bvh;
    else
        bvh_destroy(bvh);
    return status;
}

void bvh_destroy(Bvh *bvh) {
    if (!bvh) return;
    PlimContext *context = bvh->context;
    size_t count = bvh->input.count;
    if (bvh->block) context_free(context, bvh->block, block_bytes(bvh), 1);
    context_free(context, bvh->order, count, sizeof *bvh->order);
    context_free(context, bvh->indices, count * (size_t)bvh->input.corners, sizeof *bvh->indices);
    context_free(context, bvh, 1, sizeof *bvh);
}

Box3 bvh_bounds(const Bvh *bvh) {
    return bvh->bounds;
}

size_t bvh_bytes(const Bvh *bvh) {
    return sizeof *bvh + block_bytes(bvh) + bvh->input.count * sizeof *bvh->order +
           bvh->input.count * (size_t)bvh->input.corners * sizeof *bvh->indices;
}
