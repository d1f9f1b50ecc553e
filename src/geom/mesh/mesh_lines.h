/* Line-oriented mesh files, an item a line: start the line, scan its numbers, end it. What stands
 * behind the numbers is left out. */
#ifndef GEOM_MESH_LINES_H
#define GEOM_MESH_LINES_H

#include "geom/mesh/mesh_scan.h"
#include "math/vec.h"

/* To the first word of this line or the next that has one; '#' starts a comment. False at the end.
 */
bool line_start(MeshScan *scan);
static inline void line_end(MeshScan *scan) {
    scan_to_line_end(scan);
}

/* The next number of the line, or PLIM_BAD_INPUT and a message that `what` was expected. */
PlimStatus line_integer(MeshScan *scan, const char *what, int64_t *value);

/* Three coordinates of the line. */
PlimStatus line_point(MeshScan *scan, Vec3 *point);

/* "LABEL line N: ...", PLIM_BAD_INPUT. */
PlimStatus line_fail(const MeshScan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Refuses a count that the bytes left cannot hold, at `least` bytes for each of the items. */
PlimStatus line_check_count(const MeshScan *scan, int64_t count, size_t least, const char *items);

#endif
