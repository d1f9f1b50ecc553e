/* Elimination of constraints in the coupled flow solve (002 section 5.8): the motions that rows
 * leave to blocks of the structure, as pins, locks, the plane and contacts that hold make them.
 *
 * Blocks that rows join form a part. In velocities y scaled by masses its rows are A y = t, and
 * Householder reflections of A^T give y = Q_1 z + Q_2 q: z from the targets, q the motions, any
 * number. Rows that depend on others, as those of a box that stands on four corners, add nothing.
 * A pile at rest has no motions left: it is then an obstacle, and costs no more. */
#include "solve/coupled/coupled_flow_internal.h"

#include <math.h>
#include <string.h>

/* A part with more velocities than this is not made: its blocks stay apart, and rows between them
 * have multipliers (coupled_flow_links.c). */
enum { PART_LIMIT = 720 };

/* ---- which blocks are of one part ---- */

/* Rows by parts, while parts are made. */
typedef struct Grouping {
    CoupledFlow *flow;
    const Csr *rows; /* NULL: none */
    size_t row_count;
    int32_t *root;   /* of each block: the first of those that rows join it with */
    size_t *size;    /* of each root: velocities */
    size_t *row;     /* sorted by root */
    size_t *start;   /* of each root, and one more: its rows */
    bool *is_joined; /* of each row: it is a link */
} Grouping;

static int32_t find_root(int32_t *root, int32_t block) {
    while (root[block] != block) block = root[block] = root[root[block]];
    return block;
}

static bool is_free_entry(const CoupledFlow *flow, const Csr *rows, size_t entry) {
    const FlowStructure *s = flow->structure;
    return rows->value[entry] != 0.0 && s->blocks[flow->block_of[rows->column[entry]]].is_free;
}

/* The first free block of a row; -1: it has none. */
static int32_t first_block(const Grouping *g, size_t row) {
    for (size_t i = g->rows->row_start[row]; i < g->rows->row_start[row + 1]; i++)
        if (is_free_entry(g->flow, g->rows, i)) return g->flow->block_of[g->rows->column[i]];
    return -1;
}

static bool row_joins(const Grouping *g, size_t row) {
    int32_t first = first_block(g, row);
    for (size_t i = g->rows->row_start[row]; i < g->rows->row_start[row + 1]; i++)
        if (is_free_entry(g->flow, g->rows, i) && g->flow->block_of[g->rows->column[i]] != first)
            return true;
    return false;
}

static void join_blocks(Grouping *g) {
    for (size_t row = 0; row < g->row_count; row++) {
        int32_t first = first_block(g, row);
        if (first < 0) continue;
        for (size_t i = g->rows->row_start[row]; i < g->rows->row_start[row + 1]; i++) {
            if (!is_free_entry(g->flow, g->rows, i)) continue;
            int32_t a = find_root(g->root, first);
            int32_t b = find_root(g->root, g->flow->block_of[g->rows->column[i]]);
            g->root[a < b ? b : a] = a < b ? a : b;
        }
    }
}

/* Blocks that would be too many go back to being on their own, and their rows become links. */
static void split_large(Grouping *g) {
    const FlowStructure *s = g->flow->structure;
    size_t most = s->largest_part > 0 ? s->largest_part : PART_LIMIT;
    for (size_t b = 0; b < s->block_count; b++) g->size[b] = 0;
    for (size_t b = 0; b < s->block_count; b++) {
        g->root[b] = find_root(g->root, (int32_t)b);
        g->size[g->root[b]] += (size_t)s->blocks[b].size;
    }
    for (size_t row = 0; row < g->row_count; row++) {
        int32_t first = first_block(g, row);
        g->is_joined[row] = first >= 0 && g->size[g->root[first]] > most && row_joins(g, row);
    }
    for (size_t b = 0; b < s->block_count; b++)
        if (g->size[g->root[b]] > most && g->root[b] != (int32_t)b) g->root[b] = (int32_t)b;
    for (size_t b = 0; b < s->block_count; b++) g->size[b] = 0;
    for (size_t b = 0; b < s->block_count; b++) g->size[g->root[b]] += (size_t)s->blocks[b].size;
}

