/* Collisions, impulses with restitution on the velocities before forces, between bodies that would
 * overlap at the end of the step (000 sections 2.5 to 2.7, clamped as in 002 section 2.3). */
#include "rigid/contact/contact_stages.h"

typedef struct Collision {
    RigidContacts *contacts;
    const PlimRigidOptions *options;
    double dt;
    size_t impulses, clamped;
} Collision;

/* The gap at the end of the step, if the bodies go on like this. */
static double predicted_gap(const Collision *job, const ContactRow *row, const SolverBody *a,
                            const SolverBody *b) {
    Vec3 velocity = vec3_add(row_velocity(row, a, b), row_push(row, a, b));
    return row->gap + job->dt * vec3_dot(row->normal, velocity);
}

/* The velocity that collisions work on. */
static Vec3 colliding_velocity(const Collision *job, const ContactRow *row, const SolverBody *a,
                               const SolverBody *b) {
    Vec3 velocity = row_velocity(row, a, b);
    if (job->options->sequence == PLIM_SEQUENCE_STANDARD)
        velocity = vec3_add(velocity, row_push(row, a, b));
    return velocity;
}

/* The speed along the normal after a bounce. The bodies meet only after they closed the gap, with
 * more speed, and are back at this gap after having lost as much: v'^2 = e^2 (v^2 + 2 a d) - 2 a d
 * for the acceleration a towards each other. Without it a bounce is too high by what they fell. */
static double bounce_speed(const Collision *job, const ContactPair *pair, const ContactRow *row,
                           double approach, Vec3 push) {
    double e = pair->restitution;
    if (job->options->sequence == PLIM_SEQUENCE_STANDARD) return -e * approach;
    double acceleration = fmax(0.0, -2.0 * vec3_dot(push, row->normal) / job->dt);
    double fall = 2.0 * acceleration * fmax(0.0, row->gap);
    return sqrt(fmax(0.0, e * e * (approach * approach + fall) - fall));
}

/* Sticking if that is within the friction cone, sliding if not (000 section 2.7). */
static Vec3 collision_impulse(const ContactPair *pair, const ContactRow *row, Vec3 velocity,
                              double bounce) {
    double approach = vec3_dot(velocity, row->normal); /* negative */
    Vec3 n = row->normal;
    double stop = bounce - approach;
    if (!row->singular) {
        Vec3 wanted = vec3_sub(vec3_scale(bounce, n), velocity);
        Vec3 stick = mat3_apply(row->inverse, wanted);
        double along = vec3_dot(stick, n);
        Vec3 across = vec3_add_scaled(stick, -along, n);
        if (vec3_length(across) <= pair->friction * along) return stick;
    }
    Vec3 slide = vec3_normalize(vec3_add_scaled(velocity, -approach, n));
    Vec3 direction = vec3_add_scaled(n, -pair->friction, slide);
    double response = vec3_dot(n, mat3_apply(row->response, direction));
    /* Friction that would press the bodies together (Painleve) is left out. */
    if (!(response > 0.1 * row->normal_response)) {
        direction = n;
        response = row->normal_response;
    }
    return vec3_scale(stop / response, direction);
}

static void collide_row(Collision *job, ContactPair *pair, const ContactRow *row, SolverBody *a,
                        SolverBody *b) {
    Vec3 velocity = colliding_velocity(job, row, a, b);
    double bounce =
        bounce_speed(job, pair, row, vec3_dot(velocity, row->normal), row_push(row, a, b));
    Vec3 impulse = collision_impulse(pair, row, velocity, bounce);
    if (job->options->clamp) {
        bool standard = job->options->sequence == PLIM_SEQUENCE_STANDARD;
        double part = standard ? 1.0 : impulse_allowed(row, row_velocity(row, a, b), impulse);
        if (part < 1.0) job->clamped++;
        impulse = vec3_scale(part, impulse);
    }
    double energy = impulse_energy(row, row_velocity(row, a, b), impulse);
    pair->energy += energy;
    if (energy > 0.0) pair->raised += energy;
    row_apply(row, a, b, impulse);
    pair->struck[0] = vec3_add(pair->struck[0], impulse);
    pair->struck[1] = vec3_add(pair->struck[1], vec3_cross(row->point, impulse));
    job->impulses++;
}

/* The deepest row at the end of the step among those whose bodies do not separate, or -1. */
static int32_t deepest_row(const Collision *job, ContactPair *pair, const bool *done) {
    const RigidContacts *contacts = job->contacts;
    const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                     *b = &contacts->solver_bodies.data[pair->b];
    int32_t deepest = -1;
    double least = 0.0;
    for (int32_t k = 0; k < pair->rows; k++) {
        const ContactRow *row = &contacts->rows.data[pair->first + k];
        double gap = predicted_gap(job, row, a, b);
        if (gap < 0.0) pair->found = true;
        if (done[k]) continue;
        bool lagged = job->options->pairs == PLIM_PAIRS_LAGGED && row->active;
        if (!(gap < least) && !(lagged && deepest < 0)) continue;
        if (!(vec3_dot(colliding_velocity(job, row, a, b), row->normal) < 0.0)) continue;
        least = fmin(gap, least);
        deepest = k;
    }
    return deepest;
}

