/* Viscosity, pressure and bodies in one solve (002 section 5.8). */
#ifndef FLUID_COUPLED_H
#define FLUID_COUPLED_H

#include "fluid/fluid.h"

#include "solve/coupled/flow_bodies.h"

/* A face that moves with a collider, though part of it is open. */
typedef struct FluidTie {
    int axis;
    size_t face, collider;
    Vec3 arm;    /* from the collider's centre to the face's */
    double part; /* that is open */
} FluidTie;

typedef struct FluidCoupled {
    CoupledFlow *solver;    /* NULL: viscosity and pressure are solved for one after the other */
    ARRAY(FlowBody) bodies; /* the colliders, in the same order */
    ARRAY(FlowBodyFlux) fluxes;
    FlowBodies structure; /* the same to the solver */
    ARRAY(FluidTie) ties;
    FlowResult result; /* the last solve */
} FluidCoupled;

/* Whether the collider's motion is unknown in the coupled solve. */
bool fluid_solves_for(const Fluid *fluid, size_t collider);
/* Finds the faces that colliders close, where they are now. */
PlimStatus fluid_gather_faces(Fluid *fluid);
PlimStatus fluid_solve_start(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_solve_half(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_solve_whole(Fluid *fluid, const StepInfo *step);

#endif
