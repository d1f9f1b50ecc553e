/* What a fluid flows around: obstacles and bodies, where they are, their images across periodic
 * sides, and which of them is nearest to a point. */
#ifndef FLUID_COLLIDERS_H
#define FLUID_COLLIDERS_H

#include "fluid/fluid.h"
#include "grid/periodic.h"

/* Something the fluid flows around, where it is at the end of the present step. */
typedef struct FluidCollider {
    Collider now;       /* velocities: those that move it from where it was in one step */
    Vec3 through;       /* m/s, own axes: what the fluid at its surface moves at beyond it */
    SurfaceRef ref;     /* without class: the obstacles at rest */
    size_t number;      /* among all that may come */
    bool is_elsewhere;  /* its centre is in another domain: nothing here carries its weight */
    Vec3 true_position; /* of a body; `now` has it moved by whole periods into the domain */
    Vec3 before_position;
    Quat before_orientation;
    Vec3 force, torque; /* N and N m about its own origin, that the fluid exerts on it */
    Vec3 friction, friction_torque; /* the part of viscosity in them; of all but weight when they
                                       come from the coupled solve */
    double displaced;               /* kg of fluid in the place of a body that is solved for */
    double area;                    /* m^2, of the surface in the fluid */
    Vec3 weight; /* N, the part of the force that carries the weight of what it displaces */
    /* N and N m: what a liquid's weight between the middles of cells and its surface adds. */
    Vec3 hydrostatic, hydrostatic_torque;
} FluidCollider;

static inline bool fluid_is_obstacle(const FluidCollider *collider) {
    return !collider->ref.class;
}

/* Colliders by bins over the grid (nearest.c). */
typedef struct FluidBinEntry {
    int32_t collider, image;
} FluidBinEntry;

typedef struct FluidBins {
    bool is_filled; /* else there are few colliders, or no memory for bins */
    int n[3];
    ARRAY(size_t) start; /* one a bin and one more */
    ARRAY(FluidBinEntry) entries;
} FluidBins;

typedef struct FluidColliders {
    ARRAY(FluidCollider) list;
    /* Of several domains: all bodies, whether they are in this one's room, and as they were when
     * they left it. */
    ARRAY(struct FluidVisitor {
        FluidCollider collider;
        bool is_here;
    })
    visitors;
    FluidBins bins;                 /* of the colliders where they are now */
    ARRAY(ImmersedSurface) passive; /* bodies that are carried along */
    bool some_move;                 /* or may */
} FluidColliders;

/* Reads the bodies' places. With dt > 0 their velocities are those that brought them here from
 * where they were; else their own. Returns whether any collider moved, came or left. */
bool fluid_read_places(Fluid *fluid, double dt);
/* The collider of this number, whether it is in the room or not. */
const FluidCollider *fluid_collider(const Fluid *fluid, size_t number);
/* Where they are now is where they were, and their velocities are their own: what holds between
 * steps does not depend on how long the last one was. */
void fluid_keep_places(Fluid *fluid);
/* Sorts the colliders into bins; where memory is out they are all looked at. */
void fluid_fill_bins(Fluid *fluid);
/* The collider nearest to x; NULL: there is none. `beside` is x moved by whole periods to where it
 * is near the collider itself, not an image of it. */
FluidCollider *fluid_nearest(const Fluid *fluid, Vec3 x, Vec3 *beside);
/* The collider's `through` in the world's axes. */
static inline Vec3 fluid_through(const FluidCollider *collider) {
    return quat_rotate(collider->now.orientation, collider->through);
}
/* Velocity along an axis at the surface of the collider nearest to x; there must be one. */
double fluid_wall_speed(const Fluid *fluid, Vec3 x, int axis);

#endif
