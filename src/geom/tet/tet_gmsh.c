/* Tetrahedra of a Gmsh .msh file. */
#include "geom/mesh/mesh_gmsh.h"
#include "geom/tet/tet_build.h"

static PlimStatus add_all(const GmshFile *file, TetBuild *build) {
    if (!array_reserve(build->context, &build->points, file->points.count))
        return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < file->points.count; i++) build->points.data[i] = file->points.data[i];
    build->points.count = file->points.count;
    for (size_t i = 0; i < file->elements.count; i++) {
        const int32_t *v = file->elements.data[i].v;
        TRY(tet_build_add(build, (TetCorners){{v[0], v[1], v[2], v[3]}}));
    }
    return PLIM_OK;
}

PlimStatus tet_mesh_parse_gmsh(PlimContext *context, const char *text, size_t size, TetMesh *out) {
    *out = (TetMesh){0};
    GmshFile file;
    TetBuild build = {.context = context};
    PlimStatus status = gmsh_read(context, text, size, &GMSH_TETRAHEDRA, &file);
    if (status == PLIM_OK) status = add_all(&file, &build);
    if (status == PLIM_OK) status = tet_build_finish(&build, out);
    tet_build_free(&build);
    gmsh_free(context, &file);
    return status;
}
