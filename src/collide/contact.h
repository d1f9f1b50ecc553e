/* Narrow phase: where two shapes touch or are about to (000 section 2.4). Pure geometry of the
 * present moment: no velocities, no memory, nothing allocated, so that pairs can be looked at in
 * parallel. */
#ifndef COLLIDE_CONTACT_H
#define COLLIDE_CONTACT_H

#include "geom/query/box.h"
#include "math/mat.h"

#include <stddef.h>

/* Where a shape is: own axes to the world's. */
typedef struct Frame {
    Mat3 axes;   /* columns: the own axes in the world */
    Vec3 origin; /* m, of the own origin in the world */
} Frame;

static inline Vec3 frame_to_world(const Frame *frame, Vec3 own) {
    return vec3_add(frame->origin, mat3_apply(frame->axes, own));
}

static inline Vec3 frame_to_own(const Frame *frame, Vec3 world) {
    return mat3_apply_transpose(frame->axes, vec3_sub(world, frame->origin));
}

/* One point of two shapes a and b. */
typedef struct ContactPoint {
    Vec3 position; /* m, in the world, midway between both surfaces */
    Vec3 normal;   /* unit, out of b towards a */
    double gap;    /* m, from surface to surface along the normal; negative: they overlap */
    double radius; /* m, of the rounder surface there; HUGE_VAL where it is flat or not known */
} ContactPoint;

/* A pair has at most this many points: the deepest one and others spread far apart. */
enum { CONTACT_MOST_POINTS = 12 };

typedef struct ContactPoints {
    ContactPoint at[CONTACT_MOST_POINTS];
    size_t count;
} ContactPoints;

/* Adds a point; when the list is full, drops the one that says least: never the deepest, and of the
 * others the one nearest to its neighbours. The result depends on the order of the calls alone. */
void contact_points_add(ContactPoints *points, ContactPoint point);

#endif
