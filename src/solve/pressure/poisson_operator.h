/* The pressure equation's matrix A and preconditioner, for solves that hold it as a block, as the
 * coupled one does (002 section 5.4). Good after poisson_setup or poisson_begin_project, until the
 * next. */
#ifndef SOLVE_POISSON_OPERATOR_H
#define SOLVE_POISSON_OPERATOR_H

#include "solve/pressure/poisson.h"

/* Where the solver's vectors hold cell (i, j, k): at origin + i stride[0] + j stride[1] +
 * k stride[2]. The same for all problems. Other places are the solver's own, as are cells without
 * an equation: zero in what it is given. */
typedef struct PoissonLayout {
    size_t stride[3], origin, size;
} PoissonLayout;

PoissonLayout poisson_layout(const Poisson *poisson);

static inline size_t poisson_index(const PoissonLayout *layout, int i, int j, int k) {
    return layout->origin + (size_t)i * layout->stride[0] + (size_t)j * layout->stride[1] +
           (size_t)k * layout->stride[2];
}

/* 1 / diagonal of A, in the solver's layout; 0 where there is no equation: cells that are not
 * fluid, and those with all faces closed. */
const float *poisson_inverse_diagonal(const Poisson *poisson);

/* y = A x, in the solver's layout. Writes only cells with an equation; of x it renews what is its
 * own. */
PlimStatus poisson_apply(Poisson *poisson, int threads, double *x, double *y);

/* z = M^-1 r, symmetric and positive definite: one multigrid cycle, of a Poisson that was created
 * with POISSON_MULTIGRID. In any layout: cells are `stride` apart, r and z start at the first. z is
 * 0 in cells without an equation; other places are left alone. */
PlimStatus poisson_precondition(Poisson *poisson, int threads, const size_t stride[3],
                                const double *r, double *z);
/* How often that goes over A, sweeps and residuals: what it costs. */
int poisson_precondition_applications(const Poisson *poisson);

/* Regions that are closed off by Neumann faces: how many, and which a cell is in, from 1 on; 0:
 * none. */
size_t poisson_closed_count(const Poisson *poisson);
size_t poisson_closed_region(const Poisson *poisson, int i, int j, int k);
/* Removes the nullspace of A from v: the mean in every region that is closed off by Neumann faces.
 * *largest is the largest mean, made positive. The first in the solver's layout, the second in any,
 * v starting at the first cell; where it finds a closed region, cells without an equation become 0.
 */
PlimStatus poisson_remove_means(Poisson *poisson, int threads, double *v, double *largest);
PlimStatus poisson_remove_means_at(Poisson *poisson, int threads, const size_t stride[3], double *v,
                                   double *largest);

/* poisson_project in parts: sets up and builds b, over all cells of the grid; takes the pressure's
 * gradient from velocities; gives back the memory that was used in between. */
PlimStatus poisson_begin_project(Poisson *poisson, const PoissonProblem *problem, int threads,
                                 double *velocity[3], double *b);
void poisson_correct(Poisson *poisson, int threads, double *velocity[3], const double *pressure);
PlimStatus poisson_end_project(Poisson *poisson);

#endif
