/* Sign of a level set, inside or outside for every node (000 section 2.3.1): flood fill over edges
 * that do not cross for closed surfaces, a vote of six rays a node for surfaces with gaps. */
#include "geom/level_set/level_set_data.h"

#include "base/parallel.h"

typedef ARRAY(uint32_t) NodeStack;

static bool push_node(PlimContext *context, NodeStack *stack, unsigned char *flags, size_t node) {
    if (flags[node] & NODE_SEEN) return true;
    flags[node] |= NODE_SEEN;
    return array_push(context, stack, (uint32_t)node);
}

/* Gives the whole region of a node that node's sign; false when memory is out. */
static bool fill_region(PlimContext *context, const NodeGrid *grid, unsigned char *flags,
                        size_t seed, NodeStack *stack, size_t *size) {
    unsigned char inside = flags[seed] & NODE_INSIDE;
    *size = 0;
    if (!push_node(context, stack, flags, seed)) return false;
    while (stack->count > 0) {
        size_t node = stack->data[--stack->count], rest = node, stride = 1;
        flags[node] = (unsigned char)((flags[node] & ~NODE_INSIDE) | inside);
        ++*size;
        for (int a = 0; a < 3; a++) {
            size_t n = (size_t)grid->n[a], at = rest % n;
            int mark = NODE_CROSS_X << a;
            rest /= n;
            if (at + 1 < n && !(flags[node] & mark) &&
                !push_node(context, stack, flags, node + stride))
                return false;
            if (at > 0 && !(flags[node - stride] & mark) &&
                !push_node(context, stack, flags, node - stride))
                return false;
            stride *= n;
        }
    }
    return true;
}

/* Nodes on the surface itself have crossing edges all around: regions of one node, not counted. */
static PlimStatus fill_regions(PlimContext *context, const NodeGrid *grid, unsigned char *flags,
                               size_t *regions) {
    NodeStack stack = {0};
    bool good = true;
    *regions = 0;
    for (size_t node = 0; good && node < node_grid_count(grid); node++) {
        if (flags[node] & NODE_SEEN) continue;
        size_t size;
        good = fill_region(context, grid, flags, node, &stack, &size);
        *regions += size > 1;
    }
    array_free(context, &stack);
    return good ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static int votes_of(unsigned char flags) {
    return flags / NODE_VOTE;
}

/* Of the neighbours with no surface between, more on the other side than on this one. */
static bool is_stray(const NodeGrid *grid, const unsigned char *flags, size_t node) {
    size_t rest = node, stride = 1;
    int other = 0, same = 0;
    bool inside = votes_of(flags[node]) >= 3;
    for (int a = 0; a < 3; a++) {
        size_t n = (size_t)grid->n[a], at = rest % n;
        int mark = NODE_CROSS_X << a;
        rest /= n;
        if (at + 1 < n && !(flags[node] & mark))
            *((votes_of(flags[node + stride]) >= 3) == inside ? &same : &other) += 1;
        if (at > 0 && !(flags[node - stride] & mark))
            *((votes_of(flags[node - stride]) >= 3) == inside ? &same : &other) += 1;
        stride *= n;
    }
    return other > same;
}

/* Three rays that all happen to pass through gaps outvote the rest. Such nodes stand alone: they
 * take the sign of the nodes around them, as long as those are not across the surface. */
static void decide_votes(const NodeGrid *grid, unsigned char *flags) {
    for (size_t node = 0; node < node_grid_count(grid); node++) {
        bool inside = votes_of(flags[node]) >= 3;
        if (is_stray(grid, flags, node)) inside = !inside;
        if (inside) flags[node] |= NODE_INSIDE; /* the votes, which others look at, stay */
    }
}

PlimStatus level_set_find_signs(PlimContext *context, const GridSurface *surface,
                                unsigned char *flags, LevelSetReport *report) {
    const NodeGrid *grid = surface->grid;
    size_t count = node_grid_count(grid);
    for (int axis = 0; axis < 3; axis++) {
        LineUse use = !surface->closed ? LINES_VOTE : axis == 0 ? LINES_WIND : LINES_CROSS;
        TRY(level_set_scan_lines(context, surface, axis, use, flags));
    }
    if (surface->closed)
        TRY(fill_regions(context, grid, flags, &report->regions));
    else
        decide_votes(grid, flags);
    for (size_t i = 0; i < count; i++) {
        int cross = flags[i] & NODE_CROSS, votes = votes_of(flags[i]);
        report->crossing_edges += (size_t)((cross & 1) + (cross >> 1 & 1) + (cross >> 2));
        report->voted += votes > 0 && votes < 6;
    }
    return PLIM_OK;
}

/* ---- triangles inside the solid ---- */

typedef struct OverlapPass {
    const GridSurface *surface;
    const unsigned char *flags;
} OverlapPass;

static int clamp_node(double x, int n) {
    return x > 0.0 ? (x < n - 1 ? (int)x : n - 1) : 0;
}

/* All nodes around the triangle, the next but one included, are inside. */
static bool is_buried(const OverlapPass *pass, size_t triangle) {
    const NodeGrid *grid = pass->surface->grid;
    Box3 box = box3_empty();
    for (int i = 0; i < 3; i++)
        box =
            box3_add_point(box, pass->surface->points[pass->surface->mesh->triangles[triangle][i]]);
    box = box3_grow(box, 1.0);
    int last[3] = {clamp_node(ceil(box.high.x), grid->n[0]),
                   clamp_node(ceil(box.high.y), grid->n[1]),
                   clamp_node(ceil(box.high.z), grid->n[2])};
    for (int k = clamp_node(floor(box.low.z), grid->n[2]); k <= last[2]; k++)
        for (int j = clamp_node(floor(box.low.y), grid->n[1]); j <= last[1]; j++)
            for (int i = clamp_node(floor(box.low.x), grid->n[0]); i <= last[0]; i++)
                if (!(pass->flags[node_grid_index(grid, i, j, k)] & NODE_INSIDE)) return false;
    return true;
}

static void mark_buried(void *user, size_t begin, size_t end) {
    const OverlapPass *pass = user;
    for (size_t t = begin; t < end; t++) pass->surface->dropped[t] = is_buried(pass, t);
}

void level_set_drop_overlapped(GridSurface *surface, const unsigned char *flags, int threads) {
    OverlapPass pass = {surface, flags};
    size_t triangles = surface->mesh->triangle_count;
    parallel_for(threads, triangles, 1024, mark_buried, &pass);
    surface->dropped_count = 0;
    for (size_t t = 0; t < triangles; t++) surface->dropped_count += surface->dropped[t];
}
