/* Multigrid hierarchy: memory of the levels, runs of a level, coarse conductances. */
#include "solve/multigrid/multigrid.h"

#include "base/parallel.h"

#include <string.h>

static PlimStatus take(Multigrid *mg, void **out, size_t count, size_t item_size) {
    *out = context_allocate(mg->context, count, item_size);
    if (!*out) return PLIM_OUT_OF_MEMORY;
    mg->bytes += count * item_size;
    return PLIM_OK;
}

static void give(Multigrid *mg, void *block, size_t count, size_t item_size) {
    if (block) context_free(mg->context, block, count, item_size);
}

static size_t row_count(const MgLevel *level) {
    return (size_t)level->n[1] * (size_t)level->n[2];
}

static void shape_level(MgLevel *level, const int n[3], const bool periodic[3], int dim) {
    *level = (MgLevel){.factor = {1, 1, 1}};
    memcpy(level->n, n, sizeof level->n);
    memcpy(level->periodic, periodic, sizeof level->periodic);
    level->stride[0] = 1;
    level->stride[1] = (size_t)n[0] + 2;
    level->stride[2] = level->stride[1] * ((size_t)n[1] + 2);
    level->size = level->stride[2] * ((size_t)n[2] + 2);
    level->run_room = (size_t)n[0] / (MG_RUN_LEAST / 2) + 3;
    level->layers = dim == 3 ? n[2] : n[1];
    level->rows_per_layer = dim == 3 ? n[1] : 1;
}

static PlimStatus take_level(Multigrid *mg, MgLevel *level, bool vectors) {
    bool finest = mg->level_count == 1;
    for (int a = 0; a < 3; a++) TRY(take(mg, (void **)&level->g[a], level->size, sizeof(float)));
    TRY(take(mg, (void **)&level->inverse, level->size, sizeof(float)));
    TRY(take(mg, (void **)&level->aside, level->size, 1));
    if (!finest || level->shifted)
        TRY(take(mg, (void **)&level->fixed, level->size, sizeof(float)));
    if (!finest) TRY(take(mg, (void **)&level->ties, level->size, sizeof(MgTies)));
    if (vectors) {
        TRY(take(mg, (void **)&level->x, level->size, sizeof(float)));
        TRY(take(mg, (void **)&level->b, level->size, sizeof(float)));
        TRY(take(mg, (void **)&level->t, level->size, sizeof(float)));
    }
    TRY(take(mg, (void **)&level->runs, level->run_room * row_count(level), sizeof(MgRun)));
    return take(mg, (void **)&level->run_count, row_count(level), sizeof(uint16_t));
}

/* Down to one cell: then every region is one unknown, and the coarsest solve is exact. z of a
 * two-dimensional grid has one cell and stays. */
static bool coarser(const MgLevel *level, int n[3], int factor[3]) {
    bool any = false;
    for (int a = 0; a < 3; a++) {
        bool halve = level->n[a] > 1;
        factor[a] = halve ? 2 : 1;
        n[a] = halve ? (level->n[a] + 1) / 2 : level->n[a];
        any = any || halve;
    }
    return any;
}

static PlimStatus create(Multigrid *mg, const int n[3], const bool periodic[3], int dim,
                         bool coarsen, bool shifted) {
    int size[3] = {n[0], n[1], n[2]}, factor[3];
    for (;;) {
        MgLevel *level = &mg->levels[mg->level_count++];
        mg->depth = mg->level_count;
        shape_level(level, size, periodic, dim);
        level->shifted = shifted;
        TRY(take_level(mg, level, coarsen));
        if (!coarsen || mg->level_count == MG_LEVEL_CAPACITY || !coarser(level, size, factor))
            return PLIM_OK;
        memcpy(level->factor, factor, sizeof factor);
    }
}

PlimStatus mg_create(PlimContext *context, const int n[3], const bool periodic[3], int dim,
                     bool coarsen, Multigrid *mg) {
    *mg = (Multigrid){.context = context};
    return create(mg, n, periodic, dim, coarsen, false);
}

PlimStatus mg_create_shifted(PlimContext *context, const int n[3], const bool periodic[3], int dim,
                             Multigrid *mg) {
    *mg = (Multigrid){.context = context};
    return create(mg, n, periodic, dim, true, true);
}

