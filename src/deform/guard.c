/* Energy guard of the implicit midpoint rule, and rigid motions: as a first guess, and kept free of
 * what Newton's method leaves over. The rule keeps energy only nearly: where a step is longer than
 * a vibration, it can feed it without end. */
#include "deform/internal.h"

#include <string.h>

double deform_body_energy(const Deform *d, const DeformBody *body) {
    double energy = 0;
    for (size_t k = 0; k < body->count[DEFORM_ELEMENTS]; k++)
        energy += d->element_energy[body->first[DEFORM_ELEMENTS] + k];
    for (size_t k = 0; k < body->count[DEFORM_SPRINGS]; k++)
        energy += d->spring_energy[body->first[DEFORM_SPRINGS] + k];
    return energy + bending_energy(d, body);
}

void deform_body_energies(const Deform *d, double *energy) {
    for (size_t b = 0; b < d->bodies.count; b++)
        energy[b] = deform_body_energy(d, &d->bodies.data[b]);
}

/* Work of forces along dt v^{n+1/2}, and the kinetic energy: about the centre of mass, and whole.
 */
static void body_work(const Deform *d, const DeformBody *body, double dt, const double *force,
                      double *work, double *kinetic, double *whole) {
    Vec3 momentum = vec3(0, 0, 0);
    double mass = 0;
    *work = *kinetic = 0;
    for (size_t k = 0; k < body->count[DEFORM_NODES]; k++) {
        size_t i = body->first[DEFORM_NODES] + k;
        Vec3 v = vec3_load(d->velocity_half + 3 * i);
        *work += dt * vec3_dot(vec3_load(force + 3 * i), v);
        *kinetic += 0.5 * d->mass[i] * vec3_dot(v, v);
        momentum = vec3_add_scaled(momentum, d->mass[i], v);
        mass += d->mass[i];
    }
    *whole = *kinetic;
    *kinetic -= 0.5 * vec3_dot(momentum, momentum) / mass;
}

/* Kinetic energy changes by the work of the middle's force to the last digit; elastic energy does
 * not. The difference is summed up. */
PlimStatus deform_guard_energy(Deform *d, const StepInfo *step, const double *before,
                               bool *is_bad) {
    /* Of the body's own energy. A stiff body that spins trades less than that back and forth: its
     * chords are shorter than its arcs. */
    const double most = 0.25;
    const double little = 1e-4; /* of that of its flight: nobody sees it */
    size_t values = 3 * deform_count(d, DEFORM_NODES);
    double *place = d->work[DEFORM_NEXT].data, *force = d->work[DEFORM_FORCE].data;
    double *after = scratch_take(step->scratch, d->bodies.count, sizeof *after);
    if (!after) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < values; i++)
        place[i] = d->position[i] + 0.5 * step->dt * d->velocity_half[i];
    ForceParts middle = {.x = place, .elastic = true};
    TRY(deform_forces(d, step, &middle, force, NULL));
    for (size_t i = 0; i < values; i++) place[i] = d->position[i] + step->dt * d->velocity_half[i];
    TRY(deform_forces(d, step, &middle, NULL, NULL));
    deform_body_energies(d, after);
    *is_bad = false;
    for (size_t b = 0; b < d->bodies.count; b++) {
        double work, kinetic, whole;
        body_work(d, &d->bodies.data[b], step->dt, force, &work, &kinetic, &whole);
        double gained = fmax(0.0, d->gained[b] + after[b] - before[b] + work);
        if (gained > most * fmax(0.0, after[b] + kinetic) + little * whole) {
            *is_bad = true;
            gained = 0;
        }
        d->gained[b] = gained;
    }
    return PLIM_OK;
}

/* ---- rigid motions ---- */

typedef struct RigidMotion {
    Vec3 center, velocity, spin;
} RigidMotion;

/* Bodies that move as one: those that pairs join, or one alone where `group` is NULL. */
typedef struct BodyGroup {
    const int32_t *group;
    size_t first;
} BodyGroup;

/* The nodes of body b, from *begin to *end; none if it is not of the group. */
static void group_nodes(const Deform *d, const BodyGroup *of, size_t b, size_t *begin,
                        size_t *end) {
    const DeformBody *body = &d->bodies.data[b];
    bool is_in = of->group ? (size_t)of->group[b] == of->first : b == of->first;
    *begin = body->first[DEFORM_NODES];
    *end = *begin + (is_in ? body->count[DEFORM_NODES] : 0);
}

static Vec3 center_of(const Deform *d, const BodyGroup *of, const double *x) {
    Vec3 place = vec3(0, 0, 0);
    double mass = 0;
    for (size_t b = 0, i, end; b < d->bodies.count; b++)
        for (group_nodes(d, of, b, &i, &end); i < end; i++) {
            place = vec3_add_scaled(place, d->mass[i], vec3_load(x + 3 * i));
            mass += d->mass[i];
        }
    return vec3_scale(1 / mass, place);
}

