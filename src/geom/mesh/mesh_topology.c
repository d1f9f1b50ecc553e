/* Mesh topology by sorting: edges, duplicates, connected components. */
#include "geom/mesh/mesh_topology.h"

#include "base/hash.h"
#include "geom/mesh/mesh_report.h"

#include <string.h>

PlimStatus mesh_check(PlimContext *context, const TriangleMesh *mesh) {
    if (mesh->triangle_count > INT32_MAX || mesh->vertex_count > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a mesh of %zu triangles and %zu vertices is too large: use at most %d",
                            mesh->triangle_count, mesh->vertex_count, INT32_MAX);
    for (size_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            int32_t vertex = mesh->triangles[i][k];
            if (vertex < 0 || (size_t)vertex >= mesh->vertex_count)
                return context_fail(context, PLIM_BAD_INPUT,
                                    "triangle %zu names vertex %d, and there are %zu (from 0)", i,
                                    vertex, mesh->vertex_count);
        }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        Vec3 p = mesh->vertices[i];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return context_fail(context, PLIM_BAD_INPUT, "vertex %zu is not at a finite place", i);
    }
    return PLIM_OK;
}

/* ---- equal places ---- */

/* Equal doubles, equal bits: adding zero turns -0 into 0. */
static uint64_t double_bits(double value) {
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t place_hash(Vec3 p) {
    return hash_mix(double_bits(p.x) + hash_mix(double_bits(p.y) + hash_mix(double_bits(p.z))));
}

static bool same_place(Vec3 a, Vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Different places of one hash: sorts by the coordinates themselves, the last first. */
static void sort_by_place(const Vec3 *places, SortItem *items, SortItem *spare, size_t count) {
    for (int axis = 2; axis >= 0; axis--) {
        for (size_t i = 0; i < count; i++) {
            double at[3];
            vec3_store(at, places[items[i].index]);
            items[i].key = double_bits(at[axis]);
        }
        sort_items(items, spare, count);
    }
}

/* Names, for each of the items, the first of those before it at the same place. */
static void name_firsts(const Vec3 *places, const SortItem *items, size_t count, int32_t *first) {
    size_t lead = 0;
    for (size_t i = 0; i < count; i++) {
        if (!same_place(places[items[i].index], places[items[lead].index])) lead = i;
        first[items[i].index] = (int32_t)items[lead].index;
    }
}

PlimStatus places_first_equal(PlimContext *context, const Vec3 *places, size_t count,
                              int32_t *first) {
    SortItem *items = context_allocate(context, 2 * count, sizeof *items);
    if (!items) return PLIM_OUT_OF_MEMORY;
    SortItem *spare = items + count;
    for (size_t i = 0; i < count; i++) /* half the bits: half the work, few clashes */
        items[i] = (SortItem){place_hash(places[i]) >> 32, i};
    sort_items(items, spare, count);
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = sort_run_end(items, count, begin);
        bool mixed = false;
        for (size_t i = begin + 1; i < end && !mixed; i++)
            mixed = !same_place(places[items[i].index], places[items[begin].index]);
        if (mixed) sort_by_place(places, items + begin, spare, end - begin);
        name_firsts(places, items + begin, end - begin, first);
    }
    context_free(context, items, 2 * count, sizeof *items);
    return PLIM_OK;
}

/* ---- equal triangles ---- */

static void sort_three(const int32_t t[3], uint64_t sorted[3]) {
    uint64_t a = (uint64_t)t[0], b = (uint64_t)t[1], c = (uint64_t)t[2], swapped;
    if (a > b) swapped = a, a = b, b = swapped;
    if (b > c) swapped = b, b = c, c = swapped;
    if (a > b) swapped = a, a = b, b = swapped;
    sorted[0] = a, sorted[1] = b, sorted[2] = c;
}

PlimStatus triangles_first_equal(PlimContext *context, const TriangleMesh *mesh, int32_t *first) {
    size_t count = mesh->triangle_count;
    SortItem *items = context_allocate(context, 2 * count, sizeof *items);
    if (!items) return PLIM_OUT_OF_MEMORY;
    SortItem *spare = items + count;
    uint64_t sorted[3], lead[3];
    for (size_t i = 0; i < count; i++) { /* the upper two, then, stably, the lowest */
        sort_three(mesh->triangles[i], sorted);
        items[i] = (SortItem){sorted[1] << 32 | sorted[2], i};
    }
    sort_items(items, spare, count);
    for (size_t i = 0; i < count; i++) {
        sort_three(mesh->triangles[items[i].index], sorted);
        items[i].key = sorted[0];
    }
    sort_items(items, spare, count);
    for (size_t i = 0, at = 0; i < count; i++) {
        sort_three(mesh->triangles[items[i].index], sorted);
        if (i == 0 || memcmp(sorted, lead, sizeof lead) != 0) {
            at = i;
            memcpy(lead, sorted, sizeof lead);
        }
        first[items[i].index] = (int32_t)items[at].index;
    }
    context_free(context, items, 2 * count, sizeof *items);
    return PLIM_OK;
}

/* ---- edges ---- */

PlimStatus side_list_create(PlimContext *context, const TriangleMesh *mesh, SideList *out) {
    *out = (SideList){.capacity = 3 * mesh->triangle_count};
    SortItem *items = context_allocate(context, 2 * out->capacity, sizeof *items);
    if (!items) return PLIM_OUT_OF_MEMORY;
    out->items = items;
    out->spare = items + out->capacity;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangles[i];
        if (triangle_repeats_vertex(t)) continue;
        for (int k = 0; k < 3; k++) {
            int32_t from = t[k], to = t[(k + 1) % 3];
            uint64_t low = (uint64_t)(from < to ? from : to);
            uint64_t high = (uint64_t)(from < to ? to : from);
            items[out->count++] = (SortItem){low << 32 | high, side_item_index(i, k, from > to)};
        }
    }
    sort_items(items, out->spare, out->count);
    return PLIM_OK;
}

