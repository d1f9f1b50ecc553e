/* Continuous collision detection of moving points, edges and triangles (000 section 3.2.3; 003
 * section 3.2): conservative, on plain values. A touch is never overlooked, whatever rounding does;
 * near misses within rounding of one may be reported. */
#ifndef COLLIDE_MOVING_H
#define COLLIDE_MOVING_H

#include "math/vec.h"

#include <stdbool.h>

/* Corners move on straight lines from x0 to x1 while t goes from 0 to 1. */
typedef struct MovingHit {
    double t; /* about when they first touch, 0 to 1 */
    /* point-triangle: 1, -wa, -wb, -wc; edge-edge: 1-s, s, -(1-r), -r; point-segment: 1, -wa, -wb,
     * 0. The sum of weights[i] x_i(t) is about zero. */
    double weights[4];
    /* Unit vector along which they must be kept apart. The sum of weights[i] x0_i along it is
     * positive; if that cannot be told, as they touch from the start, the relative velocity along
     * it is negative. */
    Vec3 normal;
} MovingHit;

/* True: they may touch at some t in [0, 1], ends included. False: they do not, in exact arithmetic
 * on the given numbers, or no corner moves at all. */
bool moving_point_triangle(const Vec3 x0[4], const Vec3 x1[4], MovingHit *hit); /* point, a, b, c */
bool moving_edge_edge(const Vec3 x0[4], const Vec3 x1[4], MovingHit *hit);      /* 0-1 and 2-3 */
bool moving_point_segment(const Vec3 x0[3], const Vec3 x1[3], MovingHit *hit);  /* z is ignored */

#endif
