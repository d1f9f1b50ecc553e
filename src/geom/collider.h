/* A collider: something solid that fluids and particles run into. It has a distance and a velocity
 * at every point, moves as a rigid body, and knows nothing of what it collides with. */
#ifndef GEOM_COLLIDER_H
#define GEOM_COLLIDER_H

#include "geom/solid.h"

typedef struct Collider {
    const Solid *solid;              /* in its own axes */
    Quat orientation;                /* own axes to the world's */
    Vec3 position;                   /* m, of its own origin in the world */
    Vec3 velocity, angular_velocity; /* m/s of the own origin, rad/s */
} Collider;

/* Distance to the surface, negative inside; exact for primitives, see geom/solid.h. */
static inline double collider_distance(const Collider *collider, Vec3 x) {
    Vec3 own = quat_rotate_inverse(collider->orientation, vec3_sub(x, collider->position));
    return solid_distance(collider->solid, own);
}

/* The solid where it lies. */
static inline Solid collider_as_solid(const Collider *collider) {
    Solid lying = solid_default(SOLID_UNION);
    lying.children = collider->solid;
    lying.child_count = 1;
    lying.orientation = collider->orientation;
    lying.position = collider->position;
    return lying;
}

/* A box around it where it lies; HUGE_VAL where it has no end. */
static inline Box3 collider_bounds(const Collider *collider) {
    Solid lying = collider_as_solid(collider);
    return solid_bounds(&lying);
}

/* The farthest that a corner of its box is from its own origin, m; in two dimensions of the box's
 * shadow on the plane. */
static inline double collider_reach(const Collider *collider, int dim) {
    Box3 box = solid_bounds(collider->solid);
    double reach = 0;
    for (int corner = 0; corner < 8; corner++) {
        Vec3 x = vec3(corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                      corner & 4 ? box.high.z : box.low.z);
        x = quat_rotate(collider->orientation, x);
        if (dim == 2) x.z = 0;
        reach = fmax(reach, vec3_length(x));
    }
    return reach;
}

/* Of the material at x, m/s. */
static inline Vec3 collider_velocity(const Collider *collider, Vec3 x) {
    return vec3_add(collider->velocity,
                    vec3_cross(collider->angular_velocity, vec3_sub(x, collider->position)));
}

#endif
