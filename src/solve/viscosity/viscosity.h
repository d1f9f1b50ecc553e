/* Implicit viscosity on the staggered grid in full stress form:
 *
 *     density (u - u*) / dt = div mu (grad u + grad u^T),
 *
 * for face velocities, with walls that hold the fluid fast, let it slip, or both in part (002
 * section 5.7 has the form for constant mu; the full stress is what liquids of varying viscosity
 * need). The matrix is density V + dt K, where u^T K u / 2 is half the dissipated power:
 *
 *     sum over cells of mu V sum_a (d_a u_a)^2
 *     + sum over edges, a < b, of mu V (d_a u_b + d_b u_a)^2 / 2.
 *
 * Walls. A velocity whose face centre is inside a solid (distance below 0) is given, not solved
 * for. A derivative between a free and a given velocity is cut by the surface at the part
 * theta = d_free / (d_free - d_given) of the spacing: its difference goes to the wall's velocity at
 * the crossing, over (theta h + slip), and its volume is cut by the same part, which keeps the
 * matrix symmetric. The product of an edge's two derivatives has the smaller of their volumes, so
 * that no energy is negative; what the longer derivative lacks beside it is the wall's own, so that
 * fluid turning with a turning wall feels no force. A wall at a side of the domain is half
 * a spacing away from the velocities along it. Second order where walls lie along the grid, first
 * where they slant.
 *
 * Open sides carry no stress. A face on one owns half a cell: it has half the mass, and its links
 * along the side half the volume; edges on the side have no product of derivatives.
 *
 * Surface. A liquid that ends in air feels no stress there (Batty and Bridson 2008): faces, cells
 * and edges count by the part that is liquid of the box of a cell's size around each. That is
 * second order. The masses of a column of boxes are the liquid in it, so that the stress an edge
 * bears is that of all liquid beyond it, wherever the surface lies in a box. An edge's weight w
 * stands for the width of liquid there, 1 below a surface along the grid; where it is less, the
 * velocity of the last face alone is off, by f h^2 g / nu (1 / w - 1) for a part f of its box
 * under the acceleration g. Where an edge has a face of little mass along both of its axes, its
 * weight is at most the greater of the two. Nothing resists a liquid that moves as one rigid
 * body. Faces whose box has no liquid are in the air: no term has them and they are left alone.
 * Others have a thousandth of a cell's mass at least.
 *
 * When only parts of cells are known, a face has the mean of its two cells, an edge that of its
 * four, but at most twice that of the two cells of one of its faces: first order.
 *
 * Coefficients are rounded to single precision at set-up, once, in units of the (largest) mu: the
 * solve, the map and the reactions use the same ones, so that what they do agrees to double
 * precision. */
#ifndef SOLVE_VISCOSITY_H
#define SOLVE_VISCOSITY_H

#include "grid/grid.h"
#include "solve/krylov/krylov.h"
#include "solve/pressure/poisson.h"

/* Least theta; smaller ones are taken as this. */
#define VISCOSITY_THETA_FLOOR 1e-2

enum { VISCOSITY_OBSTACLE = -1 }; /* a wall that is not a side; sides are 2 * axis + end */

