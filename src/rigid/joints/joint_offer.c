/* Rows of joints in coupled solves (002 sections 5.8, 5.10): constraints among the velocities of
 * the structure, at the speeds that velocities on offer have. */
#include "rigid/bodies.h"

/* After a solve: which rows are on and not dropped. */
void joint_group_note_rows(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    if (!group->is_factored) joint_group_factor(b, group);
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        size_t at = block_ldl_row(&group->factor, k);
        const JointRow *rows = joint_rows(joints, j);
        JointAction *action = &joints->actions.data[j];
        action->holds = action->independent = 0;
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (!rows[i].is_on || rows[i].kind == JOINT_ROW_SPRING) continue;
            action->holds |= 1u << i;
            if (block_ldl_has_row(&group->factor, at + (size_t)i)) action->independent |= 1u << i;
        }
    }
}

/* `goal` NULL: the speed that the velocities on offer have. */
static void offer_row(const RigidJoint *joint, const JointRow *row, const double *goal,
                      SystemDofs *dofs) {
    double target = 0.0;
    for (int side = 0; side < 2; side++) {
        double values[6], sign = side ? 1.0 : -1.0;
        if (joint->body[side] == JOINT_WORLD) continue;
        size_t first = 6 * (size_t)joint->body[side];
        vec3_store(values, vec3_scale(sign, row->along));
        vec3_store(values + 3, vec3_scale(sign, row->turn[side]));
        for (size_t c = 0; c < 6; c++) {
            dof_rows_add(&dofs->rows, first + c, values[c]);
            target += values[c] * dofs->velocity.data[first + c];
        }
    }
    dof_rows_end(&dofs->rows, goal ? *goal : target);
}

/* What a row that is off is to give beside what the velocities on offer have of it. */
static void offer_impulse(const RigidBodies *b, const RigidJoint *joint, const JointRow *row,
                          double asked, SystemDofs *dofs) {
    for (int side = 0; side < 2; side++) {
        double sign = (side ? 1.0 : -1.0) * asked;
        if (!rigid_is_dynamic(b, (size_t)joint->body[side])) continue;
        double *to = dofs->impulse.data + 6 * (size_t)joint->body[side];
        vec3_store(to, vec3_add_scaled(vec3_load(to), sign, row->along));
        vec3_store(to + 3, vec3_add_scaled(vec3_load(to + 3), sign, row->turn[side]));
    }
}

void joints_offer(const RigidBodies *b, SystemDofs *dofs) {
    const RigidJoints *joints = &b->joints;
    for (size_t j = 0; j < joint_count(joints); j++) {
        const RigidJoint *joint = &joints->joints.data[j];
        JointRow rows[JOINT_MOST_ROWS];
        BodyPlace place[2];
        if (joints->actions.count <= j || b->joint_broken[j]) continue;
        const JointAction *action = &joints->actions.data[j];
        if (action->independent == 0 && !action->is_judged) continue;
        size_t first = joints->first_row.data[j];
        const JointTally *tallies = joints->tallies.data + first;
        joint_places(b, joint, place);
        int count = joint_find_all_rows(joint, place, b->options.plane, b->joint_turned[j],
                                        joints->rows.data + first, rows);
        for (int i = 0; i < count; i++) {
            if (action->independent >> i & 1u)
                offer_row(joint, &rows[i], action->is_judged ? &tallies[i].goal : NULL, dofs);
            if (action->is_judged && tallies[i].asked != 0.0)
                offer_impulse(b, joint, &rows[i], tallies[i].asked, dofs);
        }
    }
}
