/* Building of tetrahedral meshes from what was read or made. */
#include "geom/tet/tet_build.h"

PlimStatus tet_build_finish(const TetBuild *build, TetMesh *out) {
    size_t points = build->points.count, used = 0;
    int32_t *place = context_allocate(build->context, points, sizeof *place);
    if (!place) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < build->tets.count; i++)
        for (int k = 0; k < 4; k++) place[build->tets.data[i].v[k]] = 1;
    for (size_t i = 0; i < points; i++)
        if (place[i]) place[i] = (int32_t)++used;
    PlimStatus status = tet_mesh_allocate(build->context, out, used, build->tets.count);
    if (status == PLIM_OK) {
        for (size_t i = 0; i < points; i++)
            if (place[i]) out->vertices[place[i] - 1] = build->points.data[i];
        for (size_t i = 0; i < build->tets.count; i++)
            for (int k = 0; k < 4; k++) out->tets[i][k] = place[build->tets.data[i].v[k]] - 1;
    }
    context_free(build->context, place, points, sizeof *place);
    return status;
}

void tet_build_free(TetBuild *build) {
    array_free(build->context, &build->points);
    array_free(build->context, &build->tets);
}

PlimStatus tet_build_add(TetBuild *build, TetCorners corners) {
    int32_t *v = corners.v;
    const Vec3 *p = build->points.data;
    /* In this form the volume changes its sign exactly when the last two corners are exchanged, so
     * a tet too flat for its sign to be right is turned at most once, here or when it is read
     * again. */
    Vec3 a = vec3_sub(p[v[1]], p[v[0]]), b = vec3_sub(p[v[2]], p[v[0]]);
    if (vec3_dot(a, vec3_cross(b, vec3_sub(p[v[3]], p[v[0]]))) < 0.0) {
        int32_t last = v[3];
        v[3] = v[2];
        v[2] = last;
    }
    return array_push(build->context, &build->tets, corners) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}