/* Counting sort of the rows that are eliminated. */
static void sort_rows(Grouping *g) {
    size_t blocks = g->flow->structure->block_count;
    memset(g->start, 0, (blocks + 2) * sizeof *g->start);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t row = 0; row < g->row_count; row++) {
            int32_t first = first_block(g, row);
            if (first < 0 || g->is_joined[row]) continue;
            size_t *place = &g->start[g->root[first] + (pass ? 1 : 2)];
            if (pass) g->row[*place] = row;
            ++*place;
        }
        for (size_t b = 0; !pass && b < blocks; b++) g->start[b + 2] += g->start[b + 1];
    }
}

static PlimStatus group_blocks(CoupledFlow *flow, Grouping *g) {
    const FlowStructure *s = flow->structure;
    size_t blocks = s->block_count;
    *g = (Grouping){.flow = flow, .rows = s->constraints};
    g->row_count = s->constraints ? s->constraints->rows : 0;
    g->root = scratch_take(&flow->scratch, blocks + 1, sizeof *g->root);
    g->size = scratch_take(&flow->scratch, blocks + 1, sizeof *g->size);
    g->start = scratch_take(&flow->scratch, blocks + 2, sizeof *g->start);
    g->row = scratch_take(&flow->scratch, g->row_count + 1, sizeof *g->row);
    g->is_joined = scratch_take(&flow->scratch, g->row_count + 1, sizeof *g->is_joined);
    if (!g->root || !g->size || !g->start || !g->row || !g->is_joined) return PLIM_OUT_OF_MEMORY;
    for (size_t b = 0; b < blocks; b++) g->root[b] = (int32_t)b;
    join_blocks(g);
    split_large(g);
    sort_rows(g);
    return PLIM_OK;
}

/* ---- the motions that rows leave ---- */

/* A part's rows in scaled velocities, and what becomes of them. */
typedef struct Elimination {
    CoupledFlow *flow;
    FlowPart *part;
    bool *is_given; /* of each velocity: a row of its own gives it */
    double *given;  /* scaled */
    double *row;    /* the present one */
    /* Of the velocities that are left: which, and how many. */
    size_t *left, count;
    double *reflector; /* `rank` vectors one after the other, of length 1 */
    double *solution;  /* z */
    double *open_row;  /* the present row */
    size_t rank;
} Elimination;

/* The row in scaled velocities; returns its target, less what given blocks make of it. */
static double load_row(Elimination *e, size_t row, size_t *entries) {
    const CoupledFlow *flow = e->flow;
    const FlowStructure *s = flow->structure;
    const Csr *rows = s->constraints;
    double target = s->target ? s->target[row] : 0.0;
    memset(e->row, 0, e->part->size * sizeof *e->row);
    *entries = 0;
    for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++) {
        size_t column = (size_t)rows->column[i];
        if (!is_free_entry(flow, rows, i)) {
            target -= rows->value[i] * s->velocity[column];
            continue;
        }
        size_t at = flow_place_in_part(flow, column);
        e->row[at] += rows->value[i] * e->part->scale[at];
        ++*entries;
    }
    return target;
}

/* Rows of one velocity give it: no rounding mixes it with others. */
static void take_given(Elimination *e, const size_t *list, size_t count) {
    memset(e->is_given, 0, e->part->size * sizeof *e->is_given);
    for (size_t k = 0; k < count; k++) {
        size_t entries;
        double target = load_row(e, list[k], &entries);
        for (size_t i = 0; entries == 1 && i < e->part->size; i++) {
            if (e->row[i] == 0.0 || e->is_given[i]) continue;
            e->is_given[i] = true;
            e->given[i] = target / e->row[i];
        }
    }
    e->count = 0;
    for (size_t i = 0; i < e->part->size; i++)
        if (!e->is_given[i]) e->left[e->count++] = i;
}

