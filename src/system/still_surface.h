/* Still surfaces: half spaces that bodies meet and nothing moves, as the walls of a domain (000
 * section 2.4: a distance that is known everywhere). */
#ifndef SYSTEM_STILL_SURFACE_H
#define SYSTEM_STILL_SURFACE_H

#include "geom/query/room.h"
#include "grid/field_function.h"

/* What bodies meet at it. */
typedef struct StillMaterial {
    double friction, kinetic_friction, restitution;
    /* m/s: it stays, and its surface runs along at this velocity, as that of a belt. What it
     * borrows must outlive the world. */
    FieldFunction velocity[3];
} StillMaterial;

typedef struct StillSurface {
    char name[64]; /* in messages */
    Vec3 point;    /* m, on it */
    Vec3 normal;   /* unit, out of what is solid */
    Room room;     /* it meets the bodies whose centre is in it */
    StillMaterial material;
} StillSurface;

#endif
