/* Creation of a rigid body from its description: checks, first state. */
#include "base/hash.h"
#include "math/decompose.h"
#include "rigid/forces.h"
#include "rigid/mass.h"
#include "rigid/plane.h"

#include <string.h>

PlimRigidOptions plim_rigid_options_default(void) {
    return (PlimRigidOptions){.orientation_order = 2,
                              .energy_correction = 1,
                              .contact = 1,
                              .collision_iterations = 5,
                              .contact_iterations = 10,
                              .level_iterations = 2,
                              .shock_iterations = 1,
                              .push_out = 1,
                              .clamp = 1,
                              .sleep = 1,
                              .travel = 0.5};
}

PlimRigidDesc plim_rigid_desc_default(void) {
    return (PlimRigidDesc){.shape = shape_desc_default(PLIM_SHAPE_BALL),
                           .motion = PLIM_DYNAMIC,
                           .density = 1000,
                           .friction = 0.5,
                           .kinetic_friction = -1,
                           .groups = 1,
                           .collides_with = UINT64_MAX,
                           .pose = {.orientation = {1, 0, 0, 0}},
                           .color = {0.7f, 0.7f, 0.7f}};
}

static bool all_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

static PlimStatus check_pose(PlimContext *context, const char *name, const PlimPose *pose) {
    const double *q = pose->orientation;
    if (!all_finite(pose->position, 3) || !all_finite(pose->velocity, 3) ||
        !all_finite(pose->angular_velocity, 3) || !all_finite(q, 4))
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': position, orientation and velocities must be finite",
                            name);
    double norm = quat_norm(quat_load(q));
    if (!(norm > 1e-9) || !isfinite(norm))
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': the orientation quaternion has norm %g; give it 1",
                            name, norm);
    return PLIM_OK;
}

PlimStatus rigid_path_pose(PlimContext *context, const char *name, PlimMotionFn path, void *user,
                           double t, PlimPose *pose) {
    *pose = (PlimPose){.orientation = {1, 0, 0, 0}};
    PlimStatus status = path(user, context, t, pose);
    if (status != PLIM_OK)
        return context_fail(context, status,
                            "rigid body '%s': its prescribed motion at t = %g s: %s", name, t,
                            context->message);
    if (check_pose(context, name, pose) == PLIM_OK) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT, "%s (prescribed motion at t = %g s)",
                        context->message, t);
}

static PlimStatus check_inertia(PlimContext *context, const char *name, const double *inertia) {
    if (!(inertia[0] > 0 && inertia[1] > 0 && inertia[2] > 0) || !all_finite(inertia, 3))
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': inertia is (%g, %g, %g); all three must be positive",
                            name, inertia[0], inertia[1], inertia[2]);
    double sum = inertia[0] + inertia[1] + inertia[2];
    double greatest = fmax(inertia[0], fmax(inertia[1], inertia[2]));
    if (2 * greatest > sum * (1 + 1e-12))
        context_log(context, PLIM_LOG_WARNING,
                    "rigid body '%s': no real body has inertia (%g, %g, %g): the largest exceeds "
                    "the sum of the others; simulated all the same",
                    name, inertia[0], inertia[1], inertia[2]);
    return PLIM_OK;
}

static PlimStatus check_surface(PlimContext *context, const PlimRigidDesc *desc) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"friction", desc->friction},
                   {"rolling_friction", desc->rolling_friction},
                   {"spinning_friction", desc->spinning_friction},
                   {"restitution", desc->restitution}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= 0) || !isfinite(numbers[i].value))
            return context_fail(context, PLIM_BAD_INPUT,
                                "rigid body '%s': %s is %g; it must be 0 or more", desc->name,
                                numbers[i].name, numbers[i].value);
    if (isnan(desc->kinetic_friction) || desc->kinetic_friction > desc->friction)
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': kinetic friction is %g, static %g; what slides must "
                            "not be held better than what rests",
                            desc->name, desc->kinetic_friction, desc->friction);
    if (!all_finite(desc->surface_velocity, 3))
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': surface_velocity must be finite", desc->name);
    if (desc->material < 0)
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': material %d; materials count from 1", desc->name,
                            desc->material);
    if (desc->restitution > 1)
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': restitution is %g; above 1 every bounce would add "
                            "energy, give 0 to 1",
                            desc->name, desc->restitution);
    if (desc->shape.kind == PLIM_SHAPE_HALF_SPACE && desc->motion == PLIM_DYNAMIC)
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': a half space has no end and no mass; make it static "
                            "or kinematic, or use a box",
                            desc->name);
    return PLIM_OK;
}

