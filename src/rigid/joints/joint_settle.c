/* Joints in solves with fluids (002 sections 5.8, 5.10). Their rows are constraints of the coupled
 * solve; what it left of a body's momentum, less what the fluid and contact gave, is what rows
 * carried: D M^-1 D^T j = -D (v* + M^-1 gain), by the factor of the joints themselves. Limits and
 * ropes that would pull are let go, those that the fluid closes put on, drives kept to their
 * bounds, and the solve is repeated with that. */
#include "rigid/bodies.h"

bool joints_switch(const void *system) {
    const RigidBodies *b = system;
    bool any = false;
    for (size_t j = 0; j < joint_count(&b->joints) && !any; j++) {
        const RigidJoint *joint = &b->joints.joints.data[j];
        bool is_bounded = joint->drive != PLIM_DRIVE_NONE && joint->most < HUGE_VAL;
        bool is_limited = joint->has_limits || joint->has_twist || joint->swing > 0.0;
        any = (is_bounded || is_limited || joint->kind == PLIM_JOINT_ROPE) && !b->joint_broken[j];
    }
    return any;
}

/* ---- bodies and rows ---- */

static void push_member(RigidBodies *b, int32_t i, const double gain[6]) {
    JointBody *body = joint_body(&b->joints, i);
    Vec3 turn = vec3_load(gain + 3);
    if (b->options.plane) turn.x = turn.y = 0.0;
    body->velocity = vec3_add_scaled(body->velocity, body->inverse_mass, vec3_load(gain));
    if (!(mat3_trace(body->inverse_inertia) > 0.0)) return;
    body->momentum = vec3_add(body->momentum, turn);
    body->spin = mat3_apply(body->inverse_inertia, body->momentum);
}

/* Velocities on offer with the momentum that others gave, by the numbers of their velocities. */
static PlimStatus load(RigidBodies *b, const StepInfo *step, SolveWhen when, const double *gain) {
    const RigidContacts *contacts = &b->contacts;
    bool half = when == SOLVE_HALF_STEP;
    TRY(joints_load(b, step, half));
    if (half && !contacts->is_coupled) joints_load_support(b, step);
    for (size_t m = 0; m < b->joints.members.count && gain; m++) {
        int32_t i = b->joints.members.data[m];
        push_member(b, i, gain + 6 * (size_t)i);
    }
    for (size_t p = 0; p < contacts->pairs.count && contacts->is_coupled; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        for (int32_t k = 0; k < pair->rows && pair->found; k++) {
            const ContactRow *row = &contacts->rows.data[pair->first + k];
            joints_add_contact(b, pair, row, row->carried, row->carried_couple);
        }
    }
    return PLIM_OK;
}

/* Limits begin as they held, drives at their speed. Impulses at once have nothing given yet.
 * Springs do what they did without the fluid. */
void joint_begin_settle(const RigidBodies *b, size_t j, JointRow *rows, SolveWhen when, double dt) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    const JointAction *action = &b->joints.actions.data[j];
    const JointTally *tallies = b->joints.tallies.data + b->joints.first_row.data[j];
    double time = when == SOLVE_HALF_STEP ? 0.5 * dt : dt;
    for (int i = 0; i < b->joints.row_count.data[j] && !b->joint_broken[j]; i++) {
        double given = solve_is_impulse(when) ? 0.0 : tallies[i].given;
        if (rows[i].kind == JOINT_ROW_LIMIT) {
            rows[i].low = -fmax(given, 0.0);
            rows[i].is_on = (action->holds >> i & 1u) != 0;
        } else if (rows[i].kind == JOINT_ROW_DRIVE) {
            rows[i].low = -joint->most * time / rows[i].scale - given;
            rows[i].high = joint->most * time / rows[i].scale - given;
            rows[i].target = when == SOLVE_HALF_STEP ? action->place : action->speed;
            rows[i].is_on = b->joint_yields[j] == 0;
            if (!rows[i].is_on) rows[i].switched = JOINT_MOST_SWITCHES;
        }
    }
}

/* ---- one group ---- */

static const JointRow *drive_row(const RigidJoints *joints, size_t j, const JointRow *rows) {
    for (int i = 0; i < joints->row_count.data[j]; i++)
        if (rows[i].kind == JOINT_ROW_DRIVE) return &rows[i];
    return NULL;
}

