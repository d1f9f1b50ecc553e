/* Joints in contact (002 sections 4.4, 4.5, 4.7.3). A joint is a pair that never opens: impulses
 * between bodies of figures see the response M^-1 - M^-1 D^T (D M^-1 D^T)^-1 D M^-1 in place of
 * M^-1, so that joints stay held while contacts are solved for, and no sweep has to pass a load on
 * from limb to limb. It is dense among the bodies of a figure that touch others; the rest follow
 * when the impulses are known. */
#include "rigid/contact/contact_stages.h"

/* Of a figure's bodies that touch others; where there are more the response would outgrow the
 * cache, they are pushed as if they were free, and post-stabilisation does the rest. */
enum { MOST_HELD = 128 };

bool joint_holds_two(const RigidBodies *b, size_t j) {
    const int32_t *body = b->joints.joints.data[j].body;
    return !b->joint_broken[j] && rigid_is_dynamic(b, (size_t)body[0]) &&
           rigid_is_dynamic(b, (size_t)body[1]) && !b->asleep[body[0]] && !b->asleep[body[1]];
}

/* ---- who touches ---- */

static bool find_touching(RigidBodies *b, bool *touches, size_t count) {
    const RigidContacts *contacts = &b->contacts;
    bool any = false;
    for (size_t i = 0; i < count; i++) touches[i] = false;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        for (int side = 0; side < 2 && pair->rows > 0; side++) {
            size_t body = (size_t)(side ? pair->b : pair->a);
            if (body >= count || !joints_have(&b->joints, body)) continue;
            touches[body] = any = true;
        }
    }
    return any;
}

/* ---- responses ---- */

/* A drive gives way a little under what contact asks of it, so that one that presses a body into a
 * wall does not hold it there as a wall would; a part of what the row gives by itself. */
static const double drive_give = 1e-5, drive_free = 1e9;

/* A drive that was within its bounds holds its speed. In collisions those that cannot stand the
 * blow are free. Limits that hold do so both ways: the trial has seen that they are pressed. What
 * contact changes of the way of a spring, it changes of its force: else a box on a sprung plate
 * gains energy in every step. */
void joint_group_find_held(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    joint_group_find_rows(b, group, true);
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (rows[i].kind == JOINT_ROW_SPRING && !b->joint_broken[j] &&
                joints->stage == JOINT_CONTACT_POSITIONS)
                joint_soften_spring(&joints->joints.data[j], &rows[i], joints->step);
            if (rows[i].kind != JOINT_ROW_DRIVE && rows[i].kind != JOINT_ROW_LIMIT) continue;
            rows[i].low = -HUGE_VAL;
            rows[i].high = HUGE_VAL;
            if (rows[i].kind == JOINT_ROW_LIMIT) continue;
            bool is_free =
                joints->actions.data[j].gives_way && joints->stage == JOINT_CONTACT_COLLISIONS;
            rows[i].compliance = (is_free ? drive_free : drive_give) * rows[i].own;
        }
    }
}

/* What a unit impulse on a member does to it, and to the rows of its joints. */
static void push_member(RigidBodies *b, JointGroup *group, int32_t member, int motion) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    JointBody *body = joint_body(joints, member);
    Vec3 unit = vec3_axis(motion % 3);
    Vec3 gain = motion < 3 ? vec3_scale(body->inverse_mass, unit) : vec3(0, 0, 0);
    Vec3 turn = motion < 3 ? vec3(0, 0, 0) : mat3_apply(body->inverse_inertia, unit);
    for (size_t r = 0; r < group->factor.row_count; r++) x[r] = 0.0;
    for (size_t c = 0; c < group->couplings.count; c++) {
        const JointCoupling *coupling = &group->couplings.data[c];
        if (coupling->body != member || coupling->joint[0] != coupling->joint[1] ||
            coupling->side[0] != coupling->side[1])
            continue;
        size_t j = (size_t)joints->list.data[group->first_joint + (size_t)coupling->joint[0]];
        const JointRow *rows = joint_rows(joints, j);
        int side = coupling->side[0];
        double *to = x + block_ldl_row(&group->factor, (size_t)coupling->joint[0]);
        for (int i = 0; i < joints->row_count.data[j]; i++)
            if (rows[i].is_on)
                to[i] = (side ? -1.0 : 1.0) *
                        (vec3_dot(rows[i].along, gain) + vec3_dot(rows[i].turn[side], turn));
    }
    block_ldl_solve(&group->factor, x);
    joint_group_spread(b, group);
    body->push[0] = vec3_add(body->push[0], motion < 3 ? unit : vec3(0, 0, 0));
    body->push[1] = vec3_add(body->push[1], motion < 3 ? vec3(0, 0, 0) : unit);
}

