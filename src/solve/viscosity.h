/* Implicit viscosity on the staggered grid in full stress form:
 *
 *     density (u - u*) / dt = div mu (grad u + grad u^T),
 *
 * for face velocities, with walls that hold the fluid fast, let it slip, or both in part (002
 * section 5.7 has the form for constant mu; the full stress is what liquids of varying viscosity
 * need). The matrix is density V + dt K, where u^T K u / 2 is half the dissipated power:
 *
 *     sum over cells of mu V sum_a (d_a u_a)^2 + sum over edges, a < b, of mu V (d_a u_b + d_b u_a)^2 / 2.
 *
 * Walls. A velocity whose face centre is inside a solid (distance below 0) is given, not solved
 * for. A derivative between a free and a given velocity is cut by the surface at the part
 * theta = d_free / (d_free - d_given) of the spacing: its difference goes to the wall's velocity at
 * the crossing, over (theta h + slip), and its volume is cut by the same part, which keeps the
 * matrix symmetric. A wall at a side of the domain is half a spacing away from the velocities along
 * it. Open sides carry no stress. */
#ifndef SOLVE_VISCOSITY_H
#define SOLVE_VISCOSITY_H

#include "grid/grid.h"
#include "solve/krylov.h"

/* Least theta; smaller ones are taken as this. */
#define VISCOSITY_THETA_FLOOR 1e-2

enum { VISCOSITY_OBSTACLE = -1 }; /* a wall that is not a side; sides are 2 * axis + end */

typedef struct ViscosityProblem {
    const Grid *grid;
    double density; /* kg/m^3 */
    double mu;      /* Pa s */
    const double *mu_of_cell; /* Pa s, of each cell, in place of `mu`; NULL: none */
    /* Signed distance of each face centre from the obstacles, negative inside; NULL: no obstacles.
     * Faces on walls and inflow sides are given in any case. */
    const double *distance[3];
    double slip;            /* m, slip length of obstacles: 0 holds fast, HUGE_VAL lets slip */
    double side_slip[3][2]; /* m, of sides that are walls or inflow */
    /* Velocity component of a wall at x, m/s; NULL: all walls stand still. Called from several
     * threads. `wall` is VISCOSITY_OBSTACLE or a side. */
    double (*wall_velocity)(const void *user, int wall, int component, Vec3 x);
    const void *user;
} ViscosityProblem;

typedef struct Viscosity Viscosity;

PlimStatus viscosity_create(PlimContext *context, const Grid *grid, Viscosity **out);
void viscosity_destroy(Viscosity *viscosity);
size_t viscosity_bytes(const Viscosity *viscosity);

/* Reads the problem (its arrays are not kept; mu, distances, slip). Does not depend on dt. */
PlimStatus viscosity_setup(Viscosity *viscosity, const ViscosityProblem *problem, int threads);

/* `velocity` holds u* on entry and u on return, compact faces; given velocities must hold their
 * values on entry and are not changed. u* is the first guess. No allocation after the first call. */
PlimStatus viscosity_solve(Viscosity *viscosity, const ViscosityProblem *problem, double dt,
                           const KrylovOptions *options, double *velocity[3], SolveResult *result);

/* Calls `visit` for every derivative that ends at a wall, in a fixed order, on one thread: the
 * force along `component`, N, that the fluid with these velocities exerts on the wall at x. The sum
 * of them all is exactly what viscosity takes from the momentum of the free velocities, over dt,
 * when no side is open. */
typedef void (*ViscosityVisit)(void *user, int wall, int component, Vec3 x, double force);
void viscosity_reactions(const Viscosity *viscosity, const ViscosityProblem *problem,
                         double *const velocity[3], ViscosityVisit visit, void *user);

/* The matrix density V + dt K over all faces, one after the other axis by axis, the identity for
 * given velocities: for tests and the coupled solve. */
LinearMap viscosity_map(Viscosity *viscosity, double density, double dt);

#endif
