/* Forces of the fluid on colliders. */
#ifndef FLUID_BODY_FORCES_H
#define FLUID_BODY_FORCES_H

#include "fluid/internal.h"

/* Forces and torques of the fluid on every collider. Friction is added up while viscosity acts:
 * what it takes from the fluid then is what colliders get, to rounding. */
PlimStatus fluid_find_loads(Fluid *fluid, const StepInfo *step);
/* The hydrostatic correction of all colliders; 0 without a free surface. */
PlimStatus fluid_find_hydrostatic_corrections(Fluid *fluid, const StepInfo *step);
/* The part of its weight that the liquid at a cell rests on what is below with, 0 to 1, by the
 * pressure of the last step: in free fall none. */
double fluid_part_at_rest(const Fluid *fluid, const StepInfo *step, const int cell[3]);
/* Weight of a mass, N, along axes on which pressure carries weight. */
Vec3 fluid_weight_of(const Fluid *fluid, double mass);
/* From the origin of a collider to the centre of what it displaces, m: where that weight is
 * carried. 0 but for bodies whose centre of mass is elsewhere. */
Vec3 fluid_displaced_arm(const ImmersedCollider *collider);
void fluid_clear_friction(Fluid *fluid);
void fluid_add_friction(Fluid *fluid, double part);

#endif
