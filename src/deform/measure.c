/* Figures of deformable solids for stats.csv and probes. */
#include "deform/internal.h"
#include "deform/membrane.h"

enum { KINETIC, POTENTIAL, MOMENTUM, ANGULAR = MOMENTUM + 3, SUM_COUNT = ANGULAR + 3 };

typedef struct NodeSums {
    const Deform *d;
    Vec3 gravity;
} NodeSums;

static void add_vec3(double *sum, Vec3 a) {
    sum[0] += a.x;
    sum[1] += a.y;
    sum[2] += a.z;
}

static void sum_nodes(void *user, size_t begin, size_t end, double *sum) {
    const NodeSums *job = user;
    const Deform *d = job->d;
    for (size_t i = begin; i < end; i++) {
        Vec3 x = vec3_load(d->position + 3 * i), v = vec3_load(d->velocity + 3 * i);
        Vec3 momentum = vec3_scale(d->mass[i], v);
        sum[KINETIC] += 0.5 * vec3_dot(momentum, v);
        sum[POTENTIAL] -= d->mass[i] * vec3_dot(job->gravity, x);
        add_vec3(sum + MOMENTUM, momentum);
        add_vec3(sum + ANGULAR, vec3_cross(x, momentum));
    }
}

/* Energy, and elements turned inside out; a sheet has no inside. */
enum { ELASTIC, INVERTED, ELEMENT_SUMS };

/* Of volume; of a sheet that of its area or length. */
static double jacobian(const Deform *d, size_t e) {
    Mat3 f = element_gradient(d, e, d->position);
    if (d->corner_count[e] == 2) return vec3_length(mat3_column(f, 0));
    if (d->corner_count[e] == d->options.dim) return membrane_area_ratio(f);
    if (d->options.dim == 2) return f.r[0].x * f.r[1].y - f.r[0].y * f.r[1].x;
    return mat3_determinant(f);
}

static void sum_elements(void *user, size_t begin, size_t end, double *sum) {
    const Deform *d = user;
    for (size_t e = begin; e < end; e++) {
        sum[ELASTIC] += d->element_energy[e];
        sum[INVERTED] += d->corner_count[e] > d->options.dim && jacobian(d, e) <= 0;
    }
}

static void sum_springs(void *user, size_t begin, size_t end, double *sum) {
    const Deform *d = user;
    for (size_t s = begin; s < end; s++) sum[0] += d->spring_energy[s];
}

PlimStatus deform_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics) {
    static const char *const names[SUM_COUNT] = {
        "energy.kinetic", "energy.potential",   "momentum.x",         "momentum.y",
        "momentum.z",     "angular_momentum.x", "angular_momentum.y", "angular_momentum.z"};
    Deform *d = (Deform *)(uintptr_t)system; /* sums read it alone */
    NodeSums job = {d, step->gravity};
    double sum[SUM_COUNT], elements[ELEMENT_SUMS], springs;
    TRY(parallel_sum(step->threads, deform_count(d, DEFORM_NODES), SUM_COUNT, sum_nodes, &job,
                     step->scratch, sum));
    TRY(parallel_sum(step->threads, deform_count(d, DEFORM_ELEMENTS), ELEMENT_SUMS, sum_elements, d,
                     step->scratch, elements));
    TRY(parallel_sum(step->threads, deform_count(d, DEFORM_SPRINGS), 1, sum_springs, d,
                     step->scratch, &springs));
    for (int i = 0; i < SUM_COUNT; i++) diagnostics_add(diagnostics, names[i], sum[i]);
    double bending = 0;
    for (size_t b = 0; b < d->bodies.count; b++) bending += bending_energy(d, &d->bodies.data[b]);
    diagnostics_add(diagnostics, "energy.elastic", elements[ELASTIC] + springs + bending);
    if (d->self_faces.count > 0)
        diagnostics_add(diagnostics, "energy.contact", d->figures.contact_energy);
    diagnostics_add(diagnostics, "elements.inverted", elements[INVERTED]);
    if (deform_count(d, DEFORM_PLASTIC) > 0)
        diagnostics_add(diagnostics, "elements.yielding", d->figures.yielding);
    diagnostics_add(diagnostics, "solve.deform.newton", d->figures.newton);
    diagnostics_add(diagnostics, "solve.deform.iterations", d->figures.iterations);
    diagnostics_add(diagnostics, "solve.deform.residual", d->figures.residual);
    diagnostics_add(diagnostics, "solve.deform.unconverged", d->figures.unconverged);
    diagnostics_add(diagnostics, "solve.deform.damped", d->figures.damped);
    diagnostics_add(diagnostics, "strain_limit.sweeps", d->figures.limit_sweeps);
    diagnostics_add(diagnostics, "strain_limit.left", d->figures.unlimited);
    diagnostics_add(diagnostics, "contacts.deform", d->figures.contacts);
    diagnostics_add(diagnostics, "penetration.deform", d->figures.penetration);
    return PLIM_OK;
}

