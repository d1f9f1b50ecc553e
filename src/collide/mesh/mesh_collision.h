/* Surfaces that never pass through themselves or one another (000 sections 3.2.2, 3.2.3; 003
 * section 3.2): repulsions within a thickness, inelastic impulses where moving points meet faces or
 * edges meet edges, and impact zones for what is left. On plain arrays: nodes go from x0 to x1 on
 * straight lines, and x1 is changed until nothing crosses on the way. */
#ifndef COLLIDE_MESH_COLLISION_H
#define COLLIDE_MESH_COLLISION_H

#include "base/array.h"
#include "base/scratch.h"
#include "math/vec.h"

typedef struct MeshCollision MeshCollision;

/* What does not change from step to step. Arrays are copied. */
typedef struct MeshCollisionDesc {
    int dim; /* 3: faces are triangles; 2: segments, z = 0 */
    size_t node_count, face_count;
    const int32_t (*faces)[3];
    const Vec3 *rest;        /* m: parts of one surface that lie near each other at rest may stay */
    const int32_t *surface;  /* of each node: which surface it belongs to */
    const double *thickness; /* m, of each node: two faces keep the mean of theirs apart */
    const double *friction;  /* of each node; the greater one counts */
    /* Of each node: whose implicit solve keeps it apart from other nodes of the same number; -1: no
     * one's, or NULL: of none. Repulsions leave such pairs alone down to half their distance. */
    const int32_t *solver;
    bool rigid_surfaces; /* no surface meets itself */
    bool affine_zones;   /* zones move by affine maps where they can, else as rigid bodies */
} MeshCollisionDesc;

PlimStatus mesh_collision_create(PlimContext *context, const MeshCollisionDesc *desc,
                                 MeshCollision **out);
void mesh_collision_destroy(MeshCollision *m);

/* How a node takes part. */
typedef enum CollisionNode {
    COLLISION_FREE,  /* goes where impulses send it */
    COLLISION_GIVEN, /* goes to its x1, but stands still where all else would make it cross */
    COLLISION_RIGID  /* goes to its x1, whatever comes */
} CollisionNode;

typedef struct CollisionStep {
    const Vec3 *x0;             /* m, at the start: nothing crosses but the pairs known to */
    Vec3 *x1;                   /* m, candidate; then the answer */
    Vec3 *pushed_out;           /* m: the part of it that only makes good for lacking distance, and
                                   should not become velocity */
    const double *inverse_mass; /* 1/kg, of each node; 0 unless it is free */
    const int32_t *kind;        /* CollisionNode of each */
    const Vec3 *wall; /* unit normal of a wall that a node leans on: no impulse moves it along
                         that; zero: none */
    /* Changes x1 where surfaces have limits of their own; NULL: they have none. */
    void (*limit)(void *user, Vec3 *x1);
    void *limit_user;
    int threads;
    Scratch *scratch;
} CollisionStep;

enum { POINT_FACE, EDGE_EDGE, PAIR_KINDS };

/* A point beside a face, or two edges: the vector between them is the sum of weights times places.
 */
typedef struct CollisionPair {
    int32_t kind;      /* POINT_FACE, EDGE_EDGE */
    int32_t parts[2];  /* number of node and face, or of both edges */
    int32_t nodes[4];  /* in the plane the last one repeats the one before, with weight 0 */
    double weights[4]; /* add up to 0 */
    Vec3 normal;       /* unit, from the second to the first */
    double distance;   /* m, at x0; not of moving contacts */
    double lacks;      /* m: so much it is nearer than it should be */
    double share;      /* of a pair's stiffness, 0 to 1: see mesh_collision_find_pairs */
} CollisionPair;

typedef struct CollisionPairs {
    ARRAY(CollisionPair) items;
} CollisionPairs;

/* What happened, for statistics. */
typedef struct CollisionFigures {
    double proximities; /* pairs within their thickness */
    double hits;        /* moving contacts that impulses met */
    double passes;      /* of finding them and pushing */
    double zones;       /* impact zones at the end */
    double zone_nodes;
    double still;   /* nodes that stand still, for nothing else kept them from crossing */
    double yielded; /* given nodes that did not get where they should */
    double left;    /* pairs of faces that cross */
} CollisionFigures;

/* The loop of 000 section 3.2.3 on a candidate. */
PlimStatus mesh_collision_run(MeshCollision *m, const CollisionStep *step,
                              CollisionFigures *figures);

/* Moving contacts of a candidate alone, for surfaces that answer by themselves; x1 stays. They are
 * valid until the next call. */
PlimStatus mesh_collision_find_hits(MeshCollision *m, const CollisionStep *step,
                                    CollisionPair **hits, size_t *count);

/* Takes the approach of what was near in the last run out of velocities: x0 is zero, x1 velocities.
 */
void mesh_collision_stop(MeshCollision *m, const CollisionStep *step);

/* Signed weights of the nearest points of a point and a face, or of two edges, that have the
 * corners x; returns the vector between them, from the second to the first. */
Vec3 mesh_collision_nearest(int dim, int kind, const Vec3 x[4], double weights[4]);

/* Pairs that may come within their distance on the way from x0 to x1, for solves that keep them
 * apart. `lacks` may be negative; distance + lacks is what they should keep. Edges have a smaller
 * share where they are nearly parallel or meet near their ends: there the nearest points jump, and
 * points beside faces hold. Valid until the next call. */
PlimStatus mesh_collision_find_pairs(MeshCollision *m, const CollisionStep *step);
const CollisionPairs *mesh_collision_pairs(const MeshCollision *m);

/* Proximities at x0 of the last run. */
const CollisionPairs *mesh_collision_proximities(const MeshCollision *m);

/* Finds pairs of faces that cross or touch at x, exactly. They are left out of account until they
 * part. */
PlimStatus mesh_collision_find_crossings(MeshCollision *m, const Vec3 *x, size_t *count);

/* The faces of one of those pairs. */
void mesh_collision_crossing(const MeshCollision *m, size_t i, int32_t faces[2]);

/* A corner of a face, and the surface it belongs to. */
void mesh_collision_face(const MeshCollision *m, int32_t face, int32_t *node, int32_t *surface);

#endif
