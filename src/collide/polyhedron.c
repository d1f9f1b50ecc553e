/* Convex polyhedra: planes, edges and neighbours of their faces. */
#include "collide/polyhedron_data.h"

/* How far, of the size, a vertex may stand out of a face's plane. */
static const double CONVEX = 1e-6;
/* Sine of the angle up to which edges share a direction. */
static const double PARALLEL = 1e-9;
/* Up to this length of their sum two normals are opposite. */
static const double OPPOSITE = 1e-12;

/* Differences to the first corner, and no product with an inverse, so that faces along the axes
 * have normals along the axes, exactly. */
static PolyPlane loop_plane(const Polyhedron *polyhedron, PolyLoop loop) {
    const uint8_t *corners = &polyhedron->corners[loop.first];
    Vec3 origin = poly_point(&polyhedron->points, corners[0]), area = {0};
    for (size_t i = 2; i < loop.count; i++) {
        Vec3 p = vec3_sub(poly_point(&polyhedron->points, corners[i - 1]), origin);
        Vec3 q = vec3_sub(poly_point(&polyhedron->points, corners[i]), origin);
        area = vec3_add(area, vec3_cross(p, q));
    }
    double length = vec3_length(area), sum = 0.0;
    Vec3 normal = vec3(area.x / length, area.y / length, area.z / length);
    for (size_t i = 1; i < loop.count; i++)
        sum += vec3_dot(normal, vec3_sub(poly_point(&polyhedron->points, corners[i]), origin));
    return (PolyPlane){normal, vec3_dot(normal, origin) + sum / loop.count};
}

/* False when a vertex stands out of a plane. */
static bool find_planes(Polyhedron *polyhedron) {
    for (size_t i = 0; i < polyhedron->face_count; i++) {
        PolyPlane plane = loop_plane(polyhedron, polyhedron->loops[i]);
        polyhedron->planes[i] = plane;
        for (size_t k = 0; k < polyhedron->vertex_count; k++) {
            double out = vec3_dot(plane.normal, poly_point(&polyhedron->points, k)) - plane.offset;
            if (!(out <= CONVEX * polyhedron->size)) return false;
        }
    }
    return true;
}

/* The face on whose loop `to` follows `from`; -1: none or several. */
static int face_along(const Polyhedron *polyhedron, uint8_t from, uint8_t to) {
    int found = -1;
    for (size_t i = 0; i < polyhedron->face_count; i++) {
        PolyLoop loop = polyhedron->loops[i];
        const uint8_t *corners = &polyhedron->corners[loop.first];
        for (size_t k = 0; k < loop.count; k++) {
            if (corners[k] != from || corners[(k + 1) % loop.count] != to) continue;
            if (found >= 0) return -1;
            found = (int)i;
        }
    }
    return found;
}

/* False when the faces do not close to a ball. */
static bool find_edges(Polyhedron *polyhedron) {
    for (size_t i = 0; i < polyhedron->face_count; i++) {
        PolyLoop loop = polyhedron->loops[i];
        const uint8_t *corners = &polyhedron->corners[loop.first];
        for (size_t k = 0; k < loop.count; k++) {
            uint8_t from = corners[k], to = corners[(k + 1) % loop.count];
            int left = face_along(polyhedron, from, to), right = face_along(polyhedron, to, from);
            if (left < 0 || right < 0) return false;
            if (from > to) continue; /* met from the other side */
            if (polyhedron->edge_count == POLYHEDRON_MOST_EDGES) return false;
            polyhedron->edges[polyhedron->edge_count++] =
                (PolyEdge){from, to, (uint8_t)left, (uint8_t)right};
        }
    }
    return polyhedron->vertex_count + polyhedron->face_count == polyhedron->edge_count + 2;
}

static Vec3 edge_direction(const Polyhedron *polyhedron, PolyEdge edge) {
    return vec3_normalize(vec3_sub(poly_point(&polyhedron->points, edge.to),
                                   poly_point(&polyhedron->points, edge.from)));
}

