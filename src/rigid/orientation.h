/* Orientation update of a free rigid body through one step (002 section 2.2). Pure functions of one
 * body. */
#ifndef RIGID_ORIENTATION_H
#define RIGID_ORIENTATION_H

#include "math/quat.h"

#include <stdbool.h>

/* What is fixed in a body: its inertia about the centre of mass, in body axes. */
typedef struct BodyInertia {
    Mat3 inverse;       /* I0^-1, 1 / (kg m^2) */
    Vec3 least_axis;    /* unit, of the smallest principal inertia */
    Vec3 greatest_axis; /* unit, of the largest principal inertia */
} BodyInertia;

/* omega = I^-1 L in world axes. */
Vec3 orientation_angular_velocity(const BodyInertia *inertia, Quat orientation,
                                  Vec3 angular_momentum);

/* L^T I^-1 L / 2 */
double orientation_energy(const BodyInertia *inertia, Quat orientation, Vec3 angular_momentum);

/* R^{n+1} = e^{u*} R^n with the series for u of the given order (1, 2 or 3) in dt; 002
 * section 4.4.1 and appendix A. Angular momentum is constant during the step. */
Quat orientation_advance(const BodyInertia *inertia, Quat orientation, Vec3 angular_momentum,
                         double dt, int order);

/* The nearby orientation whose kinetic energy is `energy`, at unchanged angular momentum; 002
 * sections 2.2.2 to 2.2.4. Exact to rounding whenever the energy can be reached. */
Quat orientation_with_energy(const BodyInertia *inertia, Quat orientation, Vec3 angular_momentum,
                             double energy);

#endif
