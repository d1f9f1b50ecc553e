/* The coupled solve of a flow on the staggered grid with rigid bodies in it (002 chapter 5; DESIGN
 * idea 3). Unknown are the velocities u of free faces, the motions of free bodies and, in each
 * fluid cell, the impulse of pressure; all in one symmetric system
 *
 *     [ A  D^T ] [ w ]   [ B w* ]
 *     [ D   0  ] [ l ] = [ s    ],      w = (u, v),  l = -dt p.
 *
 * B: masses, of a face density V times its open part, of a body 6 by 6 with those of the faces that
 * it covers merged in. A = B + dt K, K the viscosity of solve/viscosity.h with walls that move with
 * the bodies (G_mu^T G_mu of 002 section 5.7, in full stress form: the gradient form would twist
 * bodies that turn). D: net outflow of cells (-G^T), through the open parts of faces by u and
 * through what bodies close by their own motion (W J). s: what is made in cells, and what bodies
 * let through. Bodies of infinite mass have a given velocity and are on the right.
 *
 * Air. Its pressure is zero: cells of air have no equation, and through faces that no fluid cell
 * has nothing is asked for. A face between fluid and air moves only the fluid up to the surface,
 * the part theta of a cell (000 section 6.3.4, figure 6.9): its mass is that of theta V, while D is
 * as elsewhere. Bodies push on fluid cells alone. With viscosity the surface carries no stress
 * (solve/viscosity.h).
 *
 * Without viscosity A is diagonal but for the bodies: conjugate gradients on D A^-1 D^T, the
 * pressure equation with a term of low rank. With it MINRES on the whole, one multigrid cycle for
 * the velocities, one for the pressure, and Schur complements for what bodies do to both. */
#ifndef SOLVE_COUPLED_FLOW_H
#define SOLVE_COUPLED_FLOW_H

#include "solve/krylov/krylov_blocks.h"
#include "solve/pressure/poisson.h"
#include "solve/viscosity/viscosity.h"

/* A rigid body; vectors of six hold the linear part first, the angular part about `center`. */
typedef struct FlowBody {
    bool is_free; /* else `velocity` is given and stays */
    Vec3 center;
    double mass[6][6];   /* kg, kg m, kg m^2; of free bodies, symmetric and positive definite */
    double momentum[6];  /* before the solve, with the impulses of forces over dt: B w* */
    int motion_count;    /* of the motions that it is free to make; 0: given */
    double motion[6][6]; /* their velocities, one a row */
    double velocity[6];  /* given, or found */
    double through[6];   /* what the fluid at its surface moves at beyond that: a source (5.12) */
    double impulse[6];   /* found: what the fluid gave to it in dt, N s and N m s */
} FlowBody;

/* What a body's motion pushes through the part of a face that it closes, m^3/s along the axis, is
 * row . velocity. */
typedef struct FlowFlux {
    int axis, at[3];
    int body;
    double row[6]; /* m^2, m^3 */
} FlowFlux;

typedef struct FlowProblem {
    const Grid *grid;
    double density, dt;
    const unsigned char *kind; /* CellKind of each cell */
    /* Level set at cells, m, negative in fluid; NULL: the pressure of air is at the centres of its
     * cells. */
    const double *phi;
    const double *open[3]; /* part of a face that fluid passes through, float values; NULL: 1 */
    const double *source;  /* m^3/s made in each cell; NULL: 0 */
    FlowBody *bodies;
    size_t body_count;
    const FlowFlux *fluxes;
    size_t flux_count;
    /* With viscosity: the object, set up with the problem; its `open` is that above, as are with
     * air its `kind` and `phi`, and wall_velocity gives 0 for VISCOSITY_OBSTACLE: obstacles are
     * bodies here. NULL: none. */
    Viscosity *viscosity;
    const ViscosityProblem *viscous;
    /* The body whose surface is at x, or nearest, and where its center is seen from there. */
    int (*body_at)(const void *user, Vec3 x, Vec3 *center);
    const void *user;
    double divergence; /* m^3/s, tolerance of a cell's net outflow, root mean square */
    double momentum;   /* tolerance of momenta in parts of those before the solve */
    double speed;      /* m/s: momenta of a cell's fluid at less than this count as none */
    int threads;
} FlowProblem;

enum { FLOW_MOMENTUM, FLOW_BODIES, FLOW_DIVERGENCE, FLOW_BLOCK_COUNT };

typedef struct FlowResult {
    SolveReason reason;
    int iterations;
    double residual[FLOW_BLOCK_COUNT];  /* 2-norms: kg m/s, kg m/s, m^3/s */
    double tolerance[FLOW_BLOCK_COUNT]; /* that they were brought to */
    double energy_before, energy_after; /* J, kinetic */
    double divergence;                  /* 1/s, largest net outflow of a cell over its volume */
    double incompatible; /* m^3/s a cell: mean outflow of a closed region that nothing can remove */
} FlowResult;

/* A rigid body's velocity along `axis` at `arm` from its center, v_a + (omega x r)_a, as a row
 * (5.10). */
static inline void flow_velocity_row(int axis, Vec3 arm, double row[6]) {
    vec3_store(row, vec3_axis(axis));
    vec3_store(row + 3, vec3_cross(arm, vec3_axis(axis)));
}

typedef struct CoupledFlow CoupledFlow;

/* `poisson` is set up and used by the solve; it and the viscosity must outlive the object. */
PlimStatus coupled_flow_create(PlimContext *context, const Grid *grid, Poisson *poisson,
                               CoupledFlow **out);
void coupled_flow_destroy(CoupledFlow *flow);
size_t coupled_flow_bytes(const CoupledFlow *flow);

/* `velocity` holds u* on entry, given velocities in given faces, and u on return; faces that bodies
 * cover are left alone, as are faces in air that no stress reaches. `pressure` (Pa) is the first
 * guess. Bodies get velocity and impulse. Nothing of that changes when the result is not
 * SOLVE_CONVERGED. */
PlimStatus coupled_flow_solve(CoupledFlow *flow, const FlowProblem *problem, double *velocity[3],
                              double *pressure, FlowResult *result);

#endif
