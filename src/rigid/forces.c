/* Forces and damping of bodies: quadrature in time, exponential decay. */
#include "rigid/forces.h"

/* ---- creation ---- */

static PlimStatus evaluate(const RigidBodies *bodies, const char *name, PlimForceFn path,
                           void *user, double t, PlimForce *out) {
    *out = (PlimForce){0};
    PlimStatus status = path(user, bodies->context, t, out);
    if (status != PLIM_OK)
        return context_fail(bodies->context, status, "rigid body '%s': its force at t = %g s: %s",
                            name, t, bodies->context->message);
    for (int k = 0; k < 3; k++)
        if (!isfinite(out->force[k]) || !isfinite(out->torque[k]))
            return context_fail(bodies->context, PLIM_BAD_INPUT,
                                "rigid body '%s': its force or torque at t = %g s is not finite",
                                name, t);
    return PLIM_OK;
}

/* In two dimensions nothing leaves the plane. */
static bool leaves_plane(const PlimForce *force) {
    return force->force[2] != 0.0 || force->torque[0] != 0.0 || force->torque[1] != 0.0;
}

PlimStatus forces_check(RigidBodies *bodies, const PlimRigidDesc *desc) {
    PlimContext *context = bodies->context;
    const double damping[2] = {desc->linear_damping, desc->angular_damping};
    for (int k = 0; k < 2; k++)
        if (!(damping[k] >= 0.0) || !isfinite(damping[k]))
            return context_fail(context, PLIM_BAD_INPUT,
                                "rigid body '%s': %s is %g 1/s; it must be 0 or more", desc->name,
                                k ? "angular_damping" : "linear_damping", damping[k]);
    if (desc->motion != PLIM_DYNAMIC &&
        (desc->force_count > 0 || damping[0] > 0.0 || damping[1] > 0.0))
        return context_fail(context, PLIM_BAD_INPUT,
                            "rigid body '%s': only a dynamic body is moved by forces, or damped",
                            desc->name);
    if (desc->force_count > 0 && !desc->forces)
        return context_fail(context, PLIM_BAD_INPUT, "rigid body '%s': %zu forces, and no array",
                            desc->name, desc->force_count);
    for (size_t k = 0; k < desc->force_count; k++) {
        const PlimForceDesc *from = &desc->forces[k];
        PlimForce start = from->force;
        if (from->path) TRY(evaluate(bodies, desc->name, from->path, from->path_user, 0.0, &start));
        bool finite = true;
        for (int axis = 0; axis < 3; axis++)
            finite &= isfinite(start.force[axis]) && isfinite(start.torque[axis]) &&
                      (!from->has_at || isfinite(from->at[axis]));
        if (!finite)
            return context_fail(context, PLIM_BAD_INPUT,
                                "rigid body '%s': force, torque and the point where it acts must "
                                "be finite",
                                desc->name);
        if (bodies->options.plane && leaves_plane(&start))
            return context_fail(context, PLIM_BAD_INPUT,
                                "rigid body '%s': in two dimensions the z part of a force and the "
                                "x and y parts of a torque must be 0",
                                desc->name);
    }
    return PLIM_OK;
}

void forces_add(RigidBodies *bodies, size_t body, const PlimRigidDesc *desc) {
    struct RigidExtra *extra = &bodies->extras.data[body];
    extra->first_force = bodies->forces.count;
    for (size_t k = 0; k < desc->force_count; k++) {
        const PlimForceDesc *from = &desc->forces[k];
        RigidForce force = {.body = body,
                            .constant = from->force,
                            .path = from->path,
                            .user = from->path_user,
                            .body_axes = from->body_axes != 0};
        if (from->has_at) force.arm = vec3_sub(vec3_load(from->at), extra->center);
        bodies->forces.data[bodies->forces.count++] = force;
        extra->force_count++;
    }
}

/* ---- quadrature ---- */

typedef struct ForcePair {
    Vec3 of[2]; /* force, torque */
} ForcePair;

static ForcePair load_force(const RigidBodies *b, const PlimForce *force) {
    ForcePair pair = {{vec3_load(force->force), vec3_load(force->torque)}};
    if (b->options.plane) {
        pair.of[0].z = 0.0;
        pair.of[1] = vec3(0, 0, pair.of[1].z);
    }
    return pair;
}

/* Twice the integrals of (1 - s) F and s F over the step, s from 0 to 1: by Gauss and Legendre, so
 * that both are F of a constant force. */
