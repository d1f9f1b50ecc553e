/* Multigrid restriction and prolongation: linear interpolation that knows walls. A child lies a
 * quarter of the way from its parent's centre to those of the three neighbours on its side, so that
 *   u_child = u_parent + 1/4 sum_a (u_neighbour(a) - u_parent)
 * is exact for linear functions (Wesseling and Khalil's cell-centred interpolation). A term is left
 * out towards a wall; towards a fixed value the neighbour counts as zero. Restriction is the
 * transpose. */
#include "solve/multigrid/multigrid.h"

#include "base/parallel.h"

#if defined(__clang__)
/* Without optimisation clang says that loops marked simd stay scalar; that is as it should be. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

typedef struct TransferJob {
    const MgLevel *fine, *coarse;
} TransferJob;

/* The sum of t over a layer of children one fine cell thick across axis a. */
static float layer_sum(const MgLevel *fine, size_t first, const int count[3], int a) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    float sum = 0.0f;
    for (int v = 0; v < count[d]; v++)
        for (int u = 0; u < count[b]; u++)
            sum += fine->t[first + (size_t)u * fine->stride[b] + (size_t)v * fine->stride[d]];
    return sum;
}

static size_t coarse_neighbour(const MgLevel *coarse, size_t c, const int at[3], int a, int s) {
    size_t stride = coarse->stride[a];
    if (s == 0 && at[a] == 0) return c + (size_t)(coarse->n[a] - 1) * stride;
    if (s == 1 && at[a] == coarse->n[a] - 1) return c - (size_t)at[a] * stride;
    return s ? c + stride : c - stride;
}

static float restrict_cell(const MgLevel *fine, const MgLevel *coarse, size_t c, const int at[3]) {
    MgChildren own = mg_children(fine, at);
    const MgTies *ties = &coarse->ties[c];
    float sum = 0.0f, moved = 0.0f;
    for (int w = 0; w < own.count[2]; w++)
        for (int v = 0; v < own.count[1]; v++)
            for (int u = 0; u < own.count[0]; u++) sum += fine->t[mg_child(fine, &own, u, v, w)];
    for (int a = 0; a < 3; a++) {
        if (fine->factor[a] != 2) continue;
        for (int s = 0; s < 2; s++) {
            size_t inner = own.corner + (s ? (size_t)(own.count[a] - 1) * fine->stride[a] : 0);
            size_t outer = s ? inner + fine->stride[a] : inner - fine->stride[a];
            bool whole = own.count[a] == 2 || s == 0;
            if (whole && ties->loss[2 * a + s])
                moved -= (float)ties->loss[2 * a + s] * layer_sum(fine, inner, own.count, a);
            size_t other = coarse_neighbour(coarse, c, at, a, s);
            moved += (float)coarse->ties[other].neighbour[2 * a + 1 - s] *
                     layer_sum(fine, outer, own.count, a);
        }
    }
    return sum + moved * (1.0f / 256.0f);
}

static bool is_flat(const MgLevel *level) {
    return level->layers != level->n[2];
}

/* All weights 1/4: a quarter of the 8 children and of the 24 cells around them, face to face. */
static void restrict_regular(const MgLevel *fine, const MgLevel *coarse, const MgRun *run) {
    size_t sx = fine->stride[1], sxy = fine->stride[2];
    const float *t = fine->t + mg_index(fine, 2 * run->i, 2 * run->j, 2 * run->k);
    float *b = coarse->b + run->start;
    const float *rows[4] = {t, t + sx, t + sxy, t + sxy + sx};
    const float *around[8] = {t - sx,  t - sx + sxy, t + 2 * sx,  t + 2 * sx + sxy,
                              t - sxy, t - sxy + sx, t + 2 * sxy, t + 2 * sxy + sx};
    for (int i = 0; i < run->length; i++) b[i] = 0.0f;
    for (int r = 0; r < 4; r++) {
        const float *row = rows[r];
        for (int i = 0; i < run->length; i++)
            b[i] += (row[2 * i - 1] + row[2 * i]) + (row[2 * i + 1] + row[2 * i + 2]);
    }
    for (int r = 0; r < 8; r++) {
        const float *row = around[r];
        for (int i = 0; i < run->length; i++) b[i] += row[2 * i] + row[2 * i + 1];
    }
    for (int i = 0; i < run->length; i++) b[i] *= 0.25f;
}

/* The same in two dimensions, in the order of restrict_cell: the bits are the same too. */
static void restrict_regular_flat(const MgLevel *fine, const MgLevel *coarse, const MgRun *run) {
    size_t sx = fine->stride[1];
    const float *low = fine->t + mg_index(fine, 2 * run->i, 2 * run->j, run->k), *high = low + sx;
    const float *south = low - sx, *north = high + sx;
    float *b = coarse->b + run->start;
#pragma omp simd
    for (int i = 0; i < run->length; i++) {
        int f = 2 * i;
        float moved = (low[f - 1] + high[f - 1]) - (low[f] + high[f]);
        moved = (moved - (low[f + 1] + high[f + 1])) + (low[f + 2] + high[f + 2]);
        moved = (moved - (low[f] + low[f + 1])) + (south[f] + south[f + 1]);
        moved = (moved - (high[f] + high[f + 1])) + (north[f] + north[f + 1]);
        b[i] = (((low[f] + low[f + 1]) + high[f]) + high[f + 1]) + 0.25f * moved;
    }
}

static void restrict_run(const MgLevel *fine, const MgLevel *coarse, const MgRun *run) {
    if (run->regular) {
        if (is_flat(coarse))
            restrict_regular_flat(fine, coarse, run);
        else
            restrict_regular(fine, coarse, run);
        return;
    }
    for (int i = 0; i < run->length; i++) {
        size_t c = run->start + (size_t)i;
        int at[3] = {run->i + i, run->j, run->k};
        coarse->b[c] = coarse->inverse[c] > 0.0f ? restrict_cell(fine, coarse, c, at) : 0.0f;
    }
}

