/* Tetrahedral meshes: positions and index quadruples of positive volume. */
#ifndef GEOM_TET_MESH_H
#define GEOM_TET_MESH_H

#include "base/text.h"
#include "geom/level_set/node_grid.h"
#include "geom/mesh/mesh.h"

typedef struct TetMesh {
    Vec3 *vertices; /* m */
    size_t vertex_count;
    int32_t (*tets)[4];
    size_t tet_count;
} TetMesh;

PlimStatus tet_mesh_allocate(PlimContext *context, TetMesh *mesh, size_t vertices, size_t tets);
void tet_mesh_free(PlimContext *context, TetMesh *mesh);

typedef struct TetQuality {
    double volume;         /* m^3, sum over all */
    size_t inverted;       /* tets of no or negative volume */
    double least_dihedral; /* degrees */
    double greatest_dihedral;
} TetQuality;

TetQuality tet_mesh_quality(const TetMesh *mesh);

/* The surface: faces that belong to one tet, pointing out, as triples of the mesh's vertices, in
 * the order of the tets. Pieces of it may touch along an edge where tets do. Free it with
 * context_free(context, faces, count, sizeof *faces). */
PlimStatus tet_mesh_surface_faces(PlimContext *context, const TetMesh *mesh, int32_t (**faces)[3],
                                  size_t *count);

/* The same faces in the same order, on copies of those of the mesh's vertices that they use, in the
 * mesh's order. */
PlimStatus tet_mesh_surface(PlimContext *context, const TetMesh *mesh, TriangleMesh *out);

/* Fills the zero set's inside with tetrahedra on a body-centred lattice of the given spacing, by
 * isosurface stuffing (Labelle and Shewchuk 2007). `sample` gives the signed distance, negative
 * inside; it is asked in the box only, and what is inside ends there. Dihedral angles between 10.7
 * and 164.8 degrees for any field; sharp edges are cut by up to a spacing, and parts thinner than
 * about one are lost. PLIM_BAD_INPUT when nothing is inside, PLIM_FAILED when a distance is not a
 * number. */
PlimStatus tet_mesh_stuff(PlimContext *context, Box3 box, double spacing,
                          double (*sample)(void *user, Vec3 p), void *user, TetMesh *out);

/* A block of nx x ny x nz cubes, five tets each, and a ball, centred on the origin. */
PlimStatus tet_mesh_block(PlimContext *context, Vec3 size, const int cells[3], TetMesh *out);
PlimStatus tet_mesh_ball(PlimContext *context, double radius, double spacing, TetMesh *out);

/* Parses TetGen's .node and .ele, and Gmsh .msh (2.2 and 4.1, ascii), tets with four nodes. Points
 * that no tet uses are left out; a tet of negative volume is turned; flat ones stay (see
 * TetQuality). */
PlimStatus tet_mesh_parse_tetgen(PlimContext *context, const char *node_text, size_t node_size,
                                 const char *ele_text, size_t ele_size, TetMesh *out);
PlimStatus tet_mesh_parse_gmsh(PlimContext *context, const char *text, size_t size, TetMesh *out);

/* Gmsh .msh 2.2, ascii, 17 digits. */
void tet_mesh_write_gmsh(const TetMesh *mesh, Text *out);

#endif
