/* Pressure Poisson operator, matrix-free in double precision, and its right-hand side. */
#include "solve/pressure/poisson_internal.h"

#include <string.h>

typedef struct LayerJob {
    LayerBody body;
    void *user;
    double *partials;
} LayerJob;

static void run_layers(void *user, size_t begin, size_t end) {
    const LayerJob *job = user;
    for (size_t layer = begin; layer < end; layer++)
        job->body(job->user, (int)layer, job->partials + 4 * layer);
}

PlimStatus poisson_layers(Poisson *poisson, int threads, LayerBody body, void *user,
                          double sum[4]) {
    const MgLevel *level = &poisson->mg.levels[0];
    size_t mark = scratch_mark(&poisson->scratch), layers = (size_t)level->layers;
    LayerJob job = {body, user, scratch_take(&poisson->scratch, 4 * layers, sizeof(double))};
    if (!job.partials) return PLIM_OUT_OF_MEMORY;
    memset(job.partials, 0, 4 * layers * sizeof(double));
    size_t cells = (size_t)level->rows_per_layer * (size_t)level->n[0];
    parallel_for(threads, layers, 1 + 16384 / cells, run_layers, &job);
    memset(sum, 0, 4 * sizeof *sum);
    for (size_t i = 0; i < 4 * layers; i++) sum[i % 4] += job.partials[i];
    scratch_release(&poisson->scratch, mark);
    return PLIM_OK;
}

void poisson_fill_halo(const Poisson *poisson, double *x) {
    const MgLevel *level = &poisson->mg.levels[0];
    for (int a = 0; a < 3; a++) {
        if (!level->periodic[a]) continue;
        int b = a == 0 ? 1 : 0, d = a == 2 ? 1 : 2;
        size_t s = level->stride[a], length = (size_t)level->n[a];
        for (int v = 0; v < level->n[d]; v++)
            for (int u = 0; u < level->n[b]; u++) {
                double *first = x + mg_index(level, 0, 0, 0) + level->stride[b] * (size_t)u +
                                level->stride[d] * (size_t)v;
                *(first - s) = first[(length - 1) * s];
                first[length * s] = first[0];
            }
    }
}

void poisson_apply_run(const MgLevel *level, const MgRun *run, const double *x, double *y) {
    size_t sx = level->stride[1], sxy = level->stride[2], c = run->start;
    const float *inverse = level->inverse + c;
    const float *gx = level->g[0] + c, *gy = level->g[1] + c, *gz = level->g[2] + c;
    const float *gn = gy + sx, *ga = gz + sxy;
    const double *here = x + c, *south = here - sx, *north = here + sx;
    const double *below = here - sxy, *above = here + sxy;
    double *restrict out = y + c, u = run->uniform;
    int n = run->length;
    if (u > 0.0 && level->layers == level->n[2]) {
        for (int i = 0; i < n; i++)
            out[i] = u * (6.0 * here[i] - (((here[i - 1] + here[i + 1]) + (south[i] + north[i])) +
                                           (below[i] + above[i])));
    } else if (u > 0.0) {
        for (int i = 0; i < n; i++)
            out[i] = u * (4.0 * here[i] - ((here[i - 1] + here[i + 1]) + (south[i] + north[i])));
    } else {
        for (int i = 0; i < n; i++) {
            double xi = here[i];
            double sum =
                (((double)gx[i] * (xi - here[i - 1]) + (double)gx[i + 1] * (xi - here[i + 1])) +
                 ((double)gy[i] * (xi - south[i]) + (double)gn[i] * (xi - north[i]))) +
                ((double)gz[i] * (xi - below[i]) + (double)ga[i] * (xi - above[i]));
            out[i] = inverse[i] > 0.0f ? sum : 0.0;
        }
    }
}

typedef struct ApplyJob {
    const MgLevel *level;
    const double *x;
    double *y;
} ApplyJob;

static void apply_layer(void *user, int layer, double partial[4]) {
    const ApplyJob *job = user;
    (void)partial;
    FOR_RUNS(job->level, layer, run) poisson_apply_run(job->level, run, job->x, job->y);
}

PlimStatus poisson_apply(Poisson *poisson, int threads, double *x, double *y) {
    ApplyJob job = {&poisson->mg.levels[0], x, y};
    double sum[4];
    poisson_fill_halo(poisson, x);
    return poisson_layers(poisson, threads, apply_layer, &job, sum);
}

typedef struct RightJob {
    const Poisson *poisson;
    const double *b;
    double *r;
} RightJob;

/* Conductance times fixed value, over the faces of one cell. */
static double fixed_flow(const Poisson *poisson, size_t c, const int at[3]) {
    const MgLevel *level = &poisson->mg.levels[0];
    const Grid *grid = &poisson->grid;
    const PoissonProblem *problem = &poisson->problem;
    double sum = 0.0;
    for (int a = 0; a < grid->dim; a++)
        for (int s = 0; s < 2; s++) {
            float g = level->g[a][s ? c + level->stride[a] : c];
            if (!(g > 0.0f)) continue;
            int other[3] = {at[0], at[1], at[2]};
            other[a] += s ? 1 : -1;
            if (level->periodic[a]) other[a] = (other[a] + grid->n[a]) % grid->n[a];
            if (other[a] < 0 || other[a] >= grid->n[a]) {
                sum += (double)g * problem->outside_pressure;
                continue;
            }
            size_t cell = grid_cell_index(grid, other[0], other[1], other[2]);
            if (problem->air_pressure && problem->kind[cell] == CELL_AIR)
                sum += (double)g * problem->air_pressure[cell];
        }
    return sum;
}

static void right_layer(void *user, int layer, double partial[4]) {
    const RightJob *job = user;
    const Poisson *poisson = job->poisson;
    const MgLevel *level = &poisson->mg.levels[0];
    bool fixed = poisson->problem.air_pressure || poisson->problem.outside_pressure != 0.0;
    (void)partial;
    FOR_RUNS(level, layer, run) {
        const double *b = job->b + run_cell(poisson, run);
        double *r = job->r + run->start;
        if (run->uniform > 0.0f) {
            memcpy(r, b, run->length * sizeof *r);
            continue;
        }
        for (int i = 0; i < run->length; i++) {
            size_t c = run->start + (size_t)i;
            int at[3] = {run->i + i, run->j, run->k};
            r[i] = level->inverse[c] > 0.0f ? b[i] : 0.0;
            if (fixed && level->inverse[c] > 0.0f) r[i] += fixed_flow(poisson, c, at);
        }
    }
}

PlimStatus poisson_right_side(Poisson *poisson, int threads, const double *b, double *r,
                              double *largest_mean) {
    RightJob job = {poisson, b, r};
    double sum[4];
    TRY(poisson_layers(poisson, threads, right_layer, &job, sum));
    TRY(poisson_remove_means(poisson, threads, r, largest_mean));
    /* What rounding leaves of a large mean is a mean again. Where little else is left, as in a flow
     * that is projected twice, it would be more than the tolerance, and no pressure removes it. */
    double rest;
    return poisson_remove_means(poisson, threads, r, &rest);
}
