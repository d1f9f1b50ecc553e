/* A polyhedron prepared for the search for separating axes. */
#ifndef COLLIDE_POLYHEDRON_DATA_H
#define COLLIDE_POLYHEDRON_DATA_H

#include "collide/polyhedron.h"

#include <stdint.h>

/* Three faces or more meet at a vertex, so that Euler's V - E + F = 2 bounds the others by F. */
enum {
    POLYHEDRON_MOST_VERTICES = 2 * POLYHEDRON_MOST_FACES - 4,
    POLYHEDRON_MOST_EDGES = 3 * POLYHEDRON_MOST_FACES - 6,
    POLYHEDRON_LANES = 4 /* vertices are counted up to a multiple of this by repeating one */
};

/* Coordinates apart from each other: dot products with all of them are one vector loop each. */
typedef struct PolyPoints {
    double x[POLYHEDRON_MOST_VERTICES], y[POLYHEDRON_MOST_VERTICES], z[POLYHEDRON_MOST_VERTICES];
} PolyPoints;

_Static_assert(POLYHEDRON_MOST_VERTICES % POLYHEDRON_LANES == 0, "room to round up");

typedef struct PolyPlane {
    Vec3 normal;   /* unit, outward */
    double offset; /* m, normal . x on the plane */
} PolyPlane;

/* The vertices around a face, counter-clockwise from outside: corners[first + i]. */
typedef struct PolyLoop {
    uint16_t first, count;
} PolyLoop;

/* Seen from outside, `left` lies on the left of the way from `from` to `to`. */
typedef struct PolyEdge {
    uint8_t from, to;    /* vertices */
    uint8_t left, right; /* faces */
} PolyEdge;

/* Edges of one direction: edges[first + i], all running along it. */
typedef struct PolyBundle {
    uint8_t first, count;
} PolyBundle;

/* A face and, where there is one, the face with the opposite normal; otherwise equal numbers. */
typedef struct PolySlab {
    uint8_t face, opposite;
} PolySlab;

struct Polyhedron {
    size_t vertex_count, padded_count, face_count, edge_count, bundle_count, slab_count;
    double size; /* m, diagonal of its box */
    Vec3 center; /* m, of the ball around it */
    double radius;
    PolyPoints points;
    PolyPlane planes[POLYHEDRON_MOST_FACES];
    PolySlab slabs[POLYHEDRON_MOST_FACES];
    Vec3 directions[POLYHEDRON_MOST_EDGES]; /* unit, one a bundle */
    PolyBundle bundles[POLYHEDRON_MOST_EDGES];
    PolyEdge edges[POLYHEDRON_MOST_EDGES];
    PolyLoop loops[POLYHEDRON_MOST_FACES];
    uint8_t corners[2 * POLYHEDRON_MOST_EDGES];
};

static inline Vec3 poly_point(const PolyPoints *points, size_t i) {
    return vec3(points->x[i], points->y[i], points->z[i]);
}

/* The faces of a closed mesh: which triangles lie in one plane, and the loops of vertices around
 * them. *convex is false, and the rest of `out` not to be used, when the mesh is not closed, has
 * too many faces, or a face is not bounded by one loop. */
PlimStatus polyhedron_find_faces(PlimContext *context, const TriangleMesh *mesh, double size,
                                 Polyhedron *out, bool *convex);

#endif
