/* Solver bodies: velocities, inverse masses and inertias as impulses see them, and back. */
#include "rigid/contact/contact_stages.h"

/* A body on a path keeps up with it exactly when it moves at the mean velocity of the step. */
static PlimStatus load_path(const RigidBodies *b, size_t i, const StepInfo *step,
                            SolverBody *body) {
    const struct RigidExtra *extra = &b->extras.data[i];
    PlimPose end;
    TRY(rigid_path_pose(b->context, extra->name, extra->path, extra->path_user, step->end_time,
                        &end));
    Vec3 moved = vec3_sub(vec3_load(end.position), body->center);
    Quat turned = quat_multiply(quat_normalize(quat_load(end.orientation)),
                                quat_conjugate(quat_load(b->orientation + 4 * i)));
    if (turned.w < 0) turned = (Quat){-turned.w, -turned.x, -turned.y, -turned.z};
    body->velocity = vec3_scale(1.0 / step->dt, moved);
    body->spin = vec3_scale(1.0 / step->dt, quat_log(turned));
    return PLIM_OK;
}

static Vec3 spin_of(const RigidBodies *b, size_t i, const double *momentum) {
    BodyInertia inertia = rigid_inertia(b, i);
    Vec3 spin = orientation_angular_velocity(&inertia, quat_load(b->orientation + 4 * i),
                                             vec3_load(momentum + 3 * i));
    return b->options.plane ? vec3(0, 0, spin.z) : spin;
}

static bool is_locked(const RigidBodies *b, size_t i) {
    return (b->held[i] & RIGID_TURN_LOCKED) != 0;
}

static void load_mass(const RigidBodies *b, size_t i, SolverBody *body) {
    Mat3 axes = quat_to_mat3(quat_load(b->orientation + 4 * i));
    Mat3 inverse = mat3_load(b->inverse_inertia + 9 * i);
    body->moves = true;
    body->inverse_mass = 1.0 / b->mass[i];
    body->inverse_inertia = mat3_multiply(mat3_multiply(axes, inverse), mat3_transpose(axes));
    if (b->held[i] & RIGID_PINNED) { /* turns about its pin */
        PinnedBody pinned = rigid_pinned_body(b, i);
        body->center = vec3_load(b->pin + 3 * i);
        body->inverse_mass = 0.0;
        body->inverse_inertia = mat3_inverse(pin_inertia(pinned.mass, pinned.inertia, pinned.arm));
    }
    if (is_locked(b, i)) body->inverse_inertia = mat3_diagonal(0, 0, 0);
    if (b->options.plane) /* bodies of a plane turn about z alone */
        body->inverse_inertia = mat3_diagonal(0, 0, body->inverse_inertia.r[2].z);
    body->moves = body->inverse_mass > 0.0 || mat3_trace(body->inverse_inertia) > 0.0;
}

static void load_dynamic(const RigidBodies *b, size_t i, SolverBodyWhen when, SolverBody *body) {
    bool half = when == SOLVER_BODIES_HALF;
    const double *velocity = half ? b->velocity_half : b->velocity;
    load_mass(b, i, body);
    body->velocity = vec3_load(velocity + 3 * i);
    body->spin = spin_of(b, i, half ? b->angular_momentum_half : b->angular_momentum);
    if (when == SOLVER_BODIES_START) {
        body->push = vec3_sub(vec3_load(b->velocity_half + 3 * i), body->velocity);
        body->twist = vec3_sub(spin_of(b, i, b->angular_momentum_half), body->spin);
    }
    if (b->held[i] & RIGID_PINNED) body->velocity = body->push = vec3(0, 0, 0);
}

PlimStatus solver_bodies_load(RigidBodies *bodies, const StepInfo *step, SolverBodyWhen when) {
    RigidContacts *contacts = &bodies->contacts;
    size_t count = rigid_count(bodies), all = rigid_partner_count(bodies);
    contacts->solver_bodies.count = 0;
    if (!array_reserve(bodies->context, &contacts->solver_bodies, all)) return PLIM_OUT_OF_MEMORY;
    contacts->solver_bodies.count = all;
    for (size_t i = 0; i < count; i++) {
        SolverBody *body = &contacts->solver_bodies.data[i];
        *body = (SolverBody){.center = vec3_load(bodies->position + 3 * i)};
        if (bodies->motion[i] == PLIM_DYNAMIC) {
            load_dynamic(bodies, i, when, body);
        } else if (bodies->motion[i] == PLIM_KINEMATIC && when == SOLVER_BODIES_WHOLE) {
            body->velocity = vec3_load(bodies->velocity + 3 * i);
            body->spin = vec3_load(bodies->angular_velocity + 3 * i);
        } else if (bodies->motion[i] == PLIM_KINEMATIC) {
            TRY(load_path(bodies, i, step, body));
        }
    }
    for (size_t i = count; i < all; i++)
        contacts->solver_bodies.data[i] =
            (SolverBody){.center = rigid_still_surface(bodies, i)->point};
    return PLIM_OK;
}

/* Momentum is what is kept: I omega, at the orientation of the moment. */
static void store_motion(RigidBodies *b, size_t i, const SolverBody *body, double *velocity,
                         double *momentum, Vec3 push, Vec3 twist) {
    Vec3 v = vec3_add(body->velocity, push), spin = vec3_add(body->spin, twist);
    if (b->held[i] & RIGID_PINNED) {
        Vec3 arm = vec3_sub(vec3_load(b->position + 3 * i), body->center);
        v = vec3_cross(spin, arm);
    }
    vec3_store(velocity + 3 * i, v);
    vec3_store(momentum + 3 * i, rigid_momentum(b, i, spin));
}

void solver_bodies_store(RigidBodies *bodies, SolverBodyWhen when) {
    RigidBodies *b = bodies;
    const Vec3 none = {0, 0, 0};
    for (size_t i = 0; i < rigid_count(b); i++) {
        const SolverBody *body = &b->contacts.solver_bodies.data[i];
        if (!body->touched) continue;
        if (when != SOLVER_BODIES_HALF)
            store_motion(b, i, body, b->velocity, b->angular_momentum, none, none);
        if (when == SOLVER_BODIES_START)
            store_motion(b, i, body, b->velocity_half, b->angular_momentum_half, body->push,
                         body->twist);
        if (when == SOLVER_BODIES_HALF)
            store_motion(b, i, body, b->velocity_half, b->angular_momentum_half, none, none);
    }
}
