/* Closed triangle meshes of simple solids, centred on the origin, y along the axis of revolution. */
#ifndef GEOM_PRIMITIVES_H
#define GEOM_PRIMITIVES_H

#include "geom/mesh.h"

/* Full edge lengths `size`; 12 triangles. */
PlimStatus primitive_box(PlimContext *context, Vec3 size, TriangleMesh *out);

/* An icosahedron split `subdivisions` times (0..7), vertices on the sphere. */
PlimStatus primitive_ball(PlimContext *context, double radius, int subdivisions,
                          TriangleMesh *out);

/* `segments` (3 or more) around, flat caps with a centre vertex each. */
PlimStatus primitive_cylinder(PlimContext *context, double radius, double height, int segments,
                              TriangleMesh *out);

/* A cylinder of length `height` between two half balls; total length height + 2 radius. `rings`
 * (1 or more) latitude bands in each half ball. */
PlimStatus primitive_capsule(PlimContext *context, double radius, double height, int segments,
                             int rings, TriangleMesh *out);

/* `major` from the centre to the tube's middle, `minor` the tube's radius; the hole along y.
 * segments x sides quads, two triangles each. */
PlimStatus primitive_torus(PlimContext *context, double major, double minor, int segments,
                           int sides, TriangleMesh *out);

#endif
