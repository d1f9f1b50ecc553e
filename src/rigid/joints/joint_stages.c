/* Joints in the step of 002 chapter 4, as RATTLE: the impulse that closes joints at x^{n+1} is
 * found at x^n for v^{n+1/2} and given to v^n too, then velocities are projected at x^{n+1}. The
 * document drops it (joint_impulse: dropped), which drains energy: a bar let go at 90 degrees loses
 * 38% of it in 5 swings at 1/240 s. */
#include "rigid/forces.h"

#include "base/parallel.h"

/* ---- bodies ---- */

static void load_mass(const RigidBodies *b, size_t i, JointBody *body) {
    Mat3 axes = quat_to_mat3(body->turn);
    Mat3 inverse = mat3_load(b->inverse_inertia + 9 * i);
    body->inverse_mass = 1.0 / b->mass[i];
    body->inverse_inertia = mat3_multiply(mat3_multiply(axes, inverse), mat3_transpose(axes));
    if (b->options.plane) body->inverse_inertia = mat3_diagonal(0, 0, body->inverse_inertia.r[2].z);
    if (b->held[i] & RIGID_TURN_LOCKED) body->inverse_inertia = mat3_diagonal(0, 0, 0);
}

/* What contact adds in half a step if it carries what it did in the last one. At the start that is
 * not known: then all that forces do is taken away, and only counts along each row. */
void joints_load_support(RigidBodies *b, const StepInfo *step) {
    RigidJoints *joints = &b->joints;
    joints->is_start = step->time == 0.0;
    for (size_t m = 0; m < joints->members.count; m++) {
        size_t i = (size_t)joints->members.data[m];
        JointBody *body = joint_body(joints, (int32_t)i);
        if (joints->is_start) {
            body->support[0] = vec3_sub(vec3_load(b->velocity + 3 * i), body->velocity);
            body->support[1] = vec3_sub(vec3_load(b->angular_momentum + 3 * i), body->momentum);
            continue;
        }
        double half = 0.5 * step->dt;
        body->support[0] =
            vec3_scale(half * body->inverse_mass, vec3_load(b->contact_force + 3 * i));
        body->support[1] = vec3_scale(half, vec3_load(b->contact_torque + 3 * i));
    }
}

PlimStatus joint_load_path(const RigidBodies *b, size_t i, const StepInfo *step, JointBody *body) {
    const struct RigidExtra *extra = &b->extras.data[i];
    PlimPose end;
    TRY(rigid_path_pose(b->context, extra->name, extra->path, extra->path_user, step->end_time,
                        &end));
    body->next_center = vec3_load(end.position);
    body->next_turn = quat_normalize(quat_load(end.orientation));
    body->velocity = vec3_scale(1.0 / step->dt, vec3_sub(body->next_center, body->center));
    Quat turned = quat_multiply(body->next_turn, quat_conjugate(body->turn));
    body->spin = vec3_scale(1.0 / step->dt, quat_log(turned));
    return PLIM_OK;
}

PlimStatus joints_load(RigidBodies *b, const StepInfo *step, bool half) {
    RigidJoints *joints = &b->joints;
    for (size_t slot = 0; slot <= rigid_count(b); slot++) {
        size_t i = slot - 1; /* no body: the world */
        if (joints->group_of.data[slot] == -1) continue;
        BodyPlace place = rigid_place_of(b, i);
        JointBody body = {.center = place.center,
                          .turn = place.turn,
                          .next_center = place.center,
                          .next_turn = place.turn};
        if (rigid_is_dynamic(b, i)) {
            load_mass(b, i, &body);
            body.velocity = vec3_load((half ? b->velocity_half : b->velocity) + 3 * i);
            body.momentum =
                vec3_load((half ? b->angular_momentum_half : b->angular_momentum) + 3 * i);
            body.spin = mat3_apply(body.inverse_inertia, body.momentum);
        } else if (i < rigid_count(b) && b->motion[i] == PLIM_KINEMATIC) {
            if (half) TRY(joint_load_path(b, i, step, &body));
            if (!half) body.velocity = vec3_load(b->velocity + 3 * i);
            if (!half) body.spin = vec3_load(b->angular_velocity + 3 * i);
        }
        joints->bodies.data[slot] = body;
    }
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        group->was_asleep = group->is_asleep;
        group->is_asleep = b->asleep[joints->members.data[group->first_body]] != 0;
    }
    return PLIM_OK;
}

void joint_group_store(RigidBodies *b, const JointGroup *group, bool half) {
    const RigidJoints *joints = &b->joints;
    for (size_t m = 0; m < group->body_count && !group->is_asleep; m++) {
        size_t i = (size_t)joints->members.data[group->first_body + m];
        const JointBody *body = joint_body(joints, (int32_t)i);
        vec3_store((half ? b->velocity_half : b->velocity) + 3 * i, body->velocity);
        vec3_store((half ? b->angular_momentum_half : b->angular_momentum) + 3 * i, body->momentum);
    }
}

