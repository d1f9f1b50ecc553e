/* Preconditioned conjugate gradients and MINRES. Dots are deterministic; a solve says why it
 * stopped. */
#ifndef SOLVE_KRYLOV_H
#define SOLVE_KRYLOV_H

#include "solve/linear_map.h"

typedef enum SolveReason {
    SOLVE_CONVERGED,
    SOLVE_ITERATION_LIMIT,
    SOLVE_STAGNATED,  /* the true residual no longer falls */
    SOLVE_INDEFINITE, /* p^T A p or r^T M r was not positive: not a matrix for CG */
    SOLVE_BREAKDOWN,
    SOLVE_NOT_FINITE
} SolveReason;

const char *solve_reason_name(SolveReason reason);

typedef struct SolveResult {
    SolveReason reason;
    int iterations;
    double first_residual, last_residual; /* true residuals |b - A x|, 2-norm */
    int applications;                     /* of A, those inside the preconditioner included */
} SolveResult;

typedef struct KrylovOptions {
    double relative;    /* stop when |r| <= relative |b|; default 1e-6 */
    double absolute;    /* or |r| <= absolute; default 0 */
    int max_iterations; /* default 1000 */
    int threads;
} KrylovOptions;

KrylovOptions krylov_options_default(int threads);

/* z = M^-1 r; symmetric and positive definite. `applications` tells how often it applies A. */
typedef struct Preconditioner {
    void *object;
    void (*apply)(void *object, const double *r, double *z);
    int applications;
} Preconditioner;

/* Solves A x = b for symmetric positive (semi)definite A. x is the first guess on entry; it is used
 * only if it lowers the energy x^T A x / 2 - b^T x below that of zero. `preconditioner` may be
 * NULL. */
PlimStatus solve_cg(Scratch *scratch, const LinearMap *a, const Preconditioner *preconditioner,
                    const KrylovOptions *options, const double *b, double *x, SolveResult *result);

/* The same for symmetric, possibly indefinite A; the preconditioner must still be positive. */
PlimStatus solve_minres(Scratch *scratch, const LinearMap *a, const Preconditioner *preconditioner,
                        const KrylovOptions *options, const double *b, double *x,
                        SolveResult *result);

#endif
