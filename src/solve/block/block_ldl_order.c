/* Order and pattern of the sparse block LDL^T: minimum degree with explicit fill. */
#include "solve/block/block_ldl.h"

#include "base/assert.h"

#include <stdlib.h>

typedef ARRAY(int32_t) Neighbors;

typedef struct Elimination {
    PlimContext *context;
    BlockLdl *ldl;
    Neighbors *neighbors; /* of each node, those that are left, ascending */
    int32_t *next, *last; /* nodes of equal degree in a list; -1: its end */
    int32_t *head;        /* by degree; -1: none */
    size_t count;
} Elimination;

static size_t find_place(const Neighbors *list, int32_t node) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->data[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(Elimination *e, int32_t to, int32_t node) {
    Neighbors *list = &e->neighbors[to];
    size_t at = find_place(list, node);
    if (at < list->count && list->data[at] == node) return true;
    if (!array_reserve(e->context, list, 1)) return false;
    for (size_t k = list->count++; k > at; k--) list->data[k] = list->data[k - 1];
    list->data[at] = node;
    return true;
}

static void take_out(Neighbors *list, int32_t node) {
    size_t at = find_place(list, node);
    for (size_t k = at + 1; k < list->count; k++) list->data[k - 1] = list->data[k];
    list->count--;
}

/* ---- lists by degree ---- */

static void link_node(Elimination *e, int32_t node) {
    size_t degree = e->neighbors[node].count;
    e->last[node] = -1;
    e->next[node] = e->head[degree];
    if (e->head[degree] >= 0) e->last[e->head[degree]] = node;
    e->head[degree] = node;
}

static void unlink_node(Elimination *e, int32_t node) {
    if (e->last[node] >= 0)
        e->next[e->last[node]] = e->next[node];
    else
        e->head[e->neighbors[node].count] = e->next[node];
    if (e->next[node] >= 0) e->last[e->next[node]] = e->last[node];
}

/* ---- elimination ---- */

/* The neighbours of a node become those of one another. */
static bool eliminate(Elimination *e, int32_t node, size_t place) {
    Neighbors *own = &e->neighbors[node];
    BlockLdl *ldl = e->ldl;
    ldl->place.data[node] = (int32_t)place;
    for (size_t i = 0; i < own->count; i++) {
        int32_t at = own->data[i];
        unlink_node(e, at);
        take_out(&e->neighbors[at], node);
        for (size_t j = 0; j < own->count; j++)
            if (j != i && !insert(e, at, own->data[j])) return false;
        link_node(e, at);
        if (!array_push(e->context, &ldl->below, at)) return false;
    }
    ldl->below_start.data[place + 1] = ldl->below.count;
    return true;
}

static bool eliminate_all(Elimination *e) {
    for (size_t place = 0; place < e->count; place++) {
        size_t degree = 0;
        while (e->head[degree] < 0) degree++;
        int32_t node = e->head[degree];
        unlink_node(e, node);
        if (!eliminate(e, node, place)) return false;
    }
    return true;
}

static int compare_places(const void *x, const void *y) {
    int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

/* From nodes to places, and where the values are. */
static bool place_blocks(BlockLdl *ldl, const int32_t *sizes) {
    size_t value = 0, row = 0, work = 1;
    for (size_t node = 0; node < ldl->count; node++)
        ldl->size.data[ldl->place.data[node]] = sizes[node];
    for (size_t place = 0; place < ldl->count; place++) {
        size_t begin = ldl->below_start.data[place], end = ldl->below_start.data[place + 1];
        size_t own = (size_t)ldl->size.data[place], rows = 0;
        for (size_t k = begin; k < end; k++)
            ldl->below.data[k] = ldl->place.data[ldl->below.data[k]];
        if (end - begin > 1)
            qsort(ldl->below.data + begin, end - begin, sizeof *ldl->below.data, compare_places);
        ldl->row.data[place] = row;
        ldl->diagonal.data[place] = value;
        row += own;
        value += own * own;
        for (size_t k = begin; k < end; k++) {
            size_t below = (size_t)ldl->size.data[ldl->below.data[k]];
            if (!array_push(ldl->context, &ldl->block, value)) return false;
            value += below * own;
            rows += below;
        }
        work = rows * own > work ? rows * own : work;
    }
    ldl->row_count = row;
    return array_reserve(ldl->context, &ldl->value, value + 1) &&
           array_reserve(ldl->context, &ldl->inverse_pivot, row + 1) &&
           array_reserve(ldl->context, &ldl->work, work);
}

static size_t find_block(const BlockLdl *ldl, size_t column, int32_t row) {
    size_t low = ldl->below_start.data[column], high = ldl->below_start.data[column + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ldl->below.data[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    PLIM_ASSERT(ldl->below.data[low] == row);
    return ldl->block.data[low];
}

/* Blocks (l, k), l >= k, of all pairs below each place. */
static bool list_updates(BlockLdl *ldl) {
    for (size_t place = 0; place < ldl->count; place++)
        for (size_t i = ldl->below_start.data[place]; i < ldl->below_start.data[place + 1]; i++)
            for (size_t j = ldl->below_start.data[place]; j <= i; j++) {
                size_t column = (size_t)ldl->below.data[j];
                size_t at = i == j ? ldl->diagonal.data[column]
                                   : find_block(ldl, column, ldl->below.data[i]);
                if (!array_push(ldl->context, &ldl->update, at)) return false;
            }
    return true;
}

static bool begin(Elimination *e, const int32_t (*edges)[2], size_t edge_count) {
    for (size_t i = 0; i < edge_count; i++)
        if (!insert(e, edges[i][0], edges[i][1]) || !insert(e, edges[i][1], edges[i][0]))
            return false;
    for (size_t degree = 0; degree < e->count; degree++) e->head[degree] = -1;
    for (size_t node = e->count; node-- > 0;) link_node(e, (int32_t)node);
    return true;
}

static bool lay_out(Elimination *e, const int32_t *sizes, const int32_t (*edges)[2],
                    size_t edge_count) {
    BlockLdl *ldl = e->ldl;
    if (!array_reserve(e->context, &ldl->place, e->count + 1) ||
        !array_reserve(e->context, &ldl->size, e->count + 1) ||
        !array_reserve(e->context, &ldl->row, e->count + 1) ||
        !array_reserve(e->context, &ldl->below_start, e->count + 1) ||
        !array_reserve(e->context, &ldl->diagonal, e->count + 1))
        return false;
    ldl->below_start.data[0] = 0;
    return begin(e, edges, edge_count) && eliminate_all(e) && place_blocks(ldl, sizes) &&
           list_updates(ldl);
}

PlimStatus block_ldl_lay_out(PlimContext *context, BlockLdl *ldl, const int32_t *sizes,
                             size_t count, const int32_t (*edges)[2], size_t edge_count) {
    *ldl = (BlockLdl){.context = context, .count = count};
    Elimination e = {.context = context,
                     .ldl = ldl,
                     .neighbors = context_allocate(context, count + 1, sizeof *e.neighbors),
                     .next = context_allocate(context, count + 1, sizeof *e.next),
                     .last = context_allocate(context, count + 1, sizeof *e.last),
                     .head = context_allocate(context, count + 1, sizeof *e.head),
                     .count = count};
    bool good = e.neighbors && e.next && e.last && e.head && lay_out(&e, sizes, edges, edge_count);
    for (size_t i = 0; e.neighbors && i < count; i++) array_free(context, &e.neighbors[i]);
    context_free(context, e.neighbors, count + 1, sizeof *e.neighbors);
    context_free(context, e.next, count + 1, sizeof *e.next);
    context_free(context, e.last, count + 1, sizeof *e.last);
    context_free(context, e.head, count + 1, sizeof *e.head);
    if (!good) block_ldl_free(ldl);
    return good ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

void block_ldl_free(BlockLdl *ldl) {
    PlimContext *context = ldl->context;
    if (!context) return;
    array_free(context, &ldl->place);
    array_free(context, &ldl->size);
    array_free(context, &ldl->row);
    array_free(context, &ldl->below_start);
    array_free(context, &ldl->below);
    array_free(context, &ldl->block);
    array_free(context, &ldl->diagonal);
    array_free(context, &ldl->update);
    array_free(context, &ldl->value);
    array_free(context, &ldl->inverse_pivot);
    array_free(context, &ldl->work);
}

BlockLdlPlace block_ldl_find(const BlockLdl *ldl, size_t a, size_t b) {
    int32_t first = ldl->place.data[a], second = ldl->place.data[b];
    if (first == second) return (BlockLdlPlace){ldl->diagonal.data[first], false};
    if (first > second) return (BlockLdlPlace){find_block(ldl, (size_t)second, first), false};
    return (BlockLdlPlace){find_block(ldl, (size_t)first, second), true};
}
