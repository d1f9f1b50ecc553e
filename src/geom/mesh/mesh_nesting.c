/* Nesting of closed components by ray casting: points of each are tried against all others along a
 * ray. / */
#include "geom/mesh/mesh_orient.h"

#include "geom/mesh/mesh_predicates.h"
#include "geom/query/bvh.h"

#include <float.h>

/* Points tried of each piece: one would do, if it could not lie on the other piece. */
enum { SAMPLES = 8 };

/* What the rays from the piece at hand found of another. */
typedef struct Found {
    size_t seeker; /* the piece at hand: of another one, the rest is out of date */
    int winding;
    bool doubtful; /* the point lies on the piece */
    size_t within; /* points so far that lie within, or tell nothing */
    size_t inside; /* those that surely do */
    bool crossed;  /* pieces that cross overlap, and neither is in the other */
} Found;

typedef struct Nesting {
    PlimContext *context;
    const TriangleMesh *mesh;
    const MeshPieces *pieces;
    Bvh *bvh;
    BvhList hits;
    size_t seeker;         /* the piece at hand */
    Found *found;          /* for each piece */
    ARRAY(int32_t) around; /* closed pieces that may hold the one at hand */
} Nesting;

static Found *found_of(Nesting *nesting, size_t triangle) {
    Found *found = &nesting->found[nesting->pieces->piece_of[triangle]];
    if (found->seeker != nesting->seeker) *found = (Found){.seeker = nesting->seeker};
    return found;
}

/* How often the edge from a to b passes the line z > q.z, y = q.y in the yz plane, upward in y
 * counted positive. Decided for the edge's ends in fixed order, so that both triangles of an edge
 * agree to the bit and the sum over a closed surface is right even when the line meets edges and
 * vertices. */
static int edge_passes(const Vec3 *vertices, int32_t a, int32_t b, Vec3 q) {
    Vec3 low = vertices[a < b ? a : b], high = vertices[a < b ? b : a];
    bool low_below = low.y <= q.y, high_below = high.y <= q.y;
    if (low_below == high_below) return 0;
    double side = (high.z - low.z) * (q.y - low.y) - (q.z - low.z) * (high.y - low.y);
    if (low_below ? !(side > 0.0) : !(side < 0.0)) return 0;
    return low_below == (a < b) ? 1 : -1;
}

/* Adds the triangle to the winding number of its piece about q, by a ray along x. */
static void meet_triangle(Nesting *nesting, size_t triangle, Vec3 q) {
    const Vec3 *vertices = nesting->mesh->vertices;
    const int32_t *t = nesting->mesh->triangles[triangle];
    Found *found = found_of(nesting, triangle);
    int winding = edge_passes(vertices, t[0], t[1], q) + edge_passes(vertices, t[1], t[2], q) +
                  edge_passes(vertices, t[2], t[0], q);
    if (winding == 0) return;
    Vec3 a = vertices[t[0]], b = vertices[t[1]], c = vertices[t[2]];
    Vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double ahead = a.x - q.x - (n.y * (q.y - a.y) + n.z * (q.z - a.z)) / n.x;
    double reach = fabs(q.x) + fabs(q.y) + fabs(q.z) + fabs(a.x) + fabs(a.y) + fabs(a.z);
    double rounding = 16.0 * DBL_EPSILON * reach * (vec3_length(n) / fabs(n.x));
    if (!(fabs(ahead) > rounding))
        found->doubtful = true;
    else if (ahead > 0.0)
        found->winding += winding;
}

static bool box_within(Box3 inner, Box3 outer) {
    return box3_contains(outer, inner.low) && box3_contains(outer, inner.high);
}

static bool may_hold(const Nesting *nesting, size_t piece) {
    const MeshPiece *outer = &nesting->pieces->items[piece];
    const MeshPiece *inner = &nesting->pieces->items[nesting->seeker];
    return piece != nesting->seeker && outer->closed && box_within(inner->box, outer->box);
}

