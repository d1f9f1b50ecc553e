/* Fluids and splashes of a world by their own types, for those that make them or look into them. */
#ifndef WORLD_DOMAINS_H
#define WORLD_DOMAINS_H

#include "fluid/fluid.h"
#include "splash/splash.h"
#include "world/world.h"

/* Creates one and puts it into the world; `name` NULL: the only one of its kind. */
PlimStatus world_add_fluid(PlimWorld *world, const char *name, const FluidDesc *desc);
PlimStatus world_add_splash(PlimWorld *world, const char *name, const SplashDesc *desc);

/* Makes the sides of a domain that are walls or inflows still surfaces for bodies: what holds the
 * liquid holds them too. `name` as above; the room is the domain's, and what it borrows must
 * outlive the world. */
PlimStatus world_add_walls(PlimWorld *world, const char *name, const Grid *grid, const Room *room,
                           StillMaterial materials[3][2]);
/* That of a body which says nothing of it. */
StillMaterial world_wall_material(void);

/* The first of them; NULL: none. */
static inline Fluid *fluid_of(const PlimWorld *world) {
    return world_find_system(world, &fluid_class, NULL);
}

static inline Splash *splash_of(const PlimWorld *world) {
    return world_find_system(world, &splash_class, NULL);
}

#endif
