/* Exact intersection of edges and triangles of a surface, in the plane of segments. Touching
 * counts. It says whether a surface passes through itself or another: a start that must be refused,
 * and `plimsoll run --check-intersections`. */
#ifndef COLLIDE_CROSSING_H
#define COLLIDE_CROSSING_H

#include "base/array.h"
#include "math/vec.h"

/* Is there a point in both? Exact, for degenerate ones (no length, no area) too. See
 * geom/query/orient.h for the range of coordinates. */
bool segment_meets_triangle(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c);
bool segments_meet(Vec3 p, Vec3 q, Vec3 r, Vec3 s); /* in the x-y plane; z is ignored */

/* All surfaces that may meet, borrowed. */
typedef struct CrossingMesh {
    const Vec3 *vertices;      /* in the plane z is 0 */
    const int32_t (*edges)[2]; /* in the plane: the segments */
    size_t edge_count;
    const int32_t (*triangles)[3]; /* none in the plane */
    size_t triangle_count;
    int dim; /* 2 or 3 */
} CrossingMesh;

typedef struct CrossingPair {
    size_t edge, other; /* other: a triangle; in the plane another edge with a higher number */
} CrossingPair;

typedef struct CrossingPairs {
    ARRAY(CrossingPair) items;
} CrossingPairs;

/* Appends all pairs that meet and share no corner, sorted by edge, then other. Triangles that share
 * a corner and meet beyond it are found by an edge of one that does not end in it. */
PlimStatus crossing_find(PlimContext *context, const CrossingMesh *mesh, CrossingPairs *out);

#endif
