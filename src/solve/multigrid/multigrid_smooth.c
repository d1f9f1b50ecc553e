/* Multigrid smoother: red-black Gauss-Seidel, and the residual. Cells of one colour read only the
 * other colour, so the order within a colour, and with it the number of threads, does not enter the
 * result. */
#include "solve/multigrid/multigrid.h"

#include "base/parallel.h"

#include <string.h>

#if defined(__clang__)
/* Without optimisation clang says that loops marked simd stay scalar; that is as it should be. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

typedef struct SmoothJob {
    const MgLevel *level;
    int colour;
    bool zero;
} SmoothJob;

/* Small levels are not worth waking threads for. */
static int useful_threads(const MgLevel *level, int threads) {
    return level->size < 40000 ? 1 : threads;
}

static size_t layer_grain(const MgLevel *level) {
    size_t cells = (size_t)level->rows_per_layer * (size_t)level->n[0];
    return 1 + 16384 / cells;
}

static void copy_side(const MgLevel *level, float *x, int a) {
    int b = a == 0 ? 1 : 0, d = a == 2 ? 1 : 2;
    size_t origin = mg_index(level, 0, 0, 0), s = level->stride[a];
    size_t length = (size_t)level->n[a];
    for (int v = -1; v <= level->n[d]; v++)
        for (int u = -1; u <= level->n[b]; u++) {
            float *first = x + (ptrdiff_t)origin + (ptrdiff_t)level->stride[b] * u +
                           (ptrdiff_t)level->stride[d] * v;
            *(first - s) = first[(length - 1) * s];
            first[length * s] = first[0];
        }
}

void mg_fill_halo(const MgLevel *level, float *x) {
    for (int a = 0; a < 3; a++)
        if (level->periodic[a]) copy_side(level, x, a);
}

static inline void sweep_uniform(const MgLevel *level, const MgRun *run, int parity) {
    size_t sx = level->stride[1], sxy = level->stride[2];
    float *x = level->x + run->start;
    const float *b = level->b + run->start;
    bool flat = level->layers != level->n[2];
    float scale = 1.0f / run->uniform, part = 1.0f / ((flat ? 4.0f : 6.0f) + run->shift);
    int n = run->length;
    if (flat) {
#pragma omp simd
        for (int i = 0; i < n; i++)
            if ((i & 1) == parity)
                x[i] =
                    (b[i] * scale + ((x[i - 1] + x[i + 1]) + (x[i - (int)sx] + x[i + (int)sx]))) *
                    part;
        return;
    }
    const float *south = x - sx, *north = x + sx, *below = x - sxy, *above = x + sxy;
#pragma omp simd
    for (int i = 0; i < n; i++)
        if ((i & 1) == parity)
            x[i] = (b[i] * scale +
                    (((x[i - 1] + x[i + 1]) + (south[i] + north[i])) + (below[i] + above[i]))) *
                   part;
}

static inline void sweep_mixed(const MgLevel *level, const MgRun *run, int parity) {
    size_t sx = level->stride[1], sxy = level->stride[2], c = run->start;
    float *x = level->x + c;
    const float *b = level->b + c, *inverse = level->inverse + c;
    const float *gx = level->g[0] + c, *gy = level->g[1] + c, *gz = level->g[2] + c;
    const float *south = x - sx, *north = x + sx, *below = x - sxy, *above = x + sxy;
    const float *gn = gy + sx, *ga = gz + sxy;
    int n = run->length;
#pragma omp simd
    for (int i = 0; i < n; i++)
        if ((i & 1) == parity)
            x[i] = (b[i] + (((gx[i] * x[i - 1] + gx[i + 1] * x[i + 1]) +
                             (gy[i] * south[i] + gn[i] * north[i])) +
                            (gz[i] * below[i] + ga[i] * above[i]))) *
                   inverse[i];
}

/* The same where the inverse is not that of the diagonal (at an odd seam, see diagonal_of). */
static inline void sweep_damped(const MgLevel *level, const MgRun *run, int parity) {
    size_t c = run->start;
    for (size_t end = c + run->length; c < end; c++) {
        if (((int)(c - run->start) & 1) != parity) continue;
        float xi = level->x[c], sum = level->b[c] - (level->fixed ? level->fixed[c] * xi : 0.0f);
        for (int a = 0; a < 3; a++) {
            size_t s = level->stride[a];
            sum += level->g[a][c] * (level->x[c - s] - xi) +
                   level->g[a][c + s] * (level->x[c + s] - xi);
        }
        level->x[c] = xi + sum * level->inverse[c];
    }
}

