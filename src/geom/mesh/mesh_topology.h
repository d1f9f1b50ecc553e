/* Mesh topology, how triangles hang together, found by sorting: edges, equal places, equal
 * triangles, pieces. What the report and the repair are made of. */
#ifndef GEOM_MESH_TOPOLOGY_H
#define GEOM_MESH_TOPOLOGY_H

#include "geom/mesh/mesh.h"
#include "geom/mesh/mesh_sort.h"

/* PLIM_BAD_INPUT when a triangle names a vertex that does not exist, a vertex is not at a finite
 * place, or there are too many triangles to number. */
PlimStatus mesh_check(PlimContext *context, const TriangleMesh *mesh);

/* first[i] = the lowest index of a place equal to place i (0 and -0 are equal). */
PlimStatus places_first_equal(PlimContext *context, const Vec3 *places, size_t count,
                              int32_t *first);

/* first[i] = the lowest triangle of the same three vertices, in whatever order. */
PlimStatus triangles_first_equal(PlimContext *context, const TriangleMesh *mesh, int32_t *first);

static inline bool triangle_repeats_vertex(const int32_t t[3]) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

/* Every side of every triangle that does not name a vertex twice, the sides of one edge (key: lower
 * vertex << 32 | higher) beside each other in the order of the triangles. */
typedef struct SideList {
    SortItem *items, *spare;
    size_t count, capacity;
} SideList;

PlimStatus side_list_create(PlimContext *context, const TriangleMesh *mesh, SideList *out);
void side_list_free(PlimContext *context, SideList *list);

static inline size_t side_run_end(const SideList *list, size_t begin) {
    return sort_run_end(list->items, list->count, begin);
}

/* item.index is 2 (3 triangle + side) + 1 when the triangle runs the edge from high to low. */
static inline uint64_t side_item_index(size_t triangle, int side, bool down) {
    return 2 * (3 * (uint64_t)triangle + (uint64_t)side) + down;
}

static inline size_t side_triangle(SortItem item) {
    return (size_t)(item.index / 6);
}

static inline int side_number(SortItem item) {
    return (int)(item.index / 2 % 3);
}

static inline bool side_runs_down(SortItem item) {
    return item.index % 2;
}

/* Sets that are joined, each member knowing whether it is turned against the others: union-find
 * with parity. The lowest member stands for the set. */
typedef struct JoinedSets {
    int32_t *parent;
    unsigned char *turned; /* against the parent */
    size_t count;
} JoinedSets;

PlimStatus joined_sets_create(PlimContext *context, size_t count, JoinedSets *out);
void joined_sets_free(PlimContext *context, JoinedSets *sets);

/* The lowest member of i's set, and whether i is turned against it. */
int32_t joined_sets_find(JoinedSets *sets, int32_t i, bool *turned);

/* Joins the sets of a and b so that they are turned against each other as said; nothing happens
 * when they are joined already. */
void joined_sets_join(JoinedSets *sets, int32_t a, int32_t b, bool turned);

#endif
