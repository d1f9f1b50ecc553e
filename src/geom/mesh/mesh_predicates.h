/* Robust geometric predicates on triangles: what cannot be told from touching does not cross. / */
#ifndef GEOM_MESH_PREDICATES_H
#define GEOM_MESH_PREDICATES_H

#include "math/vec.h"

#include <stdbool.h>

/* Of no area: no corner further from the longest side than the coordinates are rounded. */
bool triangle_is_flat(Vec3 a, Vec3 b, Vec3 c);

/* Do the triangles pass through each other along a piece of a line? Touching, also along a face or
 * an edge, is not crossing. *place is the middle of that piece. */
bool triangles_cross(const Vec3 a[3], const Vec3 b[3], Vec3 *place);

#endif
