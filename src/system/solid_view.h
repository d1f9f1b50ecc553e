/* What a system of solids shows to others: named bodies as colliders, where they are now, and to
 * those that solve for their velocities, what it takes to move them. */
#ifndef SYSTEM_SOLID_VIEW_H
#define SYSTEM_SOLID_VIEW_H

#include "geom/collider.h"
#include "math/mat.h"

/* The two velocities of a step (002 section 5.4): v^{n+1/2} at x^n, that positions move with, and
 * v^{n+1} at x^{n+1}. */
typedef enum SolidWhen { SOLID_HALF_STEP, SOLID_WHOLE_STEP } SolidWhen;

/* A body that forces move. Velocities are those before the solve: v*, gravity included. */
typedef struct SolidMotion {
    double mass;   /* kg */
    double volume; /* m^3, what it displaces; in two dimensions 1 m deep */
    Mat3 inertia;  /* kg m^2, world axes, about the centre of mass */
    Vec3 velocity, angular_velocity;
    /* Motions it is held from, in the world: a point of the world that a point of the body stays
     * at, and turning. */
    bool pinned, turn_locked;
    Vec3 pin;
} SolidMotion;

typedef struct SolidView {
    void *system;
    size_t (*count)(const void *system);
    const char *(*name)(const void *system, size_t body);
    bool (*moves)(const void *system, size_t body); /* false: it never will */
    /* Place and velocity of the body at the present time; its own origin is its centre of mass.
     * `solid` is left alone. */
    void (*read)(const void *system, size_t body, Collider *collider);
    /* Whether forces move it; the two functions below are for such bodies alone. */
    bool (*is_free)(const void *system, size_t body);
    void (*read_motion)(const void *system, size_t body, SolidWhen when, SolidMotion *motion);
    /* Takes over the velocities that a solve found. */
    void (*accept)(void *system, size_t body, SolidWhen when, Vec3 velocity, Vec3 angular_velocity);
} SolidView;

#endif
