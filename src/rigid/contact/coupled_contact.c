/* Contact of rigid bodies in a coupled solve with a fluid (system/contact.h): points that stick or
 * press are rows of the solve, friction of points that slide is a given impulse, and the contact
 * solver (000 sections 2.7 to 2.9) says which is which, from the momenta that the fluid leaves. */
#include "rigid/contact/coupled_contact.h"
#include "rigid/contact/contact_report.h"
#include "rigid/contact/contact_solve.h"
#include "system/contact.h"

#include <math.h>

static ContactPass pass_of(SolveWhen when) {
    return when == SOLVE_HALF_STEP ? CONTACT_POSITIONS : CONTACT_VELOCITIES;
}

static SolverBodyWhen bodies_of(SolveWhen when) {
    return when == SOLVE_HALF_STEP ? SOLVER_BODIES_HALF : SOLVER_BODIES_WHOLE;
}

static double time_of(const StepInfo *step, SolveWhen when) {
    return when == SOLVE_HALF_STEP ? 0.5 * step->dt : step->dt;
}

/* Of speed_scale: differences of velocity that are none. The greater one is for
 * points that are held as before, and where a turn more changes nothing; a point that the solve
 * held and that contact would let slide by a hundredth of a slope's angle counts. */
static const double SMALL = 1e-3, ENOUGH = 1e-2;

/* ---- how points are held ---- */

/* As its impulse says. */
static RowHold hold_of(const ContactPair *pair, const ContactRow *row) {
    double pressed = vec3_dot(row->impulse, row->normal);
    Vec3 across = vec3_add_scaled(row->impulse, -pressed, row->normal);
    if (!(pressed > 0.0)) return HOLD_OPEN;
    return vec3_length(across) < (1.0 - 1e-6) * pair->friction * pressed ? HOLD_STICKING
                                                                         : HOLD_SLIDING;
}

/* Whether friction about its axes keeps the bodies from turning on each other. */
static bool rolls(const ContactPair *pair, const ContactRow *row) {
    double pressed = vec3_dot(row->impulse, row->normal), arm = pair->rolling;
    if (isfinite(row->radius) && pair->curve > 0.0) arm *= row->radius / pair->curve;
    return !(vec3_length(row->couple) < (1.0 - 1e-6) * arm * pressed);
}

typedef void (*HoldVisit)(void *user, const ContactPair *pair, ContactRow *row);

static void for_each_held(RigidBodies *bodies, HoldVisit visit, void *user) {
    RigidContacts *contacts = &bodies->contacts;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        for (int32_t r = 0; pair->found && r < pair->rows; r++) {
            ContactRow *row = &contacts->rows.data[pair->first + r];
            if (row->hold != HOLD_OPEN) visit(user, pair, row);
        }
    }
}

/* ---- rows ---- */

typedef struct RowJob {
    RigidBodies *bodies;
    DofRows *rows;
    size_t first; /* column of the first velocity */
    double dt;
    SolveWhen when;
    double *impulse; /* of each velocity, N s, N m s */
} RowJob;

/* Adds sign times the velocity of a partner at the point along d, and that about the axis `turn`;
 * what does not move counts to the target. */
static void add_partner(const RowJob *job, size_t i, double sign, Vec3 point, Vec3 d, Vec3 turn,
                        double *target) {
    const RigidBodies *b = job->bodies;
    const SolverBody *body = &b->contacts.solver_bodies.data[i];
    if (!body->moves) {
        Vec3 arm = vec3_sub(point, body->center);
        *target -=
            sign * (vec3_dot(solver_body_velocity_at(body, arm), d) + vec3_dot(body->spin, turn));
        return;
    }
    double row[6];
    Vec3 arm = vec3_sub(point, vec3_load(b->position + 3 * i));
    vec3_store(row, d);
    vec3_store(row + 3, vec3_add(vec3_cross(arm, d), turn));
    for (size_t k = 0; k < 6; k++) dof_rows_add(job->rows, job->first + 6 * i + k, sign * row[k]);
}