/* ---- probes ---- */

static const ProbeObject *object_of(const void *system, size_t object) {
    return &((const Deform *)system)->objects.list.data[object];
}

static const DeformBody *body_of(const void *system, size_t object) {
    return &((const Deform *)system)->bodies.data[object_of(system, object)->item];
}

static bool is_body(const void *system, size_t object) {
    return object_of(system, object)->kind == DEFORM_OBJECT_BODY;
}

static bool is_point(const void *system, size_t object) {
    return object_of(system, object)->kind == DEFORM_OBJECT_POINT;
}

static bool moves(const void *system, size_t object) {
    return is_body(system, object) || is_point(system, object);
}

static bool acts(const void *system, size_t object) {
    return !moves(system, object);
}

/* Mass, and sums of m x, m v, x cross m v. */
typedef struct BodySums {
    double mass;
    Vec3 place, momentum, angular;
} BodySums;

static BodySums sum_body(const Deform *d, const DeformBody *body) {
    BodySums sums = {0};
    for (size_t k = 0; k < body->count[DEFORM_NODES]; k++) {
        size_t i = body->first[DEFORM_NODES] + k;
        Vec3 x = vec3_load(d->position + 3 * i);
        Vec3 momentum = vec3_scale(d->mass[i], vec3_load(d->velocity + 3 * i));
        sums.mass += d->mass[i];
        sums.place = vec3_add_scaled(sums.place, d->mass[i], x);
        sums.momentum = vec3_add(sums.momentum, momentum);
        sums.angular = vec3_add(sums.angular, vec3_cross(x, momentum));
    }
    return sums;
}

static void read_center(const void *system, size_t object, double *values) {
    BodySums sums = sum_body(system, body_of(system, object));
    vec3_store(values, vec3_scale(1.0 / sums.mass, sums.place));
}

static void read_position(const void *system, size_t object, double *values) {
    const Deform *d = system;
    vec3_store(values, vec3_load(d->position + 3 * object_of(system, object)->item));
}

static void read_velocity(const void *system, size_t object, double *values) {
    const Deform *d = system;
    if (is_point(system, object)) {
        vec3_store(values, vec3_load(d->velocity + 3 * object_of(system, object)->item));
        return;
    }
    BodySums sums = sum_body(d, body_of(system, object));
    vec3_store(values, vec3_scale(1.0 / sums.mass, sums.momentum));
}

static void read_momentum(const void *system, size_t object, double *values) {
    vec3_store(values, sum_body(system, body_of(system, object)).momentum);
}

static void read_angular_momentum(const void *system, size_t object, double *values) {
    vec3_store(values, sum_body(system, body_of(system, object)).angular);
}

/* Of a sheet its area, m^2. */
static void read_volume(const void *system, size_t object, double *values) {
    const Deform *d = system;
    const DeformBody *body = body_of(system, object);
    values[0] = 0;
    for (size_t k = 0; k < body->count[DEFORM_ELEMENTS]; k++) {
        size_t e = body->first[DEFORM_ELEMENTS] + k;
        values[0] += d->volume[e] * jacobian(d, e);
    }
}

