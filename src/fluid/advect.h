/* Advection of velocities, smoke and temperature, on faces and on nodes (000 section 4.4.1). */
#ifndef FLUID_ADVECT_H
#define FLUID_ADVECT_H

#include "fluid/fluid.h"
#include "grid/face_volumes.h"

/* Momentum under way in conservative advection, from the carrying to the fitting: in scratch memory
 * from `mark` on. */
typedef struct FluidMomentum {
    FaceVolumes volumes[3];
    unsigned char *is_near[3]; /* volumes beside colliders */
    size_t mark;
} FluidMomentum;

typedef struct FluidAdvect {
    GridField faces[3];                  /* velocity with halo: what carries */
    GridField carried[3];                /* velocity that is carried, and forces on cells */
    GridField nodes[3], nodes_before[3]; /* of node storage */
    GridField scalars[2];                /* smoke and temperature with halo */
    FluidMomentum momentum;              /* of conservative advection */
} FluidAdvect;

PlimStatus fluid_advect(Fluid *fluid, const StepInfo *step);
/* Adds what half a step at the last acceleration gains to `faces`. */
void fluid_add_half_gain(Fluid *fluid, const StepInfo *step, int axis);
/* At the end of a step: what it did to the velocities beside carrying them. */
void fluid_keep_acceleration(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_advect_on_nodes(Fluid *fluid, const StepInfo *step);
/* Conservative advection: carries momentum where colliders are; and, after they have moved and cut
 * the grid anew, makes velocities of it. */
PlimStatus fluid_carry_momentum(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_fit_momentum(Fluid *fluid, const StepInfo *step);
Advection fluid_advection(const Fluid *fluid, const StepInfo *step);
/* Whether there is fluid at a value of smoke: in a cell, or at a node outside of colliders. */
bool fluid_is_at(const Fluid *fluid, size_t value);
/* Loads smoke and temperature with halo, going on into colliders; and back. */
PlimStatus fluid_load_scalars(Fluid *fluid, const StepInfo *step);
void fluid_store_scalars(Fluid *fluid, const StepInfo *step);

#endif
