/* The state of an MPRGP solve and its passes over memory. */
#ifndef SOLVE_MPRGP_INTERNAL_H
#define SOLVE_MPRGP_INTERNAL_H

#include "solve/krylov/mprgp.h"

/* Entries a partial result covers. Part of the meaning of a result: changing it changes last bits.
 */
enum { MPRGP_CHUNK = 1024 };

/* What passes add up, in fixed chunks and their order. */
typedef struct MprgpTally {
    double sum[4];
    double most[4]; /* largest values, 0 at least */
    double energy;  /* a sum, too */
} MprgpTally;

/* The gradient g = A x + b, split (Dostal 2009, chapter 5): the free gradient phi is that of free
 * entries, the chopped gradient beta the negative part of that of entries at their bound. */
typedef struct MprgpGradient {
    double chopped; /* |beta|^2, scaled */
    double reduced; /* phi^T of the free gradient cut to what its step may take, scaled */
    double violation;
    double least_slack, complementarity;
    size_t free_count;
    bool set_changed; /* the free set is not what it was before the pass */
} MprgpGradient;

typedef struct Mprgp {
    Scratch *scratch;
    const MprgpSystem *system;
    int threads;
    size_t n;
    const float *scale;
    const double *b, *low;
    double *x, *y;     /* where we are, and a place to go to */
    double *g;         /* A x + b */
    double *p, *q, *z; /* direction, A p, preconditioned gradient */
    unsigned char *is_free;
    unsigned char *in_use; /* of each chunk of the passes: there are unknowns in it */
    double length;         /* of an expansion step, scaled */
    double norm;
    int applications;
    MprgpGradient gradient, tried; /* of x, and of a y on trial */
} Mprgp;

/* x = max(x, low), no entry free; *finite: b, low and x are. */
PlimStatus mprgp_clamp(Mprgp *m, bool *finite);
/* g = z + b, then measures. */
PlimStatus mprgp_take_gradient(Mprgp *m);
/* x = max(x - alpha p, low), g -= alpha q, then measures. */
PlimStatus mprgp_move(Mprgp *m, double alpha);
/* Sum of g z over free entries. */
PlimStatus mprgp_dot_preconditioned(Mprgp *m, double *gz);
/* p = z + beta p; *feasible: the longest step along it that keeps to the bounds, or infinity. */
PlimStatus mprgp_direct(Mprgp *m, double beta, double *feasible);
/* p = the chopped gradient, scaled; *gp = g^T p. */
PlimStatus mprgp_direct_chopped(Mprgp *m, double *gp);
/* p^T q. */
PlimStatus mprgp_curvature(Mprgp *m, double *pq);
/* y = max(x - alpha p, low). */
PlimStatus mprgp_project(Mprgp *m, double alpha);
/* y = max(x - length g, low), g scaled; of free entries or of all, others stay. */
PlimStatus mprgp_project_gradient(Mprgp *m, bool all);
/* z = g, scaled. */
PlimStatus mprgp_scale_gradient(Mprgp *m);
/* Where z = A y: z += b, and measures y with that as if it were x and g, the free set included;
 * *change of x^T A x / 2 + b^T x from x to y. */
PlimStatus mprgp_try(Mprgp *m, double *change);
/* Measures x and g: after a y that was not taken. */
PlimStatus mprgp_measure(Mprgp *m);
/* The largest eigenvalue of A, scaled, by power iterations; uses p and q. */
PlimStatus mprgp_find_norm(Mprgp *m, double *eigenvector);

#endif
