/* A sample tree: a bounding volume hierarchy over vertices and edges. */
#ifndef COLLIDE_SAMPLE_TREE_H
#define COLLIDE_SAMPLE_TREE_H

#include "collide/sample.h"

#include <stdint.h>

/* All samples under a node are within `reach` of `center`. Nodes are in the order of a walk that
 * goes down first; a walk that skips a node goes on at `skip`. */
typedef struct SampleNode {
    Vec3 center;
    double reach;          /* m */
    uint32_t first, count; /* samples of a leaf; count 0: not a leaf */
    uint32_t skip;
} SampleNode;

/* `inward` is a unit vector towards the body's inside, zero where the surface has a border. The
 * surface can press along normals within a cone about it: `least` is the cosine of its half angle,
 * with some play. */
typedef struct SampleVertex {
    Vec3 place, inward;
    double least;
} SampleVertex;

typedef struct SampleEdge {
    Vec3 from, to, inward;
    double least;
} SampleEdge;

/* Vertices and edges have trees of their own: a long edge would make a box of small ones large. */
struct SampleTree {
    SampleVertex *vertices;
    SampleEdge *edges;
    SampleNode *vertex_nodes, *edge_nodes;
    size_t vertex_count, edge_count, vertex_node_count, edge_node_count;
};

#endif