void joint_group_store_places(RigidBodies *b, const JointGroup *group) {
    const RigidJoints *joints = &b->joints;
    for (size_t m = 0; m < group->body_count && !group->is_asleep; m++) {
        size_t i = (size_t)joints->members.data[group->first_body + m];
        vec3_store(b->position + 3 * i, joint_body(joints, (int32_t)i)->center);
        quat_store(b->orientation + 4 * i, joint_body(joints, (int32_t)i)->turn);
    }
}

/* ---- groups ---- */

typedef struct GroupJob {
    RigidBodies *bodies;
    double dt;
} GroupJob;

/* Force and torque of a joint whose rows' impulses acted for dt. */
static void sum_rows(RigidBodies *b, size_t j, double dt, Vec3 sum[2]) {
    const JointRow *rows = joint_rows(&b->joints, j);
    sum[0] = sum[1] = vec3(0, 0, 0);
    for (int i = 0; i < b->joints.row_count.data[j]; i++) {
        bool turns = vec3_dot(rows[i].along, rows[i].along) == 0.0;
        sum[turns] = vec3_add_scaled(sum[turns], rows[i].impulse / dt,
                                     turns ? rows[i].turn[1] : rows[i].along);
    }
}

static void add_force(RigidBodies *b, size_t j, const Vec3 sum[2]) {
    double *to[2] = {b->joint_force + 3 * j, b->joint_torque + 3 * j};
    for (int i = 0; i < 2; i++) vec3_store(to[i], vec3_add(vec3_load(to[i]), sum[i]));
}

void joint_group_report(RigidBodies *b, const JointGroup *group, double dt, bool adds) {
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)b->joints.list.data[group->first_joint + k];
        Vec3 sum[2];
        sum_rows(b, j, dt, sum);
        if (adds) {
            add_force(b, j, sum);
        } else {
            vec3_store(b->joint_force + 3 * j, sum[0]);
            vec3_store(b->joint_torque + 3 * j, sum[1]);
        }
    }
}

void joint_group_note_blow(RigidBodies *b, const JointGroup *group, double dt) {
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)b->joints.list.data[group->first_joint + k];
        sum_rows(b, j, dt, b->joints.actions.data[j].blow);
    }
}

static void close_groups(void *user, size_t begin, size_t end) {
    const GroupJob *job = user;
    for (size_t g = begin; g < end; g++) {
        JointGroup *group = &job->bodies->joints.groups.data[g];
        if (group->is_asleep) continue;
        if (job->bodies->options.hold_positions) {
            joint_group_find_rows(job->bodies, group, false);
            joint_group_stop(job->bodies, group, HUGE_VAL);
        } else {
            joint_group_close_ahead(job->bodies, group, job->dt, JOINT_AIM_ACT);
        }
    }
}

/* Springs push for the rest of the step, drives hold their speed. */
static void begin_whole(RigidBodies *b, JointGroup *group, double dt) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    bool any = false;
    for (size_t r = 0; r < group->factor.row_count; r++) x[r] = 0.0;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        JointRow *rows = joint_rows(joints, j);
        if (!joint_acts(&joints->joints.data[j]) || b->joint_broken[j]) continue;
        joint_begin_whole(b, j, rows, dt);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (rows[i].kind != JOINT_ROW_SPRING && !joint_row_yields(&rows[i])) continue;
            x[block_ldl_row(&group->factor, k) + (size_t)i] = rows[i].impulse;
            rows[i].impulse = 0.0;
            any = true;
        }
    }
    if (any) joint_group_give(b, group);
}

/* What held for positions holds for velocities: contact may have opened it by what a body's fall
 * onto it would have turned the joint, which is little and not rounding. What carried contact then
 * may give that back. */
static void hold_limits(RigidJoints *joints, const JointGroup *group, double dt) {
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (rows[i].kind != JOINT_ROW_LIMIT || !(rows[i].before > 0.0)) continue;
            rows[i].reach = dt;
            rows[i].low = -rows[i].kept;
            rows[i].is_on = rows[i].kept > 0.0;
        }
    }
}

static void stop_groups(void *user, size_t begin, size_t end) {
    const GroupJob *job = user;
    for (size_t g = begin; g < end; g++) {
        JointGroup *group = &job->bodies->joints.groups.data[g];
        if (group->is_asleep) continue;
        joint_group_find_rows(job->bodies, group, false);
        begin_whole(job->bodies, group, job->dt);
        hold_limits(&job->bodies->joints, group, job->dt);
        joint_group_stop(job->bodies, group, joint_group_closed(&job->bodies->joints, group));
    }
}

