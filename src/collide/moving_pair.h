/* Two moving elements as their Minkowski difference: they touch when the hull of the differences of
 * their corners, a segment, triangle or parallelogram, contains the origin. Differences are rounded
 * relative to themselves, so that nothing depends on how far from the origin the elements are. */
#ifndef COLLIDE_MOVING_PAIR_H
#define COLLIDE_MOVING_PAIR_H

#include "collide/moving.h"

typedef struct MovingPair {
    int count;             /* of differences: 2, 3, or 4: a0-b0, a1-b0, a0-b1, a1-b1 */
    Vec3 start[4], end[4]; /* differences at t = 0 and 1 */
    Vec3 side0[2],
        side1[2];       /* two sides of the hull at t = 0 and 1; in the plane one and the z axis */
    double reach;       /* the largest component of a difference */
    double coplanar[4]; /* the cubic's coefficients of Bernstein: zero volume of sides and origin */
    double coplanar_error; /* bound on theirs, and that of parts of the cubic */
} MovingPair;

typedef struct MovingTouch {
    double t;
    double weights[4]; /* of the differences: the point of the hull next to the origin */
    Vec3 gap;          /* that point */
} MovingTouch;

/* They may touch, at `touch`, as early as can be said; false is certain. */
bool moving_search(const MovingPair *pair, MovingTouch *touch);

/* The point of the hull at time touch->t next to the origin. */
void moving_closest(const MovingPair *pair, MovingTouch *touch);

/* See MovingHit. */
Vec3 moving_normal(const MovingPair *pair, const MovingTouch *touch);

static inline Vec3 moving_at(Vec3 start, Vec3 end, double t) {
    double s = 1.0 - t;
    return vec3(s * start.x + t * end.x, s * start.y + t * end.y, s * start.z + t * end.z);
}

#endif
