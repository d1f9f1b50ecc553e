/* The surfaces that a fluid flows around, as they are described to it. */
#ifndef SYSTEM_IMMERSED_H
#define SYSTEM_IMMERSED_H

#include "system/surface.h"

typedef struct ImmersedSurface {
    SurfaceRef ref;
    bool passive; /* a free body that is carried by the fluid and does not act on it */
    Vec3 through; /* m/s, own axes: fluid passes through its surface at this velocity */
} ImmersedSurface;

#endif
