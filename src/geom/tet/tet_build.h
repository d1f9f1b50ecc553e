/* Building of tetrahedral meshes: what its makers in this folder share. */
#ifndef GEOM_TET_BUILD_H
#define GEOM_TET_BUILD_H

#include "base/array.h"
#include "geom/mesh/mesh_scan.h"
#include "geom/tet/tet_mesh.h"

typedef struct TetCorners {
    int32_t v[4];
} TetCorners;

typedef struct TetBuild {
    PlimContext *context;
    ARRAY(Vec3) points;
    ARRAY(TetCorners) tets;
} TetBuild;

/* The tetrahedra, and the points that they use in the order they have. Frees nothing. */
PlimStatus tet_build_finish(const TetBuild *build, TetMesh *out);
void tet_build_free(TetBuild *build);

/* The readers take an item from each line: start the line, scan its numbers, end it. What stands
 * behind the numbers is left out. */

/* To the first word of this line or the next that has one; '#' starts a comment. False at the end.
 */
bool tet_start_line(MeshScan *scan);
static inline void tet_end_line(MeshScan *scan) {
    scan_to_line_end(scan);
}

/* The next number of the line, or PLIM_BAD_INPUT and a message that `what` was expected. */
PlimStatus tet_scan_integer(MeshScan *scan, const char *what, int64_t *value);

/* "LABEL line N: ...", PLIM_BAD_INPUT. */
PlimStatus tet_scan_fail(const MeshScan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Refuses a count that the bytes left cannot hold, at `least` bytes for each of the items. */
PlimStatus tet_check_count(const MeshScan *scan, int64_t count, size_t least, const char *items);

/* Adds three coordinates of the line as a point. */
PlimStatus tet_scan_point(MeshScan *scan, TetBuild *build);

/* Adds a tetrahedron whose corners index the points; the last two change places when its volume is
 * negative. Refused when a corner stands twice. */
PlimStatus tet_add_read(const MeshScan *scan, TetBuild *build, TetCorners corners);

#endif
