/* The fluid in a coupled solve with solids (002 section 5.8): what couple/ is given and gives back.
 */
#ifndef FLUID_COUPLED_H
#define FLUID_COUPLED_H

#include "fluid/fluid.h"
#include "fluid/project.h"
#include "fluid/shared_cells.h"

typedef struct FluidCoupled {
    CoupledFlow *solver; /* NULL: viscosity and pressure are solved for one after the other */
    ARRAY(FlowSurface) surfaces; /* the colliders, in the same order */
    ARRAY(FlowFace) faces;       /* that colliders close */
    ARRAY(SharedCell) shared;    /* of liquids, ascending */
    ViscosityProblem viscous;    /* of the solve at hand */
    FlowResult result;           /* the last solve */
    int half_iterations;         /* of this step's solves for positions, all turns */
    int impact_iterations;       /* of those that tell the fluid of bounces */
    /* While the half step is solved for: what the flow was, in scratch memory from `mark` on. */
    double *kept[FLUID_FLOW_COUNT];
    size_t mark;
} FluidCoupled;

extern const FlowClass fluid_flow;

/* Whether the collider's motion is unknown in the coupled solve; whether some is. */
bool fluid_solves_for(const Fluid *fluid, size_t collider);
bool fluid_solves_for_bodies(const Fluid *fluid);
/* The part of a face's mass that moves with the collider which covers it. */
double fluid_tied_part(const Fluid *fluid, int axis, const int at[3]);
/* Finds the faces that colliders close, where they are now. */
PlimStatus fluid_gather_faces(Fluid *fluid, const StepInfo *step);
/* The body of this number that the fluid carries along; false: there are no more. */
bool fluid_carry(const void *system, size_t number, FlowCarried *out);

#endif