/* 1/kg or 1/(kg m^2), of the body by itself: what joints leave of it may be rounding alone. */
static double give_of(const JointBody *body, int motion) {
    if (motion < 3) return body->inverse_mass;
    const Mat3 *inverse = &body->inverse_inertia;
    return fmax(inverse->r[0].x, fmax(inverse->r[1].y, inverse->r[2].z));
}

/* A column of all blocks. */
static void find_response(RigidBodies *b, JointGroup *group, const int32_t *list, size_t count,
                          double *response) {
    const RigidJoints *joints = &b->joints;
    for (size_t k = 0; k < count; k++)
        for (int motion = 0; motion < 6; motion++) {
            push_member(b, group, list[k], motion);
            for (size_t i = 0; i < count; i++) {
                const JointBody *body = joint_body(joints, list[i]);
                double gain[6], *block = response + HELD_BLOCK * (k * count + i);
                vec3_store(gain, vec3_scale(body->inverse_mass, body->push[0]));
                vec3_store(gain + 3, mat3_apply(body->inverse_inertia, body->push[1]));
                if (b->options.plane) gain[2] = 0.0;
                double least = give_of(joint_body(joints, list[k]), motion);
                for (int r = 0; r < HELD_COLUMN; r++) {
                    bool gives = r < 6 && gain[r] * gain[r] > 1e-20 * least * give_of(body, r);
                    block[HELD_COLUMN * motion + r] = gives ? gain[r] : 0.0;
                }
            }
        }
}

/* Makes room first: pointers into arrays that grow would not last. */
static PlimStatus make_room(RigidBodies *b, const bool *touches) {
    RigidJoints *joints = &b->joints;
    size_t bodies = 0, values = 0;
    joints->held.count = joints->held_bodies.count = joints->held_response.count = 0;
    for (size_t g = 0; g < joints->groups.count; g++) {
        const JointGroup *group = &joints->groups.data[g];
        size_t count = 0;
        for (size_t m = 0; m < group->body_count; m++)
            count += touches[joints->members.data[group->first_body + m]];
        if (count > MOST_HELD) continue;
        bodies += count;
        values += HELD_BLOCK * count * count;
    }
    bool good = array_reserve(b->context, &joints->held, joints->groups.count + 1) &&
                array_reserve(b->context, &joints->held_bodies, bodies + 1) &&
                array_reserve(b->context, &joints->held_response, values + 1);
    return good ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static bool group_drives(RigidJoints *joints, const JointGroup *group) {
    bool any = false;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++)
            any |= rows[i].kind == JOINT_ROW_DRIVE && rows[i].is_on;
    }
    return any;
}

static void hold_group(RigidBodies *b, JointGroup *group, const bool *touches) {
    RigidJoints *joints = &b->joints;
    int32_t *list = joints->held_bodies.data + joints->held_bodies.count;
    double *response = joints->held_response.data + joints->held_response.count;
    size_t count = 0;
    group->held = -1;
    for (size_t m = 0; m < group->body_count && !group->is_asleep; m++)
        count += touches[joints->members.data[group->first_body + m]];
    if (count == 0 || count > MOST_HELD) return;
    count = 0;
    for (size_t m = 0; m < group->body_count; m++) {
        int32_t member = joints->members.data[group->first_body + m];
        if (touches[member]) list[count++] = member;
    }
    joint_group_find_held(b, group);
    joint_group_factor(b, group);
    find_response(b, group, list, count, response);
    joint_group_forget(joints, group);
    group->held = (int32_t)joints->held.count;
    joints->held.data[joints->held.count++] = (HeldFigure){
        .body = list, .count = count, .response = response, .drives = group_drives(joints, group)};
    joints->held_bodies.count += count;
    joints->held_response.count += HELD_BLOCK * count * count;
}

void joints_attach_contact(RigidBodies *b) {
    RigidJoints *joints = &b->joints;
    for (size_t h = 0; h < joints->held.count; h++) {
        HeldFigure *figure = &joints->held.data[h];
        figure->solver_bodies = b->contacts.solver_bodies.data;
        for (size_t i = 0; i < figure->count; i++) {
            SolverBody *body = &figure->solver_bodies[figure->body[i]];
            body->figure = figure;
            body->slot = (int32_t)i;
            body->start[0] = body->velocity;
            body->start[1] = body->spin;
        }
    }
}

double joint_contact_time(JointContactStage stage, const StepInfo *step) {
    if (stage == JOINT_CONTACT_COLLISIONS) return 0.0;
    return stage == JOINT_CONTACT_POSITIONS ? 0.5 * step->dt : step->dt;
}

