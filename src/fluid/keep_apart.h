/* Contacts of bodies with one another and with walls in the coupled solve. */
#ifndef FLUID_KEEP_APART_H
#define FLUID_KEEP_APART_H

#include "fluid/internal.h"

void fluid_keep_apart(Fluid *fluid, const StepInfo *step, SolidWhen when);
/* Directions in which a body with this momentum cannot go, up to three unit vectors against them;
 * how many. */
int fluid_blocked(const Fluid *fluid, size_t collider, Vec3 momentum, Vec3 normals[3]);
void fluid_warn_of_overlaps(Fluid *fluid);

#endif
