/* Joints: checks of descriptions, and how they lie in their bodies. */
#include "rigid/bodies.h"

#include "base/hash.h"

#include <string.h>

static const char *const kind_names[PLIM_JOINT_KIND_COUNT] = {
    "point",     "rigid", "hinge", "slider",   "cylindrical",
    "universal", "twist", "plane", "distance", "rope"};

PlimJointDesc plim_joint_desc_default(void) {
    return (PlimJointDesc){
        .a = PLIM_WORLD, .b = PLIM_WORLD, .axis = {0, 0, 1}, .second_axis = {1, 0, 0}};
}

static bool is_line(PlimJointKind kind) {
    return kind == PLIM_JOINT_DISTANCE || kind == PLIM_JOINT_ROPE;
}

static const char *name_of(const RigidBodies *b, size_t body) {
    return body == PLIM_WORLD ? "world" : b->extras.data[body].name;
}

/* ---- checks ---- */

static PlimStatus check_name(const RigidBodies *b, const PlimJointDesc *desc) {
    if (!desc->name || !*desc->name)
        return context_fail(b->context, PLIM_BAD_INPUT, "a joint needs a name");
    if (rigid_joint_find(b, desc->name) != INDEX_NONE)
        return context_fail(b->context, PLIM_BAD_INPUT,
                            "two joints are named '%s'; rename one of them", desc->name);
    if (rigid_bodies_find(b, desc->name) != INDEX_NONE)
        return context_fail(b->context, PLIM_BAD_INPUT,
                            "joint '%s': a rigid body has that name; rename one of them",
                            desc->name);
    return PLIM_OK;
}

static PlimStatus check_bodies(const RigidBodies *b, const PlimJointDesc *desc) {
    const size_t body[2] = {desc->a, desc->b};
    bool moves = false;
    for (int side = 0; side < 2; side++) {
        if (body[side] == PLIM_WORLD) continue;
        if (body[side] >= rigid_count(b))
            return context_fail(b->context, PLIM_BAD_INPUT,
                                "joint '%s': there is no rigid body %zu; the world has %zu, from 0",
                                desc->name, body[side], rigid_count(b));
        moves |= b->motion[body[side]] == PLIM_DYNAMIC;
        if (b->held[body[side]] & RIGID_PINNED)
            return context_fail(b->context, PLIM_BAD_INPUT,
                                "joint '%s': rigid body '%s' has a pin; use a joint of kind point "
                                "to the world in its place",
                                desc->name, name_of(b, body[side]));
    }
    if (desc->a == desc->b && desc->a != PLIM_WORLD)
        return context_fail(b->context, PLIM_BAD_INPUT,
                            "joint '%s': both of its bodies are '%s'; name two", desc->name,
                            name_of(b, desc->a));
    if (!moves)
        return context_fail(b->context, PLIM_BAD_INPUT,
                            "joint '%s': forces move neither '%s' nor '%s'; one of them must be "
                            "dynamic",
                            desc->name, name_of(b, desc->a), name_of(b, desc->b));
    return PLIM_OK;
}

static bool all_finite(const double *values, int count) {
    bool finite = true;
    for (int i = 0; i < count; i++) finite &= isfinite(values[i]) != 0;
    return finite;
}

static PlimStatus check_numbers(const RigidBodies *b, const PlimJointDesc *desc) {
    PlimContext *context = b->context;
    if ((int)desc->kind < 0 || (int)desc->kind >= PLIM_JOINT_KIND_COUNT)
        return context_fail(context, PLIM_BAD_INPUT, "joint '%s': kind %d does not exist",
                            desc->name, (int)desc->kind);
    if (!all_finite(desc->at, 3) || !all_finite(desc->to, 3) || !all_finite(desc->axis, 3) ||
        !all_finite(desc->second_axis, 3))
        return context_fail(context, PLIM_BAD_INPUT, "joint '%s': places and axes must be finite",
                            desc->name);
    bool has_axis = desc->kind != PLIM_JOINT_POINT && desc->kind != PLIM_JOINT_RIGID &&
                    desc->kind != PLIM_JOINT_TWIST && !is_line(desc->kind);
    if (has_axis && !(vec3_length(vec3_load(desc->axis)) > 0.0))
        return context_fail(context, PLIM_BAD_INPUT,
                            "joint '%s': its axis has no length; a %s needs a direction",
                            desc->name, kind_names[desc->kind]);
    if (desc->kind == PLIM_JOINT_UNIVERSAL) {
        Vec3 first = vec3_normalize(vec3_load(desc->axis));
        Vec3 second = vec3_normalize(vec3_load(desc->second_axis));
        if (!(vec3_length(second) > 0.0) || fabs(vec3_dot(first, second)) > 1e-6)
            return context_fail(context, PLIM_BAD_INPUT,
                                "joint '%s': the axes of a universal joint must be square to each "
                                "other; their cosine is %g",
                                desc->name, vec3_dot(first, second));
    }
    const double positive[3] = {desc->length, desc->break_force, desc->break_torque};
    static const char *const names[3] = {"length", "break force", "break torque"};
    for (int i = 0; i < 3; i++)
        if (!(positive[i] >= 0.0) || !isfinite(positive[i]))
            return context_fail(context, PLIM_BAD_INPUT,
                                "joint '%s': its %s is %g; it must be 0 or more", desc->name,
                                names[i], positive[i]);
    return PLIM_OK;
}

