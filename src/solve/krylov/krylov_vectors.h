/* Vector work that the Krylov methods share. Sums are in fixed chunks. */
#ifndef SOLVE_KRYLOV_VECTORS_H
#define SOLVE_KRYLOV_VECTORS_H

#include "solve/krylov/krylov.h"

typedef struct KrylovVectors {
    Scratch *scratch;
    int threads;
    size_t n;
} KrylovVectors;

PlimStatus krylov_dot(const KrylovVectors *v, const double *x, const double *y, double *dot);
PlimStatus krylov_norm(const KrylovVectors *v, const double *x, double *norm);
/* y = alpha x + beta y; beta 0 reads nothing of y. */
void krylov_combine(const KrylovVectors *v, double alpha, const double *x, double beta, double *y);

/* Keeps x only if it lowers the energy, leaves r = b - A x, fills in the first residual and the
 * target. q is work space. */
PlimStatus krylov_start(const KrylovVectors *v, const LinearMap *a, const KrylovOptions *options,
                        const double *b, double *x, double *r, double *q, double *target,
                        SolveResult *result);
/* The true residual after a round of iterations that began at `before`: sets r, last_residual, and
 * the reason when the round did not help. */
PlimStatus krylov_finish(const KrylovVectors *v, const LinearMap *a, const double *b,
                         const double *x, double *r, double *q, double before, double target,
                         SolveResult *result);

#endif
