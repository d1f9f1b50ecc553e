/* The coupled flow solve's data, shared by its files. */
#ifndef SOLVE_COUPLED_FLOW_INTERNAL_H
#define SOLVE_COUPLED_FLOW_INTERNAL_H

#include "base/array.h"
#include "solve/coupled/coupled_flow.h"
#include "solve/pressure/poisson_operator.h"
#include "solve/viscosity/viscosity_internal.h"
#include "solve/viscosity/viscosity_multigrid.h"

/* A row of the coupling between one unknown of the fluid (a velocity for friction, a cell's
 * pressure for fluxes) and one body. */
typedef struct FlowEntry {
    size_t at; /* in the vectors of the method at work */
    size_t body;
    double row[6];     /* by the body's velocity */
    double reduced[6]; /* by the motions of a free body */
} FlowEntry;

/* What is kept of a body beside the problem's own. */
typedef struct FlowPart {
    size_t first;      /* of its motions among all */
    double drag[6][6]; /* dt times friction by its own velocity, kg */
    double push[6];    /* dt times friction by given velocities of sides, N s */
} FlowPart;

struct CoupledFlow {
    PlimContext *context;
    Grid grid;
    Poisson *poisson;
    Scratch scratch;
    ViscosityMultigrid *cycle; /* made with the first viscous solve */

    const FlowProblem *problem; /* of the present solve */
    size_t motion_count;        /* of all free bodies */
    ARRAY(FlowPart) parts;
    ARRAY(FlowEntry) friction, fluxes;
    bool short_of_memory; /* while entries were gathered */

    /* Of the viscous solve. Vectors hold the lattices of velocity components
     * (viscosity_internal.h), one of the cells' l, and the motions of bodies. */
    float *weight[3]; /* open part of free faces, 0 of others; copies too */
    float *viscous;   /* of cells, kg/m^4: the viscous part of the pressure's approximate inverse */
    float *active;    /* 1 in cells with an equation */
    size_t lattice_count;
    double area;         /* m^2, of a face */
    double *mass;        /* of motions, with friction by the bodies' own velocity: K by K, kg */
    size_t column_count; /* motions treated exactly by the preconditioner: all or none */
    float *lift, *flux, *reply; /* Y = Z A_fb; H~ = H - D Y; Z_S H~; one column after the other */
    double cycle_high;          /* see FLOW_CYCLE_HIGH */
    double *once, *image;       /* work of the velocities' cycle */
    double *body_factor;        /* Cholesky factors: of the bodies' Schur complement in A */
    double *pressure_factor;    /* and of what they add to the pressure's */
};

/* The upper end of the eigenvalues that two cycles for the velocities are joined for. The result is
 * positive up to 0.6 more. Few problems have eigenvalues above that, and none above 8/3: twice what
 * leaving cross terms out and 4/3 what evening the axes out can do (viscosity_multigrid.h). So the
 * second is taken when the first turns out not to be positive. */
#define FLOW_CYCLE_HIGH 1.4
#define FLOW_CYCLE_SAFE 2.1

static inline size_t flow_velocity_size(const CoupledFlow *flow) {
    const Viscosity *v = flow->problem->viscosity;
    return (size_t)v->grid.dim * v->count;
}

static inline size_t flow_vector_size(const CoupledFlow *flow) {
    return flow_velocity_size(flow) + flow->problem->viscosity->count + flow->motion_count;
}

/* ---- coupled_flow_bodies.c ---- */

/* Numbers motions, clears what is gathered. */
PlimStatus flow_begin_bodies(CoupledFlow *flow);
/* Friction of bodies, over lattice vectors. */
PlimStatus flow_gather_friction(CoupledFlow *flow, double *velocity[3]);
/* Fluxes of bodies out of cells; `stride` and `origin` place cell (i, j, k) in vectors. */
PlimStatus flow_gather_fluxes(CoupledFlow *flow, const size_t stride[3], size_t origin);
/* The mass of motions, M = T^T B T, K by K; with `drag` dt times friction by the bodies' own
 * velocity added. */
void flow_motion_masses(const CoupledFlow *flow, bool drag, double *out);
/* T^T (momentum - push). */
void flow_motion_momenta(const CoupledFlow *flow, double *out);
/* y += sum of entries of free bodies times their motions; and the transpose, motions += ... */
void flow_from_motions(const CoupledFlow *flow, const FlowEntry *entries, size_t count,
                       const double *motions, double *y);
void flow_to_motions(const CoupledFlow *flow, const FlowEntry *entries, size_t count,
                     const double *x, double *motions);
/* y += factor times sum of entries times what is known of the fluid's velocity at the bodies'
 * surfaces. */
void flow_from_known(const CoupledFlow *flow, const FlowEntry *entries, size_t count, double factor,
                     double *y);
/* Velocities of bodies from motions; impulses from what the fluid does to each. */
void flow_set_velocities(const CoupledFlow *flow, const double *motions);
void flow_add_impulses(const CoupledFlow *flow, const FlowEntry *entries, size_t count,
                       double factor, const double *x);
void flow_add_own_friction(const CoupledFlow *flow);
double flow_body_energy(const FlowBody *body, bool before);

/* ---- coupled_flow_operator.c ---- */

void flow_set_weights(CoupledFlow *flow);
/* y = the whole matrix on x. */
LinearMap flow_kkt_map(const CoupledFlow *flow);
/* p = D u, of the fluid's faces alone. */
void flow_divergence(const CoupledFlow *flow, const double *u, double *p);

/* ---- coupled_flow_precondition.c ---- */

PlimStatus flow_precondition_setup(CoupledFlow *flow);
Preconditioner flow_preconditioner(CoupledFlow *flow);

/* ---- coupled_flow_viscous.c, coupled_flow_inviscid.c ---- */

PlimStatus flow_solve_viscous(CoupledFlow *flow, double *velocity[3], double *pressure,
                              FlowResult *result);
PlimStatus flow_solve_inviscid(CoupledFlow *flow, double *velocity[3], double *pressure,
                               FlowResult *result);
PoissonProblem flow_poisson_problem(const FlowProblem *problem);

#endif