/* Triangles of bodies meet those of sheets in space, and have an end. */
static PlimStatus check_exact(const RigidBodies *bodies, const PlimRigidDesc *desc) {
    if (!desc->exact) return PLIM_OK;
    if (bodies->options.plane)
        return context_fail(bodies->context, PLIM_BAD_INPUT,
                            "rigid body '%s': 'exact' is for three dimensions; take it out",
                            desc->name);
    if (desc->shape.kind != PLIM_SHAPE_HALF_SPACE) return PLIM_OK;
    return context_fail(bodies->context, PLIM_BAD_INPUT,
                        "rigid body '%s': a half space has no end, and cannot be exact; take "
                        "'exact' out, or use a box",
                        desc->name);
}

static PlimStatus check_holding(PlimContext *context, const PlimRigidDesc *desc) {
    if ((desc->has_pin || desc->lock_rotation) && desc->motion != PLIM_DYNAMIC)
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': only a dynamic body can be pinned or kept from "
                            "turning",
                            desc->name);
    if ((desc->has_pin && !all_finite(desc->pin, 3)) ||
        (desc->has_center && !all_finite(desc->center, 3)))
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': pin and centre of mass must be finite", desc->name);
    return PLIM_OK;
}

static PlimStatus check_desc(RigidBodies *bodies, const PlimRigidDesc *desc) {
    PlimContext *context = bodies->context;
    if (!desc->name || !*desc->name)
        return context_fail(context, PLIM_BAD_INPUT, "rigid body %zu has no name; give it one",
                            rigid_count(bodies));
    if (rigid_bodies_find(bodies, desc->name) != INDEX_NONE)
        return context_fail(context, PLIM_BAD_INPUT,
                            "two rigid bodies are named '%s'; rename one of them", desc->name);
    if (rigid_count(bodies) >= INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT, "more than %d rigid bodies", INT32_MAX);
    if (desc->motion != PLIM_DYNAMIC && desc->motion != PLIM_STATIC &&
        desc->motion != PLIM_KINEMATIC)
        return context_fail(context, PLIM_BAD_INPUT, "rigid body '%s': motion %d does not exist",
                            desc->name, (int)desc->motion);
    if (desc->motion == PLIM_KINEMATIC && !desc->motion_path)
        return context_fail(context, PLIM_BAD_INPUT, "kinematic rigid body '%s' has no motion path",
                            desc->name);
    if (!(desc->mass >= 0) || !isfinite(desc->mass) ||
        (desc->mass == 0 && !(desc->density > 0 && isfinite(desc->density))))
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': mass %g kg, density %g kg/m^3; give a positive mass "
                            "or a positive density",
                            desc->name, desc->mass, desc->density);
    if (!(desc->volume >= 0) || !isfinite(desc->volume))
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': volume %g m^3; give a positive one, or 0 for that of "
                            "the shape",
                            desc->name, desc->volume);
    if (!(desc->shell >= 0) || !isfinite(desc->shell))
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': a shell of %g m; give the wall of a hollow body a "
                            "thickness above 0, or 0 for a solid one",
                            desc->name, desc->shell);
    TRY(check_surface(context, desc));
    if (bodies->options.plane && desc->surface_velocity[2] != 0)
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': in two dimensions the z part of surface_velocity "
                            "must be 0, is %g",
                            desc->name, desc->surface_velocity[2]);
    TRY(check_exact(bodies, desc));
    TRY(check_holding(context, desc));
    TRY(forces_check(bodies, desc));
    const double *inertia = desc->inertia;
    if (inertia[0] != 0 || inertia[1] != 0 || inertia[2] != 0)
        TRY(check_inertia(context, desc->name, inertia));
    return check_pose(context, desc->name, &desc->pose);
}

static void set_mass(RigidBodies *bodies, size_t i, const BodyMass *body) {
    Vec3 principal;
    Mat3 axes;
    symmetric_eigen(body->inertia, &principal, &axes);
    bodies->mass[i] = body->mass;
    bodies->volume[i] = body->volume;
    mat3_store(bodies->inertia + 9 * i, body->inertia);
    mat3_store(bodies->inverse_inertia + 9 * i, body->inverse);
    vec3_store(bodies->greatest_axis + 3 * i, mat3_column(axes, 0));
    vec3_store(bodies->least_axis + 3 * i, mat3_column(axes, 2));
}

/* Back to the pin, without the motion that the body is held from. */
static void hold_body(RigidBodies *bodies, size_t i) {
    BodyInertia inertia = rigid_inertia(bodies, i);
    Quat turn = quat_load(bodies->orientation + 4 * i);
    PinnedBody body = rigid_pinned_body(bodies, i);
    Vec3 velocity = vec3_load(bodies->velocity + 3 * i);
    Vec3 momentum = vec3_load(bodies->angular_momentum + 3 * i);
    pin_motion(&body, &velocity, &momentum);
    vec3_store(bodies->velocity + 3 * i, velocity);
    vec3_store(bodies->angular_momentum + 3 * i, momentum);
    vec3_store(bodies->angular_velocity + 3 * i,
               orientation_angular_velocity(&inertia, turn, momentum));
    if (body.held & RIGID_PINNED)
        vec3_store(bodies->position + 3 * i, vec3_sub(vec3_load(bodies->pin + 3 * i), body.arm));
}

