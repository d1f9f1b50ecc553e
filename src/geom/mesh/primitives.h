/* Closed triangle meshes of simple solids, and an open sheet; the bounding box is centred on the
 * origin, y is along the axis of revolution. */
#ifndef GEOM_PRIMITIVES_H
#define GEOM_PRIMITIVES_H

#include "geom/mesh/mesh.h"

/* Full edge lengths `size`; 12 triangles. */
PlimStatus primitive_box(PlimContext *context, Vec3 size, TriangleMesh *out);

/* An icosahedron split `subdivisions` times (0..7), vertices on the sphere. */
PlimStatus primitive_ball(PlimContext *context, double radius, int subdivisions, TriangleMesh *out);

/* `segments` (3 or more) around, flat caps with a centre vertex each. */
PlimStatus primitive_cylinder(PlimContext *context, double radius, double height, int segments,
                              TriangleMesh *out);

/* A cylinder of length `height` between two half balls; total length height + 2 radius. `rings`
 * (1 or more) latitude bands in each half ball. */
PlimStatus primitive_capsule(PlimContext *context, double radius, double height, int segments,
                             int rings, TriangleMesh *out);

/* The apex at y = height / 2, the flat base, with a centre vertex, at -height / 2; the centre of
 * mass is at -height / 4. */
PlimStatus primitive_cone(PlimContext *context, double radius, double height, int segments,
                          TriangleMesh *out);

/* `major` from the centre to the tube's middle, `minor` the tube's radius; the hole along y.
 * segments x sides quads, two triangles each. */
PlimStatus primitive_torus(PlimContext *context, double major, double minor, int segments,
                           int sides, TriangleMesh *out);

/* An open rectangle in the plane y = 0, seen from above: quads_x times quads_z quads, each cut in
 * two, neighbours along opposite diagonals (the herring-bone pattern of 000 figure 3.1). Vertices
 * row by row: (i, j) at index j (quads_x + 1) + i, x growing with i, z with j. */
PlimStatus primitive_sheet(PlimContext *context, double size_x, double size_z, int quads_x,
                           int quads_z, TriangleMesh *out);

#endif