/* The spin that an angular momentum about the centre gives the bodies as they lie. */
static Vec3 spin_of(const Deform *d, const BodyGroup *of, const double *x, Vec3 center,
                    Vec3 angular) {
    Mat3 inertia = mat3_diagonal(0, 0, 0);
    for (size_t b = 0, i, end; b < d->bodies.count; b++)
        for (group_nodes(d, of, b, &i, &end); i < end; i++) {
            Vec3 arm = vec3_sub(vec3_load(x + 3 * i), center);
            double square = vec3_dot(arm, arm), m = d->mass[i];
            inertia = mat3_add(inertia, mat3_scale(m, mat3_diagonal(square, square, square)));
            inertia = mat3_add(inertia, mat3_scale(-m, mat3_outer(arm, arm)));
        }
    /* A point or a line has no inertia about itself. */
    double trace = mat3_trace(inertia);
    bool can_turn = mat3_determinant(inertia) > 1e-9 * trace * trace * trace;
    return can_turn ? mat3_apply(mat3_inverse(inertia), angular) : vec3(0, 0, 0);
}

/* The rigid motion with the momenta of m v, or of impulses where v is NULL, at places x. */
static RigidMotion rigid_motion(const Deform *d, const BodyGroup *of, const double *x,
                                const double *v, const double *impulse) {
    RigidMotion motion = {.center = center_of(d, of, x)};
    Vec3 momentum = vec3(0, 0, 0), angular = momentum;
    double mass = 0;
    for (size_t b = 0, i, end; b < d->bodies.count; b++)
        for (group_nodes(d, of, b, &i, &end); i < end; i++) {
            Vec3 own =
                v ? vec3_scale(d->mass[i], vec3_load(v + 3 * i)) : vec3_load(impulse + 3 * i);
            Vec3 arm = vec3_sub(vec3_load(x + 3 * i), motion.center);
            momentum = vec3_add(momentum, own);
            angular = vec3_add(angular, vec3_cross(arm, own));
            mass += d->mass[i];
        }
    motion.velocity = vec3_scale(1 / mass, momentum);
    motion.spin = spin_of(d, of, x, motion.center, angular);
    return motion;
}

/* Takes a rigid motion off velocities. */
static void subtract_motion(const Deform *d, const BodyGroup *of, const RigidMotion *motion,
                            const double *x, double *v) {
    for (size_t b = 0, i, end; b < d->bodies.count; b++)
        for (group_nodes(d, of, b, &i, &end); i < end; i++) {
            Vec3 arm = vec3_sub(vec3_load(x + 3 * i), motion->center);
            Vec3 off = vec3_add(motion->velocity, vec3_cross(motion->spin, arm));
            if (d->options.dim == 2) off.z = 0;
            vec3_store(v + 3 * i, vec3_sub(vec3_load(v + 3 * i), off));
        }
}

/* Whether b is the first of a group that nothing holds. */
static bool is_free(const Deform *d, size_t b, BodyGroup *of) {
    *of = (BodyGroup){.group = d->pairs.group.data, .first = b};
    if ((size_t)of->group[b] != b) return false;
    for (size_t k = 0, i, end; k < d->bodies.count; k++)
        for (group_nodes(d, of, k, &i, &end); i < end; i++)
            if (d->is_held[i]) return false;
    return true;
}

/* A rigid motion meets no elastic resistance: its mass alone says how it answers an impulse. */
void deform_balance(const Deform *d, const double *x, const double *residual, double *v) {
    for (size_t b = 0; b < d->bodies.count; b++) {
        BodyGroup of;
        if (!is_free(d, b, &of)) continue;
        RigidMotion motion = rigid_motion(d, &of, x, NULL, residual);
        subtract_motion(d, &of, &motion, x, v);
    }
}

/* What holds nodes of the group: at least one free rigid body, and nothing else. */
static bool meets_pushed_alone(const Deform *d, const BodyGroup *of) {
    bool meets = false;
    for (size_t b = 0, i, end; b < d->bodies.count; b++) {
        for (group_nodes(d, of, b, &i, &end); i < end; i++)
            if (d->has_pin[i]) return false;
        group_nodes(d, of, b, &i, &end);
        for (size_t k = 0; k < d->contacts.count; k++) {
            const DeformContact *contact = &d->contacts.data[k];
            if (!contact->presses || contact->node < i || contact->node >= end) continue;
            int32_t pushed = d->colliders.data[contact->collider].pushed;
            if (pushed < 0 || !d->pushed.data[pushed].moves) return false;
            meets = true;
        }
    }
    return meets;
}

/* Adds what is left over on nodes, which is no contact's, to momenta. */
static void take_left_over(const Deform *d, const BodyGroup *of, const double *x, Vec3 center,
                           double *residual, Vec3 momenta[2]) {
    int dim = d->options.dim;
    for (size_t b = 0, i, end; b < d->bodies.count; b++)
        for (group_nodes(d, of, b, &i, &end); i < end; i++) {
            const double *filter = d->filter + (size_t)(dim * dim) * i;
            double left[3] = {0};
            for (int r = 0; r < dim; r++)
                for (int c = 0; c < dim; c++)
                    left[r] += filter[dim * r + c] * residual[3 * i + (size_t)c];
            Vec3 arm = vec3_sub(vec3_load(x + 3 * i), center);
            momenta[0] = vec3_add(momenta[0], vec3_load(left));
            momenta[1] = vec3_add(momenta[1], vec3_cross(arm, vec3_load(left)));
            for (int r = 0; d->is_held[i] && r < dim; r++) residual[3 * i + (size_t)r] -= left[r];
        }
}

