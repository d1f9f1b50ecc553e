/* Fluids and splashes of a world by their own types, for those that make them or look into them. */
#ifndef WORLD_DOMAINS_H
#define WORLD_DOMAINS_H

#include "fluid/fluid.h"
#include "splash/splash.h"
#include "world/world.h"

/* Creates one and puts it into the world; `name` NULL: the only one of its kind. */
PlimStatus world_add_fluid(PlimWorld *world, const char *name, const FluidDesc *desc);
PlimStatus world_add_splash(PlimWorld *world, const char *name, const SplashDesc *desc);

/* The first of them; NULL: none. */
static inline Fluid *fluid_of(const PlimWorld *world) {
    return world_find_system(world, &fluid_class, NULL);
}

static inline Splash *splash_of(const PlimWorld *world) {
    return world_find_system(world, &splash_class, NULL);
}

#endif
