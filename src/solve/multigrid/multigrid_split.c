/* Multigrid coarsening, cells split at walls: parts of coarse cells. A coarse cell that holds two
 * parts with a wall between them, or two bubbles of light fluid with heavy fluid between them,
 * cannot stand for both with one value: corrections would leak through the wall. Its children are
 * therefore joined face by face, the best conductors first, and two parts stay apart when what
 * joins them is weak against both. The strongest part is the cell's own unknown; the others become
 * extras. */
#include "solve/multigrid/multigrid.h"

#include <stdlib.h>

/* Two parts are joined by a face that conducts at least this much of the weaker part's diagonal. */
static const float WEAK = 0.05f;

/* A part is held by fixed values when they have this part of its diagonals. */
static const float HELD = 0.1f;

typedef struct Edge {
    int a, b; /* nodes */
    float g;
} Edge;

typedef struct Node {
    uint32_t id; /* cell or extra of the fine level */
    int root;
    float strength, total; /* of a root: the largest diagonal, and the sum */
} Node;

typedef struct Parts {
    PlimContext *context;
    Node *nodes; /* room for 8 and all fine extras */
    Edge *edges; /* room for 12 and all their links */
    size_t node_count, edge_count;
} Parts;

static int find_root(const Node *nodes, int n) {
    while (nodes[n].root != n) n = nodes[n].root;
    return n;
}

