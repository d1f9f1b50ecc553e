/* Global post-stabilisation (002 appendix C.1): D M^-1 D^T j = -D v, by a sparse factor. It is
 * exact but for rounding, which a second look at D v takes out. */
#include "rigid/bodies.h"

/* Pivots below this part of their entry are those of rows that depend on others: four hinges in a
 * loop hold three motions twice. Links as unlike as 1 to 10^9 are above it. */
static const double least_pivot = 1e-11;

/* ---- rows ---- */

void joint_group_find_rows(RigidBodies *b, JointGroup *group, bool keeps) {
    RigidJoints *joints = &b->joints;
    group->is_factored = false;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        const JointBody *first = joint_body(joints, joint->body[0]);
        const JointBody *second = joint_body(joints, joint->body[1]);
        BodyPlace place[2] = {{first->center, first->turn}, {second->center, second->turn}};
        JointRow *rows = joint_rows(joints, j);
        bool was_on[JOINT_MOST_ROWS];
        double before[JOINT_MOST_ROWS], kept[JOINT_MOST_ROWS];
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            was_on[i] = keeps && rows[i].is_on;
            before[i] = rows[i].before + rows[i].impulse;
            kept[i] = rows[i].kept;
        }
        int count =
            joint_find_all_rows(joint, place, b->options.plane, b->joint_turned[j], NULL, rows);
        for (int i = 0; i < count; i++) {
            rows[i].is_on |= was_on[i] && rows[i].kind != JOINT_ROW_SPRING;
            if (b->joint_broken[j]) rows[i].is_on = false;
            if (rows[i].kind == JOINT_ROW_LIMIT) rows[i].before = before[i];
            if (rows[i].kind == JOINT_ROW_LIMIT) rows[i].kept = kept[i];
            rows[i].give[0] = mat3_apply(first->inverse_inertia, rows[i].turn[0]);
            rows[i].give[1] = mat3_apply(second->inverse_inertia, rows[i].turn[1]);
            rows[i].own = (first->inverse_mass + second->inverse_mass) *
                              vec3_dot(rows[i].along, rows[i].along) +
                          vec3_dot(rows[i].turn[0], rows[i].give[0]) +
                          vec3_dot(rows[i].turn[1], rows[i].give[1]);
        }
    }
}

/* ---- the factor ---- */

static void add_coupling(RigidJoints *joints, JointGroup *group, const JointCoupling *coupling) {
    size_t joint[2];
    for (int i = 0; i < 2; i++)
        joint[i] = (size_t)joints->list.data[group->first_joint + (size_t)coupling->joint[i]];
    const JointRow *first = joint_rows(joints, joint[0]), *second = joint_rows(joints, joint[1]);
    int rows = joints->row_count.data[joint[0]], columns = joints->row_count.data[joint[1]];
    double inverse_mass = joint_body(joints, coupling->body)->inverse_mass;
    int side[2] = {coupling->side[0], coupling->side[1]};
    double sign = side[0] == side[1] ? 1.0 : -1.0;
    double *to = group->factor.value.data + coupling->place.value;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            if (!first[r].is_on || !second[c].is_on) continue;
            double give = inverse_mass * vec3_dot(first[r].along, second[c].along) +
                          vec3_dot(first[r].turn[side[0]], second[c].give[side[1]]);
            to[coupling->place.is_swapped ? c * rows + r : r * columns + c] += sign * give;
        }
}

/* Soft rows give way by themselves. */
static void add_compliance(RigidJoints *joints, JointGroup *group, size_t k) {
    size_t j = (size_t)joints->list.data[group->first_joint + k];
    const JointRow *rows = joint_rows(joints, j);
    int count = joints->row_count.data[j];
    double *to = group->factor.value.data + block_ldl_find(&group->factor, k, k).value;
    for (int i = 0; i < count; i++)
        if (rows[i].is_on) to[i * count + i] += rows[i].compliance;
}

