/* Overlap queries of a bounding volume hierarchy: primitives near a box or ball. What is compared
 * is monotone in the boxes' faces even when rounded, so a node's box never misses what a
 * primitive's box would find. */
#include "geom/query/bvh_node.h"

#include <stdlib.h>

static int compare_items(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

typedef struct Region {
    bool ball;
    Box3 box;
    Vec3 center;
    double radius2;
} Region;

static bool touches(const Region *region, const BvhNode *node, int k) {
    Box3 box = bvh_child_box(node, k);
    if (!(box.low.x <= box.high.x)) return false; /* no child */
    return region->ball ? box3_distance_squared(box, region->center) <= region->radius2
                        : box3_overlap(box, region->box);
}

static PlimStatus collect(const Bvh *bvh, const Region *region, BvhList *out) {
    struct {
        uint32_t node;
        int level;
    } stack[BVH_STACK];
    size_t first = out->items.count;
    int top = 0;
    if (bvh->levels > 0) stack[top].node = 0, stack[top++].level = bvh->levels - 1;
    while (top > 0) {
        uint32_t i = stack[--top].node;
        int level = stack[top].level;
        const BvhNode *node = &bvh->level[level][i];
        for (uint32_t k = 0; k < BVH_WIDTH; k++) {
            if (!touches(region, node, (int)k)) continue;
            uint32_t child = BVH_WIDTH * i + k;
            if (level > 0) {
                stack[top].node = child;
                stack[top++].level = level - 1;
            } else if (!array_push(bvh->context, &out->items, (size_t)bvh->order[child])) {
                return PLIM_OUT_OF_MEMORY;
            }
        }
    }
    if (out->items.count > first)
        qsort(out->items.data + first, out->items.count - first, sizeof *out->items.data,
              compare_items);
    return PLIM_OK;
}

PlimStatus bvh_overlap_box(const Bvh *bvh, Box3 box, BvhList *out) {
    return collect(bvh, &(Region){.box = box}, out);
}

PlimStatus bvh_overlap_ball(const Bvh *bvh, Vec3 p, double radius, BvhList *out) {
    return collect(bvh, &(Region){.ball = true, .center = p, .radius2 = radius * radius}, out);
}
