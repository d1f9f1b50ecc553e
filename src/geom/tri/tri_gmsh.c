/* Triangles of a Gmsh .msh file, in the plane. */
#include "geom/mesh/mesh_gmsh.h"
#include "geom/tri/tri_build.h"

static PlimStatus check_plane(PlimContext *context, const GmshFile *file) {
    const Vec3 *p = file->points.data;
    const int64_t *tags = file->tags.data;
    size_t off = tri_first_off_plane(p, file->points.count);
    if (off == file->points.count) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT,
                        "the .msh file: node %lld is at z = %g and node %lld at z = %g: triangles "
                        "of the plane need one z",
                        (long long)tags[off], p[off].z, (long long)tags[0], p[0].z);
}

static PlimStatus add_all(const GmshFile *file, TriBuild *build) {
    size_t points = file->points.count, triangles = file->elements.count;
    if (!array_reserve(build->context, &build->points, points) ||
        !array_reserve(build->context, &build->triangles, triangles))
        return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < points; i++)
        build->points.data[i] = vec3(file->points.data[i].x, file->points.data[i].y, 0.0);
    build->points.count = points;
    for (size_t i = 0; i < triangles; i++) {
        const int32_t *v = file->elements.data[i].v;
        build->triangles.data[i] = (TriCorners){{v[0], v[1], v[2]}};
        tri_turn(build->points.data, build->triangles.data[i].v);
    }
    build->triangles.count = triangles;
    return PLIM_OK;
}

PlimStatus tri_mesh_parse_gmsh(PlimContext *context, const char *text, size_t size,
                               TriangleMesh *out) {
    *out = (TriangleMesh){0};
    GmshFile file;
    TriBuild build = {.context = context};
    PlimStatus status = gmsh_read(context, text, size, &GMSH_TRIANGLES, &file);
    if (status == PLIM_OK) status = check_plane(context, &file);
    if (status == PLIM_OK) status = add_all(&file, &build);
    if (status == PLIM_OK) status = tri_build_finish(&build, out);
    tri_build_free(&build);
    gmsh_free(context, &file);
    return status;
}
