/* Mesh validation: open edges, non-manifold edges, self-intersections, pieces. */
#include "geom/mesh/mesh_report.h"

#include "base/parallel.h"
#include "geom/mesh/mass.h"
#include "geom/mesh/mesh_predicates.h"
#include "geom/mesh/mesh_topology.h"
#include "geom/query/bvh.h"

const char *defect_name(DefectKind kind) {
    static const char *const names[DEFECT_KIND_COUNT] = {
        "open edges",          "non-manifold edges",   "flipped edges",   "duplicate vertices",
        "duplicate triangles", "degenerate triangles", "unused vertices", "self-intersections"};
    return names[kind];
}

static void add_defect(MeshReport *report, DefectKind kind, Vec3 place) {
    MeshDefect *defect = &report->defects[kind];
    if (defect->count < DEFECT_PLACES) defect->places[defect->count] = place;
    defect->count++;
}

static void triangle_places(const TriangleMesh *mesh, size_t i, Vec3 corner[3]) {
    for (int k = 0; k < 3; k++) corner[k] = mesh->vertices[mesh->triangles[i][k]];
}

static Vec3 triangle_middle(const TriangleMesh *mesh, size_t i) {
    Vec3 p[3];
    triangle_places(mesh, i, p);
    return vec3_scale(1.0 / 3.0, vec3_add(vec3_add(p[0], p[1]), p[2]));
}

static void report_triangles(const TriangleMesh *mesh, MeshReport *report) {
    double area = 0.0;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        Vec3 p[3];
        triangle_places(mesh, i, p);
        area += 0.5 * vec3_length(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
        if (triangle_repeats_vertex(mesh->triangles[i]) || triangle_is_flat(p[0], p[1], p[2]))
            add_defect(report, DEFECT_DEGENERATE_TRIANGLE, triangle_middle(mesh, i));
    }
    report->area = area;
}

/* ---- edges and pieces ---- */

static void report_edge(const TriangleMesh *mesh, const SortItem *sides, size_t count,
                        MeshReport *report) {
    Vec3 middle = vec3_scale(
        0.5, vec3_add(mesh->vertices[sides[0].key >> 32], mesh->vertices[(uint32_t)sides[0].key]));
    if (count == 1)
        add_defect(report, DEFECT_OPEN_EDGE, middle);
    else if (count > 2)
        add_defect(report, DEFECT_NON_MANIFOLD_EDGE, middle);
    else if (side_runs_down(sides[0]) == side_runs_down(sides[1]))
        add_defect(report, DEFECT_FLIPPED_EDGE, middle);
}

static PlimStatus report_edges(PlimContext *context, const TriangleMesh *mesh, MeshReport *report) {
    SideList sides;
    JoinedSets pieces = {0};
    TRY(side_list_create(context, mesh, &sides));
    PlimStatus status = joined_sets_create(context, mesh->triangle_count, &pieces);
    if (status == PLIM_OK) {
        for (size_t begin = 0, end; begin < sides.count; begin = end) {
            end = side_run_end(&sides, begin);
            report_edge(mesh, sides.items + begin, end - begin, report);
            for (size_t i = begin + 1; i < end; i++)
                joined_sets_join(&pieces, (int32_t)side_triangle(sides.items[begin]),
                                 (int32_t)side_triangle(sides.items[i]), false);
        }
        for (size_t i = 0; i < mesh->triangle_count; i++)
            report->components += (size_t)pieces.parent[i] == i;
    }
    /* A triangle that names a vertex twice has no sides in the list, and is no part of a surface.
     */
    report->closed = mesh->triangle_count > 0 && sides.count == 3 * mesh->triangle_count &&
                     report->defects[DEFECT_OPEN_EDGE].count == 0 &&
                     report->defects[DEFECT_NON_MANIFOLD_EDGE].count == 0 &&
                     report->defects[DEFECT_FLIPPED_EDGE].count == 0;
    joined_sets_free(context, &pieces);
    side_list_free(context, &sides);
    return status;
}

/* ---- what is there twice or for nothing ---- */

