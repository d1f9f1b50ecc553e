/* Velocities of a liquid half a step ahead of its surface. */
#ifndef FLUID_LEAPFROG_H
#define FLUID_LEAPFROG_H

#include "fluid/fluid.h"

/* Before anything moves: brings the velocities to the middle of the step. */
PlimStatus fluid_bring_to_middle(Fluid *fluid, const StepInfo *step);
/* The velocities that carry, before they change; and, at the end of the step, how fast they
 * changed. */
void fluid_note_velocity(Fluid *fluid, const StepInfo *step);
void fluid_keep_change(Fluid *fluid, const StepInfo *step);

#endif