static void add_row(const RowJob *job, const ContactPair *pair, const ContactRow *row, Vec3 d,
                    Vec3 turn, double target) {
    add_partner(job, (size_t)pair->a, 1.0, row->point, d, turn, &target);
    add_partner(job, (size_t)pair->b, -1.0, row->point, d, turn, &target);
    dof_rows_end(job->rows, target);
}

static void across(Vec3 n, bool plane, Vec3 out[2]) {
    Vec3 s = plane ? vec3(0, 0, 1) : fabs(n.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    out[0] = vec3_normalize(vec3_cross(n, s));
    out[1] = vec3_cross(n, out[0]);
}

static const Vec3 NONE = {0, 0, 0};

/* In the pass for positions bodies may come as near as to touch. */
static void add_normal(void *user, const ContactPair *pair, ContactRow *row) {
    const RowJob *job = user;
    ContactSolve solve = {.pass = pass_of(job->when), .dt = job->dt};
    add_row(job, pair, row, row->normal, NONE, contact_least_velocity(&solve, row));
}

/* In two dimensions there is one direction across, and one axis to turn about. */
static void add_friction(void *user, const ContactPair *pair, ContactRow *row) {
    const RowJob *job = user;
    bool plane = job->bodies->options.plane;
    Vec3 t[2];
    across(row->normal, plane, t);
    for (int k = 0; k < (plane ? 1 : 2) && row->hold == HOLD_STICKING; k++)
        add_row(job, pair, row, t[k], NONE, row->runs ? -vec3_dot(row->run, t[k]) : 0.0);
    if (rolls(pair, row)) return;
    if (plane) add_row(job, pair, row, NONE, vec3(0, 0, 1), 0.0);
    for (int k = 0; k < 2 && !plane; k++) add_row(job, pair, row, NONE, t[k], 0.0);
}

/* ---- bounces ---- */

/* All that struck a pair in collisions, over its size: a direction, and a moment about the origin.
 */
typedef struct Strike {
    Vec3 d, turn;
    double speed; /* m/s: at which the pair parts along it now */
} Strike;

/* False: it was not struck, or no fluid moves it. */
static bool find_strike(const RigidBodies *b, const ContactPair *pair, Strike *strike) {
    double size = vec3_length(pair->struck[0]);
    int32_t of[2] = {pair->a, pair->b};
    bool is_wet = false;
    if (!(size > 0.0)) return false;
    *strike = (Strike){vec3_scale(1.0 / size, pair->struck[0]),
                       vec3_scale(1.0 / size, pair->struck[1]), 0.0};
    for (int side = 0; side < 2; side++) {
        const SolverBody *body = &b->contacts.solver_bodies.data[of[side]];
        Vec3 v = solver_body_velocity_at(body, vec3_scale(-1.0, body->center));
        strike->speed +=
            (side ? -1.0 : 1.0) * (vec3_dot(v, strike->d) + vec3_dot(body->spin, strike->turn));
        is_wet = is_wet || ((size_t)of[side] < rigid_count(b) && b->wet[of[side]]);
    }
    return is_wet;
}

/* By more than a part of what gravity does in a step: what lies does not. */
static bool bounced(const void *system, const StepInfo *step) {
    const RigidBodies *b = system;
    const double least = 0.1 * step->dt * vec3_length(step->gravity);
    if (!rigid_contact_is_on(b)) return false;
    for (size_t p = 0; p < b->contacts.pairs.count; p++) {
        const ContactPair *pair = &b->contacts.pairs.data[p];
        Strike strike;
        if (pair->restitution > 0.0 && find_strike(b, pair, &strike) && strike.speed > least)
            return true;
    }
    return false;
}

/* A pair parts as its collisions found, along all that struck it: one row, whose impulse is more of
 * the same. So the fluid that moves along turns back with the bodies, momenta are kept, and energy
 * is not gained. */
static void add_bounces(const RowJob *job) {
    const RigidContacts *contacts = &job->bodies->contacts;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        Strike strike;
        if (!find_strike(job->bodies, pair, &strike)) continue;
        double target = strike.speed;
        add_partner(job, (size_t)pair->a, 1.0, NONE, strike.d, strike.turn, &target);
        add_partner(job, (size_t)pair->b, -1.0, NONE, strike.d, strike.turn, &target);
        dof_rows_end(job->rows, target);
    }
}