void mg_free(Multigrid *mg) {
    for (int l = 0; l < mg->level_count; l++) {
        MgLevel *level = &mg->levels[l];
        for (int a = 0; a < 3; a++) give(mg, level->g[a], level->size, sizeof(float));
        give(mg, level->inverse, level->size, sizeof(float));
        give(mg, level->aside, level->size, 1);
        array_free(mg->context, &level->extras.all);
        array_free(mg->context, &level->extras.links);
        array_free(mg->context, &level->extras.members);
        array_free(mg->context, &level->extras.touched);
        array_free(mg->context, &level->extras.touched_links);
        give(mg, level->fixed, level->size, sizeof(float));
        give(mg, level->ties, level->size, sizeof(MgTies));
        give(mg, level->x, level->size, sizeof(float));
        give(mg, level->b, level->size, sizeof(float));
        give(mg, level->t, level->size, sizeof(float));
        give(mg, level->runs, level->run_room * row_count(level), sizeof(MgRun));
        give(mg, level->run_count, row_count(level), sizeof(uint16_t));
    }
    *mg = (Multigrid){.context = mg->context};
}

size_t mg_bytes(const Multigrid *mg) {
    size_t bytes = mg->bytes;
    for (int l = 0; l < mg->level_count; l++) {
        const MgExtras *e = &mg->levels[l].extras;
        bytes += e->all.capacity * sizeof *e->all.data + e->links.capacity * sizeof *e->links.data;
        bytes += e->members.capacity * sizeof *e->members.data;
        bytes += e->touched.capacity * sizeof *e->touched.data;
        bytes += e->touched_links.capacity * sizeof *e->touched_links.data;
    }
    return bytes;
}

/* Conductances around cell c, and the part of the diagonal that keeps a sweep convergent: along a
 * periodic axis with an odd number of cells the two cells at the seam have the same colour and are
 * updated at once; counting their face twice makes that a contraction (l1 damping). */
static float diagonal_of(const MgLevel *level, size_t c, const int at[3]) {
    float sum = level->fixed ? level->fixed[c] : 0.0f;
    for (int a = 0; a < 3; a++) {
        float low = level->g[a][c], high = level->g[a][c + level->stride[a]];
        sum += low + high;
        if (level->periodic[a] && level->n[a] % 2 != 0) {
            if (at[a] == 0) sum += low;
            if (at[a] == level->n[a] - 1) sum += high;
        }
    }
    return sum;
}

/* The conductance of all faces when they are equal, lead to unknowns, and nothing else but a shift
 * enters the diagonal; or 0. */
static inline float uniform_of(const MgLevel *level, const unsigned char *fluid, size_t c) {
    size_t sx = level->stride[1], sxy = level->stride[2];
    float g = level->g[0][c];
    bool same = g == level->g[0][c + 1] && g == level->g[1][c] && g == level->g[1][c + sx];
    if (level->layers == level->n[2])
        same = same && g == level->g[2][c] && g == level->g[2][c + sxy];
    if (!same || (level->fixed && !level->shifted && level->fixed[c] != 0.0f)) return 0.0f;
    if (fluid && !(fluid[c - 1] && fluid[c + 1] && fluid[c - sx] && fluid[c + sx])) return 0.0f;
    if (fluid && level->layers == level->n[2] && !(fluid[c - sxy] && fluid[c + sxy])) return 0.0f;
    return g;
}

typedef struct RowJob {
    MgLevel *level;
    const unsigned char *fluid;
    const MgLevel *fine; /* of a coarsening */
} RowJob;

/* Whether the children of these cells and those next to them are interpolated with weights of 1/4.
 */
static bool is_regular(const MgLevel *level, size_t c, int length) {
    int sides = level->layers == level->n[2] ? 6 : 4;
    if (!level->ties) return false;
    for (size_t end = c + (size_t)length; c < end; c++)
        for (int side = 0; side < sides; side++) {
            size_t stride = level->stride[side / 2], other = side % 2 ? c + stride : c - stride;
            if (level->ties[c].neighbour[side] != 64 || level->ties[c].loss[side] != 64)
                return false;
            if (level->ties[other].neighbour[side ^ 1] != 64) return false;
        }
    return true;
}

static void add_run(MgLevel *level, size_t row, int i, int j, int k, int length, float uniform) {
    if (length <= 0) return;
    size_t c = mg_index(level, i, j, k);
    MgRun *run = &level->runs[row * level->run_room + level->run_count[row]++];
    *run = (MgRun){.start = (uint32_t)c,
                   .i = (uint16_t)i,
                   .j = (uint16_t)j,
                   .k = (uint16_t)k,
                   .length = (uint16_t)length,
                   .uniform = uniform};
    if (uniform > 0.0f) {
        run->shift = level->shifted ? level->fixed[c] / uniform : 0.0f;
        run->regular = is_regular(level, c, length);
        memset(level->aside + c, MG_UNIFORM, (size_t)length);
    }
}

