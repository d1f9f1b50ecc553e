/* What a fluid flows around, and what it does to it. */
#ifndef FLUID_COLLIDERS_H
#define FLUID_COLLIDERS_H

#include "fluid/fluid.h"

/* What the fluid exerts on a collider, about its own origin. */
typedef struct FluidLoad {
    Vec3 force, torque;             /* N and N m */
    Vec3 friction, friction_torque; /* the part of viscosity in them; of all but weight when they
                                       come from the coupled solve */
    double displaced;               /* kg of fluid in the place of a body that is solved for */
    double area;                    /* m^2, of the surface in the fluid */
    Vec3 weight; /* N, the part of the force that carries the weight of what it displaces */
    /* N and N m: what a liquid's weight between the middles of cells and its surface adds. */
    Vec3 hydrostatic, hydrostatic_torque;
    /* N s and N m s: momentum of the fluid that it covered in this step, less that of what it
     * uncovered, where advection is conservative. */
    Vec3 covered, covered_torque;
} FluidLoad;

/* The obstacles first, then the bodies; those that are carried along apart. */
PlimStatus fluid_add_colliders(Fluid *fluid, const FluidDesc *desc);
/* Reads the bodies' places (immersed_read). Nothing acts on those that are in another room. */
bool fluid_read_places(Fluid *fluid, double dt);
/* Where they are now is where they were, and their velocities are their own: what holds between
 * steps does not depend on how long the last one was. */
void fluid_keep_places(Fluid *fluid);
/* Velocity along an axis at the surface of the collider nearest to x; there must be one. */
double fluid_wall_speed(const Fluid *fluid, Vec3 x, int axis);

#endif