void rigid_contact_join(const void *system, const StepInfo *step, SolveWhen when,
                        const DofPartners *partners, DofRows *rows) {
    RigidBodies *b = (RigidBodies *)system; /* rows are looked at, not changed */
    RowJob job = {.bodies = b,
                  .rows = rows,
                  .first = partners->partners[partners->own].first,
                  .dt = when == SOLVE_HALF_STEP ? 2.0 * step->dt : step->dt,
                  .when = when};
    if (when == SOLVE_IMPACT) add_bounces(&job);
    if (!b->contacts.is_coupled) return;
    /* Those that keep bodies out of one another first: where rows depend on each other, the first
     * count. */
    for_each_held(b, add_normal, &job);
    for_each_held(b, add_friction, &job);
}

/* ---- impulses of what slides ---- */

static void push(const RowJob *job, size_t i, double sign, Vec3 point, Vec3 impulse, Vec3 couple) {
    const RigidBodies *b = job->bodies;
    if (!b->contacts.solver_bodies.data[i].moves) return;
    Vec3 arm = vec3_sub(point, vec3_load(b->position + 3 * i));
    double *to = job->impulse + 6 * i;
    vec3_store(to, vec3_add_scaled(vec3_load(to), sign, impulse));
    vec3_store(to + 3, vec3_add_scaled(vec3_load(to + 3), sign,
                                       vec3_add(vec3_cross(arm, impulse), couple)));
}

static void add_sliding(void *user, const ContactPair *pair, ContactRow *row) {
    const RowJob *job = user;
    double pressed = vec3_dot(row->impulse, row->normal);
    Vec3 slide = vec3_add_scaled(row->impulse, -pressed, row->normal);
    if (row->hold == HOLD_STICKING) slide = NONE;
    Vec3 couple = rolls(pair, row) ? row->couple : NONE;
    push(job, (size_t)pair->a, 1.0, row->point, slide, couple);
    push(job, (size_t)pair->b, -1.0, row->point, slide, couple);
}

void rigid_contact_impulses(const RigidBodies *bodies, double *impulse) {
    RowJob job = {.bodies = (RigidBodies *)bodies, .impulse = impulse};
    if (bodies->contacts.is_coupled) for_each_held(job.bodies, add_sliding, &job);
}

/* ---- the stages ---- */

bool rigid_contact_is_wet(const RigidBodies *bodies) {
    const RigidContacts *contacts = &bodies->contacts;
    size_t count = rigid_count(bodies);
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        if (!pair->found) continue;
        if (bodies->wet[pair->a]) return true;
        if ((size_t)pair->b < count && bodies->wet[pair->b]) return true;
    }
    return false;
}

/* The first guess: what points carried before, in the last step or this one's first half; new ones
 * as contact without the fluid would have them. */
static void guess_holds(RigidBodies *bodies, double time) {
    RigidContacts *contacts = &bodies->contacts;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        for (int32_t r = 0; r < pair->rows; r++) {
            ContactRow *row = &contacts->rows.data[pair->first + r];
            bool is_new = vec3_dot(row->guess, row->guess) == 0.0;
            row->impulse = is_new ? row->carried : vec3_scale(time, row->guess);
            if (!is_new) row->couple = vec3_scale(time, row->guess_couple);
            row->hold = hold_of(pair, row);
        }
    }
}

/* What moves along is much the same at the half step and the whole. */
static PlimStatus begin_coupled(RigidBodies *bodies, SolveWhen when) {
    RigidContacts *contacts = &bodies->contacts;
    size_t count = rigid_count(bodies);
    bool is_known = when == SOLVE_WHOLE_STEP && contacts->coupled.count == count;
    if (!array_reserve(bodies->context, &contacts->coupled, count)) return PLIM_OUT_OF_MEMORY;
    contacts->coupled.count = count;
    for (size_t i = 0; i < count; i++) {
        CoupledBody *body = &contacts->coupled.data[i];
        if (!is_known) body->ratio[0] = body->ratio[1] = 1.0;
        body->is_solved = false;
    }
    return PLIM_OK;
}

