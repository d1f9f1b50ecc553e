/* Energy clamping of contact impulses (002 section 2.3), seen from the ground that carries an
 * island. */
#include "rigid/contact/contact_stages.h"

PlimStatus contacts_remember(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    size_t count = rigid_count(bodies);
    contacts->before.count = 0;
    if (!array_reserve(bodies->context, &contacts->before, count)) return PLIM_OUT_OF_MEMORY;
    contacts->before.count = count;
    for (size_t i = 0; i < count; i++)
        contacts->before.data[i] = (BodyBefore){
            vec3_load(bodies->position + 3 * i),      quat_load(bodies->orientation + 4 * i),
            contacts->solver_bodies.data[i].velocity, contacts->solver_bodies.data[i].spin,
            rigid_kinetic_energy(bodies, i),          0.0};
    return PLIM_OK;
}

void contacts_measure_fall(RigidBodies *bodies, const StepInfo *step) {
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        BodyBefore *before = &bodies->contacts.before.data[i];
        Vec3 moved = vec3_sub(vec3_load(bodies->position + 3 * i), before->position);
        before->fall = bodies->mass[i] * vec3_dot(step->gravity, moved);
    }
}

/* The velocities of a body as the body on a path that carries its island sees them. */
static void seen_from(const SolverBody *carrier, const SolverBody *body, Vec3 velocity, Vec3 spin,
                      Vec3 out[2]) {
    out[0] = velocity;
    out[1] = spin;
    if (!carrier) return;
    Vec3 arm = vec3_sub(body->center, carrier->center);
    out[0] = vec3_sub(velocity, solver_body_velocity_at(carrier, arm));
    out[1] = vec3_sub(spin, carrier->spin);
}

/* Of a body: what its impulses do to the kinetic energy, to first and second order. */
static void add_work(const RigidBodies *b, size_t i, double work[2]) {
    const RigidContacts *contacts = &b->contacts;
    const SolverBody *body = &contacts->solver_bodies.data[i];
    int32_t carrier = contacts->islands.data[contacts->body_islands.data[i]].carrier;
    const SolverBody *seen = carrier >= 0 ? &contacts->solver_bodies.data[carrier] : NULL;
    Vec3 start[2];
    seen_from(seen, body, body->start[0], body->start[1], start);
    Vec3 change = vec3_sub(body->velocity, body->start[0]);
    Vec3 turn = vec3_sub(body->spin, body->start[1]);
    Mat3 inertia = rigid_world_inertia(b, i);
    double mass = b->mass[i];
    if (b->held[i] & RIGID_PINNED) {
        PinnedBody pinned = rigid_pinned_body(b, i);
        inertia = pin_inertia(pinned.mass, pinned.inertia, pinned.arm);
        mass = 0.0;
    }
    work[0] += mass * vec3_dot(start[0], change) + vec3_dot(mat3_apply(inertia, turn), start[1]);
    work[1] += mass * vec3_dot(change, change) + vec3_dot(mat3_apply(inertia, turn), turn);
}

/* Only gravity and contact at rest act on it. */
static bool is_limited(const ContactIsland *island) {
    return island->grounded && !island->driven && !island->loaded;
}

/* Where points move about on their bodies, a part of the kinetic energy that impulses give or take
 * was taken or given when bodies turned: only both ends of the step compare
 * (contacts_limit_energy). */
static bool is_compared(const RigidContacts *contacts, const ContactIsland *island) {
    return is_limited(island) && contacts_island_turns(contacts, island);
}

/* Motors and control hold their speed in contact, and what they give comes into the island by its
 * impulses. */
static bool drives_work(const RigidBodies *bodies, size_t i) {
    const HeldFigure *figure = bodies->contacts.solver_bodies.data[i].figure;
    return figure && figure->drives;
}

/* The impulses of an island are one impulse: as large as the kinetic energy allows (002 section
 * 2.3.2, with sums over all bodies), seen from the body on a path that carries it, if there is one.
 */
PlimStatus contacts_clamp(RigidBodies *bodies, const StepInfo *step, bool afloat_only) {
    RigidContacts *contacts = &bodies->contacts;
    size_t mark = scratch_mark(step->scratch), islands = contacts->islands.count;
    double(*work)[2] = scratch_take(step->scratch, islands, sizeof *work);
    bool *driven = scratch_take(step->scratch, islands, sizeof *driven);
    if (!work || !driven) return PLIM_OUT_OF_MEMORY;
    for (size_t k = 0; k < islands; k++) {
        work[k][0] = work[k][1] = 0.0;
        driven[k] = false;
    }
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        if (contacts->body_islands.data[i] < 0) continue;
        add_work(bodies, i, work[contacts->body_islands.data[i]]);
        driven[contacts->body_islands.data[i]] |= drives_work(bodies, i);
    }
    for (size_t k = 0; k < islands; k++) {
        if (afloat_only && contacts->islands.data[k].grounded) {
            work[k][0] = 1.0;
            continue;
        }
        double part = work[k][1] > 0.0 ? -2.0 * work[k][0] / work[k][1] : 1.0;
        bool clamp = bodies->options.clamp && contacts->islands.data[k].carrier != -2 && !driven[k];
        if (clamp && is_compared(contacts, &contacts->islands.data[k])) {
            work[k][0] = 1.0; /* what is taken is counted there */
            continue;
        }
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
        SolverBody *body = &contacts->solver_bodies.data[i];
        Vec3 change = vec3_sub(body->velocity, body->start[0]);
        Vec3 turn = vec3_sub(body->spin, body->start[1]);
        body->velocity = vec3_add_scaled(body->start[0], work[k][0], change);
        body->spin = vec3_add_scaled(body->start[1], work[k][0], turn);
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

void contacts_keep_afloat(RigidBodies *b) {
    const RigidContacts *contacts = &b->contacts;
    for (size_t i = 0; i < rigid_count(b); i++) {
        int32_t k = contacts->body_islands.data[i];
        const SolverBody *body = &contacts->solver_bodies.data[i];
        if (k < 0 || !contact_island_is_afloat(&contacts->islands.data[k]) || !body->touched)
            continue;
        Vec3 v = vec3_load(b->velocity + 3 * i), spin = vec3_load(b->angular_momentum + 3 * i);
        Vec3 turn = vec3_sub(body->spin, body->start[1]);
        v = vec3_add(v, vec3_sub(body->velocity, body->start[0]));
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
        if (k < 0 || !(gain[k] > 0.0) || !is_limited(&contacts->islands.data[k])) continue;
        double keep = sqrt(fmax(0.0, 1.0 - gain[k] / kinetic[k]));
        for (int axis = 0; axis < 3; axis++) {
            bodies->velocity[3 * i + axis] *= keep;
            bodies->angular_momentum[3 * i + axis] *= keep;
        }
    }
    for (size_t k = 0; k < islands; k++)
        if (is_compared(contacts, &contacts->islands.data[k]))
            contacts->figures.contact_energy += fmin(gain[k], 0.0);
    for (size_t k = 0; k < islands; k++)
        if (gain[k] > 0.0 && is_limited(&contacts->islands.data[k]))
            contacts->figures.limited_energy += fmin(gain[k], kinetic[k]);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}