static void begin_rows(RigidJoints *joints, const JointGroup *group) {
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            rows[i].impulse = rows[i].before = rows[i].kept = 0.0;
            joint_tallies(joints, j)[i] = (JointTally){0};
        }
    }
}

/* What velocities have of the rows' impulses now. */
static void count_given(RigidJoints *joints, const JointGroup *group) {
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const JointRow *rows = joint_rows(joints, j);
        JointTally *tallies = joint_tallies(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) tallies[i].given += rows[i].impulse;
    }
}

static bool has_joints(const RigidBodies *b) {
    return joint_count(&b->joints) > 0;
}

static void keep_impulses(RigidBodies *b, const JointGroup *group) {
    RigidJoints *joints = &b->joints;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        joint_note_half(b, j, joint_rows(joints, j));
    }
    for (size_t m = 0; m < group->body_count; m++) {
        int32_t i = joints->members.data[group->first_body + m];
        const JointBody *body = joint_body(joints, i);
        joints->kept.data[i + 1] = (JointKept){.push = {body->kept[0], body->kept[1]}};
    }
}

/* After a solve for v~^{n+1/2}. */
static void end_half(RigidBodies *b, JointGroup *group, const StepInfo *step) {
    bool keeps = b->options.joint_impulse == PLIM_JOINT_IMPULSE_KEPT;
    joint_group_store(b, group, true);
    keep_impulses(b, group);
    count_given(&b->joints, group);
    joint_group_note_rows(b, group);
    joint_group_report(b, group, keeps ? step->dt : HUGE_VAL, false);
    if (group->figures.iterations > b->joints.figures.iterations)
        b->joints.figures.iterations = group->figures.iterations;
}

/* ---- the stages ---- */

PlimStatus rigid_solve_positions(void *system, const StepInfo *step) {
    RigidBodies *b = system;
    RigidJoints *joints = &b->joints;
    if (!has_joints(b)) return PLIM_OK;
    TRY(joints_plan(b, step));
    TRY(joints_load(b, step, true));
    joints_load_support(b, step);
    GroupJob job = {b, step->dt};
    joints->figures = (JointFigures){0};
    joints->is_disturbed = false;
    for (size_t i = 0; i < joints->kept.count; i++) joints->kept.data[i] = (JointKept){0};
    for (size_t g = 0; g < joints->groups.count; g++) begin_rows(joints, &joints->groups.data[g]);
    parallel_for(step->threads, joints->groups.count, 1, close_groups, &job);
    for (size_t g = 0; g < joints->groups.count; g++)
        if (!joints->groups.data[g].is_asleep) end_half(b, &joints->groups.data[g], step);
    return PLIM_OK;
}

static bool is_wet(const RigidBodies *b, const JointGroup *group) {
    bool any = false;
    for (size_t m = 0; m < group->body_count; m++)
        any |= b->wet[b->joints.members.data[group->first_body + m]] != 0;
    return any;
}

PlimStatus joints_solve_wet(RigidBodies *b, const StepInfo *step) {
    RigidJoints *joints = &b->joints;
    if (!has_joints(b)) return PLIM_OK;
    TRY(joints_load(b, step, true));
    joints_load_support(b, step);
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->is_asleep || !is_wet(b, group)) continue;
        begin_rows(joints, group);
        joint_group_close_ahead(b, group, step->dt, JOINT_AIM_ACT);
        end_half(b, group, step);
    }
    return PLIM_OK;
}

/* Whether something may have moved bodies of the group since its joints were closed ahead. */
static bool may_be_open(const RigidBodies *b, const JointGroup *group) {
    return group->was_asleep || b->joints.is_disturbed || b->contacts.pairs.count > 0;
}

PlimStatus joints_before_move(RigidBodies *b, const StepInfo *step) {
    RigidJoints *joints = &b->joints;
    if (!has_joints(b)) return PLIM_OK;
    bool keeps = b->options.joint_impulse == PLIM_JOINT_IMPULSE_KEPT;
    for (size_t m = 0; m < joints->members.count; m++) {
        size_t i = (size_t)joints->members.data[m];
        const Vec3 *kept = joints->kept.data[i + 1].push;
        Vec3 *start = joints->kept.data[i + 1].start;
        double *velocity = b->velocity + 3 * i, *momentum = b->angular_momentum + 3 * i;
        start[0] = vec3_load(velocity);
        start[1] = rigid_spin(b, i, vec3_load(momentum));
        if (b->asleep[i] || !keeps) continue;
        vec3_store(velocity, vec3_add_scaled(vec3_load(velocity), 1.0 / b->mass[i], kept[0]));
        vec3_store(momentum, vec3_add(vec3_load(momentum), kept[1]));
    }
    for (size_t r = 0; r < joints->tallies.count && !keeps; r++) joints->tallies.data[r].given = 0;
    if (b->options.hold_positions) return PLIM_OK;
    TRY(joints_load(b, step, true));
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->is_asleep || !may_be_open(b, group)) continue;
        joint_group_close_ahead(b, group, step->dt, JOINT_AIM_FOLLOW);
        joint_group_store(b, group, true);
    }
    return PLIM_OK;
}

