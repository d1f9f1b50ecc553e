/* Connected regions and nullspace of the pressure equation (000 section 6.3.4), where no fixed
 * value touches: the matrix has the constant vector of each in its nullspace. Found by joining
 * cells across open faces: blocks of layers on their own, then across the blocks' borders. A root
 * is the lowest cell of its region, so the result does not depend on the order of joining. */
#include "solve/pressure/poisson_internal.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 16 };

typedef struct RegionJob {
    Poisson *poisson;
    int blocks;
} RegionJob;

static uint32_t find_root(uint32_t *parent, uint32_t c) {
    while (parent[c] != c) {
        parent[c] = parent[parent[c]];
        c = parent[c];
    }
    return c;
}

static void join(Poisson *poisson, uint32_t a, uint32_t b) {
    uint32_t *parent = poisson->region;
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a == b) return;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    parent[high] = low;
    poisson->mark[low] |= poisson->mark[high] & MARK_OPEN;
}

static int block_begin(const RegionJob *job, int block) {
    return (int)((int64_t)job->poisson->mg.levels[0].layers * block / job->blocks);
}

/* Every cell points at the first cell of the stretch of its row that it can be reached from. */
static void start_row(Poisson *poisson, int j, int k) {
    const MgLevel *level = &poisson->mg.levels[0];
    size_t base = mg_index(level, 0, j, k);
    const float *g = level->g[0] + base;
    const unsigned char *mark = poisson->mark + base;
    uint32_t *parent = poisson->region + base, first = (uint32_t)base;
    int n = level->n[0];
    for (int i = 0; i < n; i++) {
        if (i > 0 && !(mark[i] & mark[i - 1] & MARK_FLUID && g[i] > 0.0f))
            first = (uint32_t)(base + (size_t)i);
        parent[i] = first;
    }
    if (level->periodic[0] && mark[0] & mark[n - 1] & MARK_FLUID && g[0] > 0.0f)
        join(poisson, (uint32_t)base, parent[n - 1]);
}

/* Joins row (j, k) to the one below it across axis a, round the seam when periodic. */
static void join_row(Poisson *poisson, int a, int j, int k) {
    const MgLevel *level = &poisson->mg.levels[0];
    int at = a == 1 ? j : k;
    if (at == 0 && !level->periodic[a]) return;
    size_t base = mg_index(level, 0, j, k);
    size_t other =
        at > 0 ? base - level->stride[a] : base + (size_t)(level->n[a] - 1) * level->stride[a];
    const float *g = level->g[a] + base;
    const unsigned char *mark = poisson->mark;
    uint32_t *parent = poisson->region, last_a = UINT32_MAX, last_b = UINT32_MAX;
    for (size_t i = 0; i < (size_t)level->n[0]; i++) {
        if (!(g[i] > 0.0f) || !(mark[base + i] & mark[other + i] & MARK_FLUID)) continue;
        uint32_t pa = parent[base + i], pb = parent[other + i];
        if (pa == last_a && pb == last_b) continue;
        last_a = pa;
        last_b = pb;
        join(poisson, pa, pb);
    }
}

/* Marks the roots of cells beside a fixed value, which are all in runs that are not uniform. A root
 * lies in the block of its cell, but the neighbour may lie in the next one, whose roots another
 * thread is marking: both touch single bytes atomically, and the bit that is read never changes
 * here. */
static void mark_open(Poisson *poisson, int layer) {
    const MgLevel *level = &poisson->mg.levels[0];
    FOR_RUNS(level, layer, run) {
        if (run->uniform > 0.0f) continue;
        for (int i = 0; i < run->length; i++) {
            size_t c = run->start + (size_t)i;
            int at[3] = {run->i + i, run->j, run->k};
            bool open = false;
            if (!(poisson->mark[c] & MARK_FLUID)) continue;
            for (int a = 0; a < 3; a++)
                for (int s = 0; s < 2; s++) {
                    size_t stride = level->stride[a];
                    bool seam = level->periodic[a] && at[a] == (s ? level->n[a] - 1 : 0);
                    size_t other = s ? c + stride : c - stride;
                    if (seam)
                        other =
                            s ? c - (size_t)at[a] * stride : c + (size_t)(level->n[a] - 1) * stride;
                    if (level->g[a][s ? c + stride : c] > 0.0f &&
                        !(__atomic_load_n(&poisson->mark[other], __ATOMIC_RELAXED) & MARK_FLUID))
                        open = true;
                }
            if (open)
                __atomic_fetch_or(&poisson->mark[find_root(poisson->region, (uint32_t)c)],
                                  MARK_OPEN, __ATOMIC_RELAXED);
        }
    }
}

