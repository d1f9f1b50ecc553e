/* Sleeping islands: islands whose velocities are rounding stop, those that do not move sleep. / */
#include "rigid/contact/contact_report.h"
#include "rigid/forces.h"

#include <string.h>

/* ---- rest ---- */

/* Velocities that are no more than what the solve leaves are none. */
PlimStatus contacts_stop(RigidBodies *bodies, const StepInfo *step, bool half) {
    RigidContacts *contacts = &bodies->contacts;
    size_t mark = scratch_mark(step->scratch), islands = contacts->islands.count;
    bool *moves = scratch_take(step->scratch, islands, sizeof *moves);
    if (!moves) return PLIM_OUT_OF_MEMORY;
    double least = 1e-8 * forces_step_speed(bodies, step);
    for (size_t k = 0; k < islands; k++)
        moves[k] = contacts->islands.data[k].driven || !contacts->islands.data[k].grounded;
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        int32_t k = contacts->body_islands.data[i];
        if (k < 0) continue;
        const SolverBody *body = &contacts->solver_bodies.data[i];
        double reach = rigid_ball_radius(bodies, i);
        moves[k] |= !(vec3_length(body->velocity) + reach * vec3_length(body->spin) < least);
    }
    double *velocity = half ? bodies->velocity_half : bodies->velocity;
    double *momentum = half ? bodies->angular_momentum_half : bodies->angular_momentum;
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        int32_t k = contacts->body_islands.data[i];
        if (k < 0 || moves[k]) continue;
        vec3_store(velocity + 3 * i, vec3(0, 0, 0));
        vec3_store(momentum + 3 * i, vec3(0, 0, 0));
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- sleep ---- */

static bool stood_still(const RigidBodies *b, size_t i) {
    const BodyBefore *before = &b->contacts.before.data[i];
    double position[3], orientation[4];
    vec3_store(position, before->position);
    quat_store(orientation, before->orientation);
    for (int axis = 0; axis < 3; axis++)
        if (b->velocity[3 * i + axis] != 0.0 || b->angular_momentum[3 * i + axis] != 0.0)
            return false;
    return before->kinetic == 0.0 && memcmp(position, b->position + 3 * i, sizeof position) == 0 &&
           memcmp(orientation, b->orientation + 4 * i, sizeof orientation) == 0;
}

/* How long a body must have stayed where it is, s: thrice as long as it takes to fall by its size.
 * What forces move, however little they outweigh what holds it, gets farther than `still_part` of
 * its size in that time: by 9 times their part of the weight. */
static double time_to_rest(const RigidBodies *b, size_t i, const StepInfo *step) {
    return 3.0 * sqrt(2.0 * rigid_ball_radius(b, i) / vec3_length(step->gravity));
}

/* Whether a body has stayed within a small part of its size for long enough, and does not gather
 * speed: what the solve leaves moves positions, not velocities. */
static bool stayed(RigidBodies *b, size_t i, const StepInfo *step) {
    const double still_part = 1e-2, slow_part = 0.03;
    double radius = rigid_ball_radius(b, i);
    Vec3 position = vec3_load(b->position + 3 * i);
    Quat orientation = quat_load(b->orientation + 4 * i);
    Quat turned =
        quat_multiply(orientation, quat_conjugate(quat_load(b->still_orientation + 4 * i)));
    double moved = vec3_length(vec3_sub(position, vec3_load(b->still_position + 3 * i))) +
                   2.0 * radius * vec3_length(vec3(turned.x, turned.y, turned.z));
    double wait = time_to_rest(b, i, step);
    const SolverBody *body = &b->contacts.solver_bodies.data[i];
    double speed = vec3_length(body->velocity) + radius * vec3_length(body->spin);
    if (moved <= still_part * radius)
        return step->end_time - b->still_since[i] >= wait &&
               speed * wait <= slow_part * still_part * radius;
    vec3_store(b->still_position + 3 * i, position);
    quat_store(b->still_orientation + 4 * i, orientation);
    b->still_since[i] = step->end_time;
    return false;
}

/* An island whose bodies all are where they were, to the bit, and rest, will be there after the
 * next step too: it can be left out until something touches it. So can one whose bodies all have
 * stayed where they are but for what the solve leaves: it stands still from then on. The label is
 * the island's lowest body, plus one. */