static PlimStatus begin(void *system, const StepInfo *step, SolveWhen when, bool *touches) {
    RigidBodies *bodies = system;
    *touches = rigid_contact_is_on(bodies) && rigid_contact_is_wet(bodies);
    if (!*touches) return PLIM_OK;
    TRY(solver_bodies_load(bodies, step, bodies_of(when)));
    contacts_prepare(bodies);
    contacts_warm_start(bodies);
    if (when == SOLVE_HALF_STEP) { /* v~ is known, that of the fluid without contact */
        TRY(contacts_solve(bodies, step, CONTACT_POSITIONS));
        for (size_t i = 0; i < rigid_count(bodies); i++)
            if (bodies->wet[i]) rigid_predict_half(bodies, i, step);
        TRY(joints_solve_wet(bodies, step));
    }
    guess_holds(bodies, time_of(step, when));
    bodies->contacts.is_coupled = true;
    bodies->contacts.round = 0;
    bodies->contacts.disagreement = HUGE_VAL;
    return begin_coupled(bodies, when);
}

/* What contact gave to a body in the solve: M (v - v*) less what the fluid gave. */
static void find_contact_impulse(const RigidBodies *b, size_t i, const DofLoad *load,
                                 CoupledBody *body) {
    const SolverBody *start = &b->contacts.solver_bodies.data[i];
    const double *v = load->velocity + 6 * i, *gain = load->gain + 6 * i;
    Vec3 turned = vec3_sub(vec3_load(v + 3), start->spin);
    body->velocity[0] = vec3_load(v);
    body->velocity[1] = vec3_load(v + 3);
    body->impulse[0] =
        vec3_sub(vec3_scale(b->mass[i], vec3_sub(vec3_load(v), start->velocity)), vec3_load(gain));
    body->impulse[1] = vec3_sub(mat3_apply(rigid_world_inertia(b, i), turned), vec3_load(gain + 3));
}

/* How much more than its own mass moves with the body: what the last two turns changed of impulses
 * over what they changed of velocities. A change below `least` tells nothing: of a body that others
 * hold it is what the solve left, and as heavy as that would make it no impulse would be too great.
 */
static double mass_ratio(Vec3 impulse, Vec3 own, Vec3 velocity, double least, double last) {
    const double most = 1e12;
    if (!(vec3_length(velocity) > least)) return last;
    double with_own = vec3_dot(own, velocity), with_all = vec3_dot(impulse, velocity);
    if (!(with_own > 0.0) || !(with_all > with_own)) return last;
    return fmin(with_all / with_own, most);
}

/* `least`: m/s, of its surface. */
static void update_mass_ratios(const RigidBodies *b, size_t i, double least,
                               const CoupledBody *before, CoupledBody *body) {
    Vec3 change[2], impulse[2];
    for (int k = 0; k < 2; k++) {
        change[k] = vec3_sub(body->velocity[k], before->velocity[k]);
        impulse[k] = vec3_sub(body->impulse[k], before->impulse[k]);
    }
    body->ratio[0] = mass_ratio(impulse[0], vec3_scale(b->mass[i], change[0]), change[0], least,
                                before->ratio[0]);
    body->ratio[1] = mass_ratio(impulse[1], mat3_apply(rigid_world_inertia(b, i), change[1]),
                                change[1], least / rigid_ball_radius(b, i), before->ratio[1]);
}

/* A body in the contact solver: it answers to impulses with the mass that moves along, and has the
 * velocity of the solve if contact gives what it gave there. Whatever the masses, it is the same
 * contact when both agree; with the right ones they do so sooner. */
