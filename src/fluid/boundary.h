/* What sides and colliders impose on the fluid. */
#ifndef FLUID_BOUNDARY_H
#define FLUID_BOUNDARY_H

#include "fluid/internal.h"

/* Gives faces on walls, inflows and inside colliders the velocity they must have at time t. */
PlimStatus fluid_set_sides(Fluid *fluid, double t); /* without colliders */
PlimStatus fluid_set_given(Fluid *fluid, const StepInfo *step, double t);
/* Loads `faces`: the velocity, with halo, going on into colliders. */
PlimStatus fluid_load_faces(Fluid *fluid, const StepInfo *step);
/* The halos of a velocity component on faces, and of smoke (0) or temperature (1), by what the
 * sides are at `wall_time`. */
void fluid_fill_velocity(const Fluid *fluid, int component, GridField *field, int threads);
void fluid_fill_scalar(const Fluid *fluid, int which, GridField *field, int threads);
/* The halo of a level set: straight on, so that a slanting surface meets a wall as it is; where air
 * or liquid comes in through an open side, or a wall is let go of, what is there. */
void fluid_fill_surface(const Fluid *fluid, GridField *field, int threads);
/* The same, and what inflows bring. */
void fluid_fill_level(const Fluid *fluid, GridField *field, int threads);
/* Of what comes in through a side beside a cell of a Fluid, the part that is liquid. */
double fluid_liquid_beyond(const void *fluid, int axis, int end, const int cell[3]);
/* Values on open sides that were carried in from outside; fields of one shape on the side's faces
 * or on nodes. */
void fluid_slow_incoming(const Fluid *fluid, const StepInfo *step, int axis,
                         const GridField *across, GridField *field);
/* The same for smoke (0) or temperature (1) on nodes. */
void fluid_let_in(const Fluid *fluid, const StepInfo *step, int which, const GridField across[3],
                  GridField *nodes);
/* The velocity of a wall, for Viscosity. */
double fluid_wall_velocity(const void *fluid, int wall, int component, Vec3 x);
/* Fails when more flows into a closed region than out of it. */
PlimStatus fluid_check_balance(Fluid *fluid, PlimStatus failure, double time, double incompatible);

#endif
