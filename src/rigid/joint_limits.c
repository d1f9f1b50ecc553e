/* Limits and ropes of figures that touch others. They are one-sided, but impulses between bodies
 * see them held or free (joint_contact.c): which, a trial finds of what contact is about to ask. In
 * collisions that is what stops bodies that approach, in contact what points carried in the last
 * step, beside what limits hold already. */
#include "rigid/contact_stages.h"

static bool is_limited(const RigidJoint *joint) {
    return joint->has_limits || joint->has_twist || joint->swing > 0.0 ||
           joint->kind == PLIM_JOINT_ROPE;
}

bool joints_mind_time(const RigidBodies *b) {
    bool any = false;
    for (size_t j = 0; j < joint_count(&b->joints) && !any; j++) {
        const RigidJoint *joint = &b->joints.joints.data[j];
        bool is_bounded = joint->drive != PLIM_DRIVE_NONE && joint->most < HUGE_VAL;
        any = (is_limited(joint) || is_bounded) && !b->joint_broken[j];
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

/* Limits begin as they hold already, or free. */
static void begin_limits(RigidBodies *b, const JointGroup *group, bool as_held) {
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)b->joints.list.data[group->first_joint + k];
        JointRow *rows = joint_rows(&b->joints, j);
        for (int i = 0; i < b->joints.row_count.data[j]; i++) {
            if (rows[i].kind != JOINT_ROW_LIMIT) continue;
            rows[i].low = 0.0;
            rows[i].impulse = as_held ? rows[i].before : 0.0;
            rows[i].is_on = rows[i].impulse > 0.0;
        }
    }
}

void joints_try_limits(RigidBodies *b, double time) {
    RigidJoints *joints = &b->joints;
    ask(b, time);
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->is_asleep) continue;
        joint_group_find_held(b, group);
        begin_limits(b, group, time > 0.0);
        joint_group_stop(b, group, joint_group_closed(joints, group));
        joint_group_forget(joints, group);
    }
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
