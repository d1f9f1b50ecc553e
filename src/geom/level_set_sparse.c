/* Filling a sparse field: exact values in the blocks near the surface, and at the corners of the
 * others the distance marched over the grid of corners from those. */
#include "geom/level_set_data.h"

#include "base/parallel.h"

typedef struct SparsePass {
    LevelSet *field;
    const Bvh *bvh;
    const unsigned char *flags;
    size_t *block_of; /* the block of each fine one */
} SparsePass;

static void block_position(const LevelSet *field, size_t block, int at[3]) {
    at[0] = (int)(block % (size_t)field->blocks[0]);
    at[1] = (int)(block / (size_t)field->blocks[0] % (size_t)field->blocks[1]);
    at[2] = (int)(block / (size_t)field->blocks[0] / (size_t)field->blocks[1]);
}

static bool is_inside(const SparsePass *pass, int i, int j, int k) {
    return pass->flags[node_grid_index(&pass->field->grid, i, j, k)] & NODE_INSIDE;
}

/* Fine: a node may lie within the band, or (with gaps) the sign changes without a surface near. */
static bool needs_values(const SparsePass *pass, const int at[3]) {
    const NodeGrid *grid = &pass->field->grid;
    int i = at[0] * LEVEL_SET_BLOCK, j = at[1] * LEVEL_SET_BLOCK, k = at[2] * LEVEL_SET_BLOCK;
    const int half = LEVEL_SET_BLOCK / 2;
    double reach = (LEVEL_SET_BAND + sqrt(3.0) * half) * (1.0 + 1e-9) * grid->spacing;
    Vec3 center = node_grid_position(grid, i + half, j + half, k + half);
    if (bvh_closest(pass->bvh, center, reach).primitive != BVH_NONE) return true;
    bool inside = is_inside(pass, i + half, j + half, k + half);
    for (int c = 0; c < 8; c++)
        if (is_inside(pass, i + (c & 1) * LEVEL_SET_BLOCK, j + (c >> 1 & 1) * LEVEL_SET_BLOCK,
                      k + (c >> 2) * LEVEL_SET_BLOCK) != inside)
            return true;
    return false;
}

static void choose_blocks(void *user, size_t begin, size_t end) {
    const SparsePass *pass = user;
    for (size_t block = begin; block < end; block++) {
        int at[3];
        block_position(pass->field, block, at);
        pass->field->fine[block] = needs_values(pass, at);
    }
}

/* Node by node along a path of steps of one cell: the distance at one node bounds that at the next,
 * which makes the search short. */
static void fill_block(const SparsePass *pass, size_t place) {
    LevelSet *field = pass->field;
    const NodeGrid *grid = &field->grid;
    double *values = field->fine_values + place * LEVEL_SET_BLOCK_NODES, bound = HUGE_VAL;
    int at[3];
    block_position(field, pass->block_of[place], at);
    for (int step = 0; step < LEVEL_SET_BLOCK_NODES; step++) {
        int k = step / (LEVEL_SET_SIDE * LEVEL_SET_SIDE), row = step / LEVEL_SET_SIDE;
        int i = step % LEVEL_SET_SIDE, j = row % LEVEL_SET_SIDE;
        if (row % 2 == 1) i = LEVEL_SET_SIDE - 1 - i;
        if (k % 2 == 1) j = LEVEL_SET_SIDE - 1 - j;
        int gi = at[0] * LEVEL_SET_BLOCK + i, gj = at[1] * LEVEL_SET_BLOCK + j;
        int gk = at[2] * LEVEL_SET_BLOCK + k;
        double d = bvh_closest(pass->bvh, node_grid_position(grid, gi, gj, gk), bound).distance;
        bound = (d + grid->spacing) * (1.0 + 1e-9);
        values[level_set_local_index(i, j, k)] = is_inside(pass, gi, gj, gk) ? -d : d;
    }
}

static void fill_blocks(void *user, size_t begin, size_t end) {
    for (size_t place = begin; place < end; place++) fill_block(user, place);
}

