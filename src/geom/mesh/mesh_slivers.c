/* Sliver removal by edge flips. */
#include "geom/mesh/mesh_orient.h"

#include "geom/mesh/mesh_predicates.h"
#include "geom/mesh/mesh_topology.h"

/* Slivers in a row open up one after another from its ends; longer rows are not worth more rounds.
 */
enum { MOST_ROUNDS = 16 };

static Vec3 corner(const TriangleMesh *mesh, size_t triangle, int k) {
    return mesh->vertices[mesh->triangles[triangle][k % 3]];
}

static bool is_flat(const TriangleMesh *mesh, const int32_t t[3]) {
    return triangle_is_flat(mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]]);
}

static int longest_side(const TriangleMesh *mesh, size_t triangle) {
    int longest = 0;
    double most = -1.0;
    for (int k = 0; k < 3; k++) {
        double length =
            vec3_length(vec3_sub(corner(mesh, triangle, k + 1), corner(mesh, triangle, k)));
        if (length > most) most = length, longest = k;
    }
    return longest;
}

/* Where the sides of an edge are in the list; equal when there are none. */
static void find_edge(const SideList *sides, int32_t a, int32_t b, size_t *begin, size_t *end) {
    uint64_t key = a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
    size_t low = 0, high = sides->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sides->items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    *begin = *end = low;
    if (low < sides->count && sides->items[low].key == key) *end = side_run_end(sides, low);
}

static void set_triangle(int32_t t[3], int32_t a, int32_t b, int32_t c) {
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* `touched` marks triangles that changed since the list of sides was made: not to be used again. */
static bool flip_sliver(TriangleMesh *mesh, const SideList *sides, unsigned char *touched,
                        size_t sliver) {
    int side = longest_side(mesh, sliver);
    const int32_t *n = mesh->triangles[sliver];
    int32_t from = n[side], to = n[(side + 1) % 3], middle = n[(side + 2) % 3];
    size_t begin, end;
    find_edge(sides, from, to, &begin, &end);
    if (end - begin != 2) return false;
    SortItem across =
        sides->items[side_triangle(sides->items[begin]) == sliver ? begin + 1 : begin];
    size_t other = side_triangle(across);
    if (other == sliver || touched[other]) return false;
    const int32_t *o = mesh->triangles[other];
    int k = side_number(across);
    int32_t start = o[k], stop = o[(k + 1) % 3], apex = o[(k + 2) % 3];
    if (apex == middle) return false;
    int32_t one[3] = {start, middle, apex}, two[3] = {middle, stop, apex};
    if (is_flat(mesh, one) || is_flat(mesh, two)) return false;
    find_edge(sides, middle, apex, &begin, &end);
    if (begin != end) return false; /* the new edge is one already: it would have too many sides */
    set_triangle(mesh->triangles[other], one[0], one[1], one[2]);
    set_triangle(mesh->triangles[sliver], two[0], two[1], two[2]);
    touched[sliver] = touched[other] = 1;
    return true;
}

static PlimStatus flip_round(PlimContext *context, TriangleMesh *mesh, size_t *flipped) {
    size_t count = mesh->triangle_count;
    SideList sides;
    TRY(side_list_create(context, mesh, &sides));
    unsigned char *touched = context_allocate(context, count, 1);
    for (size_t i = 0; touched && i < count; i++) {
        const int32_t *t = mesh->triangles[i];
        if (!touched[i] && !triangle_repeats_vertex(t) && is_flat(mesh, t))
            *flipped += flip_sliver(mesh, &sides, touched, i);
    }
    context_free(context, touched, count, 1);
    side_list_free(context, &sides);
    return touched ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

PlimStatus mesh_flip_slivers(PlimContext *context, TriangleMesh *mesh, size_t *flipped) {
    bool any = false;
    for (size_t i = 0; i < mesh->triangle_count && !any; i++)
        any = !triangle_repeats_vertex(mesh->triangles[i]) && is_flat(mesh, mesh->triangles[i]);
    *flipped = 0;
    for (int round = 0; any && round < MOST_ROUNDS; round++) {
        size_t before = *flipped;
        TRY(flip_round(context, mesh, flipped));
        any = *flipped > before;
    }
    return PLIM_OK;
}
