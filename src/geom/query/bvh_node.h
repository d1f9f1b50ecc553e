/* Nodes of the bounding volume hierarchy, shared by its build and its queries.
 *
 * Primitives are put in an order that keeps neighbours together (bvh_order) and packed in that
 * order, BVH_WIDTH to a node of the bottom level; each level above packs the nodes of the level
 * below in the same way. So the tree is an array for each level and needs no pointers: child k of
 * node i is BVH_WIDTH i + k one level down, the depth is the logarithm of the count whatever the
 * geometry, coincident primitives included, and a refit walks straight through memory. A node holds
 * the boxes of its children side by side, because a visit always looks at all of them: a register's
 * worth or two for each coordinate. */
#ifndef GEOM_BVH_NODE_H
#define GEOM_BVH_NODE_H

#include "geom/query/bvh.h"

enum {
    BVH_WIDTH = 8,
    BVH_MAX_LEVELS = 12, /* BVH_WIDTH^11 > 2^32 primitives, and one to spare */
    BVH_STACK = BVH_MAX_LEVELS * (BVH_WIDTH - 1) + 1
};

/* Boxes of the children; those past the end of the level below are empty (infinite low). */
typedef struct BvhNode {
    double low[3][BVH_WIDTH], high[3][BVH_WIDTH];
} BvhNode;

struct Bvh {
    PlimContext *context;
    BvhInput input;
    uint32_t *order;  /* the primitive in each place */
    int32_t *indices; /* its corners */
    int levels;       /* 0 when there are no primitives; level 0 holds the primitives' boxes */
    BvhNode *level[BVH_MAX_LEVELS];
    size_t level_count[BVH_MAX_LEVELS]; /* nodes; 1 at the top */
    void *block;                        /* holds the nodes of all levels */
    size_t node_count;
    Box3 bounds;
};

/* order[0..count) = the primitives, in the order in which they fill the tree. */
PlimStatus bvh_order(PlimContext *context, const BvhInput *input, uint32_t *order);

static inline double bvh_least(double a, double b) {
    return a < b ? a : b;
}

static inline double bvh_greatest(double a, double b) {
    return a > b ? a : b;
}

static inline Box3 bvh_primitive_box(const Vec3 *vertices, const int32_t *corner, int corners) {
    Vec3 a = vertices[corner[0]];
    Box3 box = {a, a};
    for (int k = 1; k < corners; k++) {
        Vec3 p = vertices[corner[k]];
        box.low =
            vec3(bvh_least(box.low.x, p.x), bvh_least(box.low.y, p.y), bvh_least(box.low.z, p.z));
        box.high = vec3(bvh_greatest(box.high.x, p.x), bvh_greatest(box.high.y, p.y),
                        bvh_greatest(box.high.z, p.z));
    }
    return box;
}

static inline Box3 bvh_child_box(const BvhNode *node, int k) {
    return (Box3){{node->low[0][k], node->low[1][k], node->low[2][k]},
                  {node->high[0][k], node->high[1][k], node->high[2][k]}};
}

#endif
