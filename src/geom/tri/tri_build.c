/* Building of triangle meshes of the plane from what was read or made. */
#include "geom/tri/tri_build.h"

PlimStatus tri_build_finish(const TriBuild *build, TriangleMesh *out) {
    size_t points = build->points.count, count = build->triangles.count, used = 0;
    int32_t *place = context_allocate(build->context, points, sizeof *place);
    if (!place) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) place[build->triangles.data[i].v[k]] = 1;
    for (size_t i = 0; i < points; i++)
        if (place[i]) place[i] = (int32_t)++used;
    PlimStatus status = mesh_allocate(build->context, out, used, count);
    if (status == PLIM_OK) {
        for (size_t i = 0; i < points; i++)
            if (place[i]) out->vertices[place[i] - 1] = build->points.data[i];
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                out->triangles[i][k] = place[build->triangles.data[i].v[k]] - 1;
    }
    context_free(build->context, place, points, sizeof *place);
    return status;
}

void tri_build_free(TriBuild *build) {
    array_free(build->context, &build->points);
    array_free(build->context, &build->triangles);
}

size_t tri_first_off_plane(const Vec3 *points, size_t count) {
    Box3 box = box3_empty();
    for (size_t i = 0; i < count; i++) box = box3_add_point(box, points[i]);
    double extent = fmax(box.high.x - box.low.x, box.high.y - box.low.y);
    for (size_t i = 1; i < count; i++)
        if (!(fabs(points[i].z - points[0].z) <= 1e-9 * extent)) return i;
    return count;
}

void tri_turn(const Vec3 *points, int32_t corners[3]) {
    if (!(tri_area_twice(points[corners[0]], points[corners[1]], points[corners[2]]) < 0.0)) return;
    int32_t last = corners[2];
    corners[2] = corners[1];
    corners[1] = last;
}

void tri_angles(Vec3 a, Vec3 b, Vec3 c, double *least, double *greatest) {
    const Vec3 p[3] = {a, b, c};
    double twice = fabs(tri_area_twice(a, b, c));
    *least = HUGE_VAL;
    *greatest = 0.0;
    for (int k = 0; k < 3; k++) {
        Vec3 to = vec3_sub(p[(k + 1) % 3], p[k]), from = vec3_sub(p[(k + 2) % 3], p[k]);
        double angle = atan2(twice, vec3_dot(to, from));
        *least = fmin(*least, angle);
        *greatest = fmax(*greatest, angle);
    }
}
