/* Any bytes as a .msh file, of tetrahedra and of triangles in the plane. */
#include "geom/tri/tri_mesh.h"
#include "tet_target.h"

static void read_triangles(const char *text, size_t size) {
    PlimContext *context = open_context();
    TriangleMesh mesh;
    SegmentMesh outline;
    PlimStatus status = tri_mesh_parse_gmsh(context, text, size, &mesh);
    require(plim_context_peak_bytes(context) <= 4096 + 64 * size);
    if (status == PLIM_OK) {
        require(mesh.triangle_count > 0 && mesh.vertex_count >= 3 && !mesh_problem(&mesh));
        require(tri_mesh_quality(&mesh).area >= 0.0);
        require(tri_mesh_outline(context, &mesh, &outline) == PLIM_OK);
        segment_mesh_free(context, &outline);
    } else {
        require(status == PLIM_BAD_INPUT && !mesh.vertices && !mesh.triangles);
        require(strstr(plim_message(context), "the .msh file"));
    }
    mesh_free(context, &mesh);
    require(plim_context_bytes(context) == 0);
    plim_context_destroy(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = copy_bytes(data, size);
    PlimContext *context = open_context();
    TetMesh mesh;
    PlimStatus status = tet_mesh_parse_gmsh(context, text, size, &mesh);
    check_outcome(context, status, &mesh, size);
    read_triangles(text, size);
    free(text);
    return 0;
}
