/* What the files of mesh collisions share. */
#ifndef COLLIDE_MESH_COLLISION_DATA_H
#define COLLIDE_MESH_COLLISION_DATA_H

#include "base/parallel.h"
#include "collide/mesh/mesh_collision.h"
#include "collide/moving.h"
#include "geom/query/bvh.h"

typedef struct FacePair {
    int32_t a, b; /* a < b */
} FacePair;

/* Which faces a node or an edge belongs to. */
typedef struct FacesOf {
    size_t *start;
    int32_t *faces;
} FacesOf;

struct MeshCollision {
    PlimContext *context;
    int dim;
    bool affine_zones, rigid_surfaces;
    size_t node_count, face_count, edge_count;
    int32_t (*faces)[3];
    int32_t (*edges)[2];
    Vec3 *rest;
    int32_t *surface, *solver; /* solver: NULL: of none */
    double *thickness, *friction;
    double thickest;
    FacesOf faces_of_node, faces_of_edge;

    /* Broad phase: corners of the boxes of nodes, low ones first, then high ones. */
    Vec3 *boxes;
    int32_t *box_points, *box_faces, *box_edges; /* indices of primitives in them */
    Bvh *points, *surfaces, *lines;
    BvhPairs candidates[PAIR_KINDS];

    CollisionPairs near, ahead; /* of repulsions; for solves */
    ARRAY(double) pushed;       /* m kg: accumulated along the normal, of each near pair */
    ARRAY(uint8_t) found;       /* of each candidate */
    ARRAY(CollisionPair) hits;  /* of the last search */
    int32_t *changed;           /* number of the search after which a node changed */
    int32_t *zone;              /* root of the node's zone; -1: in none */
    int32_t *next_in_zone;      /* nodes of a zone, in a circle */
    uint8_t *stands;            /* whether the node stands still, see zones.c */
    int32_t search;
    ARRAY(FacePair) crossing; /* at x0, sorted */
    ARRAY(FacePair) crossing_more;
};

/* ---- candidates.c ---- */

/* Boxes of nodes on their way from x0 to x1, grown by a margin. */
PlimStatus collision_find_candidates(MeshCollision *m, const CollisionStep *step);
/* Trees after boxes changed. */
PlimStatus collision_refit(MeshCollision *m);
/* False: a node has left its box. */
bool collision_boxes_hold(const MeshCollision *m, const CollisionStep *step);
/* The nodes of a candidate: point and corners of a face, or ends of two edges. */
void collision_corners(const MeshCollision *m, int kind, BvhPair pair, int32_t nodes[4]);
/* Takes out candidates that do not apply. */
void collision_filter_candidates(MeshCollision *m, const CollisionStep *step);

/* ---- proximity.c ---- */

PlimStatus collision_find_near(MeshCollision *m, const CollisionStep *step);
/* Stops approach of near pairs, which is an impulse. */
void collision_stop_approach(MeshCollision *m, const CollisionStep *step);
/* A tenth of the distance that they lack is made good, which should be no velocity. */
void collision_push_out(MeshCollision *m, const CollisionStep *step);

/* ---- impact.c ---- */

/* Moving contacts of candidates with nodes that changed since the last search, into `hits`. */
PlimStatus collision_find_hits(MeshCollision *m, const CollisionStep *step);
/* Stops each, one after the other. */
void collision_stop_hits(MeshCollision *m, const CollisionStep *step);
/* Displaces the nodes of a pair along a direction by an impulse times seconds, kg m. */
void collision_push(MeshCollision *m, const CollisionStep *step, const CollisionPair *pair,
                    Vec3 along, double amount);
/* Inverse mass that an impulse between them along a unit vector meets. */
double collision_softness(const CollisionStep *step, const CollisionPair *pair, Vec3 along);
/* The same if none leaned on a wall. */
double collision_free_softness(const CollisionStep *step, const CollisionPair *pair);
Vec3 collision_relative(const CollisionStep *step, const CollisionPair *pair);
/* Coulomb friction that goes with a push along the normal, both kg m. */
void collision_rub(MeshCollision *m, const CollisionStep *step, const CollisionPair *pair,
                   double pushed);

/* ---- zones.c ---- */

PlimStatus collision_zones(MeshCollision *m, const CollisionStep *step, CollisionFigures *figures);

/* ---- crossings.c ---- */

bool collision_known_crossing(const MeshCollision *m, int kind, BvhPair pair);
/* A moving contact that nothing stops: its faces may cross from now on. */
PlimStatus collision_let_go(MeshCollision *m, const CollisionPair *pair);
/* Finds pairs that cross at x beside those that did, and forgets those that do not. */
PlimStatus collision_follow_crossings(MeshCollision *m, const Vec3 *x);

#endif
