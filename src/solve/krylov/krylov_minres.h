/* MINRES, the iteration that both forms share: one Lanczos step, one rotation, one update of x.
 * / */
#ifndef SOLVE_KRYLOV_MINRES_H
#define SOLVE_KRYLOV_MINRES_H

#include "solve/krylov/krylov_vectors.h"

typedef struct MinresRotation {
    double c, s;
} MinresRotation;

/* r, q, v are residual-like; z, w, x solution-like; the two kinds meet in dots alone. */
typedef struct Minres {
    KrylovVectors v;
    const LinearMap *a;
    const Preconditioner *preconditioner; /* NULL: the identity */
    double *r, *q;                        /* residual when a round begins, A z */
    double *v_old, *v_now, *z, *z_next;   /* Lanczos vectors and M^-1 of them */
    double *w_old, *w_now;                /* search directions */
    double gamma, gamma_old;              /* norms of v_now, v_old: sqrt(v^T M^-1 v) */
    double eta;                           /* residual in that norm, signed */
    MinresRotation now, old;
    double keep, add; /* of the last step: r_k = keep r_{k-1} + add v_now */
    int iterations, applications;
} Minres;

/* Vectors from scratch memory; the caller sets a mark before. */
PlimStatus minres_take(Minres *m, Scratch *scratch, int threads, const LinearMap *a,
                       const Preconditioner *preconditioner);
/* Begins a round at r = b - A x. `reason` stays SOLVE_CONVERGED unless a step is impossible. */
PlimStatus minres_begin(Minres *m, SolveReason *reason);
/* One iteration. gamma is zero after it when the Krylov space is exhausted: begin again. */
PlimStatus minres_step(Minres *m, double *x, SolveReason *reason);

#endif
