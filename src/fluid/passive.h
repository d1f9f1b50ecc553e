/* Bodies that the fluid carries along and that do not act on it. */
#ifndef FLUID_PASSIVE_H
#define FLUID_PASSIVE_H

#include "fluid/internal.h"

void fluid_advect_passive(Fluid *fluid, SolidWhen when);

#endif