void rigid_place(RigidBodies *bodies, size_t i, const PlimPose *pose) {
    Quat orientation = quat_normalize(quat_load(pose->orientation));
    memcpy(bodies->position + 3 * i, pose->position, sizeof pose->position);
    quat_store(bodies->orientation + 4 * i, orientation);
    if (bodies->motion[i] == PLIM_STATIC) return; /* rests whatever the pose says */
    memcpy(bodies->velocity + 3 * i, pose->velocity, sizeof pose->velocity);
    memcpy(bodies->angular_velocity + 3 * i, pose->angular_velocity, sizeof pose->angular_velocity);
    if (bodies->motion[i] == PLIM_KINEMATIC) return; /* its momentum is not a degree of freedom */
    /* L = R I0 R^T omega */
    Vec3 omega = quat_rotate_inverse(orientation, vec3_load(pose->angular_velocity));
    Vec3 momentum = mat3_apply(mat3_load(bodies->inertia + 9 * i), omega);
    vec3_store(bodies->angular_momentum + 3 * i, quat_rotate(orientation, momentum));
    if (bodies->held[i]) hold_body(bodies, i);
}

/* Notes what the body is held from, in the pose that it starts in. */
static void set_holding(RigidBodies *bodies, size_t i, const PlimRigidDesc *desc,
                        const PlimPose *pose) {
    bodies->held[i] =
        (desc->has_pin ? RIGID_PINNED : 0) | (desc->lock_rotation ? RIGID_TURN_LOCKED : 0);
    if (!desc->has_pin) return;
    Quat turn = quat_normalize(quat_load(pose->orientation));
    Vec3 pin = vec3_load(desc->pin);
    if (bodies->options.plane) pin.z = 0.0;
    Vec3 arm = vec3_sub(pin, vec3_load(pose->position));
    vec3_store(bodies->pin + 3 * i, pin);
    vec3_store(bodies->pin_arm + 3 * i, quat_rotate_inverse(turn, arm));
}

static void set_surface(RigidBodies *bodies, size_t i, const PlimRigidDesc *desc) {
    bool has_kinetic = desc->kinetic_friction >= 0;
    bodies->friction[i] = desc->friction;
    bodies->kinetic_friction[i] = has_kinetic ? desc->kinetic_friction : desc->friction;
    bodies->restitution[i] = desc->restitution;
    bodies->rolling_friction[i] = desc->rolling_friction;
    bodies->spinning_friction[i] = desc->spinning_friction;
    bodies->material[i] = desc->material;
    memcpy(bodies->surface_velocity + 3 * i, desc->surface_velocity, sizeof desc->surface_velocity);
}

/* A body that turns about its pin has the velocity of its centre that fits. One that was given
 * another starts with what the pin leaves of both. */
static void fit_velocity(RigidBodies *bodies, size_t i, const PlimRigidDesc *desc, PlimPose *pose) {
    Vec3 arm = vec3_sub(vec3_load(pose->position), vec3_load(bodies->pin + 3 * i));
    Vec3 turn = desc->lock_rotation ? vec3(0, 0, 0) : vec3_load(pose->angular_velocity);
    Vec3 fits = vec3_cross(turn, arm), given = vec3_load(pose->velocity);
    if (vec3_length(given) == 0.0) {
        vec3_store(pose->velocity, fits);
        return;
    }
    double scale = vec3_length(given) + vec3_length(fits);
    if (vec3_length(vec3_sub(given, fits)) > 1e-6 * scale)
        context_log(bodies->context, PLIM_LOG_WARNING,
                    "rigid body '%s': the pin allows velocity (%g, %g, %g) with this angular "
                    "velocity, (%g, %g, %g) is given; it starts with the part of both that the pin "
                    "allows, leave 'velocity' out to keep the angular velocity",
                    desc->name, fits.x, fits.y, fits.z, given.x, given.y, given.z);
}

