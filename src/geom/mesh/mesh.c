/* Triangle meshes: memory, bounds, closedness. */
#include "geom/mesh/mesh.h"

#include <stdlib.h>

PlimStatus mesh_allocate(PlimContext *context, TriangleMesh *mesh, size_t vertices,
                         size_t triangles) {
    *mesh = (TriangleMesh){0};
    if (vertices > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a mesh of %zu vertices is too large: use at most %d", vertices,
                            INT32_MAX);
    TriangleMesh made = {.vertex_count = vertices, .triangle_count = triangles};
    made.vertices = context_allocate(context, vertices, sizeof *made.vertices);
    if (!made.vertices) return PLIM_OUT_OF_MEMORY;
    made.triangles = context_allocate(context, triangles, sizeof *made.triangles);
    if (!made.triangles) {
        context_free(context, made.vertices, vertices, sizeof *made.vertices);
        return PLIM_OUT_OF_MEMORY;
    }
    *mesh = made;
    return PLIM_OK;
}

void mesh_free(PlimContext *context, TriangleMesh *mesh) {
    context_free(context, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    context_free(context, mesh->triangles, mesh->triangle_count, sizeof *mesh->triangles);
    *mesh = (TriangleMesh){0};
}

void mesh_translate(TriangleMesh *mesh, Vec3 offset) {
    for (size_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = vec3_add(mesh->vertices[i], offset);
}

/* No vertices give the empty box: low at +infinity, high at -infinity. */
void mesh_bounds(const TriangleMesh *mesh, Vec3 *low, Vec3 *high) {
    *low = vec3(INFINITY, INFINITY, INFINITY);
    *high = vec3(-INFINITY, -INFINITY, -INFINITY);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        *low = vec3_min(*low, mesh->vertices[i]);
        *high = vec3_max(*high, mesh->vertices[i]);
    }
}

const char *mesh_problem(const TriangleMesh *mesh) {
    if (mesh->vertex_count > INT32_MAX) return "the mesh has more vertices than can be numbered";
    for (size_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            int32_t vertex = mesh->triangles[i][k];
            if (vertex < 0 || (size_t)vertex >= mesh->vertex_count)
                return "a triangle names a vertex that does not exist";
        }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        Vec3 p = mesh->vertices[i];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return "a vertex is not at a finite place";
    }
    return NULL;
}

/* Lower end, higher end, direction: the two directions of an edge are neighbours when sorted, the
 * even one (from low to high) first. */
static uint64_t edge_key(int32_t from, int32_t to) {
    uint64_t low = (uint64_t)(from < to ? from : to), high = (uint64_t)(from < to ? to : from);
    return low << 32 | high << 1 | (from > to);
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* False when a triangle names a vertex twice or one that does not exist. */
static bool collect_edges(const TriangleMesh *mesh, uint64_t *keys) {
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            int32_t from = mesh->triangles[i][k], to = mesh->triangles[i][(k + 1) % 3];
            if (from < 0 || (size_t)from >= mesh->vertex_count || from == to) return false;
            keys[3 * i + (size_t)k] = edge_key(from, to);
        }
    }
    return true;
}

bool mesh_is_closed(PlimContext *context, const TriangleMesh *mesh) {
    size_t count = 3 * mesh->triangle_count;
    if (count % 2 != 0) return false;
    uint64_t *keys = context_allocate(context, count, sizeof *keys);
    if (!keys) return false;
    bool closed = collect_edges(mesh, keys);
    if (closed) qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; closed && i < count; i += 2)
        closed = keys[i] % 2 == 0 && keys[i + 1] == keys[i] + 1;
    context_free(context, keys, count, sizeof *keys);
    return closed;
}
