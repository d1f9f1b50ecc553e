/* Mesh building: polygons triangulated, arrays trimmed. */
#include "geom/mesh/mesh_builder.h"

#include "geom/mesh/mesh_polygon.h"

PlimStatus builder_add_face(MeshBuilder *builder) {
    size_t corners = builder->corners.count, first = builder->triangles.count;
    const int32_t *corner = builder->corners.data;
    if (corners > INT32_MAX || first + corners > INT32_MAX)
        return context_fail(builder->context, PLIM_BAD_INPUT,
                            "%s is too large: a mesh has at most %d triangles", builder->label,
                            INT32_MAX);
    if (!array_reserve(builder->context, &builder->triangles, corners - 2))
        return PLIM_OUT_OF_MEMORY;
    for (size_t i = 1; i + 1 < corners; i++) {
        int32_t *triangle = builder->triangles.data[builder->triangles.count++];
        triangle[0] = corner[0];
        triangle[1] = corner[i];
        triangle[2] = corner[i + 1];
    }
    builder->corners.count = 0;
    BuilderPolygon polygon = {first, corners};
    if (corners > 3 && !array_push(builder->context, &builder->polygons, polygon))
        return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

/* Cuts anew, over the fan that stands in its place. */
static PlimStatus cut_polygons(MeshBuilder *builder) {
    size_t most = 0;
    for (size_t i = 0; i < builder->polygons.count; i++)
        if (builder->polygons.data[i].corners > most) most = builder->polygons.data[i].corners;
    builder->corners.count = 0;
    if (!array_reserve(builder->context, &builder->corners, 3 * most)) return PLIM_OUT_OF_MEMORY;
    int32_t *corners = builder->corners.data;
    for (size_t i = 0; i < builder->polygons.count; i++) {
        BuilderPolygon polygon = builder->polygons.data[i];
        Triangle *fan = builder->triangles.data + polygon.first_triangle;
        corners[0] = fan[0][0];
        for (size_t k = 1; k + 1 < polygon.corners; k++) corners[k] = fan[k - 1][1];
        corners[polygon.corners - 1] = fan[polygon.corners - 3][2];
        polygon_cut(builder->vertices.data, corners, polygon.corners, corners + most, fan);
    }
    return PLIM_OK;
}

/* A mesh's arrays are exactly as long as its counts say. */
static PlimStatus trim(MeshBuilder *builder) {
    PlimContext *context = builder->context;
    void *vertices = context_resize(context, builder->vertices.data, builder->vertices.capacity,
                                    builder->vertices.count, sizeof(Vec3));
    if (!vertices) return PLIM_OUT_OF_MEMORY;
    builder->vertices.data = vertices;
    builder->vertices.capacity = builder->vertices.count;
    void *triangles = context_resize(context, builder->triangles.data, builder->triangles.capacity,
                                     builder->triangles.count, sizeof(Triangle));
    if (!triangles) return PLIM_OUT_OF_MEMORY;
    builder->triangles.data = triangles;
    builder->triangles.capacity = builder->triangles.count;
    return PLIM_OK;
}

PlimStatus builder_finish(MeshBuilder *builder, TriangleMesh *out) {
    *out = (TriangleMesh){0};
    if (builder->triangles.count == 0 || builder->vertices.count == 0)
        return context_fail(builder->context, PLIM_BAD_INPUT,
                            "%s: there is no face in it: a mesh needs at least one",
                            builder->label);
    TRY(cut_polygons(builder));
    TRY(trim(builder));
    *out = (TriangleMesh){builder->vertices.data, builder->vertices.count, builder->triangles.data,
                          builder->triangles.count};
    builder->vertices.data = NULL;
    builder->triangles.data = NULL;
    return PLIM_OK;
}

void builder_free(MeshBuilder *builder) {
    array_free(builder->context, &builder->vertices);
    array_free(builder->context, &builder->triangles);
    array_free(builder->context, &builder->polygons);
    array_free(builder->context, &builder->corners);
}
