/* Contact of round shapes with a distance field. Balls, capsules and rings are a point, a segment
 * or a circle and all that is within a radius of it: the points of the core nearest to the other
 * surface, less the radius, are exact and smooth. Cylinders and cones meet a field with their rims
 * and the balls that fit inside their sides; most of what they meet needs no field (round_hull.h).
 * A ball made of triangles would roll like a die. */
#ifndef COLLIDE_ROUND_H
#define COLLIDE_ROUND_H

#include "collide/sample.h"

typedef enum RoundKind {
    ROUND_NONE,
    ROUND_BALL,
    ROUND_CAPSULE,
    ROUND_TORUS,
    ROUND_CYLINDER,
    ROUND_CONE
} RoundKind;

typedef struct RoundCore {
    RoundKind kind;
    double radius; /* m, of the ball, the capsule, the tube, the cylinder, the base of the cone */
    double length; /* m, along y; torus: radius of the circle about y */
    Vec3 center;   /* m, of the core in own axes; of a cone the middle of its axis */
} RoundCore;

/* Cylinders and cones: flat caps and sharp rims. */
static inline bool round_core_is_hull(const RoundCore *core) {
    return core->kind == ROUND_CYLINDER || core->kind == ROUND_CONE;
}

/* Adds the points of the core's local nearest approach to b, within `margin`; normals out of b
 * unless `flip`. */
void round_contact(const RoundCore *a, const Frame *at_a, const DistanceField *b, const Frame *at_b,
                   double margin, bool flip, ContactPoints *points);

#endif