void joint_group_factor(RigidBodies *b, JointGroup *group) {
    block_ldl_clear(&group->factor);
    for (size_t c = 0; c < group->couplings.count; c++)
        add_coupling(&b->joints, group, &group->couplings.data[c]);
    for (size_t k = 0; k < group->joint_count; k++) add_compliance(&b->joints, group, k);
    group->figures.dropped = block_ldl_factor(&group->factor, least_pivot);
    group->is_factored = true;
}

/* ---- impulses ---- */

static void push_body(JointBody *body, double sign, const JointRow *row, int side, double impulse) {
    body->push[0] = vec3_add_scaled(body->push[0], sign * impulse, row->along);
    body->push[1] = vec3_add_scaled(body->push[1], sign * impulse, row->turn[side]);
}

/* What the pushes are to velocities. */
static void take_pushes(RigidJoints *joints, const JointGroup *group) {
    for (size_t m = 0; m < group->body_count; m++) {
        JointBody *body = joint_body(joints, joints->members.data[group->first_body + m]);
        if (body->inverse_mass == 0.0) continue; /* its motion is given */
        body->velocity = vec3_add_scaled(body->velocity, body->inverse_mass, body->push[0]);
        body->momentum = vec3_add(body->momentum, body->push[1]);
        body->spin = mat3_apply(body->inverse_inertia, body->momentum);
        for (int i = 0; i < 2; i++) body->kept[i] = vec3_add(body->kept[i], body->push[i]);
    }
}

void joint_group_spread(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    const double *x = joints->vector.data + group->first_row;
    for (size_t m = 0; m < group->body_count; m++) {
        JointBody *body = joint_body(joints, joints->members.data[group->first_body + m]);
        body->push[0] = body->push[1] = vec3(0, 0, 0);
    }
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        const double *impulse = x + block_ldl_row(&group->factor, k);
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (impulse[i] == 0.0) continue;
            rows[i].impulse += impulse[i];
            for (int side = 0; side < 2; side++) {
                JointBody *body = joint_body(joints, joint->body[side]);
                if (body->inverse_mass > 0.0)
                    push_body(body, side ? 1.0 : -1.0, &rows[i], side, impulse[i]);
            }
        }
    }
}

void joint_group_push(RigidBodies *b, JointGroup *group) {
    block_ldl_solve(&group->factor, b->joints.vector.data + group->first_row);
    joint_group_spread(b, group);
    take_pushes(&b->joints, group);
}

/* Takes from a row what it may not have; how much. */
static double excess_of(JointRow *row) {
    if (!row->is_on) return 0.0;
    if (row->kind == JOINT_ROW_LIMIT) return fmin(row->impulse - row->low, 0.0);
    if (row->kind != JOINT_ROW_DRIVE) return 0.0;
    if (row->impulse > row->high) return row->impulse - row->high;
    return fmin(row->impulse - row->low, 0.0);
}

void joint_group_give(RigidBodies *b, JointGroup *group) {
    joint_group_spread(b, group);
    take_pushes(&b->joints, group);
}

bool joint_group_release(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    bool any = false;
    for (size_t r = 0; r < group->factor.row_count; r++) x[r] = 0.0;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            double excess = excess_of(&rows[i]);
            if (excess == 0.0) continue;
            x[block_ldl_row(&group->factor, k) + (size_t)i] = -excess;
            rows[i].is_on = false;
            rows[i].clamped = rows[i].kind == JOINT_ROW_DRIVE ? (excess > 0.0 ? 1 : -1) : 0;
            rows[i].switched++;
            any = true;
        }
    }
    if (!any) return false;
    joint_group_spread(b, group);
    take_pushes(joints, group);
    return true;
}

/* Whether a row that is off is to hold again: a limit that is passed, a drive at its bound that
 * wants less than that; `lacks` is the speed that the row lacks. */
bool joint_row_holds_again(const JointRow *row, bool is_passed, double lacks) {
    if (row->is_on || row->switched >= JOINT_MOST_SWITCHES) return false;
    if (row->kind == JOINT_ROW_LIMIT) return is_passed;
    return row->kind == JOINT_ROW_DRIVE && row->clamped * lacks < 0.0;
}

void joint_group_forget(RigidJoints *joints, const JointGroup *group) {
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) rows[i].impulse = 0.0;
    }
}

