/* Mesh file formats by the ending of the name. */
#include "geom/mesh/mesh_file.h"

#include "base/file.h"

#include <string.h>

typedef PlimStatus (*MeshParser)(PlimContext *, const char *, const char *, size_t, TriangleMesh *);

/* Letter case aside. */
static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    if (length <= tail) return false;
    for (size_t i = 0; i < tail; i++) {
        char c = path[length - tail + i];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != ending[i]) return false;
    }
    return true;
}

static MeshParser parser_for(const char *path) {
    if (ends_with(path, ".obj")) return mesh_parse_obj;
    if (ends_with(path, ".ply")) return mesh_parse_ply;
    if (ends_with(path, ".stl")) return mesh_parse_stl;
#ifdef PLIM_ASSIMP
    static const char *const others[] = {".off", ".dae", ".glb", ".gltf", ".fbx", ".3ds", ".x3d"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ends_with(path, others[i])) return mesh_parse_assimp;
#endif
    return NULL;
}

bool mesh_is_readable_name(const char *path) {
    return parser_for(path) != NULL;
}

/* With a byte more than `size`; context_free(bytes, size + 1, 1). */
static PlimStatus read_bytes(PlimContext *context, const char *path, char **bytes, size_t *size) {
    PlimStatus status = file_read(context, path, bytes, size);
    return status == PLIM_IO_ERROR ? PLIM_BAD_INPUT : status; /* the path was wrong, not the disk */
}

PlimStatus mesh_read(PlimContext *context, const char *path, TriangleMesh *out) {
    *out = (TriangleMesh){0};
    MeshParser parse = parser_for(path);
    if (!parse)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%s: meshes are read from files ending in .obj, .ply or .stl", path);
    char *bytes;
    size_t size;
    TRY(read_bytes(context, path, &bytes, &size));
    PlimStatus status = parse(context, path, bytes, size, out);
    context_free(context, bytes, size + 1, 1);
    return status;
}

PlimStatus mesh_read_group(PlimContext *context, const char *path, const char *name,
                           MeshGroup *out) {
    *out = (MeshGroup){0};
    if (!ends_with(path, ".obj"))
        return context_fail(context, PLIM_BAD_INPUT,
                            "%.200s has no groups: only those of files ending in .obj are read",
                            path);
    char *bytes;
    size_t size;
    TRY(read_bytes(context, path, &bytes, &size));
    PlimStatus status = mesh_parse_obj_group(context, path, bytes, size, name, out);
    context_free(context, bytes, size + 1, 1);
    return status;
}