/* Points as deep as the deepest act as one in their middle: a box that falls flat bounces flat. */
static ContactRow merged_row(const Collision *job, const ContactPair *pair, int32_t deepest) {
    const RigidContacts *contacts = job->contacts;
    const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                     *b = &contacts->solver_bodies.data[pair->b];
    const ContactRow *rows = contacts->rows.data + pair->first;
    double least = predicted_gap(job, &rows[deepest], a, b);
    ContactRow merged = rows[deepest];
    Vec3 point = {0, 0, 0}, normal = {0, 0, 0};
    int count = 0;
    for (int32_t k = 0; k < pair->rows; k++) {
        if (vec3_dot(rows[k].normal, rows[deepest].normal) < 0.99 ||
            predicted_gap(job, &rows[k], a, b) > least + 1e-4 * pair->size)
            continue;
        point = vec3_add(point, rows[k].point);
        normal = vec3_add(normal, rows[k].normal);
        count++;
    }
    if (count < 2) return merged;
    merged.point = vec3_scale(1.0 / count, point);
    merged.normal = vec3_normalize(normal);
    row_prepare(&merged, a, b);
    return merged;
}

/* Until all points are apart or separating; `lagged` asks each point once. */
static bool collide_pair(Collision *job, ContactPair *pair) {
    RigidContacts *contacts = job->contacts;
    SolverBody *a = &contacts->solver_bodies.data[pair->a],
               *b = &contacts->solver_bodies.data[pair->b];
    bool done[CONTACT_MOST_POINTS] = {false}, any = false;
    for (int32_t k = 0; k < pair->rows; k++) {
        ContactRow *row = &contacts->rows.data[pair->first + k];
        row->active = predicted_gap(job, row, a, b) < 0.0;
    }
    for (int32_t round = 0; round < 2 * pair->rows; round++) {
        int32_t k = deepest_row(job, pair, done);
        if (k < 0) break;
        ContactRow row = merged_row(job, pair, k);
        if (!(vec3_dot(colliding_velocity(job, &row, a, b), row.normal) < 0.0))
            row = contacts->rows.data[pair->first + k];
        collide_row(job, pair, &row, a, b);
        done[k] = job->options->pairs == PLIM_PAIRS_LAGGED;
        any = true;
    }
    return any;
}

/* Pairs that bounce go on until none approaches, for contact would take what is left without a
 * bounce. A row of n bodies takes about n rounds; with a restitution below 1 there may be no end.
 */
enum { MOST_BOUNCING_ROUNDS = 200 };

PlimStatus contacts_collide(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    int all_rounds = bodies->options.collision_iterations;
    size_t count = contacts->pairs.count, mark = scratch_mark(step->scratch);
    int32_t *order = scratch_take(step->scratch, count, sizeof *order);
    if (!order) return PLIM_OUT_OF_MEMORY;
    contacts_shuffle(bodies, step, order, count);
    Collision job = {contacts, &bodies->options, step->dt, 0, 0};
    int most =
        all_rounds > 0 && all_rounds < MOST_BOUNCING_ROUNDS ? MOST_BOUNCING_ROUNDS : all_rounds;
    for (int round = 0; round < most; round++) {
        bool any = false;
        for (size_t k = 0; k < count; k++) {
            ContactPair *pair = &contacts->pairs.data[order[k]];
            if (round < all_rounds || pair->restitution > 0.0) any |= collide_pair(&job, pair);
        }
        if (!any) break;
    }
    contacts->figures.collisions = job.impulses;
    contacts->figures.clamped = job.clamped;
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* Bodies that turn may meet again in the step in which they bounced, elsewhere: that is a collision
 * too, and its time is the next step. Contact is for what forces press together, and for what
 * approaches by no more than a step's fall. */
void contacts_leave_bounces(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    const BodyBefore *before = contacts->before.data;
    double fall = step->dt * vec3_length(step->gravity);
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        if (!pair->found || !(pair->restitution > 0.0)) continue;
        SolverBody a = contacts->solver_bodies.data[pair->a];
        SolverBody b = contacts->solver_bodies.data[pair->b];
        if (a.moves) a.velocity = before[pair->a].velocity, a.spin = before[pair->a].spin;
        if (b.moves) b.velocity = before[pair->b].velocity, b.spin = before[pair->b].spin;
        for (int32_t k = 0; k < pair->rows; k++) {
            ContactRow *row = &contacts->rows.data[pair->first + k];
            row->bounces = vec3_dot(row_velocity(row, &a, &b), row->normal) < -fall;
        }
    }
}