static void read_stretch(const void *system, size_t object, double *values) {
    const Deform *d = system;
    const DeformBody *body = body_of(system, object);
    values[0] = 0;
    for (size_t k = 0; k < body->count[DEFORM_ELEMENTS]; k++)
        values[0] = fmax(values[0], deform_element_stretch(d, body->first[DEFORM_ELEMENTS] + k));
    for (size_t k = 0; k < body->count[DEFORM_SPRINGS]; k++) {
        size_t s = body->first[DEFORM_SPRINGS] + k;
        Vec3 gradient[4];
        double length = deform_spring_length(d, s, d->position, gradient);
        values[0] = fmax(values[0], fabs(length) / d->spring_rest[s]);
    }
}

static void read_energy(const void *system, size_t object, double *values) {
    values[0] = deform_body_energy(system, body_of(system, object));
}

/* Of a pin: what it exerts on its body, along the axes that it holds. */
static void sum_pin(const Deform *d, const DeformPin *pin, Vec3 *force, Vec3 *torque) {
    *force = *torque = vec3(0, 0, 0);
    for (size_t k = 0; k < pin->count; k++) {
        size_t i = (size_t)d->pin_nodes.data[pin->first + k];
        double part[3];
        for (int axis = 0; axis < 3; axis++)
            part[axis] = pin->axes[axis] ? d->reaction[3 * i + (size_t)axis] : 0.0;
        *force = vec3_add(*force, vec3_load(part));
        *torque = vec3_add(*torque, vec3_cross(vec3_load(d->position + 3 * i), vec3_load(part)));
    }
}

static void find_force(const void *system, size_t object, Vec3 *force, Vec3 *torque) {
    const Deform *d = system;
    const ProbeObject *of = object_of(system, object);
    if (of->kind == DEFORM_OBJECT_PIN)
        sum_pin(d, &d->pins.data[of->item], force, torque);
    else if (deform_load_now(d, of->item, d->now, force, torque) != PLIM_OK)
        *force = *torque = vec3(NAN, NAN, NAN); /* its expression has no value at this time */
}

static void read_force(const void *system, size_t object, double *values) {
    Vec3 force, torque;
    find_force(system, object, &force, &torque);
    vec3_store(values, force);
}

static void read_torque(const void *system, size_t object, double *values) {
    Vec3 force, torque;
    find_force(system, object, &force, &torque);
    vec3_store(values, torque);
}

/* Of everything rigid on the body, friction included; where pins hold nodes too it is theirs. */
static void read_contact_force(const void *system, size_t object, double *values) {
    const Deform *d = system;
    const DeformBody *body = body_of(system, object);
    Vec3 sum = vec3(0, 0, 0);
    for (size_t k = 0; k < body->count[DEFORM_NODES]; k++) {
        size_t i = body->first[DEFORM_NODES] + k;
        if (!d->has_pin[i]) sum = vec3_add(sum, vec3_load(d->reaction + 3 * i));
    }
    vec3_store(values, sum);
}

const ProbeQuantity deform_quantities[DEFORM_QUANTITY_COUNT] = {
    {"center", "xyz", "m", read_center, is_body},
    {"position", "xyz", "m", read_position, is_point},
    {"velocity", "xyz", "m/s", read_velocity, moves},
    {"volume", "", "m^3", read_volume, is_body},
    {"stretch", "", "1", read_stretch, is_body},
    {"energy", "", "J", read_energy, is_body},
    {"momentum", "xyz", "kg m/s", read_momentum, is_body},
    {"angular_momentum", "xyz", "kg m^2/s", read_angular_momentum, is_body},
    {"contact_force", "xyz", "N", read_contact_force, is_body},
    {"force", "xyz", "N", read_force, acts},
    {"torque", "xyz", "N m", read_torque, acts},
};
