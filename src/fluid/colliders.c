/* Colliders of a fluid: the immersed surfaces, and those that only move with it. */
#include "fluid/internal.h"

PlimStatus fluid_add_colliders(Fluid *fluid, const FluidDesc *desc) {
    PlimContext *context = fluid->context;
    fluid->colliders = (Immersed){.context = context, .grid = fluid->grid, .room = desc->room};
    if (desc->obstacles) TRY(immersed_add_obstacles(&fluid->colliders, desc->obstacles));
    for (size_t i = 0; i < desc->body_count; i++) {
        if (!desc->bodies[i].passive)
            TRY(immersed_add(&fluid->colliders, &desc->bodies[i]));
        else if (!array_push(context, &fluid->passive, desc->bodies[i]))
            return PLIM_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < fluid->colliders.list.count; i++)
        if (!array_push(context, &fluid->loads, (FluidLoad){.displaced = 0}))
            return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

bool fluid_read_places(Fluid *fluid, double dt) {
    bool moved = immersed_read(&fluid->colliders, dt);
    for (size_t i = 0; i < fluid->colliders.visitors.count; i++) {
        FluidLoad *load = &fluid->loads.data[i];
        if (!fluid->colliders.visitors.data[i].is_here)
            load->force = load->torque = load->weight = vec3(0, 0, 0);
    }
    immersed_fill_bins(&fluid->colliders);
    return moved;
}

void fluid_keep_places(Fluid *fluid) {
    fluid_read_places(fluid, 0);
    immersed_keep(&fluid->colliders);
}

double fluid_wall_speed(const Fluid *fluid, Vec3 x, int axis) {
    Vec3 beside;
    const ImmersedCollider *collider = immersed_nearest(&fluid->colliders, x, &beside);
    double velocity[3];
    vec3_store(velocity,
               vec3_add(collider_velocity(&collider->now, beside), immersed_through(collider)));
    return velocity[axis];
}
