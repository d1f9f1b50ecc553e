/* Worlds of bodies that meet, for tests of contact from outside. */
#ifndef TESTS_CONTACT_WORLD_H
#define TESTS_CONTACT_WORLD_H

#include "check.h"

#include "math/quat.h"
#include "plimsoll/plimsoll.h"
#include "world/world.h"

#include <string.h>

typedef struct Arena {
    PlimContext *context;
    PlimWorld *world;
} Arena;

static inline Arena arena_in(PlimContext *context, double gravity) {
    Arena arena = {.context = context};
    PlimWorldDesc desc = plim_world_desc_default();
    desc.gravity[1] = gravity;
    assert_int_equal(plim_world_create(context, &desc, &arena.world), PLIM_OK);
    return arena;
}

static inline Arena arena_open(double gravity) {
    return arena_in(test_context(1), gravity);
}

static inline void arena_close(Arena *arena) {
    plim_world_destroy(arena->world);
    test_context_close(arena->context);
}

static inline void arena_configure(Arena *arena, PlimRigidOptions options) {
    assert_int_equal(plim_rigid_configure(arena->world, &options), PLIM_OK);
}

/* ---- bodies ---- */

static inline PlimRigidDesc body_of(const char *name, PlimShapeKind kind, Vec3 position) {
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = name;
    desc.shape.kind = kind;
    vec3_store(desc.pose.position, position);
    return desc;
}

static inline PlimRigidDesc box_of(const char *name, Vec3 size, Vec3 position) {
    PlimRigidDesc desc = body_of(name, PLIM_SHAPE_BOX, position);
    vec3_store(desc.shape.size, size);
    return desc;
}

static inline PlimRigidDesc ball_of(const char *name, double radius, Vec3 position) {
    PlimRigidDesc desc = body_of(name, PLIM_SHAPE_BALL, position);
    desc.shape.radius = radius;
    return desc;
}

/* Everything below y = 0. Bounces and rubs as much as what it meets. */
static inline PlimRigidDesc floor_of(const char *name) {
    PlimRigidDesc desc = body_of(name, PLIM_SHAPE_HALF_SPACE, vec3(0, 0, 0));
    desc.motion = PLIM_STATIC;
    desc.restitution = 1;
    desc.friction = 0;
    return desc;
}

static inline size_t arena_add(Arena *arena, PlimRigidDesc desc) {
    size_t id = 0;
    if (plim_rigid_add(arena->world, &desc, &id) != PLIM_OK)
        fail_msg("%s", plim_message(arena->context));
    return id;
}

/* A stack of cubes of size 1 on the floor, from the ground up; returns the lowest. */
static inline size_t arena_add_stack(Arena *arena, size_t count, double x) {
    size_t lowest = plim_rigid_count(arena->world);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "cube %zu", lowest + i);
        arena_add(arena, box_of(name, vec3(1, 1, 1), vec3(x, 0.5 + (double)i, 0)));
    }
    return lowest;
}

/* ---- steps and what came of them ---- */

static inline void arena_step(Arena *arena, double dt, size_t steps) {
    for (size_t i = 0; i < steps; i++)
        if (plim_world_step(arena->world, dt) != PLIM_OK)
            fail_msg("step %zu: %s", i, plim_message(arena->context));
}

static inline PlimPose pose_of(const Arena *arena, size_t id) {
    PlimPose pose;
    plim_rigid_pose(arena->world, id, &pose);
    return pose;
}

static inline Vec3 position_of(const Arena *arena, size_t id) {
    return vec3_load(pose_of(arena, id).position);
}

static inline Vec3 velocity_of(const Arena *arena, size_t id) {
    return vec3_load(pose_of(arena, id).velocity);
}

static inline double figure_of(Arena *arena, const char *name) {
    assert_int_equal(plim_world_measure(arena->world), PLIM_OK);
    for (size_t i = 0; i < plim_world_figure_count(arena->world); i++)
        if (strcmp(plim_world_figure_name(arena->world, i), name) == 0)
            return plim_world_figure(arena->world, i);
    fail_msg("there is no figure '%s'", name);
    return 0;
}

static inline Vec3 momentum_of(Arena *arena) {
    return vec3(figure_of(arena, "momentum.x"), figure_of(arena, "momentum.y"),
                figure_of(arena, "momentum.z"));
}

static inline Vec3 angular_momentum_of(Arena *arena) {
    return vec3(figure_of(arena, "angular_momentum.x"), figure_of(arena, "angular_momentum.y"),
                figure_of(arena, "angular_momentum.z"));
}

static inline void assert_vector_close(Vec3 actual, Vec3 expected, double tolerance) {
    if (!(vec3_length(vec3_sub(actual, expected)) <= tolerance))
        fail_msg("(%.15g, %.15g, %.15g), expected (%.15g, %.15g, %.15g) within %g", actual.x,
                 actual.y, actual.z, expected.x, expected.y, expected.z, tolerance);
}

#endif