static PlimStatus report_vertices(PlimContext *context, const TriangleMesh *mesh,
                                  MeshReport *report) {
    size_t count = mesh->vertex_count;
    int32_t *first = context_allocate(context, count, sizeof *first);
    if (!first) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = places_first_equal(context, mesh->vertices, count, first);
    if (status == PLIM_OK) {
        for (size_t i = 0; i < count; i++)
            if ((size_t)first[i] != i)
                add_defect(report, DEFECT_DUPLICATE_VERTEX, mesh->vertices[i]);
        for (size_t i = 0; i < mesh->triangle_count; i++)
            for (int k = 0; k < 3; k++) first[mesh->triangles[i][k]] = -1; /* used */
        for (size_t i = 0; i < count; i++)
            if (first[i] >= 0) add_defect(report, DEFECT_UNUSED_VERTEX, mesh->vertices[i]);
    }
    context_free(context, first, count, sizeof *first);
    return status;
}

static PlimStatus report_duplicate_triangles(PlimContext *context, const TriangleMesh *mesh,
                                             MeshReport *report) {
    size_t count = mesh->triangle_count;
    int32_t *first = context_allocate(context, count, sizeof *first);
    if (!first) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = triangles_first_equal(context, mesh, first);
    for (size_t i = 0; status == PLIM_OK && i < count; i++)
        if ((size_t)first[i] != i && !triangle_repeats_vertex(mesh->triangles[i]))
            add_defect(report, DEFECT_DUPLICATE_TRIANGLE, triangle_middle(mesh, i));
    context_free(context, first, count, sizeof *first);
    return status;
}

/* ---- self-intersections ---- */

typedef struct CrossJob {
    const TriangleMesh *mesh;
    BvhPair *pairs; /* those that do not cross become BVH_NONE */
} CrossJob;

static bool pair_crosses(const TriangleMesh *mesh, BvhPair pair, Vec3 *place) {
    Vec3 a[3], b[3];
    triangle_places(mesh, pair.a, a);
    triangle_places(mesh, pair.b, b);
    return triangles_cross(a, b, place);
}

static void cross_range(void *user, size_t begin, size_t end) {
    const CrossJob *job = user;
    Vec3 place;
    for (size_t i = begin; i < end; i++)
        if (!pair_crosses(job->mesh, job->pairs[i], &place)) job->pairs[i].a = BVH_NONE;
}

static PlimStatus report_crossings(PlimContext *context, const TriangleMesh *mesh,
                                   MeshReport *report) {
    BvhInput input = bvh_input_triangles(mesh);
    Bvh *bvh = NULL;
    BvhPairs pairs = {{0}};
    Scratch scratch;
    TRY(bvh_create(context, &input, &bvh));
    scratch_init(&scratch, context);
    PlimStatus status = bvh_overlap_pairs(bvh, bvh, 0.0, &scratch, &pairs);
    if (status == PLIM_OK) {
        CrossJob job = {mesh, pairs.items.data};
        parallel_for(context->threads, pairs.items.count, 1024, cross_range, &job);
        for (size_t i = 0; i < pairs.items.count; i++) {
            Vec3 place;
            if (pairs.items.data[i].a != BVH_NONE &&
                pair_crosses(mesh, pairs.items.data[i], &place))
                add_defect(report, DEFECT_SELF_INTERSECTION, place);
        }
    }
    array_free(context, &pairs.items);
    scratch_free(&scratch);
    bvh_destroy(bvh);
    return status;
}

PlimStatus mesh_report(PlimContext *context, const TriangleMesh *mesh, MeshReport *out) {
    *out = (MeshReport){.vertices = mesh->vertex_count, .triangles = mesh->triangle_count};
    TRY(mesh_check(context, mesh));
    mesh_bounds(mesh, &out->low, &out->high);
    out->volume = mesh_mass_properties(mesh).volume;
    report_triangles(mesh, out);
    TRY(report_edges(context, mesh, out));
    TRY(report_vertices(context, mesh, out));
    TRY(report_duplicate_triangles(context, mesh, out));
    if (mesh->triangle_count > 0) TRY(report_crossings(context, mesh, out));
    out->inside_out = out->closed && out->volume < 0.0;
    return PLIM_OK;
}
