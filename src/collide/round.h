/* Contact of sphere-swept shapes: round shapes are a point, a segment or a circle and all that is
 * within a radius of it. Their contact with a distance field is exact and smooth: the points of the
 * core nearest to the other surface, less the radius. A ball made of triangles would roll like a
 * die. */
#ifndef COLLIDE_ROUND_H
#define COLLIDE_ROUND_H

#include "collide/sample.h"

typedef enum RoundKind { ROUND_NONE, ROUND_BALL, ROUND_CAPSULE, ROUND_TORUS } RoundKind;

typedef struct RoundCore {
    RoundKind kind;
    double radius; /* m, of the ball, the capsule, the tube */
    double length; /* m; capsule: of the segment along y; torus: radius of the circle about y */
    Vec3 center;   /* m, of the core in own axes */
} RoundCore;

/* Adds the points of the core's local nearest approach to b, within `margin`; normals out of b
 * unless `flip`. */
void round_contact(const RoundCore *a, const Frame *at_a, const DistanceField *b, const Frame *at_b,
                   double margin, bool flip, ContactPoints *points);

#endif
