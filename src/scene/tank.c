/* The walls of a tank of liquid, for bodies: what holds the liquid holds them too. */
#include "scene/scene.h"
#include "world/world.h"

#include <stdio.h>

/* Turns the half space's outward normal, +y, to point into the domain. */
static Quat inward(int axis, int end) {
    const double quarter = 2 * atan(1.0);
    static const double turns[3][2] = {{-1, 1}, {0, 2}, {1, -1}}; /* in quarters */
    Vec3 about = axis == 0 ? vec3(0, 0, 1) : vec3(1, 0, 0);
    return quat_exp(vec3_scale(turns[axis][end] * quarter, about));
}

static PlimStatus add_wall(PlimScene *scene, PlimWorld *world, const SceneSystem *system,
                           const Grid *grid, int axis, int end) {
    static const char *const names[3][2] = {
        {"tank_left", "tank_right"}, {"tank_bottom", "tank_top"}, {"tank_back", "tank_front"}};
    double at[3];
    for (int a = 0; a < 3; a++)
        at[a] = vec3_component(grid->origin, a) +
                (a < grid->dim ? 0.5 * grid->n[a] * grid->spacing : 0);
    at[axis] += (end ? 0.5 : -0.5) * grid->n[axis] * grid->spacing;
    PlimRigidDesc desc = plim_rigid_desc_default();
    char name[96];
    snprintf(name, sizeof name, "%s%s%s", system->name ? system->name : "", system->name ? "_" : "",
             names[axis][end]);
    desc.name = name;
    desc.motion = PLIM_STATIC;
    /* The liquid shows where the tank is; the wall itself is not seen. */
    desc.shape = (PlimShapeDesc){.kind = PLIM_SHAPE_HALF_SPACE};
    desc.shape.size[0] = desc.shape.size[2] = 1e-6 * grid->spacing;
    quat_store(desc.pose.orientation, inward(axis, end));
    for (int a = 0; a < 3; a++) desc.pose.position[a] = at[a];
    size_t body;
    TRY(scene_as_problem(scene, system->node, plim_rigid_add(world, &desc, &body)));
    if (system->room.others) rigid_bodies_confine(world->rigid, body, &system->room);
    return PLIM_OK;
}

static PlimStatus add_tank(PlimScene *scene, PlimWorld *world, const SceneSystem *system) {
    Grid grid = system->kind->grid(scene, system);
    for (int axis = 0; axis < grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            if (grid.sides[axis][end] == SIDE_WALL || grid.sides[axis][end] == SIDE_INFLOW)
                TRY(add_wall(scene, world, system, &grid, axis, end));
    return PLIM_OK;
}

PlimStatus scene_add_tanks(PlimScene *scene, PlimWorld *world) {
    for (size_t i = 0; scene->has_acting && i < scene->systems.count; i++) {
        const SceneSystem *system = &scene->systems.data[i];
        if (system->kind == &scene_splash_kind || node_get(system->node, "liquid"))
            TRY(add_tank(scene, world, system));
    }
    return PLIM_OK;
}
