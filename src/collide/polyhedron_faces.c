/* Coplanar triangles merged into the faces of a polyhedron. */
#include "collide/polyhedron_data.h"
#include "geom/mesh/mesh_topology.h"

/* How far, of the size, a triangle's corners may be from the plane of the face it belongs to. */
static const double COPLANAR = 5e-7;

/* A side is numbered 3 triangle + k and runs from corner k to the next one. */
typedef struct FaceSearch {
    const TriangleMesh *mesh;
    double tolerance; /* m, COPLANAR */
    int32_t *twin;    /* the side that runs the other way, of each side */
    int32_t *face;    /* of each triangle; -1: not known yet */
    int32_t *stack;   /* triangles whose neighbours are to be looked at */
    int32_t *corner;  /* of each vertex: how many faces meet there, then its number or -1 */
} FaceSearch;

static size_t next_side(size_t side) {
    return side % 3 == 2 ? side - 2 : side + 1;
}

static int32_t side_from(const FaceSearch *search, size_t side) {
    return search->mesh->triangles[side / 3][side % 3];
}

static int32_t twin_face(const FaceSearch *search, size_t side) {
    return search->face[search->twin[side] / 3];
}

static bool is_border(const FaceSearch *search, size_t side) {
    return twin_face(search, side) != search->face[side / 3];
}

static void search_free(PlimContext *context, FaceSearch *search) {
    size_t triangles = search->mesh->triangle_count;
    context_free(context, search->twin, 3 * triangles, sizeof *search->twin);
    context_free(context, search->face, triangles, sizeof *search->face);
    context_free(context, search->stack, triangles, sizeof *search->stack);
    context_free(context, search->corner, search->mesh->vertex_count, sizeof *search->corner);
}

static PlimStatus search_allocate(PlimContext *context, FaceSearch *search) {
    size_t triangles = search->mesh->triangle_count;
    search->twin = context_allocate(context, 3 * triangles, sizeof *search->twin);
    search->face = context_allocate(context, triangles, sizeof *search->face);
    search->stack = context_allocate(context, triangles, sizeof *search->stack);
    search->corner = context_allocate(context, search->mesh->vertex_count, sizeof *search->corner);
    bool all = search->twin && search->face && search->stack && search->corner;
    return all ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* *closed: every side has exactly one twin. */
static PlimStatus find_twins(PlimContext *context, FaceSearch *search, bool *closed) {
    SideList sides;
    TRY(side_list_create(context, search->mesh, &sides));
    *closed = sides.count == 3 * search->mesh->triangle_count;
    for (size_t begin = 0, end; *closed && begin < sides.count; begin = end) {
        end = side_run_end(&sides, begin);
        SortItem a = sides.items[begin], b = sides.items[end - 1];
        *closed = end - begin == 2 && side_runs_down(a) != side_runs_down(b);
        search->twin[a.index / 2] = (int32_t)(b.index / 2);
        search->twin[b.index / 2] = (int32_t)(a.index / 2);
    }
    side_list_free(context, &sides);
    return PLIM_OK;
}

/* Twice its area, along its normal. */
static Vec3 triangle_area(const TriangleMesh *mesh, size_t triangle) {
    const int32_t *t = mesh->triangles[triangle];
    Vec3 a = mesh->vertices[t[0]];
    return vec3_cross(vec3_sub(mesh->vertices[t[1]], a), vec3_sub(mesh->vertices[t[2]], a));
}

/* The largest triangle without a face: its plane is the best known. Returns -1 when all have one.
 */
static int32_t largest_left(const FaceSearch *search) {
    int32_t largest = -1;
    double most = -1.0;
    for (size_t i = 0; i < search->mesh->triangle_count; i++) {
        if (search->face[i] >= 0) continue;
        Vec3 area = triangle_area(search->mesh, i);
        double squared = vec3_dot(area, area);
        if (squared > most) {
            most = squared;
            largest = (int32_t)i;
        }
    }
    return largest;
}

/* A triangle so small that it has no direction of its own belongs to any plane it lies in. */
static bool in_plane(const FaceSearch *search, size_t triangle, PolyPlane plane) {
    const TriangleMesh *mesh = search->mesh;
    for (int k = 0; k < 3; k++) {
        Vec3 p = mesh->vertices[mesh->triangles[triangle][k]];
        if (fabs(vec3_dot(plane.normal, p) - plane.offset) > search->tolerance) return false;
    }
    Vec3 area = triangle_area(mesh, triangle);
    double length = vec3_length(area);
    return vec3_dot(area, plane.normal) > 0.5 * length ||
           length < search->tolerance * search->tolerance;
}

/* Gives all triangles that hang together with `seed` in its plane the number `face`. */
static void flood_face(FaceSearch *search, int32_t seed, int32_t face) {
    const TriangleMesh *mesh = search->mesh;
    Vec3 normal = vec3_normalize(triangle_area(mesh, (size_t)seed));
    PolyPlane plane = {normal, vec3_dot(normal, mesh->vertices[mesh->triangles[seed][0]])};
    size_t waiting = 0;
    search->stack[waiting++] = seed;
    search->face[seed] = face;
    while (waiting > 0) {
        int32_t triangle = search->stack[--waiting];
        for (int k = 0; k < 3; k++) {
            int32_t other = search->twin[3 * triangle + k] / 3;
            if (search->face[other] >= 0 || !in_plane(search, (size_t)other, plane)) continue;
            search->face[other] = face;
            search->stack[waiting++] = other;
        }
    }
}

/* False when there are too many. */
static bool group_faces(FaceSearch *search, Polyhedron *out) {
    for (size_t i = 0; i < search->mesh->triangle_count; i++) search->face[i] = -1;
    for (int32_t seed; (seed = largest_left(search)) >= 0;) {
        if (out->face_count == POLYHEDRON_MOST_FACES) return false;
        flood_face(search, seed, (int32_t)out->face_count++);
    }
    return true;
}

/* Vertices where three faces or more meet are kept; the others lie within a face or an edge. */
static bool number_corners(FaceSearch *search, Polyhedron *out) {
    const TriangleMesh *mesh = search->mesh;
    for (size_t side = 0; side < 3 * mesh->triangle_count; side++)
        if (is_border(search, side)) search->corner[side_from(search, side)]++;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        bool keep = search->corner[i] >= 3;
        search->corner[i] = keep ? (int32_t)out->vertex_count : -1;
        if (!keep) continue;
        if (out->vertex_count == POLYHEDRON_MOST_VERTICES) return false;
        out->points.x[out->vertex_count] = mesh->vertices[i].x;
        out->points.y[out->vertex_count] = mesh->vertices[i].y;
        out->points.z[out->vertex_count] = mesh->vertices[i].z;
        out->vertex_count++;
    }
    return true;
}

