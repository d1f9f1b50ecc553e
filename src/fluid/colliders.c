/* Colliders: where obstacles and bodies are, at what velocity they came there. */
#include "fluid/internal.h"

#include <string.h>

/* ---- places of the bodies ---- */

/* The velocities that move a collider from where it was to where it is, in dt. Swept volume is then
 * exactly what its surface pushes, whatever its path. */
static void set_step_velocity(FluidCollider *collider, double dt) {
    Collider *now = &collider->now;
    Quat turn = quat_multiply(now->orientation, quat_conjugate(collider->before_orientation));
    now->velocity =
        vec3_scale(1 / dt, vec3_sub(collider->true_position, collider->before_position));
    now->angular_velocity = vec3_scale(1 / dt, quat_log(turn));
}

static bool same_place(const FluidCollider *a) {
    return memcmp(&a->true_position, &a->before_position, sizeof(Vec3)) == 0 &&
           memcmp(&a->now.orientation, &a->before_orientation, sizeof(Quat)) == 0;
}

/* Makes `colliders` those that reach into the room; whether they are others than before. */
static bool find_visitors(Fluid *fluid) {
    bool changed = false;
    for (size_t i = 0; i < fluid->colliders.list.count; i++)
        fluid->colliders.visitors.data[fluid->colliders.list.data[i].number].collider =
            fluid->colliders.list.data[i];
    fluid->colliders.list.count = 0; /* it has had room for all of them since it was made */
    for (size_t i = 0; i < fluid->colliders.visitors.count; i++) {
        FluidCollider *collider = &fluid->colliders.visitors.data[i].collider;
        bool is_here = fluid_is_obstacle(collider);
        if (!is_here) {
            surface_read(&collider->ref, &collider->now);
            is_here = room_meets(&fluid->desc.room, collider_bounds(&collider->now));
        }
        changed = changed || is_here != fluid->colliders.visitors.data[i].is_here;
        fluid->colliders.visitors.data[i].is_here = is_here;
        if (is_here)
            fluid->colliders.list.data[fluid->colliders.list.count++] = *collider;
        else
            collider->force = collider->torque = collider->weight = vec3(0, 0, 0);
    }
    return changed;
}

const FluidCollider *fluid_collider(const Fluid *fluid, size_t number) {
    if (fluid->colliders.visitors.count == 0) return &fluid->colliders.list.data[number];
    for (size_t i = 0; i < fluid->colliders.list.count; i++)
        if (fluid->colliders.list.data[i].number == number) return &fluid->colliders.list.data[i];
    return &fluid->colliders.visitors.data[number].collider;
}

bool fluid_read_places(Fluid *fluid, double dt) {
    bool moved = fluid->colliders.visitors.count > 0 && find_visitors(fluid);
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        FluidCollider *collider = &fluid->colliders.list.data[i];
        if (fluid_is_obstacle(collider)) continue;
        surface_read(&collider->ref, &collider->now);
        collider->true_position = collider->now.position;
        moved = moved || !same_place(collider);
        if (dt > 0) set_step_velocity(collider, dt);
        collider->is_elsewhere = !room_holds(&fluid->desc.room, collider->true_position);
        collider->now.position = grid_wrap(&fluid->grid, collider->true_position);
    }
    fluid_fill_bins(fluid);
    return moved;
}

void fluid_keep_places(Fluid *fluid) {
    fluid_read_places(fluid, 0);
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        FluidCollider *collider = &fluid->colliders.list.data[i];
        collider->before_position = collider->true_position;
        collider->before_orientation = collider->now.orientation;
    }
    for (size_t i = 0; i < fluid->colliders.visitors.count; i++) {
        FluidCollider *collider = &fluid->colliders.visitors.data[i].collider;
        if (fluid->colliders.visitors.data[i].is_here) continue;
        collider->before_position = collider->now.position;
        collider->before_orientation = collider->now.orientation;
    }
}

double fluid_wall_speed(const Fluid *fluid, Vec3 x, int axis) {
    Vec3 beside;
    const FluidCollider *collider = fluid_nearest(fluid, x, &beside);
    double velocity[3];
    vec3_store(velocity,
               vec3_add(collider_velocity(&collider->now, beside), fluid_through(collider)));
    return velocity[axis];
}
