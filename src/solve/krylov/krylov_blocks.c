/* MINRES with residuals by block. The residual of preconditioned MINRES follows from the one before
 * and the Lanczos vector (minres_step), so every block's norm is known in every iteration for one
 * more vector update. */
#include "solve/krylov/krylov_blocks.h"

#include "base/parallel.h"
#include "solve/krylov/krylov_minres.h"

#include <math.h>
#include <string.h>

/* The recurrence aims a little below a tolerance: the true residual differs by rounding, and a
 * second round for that would start a new Krylov space. */
static const double RECURRENCE_AIM = 0.9;

typedef struct ResidualJob {
    const BlockOptions *options;
    double *r;
    const double *other;
    double keep, add;
} ResidualJob;

/* r = keep r + add other on a chunk, and the squares of what comes out, for each block. */
static void residual_terms(void *user, size_t begin, size_t end, double *partial) {
    const ResidualJob *job = user;
    for (size_t k = 0; k < job->options->block_count; k++) {
        const SolveBlock *block = &job->options->blocks[k];
        size_t first = begin > block->start ? begin : block->start;
        size_t stop = block->start + block->count;
        if (stop > end) stop = end;
        double sum = 0.0;
        for (size_t i = first; i < stop; i++) {
            double r = job->keep * job->r[i] + job->add * job->other[i];
            job->r[i] = r;
            sum += r * r;
        }
        partial[k] += sum;
    }
}

static PlimStatus combine_residual(const Minres *m, const BlockOptions *options, double keep,
                                   double add, const double *other, double *norms) {
    ResidualJob job = {options, m->r, other, keep, add};
    TRY(parallel_sum(m->v.threads, m->v.n, options->block_count, residual_terms, &job, m->v.scratch,
                     norms));
    for (size_t k = 0; k < options->block_count; k++) norms[k] = sqrt(norms[k]);
    return PLIM_OK;
}

/* r = b - A x and its norms. */
static PlimStatus true_residual(Minres *m, const BlockOptions *options, const double *b,
                                const double *x, double *norms) {
    m->a->apply(m->a->object, x, m->q);
    m->applications++;
    memcpy(m->r, b, m->v.n * sizeof *b);
    return combine_residual(m, options, 1.0, -1.0, m->q, norms);
}

static bool within(const BlockOptions *options, const double *norms, double part) {
    for (size_t k = 0; k < options->block_count; k++)
        if (!(norms[k] <= part * options->blocks[k].tolerance)) return false;
    return true;
}

static bool all_finite(const BlockOptions *options, const double *norms) {
    for (size_t k = 0; k < options->block_count; k++)
        if (!isfinite(norms[k])) return false;
    return true;
}

/* True when some block that is above its tolerance fell to half or less. */
static bool helped(const BlockOptions *options, const double *before, const double *after) {
    for (size_t k = 0; k < options->block_count; k++)
        if (before[k] > options->blocks[k].tolerance && after[k] <= 0.5 * before[k]) return true;
    return false;
}

/* Iterates until the recurrence's residual is there, or no step is possible. */
static PlimStatus iterate(Minres *m, const BlockOptions *options, double *x, SolveReason *reason) {
    double norms[SOLVE_BLOCK_CAPACITY];
    bool arrived = false;
    TRY(minres_begin(m, reason));
    while (*reason == SOLVE_CONVERGED && m->gamma > 0.0 && !arrived) {
        if (m->iterations >= options->max_iterations) {
            *reason = SOLVE_ITERATION_LIMIT;
            return PLIM_OK;
        }
        TRY(minres_step(m, x, reason));
        if (*reason != SOLVE_CONVERGED) return PLIM_OK;
        TRY(combine_residual(m, options, m->keep, m->add, m->v_now, norms));
        arrived = within(options, norms, RECURRENCE_AIM);
    }
    return PLIM_OK;
}

static PlimStatus solve_rounds(Minres *m, const BlockOptions *options, const double *b, double *x,
                               BlockResult *result) {
    double before[SOLVE_BLOCK_CAPACITY];
    size_t bytes = options->block_count * sizeof *before;
    TRY(true_residual(m, options, b, x, result->first));
    memcpy(result->last, result->first, bytes);
    while (result->reason == SOLVE_CONVERGED && !within(options, result->last, 1.0)) {
        if (!all_finite(options, result->last)) {
            result->reason = SOLVE_NOT_FINITE;
            return PLIM_OK;
        }
        memcpy(before, result->last, bytes);
        TRY(iterate(m, options, x, &result->reason));
        TRY(true_residual(m, options, b, x, result->last));
        if (within(options, result->last, 1.0))
            result->reason = SOLVE_CONVERGED;
        else if (!all_finite(options, result->last))
            result->reason = SOLVE_NOT_FINITE;
        else if (result->reason == SOLVE_CONVERGED && !helped(options, before, result->last))
            result->reason = SOLVE_STAGNATED;
    }
    return PLIM_OK;
}

static bool cover(const BlockOptions *options, size_t n) {
    size_t next = 0;
    for (size_t k = 0; k < options->block_count; k++) {
        if (options->blocks[k].start != next) return false;
        next += options->blocks[k].count;
    }
    return next == n;
}

PlimStatus solve_minres_blocks(Scratch *scratch, const LinearMap *a,
                               const Preconditioner *preconditioner, const BlockOptions *options,
                               const double *b, double *x, BlockResult *result) {
    *result = (BlockResult){.reason = SOLVE_CONVERGED};
    if (options->block_count > SOLVE_BLOCK_CAPACITY || !cover(options, a->rows))
        return context_fail(scratch->context, PLIM_BAD_INPUT,
                            "%zu blocks do not cover the %zu unknowns, or are more than %d",
                            options->block_count, a->rows, (int)SOLVE_BLOCK_CAPACITY);
    size_t mark = scratch_mark(scratch);
    Minres m;
    TRY(minres_take(&m, scratch, options->threads, a, preconditioner));
    PlimStatus status = solve_rounds(&m, options, b, x, result);
    result->iterations = m.iterations;
    result->applications = m.applications;
    scratch_release(scratch, mark);
    return status;
}
