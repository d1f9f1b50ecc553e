/* W cycle with over-correction (Braess 1995): transfers between levels, and the preconditioner. */
#include "base/parallel.h"
#include "math/cholesky.h"
#include "solve/block/aggregation_internal.h"

#include <string.h>

/* Unsmoothed prolongators are too stiff: their correction falls short by about this factor. Twice
 * two visits of the next level, whose error then only shrinks, keep the cycle positive below 2. */
static const double OVER_CORRECTION = 1.5;

typedef struct Transfer {
    const Level *level, *next;
    double over;
} Transfer;

ALWAYS_INLINE void restrict_rows(const Transfer *job, size_t begin, size_t end, size_t size,
                                 size_t modes) {
    const Level *level = job->level;
    for (size_t row = begin; row < end; row++) {
        double sum[BLOCK_SIZE_MAX] = {0.0};
        for (size_t t = level->pt_start[row]; t < level->pt_start[row + 1]; t++) {
            const float *p = level->p_value + (size_t)level->pt_entry[t] * size * modes;
            const double *r = level->r + (size_t)level->pt_row[t] * size;
            for (size_t i = 0; i < size; i++)
                for (size_t k = 0; k < modes; k++) sum[k] += (double)p[i * modes + k] * r[i];
        }
        for (size_t k = 0; k < modes; k++) job->next->b[row * modes + k] = sum[k];
    }
}

static void restrict_range(void *user, size_t begin, size_t end) {
    const Transfer *job = user;
    WITH_SIZES(job->level->size, job->level->modes, restrict_rows(job, begin, end, size, modes));
}

ALWAYS_INLINE void prolong_rows(const Transfer *job, size_t begin, size_t end, size_t size,
                                size_t modes) {
    const Level *level = job->level;
    for (size_t row = begin; row < end; row++) {
        double sum[BLOCK_SIZE_MAX] = {0.0};
        for (size_t e = level->p.start[row]; e < level->p.start[row + 1]; e++) {
            const float *p = level->p_value + e * size * modes;
            const double *x = job->next->x + (size_t)level->p.column[e] * modes;
            for (size_t i = 0; i < size; i++)
                for (size_t k = 0; k < modes; k++) sum[i] += (double)p[i * modes + k] * x[k];
        }
        for (size_t i = 0; i < size; i++) level->x[row * size + i] += job->over * sum[i];
    }
}

static void prolong_range(void *user, size_t begin, size_t end) {
    const Transfer *job = user;
    WITH_SIZES(job->level->size, job->level->modes, prolong_rows(job, begin, end, size, modes));
}

static void solve_last(Aggregation *aggregation, Level *level) {
    size_t n = level->a.rows * (size_t)level->size;
    if (!aggregation->dense) {
        level_jacobi(aggregation, level, level->b, level->x);
        return;
    }
    memcpy(level->x, level->b, n * sizeof *level->x);
    cholesky_solve(aggregation->dense, n, level->x);
}

static void cycle(Aggregation *aggregation, int index, bool is_again) {
    Level *level = &aggregation->level[index], *next = level + 1;
    if (index + 1 == aggregation->level_count) {
        solve_last(aggregation, level);
        return;
    }
    bool is_exact = index + 2 == aggregation->level_count;
    Transfer job = {level, next, level->is_smoothed ? 1.0 : OVER_CORRECTION};
    if (is_again)
        level_smooth_again(aggregation, level);
    else
        level_smooth_first(aggregation, level);
    level_residual(aggregation, level);
    parallel_for(aggregation->desc.threads, next->a.rows, 16, restrict_range, &job);
    cycle(aggregation, index + 1, false);
    if (!is_exact) cycle(aggregation, index + 1, true);
    parallel_for(aggregation->desc.threads, level->a.rows, LEVEL_GRAIN, prolong_range, &job);
    level_smooth_again(aggregation, level);
}

static void apply(void *object, const double *r, double *z) {
    Aggregation *aggregation = object;
    Level *first = aggregation->level;
    size_t bytes = first->a.rows * (size_t)first->size * sizeof *z;
    if (aggregation->is_jacobi) {
        level_jacobi(aggregation, first, r, z);
        return;
    }
    memcpy(first->b, r, bytes);
    cycle(aggregation, 0, false);
    memcpy(z, first->x, bytes);
}

Preconditioner aggregation_preconditioner(Aggregation *aggregation) {
    int applications = aggregation->is_jacobi ? 0 : 2 * aggregation->desc.degree;
    return (Preconditioner){aggregation, apply, applications};
}
