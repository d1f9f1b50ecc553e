/* Immersed surfaces: which of them are in a domain's room, where they are, at what velocity they
 * came there. */
#include "system/immersed.h"

#include <string.h>

/* ---- the list ---- */

static PlimStatus add(Immersed *immersed, ImmersedCollider collider) {
    collider.number = immersed->list.count;
    collider.bounds = solid_bounds(collider.now.solid);
    collider.now.orientation = quat_identity();
    if (!array_push(immersed->context, &immersed->list, collider)) return PLIM_OUT_OF_MEMORY;
    if (!immersed->room.others) return PLIM_OK;
    struct ImmersedVisitor visitor = {collider, true};
    return array_push(immersed->context, &immersed->visitors, visitor) ? PLIM_OK
                                                                       : PLIM_OUT_OF_MEMORY;
}

PlimStatus immersed_add_obstacles(Immersed *immersed, const Solid *solid) {
    return add(immersed, (ImmersedCollider){.now = {.solid = solid}});
}

PlimStatus immersed_add(Immersed *immersed, const ImmersedSurface *surface) {
    Surface what = surface_describe(&surface->ref);
    if (!what.solid)
        return context_fail(immersed->context, PLIM_BAD_INPUT,
                            "a fluid cannot flow around '%s': its surface came without a solid",
                            what.name);
    if (what.motion != SURFACE_STILL || vec3_length(surface->through) > 0)
        immersed->some_move = true;
    return add(immersed, (ImmersedCollider){.now = {.solid = what.solid},
                                            .ref = surface->ref,
                                            .through = surface->through});
}

void immersed_free(Immersed *immersed) {
    array_free(immersed->context, &immersed->list);
    array_free(immersed->context, &immersed->visitors);
    array_free(immersed->context, &immersed->bins.start);
    array_free(immersed->context, &immersed->bins.entries);
}

const ImmersedCollider *immersed_find(const Immersed *immersed, size_t number) {
    if (immersed->visitors.count == 0) return &immersed->list.data[number];
    for (size_t i = 0; i < immersed->list.count; i++)
        if (immersed->list.data[i].number == number) return &immersed->list.data[i];
    return &immersed->visitors.data[number].collider;
}

/* ---- places ---- */

/* Makes `list` those that reach into the room; whether they are others than before. */
static bool find_visitors(Immersed *immersed) {
    bool changed = false;
    for (size_t i = 0; i < immersed->list.count; i++)
        immersed->visitors.data[immersed->list.data[i].number].collider = immersed->list.data[i];
    immersed->list.count = 0; /* it has had room for all of them since it was made */
    for (size_t i = 0; i < immersed->visitors.count; i++) {
        ImmersedCollider *collider = &immersed->visitors.data[i].collider;
        bool is_here = immersed_is_obstacle(collider);
        if (!is_here) {
            surface_read(&collider->ref, &collider->now);
            is_here = room_meets(&immersed->room, collider_bounds(&collider->now));
        }
        changed = changed || is_here != immersed->visitors.data[i].is_here;
        immersed->visitors.data[i].is_here = is_here;
        if (is_here) immersed->list.data[immersed->list.count++] = *collider;
    }
    return changed;
}

/* The velocities that move a collider from where it was to where it is, in dt. Swept volume is then
 * exactly what its surface pushes, whatever its path. */
static void set_step_velocity(ImmersedCollider *collider, double dt) {
    Collider *now = &collider->now;
    Quat turn = quat_multiply(now->orientation, quat_conjugate(collider->before_orientation));
    now->velocity =
        vec3_scale(1 / dt, vec3_sub(collider->true_position, collider->before_position));
    now->angular_velocity = vec3_scale(1 / dt, quat_log(turn));
}

bool immersed_has_moved(const ImmersedCollider *collider) {
    return memcmp(&collider->true_position, &collider->before_position, sizeof(Vec3)) != 0 ||
           memcmp(&collider->now.orientation, &collider->before_orientation, sizeof(Quat)) != 0;
}

bool immersed_read(Immersed *immersed, double dt) {
    bool moved = immersed->visitors.count > 0 && find_visitors(immersed);
    for (size_t i = 0; i < immersed->list.count; i++) {
        ImmersedCollider *collider = &immersed->list.data[i];
        if (immersed_is_obstacle(collider)) continue;
        surface_read(&collider->ref, &collider->now);
        collider->true_position = collider->now.position;
        moved = moved || immersed_has_moved(collider);
        if (dt > 0) set_step_velocity(collider, dt);
        collider->is_elsewhere = !room_holds(&immersed->room, collider->true_position);
        collider->now.position = grid_wrap(&immersed->grid, collider->true_position);
    }
    return moved;
}

void immersed_keep(Immersed *immersed) {
    for (size_t i = 0; i < immersed->list.count; i++) {
        ImmersedCollider *collider = &immersed->list.data[i];
        collider->before_position = collider->true_position;
        collider->before_orientation = collider->now.orientation;
    }
    for (size_t i = 0; i < immersed->visitors.count; i++) {
        ImmersedCollider *collider = &immersed->visitors.data[i].collider;
        if (immersed->visitors.data[i].is_here) continue;
        collider->before_position = collider->now.position;
        collider->before_orientation = collider->now.orientation;
    }
}
