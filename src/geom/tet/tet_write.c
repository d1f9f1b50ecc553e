/* Gmsh files of tetrahedral meshes, written. */
#include "geom/tet/tet_mesh.h"

void tet_mesh_write_gmsh(const TetMesh *mesh, Text *out) {
    enum { TETRAHEDRON = 4 }; /* Gmsh's number of the element type */
    text_add(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", mesh->vertex_count);
    for (size_t i = 0; i < mesh->vertex_count; i++)
        text_add(out, "%zu %.17g %.17g %.17g\n", i + 1, mesh->vertices[i].x, mesh->vertices[i].y,
                 mesh->vertices[i].z);
    text_add(out, "$EndNodes\n$Elements\n%zu\n", mesh->tet_count);
    for (size_t i = 0; i < mesh->tet_count; i++) {
        const int32_t *t = mesh->tets[i];
        text_add(out, "%zu %d 2 0 0 %d %d %d %d\n", i + 1, TETRAHEDRON, t[0] + 1, t[1] + 1,
                 t[2] + 1, t[3] + 1);
    }
    text_add(out, "$EndElements\n");
}
