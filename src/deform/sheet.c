/* Sheets: triangle meshes in space, chains of segments in the plane (000 section 3.2.1); what their
 * meshes must be like. */
#include "deform/internal.h"
#include "geom/mesh/mesh_topology.h"

static PlimStatus fail_doubled(const Deform *d, const DeformBodyDesc *desc, size_t a, size_t b) {
    return context_fail(d->context, PLIM_BAD_INPUT,
                        "'%s': %ss %zu and %zu have the same corners; leave one out", desc->name,
                        d->options.dim == 2 ? "segment" : "triangle", a, b);
}

/* Segments are few, and those of a chain in order: each is compared with the one before. */
static PlimStatus check_segments(const Deform *d, const DeformBodyDesc *desc) {
    for (size_t e = 1; e < desc->element_count; e++) {
        const int32_t *a = desc->elements[e - 1], *b = desc->elements[e];
        if ((a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]))
            return fail_doubled(d, desc, e - 1, e);
    }
    return PLIM_OK;
}

/* Edges have one triangle or two, which run them in opposite ways. */
static PlimStatus check_sides(const Deform *d, const DeformBodyDesc *desc, const SideList *sides) {
    for (size_t begin = 0, end; begin < sides->count; begin = end) {
        end = side_run_end(sides, begin);
        size_t first = side_triangle(sides->items[begin]),
               last = side_triangle(sides->items[end - 1]);
        if (end - begin > 2)
            return context_fail(d->context, PLIM_BAD_INPUT,
                                "'%s': triangles %zu, %zu and %zu share one edge; a sheet has two "
                                "at most",
                                desc->name, first, side_triangle(sides->items[begin + 1]), last);
        if (end - begin == 2 &&
            side_runs_down(sides->items[begin]) == side_runs_down(sides->items[begin + 1]))
            return context_fail(d->context, PLIM_BAD_INPUT,
                                "'%s': triangles %zu and %zu are neighbours and face opposite "
                                "ways; exchange two corners of one",
                                desc->name, first, last);
    }
    return PLIM_OK;
}

static PlimStatus check_triangles(const Deform *d, const DeformBodyDesc *desc,
                                  const TriangleMesh *mesh, int32_t *equal) {
    TRY(mesh_check(d->context, mesh));
    TRY(triangles_first_equal(d->context, mesh, equal));
    for (size_t t = 0; t < mesh->triangle_count; t++)
        if ((size_t)equal[t] != t) return fail_doubled(d, desc, (size_t)equal[t], t);
    SideList sides;
    TRY(side_list_create(d->context, mesh, &sides));
    PlimStatus status = check_sides(d, desc, &sides);
    side_list_free(d->context, &sides);
    return status;
}

PlimStatus sheet_check(const Deform *d, const DeformBodyDesc *desc) {
    if (desc->yield_stretch > 0)
        return context_fail(d->context, PLIM_BAD_INPUT,
                            "'%s': a sheet does not yield; leave out its yield stretch",
                            desc->name);
    if (d->options.dim == 2) return check_segments(d, desc);
    TriangleMesh mesh;
    int32_t *equal = context_allocate(d->context, desc->element_count + 1, sizeof *equal);
    if (!equal) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = mesh_allocate(d->context, &mesh, desc->node_count, desc->element_count);
    if (status == PLIM_OK) {
        for (size_t i = 0; i < desc->node_count; i++) mesh.vertices[i] = desc->rest[i];
        for (size_t t = 0; t < desc->element_count; t++)
            for (int c = 0; c < 3; c++) mesh.triangles[t][c] = desc->elements[t][c];
        status = check_triangles(d, desc, &mesh, equal);
        mesh_free(d->context, &mesh);
    }
    context_free(d->context, equal, desc->element_count + 1, sizeof *equal);
    return status;
}
