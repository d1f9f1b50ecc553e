/* Hinges and patches of bending: which angles make up the curvature where, with weights from the
 * mesh at rest. Per triangle S = sum over edges of theta/(2 A |e|) t t^T, t the edge turned in the
 * plane at rest; averaged by area over the ring of each vertex. Energy: 0.98 of the sum over
 * vertices of (A_ring/3) B/2 |S|^2, and 0.02 of that over triangles of A B/2 |S|^2, which rings
 * alone do not see where it alternates. A triangle whose corners are all pinned has no S and is in
 * no ring; angles at its edges count twice in its neighbour. */
#include "deform/internal.h"
#include "geom/mesh/mesh_topology.h"

#include <string.h>

static const double ring_share = 0.98;
static const double least_part = 1e-3; /* of lengths at rest, that collapsed ones count as */

/* ---- hinges ---- */

/* A body's triangles while its patches are made. Numbers of nodes and triangles are the body's. */
typedef struct SheetMesh {
    const DeformBody *body;
    int32_t number;
    TriangleMesh mesh;    /* at rest */
    int32_t (*hinges)[3]; /* of the sides of a triangle, among all; -1: none */
    bool *is_clamped;     /* triangles */
    double *area;         /* m^2 */
    size_t *ring_start;   /* of the triangles around a vertex, one more */
    int32_t *ring;
} SheetMesh;

static Vec3 normal_of(const SheetMesh *sheet, size_t t) {
    const Vec3 *x = sheet->mesh.vertices;
    const int32_t *c = sheet->mesh.triangles[t];
    return vec3_normalize(vec3_cross(vec3_sub(x[c[1]], x[c[0]]), vec3_sub(x[c[2]], x[c[0]])));
}

