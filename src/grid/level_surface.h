/* Surface extraction from a level set, to look at: triangles of third order in the spacing. */
#ifndef GRID_LEVEL_SURFACE_H
#define GRID_LEVEL_SURFACE_H

#include "geom/mesh/mesh.h"
#include "grid/field.h"

/* The zero set of `phi` (at cells or nodes, halo of 2 filled, m, negative inside), closed along the
 * sides of the domain; three dimensions. Where `solid` (at nodes, compact, positive outside; NULL:
 * none) is more than `depth` (m) inside, there is no liquid, so that water in front of a wall ends
 * within it. The vertices are on the surface to third order, to second within two cells of sides
 * that are not periodic. Drops and sheets that no corner of a cell is inside of are not seen.
 * Manifold. */
PlimStatus level_surface_extract(PlimContext *context, const GridField *phi, const double *solid,
                                 double depth, TriangleMesh *out);

#endif
