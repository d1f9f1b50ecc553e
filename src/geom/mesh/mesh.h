/* Triangle meshes: positions and index triples, counter-clockwise seen from outside. */
#ifndef GEOM_MESH_H
#define GEOM_MESH_H

#include "base/context.h"
#include "math/mat.h"

typedef struct TriangleMesh {
    Vec3 *vertices; /* m */
    size_t vertex_count;
    int32_t (*triangles)[3];
    size_t triangle_count;
} TriangleMesh;

/* Zero-filled arrays of the given sizes. */
PlimStatus mesh_allocate(PlimContext *context, TriangleMesh *mesh, size_t vertices,
                         size_t triangles);
void mesh_free(PlimContext *context, TriangleMesh *mesh);

void mesh_translate(TriangleMesh *mesh, Vec3 offset);
void mesh_bounds(const TriangleMesh *mesh, Vec3 *low, Vec3 *high);

/* The first thing wrong with it as text, or NULL: vertices that do not exist, places that are not
 * finite. For PLIM_ASSERT_VALID; what comes from a file goes through mesh_check, which says where.
 */
const char *mesh_problem(const TriangleMesh *mesh);

/* True when every edge is used exactly once in each direction: closed and consistently oriented. */
bool mesh_is_closed(PlimContext *context, const TriangleMesh *mesh);

#endif
