/* Rigid bodies: state schema and the stages of their step (002 sections 2.2, 4.3, 4.4). */
#include "rigid/contact/contact_stages.h"
#include "rigid/contact/coupled_contact.h"
#include "rigid/contact/shell_stage.h"
#include "rigid/forces.h"
#include "rigid/plane.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "math/decompose.h"

#include <string.h>

#define BODY_FIELD(name, unit, type, role, components)                                             \
    { #name, unit, type, role, components, RIGID_GROUP_BODIES, offsetof(RigidBodies, name) }

#define SLEEPING_FIELD(name, unit, type, components)                                               \
    {                                                                                              \
#name, unit, type, FIELD_STATE, components, RIGID_GROUP_SLEEPING_LOADS,                    \
            offsetof(RigidBodies, name)                                                            \
    }

#define JOINT_FIELD(name, unit, type, components)                                                  \
    { #name, unit, type, FIELD_STATE, components, RIGID_GROUP_JOINTS, offsetof(RigidBodies, name) }

#define TOUCH_FIELD(name, unit, type, components)                                                  \
    {                                                                                              \
#name, unit, type, FIELD_STATE, components, RIGID_GROUP_WARM_STARTS,                       \
            offsetof(RigidBodies, name)                                                            \
    }

static const StateField rigid_fields[] = {
    BODY_FIELD(position, "m", FIELD_F64, FIELD_STATE, 3),    /* centre of mass */
    BODY_FIELD(orientation, "1", FIELD_F64, FIELD_STATE, 4), /* quaternion w x y z */
    BODY_FIELD(velocity, "m/s", FIELD_F64, FIELD_STATE, 3),
    BODY_FIELD(angular_momentum, "kg m^2/s", FIELD_F64, FIELD_STATE, 3), /* about the centre */
    BODY_FIELD(angular_velocity, "rad/s", FIELD_F64, FIELD_DERIVED, 3),
    BODY_FIELD(velocity_half, "m/s", FIELD_F64, FIELD_WORK, 3), /* v^{n+1/2} */
    BODY_FIELD(angular_momentum_half, "kg m^2/s", FIELD_F64, FIELD_WORK, 3),
    /* At t^n. */
    BODY_FIELD(position_before, "m", FIELD_F64, FIELD_WORK, 3),
    BODY_FIELD(orientation_before, "1", FIELD_F64, FIELD_WORK, 4),
    BODY_FIELD(mass, "kg", FIELD_F64, FIELD_CONSTANT, 1),
    BODY_FIELD(volume, "m^3", FIELD_F64, FIELD_CONSTANT, 1),     /* displaced */
    BODY_FIELD(inertia, "kg m^2", FIELD_F64, FIELD_CONSTANT, 9), /* body axes */
    BODY_FIELD(inverse_inertia, "1/(kg m^2)", FIELD_F64, FIELD_CONSTANT, 9),
    BODY_FIELD(least_axis, "1", FIELD_F64, FIELD_CONSTANT, 3),
    BODY_FIELD(greatest_axis, "1", FIELD_F64, FIELD_CONSTANT, 3),
    BODY_FIELD(pin, "m", FIELD_F64, FIELD_CONSTANT, 3),     /* in the world */
    BODY_FIELD(pin_arm, "m", FIELD_F64, FIELD_CONSTANT, 3), /* from the centre to it, body axes */
    BODY_FIELD(friction, "1", FIELD_F64, FIELD_CONSTANT, 1),
    BODY_FIELD(kinetic_friction, "1", FIELD_F64, FIELD_CONSTANT, 1),
    BODY_FIELD(restitution, "1", FIELD_F64, FIELD_CONSTANT, 1),
    BODY_FIELD(rolling_friction, "m", FIELD_F64, FIELD_CONSTANT, 1),
    BODY_FIELD(spinning_friction, "m", FIELD_F64, FIELD_CONSTANT, 1),
    BODY_FIELD(surface_velocity, "m/s", FIELD_F64, FIELD_CONSTANT, 3), /* body axes */
    BODY_FIELD(linear_damping, "1/s", FIELD_F64, FIELD_CONSTANT, 1),
    BODY_FIELD(angular_damping, "1/s", FIELD_F64, FIELD_CONSTANT, 1),
    BODY_FIELD(material, "number", FIELD_I32, FIELD_CONSTANT, 1), /* 0: none */
    BODY_FIELD(load_half, "N, N m", FIELD_F64, FIELD_WORK, 6),
    BODY_FIELD(load_rest, "N, N m", FIELD_F64, FIELD_WORK, 6),
    /* Sleepers keep what they had in their last step. */
    BODY_FIELD(contact_force, "N", FIELD_F64, FIELD_STATE, 3),
    BODY_FIELD(contact_torque, "N m", FIELD_F64, FIELD_STATE, 3), /* about the centre */
    BODY_FIELD(contact_points, "1", FIELD_I32, FIELD_STATE, 1),
    BODY_FIELD(asleep, "island", FIELD_I32, FIELD_STATE, 1), /* 0: awake */
    /* Where it was when it last had moved by more than rest allows, and when that was. */
    BODY_FIELD(still_position, "m", FIELD_F64, FIELD_STATE, 3),
    BODY_FIELD(still_orientation, "1", FIELD_F64, FIELD_STATE, 4),
    BODY_FIELD(still_since, "s", FIELD_F64, FIELD_STATE, 1),
    BODY_FIELD(driven, "1", FIELD_I32, FIELD_WORK, 1), /* others than gravity and contact act */
    BODY_FIELD(wet, "1", FIELD_I32, FIELD_WORK, 1),    /* it was solved for with a fluid */
    BODY_FIELD(held, "RIGID_PINNED", FIELD_I32, FIELD_CONSTANT, 1),
    BODY_FIELD(motion, "PlimMotion", FIELD_I32, FIELD_CONSTANT, 1),
    BODY_FIELD(shape, "index", FIELD_I32, FIELD_CONSTANT, 1),
    TOUCH_FIELD(touch_pair, "partner", FIELD_I32, 2),
    TOUCH_FIELD(touch_arm, "m", FIELD_F64, 3),   /* from the centre of the first that forces move */
    TOUCH_FIELD(touch_force, "N", FIELD_F64, 3), /* on the first body */
    TOUCH_FIELD(touch_couple, "N m", FIELD_F64, 3), /* the same of rolling and spinning friction */
    TOUCH_FIELD(touch_turn, "m/s^2", FIELD_F64, 3), /* because the point moves about (turning.c) */
    SLEEPING_FIELD(sleeping_pair, "body", FIELD_I32, 2),   /* the sleeper, what it lies on */
    SLEEPING_FIELD(sleeping_load, "N, N m", FIELD_F64, 6), /* on that, about its centre */
    SLEEPING_FIELD(sleeping_points, "1", FIELD_I32, 1),
    JOINT_FIELD(joint_force, "N", FIELD_F64, 3),    /* on the second body */
    JOINT_FIELD(joint_torque, "N m", FIELD_F64, 3), /* the same, about the joint */
    JOINT_FIELD(joint_turned, "rad", FIELD_F64, 1),
    /* about the axis since the start */ JOINT_FIELD(joint_pull, "N", FIELD_F64, 3), /* the force,
                                                                                        without
                                                                                        impacts */
    JOINT_FIELD(joint_drive, "N m", FIELD_F64, 1), /* of its motor or control */
    JOINT_FIELD(joint_broken, "1", FIELD_I32, 1),
    JOINT_FIELD(joint_limited, "rows", FIELD_I32, 1), /* bits of limits that hold */
    JOINT_FIELD(joint_yields, "1", FIELD_I32, 1), /* -1 or 1: contact asks too much of a drive */
};

static const char *const rigid_groups[] = {"bodies", "touches", "sleeping_loads", "joints"};

static const StateSchema rigid_schema = {
    .fields = rigid_fields,
    .field_count = sizeof rigid_fields / sizeof *rigid_fields,
    .groups = rigid_groups,
    .group_count = RIGID_GROUP_COUNT,
    .sizes_offset = offsetof(RigidBodies, sizes),
    .varying = 1u << RIGID_GROUP_WARM_STARTS | 1u << RIGID_GROUP_SLEEPING_LOADS,
};

static const SystemFigures rigid_figures[] = {SYSTEM_FIGURES(RigidBodies, contacts.figures),
                                              SYSTEM_FIGURES(RigidBodies, joints.figures),
                                              SYSTEM_FIGURES(RigidBodies, shells.figures)};

enum { BODY_GRAIN = 1024 }; /* bodies a thread takes at a time: about half a millisecond */

size_t rigid_bytes_per_body(void) {
    enum { NAME_BYTES = 32, TABLE_BYTES = 4 * sizeof(struct IndexEntry) };
    return state_bytes_per_item(&rigid_schema, RIGID_GROUP_BODIES) + sizeof(struct RigidExtra) +
           sizeof(Solid) + NAME_BYTES + TABLE_BYTES;
}

double rigid_kinetic_energy(const RigidBodies *bodies, size_t i) {
    if (bodies->motion[i] != PLIM_DYNAMIC) return 0.0;
    Vec3 velocity = vec3_load(bodies->velocity + 3 * i);
    BodyInertia inertia = rigid_inertia(bodies, i);
    return 0.5 * bodies->mass[i] * vec3_dot(velocity, velocity) +
           orientation_energy(&inertia, quat_load(bodies->orientation + 4 * i),
                              vec3_load(bodies->angular_momentum + 3 * i));
}

/* ---- the stages ---- */

typedef struct BodyLoop {
    RigidBodies *bodies;
    const StepInfo *step;
} BodyLoop;

static void for_each_body(RigidBodies *bodies, const StepInfo *step, ParallelBody body) {
    BodyLoop loop = {bodies, step};
    parallel_for(step->threads, rigid_count(bodies), BODY_GRAIN, body, &loop);
}

static void hold_velocity(const RigidBodies *b, size_t i, double *velocity, double *momentum) {
    if (!b->held[i]) return;
    PinnedBody body = rigid_pinned_body(b, i);
    Vec3 v = vec3_load(velocity + 3 * i), spin = vec3_load(momentum + 3 * i);
    pin_motion(&body, &v, &spin);
    vec3_store(velocity + 3 * i, v);
    vec3_store(momentum + 3 * i, spin);
}

/* Bodies that turn about a pin: move_about_pin carries their velocity along. */
static bool turns_about_pin(const RigidBodies *b, size_t i) {
    return b->held[i] == RIGID_PINNED && !b->options.hold_positions;
}

void rigid_predict_half(RigidBodies *b, size_t i, const StepInfo *step) {
    Vec3 v = vec3_load(b->velocity + 3 * i), spin = vec3_load(b->angular_momentum + 3 * i);
    if (!b->asleep[i]) forces_add_half(b, i, step, &v, &spin);
    vec3_store(b->velocity_half + 3 * i, v);
    vec3_store(b->angular_momentum_half + 3 * i, spin);
    hold_velocity(b, i, b->velocity_half, b->angular_momentum_half);
}

static void predict_bodies(void *user, size_t begin, size_t end) {
    const BodyLoop *loop = user;
    for (size_t i = begin; i < end; i++)
        if (loop->bodies->motion[i] == PLIM_DYNAMIC)
            rigid_predict_half(loop->bodies, i, loop->step);
}

/* v^{n+1/2} = v^n + dt/2 g (002 section 4.3, step 1), and the forces and torques of forces.h. */
static PlimStatus rigid_predict(void *system, const StepInfo *step) {
    RigidBodies *bodies = system;
    size_t count = rigid_count(bodies);
    for (size_t i = 0; i < count; i++) bodies->driven[i] = bodies->wet[i] = 0;
    if (count > 0) {
        memcpy(bodies->position_before, bodies->position, 3 * count * sizeof(double));
        memcpy(bodies->orientation_before, bodies->orientation, 4 * count * sizeof(double));
    }
    bodies->contacts.coupled.count = 0;
    TRY(joints_assemble(bodies, step));
    joints_mark_driven(bodies);
    TRY(forces_begin_step(bodies, step));
    for_each_body(bodies, step, predict_bodies);
    return PLIM_OK;
}

/* The orientation after dt without torques; energy and angular momentum stay. */
static Quat turned(const RigidBodies *b, const BodyInertia *inertia, Quat before, Vec3 momentum,
                   double dt) {
    Quat after = orientation_advance(inertia, before, momentum, dt, b->options.orientation_order);
    if (!b->options.energy_correction) return after;
    return orientation_with_energy(inertia, after, momentum,
                                   orientation_energy(inertia, before, momentum));
}

Quat rigid_turned(const RigidBodies *b, size_t i, Quat before, Vec3 momentum, double dt) {
    /* What does not turn keeps its orientation to the bit. */
    if ((b->held[i] & RIGID_TURN_LOCKED) || vec3_dot(momentum, momentum) == 0.0) return before;
    BodyInertia inertia = rigid_inertia(b, i);
    return turned(b, &inertia, before, momentum, dt);
}

static void move_freely(RigidBodies *b, size_t i, double dt) {
    Vec3 x = vec3_load(b->position + 3 * i);
    vec3_store(b->position + 3 * i, vec3_add_scaled(x, dt, vec3_load(b->velocity_half + 3 * i)));
    quat_store(b->orientation + 4 * i,
               rigid_turned(b, i, quat_load(b->orientation + 4 * i),
                            vec3_load(b->angular_momentum_half + 3 * i), dt));
}

static BodyInertia inertia_about_pin(const RigidBodies *b, size_t i) {
    Mat3 inertia =
        pin_inertia(b->mass[i], mat3_load(b->inertia + 9 * i), vec3_load(b->pin_arm + 3 * i));
    Vec3 principal;
    Mat3 axes;
    symmetric_eigen(inertia, &principal, &axes);
    return (BodyInertia){mat3_inverse(inertia), mat3_column(axes, 2), mat3_column(axes, 0)};
}

/* What is kept while a body turns about its pin is the angular momentum about the pin. That of v^n
 * is carried to the new place, with gravity's moment about the pin at the old place for dt/2; the
 * rest comes in rigid_advect, so that a pendulum in vacuum keeps its energy in the mean. */
static void move_about_pin(RigidBodies *b, size_t i, const StepInfo *step) {
    double *velocity = b->velocity + 3 * i, *momentum = b->angular_momentum + 3 * i;
    PinnedBody body = rigid_pinned_body(b, i);
    Vec3 old[2] = {vec3_load(velocity), vec3_load(momentum)};
    forces_carry(b, i, step, &old[0], &old[1]);
    Vec3 carried = pin_momentum_about(&body, old[0], old[1]);
    Vec3 half = pin_momentum_about(&body, vec3_load(b->velocity_half + 3 * i),
                                   vec3_load(b->angular_momentum_half + 3 * i));
    BodyInertia inertia = inertia_about_pin(b, i);
    Quat turn = turned(b, &inertia, quat_load(b->orientation + 4 * i), half, step->dt);
    quat_store(b->orientation + 4 * i, turn);
    body = rigid_pinned_body(b, i);
    vec3_store(b->position + 3 * i, vec3_sub(vec3_load(b->pin + 3 * i), body.arm));
    Vec3 v, spin;
    pin_motion_about(&body, carried, &v, &spin);
    vec3_store(velocity, v);
    vec3_store(momentum, spin);
}

static void move_bodies(void *user, size_t begin, size_t end) {
    const BodyLoop *loop = user;
    RigidBodies *b = loop->bodies;
    for (size_t i = begin; i < end; i++) {
        if (b->motion[i] != PLIM_DYNAMIC || b->asleep[i]) continue;
        if (turns_about_pin(b, i))
            move_about_pin(b, i, loop->step);
        else if (!(b->held[i] & RIGID_PINNED))
            move_freely(b, i, loop->step->dt);
    }
}

/* Puts kinematic bodies where their path is at time t. One after another: paths are user code. */
static PlimStatus follow_paths(RigidBodies *bodies, double t) {
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        if (bodies->motion[i] != PLIM_KINEMATIC) continue;
        const struct RigidExtra *extra = &bodies->extras.data[i];
        PlimPose pose;
        if (rigid_path_pose(bodies->context, extra->name, extra->path, extra->path_user, t,
                            &pose) != PLIM_OK)
            return PLIM_FAILED;
        rigid_place(bodies, i, &pose);
    }
    return PLIM_OK;
}

/* x^{n+1} = x^n + dt v^{n+1/2} and the orientation update (002 sections 4.4.1, 2.2), then overlaps
 * are taken out (4.6), and thin shells kept from crossing (000 section 2.14). */
static PlimStatus rigid_move(void *system, const StepInfo *step) {
    const RigidBodies *bodies = system;
    TRY(joints_before_move(system, step));
    if (!bodies->options.hold_positions) for_each_body(system, step, move_bodies);
    TRY(follow_paths(system, step->end_time));
    TRY(rigid_separate(system, step));
    TRY(joints_after_push_out(system, step));
    return rigid_keep_shells_apart(system, step);
}

static void accelerate_bodies(void *user, size_t begin, size_t end) {
    const BodyLoop *loop = user;
    RigidBodies *b = loop->bodies;
    for (size_t i = begin; i < end; i++) {
        if (b->motion[i] != PLIM_DYNAMIC || b->asleep[i]) continue;
        Vec3 v = vec3_load(b->velocity + 3 * i), spin = vec3_load(b->angular_momentum + 3 * i);
        if (turns_about_pin(b, i))
            forces_add_rest(b, i, loop->step, &v, &spin);
        else
            forces_add_whole(b, i, loop->step, &v, &spin);
        vec3_store(b->velocity + 3 * i, v);
        vec3_store(b->angular_momentum + 3 * i, spin);
        hold_velocity(b, i, b->velocity, b->angular_momentum);
    }
}

/* v^{n+1} = v^n + dt g: forces for the whole step, from the velocity that collisions left. */
static PlimStatus rigid_advect(void *system, const StepInfo *step) {
    forces_end_move(system);
    for_each_body(system, step, accelerate_bodies);
    return PLIM_OK;
}

static void derive_bodies(void *user, size_t begin, size_t end) {
    const BodyLoop *loop = user;
    RigidBodies *b = loop->bodies;
    for (size_t i = begin; i < end; i++) {
        if (b->motion[i] == PLIM_KINEMATIC) continue; /* follow_paths sets it */
        BodyInertia inertia = rigid_inertia(b, i);
        Vec3 omega = orientation_angular_velocity(&inertia, quat_load(b->orientation + 4 * i),
                                                  vec3_load(b->angular_momentum + 3 * i));
        if (b->options.plane) omega.x = omega.y = 0.0; /* rounding */
        vec3_store(b->angular_velocity + 3 * i, omega);
    }
}

static PlimStatus rigid_finish(void *system, const StepInfo *step) {
    TRY(joints_settle(system, step));
    TRY(rigid_contact_velocities(system, step));
    for_each_body(system, step, derive_bodies);
    joints_finish(system, true);
    return PLIM_OK;
}

static PlimStatus rigid_refresh(void *system, const StepInfo *step) {
    for_each_body(system, step, derive_bodies);
    TRY(follow_paths(system, step->time));
    TRY(joints_assemble(system, step));
    for_each_body(system, step, derive_bodies);
    return PLIM_OK;
}

/* ---- creation ---- */

static void rigid_destroy(void *system) {
    RigidBodies *bodies = system;
    PlimContext *context = bodies->context;
    for (size_t i = 0; i < bodies->extras.count; i++)
        context_free_text(context, bodies->extras.data[i].name);
    for (size_t i = 0; i < bodies->cuts.count; i++)
        plane_shape_free(context, &bodies->cuts.data[i].shape);
    array_free(context, &bodies->cuts);
    array_free(context, &bodies->still_surfaces);
    array_free(context, &bodies->forces);
    array_free(context, &bodies->material_pairs);
    array_free(context, &bodies->extras);
    index_table_free(context, &bodies->by_name);
    shape_library_free(context, &bodies->shapes);
    contacts_free(context, &bodies->contacts);
    rigid_joints_free(context, &bodies->joints);
    shells_free(context, &bodies->shells);
    state_free(context, &rigid_schema, bodies);
    context_free(context, bodies, 1, sizeof *bodies);
}

PlimStatus rigid_bodies_create(PlimContext *context, RigidBodies **out) {
    RigidBodies *bodies = context_allocate(context, 1, sizeof *bodies);
    if (!bodies) return PLIM_OUT_OF_MEMORY;
    bodies->context = context;
    bodies->options = plim_rigid_options_default();
    *out = bodies;
    return PLIM_OK;
}

PlimStatus rigid_bodies_configure(RigidBodies *bodies, const PlimRigidOptions *options) {
    if (options->orientation_order < 1 || options->orientation_order > 3)
        return context_fail(bodies->context, PLIM_BAD_INPUT,
                            "rigid orientation_order is %d; it must be 1, 2 or 3",
                            options->orientation_order);
    const struct {
        const char *name;
        int value;
    } counts[] = {{"collision_iterations", options->collision_iterations},
                  {"contact_iterations", options->contact_iterations},
                  {"level_iterations", options->level_iterations},
                  {"shock_iterations", options->shock_iterations}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value < 0)
            return context_fail(bodies->context, PLIM_BAD_INPUT,
                                "rigid %s is %d; it must not be negative", counts[i].name,
                                counts[i].value);
    if (!(options->travel >= 0) || !isfinite(options->travel))
        return context_fail(bodies->context, PLIM_BAD_INPUT,
                            "rigid travel is %g; it must be 0 or more", options->travel);
    if (!options->plane != !bodies->options.plane && rigid_count(bodies) > 0)
        return context_fail(bodies->context, PLIM_BAD_INPUT,
                            "rigid plane is %d, but bodies were added with %d, which their masses "
                            "follow from; choose it before the first body",
                            options->plane, bodies->options.plane);
    if ((options->pairs != PLIM_PAIRS_REEVOLVE && options->pairs != PLIM_PAIRS_LAGGED) ||
        (options->sequence != PLIM_SEQUENCE_COLLIDE_FIRST &&
         options->sequence != PLIM_SEQUENCE_STANDARD))
        return context_fail(bodies->context, PLIM_BAD_INPUT,
                            "rigid pairs %d or sequence %d does not exist", (int)options->pairs,
                            (int)options->sequence);
    if (options->restitution < PLIM_RESTITUTION_MIN ||
        options->restitution > PLIM_RESTITUTION_PRODUCT)
        return context_fail(bodies->context, PLIM_BAD_INPUT, "rigid restitution %d does not exist",
                            (int)options->restitution);
    bodies->options = *options;
    for (size_t i = 0; i < rigid_count(bodies); i++) bodies->asleep[i] = 0;
    return PLIM_OK;
}

size_t rigid_bodies_find(const RigidBodies *bodies, const char *name) {
    size_t cursor = 0, index;
    uint64_t hash = hash_text(HASH_START, name);
    while ((index = index_table_next(&bodies->by_name, hash, &cursor)) != INDEX_NONE)
        if (strcmp(bodies->extras.data[index].name, name) == 0) return index;
    return INDEX_NONE;
}

/* Bodies, then joints. */
static size_t rigid_object_count(const void *system) {
    return rigid_count(system) + joint_count(&((const RigidBodies *)system)->joints);
}

static const char *rigid_object_name(const void *system, size_t object) {
    const RigidBodies *bodies = system;
    if (rigid_object_is_body(system, object)) return bodies->extras.data[object].name;
    return bodies->joints.joints.data[object - rigid_count(bodies)].name;
}

static size_t rigid_find_object(const void *system, const char *name) {
    const RigidBodies *bodies = system;
    size_t body = rigid_bodies_find(bodies, name), joint = rigid_joint_find(bodies, name);
    if (body != INDEX_NONE) return body;
    return joint == INDEX_NONE ? INDEX_NONE : rigid_count(bodies) + joint;
}

const SystemClass rigid_class = {
    .name = "rigid",
    .schema = &rigid_schema,
    .figures = rigid_figures,
    .figure_count = sizeof rigid_figures / sizeof *rigid_figures,
    .max_dt = rigid_max_dt,
    .stage = {[STAGE_PREDICT] = rigid_predict,
              [STAGE_SOLVE_POSITIONS] = rigid_solve_positions,
              [STAGE_COLLIDE] = rigid_collide,
              [STAGE_CONTACT] = rigid_contact,
              [STAGE_MOVE] = rigid_move,
              [STAGE_ADVECT] = rigid_advect,
              [STAGE_SOLVE_VELOCITIES] = rigid_solve_velocities,
              [STAGE_FINISH] = rigid_finish},
    .destroy = rigid_destroy,
    .refresh = rigid_refresh,
    .diagnose = rigid_diagnose,
    .view_frame = rigid_view_frame,
    .surfaces = &rigid_surfaces,
    .dofs = &rigid_dofs,
    .meshes = &rigid_meshes,
    .contact = &rigid_coupled_contact,
    .quantities = rigid_quantities,
    .quantity_count = RIGID_QUANTITY_COUNT,
    .object_count = rigid_object_count,
    .object_name = rigid_object_name,
    .find_object = rigid_find_object,
};
