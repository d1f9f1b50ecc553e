/* Joints at the start of a run: closed in place, with velocities that they allow, and the forces
 * that they carry before the first step. */
#include "rigid/bodies.h"

static PlimStatus cannot_close(const RigidBodies *b, size_t j, double gap) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    return context_fail(b->context, PLIM_BAD_INPUT,
                        "joint '%s' cannot close: with the other joints of its bodies it stays "
                        "open by %.3g m; move 'at', or change a length",
                        joint->name, gap);
}

/* A length that is not that of the start is no mistake where bodies are to be pulled together, but
 * may be one. */
static void tell_length(const RigidBodies *b, size_t j) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    BodyPlace place[2];
    if (joint->kind != PLIM_JOINT_DISTANCE && joint->kind != PLIM_JOINT_ROPE) return;
    joint_places(b, joint, place);
    double apart = joint_slide(joint, place), gap = apart - joint->length;
    if (joint->kind == PLIM_JOINT_ROPE) gap = fmax(gap, 0.0);
    if (fabs(gap) <= 1e-6 * joint->length) return;
    context_log(
        b->context, PLIM_LOG_WARNING,
        "joint '%s' has the length %g m, and at the start its ends are %g m apart; its bodies "
        "are moved by the %.3g m between; leave 'length' out, or put them there",
        joint->name, joint->length, apart, fabs(gap));
}

static PlimStatus close_at_start(RigidBodies *b, JointGroup *group) {
    size_t widest = 0;
    double gap = joint_group_close_here(b, group, &widest);
    if (gap > 1e-6 * b->joints.joints.data[widest].size) return cannot_close(b, widest, gap);
    for (size_t k = 0; k < group->joint_count; k++)
        tell_length(b, (size_t)b->joints.list.data[group->first_joint + k]);
    joint_group_store_places(b, group);
    return PLIM_OK;
}

/* Velocities that joints do not allow at the start lose what is too much. */
static void stop_at_start(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    double worst = 0.0, fastest = 0.0;
    joint_group_find_rows(b, group, false);
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        const JointBody *body[2] = {joint_body(joints, joint->body[0]),
                                    joint_body(joints, joint->body[1])};
        const JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++)
            if (rows[i].is_on)
                worst = fmax(worst, fabs(joint_row_speed(&rows[i], body[0], body[1])));
        for (int side = 0; side < 2; side++)
            fastest = fmax(fastest, vec3_length(body[side]->velocity) +
                                        joint->size * vec3_length(body[side]->spin));
    }
    if (!(worst > 1e-9 * fastest)) return;
    const RigidJoint *first = &joints->joints.data[joints->list.data[group->first_joint]];
    context_log(b->context, PLIM_LOG_WARNING,
                "the velocities at the start open joints ('%s' or others of its bodies) at %.3g "
                "m/s; the bodies start with the part that their joints allow",
                first->name, worst);
    joint_group_stop(b, group, 0.0);
    joint_group_store(b, group, false);
}

/* s, in which nothing turns by much: joints carry over it what they do before the first step. */
static const double first_time = 1e-4;

/* Partners on paths are where they will be after that time. */
static PlimStatus lead_partners(RigidBodies *b, const StepInfo *step) {
    StepInfo ahead = *step;
    ahead.dt = first_time;
    ahead.end_time = step->time + first_time;
    for (size_t i = 0; i < rigid_count(b); i++) {
        bool is_partner = b->joints.group_of.data[i + 1] == JOINT_GROUP_PARTNER;
        if (is_partner && b->motion[i] == PLIM_KINEMATIC)
            TRY(joint_load_path(b, i, &ahead, joint_body(&b->joints, (int32_t)i)));
    }
    return PLIM_OK;
}

static void find_first_forces(RigidBodies *b, JointGroup *group, const StepInfo *step) {
    const double dt = first_time;
    RigidJoints *joints = &b->joints;
    for (size_t m = 0; m < group->body_count; m++) {
        JointBody *body = joint_body(joints, joints->members.data[group->first_body + m]);
        body->velocity = vec3_add_scaled(body->velocity, 0.5 * dt, step->gravity);
    }
    joint_group_close_ahead(b, group, dt, JOINT_AIM_FOLLOW);
    joint_group_report(b, group, 0.5 * dt, false);
}

PlimStatus joints_assemble(RigidBodies *b, const StepInfo *step) {
    RigidJoints *joints = &b->joints;
    if (joint_count(joints) == 0) return PLIM_OK;
    TRY(joints_lay_out(b));
    if (joints->is_assembled || step->time > 0.0) return PLIM_OK;
    TRY(joints_load(b, step, false));
    for (size_t g = 0; g < joints->groups.count; g++)
        TRY(close_at_start(b, &joints->groups.data[g]));
    TRY(joints_load(b, step, false));
    for (size_t g = 0; g < joints->groups.count; g++) stop_at_start(b, &joints->groups.data[g]);
    TRY(joints_load(b, step, false));
    TRY(lead_partners(b, step));
    for (size_t g = 0; g < joints->groups.count; g++)
        find_first_forces(b, &joints->groups.data[g], step);
    joints_finish(b, false);
    joints->is_assembled = true;
    return PLIM_OK;
}