/* What its rows are to do in the next turn; whether that is news. */
static bool note_joint(RigidBodies *b, size_t j) {
    RigidJoints *joints = &b->joints;
    const RigidJoint *joint = &joints->joints.data[j];
    const JointRow *rows = joint_rows(joints, j);
    JointAction *action = &joints->actions.data[j];
    JointTally *tallies = joint_tallies(joints, j);
    bool is_news = false;
    for (int i = 0; i < joints->row_count.data[j]; i++) {
        if (rows[i].kind == JOINT_ROW_SPRING) continue;
        double asked = rows[i].is_on ? 0.0 : rows[i].impulse;
        is_news |= rows[i].is_on != ((action->holds >> i & 1u) != 0);
        is_news |= asked != (action->is_judged ? tallies[i].asked : 0.0);
        tallies[i].asked = asked;
        tallies[i].goal = joint_row_speed(&rows[i], joint_body(joints, joint->body[0]),
                                          joint_body(joints, joint->body[1]));
    }
    action->is_judged = true;
    return is_news;
}

static bool settle_group(RigidBodies *b, JointGroup *group, SolveWhen when, double dt) {
    RigidJoints *joints = &b->joints;
    bool is_news = false;
    if (when == SOLVE_HALF_STEP) {
        joint_group_close_ahead(b, group, dt, JOINT_AIM_SETTLE);
    } else {
        joint_group_find_rows(b, group, false);
        for (size_t k = 0; k < group->joint_count; k++) {
            size_t j = (size_t)joints->list.data[group->first_joint + k];
            joint_begin_settle(b, j, joint_rows(joints, j), when, dt);
        }
        joint_group_stop(b, group, joint_group_closed(joints, group));
    }
    for (size_t k = 0; k < group->joint_count; k++)
        is_news |= note_joint(b, (size_t)joints->list.data[group->first_joint + k]);
    joint_group_note_rows(b, group);
    group->is_judged = true;
    return is_news;
}

/* D^T j goes to v^n, too. */
static void keep_pushes(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    for (size_t r = 0; r < group->factor.row_count; r++) x[r] = 0.0;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        JointRow *rows = joint_rows(joints, j);
        const JointRow *drive = drive_row(joints, j, rows);
        if (drive) joints->actions.data[j].drive += drive->impulse;
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            x[block_ldl_row(&group->factor, k) + (size_t)i] = rows[i].impulse;
            rows[i].impulse = 0.0;
        }
    }
    joint_group_spread(b, group);
    for (size_t m = 0; m < group->body_count; m++) {
        int32_t i = joints->members.data[group->first_body + m];
        const JointBody *body = joint_body(joints, i);
        Vec3 *kept = joints->kept.data[i + 1].push;
        for (int part = 0; part < 2; part++) kept[part] = vec3_add(kept[part], body->push[part]);
    }
}

/* A limit or rope that holds now and did not in the last step was struck. */
static void note_actions(RigidBodies *b, JointGroup *group, size_t j, double dt) {
    const JointRow *rows = joint_rows(&b->joints, j);
    int32_t now = 0;
    const JointRow *drive = drive_row(&b->joints, j, rows);
    if (drive) b->joint_drive[j] += drive->impulse * drive->scale / dt;
    for (int i = 0; i < b->joints.row_count.data[j]; i++)
        if (rows[i].kind == JOINT_ROW_LIMIT && rows[i].is_on) now |= 1 << i;
    group->is_struck |= (now & ~b->joint_limited[j]) != 0;
    b->joint_limited[j] |= now;
}

static void take_group(RigidBodies *b, JointGroup *group, SolveWhen when, double dt) {
    RigidJoints *joints = &b->joints;
    bool keeps = b->options.joint_impulse == PLIM_JOINT_IMPULSE_KEPT;
    if (when == SOLVE_HALF_STEP && keeps) keep_pushes(b, group);
    if (when == SOLVE_WHOLE_STEP || (when == SOLVE_HALF_STEP && keeps))
        joint_group_report(b, group, dt, true);
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const JointRow *rows = joint_rows(joints, j);
        JointTally *tallies = joint_tallies(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (rows[i].kind == JOINT_ROW_DRIVE && when == SOLVE_HALF_STEP)
                joints->actions.data[j].is_clamped = !rows[i].is_on;
            if (!solve_is_impulse(when)) tallies[i].given += rows[i].impulse;
            tallies[i].asked = 0.0;
        }
        if (when == SOLVE_WHOLE_STEP) note_actions(b, group, j, dt);
        joints->actions.data[j].is_judged = false;
    }
    if (when == SOLVE_IMPACT) joint_group_note_blow(b, group, dt);
    group->is_judged = false;
}

/* ---- the solves ---- */

static bool is_solved(const RigidBodies *b, const JointGroup *group, const bool *solved) {
    bool any = false;
    for (size_t m = 0; m < group->body_count; m++)
        any |= solved[b->joints.members.data[group->first_body + m]];
    return any && !group->is_asleep;
}

