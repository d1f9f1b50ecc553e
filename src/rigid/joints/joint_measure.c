/* Joints: what they do, for probes and stats.csv, and the step that they can be followed with. */
#include "rigid/contact/contact_stages.h"

BodyPlace rigid_place_of(const RigidBodies *b, size_t body) {
    if (body >= rigid_count(b)) return (BodyPlace){{0, 0, 0}, {1, 0, 0, 0}};
    return (BodyPlace){vec3_load(b->position + 3 * body), quat_load(b->orientation + 4 * body)};
}

void joint_places(const RigidBodies *b, const RigidJoint *joint, BodyPlace place[2]) {
    for (int side = 0; side < 2; side++) place[side] = rigid_place_of(b, (size_t)joint->body[side]);
}

static void velocity_of(const RigidBodies *b, size_t body, Vec3 *velocity, Vec3 *spin) {
    *velocity = *spin = vec3(0, 0, 0);
    if (body >= rigid_count(b)) return;
    *velocity = vec3_load(b->velocity + 3 * body);
    *spin = vec3_load(b->angular_velocity + 3 * body);
}

double joint_speed(const RigidBodies *b, size_t j) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    BodyPlace place[2];
    Vec3 velocity[2], spin[2], at[2];
    joint_places(b, joint, place);
    for (int side = 0; side < 2; side++) {
        velocity_of(b, (size_t)joint->body[side], &velocity[side], &spin[side]);
        Vec3 arm = vec3_sub(joint_point(joint, place, side), place[side].center);
        at[side] = vec3_add(velocity[side], vec3_cross(spin[side], arm));
    }
    Vec3 axis = joint_axis(joint, &place[0]);
    if (joint->kind == PLIM_JOINT_SLIDER || joint->kind == PLIM_JOINT_PLANE)
        return vec3_dot(axis, vec3_sub(at[1], at[0]));
    if (joint->kind == PLIM_JOINT_DISTANCE || joint->kind == PLIM_JOINT_ROPE) {
        Vec3 apart = vec3_sub(joint_point(joint, place, 1), joint_point(joint, place, 0));
        return vec3_dot(vec3_normalize(apart), vec3_sub(at[1], at[0]));
    }
    return vec3_dot(axis, vec3_sub(spin[1], spin[0]));
}

void joint_read_state(const RigidBodies *b, size_t j, PlimJointState *state) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    BodyPlace place[2];
    joint_places(b, joint, place);
    *state = (PlimJointState){.angle = b->joint_turned[j],
                              .speed = joint_speed(b, j),
                              .slide = joint_slide(joint, place),
                              .motor_torque = b->joint_drive[j],
                              .gap = joint_gap(joint, place, b->options.plane),
                              .broken = b->joint_broken[j]};
    vec3_store(state->force, vec3_load(b->joint_force + 3 * j));
    vec3_store(state->torque, vec3_load(b->joint_torque + 3 * j));
}

void joints_diagnose(const RigidBodies *b, Diagnostics *diagnostics) {
    const JointFigures *figures = &b->joints.figures;
    if (joint_count(&b->joints) == 0) return;
    for (size_t j = 0; j < joint_count(&b->joints); j++)
        if (b->joints.joints.data[j].stiffness > 0.0)
            diagnostics_add(diagnostics, "energy.elastic", joint_spring_energy(b, j));
    diagnostics_add(diagnostics, "joints.gap.max", figures->gap);
    diagnostics_add(diagnostics, "joints.limits", (double)figures->limits);
    diagnostics_add(diagnostics, "joints.broken", (double)figures->broken);
    diagnostics_add(diagnostics, "solve.joints.iterations", (double)figures->iterations);
    diagnostics_add(diagnostics, "solve.joints.dropped", (double)figures->dropped);
}

/* ---- the longest step ---- */

/* Both solves are explicit across a taut joint: a body that is pulled apart swings about its pulls,
 * and that is stable for w dt below 2 as long as the pulls stay the same. A straight chain of 0.2 m
 * links under 1000 times a link's mass holds to rounding at 1.5 and broke at 1.9, but 100 kg under
 * five links of 0.1 kg that swing broke at 1.5: pulls change in a swing. So it is 1. */
/* Velocity that an impulse at an arm of a body makes there, 1/kg (000 section 2.6). */
static Mat3 point_response(const RigidBodies *b, size_t i, Vec3 arm) {
    if (i >= rigid_count(b) || !rigid_is_dynamic(b, i)) return mat3_diagonal(0, 0, 0);
    Quat turn = quat_load(b->orientation + 4 * i);
    Mat3 inverse = mat3_load(b->inverse_inertia + 9 * i);
    Vec3 columns[3];
    for (int axis = 0; axis < 3; axis++) {
        Vec3 moment = quat_rotate_inverse(turn, vec3_cross(arm, vec3_axis(axis)));
        Vec3 spin = quat_rotate(turn, mat3_apply(inverse, moment));
        columns[axis] = vec3_add_scaled(vec3_cross(spin, arm), 1.0 / b->mass[i], vec3_axis(axis));
    }
    return mat3_from_columns(columns[0], columns[1], columns[2]);
}

