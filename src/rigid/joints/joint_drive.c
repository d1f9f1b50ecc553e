/* Springs, motors and PD control of joints (002 chapter 4, [168] there). A spring is integrated by
 * the implicit midpoint rule: a soft row for half a step at x^n, the rest from the mean of both
 * places at x^{n+1}. Control follows the critically damped curve from the present place and rate:
 * the place at the end of the step and the speed there are targets of rows, reached under any load
 * that the greatest torque allows. */
#include "rigid/bodies.h"

bool joint_acts(const RigidJoint *joint) {
    return joint->stiffness > 0.0 || joint->damping > 0.0 || joint->drive != PLIM_DRIVE_NONE;
}

static double scale_of(const RigidJoint *joint) {
    return joint_slides(joint->kind) ? 1.0 : joint->size;
}

static bool keeps_impulse(const RigidBodies *b) {
    return b->options.joint_impulse == PLIM_JOINT_IMPULSE_KEPT;
}

/* ---- what drives want ---- */

static PlimStatus evaluate(const RigidBodies *b, const RigidJoint *joint, double t,
                           double value[2]) {
    value[0] = joint->value;
    value[1] = 0.0;
    if (!joint->path) return PLIM_OK;
    PlimStatus status = joint->path(joint->path_user, b->context, t, &value[0], &value[1]);
    const char *what = joint->drive == PLIM_DRIVE_MOTOR ? "speed" : "target";
    if (status != PLIM_OK)
        return context_fail(b->context, status, "joint '%s': its %s at t = %g s: %s", joint->name,
                            what, t, b->context->message);
    if (!isfinite(value[0]) || !isfinite(value[1]))
        return context_fail(b->context, PLIM_BAD_INPUT,
                            "joint '%s': its %s at t = %g s is not finite", joint->name, what, t);
    return PLIM_OK;
}

/* e(t) = (e0 + (e0' + w e0) t) exp(-w t), its value and rate after dt. */
static void settle(double strength, double dt, double error[2]) {
    double w = sqrt(strength), part = error[1] + w * error[0], keep = exp(-w * dt);
    double rate = (error[1] - w * part * dt) * keep;
    error[0] = (error[0] + part * dt) * keep;
    error[1] = rate;
}

static PlimStatus plan(RigidBodies *b, size_t j, const StepInfo *step) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    JointAction *action = &b->joints.actions.data[j];
    double start[2], end[2], scale = scale_of(joint);
    BodyPlace place[2];
    *action = (JointAction){.is_clamped = true};
    if (joint->drive == PLIM_DRIVE_NONE || b->joint_broken[j]) return PLIM_OK;
    TRY(evaluate(b, joint, step->time, start));
    TRY(evaluate(b, joint, step->end_time, end));
    joint_places(b, joint, place);
    double now = joint_slides(joint->kind) ? joint_slide(joint, place) : b->joint_turned[j];
    if (joint->drive == PLIM_DRIVE_MOTOR) {
        action->place = scale * (now + 0.5 * step->dt * (start[0] + end[0]));
        action->speed = scale * end[0];
        return PLIM_OK;
    }
    double error[2] = {now - start[0], joint_speed(b, j) - start[1]};
    settle(joint->strength, step->dt, error);
    action->place = scale * (end[0] + error[0]);
    action->speed = scale * (end[1] + error[1]);
    return PLIM_OK;
}

PlimStatus joints_plan(RigidBodies *b, const StepInfo *step) {
    for (size_t j = 0; j < joint_count(&b->joints); j++) TRY(plan(b, j, step));
    return PLIM_OK;
}

void joints_mark_driven(RigidBodies *b) {
    const RigidJoints *joints = &b->joints;
    for (size_t g = 0; g < joints->groups.count; g++) {
        const JointGroup *group = &joints->groups.data[g];
        bool driven = false;
        for (size_t k = 0; k < group->joint_count; k++) {
            const RigidJoint *joint =
                &joints->joints.data[joints->list.data[group->first_joint + k]];
            driven |= joint_acts(joint);
            for (int side = 0; side < 2; side++) {
                size_t body = (size_t)joint->body[side];
                driven |= body < rigid_count(b) && b->motion[body] == PLIM_KINEMATIC;
            }
        }
        for (size_t m = 0; m < group->body_count && driven; m++)
            b->driven[joints->members.data[group->first_body + m]] = 1;
    }
}

/* ---- bounds under contact ---- */

/* A drive holds its speed, or gives what it has: that is then its impulse from the start. */
static void hold_or_yield(JointRow *row, int32_t yields) {
    row->is_on = yields == 0;
    if (yields == 0) return;
    row->clamped = (int8_t)(yields > 0 ? 1 : -1);
    row->switched = JOINT_MOST_SWITCHES;
    row->impulse = yields > 0 ? row->high : row->low;
}

bool joint_row_yields(const JointRow *row) {
    return row->kind == JOINT_ROW_DRIVE && !row->is_on && row->switched == JOINT_MOST_SWITCHES;
}

