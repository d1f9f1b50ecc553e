/* Sparse level set blocks, filled: exact values in the band, and beyond it what marching gives on a
 * grid of half the resolution, which takes an eighth of the memory of the full one. The corners of
 * the coarse blocks are nodes of that grid. */
#include "geom/level_set/level_set_data.h"

#include "base/clock.h"
#include "base/parallel.h"

#include <string.h>

typedef struct SparsePass {
    LevelSet *field;
    const GridSurface *surface;
    const Bvh *bvh;
    const unsigned char *flags;
    size_t chosen;    /* blocks that were fine at first */
    size_t *block_of; /* the block of each fine one */
    Vec3 *reach;
    size_t *start; /* of each fine block's triangles, one more at the end */
    uint32_t *items;
    size_t item_count;
    MarchGrid half; /* every second node */
    size_t half_count;
    double *half_values;
    unsigned char *half_known;
} SparsePass;

static void block_position(const LevelSet *field, size_t block, int at[3]) {
    at[0] = (int)(block % (size_t)field->blocks[0]);
    at[1] = (int)(block / (size_t)field->blocks[0] % (size_t)field->blocks[1]);
    at[2] = (int)(block / (size_t)field->blocks[0] / (size_t)field->blocks[1]);
}

static bool is_inside(const SparsePass *pass, int i, int j, int k) {
    return pass->flags[node_grid_index(&pass->field->grid, i, j, k)] & NODE_INSIDE;
}

/* ---- which blocks are fine ---- */

/* With gaps the sign may change without a surface near. */
static bool sign_changes(const SparsePass *pass, const int at[3]) {
    int i = at[0] * LEVEL_SET_BLOCK, j = at[1] * LEVEL_SET_BLOCK, k = at[2] * LEVEL_SET_BLOCK;
    const int half = LEVEL_SET_BLOCK / 2;
    bool inside = is_inside(pass, i + half, j + half, k + half);
    for (int c = 0; c < 8; c++)
        if (is_inside(pass, i + (c & 1) * LEVEL_SET_BLOCK, j + (c >> 1 & 1) * LEVEL_SET_BLOCK,
                      k + (c >> 2) * LEVEL_SET_BLOCK) != inside)
            return true;
    return false;
}

/* A node of the block may lie within the band. */
static bool is_near(const SparsePass *pass, const int at[3]) {
    const NodeGrid *grid = &pass->field->grid;
    const int half = LEVEL_SET_BLOCK / 2;
    double reach = (LEVEL_SET_BAND + sqrt(3.0) * half) * (1.0 + 1e-9) * grid->spacing;
    Vec3 center =
        node_grid_position(grid, at[0] * LEVEL_SET_BLOCK + half, at[1] * LEVEL_SET_BLOCK + half,
                           at[2] * LEVEL_SET_BLOCK + half);
    return bvh_closest(pass->bvh, center, reach).primitive != BVH_NONE;
}

static void choose_blocks(void *user, size_t begin, size_t end) {
    const SparsePass *pass = user;
    for (size_t block = begin; block < end; block++) {
        int at[3];
        block_position(pass->field, block, at);
        pass->field->fine[block] = is_near(pass, at) || sign_changes(pass, at);
    }
}

static PlimStatus list_fine(SparsePass *pass) {
    LevelSet *field = pass->field;
    size_t count = 0, blocks = level_set_block_count(field);
    for (size_t b = 0; b < blocks; b++)
        if (field->fine[b]) field->fine[b] = (uint32_t)++count;
    TRY(level_set_take_fine(field, count));
    pass->chosen = count;
    pass->block_of = context_allocate(field->context, count, sizeof *pass->block_of);
    if (!pass->block_of) return PLIM_OUT_OF_MEMORY;
    for (size_t b = 0; b < blocks; b++)
        if (field->fine[b]) pass->block_of[field->fine[b] - 1] = b;
    return PLIM_OK;
}

/* ---- exact values in the band ---- */

/* The blocks along one axis that have nodes between low and high. */
static void block_range(double low, double high, int blocks, int *first, int *last) {
    double a = ceil((low - LEVEL_SET_BLOCK) / LEVEL_SET_BLOCK), b = floor(high / LEVEL_SET_BLOCK);
    *first = a > 0.0 ? (int)a : 0;
    *last = b < blocks - 1 ? (int)b : blocks - 1;
}