PlimStatus joints_settle_solve(void *system, const StepInfo *step, SolveWhen when,
                               const DofLoad *found, bool *stands) {
    RigidBodies *b = system;
    RigidJoints *joints = &b->joints;
    *stands = true;
    if (joint_count(joints) == 0) return PLIM_OK;
    TRY(load(b, step, when, found->gain));
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (is_solved(b, group, found->is_solved) && settle_group(b, group, when, step->dt))
            *stands = false;
    }
    return PLIM_OK;
}

/* Rows as the solve had been told: at their goals both ways, or off with what was asked. */
static void hold_as_told(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    for (size_t r = 0; r < group->factor.row_count; r++) x[r] = 0.0;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        const JointAction *action = &joints->actions.data[j];
        const JointTally *tallies = joint_tallies(joints, j);
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            rows[i].is_on = (action->holds >> i & 1u) != 0;
            rows[i].switched = JOINT_MOST_SWITCHES;
            rows[i].low = -HUGE_VAL;
            rows[i].high = HUGE_VAL;
            rows[i].target = action->is_judged
                                 ? tallies[i].goal
                                 : joint_row_speed(&rows[i], joint_body(joints, joint->body[0]),
                                                   joint_body(joints, joint->body[1]));
            if (action->is_judged && !rows[i].is_on)
                x[block_ldl_row(&group->factor, k) + (size_t)i] = tallies[i].asked;
        }
    }
}

static void load_group(RigidBodies *b, JointGroup *group, const double *gain) {
    const RigidJoints *joints = &b->joints;
    joint_group_find_rows(b, group, false);
    hold_as_told(b, group);
    joint_group_give(b, group);
    for (size_t m = 0; m < group->body_count; m++) {
        int32_t i = joints->members.data[group->first_body + m];
        push_member(b, i, gain + 6 * (size_t)i);
    }
    joint_group_stop(b, group, -HUGE_VAL);
    for (size_t m = 0; m < group->body_count; m++) {
        int32_t i = joints->members.data[group->first_body + m];
        SolverBody *body = &b->contacts.solver_bodies.data[i];
        body->velocity = joint_body(joints, i)->velocity;
        body->spin = joint_body(joints, i)->spin;
    }
}

PlimStatus joints_load_coupled(RigidBodies *b, const StepInfo *step, SolveWhen when,
                               const DofLoad *found) {
    RigidJoints *joints = &b->joints;
    if (joint_count(joints) == 0) return PLIM_OK;
    TRY(joints_load(b, step, when == SOLVE_HALF_STEP));
    for (size_t g = 0; g < joints->groups.count; g++)
        if (is_solved(b, &joints->groups.data[g], found->is_solved))
            load_group(b, &joints->groups.data[g], found->gain);
    return joints_hold_contact(b, step, JOINT_CONTACT_COUPLED);
}

void joints_take_solved(RigidBodies *b, const StepInfo *part, SolveWhen when) {
    RigidJoints *joints = &b->joints;
    double dt = when == SOLVE_HALF_STEP ? 2.0 * part->dt : part->dt;
    for (size_t g = 0; g < joints->groups.count; g++)
        if (joints->groups.data[g].is_judged) take_group(b, &joints->groups.data[g], when, dt);
}

/* All groups that others moved, at once. */
static PlimStatus settle_now(RigidBodies *b, const StepInfo *step, SolveWhen when,
                             const double *gain) {
    RigidJoints *joints = &b->joints;
    TRY(load(b, step, when, gain));
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->is_asleep) continue;
        settle_group(b, group, when, step->dt);
        joint_group_store(b, group, when == SOLVE_HALF_STEP);
        take_group(b, group, when, step->dt);
    }
    return PLIM_OK;
}

void joints_take_push(RigidBodies *b, const StepInfo *part, SolveWhen when, const double *pushed) {
    StepInfo step = *part;
    if (when == SOLVE_HALF_STEP) step.dt = 2.0 * part->dt;
    step.end_time = step.time + step.dt;
    /* A path that has no place for its body has said so in the step before this. */
    if (joint_count(&b->joints) == 0 || settle_now(b, &step, when, pushed) != PLIM_OK) return;
    for (size_t m = 0; m < b->joints.members.count && when != SOLVE_HALF_STEP; m++) {
        int32_t i = b->joints.members.data[m];
        vec3_store(b->angular_velocity + 3 * i, joint_body(&b->joints, i)->spin);
    }
}

PlimStatus joints_settle(RigidBodies *b, const StepInfo *step) {
    if (joint_count(&b->joints) == 0 || !b->joints.is_disturbed) return PLIM_OK;
    TRY(settle_now(b, step, SOLVE_WHOLE_STEP, NULL));
    b->joints.is_disturbed = false;
    return PLIM_OK;
}