PlimStatus contacts_fall_asleep(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    size_t mark = scratch_mark(step->scratch), islands = contacts->islands.count;
    int32_t *label = scratch_take(step->scratch, islands, sizeof *label);
    if (!label) return PLIM_OUT_OF_MEMORY;
    for (size_t k = 0; k < islands; k++) {
        const ContactIsland *island = &contacts->islands.data[k];
        label[k] = island->grounded && !island->driven ? INT32_MAX : 0;
    }
    for (size_t i = rigid_count(bodies); i-- > 0;) {
        int32_t k = contacts->body_islands.data[i];
        bool has_stayed = stayed(bodies, i, step);
        if (k < 0 || label[k] == 0) continue;
        label[k] = has_stayed || stood_still(bodies, i) ? (int32_t)i + 1 : 0;
    }
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        int32_t k = contacts->body_islands.data[i];
        if (k < 0 || label[k] <= 0) continue;
        bodies->asleep[i] = label[k];
        vec3_store(bodies->velocity + 3 * i, vec3(0, 0, 0));
        vec3_store(bodies->angular_momentum + 3 * i, vec3(0, 0, 0));
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* One sleeper, with the weight that it did not feel in this step so far. */
static void wake_body(RigidBodies *bodies, const StepInfo *step, size_t i) {
    Vec3 half = {0, 0, 0}, spin = {0, 0, 0};
    forces_add_half(bodies, i, step, &half, &spin);
    PinnedBody body = rigid_pinned_body(bodies, i);
    pin_motion(&body, &half, &spin);
    vec3_store(bodies->velocity_half + 3 * i, half);
    vec3_store(bodies->angular_momentum_half + 3 * i, spin);
    bodies->asleep[i] = 0;
    bodies->still_since[i] = step->time;
    contact_report_wake(bodies, i);
}

static void wake(RigidBodies *bodies, const StepInfo *step, int32_t label, bool *woken) {
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        if (bodies->asleep[i] != label) continue;
        wake_body(bodies, step, i);
        woken[i] = true;
    }
}

void contacts_wake_struck(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    for (size_t struck = 0; struck < rigid_count(bodies); struck++) {
        int32_t label = bodies->asleep[struck];
        if (label == 0 || !contacts->solver_bodies.data[struck].touched) continue;
        for (size_t i = 0; i < rigid_count(bodies); i++) {
            if (bodies->asleep[i] != label) continue;
            wake_body(bodies, step, i);
            if (bodies->held[i] & RIGID_PINNED) continue; /* its weight comes with the next step */
            contacts->solver_bodies.data[i].push = vec3_load(bodies->velocity_half + 3 * i);
            BodyInertia inertia = rigid_inertia(bodies, i);
            contacts->solver_bodies.data[i].twist =
                orientation_angular_velocity(&inertia, quat_load(bodies->orientation + 4 * i),
                                             vec3_load(bodies->angular_momentum_half + 3 * i));
        }
    }
}

/* Whether a body wakes the sleeper of a pair: it runs into it, or it is ground that moves and takes
 * it along, or it was woken itself and touches it, so that the blow may go on. */
static bool disturbs(const RigidContacts *contacts, const ContactPair *pair,
                     const SolverBody *other, bool other_woken, double dt) {
    const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                     *b = &contacts->solver_bodies.data[pair->b];
    bool on_path = vec3_length(other->velocity) + vec3_length(other->spin) > 0.0;
    if (!other->moves) return on_path;
    for (int32_t k = 0; k < pair->rows; k++) {
        const ContactRow *row = &contacts->rows.data[pair->first + k];
        Vec3 velocity = vec3_add(row_velocity(row, a, b), row_push(row, a, b));
        if (other_woken && row->gap < 1e-3 * pair->size) return true;
        if (row->gap + dt * vec3_dot(row->normal, velocity) < 0.0) return true;
    }
    return false;
}

bool contacts_wake(RigidBodies *bodies, const StepInfo *step, bool *woken) {
    const RigidContacts *contacts = &bodies->contacts;
    bool any = false;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        if (rigid_is_still_surface(bodies, (size_t)pair->b)) continue; /* wakes nobody */
        int32_t of_a = bodies->asleep[pair->a], of_b = bodies->asleep[pair->b];
        if ((of_a > 0) == (of_b > 0)) continue;
        int32_t other = of_a > 0 ? pair->b : pair->a;
        if (!disturbs(contacts, pair, &contacts->solver_bodies.data[other], woken[other], step->dt))
            continue;
        wake(bodies, step, of_a > 0 ? of_a : of_b, woken);
        any = true;
    }
    return any;
}