static PlimStatus check_range(const RigidBodies *b, const char *name, const char *what,
                              const double range[2]) {
    if (range[0] < range[1] && isfinite(range[0]) && isfinite(range[1])) return PLIM_OK;
    return context_fail(b->context, PLIM_BAD_INPUT,
                        "joint '%s': its %s are %g and %g; the first must be below the second",
                        name, what, range[0], range[1]);
}

static PlimStatus check_actions(const RigidBodies *b, const PlimJointDesc *desc) {
    PlimContext *context = b->context;
    const char *kind = kind_names[desc->kind];
    bool moves = joint_turns(desc->kind) || joint_slides(desc->kind);
    bool acts = desc->stiffness != 0.0 || desc->damping != 0.0 || desc->drive != PLIM_DRIVE_NONE;
    if ((desc->has_limits || acts) && !moves)
        return context_fail(context, PLIM_BAD_INPUT,
                            "joint '%s': limits, springs, motors and control are for hinge, twist, "
                            "cylindrical and slider, not for %s",
                            desc->name, kind);
    if ((desc->swing != 0.0 || desc->has_twist) && desc->kind != PLIM_JOINT_POINT)
        return context_fail(context, PLIM_BAD_INPUT,
                            "joint '%s': swing and twist are limits of a point joint, not of %s; "
                            "use limits",
                            desc->name, kind);
    if (desc->has_limits) TRY(check_range(b, desc->name, "limits", desc->limits));
    if (desc->has_twist) TRY(check_range(b, desc->name, "limits of twist", desc->twist));
    const double values[] = {desc->swing, desc->stiffness, desc->damping, desc->strength,
                             desc->max_torque};
    static const char *const names[] = {"swing", "stiffness", "damping", "strength", "max_torque"};
    for (int i = 0; i < 5; i++)
        if (!(values[i] >= 0.0) || !isfinite(values[i]))
            return context_fail(context, PLIM_BAD_INPUT,
                                "joint '%s': its %s is %g; it must be 0 or more", desc->name,
                                names[i], values[i]);
    if (desc->drive == PLIM_DRIVE_CONTROL && !(desc->strength > 0.0))
        return context_fail(context, PLIM_BAD_INPUT, "joint '%s': control needs a strength above 0",
                            desc->name);
    if (!isfinite(desc->rest) || !isfinite(desc->value))
        return context_fail(context, PLIM_BAD_INPUT,
                            "joint '%s': rest, speed and target must be finite", desc->name);
    return PLIM_OK;
}

/* A joint starts at 0: that must be within its limits. */
static PlimStatus check_start(const RigidBodies *b, const RigidJoint *joint, const char *name) {
    if (joint->has_limits && !(joint->limits[0] <= 0.0 && joint->limits[1] >= 0.0))
        return context_fail(b->context, PLIM_BAD_INPUT,
                            "joint '%s': angles and slides count from the start, and 0 is not "
                            "within its limits, %g and %g (rad or m)",
                            name, joint->limits[0], joint->limits[1]);
    if (joint->has_twist && !(joint->twist[0] <= 0.0 && joint->twist[1] >= 0.0))
        return context_fail(b->context, PLIM_BAD_INPUT,
                            "joint '%s': twist counts from the start, and 0 is not within its "
                            "limits, %g and %g",
                            name, joint->twist[0], joint->twist[1]);
    return PLIM_OK;
}