static bool has_odd_seam(const MgLevel *level) {
    for (int a = 0; a < 3; a++)
        if (level->periodic[a] && level->n[a] % 2 != 0) return true;
    return false;
}

/* The first half of a sweep from zero. The other colour is set to zero. */
static inline void sweep_from_zero(const MgLevel *level, const MgRun *run, int parity) {
    float *x = level->x + run->start;
    const float *b = level->b + run->start, *inverse = level->inverse + run->start;
    int n = run->length;
#pragma omp simd
    for (int i = 0; i < n; i++) x[i] = (i & 1) == parity ? b[i] * inverse[i] : 0.0f;
}

static void sweep_layers(void *user, size_t begin, size_t end) {
    const SmoothJob *job = user;
    const MgLevel *level = job->level;
    size_t rows = (size_t)level->rows_per_layer;
    bool odd = has_odd_seam(level);
    for (size_t row = begin * rows; row < end * rows; row++) {
        const MgRun *run = level->runs + row * level->run_room;
        for (int count = level->run_count[row]; count > 0; count--, run++) {
            int parity = (run->i + run->j + run->k + job->colour) & 1;
            if (job->zero)
                sweep_from_zero(level, run, parity);
            else if (run->uniform > 0.0f)
                sweep_uniform(level, run, parity);
            else if (odd)
                sweep_damped(level, run, parity);
            else
                sweep_mixed(level, run, parity);
        }
    }
}

void mg_sweep(const MgLevel *level, int threads, int first, bool zero) {
    SmoothJob job = {level, first, zero};
    threads = useful_threads(level, threads);
    if (zero)
        mg_extras_clear(level);
    else
        mg_fill_halo(level, level->x);
    if (first == 1) mg_extras_sweep(level, true);
    if (!zero) mg_extras_into_b(level);
    parallel_for(threads, (size_t)level->layers, layer_grain(level), sweep_layers, &job);
    mg_fill_halo(level, level->x);
    job = (SmoothJob){level, 1 - first, false};
    parallel_for(threads, (size_t)level->layers, layer_grain(level), sweep_layers, &job);
    if (!zero) mg_extras_out_of_b(level);
    if (first == 0) mg_extras_sweep(level, false);
}

static inline void residual_run(const MgLevel *level, const MgRun *run) {
    size_t sx = level->stride[1], sxy = level->stride[2], c = run->start;
    const float *x = level->x + c, *b = level->b + c, *inverse = level->inverse + c;
    const float *gx = level->g[0] + c, *gy = level->g[1] + c, *gz = level->g[2] + c;
    const float *south = x - sx, *north = x + sx, *below = x - sxy, *above = x + sxy;
    const float *gn = gy + sx, *ga = gz + sxy;
    const float *fixed = level->fixed ? level->fixed + c : NULL;
    float *t = level->t + c, u = run->uniform;
    int n = run->length;
    if (u > 0.0f) {
        bool flat = level->layers != level->n[2];
        float own = (flat ? 4.0f : 6.0f) + run->shift;
        if (flat)
            for (int i = 0; i < n; i++)
                t[i] = b[i] + u * (((x[i - 1] + x[i + 1]) + (south[i] + north[i])) - own * x[i]);
        else
            for (int i = 0; i < n; i++)
                t[i] =
                    b[i] +
                    u * ((((x[i - 1] + x[i + 1]) + (south[i] + north[i])) + (below[i] + above[i])) -
                         own * x[i]);
        return;
    }
    for (int i = 0; i < n; i++) {
        float xi = x[i];
        float sum = ((gx[i] * (x[i - 1] - xi) + gx[i + 1] * (x[i + 1] - xi)) +
                     (gy[i] * (south[i] - xi) + gn[i] * (north[i] - xi))) +
                    (gz[i] * (below[i] - xi) + ga[i] * (above[i] - xi));
        t[i] = inverse[i] > 0.0f ? b[i] + sum : 0.0f;
    }
    if (fixed)
        for (int i = 0; i < n; i++) t[i] -= fixed[i] * x[i];
}

static void residual_layers(void *user, size_t begin, size_t end) {
    const MgLevel *level = user;
    size_t rows = (size_t)level->rows_per_layer;
    for (size_t row = begin * rows; row < end * rows; row++) {
        const MgRun *run = level->runs + row * level->run_room;
        for (int count = level->run_count[row]; count > 0; count--, run++) residual_run(level, run);
    }
}

void mg_residual(const MgLevel *level, int threads) {
    mg_fill_halo(level, level->x);
    mg_extras_into_b(level);
    parallel_for(useful_threads(level, threads), (size_t)level->layers, layer_grain(level),
                 residual_layers, (void *)level);
    mg_extras_out_of_b(level);
    mg_extras_residual(level);
}
