/* Any bytes as a .node and a .ele file, with a NUL between them. */
#include "tet_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t nodes = 0;
    while (nodes < size && data[nodes] != 0) nodes++;
    size_t skipped = nodes < size ? nodes + 1 : nodes;
    char *node_text = copy_bytes(data, nodes);
    char *ele_text = copy_bytes(data + skipped, size - skipped);
    PlimContext *context = open_context();
    TetMesh mesh;
    PlimStatus status =
        tet_mesh_parse_tetgen(context, node_text, nodes, ele_text, size - skipped, &mesh);
    check_outcome(context, status, &mesh, size);
    free(node_text);
    free(ele_text);
    return 0;
}
