/* Sources, cooling and fading of smoke. */
#ifndef FLUID_SMOKE_H
#define FLUID_SMOKE_H

#include "fluid/internal.h"

/* What sources set, cooling, fading; `velocity` too. */
PlimStatus fluid_feed(Fluid *fluid, const StepInfo *step);

#endif
