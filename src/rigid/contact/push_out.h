/* Push-out: how one body moves out of all others that it overlaps, at once (002 section 4.6.1,
 * appendix B). Pure functions of one body. */
#ifndef RIGID_PUSH_OUT_H
#define RIGID_PUSH_OUT_H

#include "math/mat.h"

#include <stdbool.h>
#include <stddef.h>

/* A body that overlaps the central one. */
typedef struct Outer {
    Vec3 arm;      /* m, r_o: from the centre of mass of the central body to the deepest point */
    Vec3 wanted;   /* m, d_o: how the central body should move there, seen from the outer one */
    Mat3 response; /* K_o, 1/kg; of a static body that of the finite one whose limit it is */
    bool is_static;
    Vec3 impulse; /* kg m, on the outer body: out */
} Outer;

typedef struct Central {
    double mass;  /* kg */
    Mat3 inertia; /* kg m^2, world axes */
} Central;

typedef struct Shift {
    Vec3 move, turn; /* m, rad */
} Shift;

/* The motion of the central body, and the impulses on the outer ones. */
Shift push_out_central(const Central *central, Outer *outers, size_t count);

#endif
