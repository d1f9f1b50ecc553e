/* Figures of the whole fluid, and its columns of stats.csv. */
#ifndef FLUID_MEASURE_H
#define FLUID_MEASURE_H

#include "fluid/internal.h"

/* m/s, of a component; of those that carry */
double fluid_greatest_velocity(const Fluid *fluid);
double fluid_kinetic_energy(const Fluid *fluid);      /* J */
Vec3 fluid_momentum(const Fluid *fluid);              /* kg m/s */
double fluid_dissipation(const Fluid *fluid);         /* W, by viscosity */
double fluid_gravity_power(const Fluid *fluid);       /* W, of gravity on the fluid */
double fluid_greatest_divergence(const Fluid *fluid); /* 1/s */
double fluid_enstrophy(const Fluid *fluid);   /* m^3/s^2: half the vorticity squared, over volume */
double fluid_total_smoke(const Fluid *fluid); /* m^3 of smoke 1 */
PlimStatus fluid_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics);

#endif
