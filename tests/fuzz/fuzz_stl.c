/* Any bytes as STL: refused with a reason, or a mesh that holds together. */
#include "mesh_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_mesh(mesh_parse_stl, data, size);
}