/* Around the face from one of its border sides; returns how many sides were passed, 0 when the
 * loop has more corners than there is room for. */
static size_t walk_loop(const FaceSearch *search, size_t start, Polyhedron *out, size_t *room) {
    PolyLoop *loop = &out->loops[search->face[start / 3]];
    size_t side = start, passed = 0;
    do {
        int32_t corner = search->corner[side_from(search, side)];
        if (corner >= 0) {
            if (*room == 0) return 0;
            --*room;
            out->corners[loop->first + loop->count++] = (uint8_t)corner;
        }
        passed++;
        side = next_side(side);
        while (!is_border(search, side)) side = next_side((size_t)search->twin[side]);
    } while (side != start);
    return passed;
}

/* False when a face has a hole or fewer than three corners. */
static bool find_loops(const FaceSearch *search, Polyhedron *out) {
    size_t sides = 3 * search->mesh->triangle_count, borders = 0, passed = 0;
    size_t room = sizeof out->corners;
    for (size_t side = 0; side < sides; side++) {
        if (!is_border(search, side)) continue;
        borders++;
        PolyLoop *loop = &out->loops[search->face[side / 3]];
        if (loop->count > 0) continue;
        loop->first = (uint16_t)(sizeof out->corners - room);
        size_t around = walk_loop(search, side, out, &room);
        if (around == 0 || loop->count < 3) return false;
        passed += around;
    }
    bool all = true;
    for (size_t i = 0; i < out->face_count; i++) all = all && out->loops[i].count > 0;
    return all && passed == borders;
}

PlimStatus polyhedron_find_faces(PlimContext *context, const TriangleMesh *mesh, double size,
                                 Polyhedron *out, bool *convex) {
    FaceSearch search = {.mesh = mesh, .tolerance = COPLANAR * size};
    *convex = false;
    PlimStatus status = search_allocate(context, &search);
    if (status == PLIM_OK) status = find_twins(context, &search, convex);
    if (status == PLIM_OK && *convex)
        *convex =
            group_faces(&search, out) && number_corners(&search, out) && find_loops(&search, out);
    search_free(context, &search);
    return status;
}
