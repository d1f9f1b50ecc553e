/* Mass, centre and inertia of a body. */
#ifndef RIGID_MASS_H
#define RIGID_MASS_H

#include "rigid/bodies.h"

typedef struct BodyMass {
    double mass, volume;   /* kg; m^3, displaced */
    Vec3 center;           /* m, of mass, in the shape's own axes */
    Vec3 mesh_offset;      /* m, from the centre of mass to that of the triangles */
    Vec3 displaced;        /* m, from the centre of mass to that of the volume it displaces */
    Mat3 inertia, inverse; /* kg m^2 about the centre, body axes */
} BodyMass;

/* As given, or those of the true shape at the body's density. In a plane a body that forces move is
 * its cut with z = 0 as it lies in `pose`, 1 m deep; `pose` is then put to the centre of the cut.
 */
PlimStatus rigid_find_mass(RigidBodies *bodies, const PlimRigidDesc *desc, size_t shape,
                           PlimPose *pose, BodyMass *out);

#endif
