#include "tet_info.h"

#include "base/file.h"
#include "geom/tet/tet_mesh.h"

#include <stdio.h>
#include <string.h>

static bool has_ending(const char *path, const char *ending) {
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ending) == 0;
}

bool tet_info_is_readable_name(const char *path) {
    return has_ending(path, ".msh") || has_ending(path, ".node") || has_ending(path, ".ele");
}

/* A path that cannot be read is a wrong request, not a failed run. */
static PlimStatus read_input(PlimContext *context, const char *path, char **bytes, size_t *size) {
    PlimStatus status = file_read(context, path, bytes, size);
    return status == PLIM_IO_ERROR ? PLIM_BAD_INPUT : status;
}

static PlimStatus read_gmsh(PlimContext *context, const char *path, TetMesh *out) {
    char *bytes;
    size_t size;
    TRY(read_input(context, path, &bytes, &size));
    PlimStatus status = tet_mesh_parse_gmsh(context, bytes, size, out);
    context_free(context, bytes, size + 1, 1);
    return status;
}

static PlimStatus read_tetgen(PlimContext *context, const char *path, TetMesh *out) {
    char node_path[PATH_CAPACITY], ele_path[PATH_CAPACITY], *nodes, *eles;
    int stem = (int)(strrchr(path, '.') - path);
    snprintf(node_path, sizeof node_path, "%.*s.node", stem, path);
    snprintf(ele_path, sizeof ele_path, "%.*s.ele", stem, path);
    size_t node_size, ele_size;
    TRY(read_input(context, node_path, &nodes, &node_size));
    PlimStatus status = read_input(context, ele_path, &eles, &ele_size);
    if (status == PLIM_OK) {
        status = tet_mesh_parse_tetgen(context, nodes, node_size, eles, ele_size, out);
        context_free(context, eles, ele_size + 1, 1);
    }
    context_free(context, nodes, node_size + 1, 1);
    return status;
}

PlimStatus tet_info_print(PlimContext *context, const char *path) {
    TetMesh mesh;
    TRY(has_ending(path, ".msh") ? read_gmsh(context, path, &mesh)
                                 : read_tetgen(context, path, &mesh));
    TetQuality quality = tet_mesh_quality(&mesh);
    printf("tets: %zu\nvertices: %zu\nvolume: %.17g m^3\ninverted: %zu\n", mesh.tet_count,
           mesh.vertex_count, quality.volume, quality.inverted);
    printf("dihedral angles: %.4g to %.4g degrees\n", quality.least_dihedral,
           quality.greatest_dihedral);
    tet_mesh_free(context, &mesh);
    return PLIM_OK;
}