/* Counts the triangles of each fine block, or, with room for them, puts them in. */
static void sort_triangles(SparsePass *pass) {
    const LevelSet *field = pass->field;
    for (size_t t = 0; t < pass->surface->mesh->triangle_count; t++) {
        if (pass->surface->dropped[t]) continue;
        const int32_t *v = pass->surface->mesh->triangles[t];
        const Vec3 *p = pass->surface->points;
        Vec3 low = vec3_sub(vec3_min(p[v[0]], vec3_min(p[v[1]], p[v[2]])), pass->reach[t]);
        Vec3 high = vec3_add(vec3_max(p[v[0]], vec3_max(p[v[1]], p[v[2]])), pass->reach[t]);
        int first[3], last[3];
        block_range(low.x, high.x, field->blocks[0], &first[0], &last[0]);
        block_range(low.y, high.y, field->blocks[1], &first[1], &last[1]);
        block_range(low.z, high.z, field->blocks[2], &first[2], &last[2]);
        for (int k = first[2]; k <= last[2]; k++)
            for (int j = first[1]; j <= last[1]; j++)
                for (int i = first[0]; i <= last[0]; i++) {
                    uint32_t fine = field->fine[level_set_block_index(field, i, j, k)];
                    if (fine == 0) continue;
                    if (pass->items)
                        pass->items[pass->start[fine]++] = (uint32_t)t;
                    else
                        pass->start[fine + 1]++;
                }
    }
}

static PlimStatus list_triangles(SparsePass *pass) {
    PlimContext *context = pass->field->context;
    size_t fine = pass->chosen;
    pass->reach =
        context_allocate(context, pass->surface->mesh->triangle_count, sizeof *pass->reach);
    pass->start = context_allocate(context, fine + 2, sizeof *pass->start);
    if (!pass->reach || !pass->start) return PLIM_OUT_OF_MEMORY;
    TRY(level_set_find_reach(context, pass->surface, pass->reach));
    sort_triangles(pass);
    for (size_t i = 2; i <= fine + 1; i++) pass->start[i] += pass->start[i - 1];
    pass->item_count = pass->start[fine + 1];
    pass->items = context_allocate(context, pass->item_count, sizeof *pass->items);
    if (!pass->items) return PLIM_OUT_OF_MEMORY;
    sort_triangles(pass); /* start[f] now begins block f, counted from 0 */
    return PLIM_OK;
}

/* Distances in cells, HUGE_VAL beyond the band. */
static void band_blocks(void *user, size_t begin, size_t end) {
    const SparsePass *pass = user;
    for (size_t place = begin; place < end; place++) {
        double *values = pass->field->fine_values + place * LEVEL_SET_BLOCK_NODES;
        int at[3];
        block_position(pass->field, pass->block_of[place], at);
        NodeBox box;
        for (int a = 0; a < 3; a++) {
            box.first[a] = at[a] * LEVEL_SET_BLOCK;
            box.last[a] = box.first[a] + LEVEL_SET_BLOCK;
        }
        for (int i = 0; i < LEVEL_SET_BLOCK_NODES; i++) values[i] = HUGE_VAL;
        for (size_t i = pass->start[place]; i < pass->start[place + 1]; i++)
            level_set_try_triangle(pass->surface, pass->items[i], pass->reach[pass->items[i]], &box,
                                   values);
        level_set_close_band(values, LEVEL_SET_BLOCK_NODES);
    }
}

static bool in_band(const double *values) {
    for (int i = 0; i < LEVEL_SET_BLOCK_NODES; i++)
        if (values[i] < HUGE_VAL) return true;
    return false;
}