static void load_coupled(RigidBodies *b, size_t i, const DofLoad *load, double least) {
    SolverBody *body = &b->contacts.solver_bodies.data[i];
    CoupledBody *own = &b->contacts.coupled.data[i], before = *own;
    find_contact_impulse(b, i, load, own);
    if (b->contacts.round > 0) update_mass_ratios(b, i, least, &before, own);
    body->inverse_mass /= own->ratio[0];
    body->inverse_inertia = mat3_scale(1.0 / own->ratio[1], body->inverse_inertia);
    body->velocity = vec3_add_scaled(own->velocity[0], -body->inverse_mass, own->impulse[0]);
    body->spin = vec3_sub(own->velocity[1], mat3_apply(body->inverse_inertia, own->impulse[1]));
}

/* The velocity that a pinned or locked body would have without contact. */
static void load_held(RigidBodies *b, size_t i, const double gain[6]) {
    SolverBody *body = &b->contacts.solver_bodies.data[i];
    PinnedBody held = rigid_pinned_body(b, i);
    Vec3 arm = vec3_sub(vec3_load(b->position + 3 * i), body->center);
    Vec3 v = vec3_add_scaled(solver_body_velocity_at(body, arm), 1.0 / b->mass[i], vec3_load(gain));
    Vec3 momentum = vec3_add(mat3_apply(held.inertia, body->spin), vec3_load(gain + 3));
    pin_motion(&held, &v, &momentum);
    Vec3 spin = mat3_apply(mat3_inverse(held.inertia), momentum);
    body->spin = b->options.plane ? vec3(0, 0, spin.z) : spin;
    body->velocity = b->held[i] & RIGID_PINNED ? vec3(0, 0, 0) : v;
}

/* The greatest difference of velocities that contact finds and the solve found. */
static double disagreement(const RigidBodies *b, const DofLoad *load) {
    double worst = 0.0;
    for (size_t i = 0; i < rigid_count(b); i++) {
        const SolverBody *body = &b->contacts.solver_bodies.data[i];
        if (!load->is_solved[i] || b->contacts.body_islands.data[i] < 0) continue;
        Vec3 arm = vec3_sub(vec3_load(b->position + 3 * i), body->center);
        Vec3 v = vec3_sub(solver_body_velocity_at(body, arm), vec3_load(load->velocity + 6 * i));
        Vec3 spin = vec3_sub(body->spin, vec3_load(load->velocity + 6 * i + 3));
        worst = fmax(worst, vec3_length(v) + rigid_ball_radius(b, i) * vec3_length(spin));
    }
    return worst;
}

/* What gravity does in the step; where there is none, a tenth of the greatest speed. */
static double speed_scale(const RigidBodies *b, const StepInfo *step, const DofLoad *load) {
    double fall = step->dt * vec3_length(step->gravity), fastest = 0.0;
    for (size_t i = 0; i < rigid_count(b) && fall == 0.0; i++)
        if (load->is_solved[i])
            fastest = fmax(fastest, vec3_length(vec3_load(load->velocity + 6 * i)));
    return fall > 0.0 ? fall : 0.1 * fastest;
}

/* Without what shock propagation adds, which acts on one body of a pair. True: it is held as it
 * was. */
static bool settle_row(const ContactPair *pair, ContactRow *row, double time) {
    RowHold before = row->hold;
    row->impulse = row->carried;
    row->couple = row->carried_couple;
    row->hold = hold_of(pair, row);
    row->guess = vec3_scale(1.0 / time, row->carried);
    row->guess_couple = vec3_scale(1.0 / time, row->couple);
    return row->hold == before;
}

/* Pairs that the fluid presses together after their collision, or that it brings there now, would
 * overlap at the end of the step: they are in contact, too. In the pass for velocities they are
 * not: they have not had the chance to bounce. */
static void find_pressed(RigidBodies *bodies, double dt) {
    RigidContacts *contacts = &bodies->contacts;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        ContactPair *pair = &contacts->pairs.data[p];
        const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                         *b = &contacts->solver_bodies.data[pair->b];
        for (int32_t r = 0; r < pair->rows && !pair->found; r++) {
            const ContactRow *row = &contacts->rows.data[pair->first + r];
            pair->found = row->gap + dt * vec3_dot(row->normal, row_velocity(row, a, b)) < 0.0;
            if (pair->found && pair->level < 1) pair->level = 1;
        }
    }
}

