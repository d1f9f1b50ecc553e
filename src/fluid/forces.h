/* Body forces: gravity, buoyancy, vorticity confinement, given ones (000 section 4.4.3). */
#ifndef FLUID_FORCES_H
#define FLUID_FORCES_H

#include "fluid/internal.h"

/* Adds dt times all forces to the velocities on faces, or on nodes. */
PlimStatus fluid_push_faces(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_push_nodes(Fluid *fluid, const StepInfo *step);
/* Upward acceleration by smoke and heat at a value of theirs (000 section 4.4.3). */
static inline double fluid_buoyancy(const Fluid *fluid, size_t at) {
    return fluid->desc.smoke.buoyancy * (fluid->temperature[at] - fluid->desc.smoke.ambient) -
           fluid->desc.smoke.weight * fluid->smoke[at];
}
double fluid_greatest_acceleration(const Fluid *fluid, const StepInfo *step);

#endif
