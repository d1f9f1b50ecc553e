/* Isosurface extraction: a closed, oriented triangle surface of the zero set of a field on grid
 * nodes. */
#ifndef GEOM_ISOSURFACE_H
#define GEOM_ISOSURFACE_H

#include "geom/level_set/node_grid.h"
#include "geom/mesh/mesh.h"

/* `values` at the nodes, negative inside; exact zeros count as outside. Where the surface would
 * leave the grid it is closed along the grid's boundary, within 2e-6 spacings of it. `carried` may
 * be NULL; else `width` values a node that are interpolated to the vertices into *carried_out
 * (context_free with vertex_count * width doubles). Manifold: every edge is in exactly two
 * triangles, for any input. */
PlimStatus isosurface_extract(PlimContext *context, const NodeGrid *grid, const double *values,
                              const double *carried, int width, TriangleMesh *out,
                              double **carried_out);

#endif
