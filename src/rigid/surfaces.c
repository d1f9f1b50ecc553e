/* Rigid bodies as surfaces, and as velocities of a coupled solve (002 section 5.4.3): six a body,
 * pins and locks as rows. */
#include "rigid/contact/coupled_contact.h"
#include "rigid/forces.h"

/* ---- surfaces ---- */

static size_t surface_count(const void *system) {
    return rigid_count(system);
}

static Surface surface_describe_body(const void *system, size_t i) {
    static const SurfaceMotion motions[] = {[PLIM_STATIC] = SURFACE_STILL,
                                            [PLIM_KINEMATIC] = SURFACE_PRESCRIBED,
                                            [PLIM_DYNAMIC] = SURFACE_FREE};
    const RigidBodies *b = system;
    return (Surface){.name = b->extras.data[i].name,
                     .motion = motions[b->motion[i]],
                     .solid = b->extras.data[i].solid,
                     .own_origin = vec3_scale(-1.0, b->extras.data[i].center),
                     .mass = b->mass[i],
                     .volume = b->volume[i],
                     .displaced = b->extras.data[i].displaced,
                     .belt = vec3_load(b->surface_velocity + 3 * i),
                     .first_dof = 6 * i};
}

static void surface_read_body(const void *system, size_t i, Collider *collider) {
    const RigidBodies *b = system;
    collider->position = vec3_load(b->position + 3 * i);
    collider->orientation = quat_load(b->orientation + 4 * i);
    collider->velocity = vec3_load(b->velocity + 3 * i);
    collider->angular_velocity = vec3_load(b->angular_velocity + 3 * i);
}

static bool surface_read_path(const void *system, size_t i, double t, Collider *collider) {
    const RigidBodies *b = system;
    const struct RigidExtra *extra = &b->extras.data[i];
    PlimPose pose;
    if (b->motion[i] != PLIM_KINEMATIC || !extra->path) return false;
    if (rigid_path_pose(b->context, extra->name, extra->path, extra->path_user, t, &pose) !=
        PLIM_OK)
        return false;
    collider->position = vec3_load(pose.position);
    collider->orientation = quat_load(pose.orientation);
    collider->velocity = vec3_load(pose.velocity);
    collider->angular_velocity = vec3_load(pose.angular_velocity);
    return true;
}

/* v_a + (omega x r)_a (002 equation 5.10). */
static void surface_row(const void *system, size_t i, Vec3 x, int axis, SparseRow *row) {
    const RigidBodies *b = system;
    double turn[3];
    Vec3 arm = vec3_sub(x, vec3_load(b->position + 3 * i));
    vec3_store(turn, vec3_cross(arm, vec3_axis(axis)));
    for (int k = 0; k < 3; k++) sparse_row_add(row, (int32_t)(6 * i) + k, k == axis ? 1.0 : 0.0);
    for (int k = 0; k < 3; k++) sparse_row_add(row, (int32_t)(6 * i) + 3 + k, turn[k]);
}

const SurfaceClass rigid_surfaces = {.count = surface_count,
                                     .describe = surface_describe_body,
                                     .read = surface_read_body,
                                     .read_ahead = surface_read_path,
                                     .row = surface_row};

/* ---- velocities ---- */

/* Joints have pulled beside gravity and forces: all that changed the body's velocity before the
 * solve. */
static void find_joint_fall(const RigidBodies *b, size_t i, bool half, double fall[6]) {
    const JointKept *kept = &b->joints.kept.data[i + 1];
    Vec3 start[2] = {kept->start[0], kept->start[1]};
    if (half) {
        start[0] = vec3_load(b->velocity + 3 * i);
        start[1] = rigid_spin(b, i, vec3_load(b->angular_momentum + 3 * i));
    }
    const double *v = half ? b->velocity_half : b->velocity;
    const double *momentum = half ? b->angular_momentum_half : b->angular_momentum;
    vec3_store(fall, vec3_sub(vec3_load(v + 3 * i), start[0]));
    vec3_store(fall + 3, vec3_sub(rigid_spin(b, i, vec3_load(momentum + 3 * i)), start[1]));
}

/* What gravity and forces have added to the body's velocities: g dt, or for a pinned body what its
 * torque about the pin makes of it. */
static void find_fall(const RigidBodies *b, size_t i, const StepInfo *step, SolveWhen when,
                      double fall[6]) {
    if (!solve_is_impulse(when) && joints_have(&b->joints, i)) {
        find_joint_fall(b, i, when == SOLVE_HALF_STEP, fall);
        return;
    }
    PinnedBody body = rigid_pinned_body(b, i);
    Vec3 velocity, momentum;
    forces_find_fall(b, i, step, when, &velocity, &momentum);
    pin_motion(&body, &velocity, &momentum);
    vec3_store(fall, velocity);
    bool turns = body.held == RIGID_PINNED || rigid_has_forces(b, i);
    vec3_store(fall + 3, turns ? mat3_apply(mat3_inverse(body.inertia), momentum) : momentum);
}

