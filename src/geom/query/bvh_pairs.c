/* Pairs of primitives near one another: simultaneous traversal of two hierarchies. The nodes of one
 * level of the first tree are the tasks; each is walked twice, to count its pairs and then to write
 * them where the counts before it end, so that threads share no list. Pairs are then sorted in
 * linear time. */
#include "base/parallel.h"
#include "geom/query/bvh_node.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_TASKS = 256,
    /* Each step down puts at most a pair for every two children on the stack. */
    PAIR_STACK = 2 * BVH_MAX_LEVELS * BVH_WIDTH * BVH_WIDTH
};

/* Two nodes whose children are to be tried against one another. */
typedef struct NodePair {
    uint32_t a, b;
    int level_a, level_b;
} NodePair;

typedef struct PairSearch {
    const Bvh *a, *b;
    double margin;
    int task_level;
    size_t *counts; /* for each task, its pairs; then the place of its first */
    BvhPair *pairs; /* NULL while counting */
    size_t *starts; /* for each primitive a, the place of its first pair */
    size_t *others; /* b of each pair, by a */
} PairSearch;

typedef struct Walk {
    const PairSearch *search;
    NodePair stack[PAIR_STACK];
    int top;
    size_t count;
    BvhPair *out; /* NULL: count only */
} Walk;

/* Which children of b have boxes near that of child i of a. */
static void find_near(const BvhNode *restrict a, int i, const BvhNode *restrict b, double margin,
                      int near[restrict BVH_WIDTH]) {
    for (int j = 0; j < BVH_WIDTH; j++) near[j] = 1;
    for (int axis = 0; axis < 3; axis++) {
        double low = a->low[axis][i], high = a->high[axis][i];
        for (int j = 0; j < BVH_WIDTH; j++)
            near[j] &= (low - b->high[axis][j] <= margin) & (b->low[axis][j] - high <= margin);
    }
}

static bool share_vertex(const Bvh *bvh, size_t place_a, size_t place_b) {
    size_t corners = (size_t)bvh->input.corners;
    for (size_t i = 0; i < corners; i++)
        for (size_t j = 0; j < corners; j++)
            if (bvh->indices[corners * place_a + i] == bvh->indices[corners * place_b + j])
                return true;
    return false;
}

static void found_pair(Walk *walk, uint32_t place_a, uint32_t place_b) {
    const PairSearch *search = walk->search;
    bool same = search->a == search->b;
    if (same && share_vertex(search->a, place_a, place_b)) return;
    if (walk->out) {
        BvhPair pair = {search->a->order[place_a], search->b->order[place_b]};
        if (same && pair.a > pair.b) pair = (BvhPair){pair.b, pair.a};
        walk->out[walk->count] = pair;
    }
    walk->count++;
}

static int child_count(const Bvh *bvh, int level, uint32_t node) {
    size_t below = level > 0 ? bvh->level_count[level - 1] : bvh->input.count;
    size_t count = below - (size_t)BVH_WIDTH * node;
    return count < BVH_WIDTH ? (int)count : BVH_WIDTH;
}

/* Children of a against children of b, both on the same level. In one tree, each two once. */
static void descend_both(Walk *walk, NodePair pair) {
    const Bvh *tree_a = walk->search->a, *tree_b = walk->search->b;
    const BvhNode *a = &tree_a->level[pair.level_a][pair.a];
    const BvhNode *b = &tree_b->level[pair.level_b][pair.b];
    bool itself = tree_a == tree_b && pair.a == pair.b;
    bool bottom = pair.level_a == 0;
    int count_a = child_count(tree_a, pair.level_a, pair.a);
    int count_b = child_count(tree_b, pair.level_b, pair.b);
    for (int i = 0; i < count_a; i++) {
        int near[BVH_WIDTH];
        find_near(a, i, b, walk->search->margin, near);
        for (int j = itself ? i + bottom : 0; j < count_b; j++) {
            if (!near[j]) continue;
            uint32_t child_a = BVH_WIDTH * pair.a + (uint32_t)i;
            uint32_t child_b = BVH_WIDTH * pair.b + (uint32_t)j;
            if (bottom)
                found_pair(walk, child_a, child_b);
            else
                walk->stack[walk->top++] =
                    (NodePair){child_a, child_b, pair.level_a - 1, pair.level_b - 1};
        }
    }
}

/* The node above and the child's number in it, where the box of a node is kept; the top node has
 * none, and is near everything that is asked of it. */
static const BvhNode *parent_of(const Bvh *bvh, int level, uint32_t node, int *child) {
    *child = (int)(node % BVH_WIDTH);
    return level + 1 < bvh->levels ? &bvh->level[level + 1][node / BVH_WIDTH] : NULL;
}

static void descend_a(Walk *walk, NodePair pair) {
    const Bvh *tree_a = walk->search->a, *tree_b = walk->search->b;
    int j;
    const BvhNode *above_b = parent_of(tree_b, pair.level_b, pair.b, &j);
    int near[BVH_WIDTH];
    if (above_b)
        find_near(above_b, j, &tree_a->level[pair.level_a][pair.a], walk->search->margin, near);
    for (int i = 0; i < child_count(tree_a, pair.level_a, pair.a); i++)
        if (!above_b || near[i])
            walk->stack[walk->top++] = (NodePair){BVH_WIDTH * pair.a + (uint32_t)i, pair.b,
                                                  pair.level_a - 1, pair.level_b};
}

