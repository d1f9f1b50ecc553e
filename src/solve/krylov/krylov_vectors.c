/* Vector kernels of the Krylov methods: dots, norms, updates. */
#include "solve/krylov/krylov_vectors.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

#if defined(__clang__)
/* Without optimisation clang says that loops marked simd stay scalar; that is as it should be. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

typedef struct VectorJob {
    const double *x, *other;
    double *y, alpha, beta;
} VectorJob;

static void dot_terms(void *user, size_t begin, size_t end, double *partial) {
    const VectorJob *job = user;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = begin; i < end; i++) sum += job->x[i] * job->other[i];
    partial[0] += sum;
}

PlimStatus krylov_dot(const KrylovVectors *v, const double *x, const double *y, double *dot) {
    VectorJob job = {.x = x, .other = y};
    return parallel_sum(v->threads, v->n, 1, dot_terms, &job, v->scratch, dot);
}

PlimStatus krylov_norm(const KrylovVectors *v, const double *x, double *norm) {
    TRY(krylov_dot(v, x, x, norm));
    *norm = sqrt(*norm);
    return PLIM_OK;
}

static void combine_range(void *user, size_t begin, size_t end) {
    const VectorJob *job = user;
    if (job->beta == 0.0)
        for (size_t i = begin; i < end; i++) job->y[i] = job->alpha * job->x[i];
    else
        for (size_t i = begin; i < end; i++)
            job->y[i] = job->alpha * job->x[i] + job->beta * job->y[i];
}

void krylov_combine(const KrylovVectors *v, double alpha, const double *x, double beta, double *y) {
    VectorJob job = {.x = x, .y = y, .alpha = alpha, .beta = beta};
    parallel_for(v->threads, v->n, 16384, combine_range, &job);
}

PlimStatus krylov_start(const KrylovVectors *v, const LinearMap *a, const KrylovOptions *options,
                        const double *b, double *x, double *r, double *q, double *target,
                        SolveResult *result) {
    double guess, norm, xq = 0.0, xb = 0.0;
    memcpy(r, b, v->n * sizeof *r);
    TRY(krylov_norm(v, b, &norm));
    TRY(krylov_norm(v, x, &guess));
    *target = fmax(options->relative * norm, options->absolute);
    bool use = guess > 0.0 && isfinite(guess);
    if (use) {
        a->apply(a->object, x, q);
        result->applications++;
        TRY(krylov_dot(v, x, q, &xq));
        TRY(krylov_dot(v, x, b, &xb));
        use = 0.5 * xq - xb < 0.0;
    }
    if (use)
        krylov_combine(v, -1.0, q, 1.0, r);
    else
        memset(x, 0, v->n * sizeof *x);
    TRY(krylov_norm(v, r, &result->first_residual));
    result->last_residual = result->first_residual;
    result->reason = isfinite(norm) ? SOLVE_CONVERGED : SOLVE_NOT_FINITE;
    return PLIM_OK;
}

PlimStatus krylov_finish(const KrylovVectors *v, const LinearMap *a, const double *b,
                         const double *x, double *r, double *q, double before, double target,
                         SolveResult *result) {
    a->apply(a->object, x, q);
    result->applications++;
    memcpy(r, b, v->n * sizeof *r);
    krylov_combine(v, -1.0, q, 1.0, r);
    TRY(krylov_norm(v, r, &result->last_residual));
    if (result->reason != SOLVE_CONVERGED) return PLIM_OK;
    if (!isfinite(result->last_residual))
        result->reason = SOLVE_NOT_FINITE;
    else if (result->last_residual > target && result->last_residual > 0.5 * before)
        result->reason = SOLVE_STAGNATED;
    return PLIM_OK;
}
