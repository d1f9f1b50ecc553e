/* Aggregation multigrid for elasticity: a preconditioner of conjugate gradients that knows rigid
 * motions (Vanek, Mandel and Brezina 1996). Nodes are gathered in aggregates that move as rigid
 * bodies, these in larger ones, and so on. Between the first two levels the prolongator is plain,
 * which makes an update cheap, and its correction is scaled up; between the others it is smoothed.
 * Symmetric and positive definite, the same bits for any number of threads. */
#ifndef SOLVE_AGGREGATION_H
#define SOLVE_AGGREGATION_H

#include "solve/block/block_csr.h"
#include "solve/krylov/krylov.h"

typedef struct Aggregation Aggregation;

typedef struct AggregationDesc {
    int dim; /* 2 or 3: rows of a block of the matrix */
    int threads;
    int degree; /* of the Chebyshev polynomial that smooths, 1 to 3; default 2 */
    /* Block Jacobi alone is used when in each part of the mesh at least this share of the diagonal
     * is mass, 0 to 1: time steps so small that no other level pays. Default 0.015; 1 switches it
     * off. */
    double jacobi_above;
} AggregationDesc;

AggregationDesc aggregation_desc_default(int dim, int threads);

/* What follows from the pattern alone, once for a mesh. Memory is taken here, and in the first
 * update that is not block Jacobi's. */
PlimStatus aggregation_create(PlimContext *context, const AggregationDesc *desc,
                              const BlockCsr *matrix, Aggregation **out);
void aggregation_destroy(Aggregation *aggregation);

/* What follows from the values, each time they change; the pattern is that of creation. The matrix
 * is borrowed: it stays as it is as long as the preconditioner is used. `position` has three
 * coordinates a node, also in 2D; where a body is turned or bent, its present ones. `filter` may be
 * NULL; otherwise it has a symmetric projector S of dim * dim a node, and the matrix is
 * S_i A_ij S_j, plus I - S_i times something positive on the diagonal. A matrix may be singular
 * (free bodies in statics) if the right side suits it. PLIM_FAILED when it is not positive. */
PlimStatus aggregation_update(Aggregation *aggregation, const BlockCsr *matrix,
                              const double *position, const double *filter);

/* As of the last update; ask again after the next, and use it in one solve at a time. */
Preconditioner aggregation_preconditioner(Aggregation *aggregation);

int aggregation_level_count(const Aggregation *aggregation);
/* Whether the last update found that block Jacobi is enough. */
bool aggregation_is_jacobi(const Aggregation *aggregation);

#endif
