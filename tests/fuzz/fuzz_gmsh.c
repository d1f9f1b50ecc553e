/* Any bytes as a .msh file. */
#include "tet_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = copy_bytes(data, size);
    PlimContext *context = open_context();
    TetMesh mesh;
    PlimStatus status = tet_mesh_parse_gmsh(context, text, size, &mesh);
    check_outcome(context, status, &mesh, size);
    free(text);
    return 0;
}