static PlimStatus march_corners(const SparsePass *pass, int order) {
    LevelSet *field = pass->field;
    MarchGrid grid = {{field->blocks[0] + 1, field->blocks[1] + 1, field->blocks[2] + 1},
                      LEVEL_SET_BLOCK * field->grid.spacing};
    Scratch scratch;
    scratch_init(&scratch, field->context);
    unsigned char *known = scratch_take(&scratch, level_set_corner_count(field), 1);
    if (!known) return PLIM_OUT_OF_MEMORY;
    size_t corner = 0;
    for (int k = 0; k < grid.n[2]; k++)
        for (int j = 0; j < grid.n[1]; j++)
            for (int i = 0; i < grid.n[0]; i++, corner++) {
                known[corner] = 0;
                field->corners[corner] =
                    is_inside(pass, i * LEVEL_SET_BLOCK, j * LEVEL_SET_BLOCK, k * LEVEL_SET_BLOCK)
                        ? -1.0
                        : 1.0;
            }
    for (size_t place = 0; place < field->fine_count; place++) {
        const double *values = field->fine_values + place * LEVEL_SET_BLOCK_NODES;
        int at[3];
        block_position(field, pass->block_of[place], at);
        for (int c = 0; c < 8; c++) {
            int i = c & 1, j = c >> 1 & 1, k = c >> 2;
            corner = level_set_corner_index(field, at[0] + i, at[1] + j, at[2] + k);
            known[corner] = 1;
            field->corners[corner] = values[level_set_local_index(
                i * LEVEL_SET_BLOCK, j * LEVEL_SET_BLOCK, k * LEVEL_SET_BLOCK)];
        }
    }
    PlimStatus status = march_distance(&scratch, &grid, known, order, HUGE_VAL, field->corners);
    scratch_free(&scratch);
    return status;
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

/* Makes the field continuous (000 section 2.3): fine nodes on the rim of a coarse block take its
 * values. They are farther from the surface than the band. */
static void join_blocks(void *user, size_t begin, size_t end) {
    const SparsePass *pass = user;
    LevelSet *field = pass->field;
    for (size_t place = begin; place < end; place++) {
        double *values = field->fine_values + place * LEVEL_SET_BLOCK_NODES;
        int at[3], block[3], local[3];
        block_position(field, pass->block_of[place], at);
        for (local[2] = 0; local[2] < LEVEL_SET_SIDE; local[2]++)
            for (local[1] = 0; local[1] < LEVEL_SET_SIDE; local[1]++)
                for (local[0] = 0; local[0] < LEVEL_SET_SIDE; local[0]++) {
                    if (!coarse_neighbour(field, at, local, block)) continue;
                    double t[3];
                    for (int a = 0; a < 3; a++)
                        t[a] = at[a] - block[a] + (double)local[a] / LEVEL_SET_BLOCK;
                    values[level_set_local_index(local[0], local[1], local[2])] =
                        level_set_coarse_value(field, block, vec3_load(t));
                }
    }
}

static PlimStatus list_fine(SparsePass *pass) {
    LevelSet *field = pass->field;
    size_t count = 0, blocks = level_set_block_count(field);
    for (size_t b = 0; b < blocks; b++)
        if (field->fine[b]) field->fine[b] = (uint32_t)++count;
    TRY(level_set_take_fine(field, count));
    pass->block_of = context_allocate(field->context, count, sizeof *pass->block_of);
    if (!pass->block_of) return PLIM_OUT_OF_MEMORY;
    for (size_t b = 0; b < blocks; b++)
        if (field->fine[b]) pass->block_of[field->fine[b] - 1] = b;
    return PLIM_OK;
}

PlimStatus level_set_fill_sparse(LevelSet *field, const Bvh *bvh, const unsigned char *flags,
                                 int march_order) {
    SparsePass pass = {.field = field, .bvh = bvh, .flags = flags};
    int threads = field->context->threads;
    parallel_for(threads, level_set_block_count(field), 64, choose_blocks, &pass);
    TRY(list_fine(&pass));
    parallel_for(threads, field->fine_count, 4, fill_blocks, &pass);
    PlimStatus status = march_corners(&pass, march_order);
    if (status == PLIM_OK) parallel_for(threads, field->fine_count, 16, join_blocks, &pass);
    context_free(field->context, pass.block_of, field->fine_count, sizeof *pass.block_of);
    return status;
}
