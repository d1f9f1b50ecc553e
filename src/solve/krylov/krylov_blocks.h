/* MINRES for systems of several blocks, each with units of its own. The norm that MINRES itself
 * lowers weighs blocks by the preconditioner and can hide a poor one: this stops when every block's
 * true residual is small. */
#ifndef SOLVE_KRYLOV_BLOCKS_H
#define SOLVE_KRYLOV_BLOCKS_H

#include "solve/krylov/krylov.h"

enum { SOLVE_BLOCK_CAPACITY = 8 };

/* A stretch of the vectors. */
typedef struct SolveBlock {
    size_t start, count;
    double tolerance; /* of the 2-norm of its residual, in its own units */
} SolveBlock;

typedef struct BlockResult {
    SolveReason reason;
    int iterations, applications;
    double first[SOLVE_BLOCK_CAPACITY], last[SOLVE_BLOCK_CAPACITY]; /* true residuals */
} BlockResult;

typedef struct BlockOptions {
    const SolveBlock *blocks; /* one after the other, covering the vectors */
    size_t block_count;
    int max_iterations;
    int threads;
} BlockOptions;

/* Solves A x = b for symmetric, possibly indefinite or singular and consistent A. x is the first
 * guess on entry. Residual-like vectors (b, results of A, what the preconditioner gets) and
 * solution-like ones (x, what the preconditioner returns, what A gets) are never mixed, but for the
 * dots between the two kinds: a layout may hold copies in the one that are zero in the other. */
PlimStatus solve_minres_blocks(Scratch *scratch, const LinearMap *a,
                               const Preconditioner *preconditioner, const BlockOptions *options,
                               const double *b, double *x, BlockResult *result);

#endif