void side_list_free(PlimContext *context, SideList *list) {
    context_free(context, list->items, 2 * list->capacity, sizeof *list->items);
    *list = (SideList){0};
}

PlimStatus mesh_neighbors(PlimContext *context, const TriangleMesh *mesh, int32_t *out) {
    TRY(mesh_check(context, mesh));
    SideList sides;
    TRY(side_list_create(context, mesh, &sides));
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) out[i] = -1;
    for (size_t begin = 0, end; begin < sides.count; begin = end) {
        end = side_run_end(&sides, begin);
        if (end - begin != 2) continue;
        SortItem a = sides.items[begin], b = sides.items[begin + 1];
        out[a.index / 2] = (int32_t)side_triangle(b);
        out[b.index / 2] = (int32_t)side_triangle(a);
    }
    side_list_free(context, &sides);
    return PLIM_OK;
}

/* ---- joined sets ---- */

PlimStatus joined_sets_create(PlimContext *context, size_t count, JoinedSets *out) {
    *out = (JoinedSets){.count = count};
    out->parent = context_allocate(context, count, sizeof *out->parent);
    out->turned = context_allocate(context, count, sizeof *out->turned);
    if (!out->parent || !out->turned) {
        joined_sets_free(context, out);
        return PLIM_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) out->parent[i] = (int32_t)i;
    return PLIM_OK;
}

void joined_sets_free(PlimContext *context, JoinedSets *sets) {
    context_free(context, sets->parent, sets->count, sizeof *sets->parent);
    context_free(context, sets->turned, sets->count, sizeof *sets->turned);
    *sets = (JoinedSets){0};
}

int32_t joined_sets_find(JoinedSets *sets, int32_t i, bool *turned) {
    unsigned char sum = 0;
    while (sets->parent[i] != i) { /* each step hangs i one higher: the paths halve */
        int32_t parent = sets->parent[i];
        sets->turned[i] ^= sets->turned[parent]; /* that of one who stands for a set is 0 */
        sets->parent[i] = sets->parent[parent];
        sum ^= sets->turned[i];
        i = sets->parent[i];
    }
    *turned = sum;
    return i;
}

void joined_sets_join(JoinedSets *sets, int32_t a, int32_t b, bool turned) {
    bool turned_a, turned_b;
    int32_t lead_a = joined_sets_find(sets, a, &turned_a);
    int32_t lead_b = joined_sets_find(sets, b, &turned_b);
    if (lead_a == lead_b) return;
    int32_t low = lead_a < lead_b ? lead_a : lead_b, high = lead_a < lead_b ? lead_b : lead_a;
    sets->parent[high] = low;
    sets->turned[high] = (unsigned char)(turned_a ^ turned_b ^ turned);
}
