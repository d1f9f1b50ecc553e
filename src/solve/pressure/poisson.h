/* Pressure Poisson equation on the staggered grid: sum over the faces of a cell of (area / spacing)
 * c_f (p_cell - p_neighbour) = b_cell, for fluid cells (000 section 4.4.4). Air is a Dirichlet
 * value at the cell's centre or, second order, at the interface (section 6.3.4, figure 6.9); solid
 * and closed faces are Neumann. */
#ifndef SOLVE_POISSON_H
#define SOLVE_POISSON_H

#include "grid/grid.h"
#include "solve/krylov/krylov.h"

typedef enum CellKind { CELL_FLUID, CELL_AIR, CELL_SOLID } CellKind;

/* Least fraction of a cell between a fluid cell's centre and the interface. Smaller ones are taken
 * as this: the matrix entry is 1/theta, and the error is below theta_floor * spacing. */
#define POISSON_THETA_FLOOR 1e-4

/* Borrowed arrays over cells and faces of the grid (grid.h's indices); poisson_solve reads them
 * too. Coefficients are rounded to single precision at set-up, once: the solve, the assembled
 * matrix and the projection use the same rounded values, so what they do agrees to double
 * precision. */
typedef struct PoissonProblem {
    const Grid *grid;
    const unsigned char *kind; /* CellKind of each cell */
    /* Coefficient of each face, 1/density times open fraction; NULL: 1 everywhere. */
    const double *coefficient[3];
    /* Level set at cell centres, negative in fluid; NULL: Dirichlet at the centres of air cells. */
    const double *phi;
    const double *air_pressure; /* of air cells; NULL: 0 */
    double outside_pressure;    /* beyond SIDE_OPEN, at the face */
    /* For poisson_project alone: the open part of each face, the part that its velocity flows
     * through; coefficients hold it as a factor. And the volume that is made in each cell, m^3/s,
     * what solids push out of the closed parts of its faces included. NULL: 1 and 0. */
    const double *open[3];
    const double *source;
    /* For poisson_solve_bounded alone, which makes the levels that it needs itself: none are made
     * at set-up. */
    bool bounded;
} PoissonProblem;

/* Part of a cell's fluid that a face moves: theta between a fluid and an air cell, as the matrix
 * has it, 1 at other faces of fluid cells, 0 where neither cell is fluid. `at` may be the last
 * layer of a periodic axis. */
double poisson_face_part(const PoissonProblem *problem, int axis, const int at[3]);

typedef enum PoissonMethod { POISSON_MULTIGRID, POISSON_MIC0, POISSON_PLAIN } PoissonMethod;

typedef struct Poisson Poisson;

/* Set-up: coefficients, regions closed off by Neumann faces (each has the constant vector as
 * nullspace), multigrid levels. A Poisson may be set up again for another problem on a grid of the
 * same size and sides without allocating, unless that has more coarse cells cut by walls than any
 * before. Where all conductances and fluid cells are, bit by bit, those of the last set-up, what
 * was made from them is kept; poisson_forget makes the next set-up do all its work again. */
PlimStatus poisson_create(PlimContext *context, const Grid *grid, PoissonMethod method,
                          Poisson **out);
PlimStatus poisson_setup(Poisson *poisson, const PoissonProblem *problem);
void poisson_forget(Poisson *poisson);
void poisson_destroy(Poisson *poisson);
size_t poisson_bytes(const Poisson *poisson);

/* Solves for the pressure of fluid cells; others get their Dirichlet value or 0. `b` over all
 * cells, entries of cells that are not fluid are ignored; Dirichlet values are added inside. In
 * each region closed off by Neumann faces the mean of b is removed first and the pressure's mean
 * made zero; *incompatible is the largest such mean, for the caller to judge. */
PlimStatus poisson_solve(Poisson *poisson, const KrylovOptions *options, const double *b, double *p,
                         SolveResult *result, double *incompatible);

/* Bytes that a multigrid solve of so many iterations has to move, by count: for benchmarks. */
double poisson_traffic(const Poisson *poisson, int iterations);

/* The assembled matrix over fluid cells, and the cell of each row: for tests and other libraries.
 * Fluid cells with all faces closed are not in it: their pressure is 0. Free with csr_free, and
 * context_free(context, cell_of_row, matrix.rows + 1, sizeof(size_t)). */
PlimStatus poisson_assemble(Poisson *poisson, Csr *matrix, size_t **cell_of_row);

/* What a projection left behind. */
typedef struct ProjectResult {
    SolveResult solved;
    double divergence;   /* 1/s, the largest net outflow of a fluid cell, over its volume */
    double incompatible; /* m^3/s a cell, the largest mean that no pressure can remove: what flows
                            into a region that is closed off */
} ProjectResult;

/* Makes face velocities divergence-free: sets up, builds b from them (faces of walls, solids and
 * inflows keep theirs), solves, subtracts coefficient times gradient, over the open part.
 * `pressure` is the first guess on entry. Of a periodic axis the first and last layer of faces must
 * be equal.
 */
PlimStatus poisson_project(Poisson *poisson, const PoissonProblem *problem,
                           const KrylovOptions *options, double *velocity[3], double *pressure,
                           ProjectResult *result);

#endif