/* ---- velocities ---- */

double joint_group_closed(const RigidJoints *joints, const JointGroup *group) {
    double size = 0.0;
    for (size_t k = 0; k < group->joint_count; k++)
        size = fmax(size, joints->joints.data[joints->list.data[group->first_joint + k]].size);
    return 1e-9 * size;
}

/* Of the greatest speed: limits that close no faster do so by rounding. A rope beside a floor with
 * friction would share a load with it that nobody puts on it. */
static const double least_closing = 1e-10;

/* The speed that rows lack, as what is wanted of them; the greatest. Limits that are closed and
 * close further are put on; *changed then. */
static double want_rest(RigidBodies *b, JointGroup *group, double closed, double fastest,
                        bool *changed) {
    RigidJoints *joints = &b->joints;
    double worst = 0.0, *x = joints->vector.data + group->first_row;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        size_t at = block_ldl_row(&group->factor, k);
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            double speed = joint_row_speed(&rows[i], joint_body(joints, joint->body[0]),
                                           joint_body(joints, joint->body[1]));
            double lacks = rows[i].target - speed;
            lacks -= rows[i].compliance * rows[i].impulse;
            bool is_near = rows[i].error <= closed || rows[i].error + rows[i].reach * speed < 0.0;
            bool is_passed = is_near && speed < -least_closing * fastest;
            if (!b->joint_broken[j] && joint_row_holds_again(&rows[i], is_passed, lacks)) {
                rows[i].is_on = *changed = true;
                rows[i].clamped = 0;
            }
            x[at + (size_t)i] = rows[i].is_on ? lacks : 0.0;
            if (rows[i].is_on && (*changed || block_ldl_has_row(&group->factor, at + (size_t)i)))
                worst = fmax(worst, fabs(lacks));
        }
    }
    return worst;
}

static double greatest_speed(const RigidJoints *joints, const JointGroup *group) {
    double speed = 0.0;
    for (size_t m = 0; m < group->body_count; m++) {
        const JointBody *body = joint_body(joints, joints->members.data[group->first_body + m]);
        speed = fmax(speed, vec3_length(body->velocity));
    }
    return speed;
}

/* A drive whose row depends on others, as that of a motor that presses its own limit, never reaches
 * its speed: it gives all it has. */
static bool press_on(RigidBodies *b, JointGroup *group, double fastest) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    bool any = false;
    for (size_t r = 0; r < group->factor.row_count; r++) x[r] = 0.0;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        size_t at = block_ldl_row(&group->factor, k);
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (rows[i].kind != JOINT_ROW_DRIVE || !rows[i].is_on || !isfinite(rows[i].high) ||
                block_ldl_has_row(&group->factor, at + (size_t)i))
                continue;
            double speed = joint_row_speed(&rows[i], joint_body(joints, joint->body[0]),
                                           joint_body(joints, joint->body[1]));
            double lacks = rows[i].target - speed;
            if (fabs(lacks) <= 1e-9 * (fabs(rows[i].target) + fastest)) continue;
            x[at + (size_t)i] = (lacks > 0.0 ? rows[i].high : rows[i].low) - rows[i].impulse;
            rows[i].is_on = false;
            rows[i].clamped = lacks > 0.0 ? 1 : -1;
            rows[i].switched++;
            any = true;
        }
    }
    if (any) joint_group_give(b, group);
    return any;
}

void joint_group_stop(RigidBodies *b, JointGroup *group, double closed) {
    enum { MOST_ROUNDS = 12 };
    RigidJoints *joints = &b->joints;
    double fastest = greatest_speed(joints, group), last = HUGE_VAL, least = 4e-16 * fastest;
    bool changed = true;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double worst = want_rest(b, group, closed, fastest, &changed);
        if (changed) {
            joint_group_factor(b, group);
            last = HUGE_VAL;
            changed = false;
        }
        if (worst <= least || !(worst < 0.5 * last)) {
            if (!joint_group_release(b, group) && !press_on(b, group, fastest)) break;
            changed = true;
            continue;
        }
        last = worst;
        joint_group_push(b, group);
    }
}
