/* What contact with deformable solids does to free rigid bodies (002 section 4.5), through
 * system/push.h: in the middle of a step their velocity is what the implicit solve found
 * (pushed.c); at its end they get the opposite of what contact gave the nodes.
 *
 * What else happens to a body in the step is known afterwards only: the floor that carries it, a
 * joint that holds it. What has happened in both of the last steps is expected to go on. */
#include "deform/internal.h"

#include <string.h>

static PushedBody *push_bodies(void *system, size_t *count) {
    Deform *d = system;
    *count = d->pushed_bodies.count;
    return d->pushed_bodies.data;
}

/* Angular parts, as src/couple sees them: 1/s, N m s. */
static double velocity_unit(const DeformPushed *body, int k) {
    return k < 3 ? 1 : 1 / body->length;
}

static double impulse_unit(const DeformPushed *body, int k) {
    return k < 3 ? 1 : body->length;
}

static double smaller(double a, double b) {
    if (!(a * b > 0)) return 0;
    return fabs(a) < fabs(b) ? a : b;
}

/* What others did to bodies in the last step, beside their fall: accelerations. */
static void expect_others(Deform *d, double dt) {
    for (size_t b = 0; b < d->pushed.count; b++) {
        const PushedBody *now = &d->pushed_bodies.data[b];
        double *before = d->pushed_before + 12 * b;
        for (int k = 0; k < 6; k++) {
            double others = (now->velocity[k] - now->fall[k] - before[k]) / dt;
            d->pushed.data[b].support[k] = smaller(others, before[6 + k]);
            before[6 + k] = others;
        }
    }
}

static void multiply(double a[6][6], const double x[6], double y[6]) {
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 6; j++) y[i] += a[i][j] * x[j];
    }
}

/* The impulse that makes this change of velocities, to src/couple. */
static void hand_over(Deform *d, size_t b, const double impulse[6]) {
    PushedBody *to = &d->pushed_bodies.data[b];
    to->is_pushed = d->pushed.data[b].is_touched;
    for (int k = 0; k < 6; k++) to->impulse[k] = impulse_unit(&d->pushed.data[b], k) * impulse[k];
}

static PlimStatus push_positions(void *system, const StepInfo *step) {
    Deform *d = system;
    pushed_load(d);
    expect_others(d, step->dt);
    TRY(deform_find_positions(d, step));
    for (size_t b = 0; b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        const PushedBody *from = &d->pushed_bodies.data[b];
        double change[6], whole[6], impulse[6];
        for (int k = 0; k < 6; k++) {
            double before = from->velocity[k] / velocity_unit(body, k);
            change[k] = body->kept[k] - before - body->expected[k];
            whole[k] = body->kept[k] - body->start[k];
        }
        multiply(body->mass, change, impulse);
        multiply(body->mass, whole, body->given);
        hand_over(d, b, impulse);
    }
    return PLIM_OK;
}

/* What the body should start the next step with. */
static void remember(Deform *d, size_t b) {
    const PushedBody *body = &d->pushed_bodies.data[b];
    for (int i = 0; i < 6; i++) {
        double velocity = body->velocity[i];
        for (int k = 0; body->is_pushed && k < 6; k++)
            velocity += body->inverse_mass[i][k] * body->impulse[k];
        d->pushed_before[12 * b + (size_t)i] = velocity;
    }
}

static PlimStatus push_velocities(void *system, const StepInfo *step) {
    Deform *d = system;
    pushed_load(d);
    for (size_t b = 0; !d->is_whole && b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        for (int k = 0; k < 6; k++) {
            double others = body->moves ? step->dt * body->support[k] : 0;
            body->start[k] =
                (d->pushed_bodies.data[b].velocity[k] + others) / velocity_unit(body, k);
            body->given[k] = body->limited[k];
        }
        pushed_move(body, body->limited);
    }
    TRY(deform_find_velocities(d, step));
    for (size_t b = 0; b < d->pushed.count; b++) {
        hand_over(d, b, d->pushed.data[b].given);
        remember(d, b);
    }
    return PLIM_OK;
}

const PushClass deform_push = {push_bodies, push_positions, push_velocities, NULL};

/* ---- velocities at the end ---- */

/* A node joins the body along the normal with its whole mass, along the surface with a part: all
 * of it where friction holds. */
static Vec3 weighed(const DeformContact *contact, Vec3 v) {
    Vec3 up = vec3_scale(vec3_dot(v, contact->normal), contact->normal);
    return vec3_add(vec3_scale(contact->joins, up), vec3_scale(contact->rub, vec3_sub(v, up)));
}

static bool is_of(const Deform *d, const DeformContact *contact, size_t b) {
    return contact->presses && d->colliders.data[contact->collider].pushed == (int32_t)b;
}

/* Masses that join, as the velocities ask for: what parts does not, friction takes what it may. */
static void weigh(Deform *d, DeformContact *contact) {
    double mass = d->mass[contact->node];
    Vec3 way = vec3_sub(contact_base(d, contact), vec3_load(d->velocity + 3 * contact->node));
    double stopped = vec3_dot(way, contact->normal);
    bool meets = contact->holds || stopped > 0;
    double slide = vec3_length(vec3_add_scaled(way, -stopped, contact->normal));
    contact->joins = meets ? mass : 0;
    contact->rub = contact->holds ? mass : 0;
    if (meets && !contact->holds && slide > 0)
        contact->rub = mass * fmin(1.0, contact->kinetic * stopped / slide);
}

/* (M + sum of J^T W J) (V - V*) = sum of J^T W (v - v of the body there). */
static void join(Deform *d, size_t b) {
    DeformPushed *body = &d->pushed.data[b];
    double stiffness[6][6] = {{0}}, pull[6] = {0}, answer[6][6], change[6];
    memcpy(body->next, body->start, sizeof body->next);
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        if (!is_of(d, contact, b)) continue;
        Vec3 way = vec3_sub(vec3_load(d->velocity + 3 * contact->node), contact_base(d, contact));
        pushed_add_impulse(pull, contact->arm, weighed(contact, way));
        for (int c = 0; c < 6; c++) {
            double unit[6] = {0}, image[6] = {0};
            unit[c] = 1;
            pushed_add_impulse(image, contact->arm,
                               weighed(contact, pushed_velocity(unit, contact->arm)));
            for (int r = 0; r < 6; r++) stiffness[r][c] += image[r];
        }
    }
    pushed_answer(body, stiffness, answer);
    multiply(answer, pull, change);
    for (int k = 0; k < 6; k++) body->next[k] += change[k];
}

void push_stop(Deform *d, size_t b) {
    enum { TURNS = 8 };
    DeformPushed *body = &d->pushed.data[b];
    if (!body->is_touched) return;
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t k = 0; k < d->contacts.count; k++)
            if (is_of(d, &d->contacts.data[k], b)) weigh(d, &d->contacts.data[k]);
        join(d, b);
    }
    for (size_t k = 0; k < d->contacts.count; k++) {
        DeformContact *contact = &d->contacts.data[k];
        if (!is_of(d, contact, b)) continue;
        double *v = d->velocity + 3 * contact->node;
        Vec3 impulse = weighed(contact, vec3_sub(contact_base(d, contact), vec3_load(v)));
        if (d->options.dim == 2) impulse.z = 0;
        vec3_store(v, vec3_add_scaled(vec3_load(v), 1 / d->mass[contact->node], impulse));
        pushed_add_impulse(body->given, contact->arm, vec3_scale(-1, impulse));
    }
}
