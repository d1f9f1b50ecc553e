/* Polygon triangulation. */
#ifndef GEOM_MESH_POLYGON_H
#define GEOM_MESH_POLYGON_H

#include "math/vec.h"

#include <stddef.h>
#include <stdint.h>

/* Writes count - 2 triangles that cover the polygon and have its orientation. A fan about the first
 * corner where that is right (convex), else ears are cut off one after another. What is not a
 * simple polygon ends as a fan. `links` is room for 2 count numbers. */
void polygon_cut(const Vec3 *vertices, const int32_t *corners, size_t count, int32_t *links,
                 int32_t (*out)[3]);

#endif
