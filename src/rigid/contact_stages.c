/* The stages of the step in which bodies meet (DESIGN: collide, contact, move, finish; 000 section
 * 2.11, 002 sections 4.4 to 4.7). */
#include "rigid/contact_stages.h"
#include "rigid/coupled_contact.h"
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
    return PLIM_OK;
}

/* Holds x^n, v^n, v~^{n+1/2}. After it: v^^n and v^^{n+1/2} = v^^n + (v~^{n+1/2} - v^n), and the
 * pairs that would overlap. */
PlimStatus rigid_collide(void *system, const StepInfo *step) {
    RigidBodies *bodies = system;
    RigidContacts *contacts = &bodies->contacts;
    contacts->figures = (ContactFigures){0};
    if (!rigid_contact_is_on(bodies)) return PLIM_OK;
    TRY(detect_awake(bodies, step));
    if (!contacts->overlaps_told && step->time == 0.0) contacts_tell_overlaps(bodies);
    contacts->overlaps_told = true;
    TRY(contacts_collide(bodies, step));
    contacts_wake_struck(bodies, step);
    TRY(contacts_remember_points(bodies));
    solver_bodies_store(bodies, SOLVER_BODIES_START);
    TRY(contacts_remember(bodies));
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        contacts->figures.collision_energy += contacts->pairs.data[p].energy;
        contacts->figures.raised_energy += contacts->pairs.data[p].raised;
    }
    return contacts_build_graph(bodies, step);
}

/* v^^{n+1/2} becomes v^{n+1/2}: the velocity with which positions move. Islands on the ground are
 * not clamped: there is no state to compare with in which positions and velocities are of one time
 * (002 section 2.3.2). Where a fluid moves what touches, this is part of a coupled solve. */
PlimStatus rigid_contact(void *system, const StepInfo *step) {
    RigidBodies *bodies = system;
    if (!rigid_contact_is_on(bodies) || rigid_contact_is_wet(bodies)) return PLIM_OK;
    TRY(solver_bodies_load(bodies, step, SOLVER_BODIES_HALF));
    contacts_prepare(bodies);
    contacts_warm_start(bodies);
    contacts_turn_half(bodies, step);
    TRY(contacts_solve(bodies, step, CONTACT_POSITIONS));
    TRY(contacts_clamp(bodies, step, true));
    contacts_keep_afloat(bodies);
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
    return contacts_push_out(bodies, step);
}

static PlimStatus solve_velocities(RigidBodies *bodies, const StepInfo *step) {
    TRY(solver_bodies_load(bodies, step, SOLVER_BODIES_WHOLE));
    contacts_prepare(bodies);
    contacts_warm_start(bodies);
    contacts_turn_whole(bodies);
    TRY(contacts_solve(bodies, step, CONTACT_VELOCITIES));
    TRY(contacts_clamp(bodies, step, false));
    solver_bodies_store(bodies, SOLVER_BODIES_WHOLE);
    return PLIM_OK;
}

/* Contact and friction on v^{n+1} at x^{n+1}, clamped, unless a coupled solve has seen to it. */
PlimStatus rigid_contact_velocities(RigidBodies *bodies, const StepInfo *step) {
    if (!rigid_contact_is_on(bodies)) return PLIM_OK;
    RigidContacts *contacts = &bodies->contacts;
    if (!contacts->is_settled) TRY(solve_velocities(bodies, step));
    contacts->is_settled = false;
    TRY(contacts_keep_forces(bodies, step));
    if (bodies->options.clamp) TRY(contacts_limit_energy(bodies, step));
    TRY(contacts_stop(bodies, step, false));
    if (bodies->options.sleep) TRY(contacts_fall_asleep(bodies, step));
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

/* The longest step in which a body moves by no more than a part of its size. A plate counts as at
 * least a tenth as thick as it is wide. */
static double step_of_body(const RigidBodies *b, size_t i, double gravity) {
    Box3 box = rigid_shape(b, i)->box;
    Vec3 sides = vec3_sub(box.high, box.low);
    if (b->options.plane) {
        const PlaneShape *cut = &b->cuts.data[i].shape;
        sides = vec3(2.0 * (cut->reach + vec3_length(cut->center)), 0, 0);
    }
    double widest = fmax(sides.x, fmax(sides.y, sides.z));
    double size = b->options.travel * fmax(rigid_size(b, i), 0.1 * widest);
    if (!(size > 0.0)) return HUGE_VAL; /* not cut by the plane: nothing is in its way */
    double speed = vec3_length(vec3_load(b->velocity + 3 * i)) +
                   0.5 * vec3_length(sides) * vec3_length(vec3_load(b->angular_velocity + 3 * i));
    /* With the fall of this step: v dt + g dt^2/2 = size. */
    return 2.0 * size / (speed + sqrt(speed * speed + 2.0 * gravity * size));
}

/* Whether anything else may be where a body may be in the step that is wanted. */
static bool is_near_others(const RigidBodies *b, size_t i, const Box3 *boxes) {
    for (size_t j = 0; j < rigid_count(b); j++)
        if (j != i && box3_overlap(boxes[i], boxes[j])) return true;
    for (size_t j = 0; j < b->still_surfaces.count; j++)
        if (box3_overlap(boxes[i], still_surface_box(&b->still_surfaces.data[j]))) return true;
    return false;
}

/* 000 section 2.4: steps are limited by the speeds and sizes of bodies. */
double rigid_max_dt(const void *system, const StepInfo *step) {
    const RigidBodies *b = system;
    enum {
        MOST_PARTS = 500
    }; /* dust would stop all else: what is faster may pass, and is counted */
    double longest = HUGE_VAL, gravity = vec3_length(step->gravity);
    if (!rigid_contact_is_on(b) || !(b->options.travel > 0.0)) return longest;
    size_t mark = scratch_mark(step->scratch), count = rigid_count(b);
    Box3 *boxes = scratch_take(step->scratch, count, sizeof *boxes);
    if (!boxes) return longest; /* the step itself will say so */
    for (size_t i = 0; i < count; i++) {
        double speed = vec3_length(vec3_load(b->velocity + 3 * i)) + gravity * step->dt;
        double way = b->motion[i] == PLIM_STATIC ? 0.0 : step->dt * speed;
        boxes[i] = box3_grow(rigid_box(b, i), way);
    }
    for (size_t i = 0; i < count; i++) {
        if (b->motion[i] != PLIM_DYNAMIC || b->asleep[i]) continue;
        double dt = step_of_body(b, i, gravity);
        if (dt < longest && dt < step->dt && is_near_others(b, i, boxes)) longest = dt;
    }
    scratch_release(step->scratch, mark);
    return fmax(longest, step->dt / MOST_PARTS);
}
