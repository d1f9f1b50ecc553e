/* Exact orientation predicates: on which side of a line or plane a point is, without rounding.
 * Floating point with an error bound answers nearly always; what is in doubt is summed exactly.
 * Differences of coordinates must be zero or between 1e-70 and 1e70, so that products of three
 * neither vanish nor overflow. */
#ifndef GEOM_ORIENT_H
#define GEOM_ORIENT_H

#include "math/vec.h"

/* The sign, -1, 0 or 1, of det(a - d, b - d, c - d): zero when the four points lie in a plane. */
int orient_space(Vec3 a, Vec3 b, Vec3 c, Vec3 d);

/* The sign of the area of the triangle a, b, c seen along an axis (2: in the x-y plane, positive
 * when counterclockwise): zero when the three lie on a line there. */
int orient_plane(Vec3 a, Vec3 b, Vec3 c, int axis);

#endif