/* Sorts the edges by direction and turns them to run along it. */
static void bundle_edges(Polyhedron *polyhedron) {
    size_t done = 0;
    while (done < polyhedron->edge_count) {
        Vec3 direction = edge_direction(polyhedron, polyhedron->edges[done]);
        PolyBundle bundle = {(uint8_t)done, 0};
        for (size_t i = done; i < polyhedron->edge_count; i++) {
            PolyEdge edge = polyhedron->edges[i];
            Vec3 along = edge_direction(polyhedron, edge);
            if (vec3_length(vec3_cross(direction, along)) > PARALLEL) continue;
            if (vec3_dot(direction, along) < 0.0)
                edge = (PolyEdge){edge.to, edge.from, edge.right, edge.left};
            polyhedron->edges[i] = polyhedron->edges[done];
            polyhedron->edges[done++] = edge;
            bundle.count++;
        }
        polyhedron->directions[polyhedron->bundle_count] = direction;
        polyhedron->bundles[polyhedron->bundle_count++] = bundle;
    }
}

static void pair_faces(Polyhedron *polyhedron) {
    bool paired[POLYHEDRON_MOST_FACES] = {false};
    for (size_t i = 0; i < polyhedron->face_count; i++) {
        if (paired[i]) continue;
        PolySlab slab = {(uint8_t)i, (uint8_t)i};
        for (size_t k = i + 1; k < polyhedron->face_count; k++) {
            Vec3 sum = vec3_add(polyhedron->planes[i].normal, polyhedron->planes[k].normal);
            if (paired[k] || vec3_length(sum) > OPPOSITE) continue;
            slab.opposite = (uint8_t)k;
            paired[k] = true;
            break;
        }
        polyhedron->slabs[polyhedron->slab_count++] = slab;
    }
}

static void surround(Polyhedron *polyhedron) {
    PolyPoints *points = &polyhedron->points;
    Box3 box = box3_empty();
    for (size_t i = 0; i < polyhedron->vertex_count; i++)
        box = box3_add_point(box, poly_point(points, i));
    polyhedron->center = box3_center(box);
    for (size_t i = 0; i < polyhedron->vertex_count; i++) {
        Vec3 arm = vec3_sub(poly_point(points, i), polyhedron->center);
        polyhedron->radius = fmax(polyhedron->radius, vec3_length(arm));
    }
    size_t last = polyhedron->vertex_count - 1, count = polyhedron->vertex_count;
    for (; count % POLYHEDRON_LANES != 0; count++) {
        points->x[count] = points->x[last];
        points->y[count] = points->y[last];
        points->z[count] = points->z[last];
    }
    polyhedron->padded_count = count;
}

PlimStatus polyhedron_create(PlimContext *context, const TriangleMesh *mesh, Polyhedron **out) {
    *out = NULL;
    Vec3 low, high;
    mesh_bounds(mesh, &low, &high);
    if (mesh->triangle_count < 4) return PLIM_OK;
    Polyhedron *polyhedron = context_allocate(context, 1, sizeof *polyhedron);
    if (!polyhedron) return PLIM_OUT_OF_MEMORY;
    polyhedron->size = vec3_length(vec3_sub(high, low));
    bool convex;
    PlimStatus status = polyhedron_find_faces(context, mesh, polyhedron->size, polyhedron, &convex);
    if (status == PLIM_OK && convex && find_planes(polyhedron) && find_edges(polyhedron)) {
        bundle_edges(polyhedron);
        pair_faces(polyhedron);
        surround(polyhedron);
        *out = polyhedron;
        return PLIM_OK;
    }
    polyhedron_destroy(context, polyhedron);
    return status;
}

void polyhedron_destroy(PlimContext *context, Polyhedron *polyhedron) {
    if (polyhedron) context_free(context, polyhedron, 1, sizeof *polyhedron);
}

size_t polyhedron_face_count(const Polyhedron *polyhedron) {
    return polyhedron->face_count;
}