/* Across a taut rope of length L that pulls with f its ends are held with the stiffness f/L: w^2 is
 * that times what a push across it does to them, 1/s^2. */
static double rope_swing(const RigidBodies *b, const RigidJoint *joint, const BodyPlace place[2],
                         Vec3 pull) {
    Vec3 ends[2], arms[2];
    for (int side = 0; side < 2; side++) {
        ends[side] = joint_point(joint, place, side);
        arms[side] = vec3_sub(ends[side], place[side].center);
    }
    Vec3 apart = vec3_sub(ends[1], ends[0]);
    double length = vec3_length(apart), tension = -vec3_dot(pull, apart) / length;
    if (!(length > 0.0) || !(tension > 0.0)) return 0.0;
    Mat3 response = mat3_add(point_response(b, (size_t)joint->body[0], arms[0]),
                             point_response(b, (size_t)joint->body[1], arms[1]));
    return tension / length * response_across(response, vec3_scale(1.0 / length, apart));
}

double joints_max_dt(const RigidBodies *b, const StepInfo *step) {
    const double most_turn = 1.0;
    const RigidJoints *joints = &b->joints;
    double longest = HUGE_VAL;
    if (joint_count(joints) == 0) return longest;
    size_t mark = scratch_mark(step->scratch), count = rigid_count(b);
    Mat3 *stiffness = scratch_take(step->scratch, count, sizeof *stiffness);
    if (!stiffness) return longest; /* the step itself will say so */
    for (size_t i = 0; i < count; i++) stiffness[i] = mat3_diagonal(0, 0, 0);
    for (size_t j = 0; j < joint_count(joints); j++) {
        const RigidJoint *joint = &joints->joints.data[j];
        BodyPlace place[2];
        joint_places(b, joint, place);
        bool has_length = joint->kind == PLIM_JOINT_DISTANCE || joint->kind == PLIM_JOINT_ROPE;
        if (has_length && !b->joint_broken[j]) {
            double swing = rope_swing(b, joint, place, vec3_load(b->joint_pull + 3 * j));
            if (swing > 0.0) longest = fmin(longest, most_turn / sqrt(swing));
        }
        for (int side = 0; side < 2 && !b->joint_broken[j]; side++) {
            size_t i = (size_t)joint->body[side];
            if (!rigid_is_dynamic(b, i) || b->asleep[i]) continue;
            Vec3 arm = vec3_sub(joint_point(joint, place, side), place[side].center);
            Vec3 force = vec3_scale(side ? 1.0 : -1.0, vec3_load(b->joint_pull + 3 * j));
            load_add_stiffness(&stiffness[i], arm, force);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!(mat3_trace(stiffness[i]) > 0.0)) continue;
        double swing = load_greatest_swing(b, i, stiffness[i]);
        if (swing > 0.0) longest = fmin(longest, most_turn / sqrt(swing));
    }
    scratch_release(step->scratch, mark);
    return longest;
}

/* ---- probes ---- */

static size_t joint_of(const void *system, size_t object) {
    return object - rigid_count(system);
}

bool rigid_object_is_body(const void *system, size_t object) {
    return object < rigid_count(system);
}

bool rigid_object_is_joint(const void *system, size_t object) {
    return object >= rigid_count(system);
}

void joint_probe_angle(const void *system, size_t object, double *values) {
    values[0] = ((const RigidBodies *)system)->joint_turned[joint_of(system, object)];
}

void joint_probe_speed(const void *system, size_t object, double *values) {
    values[0] = joint_speed(system, joint_of(system, object));
}

static PlimJointState state_of(const void *system, size_t object) {
    PlimJointState state;
    joint_read_state(system, joint_of(system, object), &state);
    return state;
}

void joint_probe_slide(const void *system, size_t object, double *values) {
    values[0] = state_of(system, object).slide;
}

void joint_probe_motor_torque(const void *system, size_t object, double *values) {
    values[0] = state_of(system, object).motor_torque;
}

void joint_probe_power(const void *system, size_t object, double *values) {
    PlimJointState state = state_of(system, object);
    values[0] = state.motor_torque * state.speed;
}

void joint_probe_gap(const void *system, size_t object, double *values) {
    values[0] = state_of(system, object).gap;
}

void joint_probe_force(const void *system, size_t object, double *values) {
    PlimJointState state = state_of(system, object);
    for (int i = 0; i < 3; i++) values[i] = state.force[i];
}

void joint_probe_torque(const void *system, size_t object, double *values) {
    PlimJointState state = state_of(system, object);
    for (int i = 0; i < 3; i++) values[i] = state.torque[i];
}