static PlimStatus settle(void *system, const StepInfo *step, SolveWhen when, const DofLoad *load,
                         bool *agrees) {
    RigidBodies *bodies = system;
    RigidContacts *contacts = &bodies->contacts;
    double time = time_of(step, when), scale = speed_scale(bodies, step, load);
    TRY(solver_bodies_load(bodies, step, bodies_of(when)));
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        if (!load->is_solved[i] || bodies->motion[i] != PLIM_DYNAMIC) continue;
        contacts->coupled.data[i].is_solved = true;
        if (bodies->held[i])
            load_held(bodies, i, load->gain + 6 * i);
        else if (!joints_have(&bodies->joints, i))
            load_coupled(bodies, i, load, SMALL * scale + load->speed);
    }
    TRY(joints_load_coupled(bodies, step, when, load));
    contacts_renew(bodies);
    if (bodies->joints.held.count > 0) contacts_renew_responses(bodies);
    if (when == SOLVE_HALF_STEP) find_pressed(bodies, step->dt);
    TRY(contacts_solve(bodies, step, pass_of(when)));
    bool same = true;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        for (int32_t r = 0; r < pair->rows; r++)
            same = settle_row(pair, &contacts->rows.data[pair->first + r], time) && same;
    }
    double worst = disagreement(bodies, load);
    bool is_stuck = worst > 0.5 * contacts->disagreement;
    *agrees = worst <= (same || is_stuck ? ENOUGH : SMALL) * scale + load->speed;
    contacts->disagreement = worst;
    contacts->round++;
    if (contacts->figures.rounds < contacts->round) contacts->figures.rounds = contacts->round;
    contacts->figures.unsettled += load->is_last && !*agrees;
    return PLIM_OK;
}

/* Pairs that touched at the start of the step and that the fluid or others pressed together in it
 * have no bounce to come: they are contacts of the pass for velocities, too. */
static void keep_pressed(RigidContacts *contacts) {
    for (size_t p = 0; p < contacts->pairs.count; p++) { /* what was seen is in the same order */
        const ContactPair *pair = &contacts->pairs.data[p];
        SeenPair *seen = &contacts->seen.data[p];
        bool touches = false;
        for (int32_t r = 0; r < pair->rows; r++)
            touches = touches || !(contacts->rows.data[pair->first + r].gap > 0.0);
        if (!pair->found || seen->found || !touches) continue;
        seen->found = true;
        seen->level = pair->level;
    }
}

static PlimStatus end(void *system, const StepInfo *step, SolveWhen when) {
    RigidBodies *bodies = system;
    bool half = when == SOLVE_HALF_STEP;
    TRY(contacts_clamp(bodies, step, half));
    contact_report_before(bodies);
    if (half) contact_report_afloat(bodies);
    if (half) contacts_keep_afloat(bodies);
    for (size_t i = 0; i < rigid_count(bodies); i++) { /* those have their velocities */
        const CoupledBody *body = &bodies->contacts.coupled.data[i];
        if (!body->is_solved) continue;
        bodies->contacts.solver_bodies.data[i].touched = false;
        if (!half) contact_report_coupled(bodies, i, body->impulse);
    }
    solver_bodies_store(bodies, bodies_of(when));
    contact_report_after(bodies);
    bodies->contacts.is_coupled = false;
    bodies->contacts.is_settled = !half;
    if (!half) return PLIM_OK;
    keep_pressed(&bodies->contacts);
    /* What points carried is the first guess of the whole step. */
    StepInfo first_half = *step;
    first_half.dt = time_of(step, when);
    TRY(contacts_keep_forces(bodies, &first_half));
    return contacts_stop(bodies, step, true);
}

const ContactClass rigid_coupled_contact = {
    .bounced = bounced, .begin = begin, .settle = settle, .end = end};
