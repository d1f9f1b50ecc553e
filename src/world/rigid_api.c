/* The public face of the rigid bodies and joints of a world. */
#include "rigid/contact/surface_pairs.h"
#include "world/world.h"

/* PLIM_BAD_INPUT for a body that is not there; SIZE_MAX is what -1 from plim_rigid_find becomes. */
static PlimStatus check_id(const PlimWorld *world, const char *function, size_t id) {
    size_t count = rigid_count(world->rigid);
    if (id < count) return PLIM_OK;
    if (id == SIZE_MAX)
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "%s: there is no rigid body -1; was none of that name found?",
                            function);
    return context_fail(world->context, PLIM_BAD_INPUT,
                        "%s: there is no rigid body %zu; the world has %zu, from 0", function, id,
                        count);
}

PlimStatus plim_rigid_configure(PlimWorld *world, const PlimRigidOptions *options) {
    if (!world) return PLIM_BAD_INPUT;
    REQUIRE(world->context, options);
    return rigid_bodies_configure(world->rigid, options);
}

PlimStatus plim_rigid_add(PlimWorld *world, const PlimRigidDesc *desc, size_t *id) {
    if (!world) return PLIM_BAD_INPUT;
    REQUIRE(world->context, desc);
    REQUIRE(world->context, id);
    if (*world->clock.step > 0)
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "rigid body '%s': bodies are added before the first step",
                            desc->name ? desc->name : "");
    return rigid_bodies_add(world->rigid, desc, id);
}

PlimStatus plim_rigid_add_material_pair(PlimWorld *world, const PlimMaterialPair *pair) {
    if (!world) return PLIM_BAD_INPUT;
    REQUIRE(world->context, pair);
    if (*world->clock.step > 0)
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "pairs of materials are added before the first step");
    return surface_pairs_add(world->rigid, pair);
}

size_t plim_rigid_count(const PlimWorld *world) {
    return world ? rigid_count(world->rigid) : 0;
}

ptrdiff_t plim_rigid_find(const PlimWorld *world, const char *name) {
    if (!world || !name) return -1;
    size_t index = rigid_bodies_find(world->rigid, name);
    return index == INDEX_NONE ? -1 : (ptrdiff_t)index;
}

PlimStatus plim_rigid_pose(const PlimWorld *world, size_t id, PlimPose *pose) {
    if (!world) return PLIM_BAD_INPUT;
    REQUIRE(world->context, pose);
    TRY(check_id(world, __func__, id));
    rigid_bodies_get_pose(world->rigid, id, pose);
    return PLIM_OK;
}

double plim_rigid_mass(const PlimWorld *world, size_t id) {
    if (!world || id >= rigid_count(world->rigid)) return NAN;
    return world->rigid->mass[id];
}

PlimStatus plim_rigid_set_pose(PlimWorld *world, size_t id, const PlimPose *pose) {
    if (!world) return PLIM_BAD_INPUT;
    REQUIRE(world->context, pose);
    TRY(check_id(world, __func__, id));
    return rigid_bodies_set_pose(world->rigid, id, pose);
}

/* ---- joints ---- */

PlimStatus plim_joint_add(PlimWorld *world, const PlimJointDesc *desc, size_t *id) {
    if (!world) return PLIM_BAD_INPUT;
    REQUIRE(world->context, desc);
    REQUIRE(world->context, id);
    if (*world->clock.step > 0)
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "joint '%s': joints are added before the first step",
                            desc->name ? desc->name : "");
    return rigid_joint_add(world->rigid, desc, id);
}

size_t plim_joint_count(const PlimWorld *world) {
    return world ? joint_count(&world->rigid->joints) : 0;
}

ptrdiff_t plim_joint_find(const PlimWorld *world, const char *name) {
    if (!world || !name) return -1;
    size_t index = rigid_joint_find(world->rigid, name);
    return index == INDEX_NONE ? -1 : (ptrdiff_t)index;
}

PlimStatus plim_joint_state(const PlimWorld *world, size_t id, PlimJointState *state) {
    if (!world) return PLIM_BAD_INPUT;
    REQUIRE(world->context, state);
    if (id >= joint_count(&world->rigid->joints))
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "%s: there is no joint %zu; the world has %zu, from 0", __func__, id,
                            joint_count(&world->rigid->joints));
    joint_read_state(world->rigid, id, state);
    return PLIM_OK;
}
