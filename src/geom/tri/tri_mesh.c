/* Triangle meshes of the plane: quality, outline, flattening. */
#include "geom/tri/tri_mesh.h"

#include "geom/mesh/mesh_topology.h"
#include "geom/tri/tri_build.h"

TriQuality tri_mesh_quality(const TriangleMesh *mesh) {
    const double degrees = 180.0 / 3.14159265358979323846;
    TriQuality quality = {.least_angle = mesh->triangle_count > 0 ? HUGE_VAL : 0.0};
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangles[i];
        Vec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
        double least, greatest, area = 0.5 * tri_area_twice(a, b, c);
        tri_angles(a, b, c, &least, &greatest);
        quality.area += area;
        quality.inverted += !(area > 0.0);
        quality.least_angle = fmin(quality.least_angle, degrees * least);
        quality.greatest_angle = fmax(quality.greatest_angle, degrees * greatest);
    }
    return quality;
}

PlimStatus tri_mesh_flatten(PlimContext *context, TriangleMesh *mesh) {
    TRY(mesh_check(context, mesh));
    Vec3 *p = mesh->vertices;
    size_t off = tri_first_off_plane(p, mesh->vertex_count);
    if (off < mesh->vertex_count)
        return context_fail(context, PLIM_BAD_INPUT,
                            "vertex %zu is at z = %g and vertex 0 at z = %g: triangles of the "
                            "plane need one z",
                            off, p[off].z, p[0].z);
    for (size_t i = 0; i < mesh->vertex_count; i++) p[i].z = 0.0;
    for (size_t i = 0; i < mesh->triangle_count; i++) tri_turn(p, mesh->triangles[i]);
    return PLIM_OK;
}

PlimStatus tri_mesh_outline_edges(PlimContext *context, const TriangleMesh *mesh,
                                  int32_t (**edges)[2], size_t *count) {
    *edges = NULL;
    *count = 0;
    SideList sides;
    TRY(side_list_create(context, mesh, &sides));
    size_t made = 0, end;
    for (size_t begin = 0; begin < sides.count; begin = end) {
        end = side_run_end(&sides, begin);
        made += end - begin == 1;
    }
    int32_t(*list)[2] = context_allocate(context, made, sizeof *list);
    if (list) {
        *edges = list;
        *count = made;
        made = 0;
        for (size_t begin = 0; begin < sides.count; begin = end) {
            end = side_run_end(&sides, begin);
            if (end - begin > 1) continue;
            const int32_t *t = mesh->triangles[side_triangle(sides.items[begin])];
            int side = side_number(sides.items[begin]);
            list[made][0] = t[side];
            list[made][1] = t[(side + 1) % 3];
            made++;
        }
    }
    side_list_free(context, &sides);
    return list ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* place[i]: the number of vertex i on the outline. */
static PlimStatus fill_outline(PlimContext *context, const TriangleMesh *mesh, int32_t (*edges)[2],
                               size_t count, int32_t *place, SegmentMesh *out) {
    size_t used = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) place[i] = -1;
    for (size_t i = 0; i < count; i++) place[edges[i][0]] = place[edges[i][1]] = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (place[i] == 0) place[i] = (int32_t)used++;
    TRY(segment_mesh_allocate(context, out, used, count));
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (place[i] >= 0) out->vertices[place[i]] = mesh->vertices[i];
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) out->segments[i][k] = place[edges[i][k]];
    return PLIM_OK;
}

PlimStatus tri_mesh_outline(PlimContext *context, const TriangleMesh *mesh, SegmentMesh *out) {
    *out = (SegmentMesh){0};
    int32_t(*edges)[2];
    size_t count;
    TRY(tri_mesh_outline_edges(context, mesh, &edges, &count));
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    int32_t *place = context_allocate(context, mesh->vertex_count, sizeof *place);
    if (place) status = fill_outline(context, mesh, edges, count, place, out);
    context_free(context, place, mesh->vertex_count, sizeof *place);
    context_free(context, edges, count, sizeof *edges);
    return status;
}
