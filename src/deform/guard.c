/* Energy guard of the implicit midpoint rule, and rigid motions as a first guess. The rule keeps
 * energy only nearly: where a step is longer than a vibration, it can feed it without end. */
#include "deform/internal.h"

#include <string.h>

void deform_body_energies(const Deform *d, double *energy) {
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        energy[b] = 0;
        for (size_t k = 0; k < body->count[DEFORM_ELEMENTS]; k++)
            energy[b] += d->element_energy[body->first[DEFORM_ELEMENTS] + k];
        for (size_t k = 0; k < body->count[DEFORM_SPRINGS]; k++)
            energy[b] += d->spring_energy[body->first[DEFORM_SPRINGS] + k];
    }
}

/* Work of forces along dt v^{n+1/2}, and the kinetic energy about the centre of mass. */
static void body_work(const Deform *d, const DeformBody *body, double dt, const double *force,
                      double *work, double *kinetic) {
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
    *kinetic -= 0.5 * vec3_dot(momentum, momentum) / mass;
}

/* Kinetic energy changes by the work of the middle's force to the last digit; elastic energy does
 * not. The difference is summed up. */
PlimStatus deform_guard_energy(Deform *d, const StepInfo *step, const double *before,
                               bool *is_bad) {
    const double most = 0.05; /* of the body's own energy */
    size_t values = 3 * deform_count(d, DEFORM_NODES);
    double *place = d->work[DEFORM_NEXT].data, *force = d->work[DEFORM_FORCE].data;
    double *after = scratch_take(step->scratch, d->bodies.count, sizeof *after);
    double *ignored = d->work[DEFORM_CHANGE].data;
    if (!after) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < values; i++)
        place[i] = d->position[i] + 0.5 * step->dt * d->velocity_half[i];
    ForceParts middle = {.x = place, .elastic = true};
    TRY(deform_forces(d, step, &middle, force, NULL));
    for (size_t i = 0; i < values; i++) place[i] = d->position[i] + step->dt * d->velocity_half[i];
    TRY(deform_forces(d, step, &middle, ignored, NULL));
    deform_body_energies(d, after);
    *is_bad = false;
    for (size_t b = 0; b < d->bodies.count; b++) {
        double work, kinetic;
        body_work(d, &d->bodies.data[b], step->dt, force, &work, &kinetic);
        double gained = fmax(0.0, d->gained[b] + after[b] - before[b] + work);
        if (gained > most * fmax(0.0, after[b] + kinetic)) {
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

static RigidMotion rigid_motion(const Deform *d, const DeformBody *body, const double *v) {
    size_t first = body->first[DEFORM_NODES], count = body->count[DEFORM_NODES];
    Vec3 place = vec3(0, 0, 0), momentum = place, angular = place;
    double mass = 0;
    for (size_t i = first; i < first + count; i++) {
        place = vec3_add_scaled(place, d->mass[i], vec3_load(d->position + 3 * i));
        momentum = vec3_add_scaled(momentum, d->mass[i], vec3_load(v + 3 * i));
        mass += d->mass[i];
    }
    RigidMotion motion = {.center = vec3_scale(1 / mass, place),
                          .velocity = vec3_scale(1 / mass, momentum)};
    Mat3 inertia = mat3_diagonal(0, 0, 0);
    for (size_t i = first; i < first + count; i++) {
        Vec3 arm = vec3_sub(vec3_load(d->position + 3 * i), motion.center);
        double square = vec3_dot(arm, arm), m = d->mass[i];
        inertia = mat3_add(inertia, mat3_scale(m, mat3_diagonal(square, square, square)));
        inertia = mat3_add(inertia, mat3_scale(-m, mat3_outer(arm, arm)));
        angular = vec3_add_scaled(angular, m, vec3_cross(arm, vec3_load(v + 3 * i)));
    }
    /* A point or a line has no inertia about itself. */
    double trace = mat3_trace(inertia);
    if (mat3_determinant(inertia) > 1e-9 * trace * trace * trace)
        motion.spin = mat3_apply(mat3_inverse(inertia), angular);
    return motion;
}

void deform_rigid_guess(const Deform *d, const double *v, double *out) {
    int dim = d->options.dim;
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        RigidMotion motion = rigid_motion(d, body, v);
        for (size_t k = 0; k < body->count[DEFORM_NODES]; k++) {
            size_t i = body->first[DEFORM_NODES] + k;
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
