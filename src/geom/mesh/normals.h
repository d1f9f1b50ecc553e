/* Shading normals at the corners of triangles. */
#ifndef GEOM_NORMALS_H
#define GEOM_NORMALS_H

#include "base/context.h"

/* All triangles have an area. `normals` gets 9 values a triangle: a unit normal for each corner. */
void normals_flat(const float *vertices, const uint32_t *triangles, size_t triangle_count,
                  float *normals);

/* Around each vertex, faces joined by edges that bend less than 40 degrees share one normal, the
 * mean of theirs weighted so that it is exact on a sphere: a ball is smooth, the rim of a cylinder
 * stays sharp. Where they cancel, it is zero. */
PlimStatus normals_smooth(PlimContext *context, const float *vertices, size_t vertex_count,
                          const uint32_t *triangles, size_t triangle_count, float *normals);

#endif
