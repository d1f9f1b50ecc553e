/* Line-oriented mesh files: numbers, checks, messages. */
#include "geom/mesh/mesh_lines.h"

#include <stdarg.h>
#include <stdio.h>

bool line_start(MeshScan *scan) {
    for (scan_space(scan); scan->at < scan->end && *scan->at == '#'; scan_space(scan))
        scan_to_line_end(scan);
    return scan->at < scan->end;
}

PlimStatus line_integer(MeshScan *scan, const char *what, int64_t *value) {
    scan_blanks(scan);
    const char *start = scan->at;
    if (scan_integer(scan, value) && (scan->at == scan->end || scan_ends_word(*scan->at)))
        return PLIM_OK;
    scan->at = start;
    return scan_fail_expected(scan, what);
}

PlimStatus line_point(MeshScan *scan, Vec3 *point) {
    const double greatest = 1e100; /* m: the volume of a tet of this size is still a number */
    double p[3];
    for (int a = 0; a < 3; a++) {
        scan_blanks(scan);
        if (!scan_double(scan, &p[a])) return scan_fail_expected(scan, "a coordinate");
        if (fabs(p[a]) > greatest)
            return line_fail(scan, "the coordinate %g is beyond what volumes can hold", p[a]);
    }
    *point = vec3_load(p);
    return PLIM_OK;
}

PlimStatus line_fail(const MeshScan *scan, const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return context_fail(scan->context, PLIM_BAD_INPUT, "%s line %zu: %s", scan->label, scan->line,
                        what);
}

PlimStatus line_check_count(const MeshScan *scan, int64_t count, size_t least, const char *items) {
    size_t left = (size_t)(scan->end - scan->at);
    if (count >= 0 && count <= INT32_MAX && (size_t)count <= left / least) return PLIM_OK;
    return line_fail(scan, "%lld %s cannot stand in the %zu bytes that follow", (long long)count,
                     items, left);
}