static void descend_b(Walk *walk, NodePair pair) {
    const Bvh *tree_a = walk->search->a, *tree_b = walk->search->b;
    int i;
    const BvhNode *above_a = parent_of(tree_a, pair.level_a, pair.a, &i);
    int near[BVH_WIDTH];
    if (above_a)
        find_near(above_a, i, &tree_b->level[pair.level_b][pair.b], walk->search->margin, near);
    uint32_t ancestor = pair.a; /* of a, on the level of b's children */
    for (int level = pair.level_a; level < pair.level_b - 1; level++) ancestor /= BVH_WIDTH;
    for (int j = 0; j < child_count(tree_b, pair.level_b, pair.b); j++) {
        uint32_t child = BVH_WIDTH * pair.b + (uint32_t)j;
        if (tree_a == tree_b && child < ancestor) continue; /* an earlier task has these pairs */
        if (!above_a || near[j])
            walk->stack[walk->top++] = (NodePair){pair.a, child, pair.level_a, pair.level_b - 1};
    }
}

static void run_tasks(void *user, size_t begin, size_t end) {
    PairSearch *search = user;
    for (size_t task = begin; task < end; task++) {
        Walk walk;
        walk.search = search;
        walk.count = 0;
        walk.out = search->pairs ? search->pairs + search->counts[task] : NULL;
        walk.stack[0] = (NodePair){(uint32_t)task, 0, search->task_level, search->b->levels - 1};
        walk.top = 1;
        while (walk.top > 0) {
            NodePair pair = walk.stack[--walk.top];
            if (pair.level_a == pair.level_b)
                descend_both(&walk, pair);
            else if (pair.level_a > pair.level_b)
                descend_a(&walk, pair);
            else
                descend_b(&walk, pair);
        }
        if (!search->pairs) search->counts[task] = walk.count;
    }
}

static int compare_items(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void sort_short(size_t *items, size_t count) {
    for (size_t i = 1; i < count; i++) {
        size_t item = items[i], at = i;
        for (; at > 0 && items[at - 1] > item; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Sorts the partners of each primitive and writes its pairs back. */
static void sort_partners(void *user, size_t begin, size_t end) {
    const PairSearch *search = user;
    for (size_t a = begin; a < end; a++) {
        size_t first = search->starts[a], count = search->starts[a + 1] - first;
        if (count <= 16)
            sort_short(search->others + first, count);
        else
            qsort(search->others + first, count, sizeof *search->others, compare_items);
        for (size_t i = first; i < first + count; i++)
            search->pairs[i] = (BvhPair){a, search->others[i]};
    }
}

static PlimStatus sort_pairs(PairSearch *search, size_t count, Scratch *scratch) {
    size_t primitives = search->a->input.count;
    search->starts = scratch_take(scratch, primitives + 2, sizeof *search->starts);
    search->others = scratch_take(scratch, count, sizeof *search->others);
    if (!search->starts || !search->others) return PLIM_OUT_OF_MEMORY;
    memset(search->starts, 0, (primitives + 2) * sizeof *search->starts);
    /* Two places ahead: filling moves each start on to the next primitive's. */
    for (size_t i = 0; i < count; i++) search->starts[search->pairs[i].a + 2]++;
    for (size_t a = 0; a < primitives; a++) search->starts[a + 2] += search->starts[a + 1];
    for (size_t i = 0; i < count; i++)
        search->others[search->starts[search->pairs[i].a + 1]++] = search->pairs[i].b;
    parallel_for(search->a->context->threads, primitives, 4096, sort_partners, search);
    return PLIM_OK;
}

static PlimStatus search_pairs(PairSearch *search, Scratch *scratch, BvhPairs *out) {
    PlimContext *context = search->a->context;
    size_t tasks = search->a->level_count[search->task_level];
    search->counts = scratch_take(scratch, tasks, sizeof *search->counts);
    if (!search->counts) return PLIM_OUT_OF_MEMORY;
    parallel_for(context->threads, tasks, 1, run_tasks, search);
    size_t count = 0;
    for (size_t task = 0; task < tasks; task++) {
        size_t found = search->counts[task];
        search->counts[task] = count;
        count += found;
    }
    if (count == 0) return PLIM_OK;
    if (!array_reserve(context, &out->items, count)) return PLIM_OUT_OF_MEMORY;
    search->pairs = out->items.data + out->items.count;
    parallel_for(context->threads, tasks, 1, run_tasks, search);
    TRY(sort_pairs(search, count, scratch));
    out->items.count += count;
    return PLIM_OK;
}

PlimStatus bvh_overlap_pairs(const Bvh *a, const Bvh *b, double margin, Scratch *scratch,
                             BvhPairs *out) {
    if (a->levels == 0 || b->levels == 0) return PLIM_OK;
    PairSearch search = {.a = a, .b = b, .margin = margin};
    while (a->level_count[search.task_level] > MAX_TASKS) search.task_level++;
    size_t mark = scratch_mark(scratch);
    PlimStatus status = search_pairs(&search, scratch, out);
    scratch_release(scratch, mark);
    return status;
}
