/* Closest points on single triangles and segments, exact to rounding for any shape, zero-area and
 * zero-length ones included. */
#ifndef GEOM_CLOSEST_H
#define GEOM_CLOSEST_H

#include "math/vec.h"

/* The point of the triangle nearest to p; weights[3] are its barycentric coordinates. */
Vec3 closest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, double weights[3]);

/* The point of the segment nearest to p; *along is 0 at a and 1 at b. */
Vec3 closest_on_segment(Vec3 p, Vec3 a, Vec3 b, double *along);

/* The point of segment a-b nearest to segment c-d, which is *other; *along is 0 at a, *across 0 at
 * c.
 */
Vec3 closest_between_segments(Vec3 a, Vec3 b, Vec3 c, Vec3 d, double *along, double *across,
                              Vec3 *other);

#endif
