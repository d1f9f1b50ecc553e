/* Surfaces made of nodes and faces that must not pass through themselves or one another: sheets,
 * skins of soft bodies, thin rigid shells. A system that has some offers them for the collisions of
 * meshes (000 section 3.2.3), between moving and the rest of the step, and takes back where its
 * nodes really went. */
#ifndef SYSTEM_MESH_SURFACE_H
#define SYSTEM_MESH_SURFACE_H

#include "collide/mesh/mesh_collision.h"
#include "system/system.h"

/* What does not change: arrays of the counts that `count` told, to fill in. */
typedef struct MeshSurfaces {
    int32_t (*faces)[3]; /* corners, by the system's own numbers of nodes; two in the plane */
    Vec3 *rest;          /* m */
    int32_t *surface;    /* of each node, from 0 */
    double *thickness;   /* m */
    double *friction;
    bool affine_zones;
    bool solves_pairs; /* its implicit solve keeps its own surfaces apart, see take_pairs */
} MeshSurfaces;

/* Where nodes are in a step. */
typedef struct MeshMotion {
    Vec3 *x0, *x1;        /* m, at the start and, without collisions, at the end */
    double *inverse_mass; /* 1/kg */
    int32_t *kind;        /* CollisionNode */
    Vec3 *wall;           /* unit, of a wall that the node leans on; zero: none */
} MeshMotion;

/* What collisions made of it. */
typedef struct MeshAnswer {
    const Vec3 *x1;         /* m */
    const Vec3 *pushed_out; /* m: the part of the change that is no velocity */
    const CollisionFigures *figures;
} MeshAnswer;

struct MeshSurfaceClass {
    int (*dim)(const void *system);
    void (*count)(const void *system, size_t *nodes, size_t *faces); /* 0: it takes no part */
    void (*describe)(const void *system, MeshSurfaces *out);
    const char *(*name)(const void *system, int32_t surface);
    void (*read_motion)(const void *system, const StepInfo *step, MeshMotion *out);
    /* Before the solve for positions, for systems that solve pairs: x0 at the start, x1 where
     * velocities take nodes; then the pairs of its own nodes, by its own numbers, that may come
     * within their distance. */
    void (*read_start)(const void *system, const StepInfo *step, MeshMotion *out);
    PlimStatus (*take_pairs)(void *system, const StepInfo *step, const CollisionPair *pairs,
                             size_t count);
    /* Limits of its own to where collisions send nodes, such as those of strain; changes x1. May be
     * absent. */
    void (*limit)(const void *system, const StepInfo *step, Vec3 *x1);
    void (*accept)(void *system, const StepInfo *step, const MeshAnswer *answer);
    void (*read_velocity)(const void *system, Vec3 *v);
    void (*accept_velocity)(void *system, const Vec3 *v);
};

#endif
