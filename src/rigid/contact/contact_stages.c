/* The stages of the step in which bodies meet (DESIGN: collide, contact, move, finish; 000 section
 * 2.11, 002 sections 4.4 to 4.7). */
#include "rigid/contact/contact_stages.h"
#include "rigid/contact/collision_groups.h"
#include "rigid/contact/contact_report.h"
#include "rigid/contact/coupled_contact.h"
#include "rigid/contact/surface_pairs.h"
#include "rigid/forces.h"
#include "rigid/still_surfaces.h"

#include <stdlib.h>
#include <string.h>

bool rigid_contact_is_on(const RigidBodies *bodies) {
    return bodies->options.contact && !bodies->options.hold_positions &&
           rigid_partner_count(bodies) > 1;
}

/* Pairs and points at x^n, with all that is touched awake: what wakes may touch others in turn. */
static PlimStatus detect_awake(RigidBodies *bodies, const StepInfo *step) {
    size_t mark = scratch_mark(step->scratch), count = rigid_partner_count(bodies);
    bool *woken = scratch_take(step->scratch, count, sizeof *woken);
    if (!woken) return PLIM_OUT_OF_MEMORY;
    memset(woken, 0, count * sizeof *woken);
    do {
        TRY(solver_bodies_load(bodies, step, SOLVER_BODIES_START));
        TRY(contacts_detect(bodies, step));
    } while (contacts_wake(bodies, step, woken));
    scratch_release(step->scratch, mark);
    TRY(joints_hold_contact(bodies, step, JOINT_CONTACT_COLLISIONS));
    contacts_renew_responses(bodies);
    if (!joints_mind_time(bodies) || !joints_give_way(bodies, step->dt)) return PLIM_OK;
    TRY(joints_hold_contact(bodies, step, JOINT_CONTACT_COLLISIONS));
    contacts_renew_responses(bodies);
    return PLIM_OK;
}

/* Holds x^n, v^n, v~^{n+1/2}. After it: v^^n and v^^{n+1/2} = v^^n + (v~^{n+1/2} - v^n), and the
 * pairs that would overlap. */
PlimStatus rigid_collide(void *system, const StepInfo *step) {
    RigidBodies *bodies = system;
    RigidContacts *contacts = &bodies->contacts;
    contacts->figures = (ContactFigures){0};
    contact_report_begin(bodies);
    if (!rigid_contact_is_on(bodies)) return PLIM_OK;
    TRY(detect_awake(bodies, step));
    if (!contacts->overlaps_told && step->time == 0.0) {
        contacts_tell_overlaps(bodies);
        surface_pairs_tell_restitution(bodies);
    }
    contacts->overlaps_told = true;
    surface_pairs_choose_friction(bodies, step);
    contact_report_before(bodies);
    TRY(contacts_collide(bodies, step));
    joints_follow_contact(bodies);
    contacts_wake_struck(bodies, step);
    TRY(contacts_remember_points(bodies));
    solver_bodies_store(bodies, SOLVER_BODIES_START);
    contact_report_after(bodies);
    contact_report_collisions(bodies);
    joints_note_collisions(bodies, step);
    TRY(contacts_remember(bodies));
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        contacts->figures.collision_energy += contacts->pairs.data[p].energy;
        contacts->figures.raised_energy += contacts->pairs.data[p].raised;
    }
    return contacts_build_graph(bodies, step);
}

/* Limits and ropes hold in contact, or are free, as a guess of its forces asks. Where those that
 * come out ask otherwise contact is solved again; sets that come back would do so for ever. */
enum { LIMIT_ROUNDS = 4 };

static PlimStatus begin_contact(RigidBodies *bodies, const StepInfo *step, SolverBodyWhen when,
                                int round) {
    TRY(solver_bodies_load(bodies, step, when));
    if (round > 0) {
        contacts_renew(bodies);
        return PLIM_OK;
    }
    contacts_prepare(bodies);
    contacts_warm_start(bodies);
    return PLIM_OK;
}

static PlimStatus solve_positions(RigidBodies *bodies, const StepInfo *step) {
    double time = 0.5 * step->dt;
    bool stands = false;
    for (int round = 0; round < LIMIT_ROUNDS && !stands; round++) {
        TRY(begin_contact(bodies, step, SOLVER_BODIES_HALF, round));
        if (joints_mind_time(bodies))
            TRY(joints_hold_contact(bodies, step, JOINT_CONTACT_POSITIONS));
        else
            joints_attach_contact(bodies);
        contacts_renew_responses(bodies);
        contacts_turn_half(bodies, step);
        TRY(contacts_solve(bodies, step, CONTACT_POSITIONS));
        if (round + 1 < LIMIT_ROUNDS) TRY(joints_judge_limits(bodies, step, time, &stands));
    }
    return PLIM_OK;
}

