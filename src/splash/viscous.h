/* Viscosity of a splashing liquid. */
#ifndef SPLASH_VISCOUS_H
#define SPLASH_VISCOUS_H

#include "splash/internal.h"

/* Velocities of faces after viscosity; nothing where there is none. */
PlimStatus splash_diffuse(Splash *splash, const StepInfo *step);
/* Part of FLIP in the velocities of particles. */
double splash_flip_part(const Splash *splash, double dt);

#endif