/* ---- how it lies ---- */
/* Axes of the joint in the world. */
static Quat joint_axes(const RigidBodies *b, const PlimJointDesc *desc) {
    Vec3 axis = vec3_load(desc->axis);
    if (desc->kind == PLIM_JOINT_UNIVERSAL) {
        Vec3 x = vec3_normalize(axis), y = vec3_load(desc->second_axis);
        y = vec3_normalize(vec3_add_scaled(y, -vec3_dot(x, y), x));
        return quat_from_mat3(mat3_from_columns(x, y, vec3_cross(x, y)));
    }
    if (desc->kind == PLIM_JOINT_TWIST && !(vec3_length(axis) > 0.0)) {
        Vec3 end[2];
        const size_t body[2] = {desc->a, desc->b};
        for (int side = 0; side < 2; side++)
            end[side] = body[side] == PLIM_WORLD ? vec3_load(desc->at)
                                                 : vec3_load(b->position + 3 * body[side]);
        axis = vec3_sub(end[1], end[0]);
    }
    if (!(vec3_length(axis) > 0.0)) axis = vec3(0, 0, 1);
    Vec3 z = vec3_normalize(axis), x = vec3_any_orthogonal(z);
    return quat_from_mat3(mat3_from_columns(x, vec3_cross(z, x), z));
}

/* Its arms, or where those have no length the size of its bodies. */
static double joint_size(const RigidBodies *b, const RigidJoint *joint) {
    double size = 0.0, radius = 0.0;
    for (int side = 0; side < 2; side++) {
        if (!rigid_is_dynamic(b, (size_t)joint->body[side])) continue;
        size = fmax(size, vec3_length(joint->anchor[side]));
        radius = fmax(radius, rigid_ball_radius(b, (size_t)joint->body[side]));
    }
    return fmax(size, radius);
}

static PlimStatus check_anchors(const RigidBodies *b, const RigidJoint *joint, const char *name) {
    const double most = 1000.0; /* sizes of a body */
    for (int side = 0; side < 2; side++) {
        size_t body = (size_t)joint->body[side];
        if (!rigid_is_dynamic(b, body)) continue;
        double far = vec3_length(joint->anchor[side]), radius = rigid_ball_radius(b, body);
        if (far > most * radius)
            return context_fail(b->context, PLIM_BAD_INPUT,
                                "joint '%s' is %g m from the centre of '%s', whose size is %g m; "
                                "put 'at' near its bodies",
                                name, far, b->extras.data[body].name, radius);
    }
    return PLIM_OK;
}

/* The axis that was given, or that which stands for it. */
static Vec3 axis_of(const RigidBodies *b, const PlimJointDesc *desc) {
    Vec3 given = vec3_load(desc->axis);
    if (vec3_length(given) > 0.0) return vec3_normalize(given);
    return quat_rotate(joint_axes(b, desc), vec3(0, 0, 1));
}

static RigidJoint place_joint(const RigidBodies *b, const PlimJointDesc *desc) {
    RigidJoint joint = {.kind = desc->kind,
                        .length = desc->length,
                        .break_force = desc->break_force,
                        .break_torque = desc->break_torque,
                        .collides = desc->collide != 0,
                        .has_limits = desc->has_limits != 0,
                        .has_twist = desc->has_twist != 0,
                        .limits = {desc->limits[0], desc->limits[1]},
                        .twist = {desc->twist[0], desc->twist[1]},
                        .swing = desc->swing,
                        .stiffness = desc->stiffness,
                        .damping = desc->damping,
                        .rest = desc->rest,
                        .drive = desc->drive,
                        .value = desc->value,
                        .strength = desc->strength,
                        .most = desc->max_torque > 0.0 ? desc->max_torque : HUGE_VAL,
                        .path = desc->path,
                        .path_user = desc->path_user};
    const size_t body[2] = {desc->a, desc->b};
    Quat axes = joint_axes(b, desc);
    Vec3 at[2] = {vec3_load(desc->at), vec3_load(is_line(desc->kind) ? desc->to : desc->at)};
    for (int side = 0; side < 2; side++) {
        joint.body[side] = body[side] == PLIM_WORLD ? JOINT_WORLD : (int32_t)body[side];
        BodyPlace place = rigid_place_of(b, (size_t)joint.body[side]);
        if (b->options.plane) at[side].z = place.center.z;
        joint.anchor[side] = quat_rotate_inverse(place.turn, vec3_sub(at[side], place.center));
        joint.frame[side] = quat_multiply(quat_conjugate(place.turn), axes);
    }
    if (is_line(desc->kind) && !(joint.length > 0.0))
        joint.length = vec3_length(vec3_sub(at[1], at[0]));
    joint.size = joint_size(b, &joint);
    return joint;
}