/* What the rows of bodies left goes to the first group that each touches. */
static void take_of_bodies(const Deform *d, const BodyGroup *of, Vec3 center, Vec3 momenta[2]) {
    for (size_t p = 0; p < d->pushed.count; p++) {
        const DeformPushed *body = &d->pushed.data[p];
        for (size_t k = 0; body->is_touched && k < d->contacts.count; k++) {
            const DeformContact *contact = &d->contacts.data[k];
            if (!contact->presses || contact->collider != body->collider) continue;
            size_t b = 0, i, end;
            for (;; b++) {
                const DeformBody *own = &d->bodies.data[b];
                if (contact->node < own->first[DEFORM_NODES] + own->count[DEFORM_NODES]) break;
            }
            group_nodes(d, of, b, &i, &end);
            if (i == end) break;
            Vec3 left = vec3_load(body->left),
                 place = d->colliders.data[body->collider].now.position;
            Vec3 turn = vec3_scale(body->length, vec3_load(body->left + 3));
            momenta[0] = vec3_add(momenta[0], left);
            momenta[1] = vec3_add(momenta[1], turn);
            momenta[1] = vec3_add(momenta[1], vec3_cross(vec3_sub(place, center), left));
            break;
        }
    }
}

void deform_balance_pushed(Deform *d, const double *x, double *residual, double *v, bool whole) {
    for (size_t b = 0; b < d->bodies.count; b++) {
        BodyGroup of = {.group = d->pairs.group.data, .first = b};
        if ((size_t)of.group[b] != b || !meets_pushed_alone(d, &of)) continue;
        RigidMotion motion = {.center = center_of(d, &of, x)};
        Vec3 momenta[2] = {{0, 0, 0}, {0, 0, 0}};
        double mass = 0;
        for (size_t k = 0, i, end; k < d->bodies.count; k++)
            for (group_nodes(d, &of, k, &i, &end); i < end; i++) mass += d->mass[i];
        take_left_over(d, &of, x, motion.center, residual, momenta);
        if (whole) take_of_bodies(d, &of, motion.center, momenta);
        motion.velocity = vec3_scale(1 / mass, momenta[0]);
        motion.spin = spin_of(d, &of, x, motion.center, momenta[1]);
        subtract_motion(d, &of, &motion, x, v);
    }
}

/* Backward Euler turns bodies: forces act where the step ends, momenta count from where it began.
 * Free bodies get the spin back that it gave or took. `velocity` is still that of t^n. */
void deform_restore_spin(const Deform *d, double dt, double *v) {
    for (size_t b = 0; b < d->bodies.count; b++) {
        BodyGroup of;
        if (!is_free(d, b, &of)) continue;
        Vec3 gained = vec3(0, 0, 0);
        for (size_t k = 0, i, end; k < d->bodies.count; k++)
            for (group_nodes(d, &of, k, &i, &end); i < end; i++) {
                Vec3 x = vec3_load(d->position + 3 * i), now = vec3_load(v + 3 * i);
                Vec3 before = vec3_add_scaled(x, -dt, vec3_load(d->velocity_half + 3 * i));
                Vec3 kept = vec3_scale(d->mass[i], vec3_load(d->velocity + 3 * i));
                kept = vec3_add_scaled(kept, dt, vec3_load(d->outside + 3 * i));
                gained = vec3_add(gained, vec3_cross(x, vec3_scale(d->mass[i], now)));
                gained = vec3_sub(gained, vec3_cross(before, kept));
            }
        RigidMotion motion = {.center = center_of(d, &of, d->position)};
        motion.spin = spin_of(d, &of, d->position, motion.center, gained);
        subtract_motion(d, &of, &motion, d->position, v);
    }
}

void deform_rigid_guess(const Deform *d, const double *v, double *out) {
    int dim = d->options.dim;
    for (size_t b = 0; b < d->bodies.count; b++) {
        BodyGroup of = {.first = b};
        RigidMotion motion = rigid_motion(d, &of, d->position, v, NULL);
        size_t i, end;
        for (group_nodes(d, &of, b, &i, &end); i < end; i++) {
            const double *filter = d->filter + (size_t)(dim * dim) * i;
            Vec3 arm = vec3_sub(vec3_load(d->position + 3 * i), motion.center);
            double to[3];
            vec3_store(to, vec3_add(motion.velocity, vec3_cross(motion.spin, arm)));
            memcpy(out + 3 * i, v + 3 * i, 3 * sizeof *out);
            for (int a = 0; a < dim; a++)
                for (int c = 0; c < dim; c++)
                    out[3 * i + (size_t)a] += filter[dim * a + c] * (to[c] - v[3 * i + (size_t)c]);
        }
    }
}
