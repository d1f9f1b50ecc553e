/* Building of tetrahedral meshes while a file is read: numbers, checks, messages. */
#include "geom/tet/tet_build.h"

#include <stdarg.h>
#include <stdio.h>

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

bool tet_start_line(MeshScan *scan) {
    for (scan_space(scan); scan->at < scan->end && *scan->at == '#'; scan_space(scan))
        scan_to_line_end(scan);
    return scan->at < scan->end;
}

PlimStatus tet_scan_integer(MeshScan *scan, const char *what, int64_t *value) {
    scan_blanks(scan);
    const char *start = scan->at;
    if (scan_integer(scan, value) && (scan->at == scan->end || scan_ends_word(*scan->at)))
        return PLIM_OK;
    scan->at = start;
    return scan_fail_expected(scan, what);
}

PlimStatus tet_scan_fail(const MeshScan *scan, const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return context_fail(scan->context, PLIM_BAD_INPUT, "%s line %zu: %s", scan->label, scan->line,
                        what);
}

PlimStatus tet_check_count(const MeshScan *scan, int64_t count, size_t least, const char *items) {
    size_t left = (size_t)(scan->end - scan->at);
    if (count >= 0 && count <= INT32_MAX && (size_t)count <= left / least) return PLIM_OK;
    return tet_scan_fail(scan, "%lld %s cannot stand in the %zu bytes that follow",
                         (long long)count, items, left);
}

PlimStatus tet_scan_point(MeshScan *scan, TetBuild *build) {
    const double greatest = 1e100; /* m: the volume of a tet of this size is still a number */
    double p[3];
    for (int a = 0; a < 3; a++) {
        scan_blanks(scan);
        if (!scan_double(scan, &p[a])) return scan_fail_expected(scan, "a coordinate");
        if (fabs(p[a]) > greatest)
            return tet_scan_fail(scan, "the coordinate %g is beyond what volumes can hold", p[a]);
    }
    return array_push(build->context, &build->points, vec3_load(p)) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

PlimStatus tet_add_read(const MeshScan *scan, TetBuild *build, TetCorners corners) {
    int32_t *v = corners.v;
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++)
            if (v[a] == v[b]) return tet_scan_fail(scan, "a tetrahedron has a vertex twice");
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
