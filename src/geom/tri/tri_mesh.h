/* Triangle meshes that fill a region of the plane z = 0: bodies of plane elasticity. Each is a
 * TriangleMesh whose vertices have z = 0 and whose triangles run counter-clockwise (x to the right,
 * y up), so that their areas are positive. */
#ifndef GEOM_TRI_MESH_H
#define GEOM_TRI_MESH_H

#include "geom/mesh/mesh.h"
#include "geom/mesh/segment_mesh.h"
#include "geom/query/box.h"

/* How the cells of a block are cut. */
typedef enum TriPattern {
    TRI_CROSSWISE,    /* into four by both diagonals, which meet in a vertex at the cell's centre */
    TRI_HERRING_BONE, /* into two, the diagonals alternating like a chessboard */
    TRI_ONE_WAY,      /* into two, every diagonal from the lower left to the upper right */
    TRI_MIRRORED      /* into two, the diagonals of each row mirror those of the row below */
} TriPattern;

/* A block of nx x ny cells, centred on the origin. Vertices: the lattice's nodes row by row from
 * the lower left, node (i, j) at i + j (nx + 1); with TRI_CROSSWISE the centres follow, that of
 * cell (i, j) at (nx + 1) (ny + 1) + i + j nx. Triangles stand cell by cell in the same order. */
PlimStatus tri_mesh_block(PlimContext *context, const double size[2], const int cells[2],
                          TriPattern pattern, TriangleMesh *out);

/* A block whose inner nodes are moved at random, by up to 0.3 of a cell along each axis, from a
 * seed; those of the outline stay. Each cell is cut by the diagonal that leaves the larger least
 * angle. Numbers of vertices and triangles as those of TRI_ONE_WAY. */
PlimStatus tri_mesh_irregular(PlimContext *context, const double size[2], const int cells[2],
                              uint64_t seed, TriangleMesh *out);

/* Fills the zero set's inside with triangles on a lattice of equilateral ones of the given spacing,
 * by isosurface stuffing in the plane (Labelle and Shewchuk 2007). `sample` gives the signed
 * distance, negative inside; it is asked at z = 0 and in the box only, whose z does not count, and
 * what is inside ends there. Vertices of the outline lie on the zero set. All angles are above 17
 * degrees for any field; sharp corners are cut by up to a spacing, and parts thinner than about one
 * are lost. PLIM_BAD_INPUT when nothing is inside, PLIM_FAILED when a distance is not a number. */
PlimStatus tri_mesh_stuff(PlimContext *context, Box3 box, double spacing,
                          double (*sample)(void *user, Vec3 p), void *user, TriangleMesh *out);

/* Parses Gmsh .msh (2.2 and 4.1, ascii), triangles with three nodes. The z of all nodes has to be
 * the same, and becomes 0. Nodes that no triangle uses are left out; a triangle of negative area is
 * turned; flat ones stay (see TriQuality). */
PlimStatus tri_mesh_parse_gmsh(PlimContext *context, const char *text, size_t size,
                               TriangleMesh *out);

/* Makes a mesh of this kind of one that was read from an OBJ, PLY or STL file: the z of all
 * vertices has to be the same (to a billionth of the mesh's size), and becomes 0; triangles of
 * negative area are turned. PLIM_BAD_INPUT, the mesh unchanged, when a vertex lies elsewhere. */
PlimStatus tri_mesh_flatten(PlimContext *context, TriangleMesh *mesh);

typedef struct TriQuality {
    double area;                        /* m^2, sum over all */
    size_t inverted;                    /* triangles of no or negative area */
    double least_angle, greatest_angle; /* degrees */
} TriQuality;

TriQuality tri_mesh_quality(const TriangleMesh *mesh);

/* The outline: edges that belong to one triangle, the inside to their left, as pairs of the mesh's
 * vertices, ordered by the lower one. Free it with
 * context_free(context, edges, count, sizeof *edges). */
PlimStatus tri_mesh_outline_edges(PlimContext *context, const TriangleMesh *mesh,
                                  int32_t (**edges)[2], size_t *count);

/* The same edges in the same order, on copies of those of the mesh's vertices that they use, in the
 * mesh's order. Loops may touch at a vertex where triangles do. */
PlimStatus tri_mesh_outline(PlimContext *context, const TriangleMesh *mesh, SegmentMesh *out);

#endif