PlimStatus joints_after_push_out(RigidBodies *b, const StepInfo *step) {
    RigidJoints *joints = &b->joints;
    if (!has_joints(b) || b->options.hold_positions) return PLIM_OK;
    TRY(joints_load(b, step, false));
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        size_t widest = 0;
        if (group->is_asleep || !may_be_open(b, group)) continue;
        joint_group_close_here(b, group, &widest);
        joint_group_store_places(b, group);
    }
    return PLIM_OK;
}

/* Torques of drives. A limit or rope that holds now and did not in the last step was struck. */
static void report_actions(RigidBodies *b, JointGroup *group, double dt) {
    RigidJoints *joints = &b->joints;
    group->is_struck = false;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const JointRow *rows = joint_rows(joints, j);
        int32_t now = 0;
        b->joint_drive[j] = joint_drive_torque(b, j, rows, dt);
        for (int i = 0; i < joints->row_count.data[j]; i++)
            if (rows[i].kind == JOINT_ROW_LIMIT && rows[i].is_on) now |= 1 << i;
        group->is_struck |= (now & ~b->joint_limited[j]) != 0;
        b->joint_limited[j] = now;
    }
}

PlimStatus rigid_solve_velocities(void *system, const StepInfo *step) {
    RigidBodies *b = system;
    RigidJoints *joints = &b->joints;
    if (!has_joints(b)) return PLIM_OK;
    TRY(joints_load(b, step, false));
    GroupJob job = {b, step->dt};
    joints->is_disturbed = false;
    parallel_for(step->threads, joints->groups.count, 1, stop_groups, &job);
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->is_asleep) continue;
        joint_group_store(b, group, false);
        joint_group_report(b, group, step->dt, true);
        report_actions(b, group, step->dt);
        count_given(joints, group);
        joint_group_note_rows(b, group);
        joints->figures.dropped += group->figures.dropped;
    }
    return PLIM_OK;
}

/* ---- the end of the step ---- */

static void break_joint(RigidBodies *b, size_t j) {
    const RigidJoint *joint = &b->joints.joints.data[j];
    double force = vec3_length(vec3_load(b->joint_force + 3 * j));
    double torque = vec3_length(vec3_load(b->joint_torque + 3 * j));
    if ((joint->break_force > 0.0 && force > joint->break_force) ||
        (joint->break_torque > 0.0 && torque > joint->break_torque))
        b->joint_broken[j] = 1;
}

/* Whole turns are kept. */
static void follow_angle(RigidBodies *b, size_t j, const BodyPlace place[2]) {
    const double turn = 6.283185307179586476925;
    double angle = joint_angle(&b->joints.joints.data[j], place);
    b->joint_turned[j] = angle + turn * round((b->joint_turned[j] - angle) / turn);
}

/* What the next step is limited by: the forces without impacts. */
static void take_pulls(RigidBodies *b) {
    const RigidJoints *joints = &b->joints;
    for (size_t g = 0; g < joints->groups.count; g++) {
        const JointGroup *group = &joints->groups.data[g];
        for (size_t k = 0; k < group->joint_count && !group->is_struck && !group->is_asleep; k++) {
            size_t j = (size_t)joints->list.data[group->first_joint + k];
            vec3_store(b->joint_pull + 3 * j, vec3_load(b->joint_force + 3 * j));
        }
    }
}

void joints_finish(RigidBodies *b, bool breaks) {
    JointFigures *figures = &b->joints.figures;
    take_pulls(b);
    for (size_t j = 0; j < joint_count(&b->joints); j++) {
        const RigidJoint *joint = &b->joints.joints.data[j];
        const JointRow *rows = joint_rows(&b->joints, j);
        BodyPlace place[2];
        joint_places(b, joint, place);
        follow_angle(b, j, place);
        joint_end_yielding(b, j);
        add_force(b, j, b->joints.actions.data[j].blow);
        if (breaks && !b->joint_broken[j]) break_joint(b, j);
        figures->broken += b->joint_broken[j] != 0;
        for (int i = 0; i < b->joints.row_count.data[j]; i++)
            figures->limits += rows[i].kind == JOINT_ROW_LIMIT && rows[i].is_on;
        if (!b->joint_broken[j])
            figures->gap = fmax(figures->gap, joint_gap(joint, place, b->options.plane));
    }
}
