/* Global pre-stabilisation (002 appendix C.2): the impulses at x^n whose velocity closes the joints
 * at x^{n+1}, by Newton's method on the true orientation update. The matrix is that of x^n, so that
 * the impulses are those of RATTLE and kinetic energy is not drained. */
#include "rigid/bodies.h"

#include <float.h>

enum { MOST_ITERATIONS = 40 };

/* ---- where bodies will be ---- */

static void look_ahead(RigidBodies *b, JointGroup *group, double dt) {
    RigidJoints *joints = &b->joints;
    for (size_t m = 0; m < group->body_count; m++) {
        size_t i = (size_t)joints->members.data[group->first_body + m];
        JointBody *body = joint_body(joints, (int32_t)i);
        body->next_center = vec3_add_scaled(body->center, dt, body->velocity);
        body->next_turn = rigid_turned(b, i, body->turn, body->momentum, dt);
    }
}

/* m: what rounding leaves of places, and of a joint of this size. */
static double closed_gap(const RigidJoint *joint, const BodyPlace place[2]) {
    double far = 0.0;
    for (int side = 0; side < 2; side++) far = fmax(far, vec3_length(place[side].center));
    return 1e-12 * joint->size + 4.0 * DBL_EPSILON * far;
}

/* A limit or rope that free fall would pass may be one that the floor keeps from it, and ropes that
 * take a body's weight at a vanishing angle throw it: it is passed if it is with contact's support,
 * too. */
static bool passes_supported(RigidBodies *b, size_t j, int row, double dt, double allowed) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    JointRow ahead[JOINT_MOST_ROWS], *rows = joint_rows(&b->joints, j);
    JointBody support[2];
    BodyPlace place[2];
    for (int side = 0; side < 2; side++) {
        const JointBody *body = joint_body(&b->joints, joint->body[side]);
        support[side] = (JointBody){.velocity = body->support[0],
                                    .spin = mat3_apply(body->inverse_inertia, body->support[1])};
        place[side] = (BodyPlace){body->next_center, body->next_turn};
        if (body->inverse_mass == 0.0) continue;
        Vec3 velocity = vec3_add(body->velocity, body->support[0]);
        Vec3 momentum = vec3_add(body->momentum, body->support[1]);
        place[side].center = vec3_add_scaled(body->center, dt, velocity);
        place[side].turn = rigid_turned(b, (size_t)joint->body[side], body->turn, momentum, dt);
    }
    joint_find_all_rows(joint, place, b->options.plane, b->joint_turned[j], rows, ahead);
    double error = ahead[row].error;
    if (b->joints.is_start) error -= dt * joint_row_speed(&rows[row], &support[0], &support[1]);
    return error < -allowed;
}

typedef struct Look {
    double worst; /* the greatest error over what is allowed of it */
    bool changed; /* a row was put on */
} Look;

/* Errors at the end of the step; the speeds that take them out go to `vector`. */
static Look find_errors(RigidBodies *b, JointGroup *group, double dt, bool is_factored) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    Look look = {0};
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        JointRow ahead[JOINT_MOST_ROWS], *rows = joint_rows(joints, j);
        BodyPlace place[2];
        for (int side = 0; side < 2; side++) {
            const JointBody *body = joint_body(joints, joint->body[side]);
            place[side] = (BodyPlace){body->next_center, body->next_turn};
        }
        int count =
            joint_find_all_rows(joint, place, b->options.plane, b->joint_turned[j], rows, ahead);
        double allowed = closed_gap(joint, place), most = 0.3 * joint->size;
        size_t at = block_ldl_row(&group->factor, k);
        for (int i = 0; i < count; i++) {
            double error = ahead[i].error, lacks;
            if (rows[i].kind == JOINT_ROW_DRIVE) error -= rows[i].target;
            lacks = -fmin(fmax(error, -most), most) / dt;
            if (rows[i].kind == JOINT_ROW_SPRING)
                lacks = joint_spring_residual(joint, &rows[i], ahead[i].error, dt, &error);
            bool is_passed = error < -allowed;
            if (!b->joint_broken[j] && joint_row_holds_again(&rows[i], is_passed, lacks) &&
                (!is_passed || passes_supported(b, j, i, dt, allowed))) {
                rows[i].is_on = look.changed = true;
                rows[i].clamped = 0;
            }
            x[at + (size_t)i] = rows[i].is_on ? lacks : 0.0;
            if (!rows[i].is_on ||
                (is_factored && !block_ldl_has_row(&group->factor, at + (size_t)i)))
                continue;
            look.worst = fmax(look.worst, fabs(error) / allowed);
        }
    }
    return look;
}

/* The first guess where springs or drives act: as if rows kept their directions. At the ends of a
 * step of a stiff spring bodies are much faster than between them. */
static void guess_ahead(RigidBodies *b, JointGroup *group, double dt) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        const JointRow *rows = joint_rows(joints, j);
        size_t at = block_ldl_row(&group->factor, k);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            double speed = joint_row_speed(&rows[i], joint_body(joints, joint->body[0]),
                                           joint_body(joints, joint->body[1]));
            double ahead = rows[i].error + dt * speed, error;
            double wanted = rows[i].kind == JOINT_ROW_DRIVE ? rows[i].target : 0.0;
            x[at + (size_t)i] = (wanted - ahead) / dt;
            if (rows[i].kind == JOINT_ROW_SPRING)
                x[at + (size_t)i] = joint_spring_residual(joint, &rows[i], ahead, dt, &error);
            if (!rows[i].is_on) x[at + (size_t)i] = 0.0;
        }
    }
    joint_group_factor(b, group);
    joint_group_push(b, group);
}