static PlimStatus split_force(const RigidBodies *b, const RigidForce *force, const StepInfo *step,
                              ForcePair *half, Vec3 rest[2]) {
    static const double place[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
    static const double weight[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
    if (!force->path) {
        *half = load_force(b, &force->constant);
        for (int k = 0; k < 2; k++) rest[k] = half->of[k];
        return PLIM_OK;
    }
    *half = (ForcePair){0};
    rest[0] = rest[1] = vec3(0, 0, 0);
    for (int q = 0; q < 3; q++) {
        PlimForce at;
        const char *name = b->extras.data[force->body].name;
        double t = step->time + place[q] * step->dt;
        if (evaluate(b, name, force->path, force->user, t, &at) != PLIM_OK) return PLIM_FAILED;
        ForcePair now = load_force(b, &at);
        for (int k = 0; k < 2; k++) {
            half->of[k] = vec3_add_scaled(half->of[k], weight[q] * (1.0 - place[q]), now.of[k]);
            rest[k] = vec3_add_scaled(rest[k], weight[q] * place[q], now.of[k]);
        }
    }
    return PLIM_OK;
}

/* Adds a force in world axes, with its moment about the centre, where the body is now. */
static void add_load(const RigidBodies *b, const RigidForce *force, const Vec3 part[2],
                     double *loads) {
    Quat turn = quat_load(b->orientation + 4 * force->body);
    double *load = loads + 6 * force->body;
    Vec3 push = part[0], torque = part[1];
    if (force->body_axes) {
        push = quat_rotate(turn, push);
        torque = quat_rotate(turn, torque);
    }
    torque = vec3_add(torque, vec3_cross(quat_rotate(turn, force->arm), push));
    if (b->options.plane) torque = vec3(0, 0, torque.z);
    vec3_store(load, vec3_add(vec3_load(load), push));
    vec3_store(load + 3, vec3_add(vec3_load(load + 3), torque));
}

static void clear_loads(const RigidBodies *b, double *loads) {
    for (size_t k = 0; k < b->forces.count; k++)
        for (size_t c = 0; c < 6; c++) loads[6 * b->forces.data[k].body + c] = 0.0;
}

PlimStatus forces_begin_step(RigidBodies *bodies, const StepInfo *step) {
    clear_loads(bodies, bodies->load_half);
    for (size_t k = 0; k < bodies->forces.count; k++) {
        RigidForce *force = &bodies->forces.data[k];
        ForcePair half;
        TRY(split_force(bodies, force, step, &half, force->rest));
        add_load(bodies, force, half.of, bodies->load_half);
        if (force->path) bodies->driven[force->body] = 1;
    }
    return PLIM_OK;
}

void forces_end_move(RigidBodies *bodies) {
    clear_loads(bodies, bodies->load_rest);
    for (size_t k = 0; k < bodies->forces.count; k++) {
        const RigidForce *force = &bodies->forces.data[k];
        add_load(bodies, force, force->rest, bodies->load_rest);
    }
}

/* ---- one body ---- */

/* Of x' = f - d x over a step with f constant, z = d dt: x keeps exp(-z), its mean over the step is
 * `mean` of the first x and dt/2 `half` of f, and at the end it has dt `mean` of f. */
typedef struct Decay {
    double keep, mean, half;
} Decay;

static Decay decay_over(double z) {
    if (z == 0.0) return (Decay){1.0, 1.0, 1.0};
    Decay decay = {.keep = exp(-z), .mean = -expm1(-z) / z};
    /* 2 (z - 1 + exp(-z)) / z^2; its series where that is a difference of nearly equal numbers. */
    decay.half =
        z > 1e-3 ? 2.0 * (1.0 - decay.mean) / z : 1.0 - z / 3.0 * (1.0 - z / 4.0 * (1.0 - z / 5.0));
    return decay;
}

static bool is_damped(const RigidBodies *b, size_t i) {
    return b->linear_damping[i] > 0.0 || b->angular_damping[i] > 0.0;
}

/* Of velocity, then of turning. What a pin holds turns alone. */
static void find_decays(const RigidBodies *b, size_t i, double dt, Decay decay[2]) {
    decay[1] = decay_over(dt * b->angular_damping[i]);
    decay[0] = b->held[i] & RIGID_PINNED ? decay[1] : decay_over(dt * b->linear_damping[i]);
}

void forces_add_half(const RigidBodies *b, size_t i, const StepInfo *step, Vec3 *velocity,
                     Vec3 *momentum) {
    double half = 0.5 * step->dt;
    Vec3 before[2] = {*velocity, *momentum};
    *velocity = vec3_add_scaled(*velocity, half, step->gravity);
    if (rigid_has_forces(b, i)) {
        const double *load = b->load_half + 6 * i;
        *velocity = vec3_add_scaled(*velocity, half / b->mass[i], vec3_load(load));
        *momentum = vec3_add_scaled(*momentum, half, vec3_load(load + 3));
    }
    if (!is_damped(b, i)) return;
    Decay decay[2];
    find_decays(b, i, step->dt, decay);
    Vec3 *out[2] = {velocity, momentum};
    for (int k = 0; k < 2; k++) {
        Vec3 gained = vec3_sub(*out[k], before[k]);
        *out[k] = vec3_add_scaled(vec3_scale(decay[k].mean, before[k]), decay[k].half, gained);
    }
}

void forces_add_whole(const RigidBodies *b, size_t i, const StepInfo *step, Vec3 *velocity,
                      Vec3 *momentum) {
    Vec3 before[2] = {*velocity, *momentum};
    *velocity = vec3_add_scaled(*velocity, step->dt, step->gravity);
    if (rigid_has_forces(b, i)) {
        const double *half = b->load_half + 6 * i, *rest = b->load_rest + 6 * i;
        Vec3 push = vec3_add(vec3_load(half), vec3_load(rest));
        Vec3 torque = vec3_add(vec3_load(half + 3), vec3_load(rest + 3));
        *velocity = vec3_add_scaled(*velocity, 0.5 * step->dt / b->mass[i], push);
        *momentum = vec3_add_scaled(*momentum, 0.5 * step->dt, torque);
    }
    if (!is_damped(b, i)) return;
    Decay decay[2];
    find_decays(b, i, step->dt, decay);
    Vec3 *out[2] = {velocity, momentum};
    for (int k = 0; k < 2; k++) {
        Vec3 gained = vec3_sub(*out[k], before[k]);
        *out[k] = vec3_add_scaled(vec3_scale(decay[k].keep, before[k]), decay[k].mean, gained);
    }
}

void forces_add_rest(const RigidBodies *b, size_t i, const StepInfo *step, Vec3 *velocity,
                     Vec3 *momentum) {
    double half = 0.5 * step->dt;
    *velocity = vec3_add_scaled(*velocity, half, step->gravity);
    if (!rigid_has_forces(b, i)) return;
    *velocity = vec3_add_scaled(*velocity, half / b->mass[i], vec3_load(b->load_rest + 6 * i));
    *momentum = vec3_add_scaled(*momentum, half, vec3_load(b->load_rest + 6 * i + 3));
}

/* The first half of gravity decays in the whole step, the rest, which comes after, not at all: in
 * the mean that is right to second order. */
void forces_carry(const RigidBodies *b, size_t i, const StepInfo *step, Vec3 *velocity,
                  Vec3 *momentum) {
    double half = 0.5 * step->dt;
    *velocity = vec3_add_scaled(*velocity, half, step->gravity);
    if (rigid_has_forces(b, i)) {
        *velocity = vec3_add_scaled(*velocity, half / b->mass[i], vec3_load(b->load_half + 6 * i));
        *momentum = vec3_add_scaled(*momentum, half, vec3_load(b->load_half + 6 * i + 3));
    }
    if (!is_damped(b, i)) return;
    double keep = decay_over(step->dt * b->angular_damping[i]).keep;
    *velocity = vec3_scale(keep, *velocity);
    *momentum = vec3_scale(keep, *momentum);
}

void forces_find_fall(const RigidBodies *b, size_t i, const StepInfo *step, SolveWhen when,
                      Vec3 *velocity, Vec3 *momentum) {
    bool half = when == SOLVE_HALF_STEP; /* load_rest is not known yet */
    *velocity = vec3_scale(step->dt, step->gravity);
    *momentum = vec3(0, 0, 0);
    if (solve_is_impulse(when) || !rigid_has_forces(b, i)) return;
    for (int part = 0; part < (half ? 1 : 2); part++) {
        const double *load = (part ? b->load_rest : b->load_half) + 6 * i;
        double time = half ? step->dt : 0.5 * step->dt;
        *velocity = vec3_add_scaled(*velocity, time / b->mass[i], vec3_load(load));
        *momentum = vec3_add_scaled(*momentum, time, vec3_load(load + 3));
    }
}

/* ---- how strong they are ---- */

/* With what a torque does to points of the body as far out as a ball of its size. */
static double acceleration_of(const RigidBodies *b, size_t i, Vec3 push, Vec3 torque) {
    double least = HUGE_VAL;
    for (int axis = 0; axis < 3; axis++) least = fmin(least, b->inertia[9 * i + 4 * (size_t)axis]);
    if (b->options.plane) least = b->inertia[9 * i + 8];
    return vec3_length(push) / b->mass[i] + rigid_ball_radius(b, i) * vec3_length(torque) / least;
}

double forces_acceleration(const RigidBodies *b, size_t i, double t) {
    const struct RigidExtra *extra = &b->extras.data[i];
    double sum = 0.0;
    for (size_t k = extra->first_force; k < extra->first_force + extra->force_count; k++) {
        const RigidForce *force = &b->forces.data[k];
        PlimForce now = force->constant;
        if (force->path && force->path(force->user, b->context, t, &now) != PLIM_OK)
            continue; /* the step itself will say so */
        Vec3 push = vec3_load(now.force), torque = vec3_load(now.torque);
        double moment = vec3_length(force->arm) * vec3_length(push) + vec3_length(torque);
        sum += acceleration_of(b, i, push, vec3(moment, 0, 0));
    }
    return sum;
}

double forces_load_acceleration(const RigidBodies *b, size_t i) {
    if (!rigid_has_forces(b, i)) return 0.0;
    const double *half = b->load_half + 6 * i;
    return acceleration_of(b, i, vec3_load(half), vec3_load(half + 3));
}

double forces_step_speed(const RigidBodies *bodies, const StepInfo *step) {
    double strongest = vec3_length(step->gravity);
    for (size_t k = 0; k < bodies->forces.count; k++)
        strongest = fmax(strongest, forces_load_acceleration(bodies, bodies->forces.data[k].body));
    return step->dt * strongest;
}
