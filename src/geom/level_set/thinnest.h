/* How fine a grid must be for a surface. */
#ifndef GEOM_THINNEST_H
#define GEOM_THINNEST_H

#include "geom/query/bvh.h"

/* Its thinnest wall or narrowest gap, m; at most `longest`, the longest side of its box. The Bvh is
 * over the same mesh. */
double surface_thinnest(const TriangleMesh *mesh, const Bvh *bvh, double longest);

#endif
