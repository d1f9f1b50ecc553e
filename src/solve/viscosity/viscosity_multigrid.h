/* Multigrid V-cycle as approximate inverse of the viscosity matrix density V + dt K, for any ratio
 * of the two terms: symmetric and positive definite, the preconditioner of stiff steps and of the
 * coupled solve. Internal to src/solve.
 *
 * What couples the components is left out, and the double weight of a component along its own axis
 * is spread over all axes. That leaves one Helmholtz equation for each component, with equal
 * weights in the unbounded fluid, in which walls hold the value zero: the pressure's multigrid with
 * a term on the diagonal. For a wave of wave number k the matrix is V (density + dt mu k^2) on
 * velocities across the wave vector and V (density + 2 dt mu k^2) on those along it; the equations
 * have 3/2 for both, so that the ratio is between 2/3 and 4/3. Conjugate gradients take 15 to 19
 * iterations to 1e-8 with constant mu or one that varies smoothly, up to 35 when all sides are
 * open, and hundreds where mu jumps: a lump of stiff fluid turns at no cost, which no component
 * alone can know. */
#ifndef SOLVE_VISCOSITY_MULTIGRID_H
#define SOLVE_VISCOSITY_MULTIGRID_H

#include "solve/viscosity/viscosity.h"

typedef struct ViscosityMultigrid ViscosityMultigrid;

/* Memory for the grid of `viscosity`, which need not be set up yet. */
PlimStatus viscosity_multigrid_create(const Viscosity *viscosity, ViscosityMultigrid **out);
void viscosity_multigrid_destroy(ViscosityMultigrid *multigrid);
size_t viscosity_multigrid_bytes(const ViscosityMultigrid *multigrid);

/* After viscosity_setup and viscosity_set_step. No allocation once it has seen such a problem. */
PlimStatus viscosity_multigrid_setup(ViscosityMultigrid *multigrid, const Viscosity *viscosity,
                                     int threads);

/* How often the cycle goes over something like the matrix: sweeps and residuals. */
int viscosity_multigrid_applications(const ViscosityMultigrid *multigrid);

/* z = M^-1 r on lattice vectors. z has its copies across periodic sides and is zero where there is
 * no unknown; r is read only where there is one. */
void viscosity_multigrid_cycle(ViscosityMultigrid *multigrid, const Viscosity *viscosity,
                               int threads, const double *r, double *z);

#endif
