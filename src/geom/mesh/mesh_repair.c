/* Mesh repair: vertices merged, degenerate and duplicate triangles dropped, slivers flipped,
 * orientation made consistent. */
#include "geom/mesh/mesh_report.h"

#include "geom/mesh/mesh_orient.h"
#include "geom/mesh/mesh_predicates.h"
#include "geom/mesh/mesh_topology.h"

#include <string.h>

/* Triangles name the first of the vertices at a place. */
static PlimStatus merge_vertices(PlimContext *context, TriangleMesh *work, size_t *merged) {
    size_t count = work->vertex_count;
    int32_t *first = context_allocate(context, count, sizeof *first);
    if (!first) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = places_first_equal(context, work->vertices, count, first);
    if (status == PLIM_OK) {
        for (size_t i = 0; i < count; i++) *merged += (size_t)first[i] != i;
        for (size_t i = 0; i < work->triangle_count; i++)
            for (int k = 0; k < 3; k++) work->triangles[i][k] = first[work->triangles[i][k]];
    }
    context_free(context, first, count, sizeof *first);
    return status;
}

static void drop_degenerate(TriangleMesh *work) {
    size_t kept = 0;
    for (size_t i = 0; i < work->triangle_count; i++) {
        const int32_t *t = work->triangles[i];
        if (triangle_repeats_vertex(t) ||
            triangle_is_flat(work->vertices[t[0]], work->vertices[t[1]], work->vertices[t[2]]))
            continue;
        memmove(work->triangles[kept++], t, sizeof work->triangles[0]);
    }
    work->triangle_count = kept;
}

static PlimStatus drop_duplicates(PlimContext *context, TriangleMesh *work) {
    size_t count = work->triangle_count, kept = 0;
    int32_t *first = context_allocate(context, count, sizeof *first);
    if (!first) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = triangles_first_equal(context, work, first);
    if (status == PLIM_OK) {
        for (size_t i = 0; i < count; i++)
            if ((size_t)first[i] == i)
                memmove(work->triangles[kept++], work->triangles[i], sizeof work->triangles[0]);
        work->triangle_count = kept;
    }
    context_free(context, first, count, sizeof *first);
    return status;
}

/* A mesh of just the triangles of `work` and the vertices they use, in their order. */
static PlimStatus copy_used(PlimContext *context, const TriangleMesh *work, TriangleMesh *out) {
    size_t count = work->vertex_count, used = 0;
    int32_t *moved = context_allocate(context, count, sizeof *moved);
    if (!moved) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < work->triangle_count; i++)
        for (int k = 0; k < 3; k++) moved[work->triangles[i][k]] = 1;
    for (size_t i = 0; i < count; i++) used += (size_t)moved[i];
    PlimStatus status = mesh_allocate(context, out, used, work->triangle_count);
    if (status == PLIM_OK) {
        used = 0;
        for (size_t i = 0; i < count; i++) {
            if (!moved[i]) continue;
            out->vertices[used] = work->vertices[i];
            moved[i] = (int32_t)used++;
        }
        for (size_t i = 0; i < work->triangle_count; i++)
            for (int k = 0; k < 3; k++) out->triangles[i][k] = moved[work->triangles[i][k]];
    }
    context_free(context, moved, count, sizeof *moved);
    return status;
}

/* Works on a copy of the triangles; the vertices are only read. */
static PlimStatus repair(PlimContext *context, TriangleMesh *work, MeshRepair *out,
                         TriangleMesh *result) {
    size_t triangles = work->triangle_count;
    TRY(merge_vertices(context, work, &out->merged_vertices));
    TRY(mesh_flip_slivers(context, work, &out->flipped_edges));
    drop_degenerate(work);
    TRY(drop_duplicates(context, work));
    TRY(mesh_orient(context, work, &out->turned_triangles));
    TRY(copy_used(context, work, result));
    out->dropped_triangles = triangles - result->triangle_count;
    out->dropped_vertices = work->vertex_count - result->vertex_count - out->merged_vertices;
    return PLIM_OK;
}

PlimStatus mesh_repair(PlimContext *context, TriangleMesh *mesh, MeshRepair *out) {
    *out = (MeshRepair){0};
    TRY(mesh_check(context, mesh));
    size_t count = mesh->triangle_count;
    TriangleMesh work = *mesh, result = {0};
    work.triangles = context_allocate(context, count, sizeof *work.triangles);
    if (!work.triangles) return PLIM_OUT_OF_MEMORY;
    if (count > 0) memcpy(work.triangles, mesh->triangles, count * sizeof *work.triangles);
    PlimStatus status = repair(context, &work, out, &result);
    context_free(context, work.triangles, count, sizeof *work.triangles);
    if (status != PLIM_OK) return status;
    mesh_free(context, mesh);
    *mesh = result;
    return PLIM_OK;
}