static int stronger_first(const void *p, const void *q) {
    const Edge *a = p, *b = q;
    if (a->g != b->g) return a->g > b->g ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static void sort_edges(Edge *edges, size_t count) {
    if (count > 40) {
        qsort(edges, count, sizeof *edges, stronger_first);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        Edge edge = edges[i];
        size_t at = i;
        for (; at > 0 && stronger_first(&edge, &edges[at - 1]) < 0; at--) edges[at] = edges[at - 1];
        edges[at] = edge;
    }
}

static void join_parts(Node *nodes, Edge *edges, size_t edge_count) {
    sort_edges(edges, edge_count);
    for (size_t i = 0; i < edge_count; i++) {
        int a = find_root(nodes, edges[i].a), b = find_root(nodes, edges[i].b);
        float weaker =
            nodes[a].strength < nodes[b].strength ? nodes[a].strength : nodes[b].strength;
        if (a == b || edges[i].g < WEAK * weaker) continue;
        int low = a < b ? a : b, high = a < b ? b : a;
        nodes[high].root = low;
        nodes[low].total += nodes[high].total;
        if (nodes[high].strength > nodes[low].strength) nodes[low].strength = nodes[high].strength;
    }
}

/* The diagonal of a cell without its shift: a cell that only the shift holds is no part of its own,
 * sweeps do all it needs. */
static float strength_of(const MgLevel *fine, size_t f) {
    if (!fine->shifted) return 1.0f / fine->inverse[f];
    float sum = 0.0f;
    for (int a = 0; a < 3; a++) sum += fine->g[a][f] + fine->g[a][f + fine->stride[a]];
    return sum;
}

/* The children that are active, and the faces between them: at most 8 and 12. */
static int list_children(const MgLevel *fine, const int at[3], Node nodes[8], Edge edges[12],
                         int *edge_count) {
    MgChildren c = mg_children(fine, at);
    int node_at[2][2][2], count = 0;
    *edge_count = 0;
    for (int w = 0; w < c.count[2]; w++)
        for (int v = 0; v < c.count[1]; v++)
            for (int u = 0; u < c.count[0]; u++) {
                size_t f = mg_child(fine, &c, u, v, w);
                node_at[w][v][u] = -1;
                if (fine->inverse[f] == 0.0f) continue;
                float strength = strength_of(fine, f);
                nodes[count] = (Node){(uint32_t)f, count, strength, strength};
                node_at[w][v][u] = count;
                int low[3] = {u ? node_at[w][v][0] : -1, v ? node_at[w][0][u] : -1,
                              w ? node_at[0][v][u] : -1};
                for (int a = 0; a < 3; a++)
                    if (low[a] >= 0 && (fine->g[a][f] > 0.0f || fine->shifted))
                        edges[(*edge_count)++] = (Edge){low[a], count, fine->g[a][f]};
                count++;
            }
    return count;
}

/* Conductance from a cell to fixed values. */
static float fixed_of(const MgLevel *fine, size_t f) {
    float sum = fine->fixed ? fine->fixed[f] : 0.0f;
    if (fine->ties) return sum;
    for (int a = 0; a < 3; a++) {
        size_t stride = fine->stride[a];
        if (fine->inverse[f - stride] == 0.0f) sum += fine->g[a][f];
        if (fine->inverse[f + stride] == 0.0f) sum += fine->g[a][f + stride];
    }
    return sum;
}

/* Whether fixed values hold every part so well that sweeps do all it needs. */
static bool are_held(const MgLevel *fine, const Node *nodes, int count) {
    float fixed[8] = {0.0f};
    for (int i = 0; i < count; i++) fixed[find_root(nodes, i)] += fixed_of(fine, nodes[i].id);
    for (int i = 0; i < count; i++)
        if (nodes[i].root == i && fixed[i] < HELD * nodes[i].total) return false;
    return true;
}

bool mg_is_split(const MgLevel *fine, const int at[3]) {
    Node nodes[8];
    Edge edges[12];
    int edge_count, roots = 0, count = list_children(fine, at, nodes, edges, &edge_count);
    if (count < 2) return false;
    join_parts(nodes, edges, (size_t)edge_count);
    for (int i = 0; i < count; i++) roots += nodes[i].root == i;
    return roots > 1 && !(fine->joins_held && are_held(fine, nodes, count));
}

static int node_of(const Parts *parts, uint32_t id) {
    for (size_t i = 0; i < parts->node_count; i++)
        if (parts->nodes[i].id == id) return (int)i;
    return -1;
}

/* Adds the fine extras in the cell and their links to what is in it. */
static void add_extras(Parts *parts, const MgLevel *fine, const uint32_t *extras, size_t count) {
    const MgExtras *e = &fine->extras;
    for (size_t i = 0; i < count; i++) {
        const MgExtra *extra = &e->all.data[extras[i]];
        float d = extra->inverse > 0.0f ? 1.0f / extra->inverse : 0.0f;
        int n = (int)parts->node_count++;
        parts->nodes[n] = (Node){(uint32_t)(fine->size + extras[i]), n, d, d};
    }
    for (size_t i = 0; i < count; i++) {
        const MgExtra *extra = &e->all.data[extras[i]];
        int from = node_of(parts, (uint32_t)(fine->size + extras[i]));
        for (uint32_t l = extra->first_link; l < extra[1].first_link; l++) {
            int to = node_of(parts, e->links.data[l].to);
            if (to < 0 || to > from) continue; /* elsewhere, or listed from the other end */
            parts->edges[parts->edge_count++] = (Edge){to, from, e->links.data[l].g};
        }
    }
}

/* All parts but the strongest become extras of coarse cell c. */
static PlimStatus store_parts(Parts *parts, MgLevel *fine, MgLevel *coarse, uint32_t c) {
    Node *nodes = parts->nodes;
    int count = (int)parts->node_count, own = -1;
    MgExtras *e = &coarse->extras;
    for (int i = 0; i < count; i++) {
        nodes[i].root = find_root(nodes, i);
        if (nodes[i].root == i && (own < 0 || nodes[i].total > nodes[own].total)) own = i;
    }
    for (int root = 0; root < count; root++) {
        if (nodes[root].root != root) continue;
        bool aside = root != own;
        uint32_t parent = aside ? (uint32_t)(coarse->size + e->all.count) : c;
        MgExtra extra = {.cell = c, .first_member = (uint32_t)e->members.count};
        if (aside && !array_push(parts->context, &e->all, extra)) return PLIM_OUT_OF_MEMORY;
        for (int i = root; i < count; i++) {
            if (nodes[i].root != root) continue;
            uint32_t id = nodes[i].id;
            if (id >= fine->size)
                fine->extras.all.data[id - fine->size].parent = parent;
            else if (aside)
                fine->aside[id] = MG_ASIDE;
            if (aside && !array_push(parts->context, &e->members, id)) return PLIM_OUT_OF_MEMORY;
        }
    }
    return PLIM_OK;
}

typedef struct Resident {
    uint32_t cell, extra;
} Resident;

static int by_cell(const void *p, const void *q) {
    const Resident *a = p, *b = q;
    if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
    return a->extra < b->extra ? -1 : a->extra > b->extra;
}

/* The coarse cell over a fine one. */
static uint32_t cell_above(const MgLevel *fine, const MgLevel *coarse, size_t f) {
    int at[3];
    mg_place(fine, f, at);
    return (uint32_t)mg_index(coarse, at[0] / fine->factor[0], at[1] / fine->factor[1],
                              at[2] / fine->factor[2]);
}

static PlimStatus split_cell(Parts *parts, MgLevel *fine, MgLevel *coarse, uint32_t c,
                             const uint32_t *extras, size_t extra_count) {
    int at[3], edge_count;
    mg_place(coarse, c, at);
    parts->node_count = (size_t)list_children(fine, at, parts->nodes, parts->edges, &edge_count);
    parts->edge_count = (size_t)edge_count;
    add_extras(parts, fine, extras, extra_count);
    join_parts(parts->nodes, parts->edges, parts->edge_count);
    return store_parts(parts, fine, coarse, c);
}

static PlimStatus split_all(Parts *parts, MgLevel *fine, MgLevel *coarse, const Resident *residents,
                            uint32_t *list, size_t extra_count) {
    size_t next = 0;
    for (size_t c = 0; c < coarse->size; c++) {
        size_t here = 0;
        while (next < extra_count && residents[next].cell == c)
            list[here++] = residents[next++].extra;
        if (coarse->aside[c] != MG_PARTS && here == 0) continue;
        coarse->aside[c] = 0;
        TRY(split_cell(parts, fine, coarse, (uint32_t)c, list, here));
    }
    MgExtra end = {.first_member = (uint32_t)coarse->extras.members.count};
    bool room =
        coarse->extras.all.count == 0 || array_push(parts->context, &coarse->extras.all, end);
    return room ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

PlimStatus mg_split(Scratch *scratch, MgLevel *fine, MgLevel *coarse) {
    size_t count = mg_extra_count(fine), mark = scratch_mark(scratch);
    Parts parts = {.context = scratch->context};
    Resident *residents = scratch_take(scratch, count + 1, sizeof *residents);
    uint32_t *list = scratch_take(scratch, count + 1, sizeof *list);
    parts.nodes = scratch_take(scratch, count + 8, sizeof *parts.nodes);
    parts.edges = scratch_take(scratch, fine->extras.links.count + 12, sizeof *parts.edges);
    coarse->extras.all.count = coarse->extras.members.count = 0;
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    if (residents && list && parts.nodes && parts.edges) {
        for (size_t i = 0; i < count; i++)
            residents[i] =
                (Resident){cell_above(fine, coarse, fine->extras.all.data[i].cell), (uint32_t)i};
        qsort(residents, count, sizeof *residents, by_cell);
        status = split_all(&parts, fine, coarse, residents, list, count);
    }
    scratch_release(scratch, mark);
    return status;
}
