/* Pins and rotation locks: bodies held at a point, kept from turning, or both. Pure functions of
 * one body. / */
#ifndef RIGID_PIN_H
#define RIGID_PIN_H

#include "math/mat.h"

#include <stdbool.h>
#include <stdint.h>

/* Bits of what a body is held from. */
enum { RIGID_PINNED = 1, RIGID_TURN_LOCKED = 2 };

/* A body about its centre, in world axes. */
typedef struct PinnedBody {
    int32_t held;
    double mass;  /* kg */
    Mat3 inertia; /* kg m^2 */
    Vec3 arm;     /* m, from the centre to the pin */
} PinnedBody;

/* The nearest motion that is allowed, nearest by kinetic energy: what an impulse at the pin and a
 * couple make of it. Velocity in m/s, angular momentum about the centre in kg m^2/s. */
void pin_motion(const PinnedBody *body, Vec3 *velocity, Vec3 *angular_momentum);

/* Inertia about the pin. */
Mat3 pin_inertia(double mass, Mat3 inertia, Vec3 arm);

/* Angular momentum about the pin. */
Vec3 pin_momentum_about(const PinnedBody *body, Vec3 velocity, Vec3 angular_momentum);

/* The motion about the pin with this angular momentum about it. */
void pin_motion_about(const PinnedBody *body, Vec3 pin_momentum, Vec3 *velocity,
                      Vec3 *angular_momentum);

#endif
