/* Coupling interface of rigid bodies, as other systems see them: places, velocities, and what it
 * takes to move them. */
#include "rigid/bodies.h"

static size_t view_count(const void *system) {
    return rigid_count(system);
}

static const char *view_name(const void *system, size_t i) {
    return ((const RigidBodies *)system)->extras.data[i].name;
}

static bool view_moves(const void *system, size_t i) {
    return ((const RigidBodies *)system)->motion[i] != PLIM_STATIC;
}

static void view_read(const void *system, size_t i, Collider *collider) {
    const RigidBodies *b = system;
    collider->position = vec3_load(b->position + 3 * i);
    collider->orientation = quat_load(b->orientation + 4 * i);
    collider->velocity = vec3_load(b->velocity + 3 * i);
    collider->angular_velocity = vec3_load(b->angular_velocity + 3 * i);
}

static bool view_is_free(const void *system, size_t i) {
    return ((const RigidBodies *)system)->motion[i] == PLIM_DYNAMIC;
}

static void view_read_motion(const void *system, size_t i, SolidWhen when, SolidMotion *motion) {
    const RigidBodies *b = system;
    bool half = when == SOLID_HALF_STEP;
    const double *velocity = half ? b->velocity_half : b->velocity;
    const double *momentum = half ? b->angular_momentum_half : b->angular_momentum;
    BodyInertia inertia = rigid_inertia(b, i);
    Quat turn = quat_load(b->orientation + 4 * i);
    *motion = (SolidMotion){
        .mass = b->mass[i],
        .volume = b->volume[i],
        .inertia = rigid_world_inertia(b, i),
        .velocity = vec3_load(velocity + 3 * i),
        .angular_velocity =
            orientation_angular_velocity(&inertia, turn, vec3_load(momentum + 3 * i)),
        .pinned = (b->held[i] & RIGID_PINNED) != 0,
        .turn_locked = (b->held[i] & RIGID_TURN_LOCKED) != 0,
        .pin = vec3_load(b->pin + 3 * i),
    };
}

/* Momentum is what is kept: I omega, at the orientation of the moment. */
static void view_accept(void *system, size_t i, SolidWhen when, Vec3 velocity,
                        Vec3 angular_velocity) {
    RigidBodies *b = system;
    bool half = when == SOLID_HALF_STEP;
    b->driven[i] = 1;
    b->asleep[i] = 0;
    Vec3 momentum = mat3_apply(rigid_world_inertia(b, i), angular_velocity);
    vec3_store((half ? b->velocity_half : b->velocity) + 3 * i, velocity);
    vec3_store((half ? b->angular_momentum_half : b->angular_momentum) + 3 * i, momentum);
    if (!half) vec3_store(b->angular_velocity + 3 * i, angular_velocity);
}

SolidView rigid_solid_view(RigidBodies *bodies) {
    return (SolidView){.system = bodies,
                       .count = view_count,
                       .name = view_name,
                       .moves = view_moves,
                       .read = view_read,
                       .is_free = view_is_free,
                       .read_motion = view_read_motion,
                       .accept = view_accept};
}