/* A piece around the one at hand holds its first point already. */
static PlimStatus try_point(Nesting *nesting, Vec3 q, bool is_first) {
    Box3 ray = {q, q};
    ray.high.x = fmax(q.x, bvh_bounds(nesting->bvh).high.x);
    nesting->hits.items.count = 0;
    TRY(bvh_overlap_box(nesting->bvh, ray, &nesting->hits));
    const size_t *hit = nesting->hits.items.data;
    for (size_t i = 0; i < nesting->hits.items.count; i++) meet_triangle(nesting, hit[i], q);
    for (size_t i = 0; i < nesting->hits.items.count; i++) {
        Found *found = found_of(nesting, hit[i]);
        bool sure = !found->doubtful && found->winding != 0, within = found->doubtful || sure;
        found->inside += sure;
        found->within += within;
        found->winding = 0; /* the other hits of the piece add nothing more */
        found->doubtful = false;
        int32_t piece = nesting->pieces->piece_of[hit[i]];
        if (is_first && within && may_hold(nesting, (size_t)piece) &&
            !array_push(nesting->context, &nesting->around, piece))
            return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

static Vec3 *triangle_places(const TriangleMesh *mesh, size_t triangle, Vec3 places[3]) {
    for (int k = 0; k < 3; k++) places[k] = mesh->vertices[mesh->triangles[triangle][k]];
    return places;
}

/* Marks the pieces that cross the one at hand. */
static PlimStatus find_crossings(Nesting *nesting, const MeshPiece *piece) {
    for (size_t i = 0; i < piece->count; i++) {
        Vec3 mine[3], other[3], place;
        triangle_places(nesting->mesh, (size_t)nesting->pieces->members[piece->first + i], mine);
        Box3 box = {mine[0], mine[0]};
        for (int k = 1; k < 3; k++) box = box3_add_point(box, mine[k]);
        nesting->hits.items.count = 0;
        TRY(bvh_overlap_box(nesting->bvh, box, &nesting->hits));
        for (size_t h = 0; h < nesting->hits.items.count; h++) {
            size_t hit = nesting->hits.items.data[h];
            if ((size_t)nesting->pieces->piece_of[hit] == nesting->seeker) continue;
            Found *found = found_of(nesting, hit);
            found->crossed =
                found->crossed ||
                triangles_cross(mine, triangle_places(nesting->mesh, hit, other), &place);
        }
    }
    return PLIM_OK;
}

static PlimStatus find_depth(Nesting *nesting, MeshPiece *piece) {
    size_t samples = piece->count < SAMPLES ? piece->count : SAMPLES;
    nesting->around.count = 0;
    for (size_t s = 0; s < samples && (s == 0 || nesting->around.count > 0); s++) {
        size_t member = piece->first + s * piece->count / samples;
        Vec3 p[3];
        triangle_places(nesting->mesh, (size_t)nesting->pieces->members[member], p);
        Vec3 middle = vec3_scale(1.0 / 3.0, vec3_add(vec3_add(p[0], p[1]), p[2]));
        TRY(try_point(nesting, middle, s == 0));
    }
    if (nesting->around.count > 0) TRY(find_crossings(nesting, piece));
    for (size_t i = 0; i < nesting->around.count; i++) {
        const Found *found = &nesting->found[nesting->around.data[i]];
        piece->depth += found->inside > 0 && found->within == samples && !found->crossed;
    }
    return PLIM_OK;
}

PlimStatus pieces_find_depths(PlimContext *context, const TriangleMesh *mesh, MeshPieces *pieces) {
    size_t closed = 0;
    for (size_t i = 0; i < pieces->count; i++) closed += pieces->items[i].closed;
    if (closed < 2) return PLIM_OK;
    Nesting nesting = {.context = context, .mesh = mesh, .pieces = pieces};
    BvhInput input = bvh_input_triangles(mesh);
    TRY(bvh_create(context, &input, &nesting.bvh));
    nesting.found = context_allocate(context, pieces->count, sizeof *nesting.found);
    PlimStatus status = nesting.found ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; status == PLIM_OK && i < pieces->count; i++)
        nesting.found[i].seeker = SIZE_MAX;
    for (size_t i = 0; status == PLIM_OK && i < pieces->count; i++)
        if (pieces->items[i].closed) {
            nesting.seeker = i;
            status = find_depth(&nesting, &pieces->items[i]);
        }
    context_free(context, nesting.found, pieces->count, sizeof *nesting.found);
    array_free(context, &nesting.hits.items);
    array_free(context, &nesting.around);
    bvh_destroy(nesting.bvh);
    return status;
}
