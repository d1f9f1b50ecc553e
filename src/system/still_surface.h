/* Still surfaces: half spaces that bodies meet and nothing moves, as the walls of a domain (000
 * section 2.4: a distance that is known everywhere). */
#ifndef SYSTEM_STILL_SURFACE_H
#define SYSTEM_STILL_SURFACE_H

#include "geom/query/room.h"

typedef struct StillSurface {
    char name[64]; /* in messages */
    Vec3 point;    /* m, on it */
    Vec3 normal;   /* unit, out of what is solid */
    Room room;     /* it meets the bodies whose centre is in it */
    double friction, restitution;
} StillSurface;

#endif
