/* The pressure projection (000 equation 4.5). */
#ifndef FLUID_PROJECT_H
#define FLUID_PROJECT_H

#include "fluid/fluid.h"

PlimStatus fluid_project(Fluid *fluid, const StepInfo *step);
/* Fails when what flows in and out at the start does not balance. */
PlimStatus fluid_check_start(Fluid *fluid, const StepInfo *step);
/* Finds what the pressure would be without viscosity; bodies that are free stand still. Velocities
 * stay. */
PlimStatus fluid_estimate_pressure(Fluid *fluid, const StepInfo *step);
/* Velocities and pressure, in the order of their groups, to scratch memory and back: for solves
 * that are thrown away. */
enum { FLUID_FLOW_COUNT = FLUID_GROUP_FACES_Z + 1 };
PlimStatus fluid_keep_flow(const Fluid *fluid, Scratch *scratch, double *kept[FLUID_FLOW_COUNT]);
void fluid_restore_flow(Fluid *fluid, double *const kept[FLUID_FLOW_COUNT]);
/* The level set on whose zero the pressure is that of air; NULL: it is so at the centres of air. */
const double *fluid_surface_of_pressure(const Fluid *fluid);
/* The part of a face's fluid that is liquid, as the pressure sees it. */
double fluid_face_part(const Fluid *fluid, int axis, const int at[3]);
/* The part of the pressure at x that carries the fluid's weight, Pa. */
double fluid_weight_pressure(const Fluid *fluid, Vec3 x);

#endif
