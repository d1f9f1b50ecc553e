/* Modified incomplete Cholesky preconditioner, MIC(0) (Bridson 2015, section 5.4), in single
 * precision. The layers are cut into a fixed number of blocks that are factored and solved on their
 * own, at the same time; the count is part of the result, the number of threads is not. */
#include "solve/pressure/poisson_internal.h"

static const float TUNING = 0.97f, SAFETY = 0.25f;

typedef struct MicJob {
    Poisson *poisson;
    const double *r;
    float *z;
    int blocks;
} MicJob;

static int block_begin(const MicJob *job, size_t block) {
    return (int)((int64_t)job->poisson->mg.levels[0].layers * (int64_t)block / job->blocks);
}

/* Conductances of a cell's high face across axis a, zero where the neighbour is no unknown or is in
 * another block. Low faces across the block's border are cut by reading pivots of zero. */
static inline float coupling(const MgLevel *level, size_t low, size_t high, int a) {
    return level->inverse[low] > 0.0f && level->inverse[high] > 0.0f ? level->g[a][high] : 0.0f;
}

static float pivot(const MgLevel *level, const float *mic, size_t c, const bool has[3]) {
    float diagonal = 1.0f / level->inverse[c], e = diagonal;
    for (int a = 0; a < 3; a++) {
        size_t s = level->stride[a];
        if (!has[a] || level->inverse[c - s] == 0.0f) continue;
        float g = level->g[a][c], m = mic[c - s], others = 0.0f;
        for (int b = 0; b < 3; b++) {
            size_t t = level->stride[b];
            if (b != a) others += coupling(level, c - s, c - s + t, b);
        }
        e -= g * m * (g + TUNING * others);
    }
    return 1.0f / (e < SAFETY * diagonal ? diagonal : e);
}

/* Whether a cell's lower neighbours across y and z are in the same block. */
static void lower_neighbours(const MgLevel *level, const MgRun *run, int first, bool has[3]) {
    bool deep = level->layers == level->n[2];
    has[0] = true;
    has[1] = run->j > (deep ? 0 : first);
    has[2] = deep && run->k > first;
}

static void factor_blocks(void *user, size_t begin, size_t end) {
    MicJob *job = user;
    const MgLevel *level = &job->poisson->mg.levels[0];
    float *mic = job->poisson->mic;
    for (size_t block = begin; block < end; block++) {
        int first = block_begin(job, block), last = block_begin(job, block + 1);
        for (int layer = first; layer < last; layer++) FOR_RUNS(level, layer, run) {
                bool has[3];
                lower_neighbours(level, run, first, has);
                for (size_t c = run->start; c < run->start + run->length; c++) {
                    bool low[3] = {c > run->start || run->i > 0, has[1], has[2]};
                    mic[c] = level->inverse[c] > 0.0f ? pivot(level, mic, c, low) : 0.0f;
                }
            }
    }
}

static MicJob mic_job(Poisson *poisson) {
    int layers = poisson->mg.levels[0].layers;
    return (MicJob){.poisson = poisson, .blocks = layers < MIC_BLOCKS ? layers : MIC_BLOCKS};
}

void mic_setup(Poisson *poisson, int threads) {
    MicJob job = mic_job(poisson);
    parallel_for(threads, (size_t)job.blocks, 1, factor_blocks, &job);
}

/* z = (r + sum of g z over lower neighbours) pivot. */
static void forward_run(const MicJob *job, const MgRun *run, int first) {
    const MgLevel *level = &job->poisson->mg.levels[0];
    size_t c = run->start, sx = level->stride[1], sxy = level->stride[2];
    bool has[3];
    lower_neighbours(level, run, first, has);
    const float *gx = level->g[0] + c, *gy = level->g[1] + c, *gz = level->g[2] + c;
    const float *m = job->poisson->mic + c;
    const double *r = job->r + c;
    float *restrict z = job->z + c;
    const float *south = job->z + c - (has[1] ? sx : 0), *below = job->z + c - (has[2] ? sxy : 0);
    if (has[1] && has[2])
        for (int i = 0; i < run->length; i++)
            z[i] = ((float)r[i] + (gy[i] * south[i] + gz[i] * below[i])) * m[i];
    else if (has[1])
        for (int i = 0; i < run->length; i++) z[i] = ((float)r[i] + gy[i] * south[i]) * m[i];
    else if (has[2])
        for (int i = 0; i < run->length; i++) z[i] = ((float)r[i] + gz[i] * below[i]) * m[i];
    else
        for (int i = 0; i < run->length; i++) z[i] = (float)r[i] * m[i];
    float last = run->i > 0 ? z[-1] : 0.0f;
    for (int i = 0; i < run->length; i++) {
        last = z[i] + gx[i] * m[i] * last;
        z[i] = last;
    }
}

/* z += (sum of g z over upper neighbours) pivot. */
static void backward_run(const MicJob *job, const MgRun *run, int last_layer) {
    const MgLevel *level = &job->poisson->mg.levels[0];
    size_t c = run->start, sx = level->stride[1], sxy = level->stride[2];
    bool deep = level->layers == level->n[2];
    bool north_in = run->j + 1 < (deep ? level->n[1] : last_layer);
    bool above_in = deep && run->k + 1 < last_layer;
    const float *gx = level->g[0] + c + 1, *m = job->poisson->mic + c;
    float *restrict z = job->z + c;
    if (north_in) {
        const float *gn = level->g[1] + c + sx, *north = job->z + c + sx;
        for (int i = 0; i < run->length; i++) z[i] += gn[i] * north[i] * m[i];
    }
    if (above_in) {
        const float *ga = level->g[2] + c + sxy, *above = job->z + c + sxy;
        for (int i = 0; i < run->length; i++) z[i] += ga[i] * above[i] * m[i];
    }
    int end = run->length;
    float next = run->i + end < level->n[0] ? z[end] : 0.0f;
    for (int i = end - 1; i >= 0; i--) {
        next = z[i] + gx[i] * m[i] * next;
        z[i] = next;
    }
}

static void solve_blocks(void *user, size_t begin, size_t end) {
    MicJob *job = user;
    const MgLevel *level = &job->poisson->mg.levels[0];
    for (size_t block = begin; block < end; block++) {
        int first = block_begin(job, block), last = block_begin(job, block + 1);
        for (int layer = first; layer < last; layer++)
            FOR_RUNS(level, layer, run) forward_run(job, run, first);
        size_t rows = (size_t)level->rows_per_layer;
        for (size_t row = (size_t)last * rows; row-- > (size_t)first * rows;)
            for (int i = level->run_count[row] - 1; i >= 0; i--)
                backward_run(job, &level->runs[row * level->run_room + (size_t)i], last);
    }
}

void mic_apply(Poisson *poisson, int threads, const double *r, float *z) {
    MicJob job = mic_job(poisson);
    job.r = r;
    job.z = z;
    parallel_for(threads, (size_t)job.blocks, 1, solve_blocks, &job);
}
