/* Still surfaces in rigid contact: half spaces as partners of bodies (000 section 2.4). */
#include "rigid/still_surfaces.h"

PlimStatus rigid_bodies_add_still_surface(RigidBodies *bodies, const StillSurface *surface) {
    return array_push(bodies->context, &bodies->still_surfaces, *surface) ? PLIM_OK
                                                                          : PLIM_OUT_OF_MEMORY;
}

/* A normal in the plane z = 0 leaves the z axis where it is, as contact in two dimensions asks. */
Frame still_surface_frame(const StillSurface *surface) {
    Vec3 up = surface->normal, beside = fabs(up.z) < 0.7 ? vec3(0, 0, 1) : vec3(1, 0, 0);
    Vec3 x = vec3_normalize(vec3_cross(up, beside));
    return (Frame){mat3_from_columns(x, up, vec3_cross(x, up)), surface->point};
}

Box3 still_surface_box(const StillSurface *surface) {
    double normal[3], point[3];
    double ends[2][3] = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    vec3_store(normal, surface->normal);
    vec3_store(point, surface->point);
    for (int axis = 0; axis < 3; axis++)
        if (fabs(normal[axis]) == 1.0) ends[normal[axis] > 0.0][axis] = point[axis];
    return (Box3){vec3_load(ends[0]), vec3_load(ends[1])};
}

static bool holds(const RigidBodies *bodies, const StillSurface *surface, size_t body) {
    return room_holds(&surface->room, vec3_load(bodies->position + 3 * body));
}

/* Whether the walls of two rooms stand back to back between two bodies: what each may reach touches
 * what the other may reach at most. */
static bool walls_part(const RigidBodies *bodies, size_t body, size_t other) {
    for (size_t i = 0; i < bodies->still_surfaces.count; i++) {
        const StillSurface *wall = &bodies->still_surfaces.data[i];
        if (wall->room.other_count == 0 || !holds(bodies, wall, body) || holds(bodies, wall, other))
            continue;
        for (size_t j = 0; j < bodies->still_surfaces.count; j++) {
            const StillSurface *back = &bodies->still_surfaces.data[j];
            double between = vec3_dot(vec3_sub(wall->point, back->point), wall->normal);
            if (vec3_dot(wall->normal, back->normal) == -1.0 && !(between < 0.0) &&
                holds(bodies, back, other))
                return true;
        }
    }
    return false;
}

static bool can_meet(const RigidBodies *bodies, size_t body, size_t other) {
    if (!rigid_is_still_surface(bodies, other)) return !walls_part(bodies, body, other);
    return holds(bodies, rigid_still_surface(bodies, other), body);
}

void still_surfaces_part_rooms(RigidBodies *bodies) {
    BroadPair *pairs = bodies->contacts.near.items.data;
    size_t kept = 0, count = bodies->contacts.near.items.count;
    for (size_t p = 0; p < count; p++)
        if (can_meet(bodies, (size_t)pairs[p].a, (size_t)pairs[p].b)) pairs[kept++] = pairs[p];
    bodies->contacts.near.items.count = kept;
}