/* Blocks that were near but have no node in the band are coarse after all. */
static PlimStatus drop_empty(SparsePass *pass) {
    LevelSet *field = pass->field;
    size_t kept = 0;
    for (size_t place = 0; place < pass->chosen; place++) {
        double *values = field->fine_values + place * LEVEL_SET_BLOCK_NODES;
        size_t block = pass->block_of[place];
        int at[3];
        block_position(field, block, at);
        bool keep = in_band(values) || sign_changes(pass, at);
        field->fine[block] = keep ? (uint32_t)(kept + 1) : 0;
        if (!keep) continue;
        memmove(field->fine_values + kept * LEVEL_SET_BLOCK_NODES, values,
                LEVEL_SET_BLOCK_NODES * sizeof *values);
        pass->block_of[kept++] = block;
    }
    double *shrunk = context_resize(field->context, field->fine_values,
                                    field->fine_count * LEVEL_SET_BLOCK_NODES,
                                    kept * LEVEL_SET_BLOCK_NODES, sizeof *shrunk);
    if (!shrunk) return PLIM_OUT_OF_MEMORY;
    field->fine_values = shrunk;
    field->fine_count = kept;
    return PLIM_OK;
}

/* ---- the rest ---- */

static size_t half_index(const SparsePass *pass, int i, int j, int k) {
    const int *n = pass->half.n;
    return ((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0] + (size_t)i;
}

/* Copies what the fine blocks know to the half grid, and the sign to the rest of it. */
static void start_half(SparsePass *pass) {
    for (int k = 0; k < pass->half.n[2]; k++)
        for (int j = 0; j < pass->half.n[1]; j++)
            for (int i = 0; i < pass->half.n[0]; i++)
                pass->half_values[half_index(pass, i, j, k)] =
                    is_inside(pass, 2 * i, 2 * j, 2 * k) ? -1.0 : 1.0;
    for (size_t place = 0; place < pass->field->fine_count; place++) {
        const double *values = pass->field->fine_values + place * LEVEL_SET_BLOCK_NODES;
        const int b = LEVEL_SET_BLOCK / 2;
        int at[3];
        block_position(pass->field, pass->block_of[place], at);
        for (int k = 0; k <= b; k++)
            for (int j = 0; j <= b; j++)
                for (int i = 0; i <= b; i++) {
                    double value = values[level_set_local_index(2 * i, 2 * j, 2 * k)];
                    if (!(value < HUGE_VAL)) continue;
                    size_t to = half_index(pass, at[0] * b + i, at[1] * b + j, at[2] * b + k);
                    pass->half_values[to] = pass->half_values[to] < 0.0 ? -value : value;
                    pass->half_known[to] = 1;
                }
    }
}

static PlimStatus march_half(SparsePass *pass, int order) {
    PlimContext *context = pass->field->context;
    pass->half_values = context_allocate(context, pass->half_count, sizeof *pass->half_values);
    pass->half_known = context_allocate(context, pass->half_count, 1);
    if (!pass->half_values || !pass->half_known) return PLIM_OUT_OF_MEMORY;
    start_half(pass);
    Scratch scratch;
    scratch_init(&scratch, context);
    PlimStatus status =
        march_distance(&scratch, &pass->half, pass->half_known, order, HUGE_VAL, pass->half_values);
    scratch_free(&scratch);
    return status;
}

/* The distance at a node of the full grid from the nodes of the half grid around it. */
static double half_distance(const SparsePass *pass, const int node[3]) {
    double sum = 0.0;
    for (int c = 0; c < 8; c++)
        sum += fabs(
            pass->half_values[half_index(pass, (node[0] + (c & 1)) / 2,
                                         (node[1] + (c >> 1 & 1)) / 2, (node[2] + (c >> 2)) / 2)]);
    return sum / 8.0;
}

static double with_sign(const SparsePass *pass, const int node[3], double distance) {
    double metres = distance * pass->field->grid.spacing;
    return is_inside(pass, node[0], node[1], node[2]) ? -metres : metres;
}

static void set_corners(const SparsePass *pass) {
    LevelSet *field = pass->field;
    for (int k = 0; k <= field->blocks[2]; k++)
        for (int j = 0; j <= field->blocks[1]; j++)
            for (int i = 0; i <= field->blocks[0]; i++) {
                const int node[3] = {i * LEVEL_SET_BLOCK, j * LEVEL_SET_BLOCK, k * LEVEL_SET_BLOCK};
                field->corners[level_set_corner_index(field, i, j, k)] =
                    with_sign(pass, node, half_distance(pass, node));
            }
}

/* A coarse block that has this node of a fine block on its rim. */
static bool coarse_neighbour(const LevelSet *field, const int at[3], const int local[3],
                             int block[3]) {
    int step[3];
    for (int a = 0; a < 3; a++) step[a] = local[a] == 0 ? -1 : local[a] == LEVEL_SET_BLOCK ? 1 : 0;
    for (int c = 1; c < 8; c++) {
        bool exists = true;
        for (int a = 0; a < 3; a++) {
            int move = c >> a & 1 ? step[a] : 0;
            if ((c >> a & 1) && move == 0) exists = false;
            block[a] = at[a] + move;
            if (block[a] < 0 || block[a] >= field->blocks[a]) exists = false;
        }
        if (exists && field->fine[level_set_block_index(field, block[0], block[1], block[2])] == 0)
            return true;
    }
    return false;
}

/* The final value of one node of a fine block. On the rim of a coarse block it is that block's,
 * which makes the field continuous (000 section 2.3); such nodes are farther away than the band. */
static double fine_value(const SparsePass *pass, const int at[3], const int local[3],
                         double distance) {
    int block[3], node[3];
    double t[3];
    for (int a = 0; a < 3; a++) node[a] = at[a] * LEVEL_SET_BLOCK + local[a];
    if (coarse_neighbour(pass->field, at, local, block)) {
        for (int a = 0; a < 3; a++) t[a] = at[a] - block[a] + (double)local[a] / LEVEL_SET_BLOCK;
        return level_set_coarse_value(pass->field, block, vec3_load(t));
    }
    return with_sign(pass, node, distance < HUGE_VAL ? distance : half_distance(pass, node));
}

static void finish_blocks(void *user, size_t begin, size_t end) {
    const SparsePass *pass = user;
    for (size_t place = begin; place < end; place++) {
        double *value = pass->field->fine_values + place * LEVEL_SET_BLOCK_NODES;
        int at[3], local[3];
        block_position(pass->field, pass->block_of[place], at);
        for (local[2] = 0; local[2] < LEVEL_SET_SIDE; local[2]++)
            for (local[1] = 0; local[1] < LEVEL_SET_SIDE; local[1]++)
                for (local[0] = 0; local[0] < LEVEL_SET_SIDE; local[0]++, value++)
                    *value = fine_value(pass, at, local, *value);
    }
}

static PlimStatus fill(SparsePass *pass, int march_order, LevelSetReport *report) {
    LevelSet *field = pass->field;
    int threads = field->context->threads;
    double start = clock_seconds();
    parallel_for(threads, level_set_block_count(field), 64, choose_blocks, pass);
    TRY(list_fine(pass));
    TRY(list_triangles(pass));
    parallel_for(threads, field->fine_count, 4, band_blocks, pass);
    TRY(drop_empty(pass));
    report->distance_seconds = clock_seconds() - start;
    TRY(march_half(pass, march_order));
    set_corners(pass);
    parallel_for(threads, field->fine_count, 16, finish_blocks, pass);
    report->march_seconds = clock_seconds() - start - report->distance_seconds;
    return PLIM_OK;
}

PlimStatus level_set_fill_sparse(LevelSet *field, const GridSurface *surface, const Bvh *bvh,
                                 const unsigned char *flags, int march_order,
                                 LevelSetReport *report) {
    PlimContext *context = field->context;
    SparsePass pass = {.field = field, .surface = surface, .bvh = bvh, .flags = flags};
    pass.half.spacing = 2.0; /* cells */
    pass.half_count = 1;
    for (int a = 0; a < 3; a++) {
        pass.half.n[a] = (field->grid.n[a] + 1) / 2;
        pass.half_count *= (size_t)pass.half.n[a];
    }
    PlimStatus status = fill(&pass, march_order, report);
    context_free(context, pass.block_of, pass.chosen, sizeof *pass.block_of);
    context_free(context, pass.reach, surface->mesh->triangle_count, sizeof *pass.reach);
    context_free(context, pass.start, pass.chosen + 2, sizeof *pass.start);
    context_free(context, pass.items, pass.item_count, sizeof *pass.items);
    context_free(context, pass.half_values, pass.half_count, sizeof *pass.half_values);
    context_free(context, pass.half_known, pass.half_count, 1);
    return status;
}
