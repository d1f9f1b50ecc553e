/* The pressure equation with bounds: A p + b >= 0, p >= low, (p - low)^T (A p + b) = 0, where A is
 * the matrix of poisson.h (001 section 3.1). MPRGP over the fluid cells, preconditioned among the
 * free ones as the Poisson was created. */
#ifndef SOLVE_POISSON_BOUNDED_H
#define SOLVE_POISSON_BOUNDED_H

#include "solve/krylov/mprgp.h"
#include "solve/pressure/poisson.h"

/* What gives way to the pressure beside the fluid: A + C C^T takes the place of A. Columns of C
 * come in blocks of six, the motions of a body; an entry is one cell's row of one block. */
enum { BOUNDED_BLOCK_SIZE = 6 };

typedef struct BoundedEntry {
    size_t cell;
    size_t block;
    double value[BOUNDED_BLOCK_SIZE];
} BoundedEntry;

typedef struct BoundedColumns {
    const BoundedEntry *entries; /* of cells that are not unknowns they do not count */
    size_t entry_count, block_count;
} BoundedColumns;

typedef struct BoundedOptions {
    /* Largest violation, absolute, in the unit of b: |A p + b| where p > low, -(A p + b) where
     * p = low. Default 0: give one. */
    double tolerance;
    int max_iterations; /* default 1000 */
    int threads;
    const BoundedColumns *columns; /* NULL: none */
} BoundedOptions;

BoundedOptions bounded_options_default(int threads);

typedef struct BoundedResult {
    SolveReason reason;
    int iterations; /* the three kinds of step together */
    int cg_steps, expansions, proportionings;
    int setups;       /* of the preconditioner, for a new set of free cells */
    int applications; /* of A, those inside the preconditioner and for the norm included */
    double norm;      /* largest eigenvalue of A over its diagonal, as estimated: 2 at most without
                         columns */
    double violation; /* what the tolerance is about, as reached */
    double least_slack;     /* least A p + b, 0 at most */
    double complementarity; /* |(p - low)^T (A p + b)| */
    size_t free_count;      /* cells with p > low */
    /* In a region that no face leads out of to a fixed value, and where b sums to less than 0,
     * there is no solution. It is solved with its mean taken from b, and `reason` is
     * SOLVE_STAGNATED where it would be SOLVE_CONVERGED. This is the largest such mean, made
     * positive; 0: there is none. */
    double incompatible;
} BoundedResult;

/* After poisson_setup with `bounded`; fixed values (air, open sides) must be 0. `b`, `low` (finite;
 * NULL: 0) and `p` over all cells. p is the first guess on entry: the last step's pressure is a
 * good one. Fluid cells that all faces of are closed get their bound, cells that are not fluid 0.
 * `eigenvector` over all cells, all zero at first: keep it from solve to solve, and with the state,
 * since last bits depend on it. */
PlimStatus poisson_solve_bounded(Poisson *poisson, const BoundedOptions *options, const double *b,
                                 const double *low, double *p, double *eigenvector,
                                 BoundedResult *result);

#endif
