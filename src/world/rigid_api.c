/* The public face of the rigid bodies of a world. */
#include "world/world.h"

PlimStatus plim_rigid_configure(PlimWorld *world, const PlimRigidOptions *options) {
    return rigid_bodies_configure(world->rigid, options);
}

PlimStatus plim_rigid_add(PlimWorld *world, const PlimRigidDesc *desc, size_t *id) {
    if (*world->clock.step > 0)
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "rigid body '%s': bodies are added before the first step",
                            desc->name ? desc->name : "");
    return rigid_bodies_add(world->rigid, desc, id);
}

size_t plim_rigid_count(const PlimWorld *world) {
    return rigid_count(world->rigid);
}

ptrdiff_t plim_rigid_find(const PlimWorld *world, const char *name) {
    size_t index = rigid_bodies_find(world->rigid, name);
    return index == INDEX_NONE ? -1 : (ptrdiff_t)index;
}

void plim_rigid_pose(const PlimWorld *world, size_t id, PlimPose *pose) {
    rigid_bodies_get_pose(world->rigid, id, pose);
}

double plim_rigid_mass(const PlimWorld *world, size_t id) {
    return world->rigid->mass[id];
}

PlimStatus plim_rigid_set_pose(PlimWorld *world, size_t id, const PlimPose *pose) {
    return rigid_bodies_set_pose(world->rigid, id, pose);
}
