/* Closest points on single triangles and segments, exact to rounding for any shape, zero-area and
 * zero-length ones included. */
#ifndef GEOM_CLOSEST_H
#define GEOM_CLOSEST_H

#include "math/vec.h"

/* The point of the triangle nearest to p; weights[3] are its barycentric coordinates. */
Vec3 closest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, double weights[3]);

/* The point of the segment nearest to p; *along is 0 at a and 1 at b. */
Vec3 closest_on_segment(Vec3 p, Vec3 a, Vec3 b, double *along);

#endif