/* Just found is told from found before: 2 in place of 1. */
void joint_group_bound_drives(RigidBodies *b, const JointGroup *group, double dt) {
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)b->joints.list.data[group->first_joint + k];
        const JointRow *rows = joint_rows(&b->joints, j);
        for (int i = 0; i < b->joints.row_count.data[j]; i++) {
            if (rows[i].kind != JOINT_ROW_DRIVE || !rows[i].is_on) continue;
            b->joint_drive[j] += rows[i].impulse * rows[i].scale / dt;
            if (fabs(b->joint_drive[j]) > (1.0 + 1e-9) * b->joints.joints.data[j].most)
                b->joint_yields[j] = b->joint_drive[j] > 0.0 ? 2 : -2;
        }
    }
}

void joint_end_yielding(RigidBodies *b, size_t j) {
    int32_t yields = b->joint_yields[j];
    if (yields == 0) return;
    double wanted = b->joints.actions.data[j].speed / scale_of(&b->joints.joints.data[j]);
    double lacks = wanted - joint_speed(b, j);
    if (yields == 2 || yields == -2)
        b->joint_yields[j] = yields / 2;
    else if (yields * lacks <= 0.0)
        b->joint_yields[j] = 0;
}

/* ---- for positions ---- */

void joint_soften_spring(const RigidJoint *joint, JointRow *row, double dt) {
    double half = 0.5 * dt, resists = half * (joint->damping + joint->stiffness * half);
    row->compliance = row->scale * row->scale / resists;
    row->is_on = true;
}

void joint_begin_half(const RigidBodies *b, size_t j, JointRow *rows, double dt) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    if (!joint_acts(joint) || b->joint_broken[j]) return;
    for (int i = 0; i < b->joints.row_count.data[j]; i++) {
        JointRow *row = &rows[i];
        if (row->kind == JOINT_ROW_SPRING) {
            joint_soften_spring(joint, row, dt);
        } else if (row->kind == JOINT_ROW_DRIVE) {
            row->target = b->joints.actions.data[j].place;
            row->high = 0.5 * joint->most * dt / row->scale;
            row->low = -row->high;
            hold_or_yield(row, b->joint_yields[j]);
        }
    }
}

void joint_hold_place(const RigidBodies *b, size_t j, JointRow *rows) {
    const JointAction *action = &b->joints.actions.data[j];
    const RigidJoint *joint = &b->joints.joints.data[j];
    for (int i = 0; i < b->joints.row_count.data[j]; i++) {
        if (rows[i].kind != JOINT_ROW_DRIVE) continue;
        rows[i].target = action->place;
        rows[i].high = HUGE_VAL;
        rows[i].low = -HUGE_VAL;
        rows[i].is_on = joint->drive == PLIM_DRIVE_CONTROL && !action->is_clamped;
    }
}

/* N s, of a spring for half a step between two places, m in the row's units. */
static double spring_impulse(const RigidJoint *joint, double scale, double start, double end,
                             double dt) {
    double mean = 0.5 * (start + end) - scale * joint->rest;
    double force = joint->stiffness * mean + joint->damping * (end - start) / dt;
    return -0.5 * dt * force / (scale * scale);
}

double joint_spring_residual(const RigidJoint *joint, const JointRow *row, double ahead, double dt,
                             double *error) {
    double left = spring_impulse(joint, row->scale, row->error, ahead, dt) - row->impulse;
    *error = row->is_on ? left * row->own * dt : 0.0;
    return row->is_on ? row->compliance * left : 0.0;
}

double joint_spring_energy(const RigidBodies *b, size_t j) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    BodyPlace place[2];
    joint_places(b, joint, place);
    double now = joint_slides(joint->kind) ? joint_slide(joint, place) : b->joint_turned[j];
    double from = now - joint->rest;
    return b->joint_broken[j] ? 0.0 : 0.5 * joint->stiffness * from * from;
}

void joint_note_half(RigidBodies *b, size_t j, const JointRow *rows) {
    JointAction *action = &b->joints.actions.data[j];
    for (int i = 0; i < b->joints.row_count.data[j]; i++) {
        if (rows[i].kind == JOINT_ROW_SPRING) action->start = rows[i].error;
        if (rows[i].kind != JOINT_ROW_DRIVE) continue;
        action->drive = rows[i].impulse;
        action->is_clamped = rows[i].clamped != 0;
    }
}

/* ---- for velocities ---- */

void joint_begin_whole(const RigidBodies *b, size_t j, JointRow *rows, double dt) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    const JointAction *action = &b->joints.actions.data[j];
    double before = keeps_impulse(b) ? action->drive : 0.0;
    for (int i = 0; i < b->joints.row_count.data[j]; i++) {
        JointRow *row = &rows[i];
        if (row->kind == JOINT_ROW_SPRING) {
            double rest = spring_impulse(joint, row->scale, action->start, row->error, dt);
            row->impulse = keeps_impulse(b) ? rest : 2.0 * rest;
        } else if (row->kind == JOINT_ROW_DRIVE) {
            double most = joint->most * dt / row->scale;
            row->target = action->speed;
            row->low = -most - before;
            row->high = most - before;
            hold_or_yield(row, b->joint_yields[j]);
        }
    }
}

double joint_drive_torque(const RigidBodies *b, size_t j, const JointRow *rows, double dt) {
    double before = keeps_impulse(b) ? b->joints.actions.data[j].drive : 0.0;
    for (int i = 0; i < b->joints.row_count.data[j]; i++)
        if (rows[i].kind == JOINT_ROW_DRIVE) return (before + rows[i].impulse) * rows[i].scale / dt;
    return 0.0;
}