/* What drives at their bound give. */
static void give_bounds(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    bool any = false;
    for (size_t r = 0; r < group->factor.row_count; r++) x[r] = 0.0;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (!joint_row_yields(&rows[i])) continue;
            x[block_ldl_row(&group->factor, k) + (size_t)i] = rows[i].impulse;
            rows[i].impulse = 0.0;
            any = true;
        }
    }
    if (any) joint_group_give(b, group);
}

/* Rows where bodies are, with what they may do. */
static void begin_rows(RigidBodies *b, JointGroup *group, double dt, JointAim aim) {
    bool acts = aim == JOINT_AIM_ACT, guesses = false;
    joint_group_find_rows(b, group, false);
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)b->joints.list.data[group->first_joint + k];
        if (acts) joint_begin_half(b, j, joint_rows(&b->joints, j), dt);
        if (aim == JOINT_AIM_FOLLOW) joint_hold_place(b, j, joint_rows(&b->joints, j));
        if (aim == JOINT_AIM_SETTLE)
            joint_begin_settle(b, j, joint_rows(&b->joints, j), SOLVE_HALF_STEP, dt);
        guesses |= acts && joint_acts(&b->joints.joints.data[j]);
    }
    if (acts) give_bounds(b, group);
    if (guesses) guess_ahead(b, group, dt);
}

void joint_group_close_ahead(RigidBodies *b, JointGroup *group, double dt, JointAim aim) {
    double last = HUGE_VAL;
    int slow = 0;
    bool is_factored = false;
    begin_rows(b, group, dt, aim);
    group->figures.iterations = 0;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        look_ahead(b, group, dt);
        Look look = find_errors(b, group, dt, is_factored);
        bool closed = look.worst <= 1.0 && !look.changed;
        /* Rows that depend on others, and rounding, leave something that does not shrink. */
        slow = look.worst < 0.5 * last ? 0 : slow + 1;
        if (closed || (slow > 2 && look.worst < 1e4) || slow > 8) {
            if (!joint_group_release(b, group)) break;
            joint_group_factor(b, group);
            last = HUGE_VAL;
            slow = 0;
            continue;
        }
        last = look.worst;
        if (look.changed || !is_factored) joint_group_factor(b, group);
        is_factored = true;
        joint_group_push(b, group);
        group->figures.iterations++;
    }
}

/* ---- where bodies are ---- */

static void move_bodies(RigidJoints *joints, const JointGroup *group) {
    for (size_t m = 0; m < group->body_count; m++) {
        JointBody *body = joint_body(joints, joints->members.data[group->first_body + m]);
        Vec3 turn = mat3_apply(body->inverse_inertia, body->push[1]);
        Mat3 before = quat_to_mat3(body->turn);
        body->center = vec3_add_scaled(body->center, body->inverse_mass, body->push[0]);
        body->turn = quat_normalize(quat_multiply(quat_exp(turn), body->turn));
        Mat3 turned = mat3_multiply(quat_to_mat3(body->turn), mat3_transpose(before));
        body->inverse_inertia =
            mat3_multiply(mat3_multiply(turned, body->inverse_inertia), mat3_transpose(turned));
    }
}

static double find_gaps(RigidBodies *b, JointGroup *group, double *allowed, size_t *widest) {
    RigidJoints *joints = &b->joints;
    double worst = 0.0, *x = joints->vector.data + group->first_row;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        JointRow *rows = joint_rows(joints, j);
        BodyPlace place[2];
        for (int side = 0; side < 2; side++) {
            const JointBody *body = joint_body(joints, joint->body[side]);
            place[side] = (BodyPlace){body->center, body->turn};
        }
        double most = 0.3 * joint->size;
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (rows[i].kind == JOINT_ROW_LIMIT && rows[i].error < 0.0 && !b->joint_broken[j])
                rows[i].is_on = true;
            x[block_ldl_row(&group->factor, k) + (size_t)i] =
                rows[i].is_on ? -fmin(fmax(rows[i].error, -most), most) : 0.0;
            if (!rows[i].is_on || fabs(rows[i].error) <= worst) continue;
            worst = fabs(rows[i].error);
            *allowed = closed_gap(joint, place);
            *widest = j;
        }
    }
    return worst;
}

double joint_group_close_here(RigidBodies *b, JointGroup *group, size_t *widest) {
    double last = HUGE_VAL, gap = 0.0, allowed = 0.0;
    int slow = 0;
    for (int i = 0; i < 5 * MOST_ITERATIONS; i++) {
        joint_group_find_rows(b, group, false);
        gap = find_gaps(b, group, &allowed, widest);
        slow = gap < 0.9 * last ? 0 : slow + 1;
        if (gap <= allowed || slow > 20) break;
        last = fmin(gap, last);
        joint_group_factor(b, group);
        block_ldl_solve(&group->factor, b->joints.vector.data + group->first_row);
        joint_group_spread(b, group);
        move_bodies(&b->joints, group);
    }
    return gap;
}
