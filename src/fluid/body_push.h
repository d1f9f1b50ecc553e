/* What cells do to the colliders in them: forces on parts of surfaces, found in parallel and added
 * up in the order of the cells. */
#ifndef FLUID_BODY_PUSH_H
#define FLUID_BODY_PUSH_H

#include "fluid/internal.h"

typedef struct BodyPush {
    const ImmersedCollider *collider; /* NULL: nothing */
    Vec3 force, torque;               /* N; N m about the collider's origin */
    double area;                      /* m^2, of the surface in the cell */
    bool is_force;                    /* else only the area counts */
    bool is_weight;
} BodyPush;

/* A force at x on the collider that is nearest. */
BodyPush fluid_push_at(const Fluid *fluid, Vec3 x, Vec3 force);
/* The surface inside a cut cell as a vector, out of the collider, m^2: what its open faces lack to
 * close around the fluid in it. */
Vec3 fluid_surface_in_cell(const Fluid *fluid, int i, int j, int k);
/* Where a collider's surface lies in a cell at this distance from it. */
Vec3 fluid_place_of_surface(const Fluid *fluid, int i, int j, int k, double distance, Vec3 area);
/* Of the middle of a cell from the nearest collider, m. */
double fluid_cell_distance(const Fluid *fluid, int i, int j, int k);
/* Whether a cell may be cut or beside a closed face; `user` is the fluid. */
bool fluid_is_beside_collider(const void *user, int i, int j, int k);

/* Pushes of the cells in a list, up to `width` each. */
typedef struct PushJob {
    const Fluid *fluid;
    const StepInfo *step;
    GridList cells;
    BodyPush *pushes;
    size_t width;
} PushJob;

/* Lists the cells for which the test holds, and has `body` find their pushes, in scratch memory. */
PlimStatus fluid_find_pushes(PushJob *job, GridTest test, ParallelBody body);

#endif