static PlimStatus add_hinge(Deform *d, const SheetMesh *sheet, BendHinge hinge, int32_t *number) {
    Vec3 x[4];
    for (int c = 0; c < hinge.shape.count; c++) {
        hinge.corners[c] += (int32_t)sheet->body->first[DEFORM_NODES];
        x[c] = vec3_load(d->rest + 3 * hinge.corners[c]);
    }
    hinge.body = sheet->number;
    hinge.home = -1;
    hinge.rest = sheet->body->bending.is_flat ? 0 : hinge_angle(&hinge.shape, x, NULL);
    *number = (int32_t)d->bending.hinges.count;
    return array_push(d->context, &d->bending.hinges, hinge) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* The two sides of an edge: the first triangle runs it from corner 0 to corner 1. */
static PlimStatus add_fold(Deform *d, SheetMesh *sheet, const SortItem sides[2]) {
    size_t t[2] = {side_triangle(sides[0]), side_triangle(sides[1])};
    int k[2] = {side_number(sides[0]), side_number(sides[1])};
    if (sheet->is_clamped[t[0]] && sheet->is_clamped[t[1]]) return PLIM_OK;
    const int32_t *one = sheet->mesh.triangles[t[0]], *other = sheet->mesh.triangles[t[1]];
    BendHinge hinge = {
        .corners = {one[k[0]], one[(k[0] + 1) % 3], one[(k[0] + 2) % 3], other[(k[1] + 2) % 3]}};
    const Vec3 *x = sheet->mesh.vertices;
    double edge = vec3_length(vec3_sub(x[hinge.corners[1]], x[hinge.corners[0]]));
    double height = 2 * fmin(sheet->area[t[0]], sheet->area[t[1]]) / edge;
    hinge.shape =
        (Hinge){.count = 4, .least_edge = least_part * edge, .least_height = least_part * height};
    TRY(add_hinge(d, sheet, hinge, &sheet->hinges[t[0]][k[0]]));
    sheet->hinges[t[1]][k[1]] = sheet->hinges[t[0]][k[0]];
    return PLIM_OK;
}

static PlimStatus add_folds(Deform *d, SheetMesh *sheet) {
    SideList sides;
    PlimStatus status = side_list_create(d->context, &sheet->mesh, &sides);
    TRY(status);
    for (size_t begin = 0, end; begin < sides.count && status == PLIM_OK; begin = end) {
        end = side_run_end(&sides, begin);
        if (end - begin == 2) status = add_fold(d, sheet, sides.items + begin);
    }
    side_list_free(d->context, &sides);
    return status;
}

/* ---- patches ---- */

static BendPatch start_patch(const Deform *d, const DeformBody *body, double factor) {
    return (BendPatch){.first_entry = d->bending.entries.count,
                       .first_node = d->bending.nodes.count,
                       .factor = factor,
                       .damping = body->bending.damping};
}

/* The entry of a hinge in the patch that is being made; a new one if there is none. */
static BendEntry *entry_of(Deform *d, const BendPatch *patch, int32_t hinge) {
    DeformBending *b = &d->bending;
    for (size_t k = patch->first_entry; k < b->entries.count; k++)
        if (b->entries.data[k].hinge == hinge) return &b->entries.data[k];
    BendEntry entry = {.hinge = hinge, .patch = (int32_t)b->patches.count};
    return array_push(d->context, &b->entries, entry) ? &b->entries.data[b->entries.count - 1]
                                                      : NULL;
}

/* The number of a node in the patch that is being made. */
static PlimStatus number_node(Deform *d, const BendPatch *patch, int32_t node, int32_t *number) {
    DeformBending *b = &d->bending;
    size_t k = patch->first_node;
    while (k < b->nodes.count && b->nodes.data[k] != node) k++;
    *number = (int32_t)(k - patch->first_node);
    if (k < b->nodes.count) return PLIM_OK;
    return array_push(d->context, &b->nodes, node) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus finish_patch(Deform *d, const DeformBody *body, BendPatch *patch) {
    DeformBending *b = &d->bending;
    patch->entry_count = b->entries.count - patch->first_entry;
    if (patch->entry_count == 0) return PLIM_OK;
    for (size_t k = patch->first_entry; k < b->entries.count; k++) {
        BendEntry *entry = &b->entries.data[k];
        BendHinge *hinge = &b->hinges.data[entry->hinge];
        for (int c = 0; c < hinge->shape.count; c++)
            TRY(number_node(d, patch, hinge->corners[c], &entry->at[c]));
        if (hinge->home < 0) hinge->home = (int32_t)b->patches.count;
    }
    patch->node_count = b->nodes.count - patch->first_node;
    if (patch->node_count > BEND_MOST_NODES) {
        const double *x = d->rest + 3 * b->nodes.data[patch->first_node];
        return context_fail(d->context, PLIM_BAD_INPUT,
                            "'%s': too many triangles meet near (%g, %g, %g) for 'bending: shell'; "
                            "mend the mesh, or use 'hinge'",
                            body->name, x[0], x[1], x[2]);
    }
    return array_push(d->context, &b->patches, *patch) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* The rotation that takes unit vector `from` to `to` the short way, applied to v. */
static Vec3 turn_between(Vec3 from, Vec3 to, Vec3 v) {
    double cosine = vec3_dot(from, to);
    Vec3 axis = vec3_cross(from, to);
    if (!(cosine > -0.999999)) return v;
    Vec3 turned = vec3_add(vec3_scale(cosine, v), vec3_cross(axis, v));
    return vec3_add_scaled(turned, vec3_dot(axis, v) / (1 + cosine), axis);
}

/* A plane at rest that a patch measures curvature in. */
typedef struct BendPlane {
    Vec3 normal, u, v;
} BendPlane;

static BendPlane plane_of(Vec3 normal) {
    BendPlane plane = {.normal = vec3_normalize(normal)};
    plane.u = vec3_normalize(vec3_any_orthogonal(plane.normal));
    plane.v = vec3_cross(plane.normal, plane.u);
    return plane;
}

/* Adds A_T S_T / area of a triangle: theta/2 t t^T / |e| over the area, for each of its edges. */
static PlimStatus add_triangle(Deform *d, const SheetMesh *sheet, size_t t, const BendPlane *plane,
                               double area, const BendPatch *patch) {
    const int32_t *c = sheet->mesh.triangles[t];
    Vec3 normal = normal_of(sheet, t);
    for (int k = 0; k < 3; k++) {
        int32_t hinge = sheet->hinges[t][k];
        if (hinge < 0) continue;
        const Vec3 *x = sheet->mesh.vertices;
        Vec3 edge = vec3_sub(x[c[(k + 1) % 3]], x[c[k]]);
        Vec3 out = turn_between(normal, plane->normal, vec3_cross(normal, edge));
        double length = vec3_length(edge), a = vec3_dot(out, plane->u), b = vec3_dot(out, plane->v);
        double part = 0.5 / (length * area);
        const BendHinge *of = &d->bending.hinges.data[hinge];
        bool at_clamp = true; /* the other triangle is clamped */
        int32_t first = (int32_t)sheet->body->first[DEFORM_NODES];
        int across = of->corners[2] - first == c[(k + 2) % 3] ? 3 : 2;
        const int32_t others[3] = {of->corners[0], of->corners[1], of->corners[across]};
        for (int i = 0; i < 3; i++) at_clamp = at_clamp && d->is_pinned[others[i]];
        if (at_clamp) part *= 2;
        BendEntry *entry = entry_of(d, patch, hinge);
        if (!entry) return PLIM_OUT_OF_MEMORY;
        entry->weight[0] += part * a * a;
        entry->weight[1] += part * b * b;
        entry->weight[2] += part * sqrt(2.0) * a * b;
    }
    return PLIM_OK;
}

static PlimStatus add_ring(Deform *d, const SheetMesh *sheet, size_t vertex) {
    double area = 0, stiffness = sheet->body->bending.stiffness;
    Vec3 normal = vec3(0, 0, 0);
    for (size_t k = sheet->ring_start[vertex]; k < sheet->ring_start[vertex + 1]; k++) {
        size_t t = (size_t)sheet->ring[k];
        if (sheet->is_clamped[t]) continue;
        area += sheet->area[t];
        normal = vec3_add_scaled(normal, sheet->area[t], normal_of(sheet, t));
    }
    if (!(area > 0)) return PLIM_OK;
    BendPlane plane = plane_of(normal);
    BendPatch patch = start_patch(d, sheet->body, ring_share * area / 3 * stiffness);
    for (size_t k = sheet->ring_start[vertex]; k < sheet->ring_start[vertex + 1]; k++)
        if (!sheet->is_clamped[sheet->ring[k]])
            TRY(add_triangle(d, sheet, (size_t)sheet->ring[k], &plane, area, &patch));
    return finish_patch(d, sheet->body, &patch);
}

static PlimStatus add_shell(Deform *d, const SheetMesh *sheet) {
    for (size_t v = 0; v < sheet->mesh.vertex_count; v++) TRY(add_ring(d, sheet, v));
    for (size_t t = 0; t < sheet->mesh.triangle_count; t++) {
        if (sheet->is_clamped[t]) continue;
        double factor = (1 - ring_share) * sheet->area[t] * sheet->body->bending.stiffness;
        BendPlane plane = plane_of(normal_of(sheet, t));
        BendPatch patch = start_patch(d, sheet->body, factor);
        TRY(add_triangle(d, sheet, t, &plane, sheet->area[t], &patch));
        TRY(finish_patch(d, sheet->body, &patch));
    }
    return PLIM_OK;
}

static PlimStatus add_alone(Deform *d, const DeformBody *body, int32_t hinge, double factor) {
    BendPatch patch = start_patch(d, body, factor);
    BendEntry *entry = entry_of(d, &patch, hinge);
    if (!entry) return PLIM_OUT_OF_MEMORY;
    entry->weight[0] = 1;
    return finish_patch(d, body, &patch);
}

/* B/2 theta^2 |e|^2 / (A_1 + A_2), exact for a strip of right triangles that bends along an edge.
 */
static PlimStatus add_hinges(Deform *d, const SheetMesh *sheet) {
    double *area = context_allocate(d->context, d->bending.hinges.count + 1, sizeof *area);
    if (!area) return PLIM_OUT_OF_MEMORY;
    for (size_t t = 0; t < sheet->mesh.triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (sheet->hinges[t][k] >= 0 && !sheet->is_clamped[t])
                area[sheet->hinges[t][k]] += sheet->area[t];
    PlimStatus status = PLIM_OK;
    for (size_t h = 0; h < d->bending.hinges.count && status == PLIM_OK; h++) {
        const int32_t *c = d->bending.hinges.data[h].corners;
        if (d->bending.hinges.data[h].body != sheet->number) continue;
        Vec3 edge = vec3_sub(vec3_load(d->rest + 3 * c[1]), vec3_load(d->rest + 3 * c[0]));
        double factor = sheet->body->bending.stiffness * vec3_dot(edge, edge) / area[h];
        status = add_alone(d, sheet->body, (int32_t)h, factor);
    }
    context_free(d->context, area, d->bending.hinges.count + 1, sizeof *area);
    return status;
}

/* ---- a sheet ---- */

static PlimStatus open_sheet(Deform *d, SheetMesh *sheet) {
    const DeformBody *body = sheet->body;
    size_t first = body->first[DEFORM_NODES], nodes = body->count[DEFORM_NODES];
    size_t elements = body->count[DEFORM_ELEMENTS], offset = body->first[DEFORM_ELEMENTS];
    TRY(mesh_allocate(d->context, &sheet->mesh, nodes, elements));
    sheet->hinges = context_allocate(d->context, elements, sizeof *sheet->hinges);
    sheet->is_clamped = context_allocate(d->context, elements, sizeof *sheet->is_clamped);
    sheet->ring_start = context_allocate(d->context, nodes + 1, sizeof *sheet->ring_start);
    sheet->ring = context_allocate(d->context, 3 * elements, sizeof *sheet->ring);
    if (!sheet->hinges || !sheet->is_clamped || !sheet->ring_start || !sheet->ring)
        return PLIM_OUT_OF_MEMORY;
    sheet->area = d->volume + offset;
    for (size_t i = 0; i < nodes; i++)
        sheet->mesh.vertices[i] = vec3_load(d->rest + 3 * (first + i));
    for (size_t t = 0; t < elements; t++) {
        sheet->is_clamped[t] = true;
        for (int c = 0; c < 3; c++) {
            int32_t node = d->corners[4 * (offset + t) + (size_t)c];
            sheet->mesh.triangles[t][c] = node - (int32_t)first;
            sheet->hinges[t][c] = -1;
            sheet->is_clamped[t] = sheet->is_clamped[t] && d->is_pinned[node];
        }
    }
    /* Counted, summed up, filled from behind. */
    for (size_t k = 0; k < 3 * elements; k++)
        sheet->ring_start[sheet->mesh.triangles[k / 3][k % 3]]++;
    for (size_t i = 0; i < nodes; i++) sheet->ring_start[i + 1] += sheet->ring_start[i];
    for (size_t k = 3 * elements; k-- > 0;)
        sheet->ring[--sheet->ring_start[sheet->mesh.triangles[k / 3][k % 3]]] = (int32_t)(k / 3);
    return PLIM_OK;
}

static void close_sheet(const Deform *d, SheetMesh *sheet) {
    PlimContext *context = d->context;
    size_t nodes = sheet->mesh.vertex_count, elements = sheet->mesh.triangle_count;
    if (sheet->hinges) context_free(context, sheet->hinges, elements, sizeof *sheet->hinges);
    if (sheet->is_clamped)
        context_free(context, sheet->is_clamped, elements, sizeof *sheet->is_clamped);
    if (sheet->ring_start)
        context_free(context, sheet->ring_start, nodes + 1, sizeof *sheet->ring_start);
    if (sheet->ring) context_free(context, sheet->ring, 3 * elements, sizeof *sheet->ring);
    mesh_free(context, &sheet->mesh);
}

static PlimStatus bend_sheet(Deform *d, const DeformBody *body, int32_t number) {
    SheetMesh sheet = {.body = body, .number = number};
    PlimStatus status = open_sheet(d, &sheet);
    if (status == PLIM_OK) status = add_folds(d, &sheet);
    if (status == PLIM_OK)
        status =
            body->bending.model == BENDING_HINGE ? add_hinges(d, &sheet) : add_shell(d, &sheet);
    close_sheet(d, &sheet);
    return status;
}

/* ---- a chain ---- */

/* B/2 theta^2 over the mean length of two segments; over half the free one's where the other is
 * clamped. */
static PlimStatus bend_chain(Deform *d, const DeformBody *body, int32_t number) {
    SheetMesh sheet = {.body = body, .number = number};
    int32_t first = (int32_t)body->first[DEFORM_NODES];
    for (size_t k = 1; k < body->count[DEFORM_ELEMENTS]; k++) {
        size_t e = body->first[DEFORM_ELEMENTS] + k;
        const int32_t *before = d->corners + 4 * (e - 1), *after = d->corners + 4 * e;
        if (before[1] != after[0]) continue;
        bool clamped[2] = {d->is_pinned[before[0]] && d->is_pinned[before[1]],
                           d->is_pinned[after[0]] && d->is_pinned[after[1]]};
        double length =
            (clamped[0] ? 0 : 0.5 * d->volume[e - 1]) + (clamped[1] ? 0 : 0.5 * d->volume[e]);
        if (clamped[0] && clamped[1]) continue;
        BendHinge hinge = {.corners = {after[0] - first, before[0] - first, after[1] - first},
                           .shape = {.count = 3, .least_edge = least_part * length}};
        int32_t made;
        TRY(add_hinge(d, &sheet, hinge, &made));
        TRY(add_alone(d, body, made, body->bending.stiffness / length));
    }
    return PLIM_OK;
}

/* ---- all ---- */

/* Which entries a hinge has. */
static PlimStatus list_entries(Deform *d) {
    DeformBending *b = &d->bending;
    size_t hinges = b->hinges.count, count = b->entries.count;
    if (!array_reserve(d->context, &b->hinge_start, hinges + 2) ||
        !array_reserve(d->context, &b->hinge_entries, count + 1))
        return PLIM_OUT_OF_MEMORY;
    size_t *start = b->hinge_start.data;
    memset(start, 0, (hinges + 2) * sizeof *start);
    for (size_t k = 0; k < count; k++) start[b->entries.data[k].hinge + 2]++;
    for (size_t h = 0; h < hinges; h++) start[h + 2] += start[h + 1];
    for (size_t k = 0; k < count; k++)
        b->hinge_entries.data[start[b->entries.data[k].hinge + 1]++] = (int32_t)k;
    return PLIM_OK;
}

PlimStatus bending_make(Deform *d) {
    DeformBending *b = &d->bending;
    for (size_t i = 0; i < d->bodies.count; i++) {
        DeformBody *body = &d->bodies.data[i];
        bool bends = body->bending.model != BENDING_NONE && body->bending.stiffness > 0;
        body->first_patch = b->patches.count;
        if (body->is_sheet && bends)
            TRY(d->options.dim == 2 ? bend_chain(d, body, (int32_t)i)
                                    : bend_sheet(d, body, (int32_t)i));
        body->patch_count = b->patches.count - body->first_patch;
        d->has_damping = d->has_damping || (body->patch_count > 0 && body->bending.damping > 0);
    }
    size_t hinges = b->hinges.count, patches = b->patches.count;
    TRY(list_entries(d));
    bool got = array_reserve(d->context, &b->angle, hinges + 1) &&
               array_reserve(d->context, &b->rate, hinges + 1) &&
               array_reserve(d->context, &b->moment, hinges + 1) &&
               array_reserve(d->context, &b->gradient, 4 * hinges + 1) &&
               array_reserve(d->context, &b->force, 4 * hinges + 1) &&
               array_reserve(d->context, &b->stress, 3 * patches + 1) &&
               array_reserve(d->context, &b->energy, patches + 1);
    return got ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

void bending_free(Deform *d) {
    DeformBending *b = &d->bending;
    array_free(d->context, &b->hinges);
    array_free(d->context, &b->patches);
    array_free(d->context, &b->entries);
    array_free(d->context, &b->nodes);
    array_free(d->context, &b->blocks);
    array_free(d->context, &b->hinge_start);
    array_free(d->context, &b->hinge_entries);
    array_free(d->context, &b->angle);
    array_free(d->context, &b->rate);
    array_free(d->context, &b->gradient);
    array_free(d->context, &b->stress);
    array_free(d->context, &b->energy);
    array_free(d->context, &b->force);
    array_free(d->context, &b->moment);
}
