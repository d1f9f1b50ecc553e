/* Volume that is made within the fluid: by sources, volume control, and colliders that move. */
#ifndef FLUID_SOURCES_H
#define FLUID_SOURCES_H

#include "fluid/fluid.h"

typedef struct FluidSources {
    ARRAY(FluidSource) list;
    bool expands;          /* sources or volume control make fluid within itself */
    bool expands_anywhere; /* and not only sources with a rate */
    double *rate;          /* of cells: volume made in it, m^3/s; NULL: none ever */
    int32_t *owner; /* of cells of liquid: one more than the number of the source with a rate that
                       it lies in, 0: none; NULL: no source has a rate */
} FluidSources;

/* Finds the bodies that sources follow; reads where they are now (source_follow.c). */
PlimStatus fluid_bind_sources(Fluid *fluid, const FluidDesc *desc);
void fluid_place_sources(Fluid *fluid);
/* A box around a source, where it is; images across periodic sides left out. */
Box3 fluid_source_bounds(const FluidSource *source);
/* A function of a source, and the velocity that it sets, at x in the world. */
double fluid_source_value(const Fluid *fluid, const FluidSource *source,
                          const FieldFunction *function, Vec3 x, double t);
double fluid_source_velocity(const Fluid *fluid, const FluidSource *source, int axis, Vec3 x,
                             double t);
/* From x to a source or the nearest of its images, negative inside; whether x is in one. */
double fluid_source_distance(const Fluid *fluid, const FluidSource *source, Vec3 x);
bool fluid_in_source(const Fluid *fluid, const FluidSource *source, Vec3 x);
/* Whether a source is at work at t: what neither fills nor drains always is. */
bool fluid_source_runs(const FluidSource *source, double t);
/* What a source with a rate pours at t, m^3/s; adds what does not fit into their shapes to the
 * volume made in cells (source_rate.c). */
double fluid_source_rate(const FluidSource *source, double t);
/* What moves in a source with a rate and no velocity of its own, m/s. */
double fluid_rate_velocity(const Fluid *fluid, const FluidSource *source, int axis, double t);
void fluid_spread_rates(Fluid *fluid, int threads);
/* Whether it sets velocities at t. */
bool fluid_source_blows(const FluidSource *source, double t);
/* What colliders push through the closed part of a face, m^3/s along the axis. */
double fluid_pushed(const Fluid *fluid, int axis, int i, int j, int k);
/* Volume made in cells: by sources and, if asked for, by the motion of colliders. */
PlimStatus fluid_find_sources(Fluid *fluid, const StepInfo *step, bool with_colliders);

#endif
