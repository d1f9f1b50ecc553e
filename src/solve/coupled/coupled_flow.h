/* The coupled solve of a flow on the staggered grid with a structure in it (002 chapter 5; DESIGN
 * idea 3). Unknown are the velocities u of free faces, those v of the structure (rigid bodies,
 * nodes) and, in each fluid cell, the impulse of pressure; all in one symmetric system
 *
 *     [ A_f  F    D^T     ] [ u ]   [ B u* ]
 *     [ F^T  A_s  H^T R^T ] [ v ]   [ B v* ]
 *     [ D    H            ] [ l ] = [ s    ],      l = -dt p.
 *     [      R            ] [ r ]   [ t    ]
 *
 * B: masses, of a face density V times its open part, of the structure in blocks with those of the
 * faces that it covers merged in. A_f = B + dt K, K the viscosity of solve/viscosity/viscosity.h
 * with walls that move with the structure (G_mu^T G_mu of 002 section 5.7, in full stress form: the
 * gradient form would twist bodies that turn); F and a part of A_s are the same friction, the rest
 * of A_s are masses and dampers. D: net outflow of cells (-G^T), through the open parts of faces by
 * u; H: through what the structure closes by its own motion (W J). s: what is made in cells, and
 * what surfaces let through. R: constraints among the structure's velocities, as pins and joints
 * and contacts make them; they are eliminated, but where they join a great many blocks: such rows
 * have multipliers r. Blocks of infinite mass have given velocities and are on the right.
 *
 * Air. Its pressure is zero: cells of air have no equation, and through faces that no fluid cell
 * has nothing is asked for. A face between fluid and air moves only the fluid up to the surface,
 * the part theta of a cell (000 section 6.3.4, figure 6.9): its mass is that of theta V, while D is
 * as elsewhere. Solids push on fluid cells alone. With viscosity the surface carries no stress, and
 * other faces have the mass of the liquid around them, those in the air beside it too
 * (solve/viscosity/viscosity.h).
 *
 * Without viscosity A is diagonal but for the structure: conjugate gradients on D A^-1 D^T, the
 * pressure equation with a term of low rank; MINRES where the structure is too light for that, or
 * its blocks are joined. With viscosity MINRES on the whole, one multigrid cycle for the
 * velocities, one for the pressure, and Schur complements for what a few motions do to both. */
#ifndef SOLVE_COUPLED_FLOW_H
#define SOLVE_COUPLED_FLOW_H

#include "solve/coupled/mass_block.h"
#include "solve/krylov/krylov_blocks.h"
#include "solve/pressure/poisson.h"
#include "solve/viscosity/viscosity.h"

/* The solids in a flow as numbers: velocities v in blocks, one after the other. */
typedef struct FlowStructure {
    size_t count; /* of velocities */
    const MassBlock *blocks;
    size_t block_count;
    const double *momentum; /* before the solve, with the impulses of forces over dt: B w* */
    double *velocity;       /* given, or the first guess and then found */
    double *impulse;        /* found: what the fluid gave in dt, N s and N m s */
    /* What the fluid at the surface moves at beyond the velocity there: a source (5.12); NULL: 0 */
    const double *through;
    const Csr *dampers;     /* C, by all velocities, sqrt(kg): -C^T C v over the step; NULL: none */
    const Csr *constraints; /* R v = target, by all velocities; NULL: none */
    const double *target;   /* NULL: 0 */
    /* Blocks that constraints join with more velocities than this altogether are not reduced to the
     * motions that are left: their rows have multipliers. 0: 720. */
    size_t largest_part;
    /* A constraint of which less than this part is new depends on those before it and is left out.
     * Points of contact that nearly say the same, with targets that do not quite agree, would
     * otherwise ask for any velocity. At least 1e-6. */
    double least_new;
} FlowStructure;

/* A face of which the structure closes some part: what its motion pushes through that, m^3/s along
 * the axis, is the same row of `flux_rows` times v. Or what it takes out of a cell elsewhere. */
enum { FLUX_OF_CELL = -1 };
typedef struct FlowFlux {
    int axis, at[3]; /* FLUX_OF_CELL: `at` is the cell */
    double area;     /* m^2 that it closes */
} FlowFlux;

/* A place on the surface of the structure, as the problem's own functions understand it. */
typedef struct FlowAnchor {
    size_t surface;
    Vec3 center;
} FlowAnchor;

typedef struct FlowProblem {
    const Grid *grid;
    double density, dt;
    const unsigned char *kind; /* CellKind of each cell */
    /* Level set at cells, m, negative in fluid; NULL: the pressure of air is at the centres of its
     * cells. */
    const double *phi;
    const double *open[3]; /* part of a face that fluid passes through, float values; NULL: 1 */
    const double *source;  /* m^3/s made in each cell; NULL: 0 */
    const FlowStructure *structure; /* NULL: none */
    const FlowFlux *fluxes;
    const Csr *flux_rows; /* m^2, m^3: a row a flux */
    /* With viscosity: the object, set up with the problem; its `open` is that above, as are with
     * air its `kind` and `phi`, and wall_velocity gives 0 for VISCOSITY_OBSTACLE: obstacles are
     * bodies here. NULL: none. */
    Viscosity *viscosity;
    const ViscosityProblem *viscous;
    /* J (002 section 5.4.3): where the surface nearest to x is, and the row of the velocity along
     * an axis that it has at x. */
    FlowAnchor (*surface_at)(const void *user, Vec3 x);
    void (*surface_row)(const void *user, const FlowAnchor *anchor, Vec3 x, int axis,
                        SparseRow *row);
    const void *user;
    double *guess[3];  /* m/s, with viscosity: the first guess of u; NULL: u* */
    double divergence; /* m^3/s, tolerance of a cell's net outflow, root mean square */
    double momentum;   /* tolerance of momenta in parts of those before the solve */
    double speed;      /* m/s: momenta of a cell's fluid at less than this count as none */
    int threads;
} FlowProblem;

enum { FLOW_MOMENTUM, FLOW_BODIES, FLOW_DIVERGENCE, FLOW_CONSTRAINTS, FLOW_BLOCK_COUNT };

typedef struct FlowResult {
    SolveReason reason;
    int iterations;
    double residual[FLOW_BLOCK_COUNT];  /* 2-norms: kg m/s, kg m/s, m^3/s, m/s */
    double tolerance[FLOW_BLOCK_COUNT]; /* that they were brought to */
    double energy_before, energy_after; /* J, kinetic */
    double divergence;                  /* 1/s, largest net outflow of a cell over its volume */
    double incompatible; /* m^3/s a cell: mean outflow of a closed region that nothing can remove */
    double left_over;    /* m^3/s that free bodies push into closed regions and do not take out:
                            spread over their surfaces there */
} FlowResult;

typedef struct CoupledFlow CoupledFlow;

/* `poisson` is set up and used by the solve; it and the viscosity must outlive the object. */
PlimStatus coupled_flow_create(PlimContext *context, const Grid *grid, Poisson *poisson,
                               CoupledFlow **out);
void coupled_flow_destroy(CoupledFlow *flow);
size_t coupled_flow_bytes(const CoupledFlow *flow);

/* `velocity` holds u* on entry, given velocities in given faces, and u on return; faces that bodies
 * cover are left alone, as are faces in air that no stress reaches. `pressure` (Pa) is the first
 * guess. The structure gets velocities, impulses and multipliers. Nothing of that changes when the
 * result is not SOLVE_CONVERGED. */
PlimStatus coupled_flow_solve(CoupledFlow *flow, const FlowProblem *problem, double *velocity[3],
                              double *pressure, FlowResult *result);

#endif
