/* Coming to rest: energy that the step must not add, velocities that are rounding, and sleep. */
#include "rigid/contact_stages.h"

#include <string.h>

PlimStatus contacts_remember(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    size_t count = rigid_count(bodies);
    contacts->before.count = 0;
    if (!array_reserve(bodies->context, &contacts->before, count)) return PLIM_OUT_OF_MEMORY;
    contacts->before.count = count;
    for (size_t i = 0; i < count; i++)
        contacts->before.data[i] = (BodyBefore){vec3_load(bodies->position + 3 * i),
                                                quat_load(bodies->orientation + 4 * i),
                                                rigid_kinetic_energy(bodies, i), 0.0};
    return PLIM_OK;
}

void contacts_measure_fall(RigidBodies *bodies, const StepInfo *step) {
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        BodyBefore *before = &bodies->contacts.before.data[i];
        Vec3 moved = vec3_sub(vec3_load(bodies->position + 3 * i), before->position);
        before->fall = bodies->mass[i] * vec3_dot(step->gravity, moved);
    }
}

/* ---- energy ---- */

/* The velocities of a body as the body on a path that carries its island sees them. */
static void seen_from(const Mover *carrier, const Mover *mover, Vec3 velocity, Vec3 spin,
                      Vec3 out[2]) {
    out[0] = velocity;
    out[1] = spin;
    if (!carrier) return;
    Vec3 arm = vec3_sub(mover->center, carrier->center);
    out[0] = vec3_sub(velocity, mover_velocity_at(carrier, arm));
    out[1] = vec3_sub(spin, carrier->spin);
}

/* Of a body: what its impulses do to the kinetic energy, to first and second order. */
static void add_work(const RigidBodies *b, size_t i, double work[2]) {
    const RigidContacts *contacts = &b->contacts;
    const Mover *mover = &contacts->movers.data[i];
    int32_t carrier = contacts->islands.data[contacts->body_islands.data[i]].carrier;
    const Mover *seen = carrier >= 0 ? &contacts->movers.data[carrier] : NULL;
    Vec3 start[2];
    seen_from(seen, mover, mover->start[0], mover->start[1], start);
    Vec3 change = vec3_sub(mover->velocity, mover->start[0]);
    Vec3 turn = vec3_sub(mover->spin, mover->start[1]);
    Mat3 inertia = rigid_world_inertia(b, i);
    double mass = b->mass[i];
    if (b->held[i] & RIGID_PINNED) {
        HeldBody body = rigid_held_body(b, i);
        inertia = hold_pin_inertia(body.mass, body.inertia, body.arm);
        mass = 0.0;
    }
    work[0] += mass * vec3_dot(start[0], change) + vec3_dot(mat3_apply(inertia, turn), start[1]);
    work[1] += mass * vec3_dot(change, change) + vec3_dot(mat3_apply(inertia, turn), turn);
}

/* The impulses of an island are one impulse: as large as the kinetic energy allows (002 section
 * 2.3.2, with sums over all bodies), seen from the body on a path that carries it, if there is one.
 */
PlimStatus contacts_clamp(RigidBodies *bodies, const StepInfo *step, bool afloat_only) {
    RigidContacts *contacts = &bodies->contacts;
    size_t mark = scratch_mark(step->scratch), islands = contacts->islands.count;
    double(*work)[2] = scratch_take(step->scratch, islands, sizeof *work);
    if (!work) return PLIM_OUT_OF_MEMORY;
    for (size_t k = 0; k < islands; k++) work[k][0] = work[k][1] = 0.0;
    for (size_t i = 0; i < rigid_count(bodies); i++)
        if (contacts->body_islands.data[i] >= 0)
            add_work(bodies, i, work[contacts->body_islands.data[i]]);
    for (size_t k = 0; k < islands; k++) {
        if (afloat_only && contacts->islands.data[k].grounded) {
            work[k][0] = 1.0;
            continue;
        }
        double part = work[k][1] > 0.0 ? -2.0 * work[k][0] / work[k][1] : 1.0;
        bool clamp = bodies->options.clamp && contacts->islands.data[k].carrier != -2;
        part = clamp ? fmin(fmax(part, 0.0), 1.0) : 1.0;
        contacts->figures.clamped += part < 1.0;
        double energy = part * (work[k][0] + 0.5 * part * work[k][1]);
        contacts->figures.contact_energy += energy;
        if (clamp) contacts->figures.raised_energy += fmax(energy, 0.0);
        work[k][0] = part;
    }
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        int32_t k = contacts->body_islands.data[i];
        if (k < 0 || work[k][0] == 1.0) continue;
        Mover *mover = &contacts->movers.data[i];
        Vec3 change = vec3_sub(mover->velocity, mover->start[0]);
        Vec3 turn = vec3_sub(mover->spin, mover->start[1]);
        mover->velocity = vec3_add_scaled(mover->start[0], work[k][0], change);
        mover->spin = vec3_add_scaled(mover->start[1], work[k][0], turn);
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

void contacts_keep_afloat(RigidBodies *b) {
    const RigidContacts *contacts = &b->contacts;
    for (size_t i = 0; i < rigid_count(b); i++) {
        int32_t k = contacts->body_islands.data[i];
        const Mover *mover = &contacts->movers.data[i];
        if (k < 0 || contacts->islands.data[k].grounded || !mover->touched) continue;
        Vec3 v = vec3_load(b->velocity + 3 * i), spin = vec3_load(b->angular_momentum + 3 * i);
        Vec3 turn = vec3_sub(mover->spin, mover->start[1]);
        v = vec3_add(v, vec3_sub(mover->velocity, mover->start[0]));
        spin = vec3_add(spin, rigid_momentum(b, i, turn));
        vec3_store(b->velocity + 3 * i, v);
        vec3_store(b->angular_momentum + 3 * i, spin);
    }
}

/* Both ends of a step are states in which positions and velocities are of one time, so that their
 * energies may be compared (002 section 2.3.1). What an island without drive gains between them,
 * because it turns about moving points by finite angles, comes out of its kinetic energy. */
PlimStatus contacts_limit_energy(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    size_t mark = scratch_mark(step->scratch), islands = contacts->islands.count;
    double *kinetic = scratch_take(step->scratch, islands, sizeof *kinetic);
    double *gain = scratch_take(step->scratch, islands, sizeof *gain);
    if (!kinetic || !gain) return PLIM_OUT_OF_MEMORY;
    for (size_t k = 0; k < islands; k++) kinetic[k] = gain[k] = 0.0;
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        int32_t island = contacts->body_islands.data[i];
        if (island < 0) continue;
        double now = rigid_kinetic_energy(bodies, i);
        const BodyBefore *before = &contacts->before.data[i];
        kinetic[island] += now;
        gain[island] += now - before->kinetic - before->fall;
    }
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        int32_t k = contacts->body_islands.data[i];
        if (k < 0 || !(gain[k] > 0.0) || contacts->islands.data[k].driven ||
            !contacts->islands.data[k].grounded)
            continue;
        double keep = sqrt(fmax(0.0, 1.0 - gain[k] / kinetic[k]));
        for (int axis = 0; axis < 3; axis++) {
            bodies->velocity[3 * i + axis] *= keep;
            bodies->angular_momentum[3 * i + axis] *= keep;
        }
    }
    for (size_t k = 0; k < islands; k++)
        if (gain[k] > 0.0 && !contacts->islands.data[k].driven &&
            contacts->islands.data[k].grounded)
            contacts->figures.limited_energy += fmin(gain[k], kinetic[k]);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- rest ---- */