/* Two uniform cells of one conductance. */
static inline bool same_shift(const MgLevel *level, size_t c, size_t d) {
    return !level->shifted || level->fixed[c] == level->fixed[d];
}

/* Cells from i on that are alike: not active, or uniform with one conductance, or neither. */
static int stretch(const MgLevel *level, const unsigned char *fluid, size_t base, int i, bool seam,
                   float *uniform) {
    int n = level->n[0], end = i + 1;
    *uniform = 0.0f;
    if (level->inverse[base + (size_t)i] == 0.0f) {
        while (end < n && level->inverse[base + (size_t)end] == 0.0f) end++;
        *uniform = -1.0f;
    } else if (!seam && (*uniform = uniform_of(level, fluid, base + (size_t)i)) > 0.0f) {
        while (end < n && uniform_of(level, fluid, base + (size_t)end) == *uniform &&
               same_shift(level, base + (size_t)i, base + (size_t)end))
            end++;
    }
    return end - i;
}

static void find_row_runs(MgLevel *level, const unsigned char *fluid, int j, int k) {
    size_t row = mg_row(level, j, k), base = mg_index(level, 0, j, k);
    int n = level->n[0], pending = 0,
        used = 0; /* a mixed run from `pending`, active up to `used` */
    bool seam = level->periodic[0] && n % 2 != 0;
    level->run_count[row] = 0;
    for (int a = 1; a < 3; a++) {
        int at = a == 1 ? j : k;
        if (level->periodic[a] && level->n[a] % 2 != 0 && (at == 0 || at == level->n[a] - 1))
            seam = true;
    }
    for (int i = 0; i < n;) {
        float uniform;
        int length = stretch(level, fluid, base, i, seam, &uniform);
        bool empty = uniform < 0.0f;
        if (length >= MG_RUN_LEAST && uniform != 0.0f) {
            add_run(level, row, pending, j, k, used - pending, 0.0f);
            if (!empty) add_run(level, row, i, j, k, length, uniform);
            pending = used = i + length;
        } else if (empty && pending == used) {
            pending = used = i + length;
        } else if (!empty) {
            used = i + length;
        }
        i += length;
    }
    add_run(level, row, pending, j, k, used - pending, 0.0f);
}

static void find_runs(void *user, size_t begin, size_t end) {
    RowJob *job = user;
    MgLevel *level = job->level;
    for (size_t row = begin; row < end; row++) {
        int at[3] = {0, (int)(row % (size_t)level->n[1]), (int)(row / (size_t)level->n[1])};
        size_t c = mg_index(level, 0, at[1], at[2]);
        memset(level->aside + c, 0, (size_t)level->n[0]);
        for (at[0] = 0; at[0] < level->n[0]; at[0]++, c++) {
            bool active = !job->fluid || job->fluid[c];
            float diagonal = active ? diagonal_of(level, c, at) : 0.0f;
            level->inverse[c] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
            if (level->x) level->x[c] = 0.0f; /* of an earlier problem */
            if (level->t) level->t[c] = 0.0f;
        }
        find_row_runs(level, job->fluid, at[1], at[2]);
    }
}

void mg_find_runs(MgLevel *level, int threads, const unsigned char *fluid) {
    RowJob job = {level, fluid, NULL};
    parallel_for(threads, row_count(level), 64, find_runs, &job);
}

/* Conductance to fixed values of the cells with extra links: with the links for sweeps, without for
 * the next coarsening. */
static void set_fixed(MgLevel *level, bool with_links) {
    for (size_t i = 0; i + 1 < level->extras.touched.count; i++) {
        const MgTouched *touched = &level->extras.touched.data[i];
        level->fixed[touched->cell] = with_links ? touched->with_links : touched->fixed;
    }
}

PlimStatus mg_setup(Multigrid *mg, Scratch *scratch, int threads, const unsigned char *fluid) {
    mg_find_runs(&mg->levels[0], threads, fluid);
    for (int l = 0; l + 1 < mg->depth; l++) {
        MgLevel *fine = &mg->levels[l], *coarse = &mg->levels[l + 1];
        set_fixed(fine, false);
        TRY(mg_coarsen(scratch, fine, coarse, threads));
        set_fixed(fine, true);
        set_fixed(coarse, true);
        mg_find_runs(coarse, threads, NULL);
    }
    return PLIM_OK;
}
