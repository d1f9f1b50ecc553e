/* The fluid's data: the flow itself, and its parts with a header each. */
#ifndef FLUID_INTERNAL_H
#define FLUID_INTERNAL_H

#include "fluid/fluid.h"

#include "base/parallel.h"
#include "fluid/advect.h"
#include "fluid/colliders.h"
#include "fluid/coupled.h"
#include "fluid/cut.h"
#include "fluid/liquid.h"
#include "fluid/probes.h"
#include "fluid/sources.h"
#include "fluid/viscous.h"
#include "grid/rows.h"

/* Arrays of the state are listed, with units, in the schema of fluid.c. All others follow from the
 * state and the places of the bodies, or hold values within a step. */
struct Fluid {
    PlimContext *context;
    Grid grid;
    FluidDesc desc;                     /* without what it borrowed during creation */
    StateSize sizes[FLUID_GROUP_COUNT]; /* no faces across z in two dimensions */

    double *velocity_x, *velocity_y, *velocity_z;
    double *pressure; /* without the part that carries the fluid's weight */
    double *smoke, *temperature;
    /* What pressure, viscosity and forces did to a velocity in the last step, m/s^2; within a step
     * the velocity before they do. Only with second order in time. Of a liquid: how fast the
     * velocity of a face changed in the last step, within a step what it was before. */
    double *acceleration_x, *acceleration_y, *acceleration_z;

    FluidLiquidState liquid;
    Immersed colliders;             /* what it flows around */
    ARRAY(FluidLoad) loads;         /* on them, by their numbers */
    ARRAY(ImmersedSurface) passive; /* bodies that are carried along */
    FluidSources sources;
    FluidCut cut;
    FluidAdvect advect;
    FluidViscous viscous;
    FluidCoupled coupled;
    Poisson *poisson;
    ProjectResult projected; /* the last pressure solve */
    FluidObjects objects;
    double wall_time; /* s, for which functions of sides are read */
    Vec3 gravity;     /* of the world */
};

/* What work on the faces across one axis is given. */
typedef struct FluidAxis {
    Fluid *fluid;
    int axis;
} FluidAxis;

static inline bool fluid_has_surface(const Fluid *fluid) {
    return fluid->desc.liquid.is_there;
}

/* Whether a pressure that is left out carries the fluid's weight along an axis (project.c). */
static inline bool fluid_carries_weight(const Fluid *fluid, int axis) {
    return axis < fluid->grid.dim && !grid_is_periodic(&fluid->grid, axis) &&
           !fluid_has_surface(fluid);
}

static inline double *fluid_velocity(const Fluid *fluid, int axis) {
    return axis == 0 ? fluid->velocity_x : axis == 1 ? fluid->velocity_y : fluid->velocity_z;
}

static inline double *fluid_acceleration(const Fluid *fluid, int axis) {
    return axis == 0   ? fluid->acceleration_x
           : axis == 1 ? fluid->acceleration_y
                       : fluid->acceleration_z;
}

static inline bool fluid_is_second_order(const Fluid *fluid) {
    return fluid->acceleration_x != NULL && !fluid_has_surface(fluid);
}

/* Whether velocities are half a step ahead of the surface (leapfrog.c). */
static inline bool fluid_leads(const Fluid *fluid) {
    return fluid->liquid.lead != NULL;
}

static inline bool fluid_is_viscous(const Fluid *fluid) {
    return fluid->desc.viscosity > 0 || fluid->viscous.of_cell;
}

static inline bool fluid_conserves(const Fluid *fluid) {
    return fluid->desc.carries_velocity && fluid->desc.conserves_momentum;
}

static inline GridPlace fluid_smoke_place(const Fluid *fluid) {
    return fluid->desc.storage == FLUID_ON_NODES ? PLACE_NODES : PLACE_CELLS;
}

/* Up, against gravity; y without any. */
static inline Vec3 fluid_up(Vec3 gravity) {
    double strength = vec3_length(gravity);
    return strength > 0 ? vec3_scale(-1 / strength, gravity) : vec3(0, 1, 0);
}

/* Whether what a collider pushes through part of a face counts at the middle of the face. In the
 * coupled solve fluid that is held fast moves with the body beside it, and its velocity counts at
 * the middle; both together must pass what a rigid motion passes, else turning as one would
 * compress cells and angular momentum not be kept. */
static inline bool fluid_moves_as_one(const Fluid *fluid) {
    return fluid->coupled.solver && fluid->viscous.solver && fluid->desc.slip < fluid->grid.spacing;
}

static inline FluidLoad *fluid_load(const Fluid *fluid, const ImmersedCollider *collider) {
    return &fluid->loads.data[collider->number];
}

PlimStatus fluid_resize(Fluid *fluid, int group, size_t count); /* of the state */

#endif