static void join_blocks(void *user, size_t begin, size_t end) {
    RegionJob *job = user;
    Poisson *poisson = job->poisson;
    const MgLevel *level = &poisson->mg.levels[0];
    bool deep = poisson->grid.dim == 3;
    for (size_t block = begin; block < end; block++) {
        int first = block_begin(job, (int)block), last = block_begin(job, (int)block + 1);
        for (int layer = first; layer < last; layer++)
            for (int row = 0; row < level->rows_per_layer; row++) {
                int j = deep ? row : layer, k = deep ? layer : 0;
                start_row(poisson, j, k);
                if (row > 0 || (!deep && layer > first)) join_row(poisson, 1, j, k);
                if (deep && layer > first) join_row(poisson, 2, j, k);
            }
        if (deep && level->periodic[1])
            for (int layer = first; layer < last; layer++) join_row(poisson, 1, 0, layer);
    }
}

static void mark_blocks(void *user, size_t begin, size_t end) {
    RegionJob *job = user;
    for (size_t block = begin; block < end; block++)
        for (int layer = block_begin(job, (int)block); layer < block_begin(job, (int)block + 1);
             layer++)
            mark_open(job->poisson, layer);
}

static void join_borders(RegionJob *job) {
    Poisson *poisson = job->poisson;
    const MgLevel *level = &poisson->mg.levels[0];
    bool deep = poisson->grid.dim == 3;
    for (int block = 0; block < job->blocks; block++) {
        int layer = block_begin(job, block);
        if (deep)
            for (int j = 0; j < level->n[1]; j++) join_row(poisson, 2, j, layer);
        else
            join_row(poisson, 1, layer, 0);
    }
}

/* Roots of closed regions get their number. Cells with no neighbour are left out: they are not in
 * the matrix. Runs hold every cell that is. */
static size_t number_roots(Poisson *poisson, uint32_t *number, size_t capacity) {
    const MgLevel *level = &poisson->mg.levels[0];
    size_t count = 0;
    for (int layer = 0; layer < level->layers; layer++)
        FOR_RUNS(level, layer, run) for (size_t c = run->start; c < run->start + run->length; c++) {
            if (poisson->region[c] != c || !(poisson->mark[c] & MARK_FLUID)) continue;
            if (poisson->mark[c] & MARK_OPEN || level->inverse[c] == 0.0f) continue;
            if (count < capacity) number[count] = (uint32_t)c;
            count++;
        }
    return count;
}

/* Cells of one layer get the number of their root, found in the sorted list of roots. */
typedef struct NumberJob {
    Poisson *poisson;
    const uint32_t *roots;
    uint32_t *numbers; /* over padded cells, or NULL */
} NumberJob;

static uint32_t number_of(const NumberJob *job, uint32_t root) {
    size_t low = 0, high = job->poisson->closed_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (job->roots[middle] < root)
            low = middle + 1;
        else
            high = middle;
    }
    return low < job->poisson->closed_count && job->roots[low] == root ? (uint32_t)low + 1 : 0;
}

/* Roots are read while cells are renumbered, so numbers go to the vector q first. */
static void number_layer(void *user, int layer, double partial[4]) {
    NumberJob *job = user;
    Poisson *poisson = job->poisson;
    const MgLevel *level = &poisson->mg.levels[0];
    (void)partial;
    FOR_RUNS(level, layer, run) {
        uint32_t last = UINT32_MAX, number = 0;
        for (size_t c = run->start; c < run->start + run->length; c++) {
            job->numbers[c] = 0;
            if (level->inverse[c] == 0.0f) continue;
            uint32_t root = poisson->region[c];
            while (poisson->region[root] != root) root = poisson->region[root];
            if (root != last) number = number_of(job, root);
            last = root;
            job->numbers[c] = number;
        }
    }
}