/* A pin stops its point, a lock all turning. */
static void add_rows(const RigidBodies *b, size_t i, SystemDofs *dofs) {
    size_t first = 6 * i;
    for (size_t axis = 0; axis < 3 && (b->held[i] & RIGID_TURN_LOCKED); axis++) {
        dof_rows_add(&dofs->rows, first + 3 + axis, 1.0);
        dof_rows_end(&dofs->rows, 0.0);
    }
    if (!(b->held[i] & RIGID_PINNED)) return;
    for (int axis = 0; axis < 3; axis++) {
        SparseRow row = {.count = 0};
        surface_row(b, i, vec3_load(b->pin + 3 * i), axis, &row);
        for (int k = 0; k < row.count; k++)
            dof_rows_add(&dofs->rows, (size_t)row.column[k], row.value[k]);
        dof_rows_end(&dofs->rows, 0.0);
    }
}

static void mass_matrix(const RigidBodies *b, size_t i, double mass[36]) {
    double inertia[9];
    mat3_store(inertia, rigid_world_inertia(b, i));
    for (int k = 0; k < 36; k++) mass[k] = 0.0;
    for (int r = 0; r < 3; r++) {
        mass[7 * r] = b->mass[i];
        for (int c = 0; c < 3; c++) mass[6 * (3 + r) + 3 + c] = inertia[3 * r + c];
    }
}

static void rigid_offer(const void *system, const StepInfo *step, SolveWhen when,
                        SystemDofs *dofs) {
    const RigidBodies *b = system;
    bool half = when == SOLVE_HALF_STEP;
    for (size_t i = 0; i < rigid_count(b); i++) {
        double mass[36], velocity[6], fall[6];
        vec3_store(velocity, vec3_load((half ? b->velocity_half : b->velocity) + 3 * i));
        vec3_store(velocity + 3, vec3_load(b->angular_velocity + 3 * i));
        if (b->motion[i] != PLIM_DYNAMIC) {
            dofs_add_block(dofs, 6, NULL, velocity, NULL);
            continue;
        }
        Vec3 momentum = vec3_load((half ? b->angular_momentum_half : b->angular_momentum) + 3 * i);
        vec3_store(velocity + 3, rigid_spin(b, i, momentum));
        mass_matrix(b, i, mass);
        find_fall(b, i, step, when, fall);
        dofs_add_block(dofs, 6, mass, velocity, fall);
        add_rows(b, i, dofs);
    }
    if (!dofs->failed) joints_offer(b, dofs);
    if (!dofs->failed) rigid_contact_impulses(b, dofs->impulse.data);
}

/* Momentum is what is kept: I omega, at the orientation of the moment. */
static void take_over(RigidBodies *b, size_t i, bool half, Vec3 velocity, Vec3 spin) {
    Vec3 momentum = mat3_apply(rigid_world_inertia(b, i), spin);
    b->driven[i] = 1;
    b->asleep[i] = 0;
    vec3_store((half ? b->velocity_half : b->velocity) + 3 * i, velocity);
    vec3_store((half ? b->angular_momentum_half : b->angular_momentum) + 3 * i, momentum);
    if (!half) vec3_store(b->angular_velocity + 3 * i, spin);
}

/* An impulse in no time moves the half step that was predicted by as much. */
static void gain_half(RigidBodies *b, size_t i, const double found[6], const double before[6]) {
    BodyInertia inertia = rigid_inertia(b, i);
    Vec3 gain = vec3_sub(vec3_load(found), vec3_load(before));
    Vec3 turn = vec3_sub(vec3_load(found + 3), vec3_load(before + 3));
    Vec3 spin = orientation_angular_velocity(&inertia, quat_load(b->orientation + 4 * i),
                                             vec3_load(b->angular_momentum_half + 3 * i));
    take_over(b, i, true, vec3_add(vec3_load(b->velocity_half + 3 * i), gain),
              vec3_add(spin, turn));
}

static void rigid_accept(void *system, const StepInfo *step, SolveWhen when,
                         const DofAnswer *answer) {
    RigidBodies *b = system;
    b->joints.is_disturbed = true;
    for (size_t i = 0; i < rigid_count(b); i++) {
        const double *found = answer->velocity + 6 * i;
        if (!answer->is_solved[i]) continue;
        if (answer->pushed && joints_have(&b->joints, i)) {
            b->driven[i] = 1;
            b->asleep[i] = 0;
            continue;
        }
        take_over(b, i, when == SOLVE_HALF_STEP, vec3_load(found), vec3_load(found + 3));
        b->wet[i] = b->wet[i] || answer->by_flow;
        if (solve_is_impulse(when)) gain_half(b, i, found, answer->before + 6 * i);
    }
    if (answer->by_flow) joints_take_solved(b, step, when);
    if (answer->pushed) joints_take_push(b, step, when, answer->pushed);
}

const DofClass rigid_dofs = {.keeps_rows = true,
                             .offer = rigid_offer,
                             .accept = rigid_accept,
                             .join = rigid_contact_join,
                             .switches = joints_switch,
                             .settle = joints_settle_solve};