PlimStatus joints_hold_contact(RigidBodies *b, const StepInfo *step, JointContactStage stage) {
    RigidJoints *joints = &b->joints;
    size_t count = rigid_count(b), mark = scratch_mark(step->scratch);
    joints->held.count = 0;
    if (joint_count(joints) == 0) return PLIM_OK;
    for (size_t g = 0; g < joints->groups.count; g++) joints->groups.data[g].held = -1;
    bool *touches = scratch_take(step->scratch, count, sizeof *touches);
    if (!touches) return PLIM_OUT_OF_MEMORY;
    if (find_touching(b, touches, count)) {
        TRY(joints_load(b, step, false));
        joints->stage = stage;
        joints->step = step->dt;
        if (stage != JOINT_CONTACT_COUPLED && joints_mind_time(b))
            joints_try_limits(b, joint_contact_time(stage, step));
        TRY(make_room(b, touches));
        for (size_t g = 0; g < joints->groups.count; g++)
            hold_group(b, &joints->groups.data[g], touches);
        joints_attach_contact(b);
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- those that nothing touches ---- */

/* Changes of velocity: of the bodies that touch those that impulses made, of the others those that
 * joints make of them. */
static bool load_changes(RigidBodies *b, const JointGroup *group, const HeldFigure *figure) {
    RigidJoints *joints = &b->joints;
    bool any = false;
    for (size_t m = 0; m < group->body_count; m++) {
        JointBody *body = joint_body(joints, joints->members.data[group->first_body + m]);
        body->velocity = body->spin = body->momentum = vec3(0, 0, 0);
    }
    for (size_t i = 0; i < figure->count; i++) {
        const SolverBody *from = &figure->solver_bodies[figure->body[i]];
        JointBody *body = joint_body(joints, figure->body[i]);
        body->velocity = vec3_sub(from->velocity, from->start[0]);
        body->spin = vec3_sub(from->spin, from->start[1]);
        body->inverse_mass = 0.0;
        body->inverse_inertia = mat3_diagonal(0, 0, 0);
        any |= from->touched;
    }
    return any;
}

static void follow_group(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    const HeldFigure *figure = &joints->held.data[group->held];
    if (figure->count == group->body_count || !load_changes(b, group, figure)) return;
    /* Partners that forces do not move do not change. */
    for (size_t k = 0; k < group->joint_count; k++) {
        const RigidJoint *joint = &joints->joints.data[joints->list.data[group->first_joint + k]];
        for (int side = 0; side < 2; side++) {
            JointBody *body = joint_body(joints, joint->body[side]);
            if (!rigid_is_dynamic(b, (size_t)joint->body[side]))
                body->velocity = body->spin = vec3(0, 0, 0);
        }
    }
    joint_group_find_held(b, group);
    joint_group_stop(b, group, -HUGE_VAL);
    for (size_t m = 0; m < group->body_count; m++) {
        int32_t member = joints->members.data[group->first_body + m];
        const JointBody *from = joint_body(joints, member);
        SolverBody *body = &b->contacts.solver_bodies.data[member];
        if (body->figure) continue;
        body->start[0] = body->velocity;
        body->start[1] = body->spin;
        body->velocity = vec3_add(body->velocity, from->velocity);
        body->spin = vec3_add(body->spin, from->spin);
        body->touched = true;
    }
}

void joints_follow_contact(RigidBodies *b) {
    RigidJoints *joints = &b->joints;
    if (joints->held.count == 0) return;
    for (size_t g = 0; g < joints->groups.count; g++)
        if (joints->groups.data[g].held >= 0) follow_group(b, &joints->groups.data[g]);
}

/* ---- what joints carried of it ---- */

void joints_rest(RigidBodies *b) {
    for (size_t slot = 0; slot < b->joints.bodies.count; slot++) {
        JointBody *body = &b->joints.bodies.data[slot];
        body->velocity = body->spin = body->momentum = vec3(0, 0, 0);
    }
}

void joints_add_contact(RigidBodies *b, const ContactPair *pair, const ContactRow *row,
                        Vec3 impulse, Vec3 couple) {
    for (int side = 0; side < 2; side++) {
        size_t i = (size_t)(side ? pair->b : pair->a);
        if (!rigid_is_dynamic(b, i) || !joints_have(&b->joints, i)) continue;
        JointBody *body = joint_body(&b->joints, (int32_t)i);
        double sign = side ? -1.0 : 1.0;
        Vec3 moment = vec3_add(vec3_cross(side ? row->arm_b : row->arm_a, impulse), couple);
        body->velocity = vec3_add_scaled(body->velocity, sign * body->inverse_mass, impulse);
        body->momentum = vec3_add_scaled(body->momentum, sign, moment);
        body->spin = mat3_apply(body->inverse_inertia, body->momentum);
    }
}

static void add_carried(RigidBodies *b, const ContactPair *pair) {
    for (int32_t k = 0; k < pair->rows; k++) {
        const ContactRow *row = &b->contacts.rows.data[pair->first + k];
        joints_add_contact(b, pair, row, row->carried, row->carried_couple);
    }
}

/* The bodies of joints as contact alone moves them. */
static PlimStatus load_carried(RigidBodies *b, const StepInfo *step) {
    TRY(joints_load(b, step, false));
    joints_rest(b);
    for (size_t p = 0; p < b->contacts.pairs.count; p++)
        if (b->contacts.pairs.data[p].found) add_carried(b, &b->contacts.pairs.data[p]);
    return PLIM_OK;
}

/* What its rows carry of contact goes to v^n, but for drives, which have bounds of their own. What
 * limits have of it they may give back. */
static void keep_group(RigidBodies *b, JointGroup *group) {
    RigidJoints *joints = &b->joints;
    double *x = joints->vector.data + group->first_row;
    for (size_t r = 0; r < group->factor.row_count; r++) x[r] = 0.0;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        JointRow *rows = joint_rows(joints, j);
        for (int i = 0; i < joints->row_count.data[j]; i++) {
            if (rows[i].kind != JOINT_ROW_DRIVE) {
                x[block_ldl_row(&group->factor, k) + (size_t)i] = rows[i].impulse;
                joint_tallies(joints, j)[i].given += rows[i].impulse;
            }
            if (rows[i].kind == JOINT_ROW_LIMIT) rows[i].kept = fmax(rows[i].impulse, 0.0);
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

static bool is_afloat(const RigidBodies *b, const JointGroup *group) {
    int32_t island = b->contacts.body_islands.data[b->joints.members.data[group->first_body]];
    return island >= 0 && contact_island_is_afloat(&b->contacts.islands.data[island]);
}

PlimStatus joints_keep_contact(RigidBodies *b, const StepInfo *step) {
    RigidJoints *joints = &b->joints;
    if (joints->held.count == 0 || b->options.joint_impulse != PLIM_JOINT_IMPULSE_KEPT)
        return PLIM_OK;
    TRY(load_carried(b, step));
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->held < 0 || is_afloat(b, group)) continue;
        joint_group_find_held(b, group);
        joint_group_stop(b, group, -HUGE_VAL);
        keep_group(b, group);
        joint_group_report(b, group, step->dt, true);
    }
    return PLIM_OK;
}

/* What collisions gave to a body of a joint. */
static void add_struck(RigidBodies *b, const ContactPair *pair) {
    for (int side = 0; side < 2; side++) {
        size_t i = (size_t)(side ? pair->b : pair->a);
        if (!rigid_is_dynamic(b, i) || !joints_have(&b->joints, i)) continue;
        JointBody *body = joint_body(&b->joints, (int32_t)i);
        double sign = side ? -1.0 : 1.0;
        Vec3 center = vec3_load(b->position + 3 * i); /* its moment is about the origin */
        Vec3 moment = vec3_sub(pair->struck[1], vec3_cross(center, pair->struck[0]));
        body->velocity =
            vec3_add_scaled(body->velocity, sign * body->inverse_mass, pair->struck[0]);
        body->momentum = vec3_add_scaled(body->momentum, sign, moment);
        body->spin = mat3_apply(body->inverse_inertia, body->momentum);
    }
}

void joints_note_collisions(RigidBodies *b, const StepInfo *step) {
    RigidJoints *joints = &b->joints;
    if (joints->held.count == 0 || joints_load(b, step, false) != PLIM_OK) return;
    joints_rest(b);
    for (size_t p = 0; p < b->contacts.pairs.count; p++) add_struck(b, &b->contacts.pairs.data[p]);
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->held < 0) continue;
        joint_group_find_held(b, group);
        joint_group_stop(b, group, -HUGE_VAL);
        joint_group_note_blow(b, group, step->dt);
        joint_group_forget(joints, group);
    }
}

void joints_report_contact(RigidBodies *b, const StepInfo *step) {
    RigidJoints *joints = &b->joints;
    if (joints->held.count == 0 || load_carried(b, step) != PLIM_OK) return;
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        if (group->held < 0) continue;
        joint_group_find_held(b, group);
        joint_group_stop(b, group, -HUGE_VAL);
        joint_group_report(b, group, step->dt, true);
        joint_group_bound_drives(b, group, step->dt);
    }
}