/* Velocities that are no more than what the solve leaves are none. */
PlimStatus contacts_stop(RigidBodies *bodies, const StepInfo *step, bool half) {
    RigidContacts *contacts = &bodies->contacts;
    size_t mark = scratch_mark(step->scratch), islands = contacts->islands.count;
    bool *moves = scratch_take(step->scratch, islands, sizeof *moves);
    if (!moves) return PLIM_OUT_OF_MEMORY;
    double least = 1e-8 * step->dt * vec3_length(step->gravity);
    for (size_t k = 0; k < islands; k++)
        moves[k] = contacts->islands.data[k].driven || !contacts->islands.data[k].grounded;
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        int32_t k = contacts->body_islands.data[i];
        if (k < 0) continue;
        const Mover *mover = &contacts->movers.data[i];
        double reach = rigid_ball_radius(bodies, i);
        moves[k] |= !(vec3_length(mover->velocity) + reach * vec3_length(mover->spin) < least);
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

/* An island whose bodies all are where they were, to the bit, and rest, will be there after the
 * next step too: it can be left out until something touches it. The label is the island's lowest
 * body, plus one. */
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
        if (k < 0 || label[k] == 0) continue;
        label[k] = stood_still(bodies, i) ? (int32_t)i + 1 : 0;
    }
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        int32_t k = contacts->body_islands.data[i];
        if (k >= 0 && label[k] > 0) bodies->asleep[i] = label[k];
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* One sleeper, with the weight that it did not feel in this step so far. */
static void wake_body(RigidBodies *bodies, const StepInfo *step, size_t i) {
    Vec3 half = vec3_scale(0.5 * step->dt, step->gravity), spin = {0, 0, 0};
    HeldBody body = rigid_held_body(bodies, i);
    hold_motion(&body, &half, &spin);
    vec3_store(bodies->velocity_half + 3 * i, half);
    vec3_store(bodies->angular_momentum_half + 3 * i, spin);
    bodies->asleep[i] = 0;
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
        if (label == 0 || !contacts->movers.data[struck].touched) continue;
        for (size_t i = 0; i < rigid_count(bodies); i++) {
            if (bodies->asleep[i] != label) continue;
            wake_body(bodies, step, i);
            if (bodies->held[i] & RIGID_PINNED) continue; /* its weight comes with the next step */
            contacts->movers.data[i].push = vec3_load(bodies->velocity_half + 3 * i);
        }
    }
}

/* Whether a body wakes the sleeper of a pair: it runs into it, or it is ground that moves and takes
 * it along, or it was woken itself and touches it, so that the blow may go on. */
static bool disturbs(const RigidContacts *contacts, const ContactPair *pair, const Mover *other,
                     bool other_woken, double dt) {
    const Mover *a = &contacts->movers.data[pair->a], *b = &contacts->movers.data[pair->b];
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
        int32_t of_a = bodies->asleep[pair->a], of_b = bodies->asleep[pair->b];
        if ((of_a > 0) == (of_b > 0)) continue;
        int32_t other = of_a > 0 ? pair->b : pair->a;
        if (!disturbs(contacts, pair, &contacts->movers.data[other], woken[other], step->dt))
            continue;
        wake(bodies, step, of_a > 0 ? of_a : of_b, woken);
        any = true;
    }
    return any;
}