static PlimStatus remember_extra(RigidBodies *bodies, const PlimRigidDesc *desc, size_t shape,
                                 const BodyMass *mass) {
    PlimContext *context = bodies->context;
    const Solid *solid;
    TRY(shape_centered_solid(context, &bodies->shapes.shapes.data[shape], mass->center, &solid));
    if (!array_reserve(context, &bodies->extras, 1)) return PLIM_OUT_OF_MEMORY;
    char *name = context_copy_text(context, desc->name);
    if (!name) return PLIM_OUT_OF_MEMORY;
    size_t i = bodies->extras.count;
    PlimStatus status =
        index_table_insert(context, &bodies->by_name, hash_text(HASH_START, name), i);
    if (status != PLIM_OK) {
        context_free_text(context, name);
        return status;
    }
    struct RigidExtra extra = {
        .name = name, .path = desc->motion_path, .path_user = desc->motion_user, .solid = solid};
    memcpy(extra.color, desc->color, sizeof extra.color);
    memcpy(extra.glass, desc->glass, sizeof extra.glass);
    extra.center = mass->center;
    extra.mesh_offset = mass->mesh_offset;
    extra.displaced = mass->displaced;
    extra.groups = desc->groups;
    extra.collides_with = desc->collides_with;
    extra.exact = desc->exact;
    bodies->extras.data[bodies->extras.count++] = extra;
    return PLIM_OK;
}

static PlimStatus add_cut(RigidBodies *bodies, size_t shape, const PlimPose *pose, Vec3 offset) {
    RigidCut cut;
    if (!array_reserve(bodies->context, &bodies->cuts, 1)) return PLIM_OUT_OF_MEMORY;
    TRY(plane_cut_shape(bodies->context, &bodies->shapes.shapes.data[shape], pose, offset, &cut));
    bodies->cuts.data[bodies->cuts.count++] = cut;
    return PLIM_OK;
}

PlimStatus rigid_bodies_add(RigidBodies *bodies, const PlimRigidDesc *desc, size_t *id) {
    return rigid_bodies_add_solid(bodies, desc, NULL, id);
}

PlimStatus rigid_bodies_add_solid(RigidBodies *bodies, const PlimRigidDesc *desc,
                                  const Solid *solid, size_t *id) {
    TRY(check_desc(bodies, desc));
    PlimPose pose = desc->pose;
    if (desc->motion == PLIM_KINEMATIC)
        TRY(rigid_path_pose(bodies->context, desc->name, desc->motion_path, desc->motion_user, 0.0,
                            &pose));
    size_t shape;
    PlimStatus status =
        shape_library_get(bodies->context, &bodies->shapes, &desc->shape, solid, &shape);
    if (status != PLIM_OK)
        return context_fail(bodies->context, status, "rigid body '%s': %s", desc->name,
                            bodies->context->message);
    BodyMass mass;
    TRY(rigid_find_mass(bodies, desc, shape, &pose, &mass));
    size_t i = rigid_count(bodies);
    if (!array_reserve(bodies->context, &bodies->forces, desc->force_count))
        return PLIM_OUT_OF_MEMORY;
    if (bodies->options.plane) TRY(add_cut(bodies, shape, &pose, mass.mesh_offset));
    status = state_resize(bodies->context, rigid_class.schema, bodies, RIGID_GROUP_BODIES, i + 1);
    if (status == PLIM_OK) status = remember_extra(bodies, desc, shape, &mass);
    if (status != PLIM_OK) {
        if (bodies->options.plane)
            plane_shape_free(bodies->context, &bodies->cuts.data[--bodies->cuts.count].shape);
        state_resize(bodies->context, rigid_class.schema, bodies, RIGID_GROUP_BODIES, i);
        return status;
    }
    bodies->joints.is_laid_out = false;
    bodies->motion[i] = (int32_t)desc->motion;
    bodies->shape[i] = (int32_t)shape;
    set_surface(bodies, i, desc);
    forces_add(bodies, i, desc);
    bodies->linear_damping[i] = desc->linear_damping;
    bodies->angular_damping[i] = desc->angular_damping;
    set_mass(bodies, i, &mass);
    set_holding(bodies, i, desc, &pose);
    if (desc->has_pin) fit_velocity(bodies, i, desc, &pose);
    rigid_place(bodies, i, &pose);
    *id = i;
    return PLIM_OK;
}

PlimStatus rigid_bodies_set_pose(RigidBodies *bodies, size_t id, const PlimPose *pose) {
    const char *name = bodies->extras.data[id].name;
    if (bodies->motion[id] != PLIM_DYNAMIC)
        return context_fail(bodies->context, PLIM_BAD_INPUT,
                            "rigid body '%s' is not dynamic: its pose cannot be set", name);
    TRY(check_pose(bodies->context, name, pose));
    rigid_place(bodies, id, pose);
    for (size_t i = 0; i < rigid_count(bodies); i++) bodies->asleep[i] = 0;
    return PLIM_OK;
}

void rigid_bodies_get_pose(const RigidBodies *bodies, size_t id, PlimPose *pose) {
    memcpy(pose->position, bodies->position + 3 * id, sizeof pose->position);
    memcpy(pose->orientation, bodies->orientation + 4 * id, sizeof pose->orientation);
    memcpy(pose->velocity, bodies->velocity + 3 * id, sizeof pose->velocity);
    memcpy(pose->angular_velocity, bodies->angular_velocity + 3 * id,
           sizeof pose->angular_velocity);
}
