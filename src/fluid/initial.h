/* What the fluid is like at t = 0. */
#ifndef FLUID_INITIAL_H
#define FLUID_INITIAL_H

#include "fluid/internal.h"

PlimStatus fluid_start(Fluid *fluid, const FluidDesc *desc);
/* Values of a function at time t; fails where it has none, naming `what`. */
PlimStatus fluid_fill_by_function(const Fluid *fluid, GridPlace place,
                                  const FieldFunction *function, double t, double *values,
                                  const char *what);

#endif
