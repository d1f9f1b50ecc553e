/* A force on a body as it is kept from step to step (forces.h). */
#ifndef RIGID_FORCE_LIST_H
#define RIGID_FORCE_LIST_H

#include "math/vec.h"
#include "plimsoll/rigid.h"

#include <stdbool.h>

typedef struct RigidForce {
    size_t body;
    PlimForce constant;
    PlimForceFn path; /* NULL: constant */
    void *user;
    bool body_axes;
    Vec3 arm;     /* m, from the centre of mass to where it acts, body axes */
    Vec3 rest[2]; /* N, N m, in its own axes: the part of this step that is not in the half step */
} RigidForce;

#endif