static void restrict_rows(void *user, size_t begin, size_t end) {
    const TransferJob *job = user;
    const MgLevel *coarse = job->coarse;
    for (size_t row = begin; row < end; row++) {
        const MgRun *run = coarse->runs + row * coarse->run_room;
        for (int count = coarse->run_count[row]; count > 0; count--, run++)
            restrict_run(job->fine, coarse, run);
    }
}

static size_t row_grain(const MgLevel *level) {
    return 1 + 4096 / (size_t)level->n[0];
}

void mg_restrict(const MgLevel *fine, const MgLevel *coarse, int threads) {
    TransferJob job = {fine, coarse};
    mg_extras_restrict_members(fine, coarse);
    mg_fill_halo(fine, fine->t);
    if (fine->size < 40000) threads = 1;
    parallel_for(threads, (size_t)coarse->n[1] * (size_t)coarse->n[2], row_grain(coarse),
                 restrict_rows, &job);
    mg_extras_restrict_parents(fine, coarse);
}

static void prolong_cell(const MgLevel *fine, const MgLevel *coarse, size_t c, const int at[3]) {
    MgChildren own = mg_children(fine, at);
    const MgTies *ties = &coarse->ties[c];
    float parent = coarse->x[c], add[3][2] = {{0.0f}};
    for (int a = 0; a < 3; a++)
        for (int s = 0; s < 2; s++) {
            float beyond = coarse->x[s ? c + coarse->stride[a] : c - coarse->stride[a]];
            add[a][s] =
                (float)ties->neighbour[2 * a + s] * beyond - (float)ties->loss[2 * a + s] * parent;
        }
    for (int w = 0; w < own.count[2]; w++)
        for (int v = 0; v < own.count[1]; v++)
            for (int u = 0; u < own.count[0]; u++) {
                size_t f = mg_child(fine, &own, u, v, w);
                if (fine->inverse[f] > 0.0f)
                    fine->x[f] += parent + (1.0f / 256.0f) * ((add[0][u] + add[1][v]) + add[2][w]);
            }
}

static void prolong_regular(const MgLevel *fine, const MgLevel *coarse, const MgRun *run) {
    size_t cx = coarse->stride[1], cxy = coarse->stride[2];
    const float *p = coarse->x + run->start;
    for (int w = 0; w < 2; w++)
        for (int v = 0; v < 2; v++) {
            const float *y = v ? p + cx : p - cx, *z = w ? p + cxy : p - cxy;
            float *x = fine->x + mg_index(fine, 2 * run->i, 2 * run->j + v, 2 * run->k + w);
            const float *inverse = fine->inverse + (x - fine->x);
            for (int i = 0; i < run->length; i++) {
                float shared = p[i] + (y[i] + z[i]);
                float low = 0.25f * (shared + p[i - 1]), high = 0.25f * (shared + p[i + 1]);
                x[2 * i] += inverse[2 * i] > 0.0f ? low : 0.0f;
                x[2 * i + 1] += inverse[2 * i + 1] > 0.0f ? high : 0.0f;
            }
        }
}

static void prolong_regular_flat(const MgLevel *fine, const MgLevel *coarse, const MgRun *run) {
    size_t cx = coarse->stride[1];
    const float *p = coarse->x + run->start;
    for (int v = 0; v < 2; v++) {
        const float *y = v ? p + cx : p - cx;
        float *x = fine->x + mg_index(fine, 2 * run->i, 2 * run->j + v, run->k);
        const float *inverse = fine->inverse + (x - fine->x);
#pragma omp simd
        for (int i = 0; i < run->length; i++) {
            float across = y[i] - p[i];
            float low = p[i] + 0.25f * ((p[i - 1] - p[i]) + across);
            float high = p[i] + 0.25f * ((p[i + 1] - p[i]) + across);
            x[2 * i] += inverse[2 * i] > 0.0f ? low : 0.0f;
            x[2 * i + 1] += inverse[2 * i + 1] > 0.0f ? high : 0.0f;
        }
    }
}

static void prolong_run(const MgLevel *fine, const MgLevel *coarse, const MgRun *run) {
    if (run->regular) {
        if (is_flat(coarse))
            prolong_regular_flat(fine, coarse, run);
        else
            prolong_regular(fine, coarse, run);
        return;
    }
    for (int i = 0; i < run->length; i++) {
        int at[3] = {run->i + i, run->j, run->k};
        if (coarse->inverse[run->start + (size_t)i] > 0.0f)
            prolong_cell(fine, coarse, run->start + (size_t)i, at);
    }
}

static void prolong_rows(void *user, size_t begin, size_t end) {
    const TransferJob *job = user;
    const MgLevel *coarse = job->coarse;
    for (size_t row = begin; row < end; row++) {
        const MgRun *run = coarse->runs + row * coarse->run_room;
        for (int count = coarse->run_count[row]; count > 0; count--, run++)
            prolong_run(job->fine, coarse, run);
    }
}

void mg_prolong(const MgLevel *fine, const MgLevel *coarse, int threads) {
    TransferJob job = {fine, coarse};
    mg_extras_save_members(fine, coarse);
    mg_fill_halo(coarse, coarse->x);
    if (fine->size < 40000) threads = 1;
    parallel_for(threads, (size_t)coarse->n[1] * (size_t)coarse->n[2], row_grain(coarse),
                 prolong_rows, &job);
    mg_extras_prolong(fine, coarse);
}
