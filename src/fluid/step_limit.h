/* How long a step of the fluid may be. */
#ifndef FLUID_STEP_LIMIT_H
#define FLUID_STEP_LIMIT_H

#include "system/system.h"

double fluid_max_dt(const void *system, const StepInfo *step); /* s */

#endif
