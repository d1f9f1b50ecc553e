/* Bound-constrained quadratic programs: min x^T A x / 2 + b^T x subject to x >= low, for symmetric
 * positive definite A; the same as A x + b >= 0, x >= low, (x - low)^T (A x + b) = 0 (001 section
 * 3.1). Modified proportioning with reduced gradient projections (MPRGP: Dostal, Optimal Quadratic
 * Programming Algorithms, 2009, chapter 5), with preconditioning in face. */
#ifndef SOLVE_MPRGP_H
#define SOLVE_MPRGP_H

#include "solve/krylov/krylov.h"

typedef struct MprgpSystem {
    void *object;
    size_t n;
    /* y = A x; entries of y that are not unknowns keep their value, those of x may be written. */
    PlimStatus (*apply)(void *object, double *x, double *y);
    /* z = M^-1 r for the entries with is_free, symmetric and positive definite on them; r counts as
     * zero elsewhere, z is not read there. `changed`: the set may differ from that of the last
     * call. NULL: M = 1 / scale. */
    PlimStatus (*precondition)(void *object, const unsigned char *is_free, bool changed,
                               const double *r, double *z);
    int precondition_applications; /* of A, in one call */
    /* About 1 / diagonal of A: gradients are scaled by it, so that one length of step suits all
     * entries whatever the contrast of coefficients. 0: not an unknown, x stays as it is. NULL: 1.
     */
    const float *scale;
    const double *b;
    const double *low; /* finite; NULL: 0 */
    /* The norm is about this or more, whatever few power iterations say: where a term of low rank
     * has a large eigenvalue that their first vector hardly knows. 0: nothing is known. */
    double least_norm;
} MprgpSystem;

typedef struct MprgpOptions {
    double tolerance;   /* largest violation, in the unit of b; absolute, default 0 */
    int max_iterations; /* default 1000 */
    int threads;
} MprgpOptions;

MprgpOptions mprgp_options_default(int threads);

typedef struct MprgpResult {
    SolveReason reason;
    int iterations; /* the three kinds of step together */
    int cg_steps;
    int expansions;     /* entries were stopped at their bound */
    int proportionings; /* entries were let go from it */
    int applications;   /* of A, those inside the preconditioner and for the norm included */
    double norm;        /* largest eigenvalue of A, scaled, as estimated */
    double violation;   /* largest |A x + b| of a free entry, or -(A x + b) of one at its bound */
    double least_slack; /* least A x + b, 0 at most */
    double complementarity; /* |(x - low)^T (A x + b)| */
    size_t free_count;      /* entries above their bound */
} MprgpResult;

/* x is the first guess on entry, clamped to the bounds; on exit x >= low holds to the bit.
 * `eigenvector` (n values; all zero: none yet) is where the estimate of the norm starts and what it
 * found: keep it for the next, similar matrix. It is part of the result to the bit: save it with
 * the state. */
PlimStatus mprgp_solve(Scratch *scratch, const MprgpSystem *system, const MprgpOptions *options,
                       double *x, double *eigenvector, MprgpResult *result);

#endif
