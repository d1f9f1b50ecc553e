/* Pinned and locked bodies: parallel axis theorem, momentum about a pin. */
#include "rigid/pin.h"

Mat3 pin_inertia(double mass, Mat3 inertia, Vec3 arm) {
    double square = vec3_dot(arm, arm);
    Mat3 shift =
        mat3_add(mat3_diagonal(square, square, square), mat3_scale(-1.0, mat3_outer(arm, arm)));
    return mat3_add(inertia, mat3_scale(mass, shift));
}

Vec3 pin_momentum_about(const PinnedBody *body, Vec3 velocity, Vec3 angular_momentum) {
    return vec3_add_scaled(angular_momentum, -body->mass, vec3_cross(body->arm, velocity));
}

void pin_motion_about(const PinnedBody *body, Vec3 pin_momentum, Vec3 *velocity,
                      Vec3 *angular_momentum) {
    Mat3 inertia = pin_inertia(body->mass, body->inertia, body->arm);
    Vec3 omega = mat3_apply(mat3_inverse(inertia), pin_momentum);
    *velocity = vec3_cross(body->arm, omega); /* v + omega x arm = 0 */
    *angular_momentum = mat3_apply(body->inertia, omega);
}

void pin_motion(const PinnedBody *body, Vec3 *velocity, Vec3 *angular_momentum) {
    if (body->held & RIGID_TURN_LOCKED) {
        *angular_momentum = vec3(0, 0, 0);
        if (body->held & RIGID_PINNED) *velocity = vec3(0, 0, 0);
    } else if (body->held & RIGID_PINNED) {
        /* An impulse at the pin has no moment about it. */
        Vec3 about_pin = pin_momentum_about(body, *velocity, *angular_momentum);
        pin_motion_about(body, about_pin, velocity, angular_momentum);
    }
}