static void store_layer(void *user, int layer, double partial[4]) {
    NumberJob *job = user;
    (void)partial;
    FOR_RUNS(&job->poisson->mg.levels[0], layer, run)
    memcpy(job->poisson->region + run->start, job->numbers + run->start,
           run->length * sizeof(uint32_t));
}

PlimStatus poisson_find_regions(Poisson *poisson, int threads) {
    const MgLevel *level = &poisson->mg.levels[0];
    RegionJob job = {poisson, level->layers < BLOCKS ? level->layers : BLOCKS};
    parallel_for(threads, (size_t)job.blocks, 1, join_blocks, &job);
    parallel_for(threads, (size_t)job.blocks, 1, mark_blocks, &job);
    join_borders(&job);
    poisson->closed_count = number_roots(poisson, NULL, 0);
    if (poisson->closed_count == 0) return PLIM_OK;
    uint32_t *roots = scratch_take(&poisson->scratch, poisson->closed_count, sizeof *roots);
    if (!roots) return PLIM_OUT_OF_MEMORY;
    number_roots(poisson, roots, poisson->closed_count);
    double sum[4];
    NumberJob number = {poisson, roots, (uint32_t *)(void *)poisson->q};
    TRY(poisson_layers(poisson, threads, number_layer, &number, sum));
    return poisson_layers(poisson, threads, store_layer, &number, sum);
}

typedef struct MeanJob {
    Poisson *poisson;
    double *v, *sums; /* sums and counts of each region, a set for each block */
    int blocks;
} MeanJob;

static void sum_blocks(void *user, size_t begin, size_t end) {
    MeanJob *job = user;
    Poisson *poisson = job->poisson;
    const MgLevel *level = &poisson->mg.levels[0];
    for (size_t block = begin; block < end; block++) {
        double *sums = job->sums + block * 2 * poisson->closed_count;
        int first = (int)((size_t)level->layers * block / (size_t)job->blocks);
        int last = (int)((size_t)level->layers * (block + 1) / (size_t)job->blocks);
        for (int layer = first; layer < last; layer++) FOR_RUNS(level, layer, run)
        for (size_t c = run->start; c < run->start + run->length; c++)
            if (level->inverse[c] > 0.0f && poisson->region[c]) {
                sums[2 * poisson->region[c] - 2] += job->v[c];
                sums[2 * poisson->region[c] - 1] += 1.0;
            }
    }
}

static void subtract_layer(void *user, int layer, double partial[4]) {
    MeanJob *job = user;
    const Poisson *poisson = job->poisson;
    const MgLevel *level = &poisson->mg.levels[0];
    (void)partial;
    FOR_RUNS(level, layer, run)
    for (size_t c = run->start; c < run->start + run->length; c++)
        if (level->inverse[c] > 0.0f && poisson->region[c])
            job->v[c] -= job->sums[2 * poisson->region[c] - 2];
}

PlimStatus poisson_remove_means(Poisson *poisson, int threads, double *v, double *largest) {
    *largest = 0.0;
    size_t width = 2 * poisson->closed_count;
    if (width == 0) return PLIM_OK;
    size_t mark = scratch_mark(&poisson->scratch);
    MeanJob job = {poisson, v, NULL, width < 4096 ? BLOCKS : 1};
    job.sums = scratch_take(&poisson->scratch, width * (size_t)job.blocks, sizeof *job.sums);
    if (!job.sums) return PLIM_OUT_OF_MEMORY;
    memset(job.sums, 0, width * (size_t)job.blocks * sizeof *job.sums);
    parallel_for(threads, (size_t)job.blocks, 1, sum_blocks, &job);
    for (size_t region = 0; region < poisson->closed_count; region++) {
        double sum = 0.0, count = 0.0;
        for (size_t block = 0; block < (size_t)job.blocks; block++) {
            sum += job.sums[block * width + 2 * region];
            count += job.sums[block * width + 2 * region + 1];
        }
        job.sums[2 * region] = sum / count;
        *largest = fmax(*largest, fabs(sum / count));
    }
    double none[4];
    PlimStatus status = poisson_layers(poisson, threads, subtract_layer, &job, none);
    scratch_release(&poisson->scratch, mark);
    return status;
}
