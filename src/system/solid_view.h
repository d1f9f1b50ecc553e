/* What a system of solids shows to others: named bodies as colliders, where they are now. */
#ifndef SYSTEM_SOLID_VIEW_H
#define SYSTEM_SOLID_VIEW_H

#include "geom/collider.h"

typedef struct SolidView {
    const void *system;
    size_t (*count)(const void *system);
    const char *(*name)(const void *system, size_t body);
    bool (*moves)(const void *system, size_t body); /* false: it never will */
    /* Place and velocity of the body at the present time; its own origin is its centre of mass.
     * `solid` is left alone. */
    void (*read)(const void *system, size_t body, Collider *collider);
} SolidView;

#endif
