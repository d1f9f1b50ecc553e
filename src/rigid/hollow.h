/* Hollow bodies: a wall of even thickness inside the surface of a primitive. What is farther from
 * the surface is the cavity, a primitive of the same kind. */
#ifndef RIGID_HOLLOW_H
#define RIGID_HOLLOW_H

#include "rigid/shape.h"

typedef struct HollowCavity {
    PlimShapeDesc shape;
    Vec3 offset; /* m, of its own origin in the axes of the shape around it */
} HollowCavity;

/* False: the shape is a mesh or a half space, or the wall leaves no cavity. */
bool hollow_cavity(const PlimShapeDesc *shape, double wall, HollowCavity *out);
/* Volume, centre and inertia of the wall: those of the whole shape less the cavity's. */
MassProperties hollow_mass(const MassProperties *whole, const HollowCavity *cavity);
/* The centre of a hollow shape in its own axes; `center` is that of the solid, and what is returned
 * where there is no cavity. */
Vec3 hollow_center(const PlimShapeDesc *shape, double wall, Vec3 center);

#endif