/* ---- all ---- */

static bool keep_joint(RigidBodies *b, RigidJoint *joint, const char *name, int rows) {
    RigidJoints *joints = &b->joints;
    size_t j = joint_count(joints);
    int32_t first = joint->body[0], second = joint->body[1];
    JoinedPair pair = {first < second ? first : second, first < second ? second : first,
                       (int32_t)j};
    if (!array_reserve(b->context, &joints->joints, 1) ||
        !array_reserve(b->context, &joints->joined, 1) ||
        !array_reserve(b->context, &joints->row_count, 1) ||
        !array_reserve(b->context, &joints->first_row, 1) ||
        !array_reserve(b->context, &joints->rows, (size_t)rows) ||
        !array_reserve(b->context, &joints->tallies, (size_t)rows))
        return false;
    joint->name = context_copy_text(b->context, name);
    if (!joint->name) return false;
    if (index_table_insert(b->context, &joints->by_name, hash_text(HASH_START, name), j) !=
            PLIM_OK ||
        state_resize(b->context, rigid_class.schema, b, RIGID_GROUP_JOINTS, j + 1) != PLIM_OK) {
        context_free_text(b->context, joint->name);
        return false;
    }
    joints->joints.data[joints->joints.count++] = *joint;
    joints->row_count.data[joints->row_count.count++] = (int8_t)rows;
    joints->first_row.data[joints->first_row.count++] = joints->rows.count;
    for (int i = 0; i < rows; i++) {
        joints->rows.data[joints->rows.count++] = (JointRow){0};
        joints->tallies.data[joints->tallies.count++] = (JointTally){0};
    }
    if (!joint->collides && pair.a != JOINT_WORLD)
        joints->joined.data[joints->joined.count++] = pair;
    joints->is_laid_out = joints->is_assembled = false;
    return true;
}

PlimStatus rigid_joint_add(RigidBodies *b, const PlimJointDesc *desc, size_t *id) {
    TRY(check_name(b, desc));
    TRY(check_bodies(b, desc));
    TRY(check_numbers(b, desc));
    TRY(check_actions(b, desc));
    if (b->options.plane) TRY(joint_check_plane(b, desc, axis_of(b, desc)));
    RigidJoint joint = place_joint(b, desc);
    TRY(check_anchors(b, &joint, desc->name));
    TRY(check_start(b, &joint, desc->name));
    if (is_line(joint.kind) && !(joint.length > 0.0))
        return context_fail(b->context, PLIM_BAD_INPUT,
                            "joint '%s': its two ends are at one place and it has no length; give "
                            "'at' and 'to', or a length",
                            desc->name);
    JointRow rows[JOINT_MOST_ROWS];
    BodyPlace place[2];
    joint_places(b, &joint, place);
    int count = joint_find_all_rows(&joint, place, b->options.plane, 0.0, NULL, rows);
    *id = joint_count(&b->joints);
    return keep_joint(b, &joint, desc->name, count) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

size_t rigid_joint_find(const RigidBodies *b, const char *name) {
    size_t cursor = 0, index;
    uint64_t hash = hash_text(HASH_START, name);
    while ((index = index_table_next(&b->joints.by_name, hash, &cursor)) != INDEX_NONE)
        if (strcmp(b->joints.joints.data[index].name, name) == 0) return index;
    return INDEX_NONE;
}

void rigid_joints_free(PlimContext *context, RigidJoints *joints) {
    for (size_t j = 0; j < joint_count(joints); j++)
        context_free_text(context, joints->joints.data[j].name);
    for (size_t g = 0; g < joints->groups.count; g++) {
        block_ldl_free(&joints->groups.data[g].factor);
        array_free(context, &joints->groups.data[g].couplings);
    }
    index_table_free(context, &joints->by_name);
    array_free(context, &joints->joints);
    array_free(context, &joints->joined);
    array_free(context, &joints->rows);
    array_free(context, &joints->tallies);
    array_free(context, &joints->first_row);
    array_free(context, &joints->row_count);
    array_free(context, &joints->bodies);
    array_free(context, &joints->list);
    array_free(context, &joints->members);
    array_free(context, &joints->group_of);
    array_free(context, &joints->groups);
    array_free(context, &joints->vector);
    array_free(context, &joints->kept);
    array_free(context, &joints->actions);
    array_free(context, &joints->held);
    array_free(context, &joints->held_bodies);
    array_free(context, &joints->held_response);
}