static double dot(const double *a, const double *b, size_t from, size_t n) {
    double sum = 0.0;
    for (size_t i = from; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* x = (1 - 2 w w^T) x; the first `first` entries of w are 0. */
static void reflect(const double *w, size_t first, size_t n, double *x) {
    double along = 2.0 * dot(w, x, first, n);
    for (size_t i = first; i < n; i++) x[i] -= along * w[i];
}

/* The next row through all reflections so far; what is left of it beyond them makes the next one,
 * unless it is nothing. */
static void reduce_row(Elimination *e, double target) {
    size_t n = e->count, rank = e->rank;
    double *x = e->open_row, *w = e->reflector + rank * n;
    for (size_t i = 0; i < e->part->size; i++)
        if (e->is_given[i]) target -= e->row[i] * e->given[i];
    for (size_t i = 0; i < n; i++) x[i] = e->row[e->left[i]];
    double before = sqrt(dot(x, x, 0, n));
    for (size_t k = 0; k < rank; k++) reflect(e->reflector + k * n, k, n, x);
    double length = sqrt(dot(x, x, rank, n));
    double least = e->flow->structure->least_new;
    if (!(length > fmax(least, 1e-6) * before)) return;
    double diagonal = x[rank] > 0.0 ? -length : length;
    memset(w, 0, n * sizeof *w);
    for (size_t i = rank; i < n; i++) w[i] = x[i];
    w[rank] -= diagonal;
    double size = sqrt(dot(w, w, rank, n));
    for (size_t i = rank; i < n; i++) w[i] /= size;
    for (size_t k = 0; k < rank; k++) target -= x[k] * e->solution[k];
    e->solution[rank] = target / diagonal;
    e->rank++;
}

/* x = Q x, in place. */
static void rotate_back(const Elimination *e, double *x) {
    for (size_t k = e->rank; k-- > 0;) reflect(e->reflector + k * e->count, k, e->count, x);
}

/* What rows ask for, as velocities. */
static void store_known(const Elimination *e) {
    const FlowPart *part = e->part;
    double *x = e->open_row;
    memset(x, 0, e->count * sizeof *x);
    memcpy(x, e->solution, e->rank * sizeof *x);
    rotate_back(e, x);
    for (size_t i = 0; i < part->size; i++)
        e->flow->known[part->velocity[i]] = part->scale[i] * e->given[i];
    for (size_t i = 0; i < e->count; i++)
        e->flow->known[part->velocity[e->left[i]]] = part->scale[e->left[i]] * x[i];
}

/* Q_2; without rows the axes that are left. */
static PlimStatus store_motions(Elimination *e) {
    FlowPart *part = e->part;
    part->motion_count = e->count - e->rank;
    part->motion =
        scratch_take(&e->flow->scratch, part->motion_count * part->size + 1, sizeof(double));
    if (!part->motion) return PLIM_OUT_OF_MEMORY;
    memset(part->motion, 0, part->motion_count * part->size * sizeof *part->motion);
    for (size_t m = 0; m < part->motion_count; m++) {
        double *x = e->open_row, *motion = part->motion + m * part->size;
        memset(x, 0, e->count * sizeof *x);
        x[e->rank + m] = 1.0;
        rotate_back(e, x);
        for (size_t i = 0; i < e->count; i++) {
            size_t at = e->left[i];
            motion[at] = part->scale[at] * x[i];
        }
    }
    return PLIM_OK;
}

static PlimStatus eliminate(CoupledFlow *flow, FlowPart *part, const size_t *list, size_t count) {
    size_t n = part->size, most = count < n ? count : n;
    Elimination e = {.flow = flow, .part = part};
    e.is_given = scratch_take(&flow->scratch, n + 1, sizeof *e.is_given);
    e.given = scratch_take(&flow->scratch, n + 1, sizeof *e.given);
    e.row = scratch_take(&flow->scratch, n + 1, sizeof *e.row);
    e.left = scratch_take(&flow->scratch, n + 1, sizeof *e.left);
    e.reflector = scratch_take(&flow->scratch, most * n + 1, sizeof *e.reflector);
    e.solution = scratch_take(&flow->scratch, most + 1, sizeof *e.solution);
    e.open_row = scratch_take(&flow->scratch, n + 1, sizeof *e.open_row);
    if (!e.is_given || !e.given || !e.row || !e.left || !e.reflector || !e.solution || !e.open_row)
        return PLIM_OUT_OF_MEMORY;
    memset(e.given, 0, n * sizeof *e.given);
    take_given(&e, list, count);
    for (size_t k = 0; k < count && e.rank < e.count; k++) {
        size_t entries;
        double target = load_row(&e, list[k], &entries);
        if (entries > 1) reduce_row(&e, target);
    }
    store_known(&e);
    return store_motions(&e);
}

/* ---- parts ---- */

static PlimStatus add_block(CoupledFlow *flow, size_t number, FlowPart *part, size_t part_number) {
    const MassBlock *block = &flow->structure->blocks[number];
    flow->blocks.data[number] = (FlowBlock){.part = part_number, .local = part->size};
    for (int i = 0; i < block->size; i++, part->size++) {
        if (!(block->mass[i][i] > 0.0))
            return context_fail(flow->context, PLIM_FAILED,
                                "the masses of bodies in the fluid are not positive");
        part->velocity[part->size] = block->first + (size_t)i;
        part->scale[part->size] = sqrt(block->mass[0][0] / block->mass[i][i]);
    }
    return PLIM_OK;
}

static PlimStatus make_part(CoupledFlow *flow, const Grouping *g, size_t root) {
    const FlowStructure *s = flow->structure;
    FlowPart part = {.first = flow->motion_count};
    part.velocity = scratch_take(&flow->scratch, g->size[root] + 1, sizeof *part.velocity);
    part.scale = scratch_take(&flow->scratch, g->size[root] + 1, sizeof *part.scale);
    if (!part.velocity || !part.scale) return PLIM_OUT_OF_MEMORY;
    for (size_t b = root; b < s->block_count && part.size < g->size[root]; b++)
        if (g->root[b] == (int32_t)root) TRY(add_block(flow, b, &part, flow->parts.count));
    TRY(eliminate(flow, &part, g->row + g->start[root], g->start[root + 1] - g->start[root]));
    flow->motion_count += part.motion_count;
    return array_push(flow->context, &flow->parts, part) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static void take_given_block(CoupledFlow *flow, size_t number) {
    const MassBlock *block = &flow->structure->blocks[number];
    flow->blocks.data[number] = (FlowBlock){.part = FLOW_NO_PART};
    for (int i = 0; i < block->size; i++)
        flow->known[block->first + (size_t)i] = flow->structure->velocity[block->first + (size_t)i];
}

PlimStatus flow_make_parts(CoupledFlow *flow, bool **is_link) {
    const FlowStructure *s = flow->structure;
    Grouping g;
    flow->parts.count = flow->blocks.count = flow->motion_count = 0;
    if (!array_reserve(flow->context, &flow->blocks, s->block_count + 1)) return PLIM_OUT_OF_MEMORY;
    flow->blocks.count = s->block_count;
    TRY(group_blocks(flow, &g));
    for (size_t b = 0; b < s->block_count; b++) {
        if (!s->blocks[b].is_free)
            take_given_block(flow, b);
        else if (g.root[b] == (int32_t)b)
            TRY(make_part(flow, &g, b));
    }
    *is_link = g.is_joined;
    return PLIM_OK;
}