/* v^^{n+1/2} becomes v^{n+1/2}: the velocity with which positions move. Islands on the ground are
 * not clamped: there is no state to compare with in which positions and velocities are of one time
 * (002 section 2.3.2). Where a fluid moves what touches, this is part of a coupled solve. */
PlimStatus rigid_contact(void *system, const StepInfo *step) {
    RigidBodies *bodies = system;
    if (!rigid_contact_is_on(bodies) || rigid_contact_is_wet(bodies)) return PLIM_OK;
    TRY(solve_positions(bodies, step));
    TRY(joints_keep_contact(bodies, step));
    TRY(contacts_clamp(bodies, step, true));
    contact_report_before(bodies);
    contact_report_afloat(bodies);
    contacts_keep_afloat(bodies);
    contact_report_after(bodies);
    solver_bodies_store(bodies, SOLVER_BODIES_HALF);
    return contacts_stop(bodies, step, true);
}

static int compare_seen(const void *x, const void *y) {
    const SeenPair *a = x, *b = y;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* Only pairs that had the chance to bounce in this step are contacts of it. */
static void recall_pairs(RigidContacts *contacts) {
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        ContactPair *pair = &contacts->pairs.data[p];
        SeenPair key = {.a = pair->a, .b = pair->b};
        const SeenPair *seen =
            bsearch(&key, contacts->seen.data, contacts->seen.count, sizeof key, compare_seen);
        if (!seen) continue;
        pair->found = seen->found;
        pair->level = seen->found ? seen->level : 0;
        pair->gap_before = seen->gap;
        if (seen->slides) pair->friction = pair->kinetic;
    }
}

/* At x^{n+1}: where bodies touch now, and overlaps taken out. */
PlimStatus rigid_separate(RigidBodies *bodies, const StepInfo *step) {
    if (!rigid_contact_is_on(bodies)) return PLIM_OK;
    RigidContacts *contacts = &bodies->contacts;
    contacts_measure_fall(bodies, step);
    contacts_count_tunnelled(bodies);
    TRY(solver_bodies_load(bodies, step, SOLVER_BODIES_WHOLE));
    TRY(contacts_detect(bodies, step));
    if (contacts->seen.count > 0) recall_pairs(contacts);
    contacts_count_pressed_through(bodies);
    return contacts_push_out(bodies, step);
}

static PlimStatus solve_velocities(RigidBodies *bodies, const StepInfo *step) {
    bool stands = false;
    for (int round = 0; round < LIMIT_ROUNDS && !stands; round++) {
        TRY(begin_contact(bodies, step, SOLVER_BODIES_WHOLE, round));
        TRY(joints_hold_contact(bodies, step, JOINT_CONTACT_VELOCITIES));
        contacts_renew_responses(bodies);
        contacts_leave_bounces(bodies, step);
        contacts_turn_whole(bodies);
        TRY(contacts_solve(bodies, step, CONTACT_VELOCITIES));
        if (round + 1 < LIMIT_ROUNDS) TRY(joints_judge_limits(bodies, step, step->dt, &stands));
    }
    TRY(contacts_clamp(bodies, step, false));
    joints_report_contact(bodies, step);
    solver_bodies_store(bodies, SOLVER_BODIES_WHOLE);
    return PLIM_OK;
}

/* Contact and friction on v^{n+1} at x^{n+1}, clamped, unless a coupled solve has seen to it. */
PlimStatus rigid_contact_velocities(RigidBodies *bodies, const StepInfo *step) {
    if (!rigid_contact_is_on(bodies)) return PLIM_OK;
    RigidContacts *contacts = &bodies->contacts;
    contact_report_before(bodies);
    if (!contacts->is_settled) TRY(solve_velocities(bodies, step));
    contacts->is_settled = false;
    TRY(contacts_keep_forces(bodies, step));
    if (bodies->options.clamp) TRY(contacts_limit_energy(bodies, step));
    TRY(contacts_stop(bodies, step, false));
    contact_report_end(bodies, step);
    TRY(contact_report_points(bodies, step));
    if (bodies->options.sleep) TRY(contacts_fall_asleep(bodies, step));
    TRY(contact_report_sleepers(bodies, step));
    for (size_t i = 0; i < rigid_count(bodies); i++)
        contacts->figures.asleep += bodies->asleep[i] != 0;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        contacts->figures.pairs += pair->found;
        for (int32_t k = 0; k < pair->rows && pair->found; k++)
            contacts->figures.points += contacts->rows.data[pair->first + k].active;
    }
    return PLIM_OK;
}
