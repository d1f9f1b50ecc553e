/* Limits and ropes of figures that touch others. They are one-sided, but impulses between bodies
 * see them held or free (joint_contact.c): which, a trial finds of what contact is about to ask. In
 * collisions that is what stops bodies that approach, in contact what points carried in the last
 * step, beside what limits hold already. */
#include "rigid/contact/contact_stages.h"

static bool is_limited(const RigidJoint *joint) {
    return joint->has_limits || joint->has_twist || joint->swing > 0.0 ||
           joint->kind == PLIM_JOINT_ROPE;
}

bool joints_mind_time(const RigidBodies *b) {
    bool any = false;
    for (size_t j = 0; j < joint_count(&b->joints) && !any; j++) {
        const RigidJoint *joint = &b->joints.joints.data[j];
        bool is_bounded = joint->drive != PLIM_DRIVE_NONE && joint->most < HUGE_VAL;
        bool springs = joint->stiffness > 0.0 || joint->damping > 0.0;
        any = (is_limited(joint) || is_bounded || springs) && !b->joint_broken[j];
    }
    return any;
}

/* N s, on the first of the pair. */
static Vec3 asked_impulse(const RigidBodies *b, const ContactPair *pair, const ContactRow *row,
                          double time) {
    if (time > 0.0) return vec3_scale(time, row->guess);
    const SolverBody *bodies = b->contacts.solver_bodies.data;
    double speed = vec3_dot(row_velocity(row, &bodies[pair->a], &bodies[pair->b]), row->normal);
    return vec3_scale(fmax(-speed, 0.0) / row->normal_response, row->normal);
}

static void ask(RigidBodies *b, double time) {
    const RigidContacts *contacts = &b->contacts;
    joints_rest(b);
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        for (int32_t k = 0; k < pair->rows; k++) {
            const ContactRow *row = &contacts->rows.data[pair->first + k];
            joints_add_contact(b, pair, row, asked_impulse(b, pair, row, time), vec3(0, 0, 0));
        }
    }
}

/* Limits begin as they hold already, or free; those that contact would pass in its time are closed.
 */
static void begin_limits(RigidBodies *b, const JointGroup *group, double time) {
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)b->joints.list.data[group->first_joint + k];
        JointRow *rows = joint_rows(&b->joints, j);
        for (int i = 0; i < b->joints.row_count.data[j]; i++) {
            if (rows[i].kind != JOINT_ROW_LIMIT) continue;
            rows[i].low = 0.0;
            rows[i].reach = time;
            rows[i].impulse = time > 0.0 ? rows[i].before : 0.0;
            rows[i].is_on = rows[i].impulse > 0.0;
        }
    }
}

/* Notes which limits of a group hold; whether that is news. */
static bool note_limits(RigidBodies *b, const JointGroup *group) {
    bool is_news = false;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)b->joints.list.data[group->first_joint + k];
        const JointRow *rows = joint_rows(&b->joints, j);
        uint32_t now = 0;
        for (int i = 0; i < b->joints.row_count.data[j]; i++)
            if (rows[i].kind == JOINT_ROW_LIMIT && rows[i].is_on) now |= 1u << i;
        is_news |= now != b->joints.actions.data[j].limits;
        b->joints.actions.data[j].limits = now;
    }
    return is_news;
}

static bool try_group(RigidBodies *b, JointGroup *group, double time) {
    joint_group_find_held(b, group);
    begin_limits(b, group, time);
    joint_group_stop(b, group, joint_group_closed(&b->joints, group));
    joint_group_forget(&b->joints, group);
    return note_limits(b, group);
}

void joints_try_limits(RigidBodies *b, double time) {
    RigidJoints *joints = &b->joints;
    ask(b, time);
    for (size_t g = 0; g < joints->groups.count; g++)
        if (!joints->groups.data[g].is_asleep) try_group(b, &joints->groups.data[g], time);
}

/* What points carried is the guess of what they will. */
static void guess_again(RigidContacts *contacts, double time) {
    for (size_t r = 0; r < contacts->rows.count; r++) {
        ContactRow *row = &contacts->rows.data[r];
        row->guess = vec3_scale(1.0 / time, row->carried);
        row->guess_couple = vec3_scale(1.0 / time, row->carried_couple);
    }
}

PlimStatus joints_judge_limits(RigidBodies *b, const StepInfo *step, double time, bool *stands) {
    RigidJoints *joints = &b->joints;
    *stands = true;
    if (joints->held.count == 0 || !joints_mind_time(b)) return PLIM_OK;
    guess_again(&b->contacts, time);
    TRY(joints_load(b, step, false));
    ask(b, time);
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->held >= 0 && try_group(b, group, time)) *stands = false;
    }
    return PLIM_OK;
}

/* A drive holds its speed in a blow that it can stop within the step. Else it is free in it, and
 * gives all it has afterwards, until it is back at its speed. */
static bool judge_drives(RigidBodies *b, const JointGroup *group, double dt) {
    bool any = false;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)b->joints.list.data[group->first_joint + k];
        const JointRow *rows = joint_rows(&b->joints, j);
        for (int i = 0; i < b->joints.row_count.data[j]; i++) {
            double most = b->joints.joints.data[j].most * dt / rows[i].scale;
            if (rows[i].kind != JOINT_ROW_DRIVE || fabs(rows[i].impulse) <= most) continue;
            b->joints.actions.data[j].gives_way = any = true;
            b->joint_yields[j] = rows[i].impulse > 0.0 ? 2 : -2;
        }
    }
    return any;
}

bool joints_give_way(RigidBodies *b, double dt) {
    RigidJoints *joints = &b->joints;
    bool any = false;
    ask(b, 0.0);
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->held < 0) continue;
        joint_group_find_held(b, group);
        joint_group_stop(b, group, -HUGE_VAL);
        any |= judge_drives(b, group, dt);
        joint_group_forget(joints, group);
    }
    return any;
}