typedef struct ViscosityProblem {
    const Grid *grid;
    double density;           /* kg/m^3 */
    double mu;                /* Pa s */
    const double *mu_of_cell; /* Pa s, of each cell, in place of `mu`; NULL: none */
    /* Signed distance of each face centre from the obstacles, negative inside; NULL: no obstacles.
     * Faces on walls and inflow sides are given in any case. */
    const double *distance[3];
    /* Open part of each face, by which its mass is smaller; NULL: 1. */
    const double *open[3];
    /* Part of each cell that is liquid, 0 to 1, as if there were no obstacles: the surface is taken
     * to go on inside them. NULL: all is. */
    const double *liquid;
    /* The same of the 2^dim sub-cells of each cell (liquid_fractions_of_corners), in place of
     * `liquid`; NULL: parts of cells have to do. */
    const float *liquid_of_corners;
    /* For the coupled solve with air: CellKind of each cell and the level set. Where the pressure
     * ends faces then have the masses that it moves (poisson_face_part): the same below a surface
     * along the grid, but of the line between two cells in place of a box. NULL: there is no
     * pressure. */
    const unsigned char *kind;
    const double *phi;
    double slip;            /* m, slip length of obstacles: 0 holds fast, HUGE_VAL lets slip */
    double side_slip[3][2]; /* m, of sides that are walls or inflow */
    /* Velocity component of a wall at x, m/s; NULL: all walls stand still. Called from several
     * threads. `wall` is VISCOSITY_OBSTACLE or a side; x is at the wall or, for the wall's own
     * derivatives, up to a spacing away, and up to that beyond periodic sides. What is normal to
     * a side is taken from the velocities of the faces in it instead. */
    double (*wall_velocity)(const void *user, int wall, int component, Vec3 x);
    const void *user;
} ViscosityProblem;

typedef struct Viscosity Viscosity;

PlimStatus viscosity_create(PlimContext *context, const Grid *grid, Viscosity **out);
void viscosity_destroy(Viscosity *viscosity);
size_t viscosity_bytes(const Viscosity *viscosity);

/* Reads mu, distances and slips; the matrix does not depend on dt or on what walls do. The
 * problem's arrays are not kept, but solve, gain and reactions get the same problem again: they
 * read the distances near walls, the density and the walls' velocities. PLIM_BAD_INPUT when mu is
 * negative or not finite or the grid is another. No allocation. */
PlimStatus viscosity_setup(Viscosity *viscosity, const ViscosityProblem *problem, int threads);

/* `velocity` holds u* on entry and u on return, compact faces; given velocities must hold their
 * values on entry and are not changed; the last layer of a periodic axis is the first again. u* is
 * the first guess. Nothing changes when mu or dt is 0, or when the result is SOLVE_NOT_FINITE. No
 * allocation after the first call, but for the first stiff step. */
PlimStatus viscosity_solve(Viscosity *viscosity, const ViscosityProblem *problem, double dt,
                           const KrylovOptions *options, double *velocity[3], SolveResult *result);

/* Whether the last set-up gave a face an unknown: some liquid is in its box, and no wall holds it.
 */
bool viscosity_moves_face(const Viscosity *viscosity, int axis, const int at[3]);

/* The part of a cell's mass that a face moves, where all of it is open. */
double viscosity_liquid_part(const Viscosity *viscosity, const ViscosityProblem *problem, int axis,
                             const int at[3]);

/* dt times the acceleration by viscosity at these velocities, m/s; 0 for given ones. */
PlimStatus viscosity_gain(Viscosity *viscosity, const ViscosityProblem *problem, double dt,
                          int threads, double *velocity[3], double *gain[3]);

/* Calls `visit` for every derivative that ends at a wall, in a fixed order, on one thread: the
 * force along `component`, N, that the fluid with these velocities exerts on the wall at x. The sum
 * of them all is exactly what viscosity takes from the momentum of the free velocities, over dt,
 * when no side is open. */
typedef void (*ViscosityVisit)(void *user, int wall, int component, Vec3 x, double force);
void viscosity_reactions(const Viscosity *viscosity, const ViscosityProblem *problem,
                         double *const velocity[3], ViscosityVisit visit, void *user);

/* The power that friction in the fluid and at walls takes, W: twice the energy of the links with
 * these velocities of fluid and walls. */
double viscosity_dissipation(const Viscosity *viscosity, const ViscosityProblem *problem,
                             double *const velocity[3]);

/* The matrix density V + dt K over all faces, one after the other axis by axis, the identity for
 * given velocities and the double last layer of periodic axes: for tests and the coupled solve.
 * Good until the next call with this object; not for use from several threads at once. */
LinearMap viscosity_map(Viscosity *viscosity, double density, double dt);

#endif
