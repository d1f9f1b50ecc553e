/* A bounding volume hierarchy over triangles or segments, in double precision. Built once, refitted
 * as the vertices move. Every query gives the same answer as trying all primitives one after
 * another, ties going to the lower index; lists come out sorted. */
#ifndef GEOM_BVH_H
#define GEOM_BVH_H

#include "base/array.h"
#include "base/scratch.h"
#include "geom/mesh/mesh.h"
#include "geom/query/box.h"
#include "geom/query/ray.h"

typedef struct Bvh Bvh;

/* What the hierarchy is over; borrowed, and must live as long as the Bvh. `corners` is 3 for
 * triangles, 2 for segments; up to 6 for what only overlaps are asked of, such as swept triangles.
 */
enum { BVH_MAX_CORNERS = 6 };

typedef struct BvhInput {
    const Vec3 *vertices;
    const int32_t *indices; /* corners per primitive */
    int corners;
    size_t count;
} BvhInput;

BvhInput bvh_input_triangles(const TriangleMesh *mesh);

/* Parallel; the tree is the same for any number of threads. */
PlimStatus bvh_create(PlimContext *context, const BvhInput *input, Bvh **out);
void bvh_destroy(Bvh *bvh);

/* Boxes anew after vertices moved; the tree's shape stays. */
void bvh_refit(Bvh *bvh);

Box3 bvh_bounds(const Bvh *bvh);
size_t bvh_bytes(const Bvh *bvh);

#define BVH_NONE SIZE_MAX

typedef struct BvhClosest {
    size_t primitive; /* BVH_NONE: nothing within the limit */
    Vec3 point;
    double distance;
    double weights[3];
} BvhClosest;

/* The primitive nearest to p among those within `limit` (HUGE_VAL: any). */
BvhClosest bvh_closest(const Bvh *bvh, Vec3 p, double limit);

typedef struct BvhRayHit {
    size_t primitive; /* BVH_NONE: no hit */
    RayHit hit;
} BvhRayHit;

/* The first primitive, thickened, that the segment from..to meets. */
BvhRayHit bvh_ray_first(const Bvh *bvh, Vec3 from, Vec3 to, double thickness);

/* How `to` is seen from `from` past the thickened surface: inside a wedge, behind one, or visible.
 */
Visibility bvh_visibility(const Bvh *bvh, Vec3 from, Vec3 to, double thickness);

typedef struct BvhList {
    ARRAY(size_t) items;
} BvhList;

/* Primitives whose boxes overlap the box, or come within the radius of p; appended, sorted. */
PlimStatus bvh_overlap_box(const Bvh *bvh, Box3 box, BvhList *out);
PlimStatus bvh_overlap_ball(const Bvh *bvh, Vec3 p, double radius, BvhList *out);

typedef struct BvhPair {
    size_t a, b;
} BvhPair;

typedef struct BvhPairs {
    ARRAY(BvhPair) items;
} BvhPairs;

/* Pairs whose boxes, grown by `margin` in all, overlap; sorted by a then b. With a == b each pair
 * is named once, a < b, and primitives that share a vertex are left out. */
PlimStatus bvh_overlap_pairs(const Bvh *a, const Bvh *b, double margin, Scratch *scratch,
                             BvhPairs *out);

#endif
