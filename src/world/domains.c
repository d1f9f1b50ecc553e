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

static PlimStatus add_wall(PlimWorld *world, const char *name, const Grid *grid, const Room *room,
                           int axis, int end) {
    static const char *const sides[3][2] = {
        {"left", "right"}, {"bottom", "top"}, {"back", "front"}};
    PlimRigidDesc usual = plim_rigid_desc_default();
    StillSurface wall = {.normal = vec3_scale(end ? -1 : 1, vec3_axis(axis)),
                         .room = *room,
                         .friction = usual.friction,
                         .restitution = usual.restitution};
    double length = end ? grid->n[axis] * grid->spacing : 0;
    wall.point = vec3_add_scaled(grid->origin, length, vec3_axis(axis));
    snprintf(wall.name, sizeof wall.name, "%s wall of %s", sides[axis][end],
             name ? name : "the tank");
    return rigid_bodies_add_still_surface(world->rigid, &wall);
}

PlimStatus world_add_walls(PlimWorld *world, const char *name, const Grid *grid, const Room *room) {
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++)
            if (grid->sides[axis][end] == SIDE_WALL || grid->sides[axis][end] == SIDE_INFLOW)
                TRY(add_wall(world, name, grid, room, axis, end));
    return PLIM_OK;
}
