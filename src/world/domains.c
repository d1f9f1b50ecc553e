#include "world/domains.h"

PlimStatus world_add_fluid(PlimWorld *world, const char *name, const FluidDesc *desc) {
    Fluid *fluid;
    TRY(fluid_create(world->context, desc, &fluid));
    return world_add_system(world, name, &fluid_class, fluid, ORDER_FLUIDS);
}

PlimStatus world_add_splash(PlimWorld *world, const char *name, const SplashDesc *desc) {
    Splash *splash;
    TRY(splash_create(world->context, desc, &splash));
    return world_add_system(world, name, &splash_class, splash, ORDER_SPLASHES);
}
