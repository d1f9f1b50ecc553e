/* Fluids and splashes of a world, and the walls of their domains for bodies. */
#include "world/domains.h"

#include <stdio.h>

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

StillMaterial world_wall_material(void) {
    PlimRigidDesc usual = plim_rigid_desc_default();
    return (StillMaterial){.friction = usual.friction,
                           .kinetic_friction = usual.friction,
                           .restitution = usual.restitution};
}

static PlimStatus add_wall(PlimWorld *world, const char *name, const Grid *grid, const Room *room,
                           int axis, int end, const StillMaterial *material) {
    static const char *const sides[3][2] = {
        {"left", "right"}, {"bottom", "top"}, {"back", "front"}};
    StillSurface wall = {
        .normal = vec3_scale(end ? -1 : 1, vec3_axis(axis)), .room = *room, .material = *material};
    double length = end ? grid->n[axis] * grid->spacing : 0;
    wall.point = vec3_add_scaled(grid->origin, length, vec3_axis(axis));
    snprintf(wall.name, sizeof wall.name, "%s wall of %s", sides[axis][end],
             name ? name : "the tank");
    return rigid_bodies_add_still_surface(world->rigid, &wall);
}

PlimStatus world_add_walls(PlimWorld *world, const char *name, const Grid *grid, const Room *room,
                           StillMaterial materials[3][2]) {
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++)
            if (grid->sides[axis][end] == SIDE_WALL || grid->sides[axis][end] == SIDE_INFLOW)
                TRY(add_wall(world, name, grid, room, axis, end, &materials[axis][end]));
    return PLIM_OK;
}
