/* Bending of sheets: the energy sum over patches of c/2 |sum_h w_h (theta_h - rest_h)|^2 over
 * angles theta of hinges, with fixed weights. A patch is a hinge alone (000 section 3.2.2), or the
 * ring of a vertex and the triangles in it, whose mean curvature tensor the sum is. For the files
 * of bending and what calls them. */
#ifndef DEFORM_BENDING_H
#define DEFORM_BENDING_H

#include "base/array.h"
#include "deform/hinge.h"

typedef struct BendHinge {
    Hinge shape;
    int32_t corners[4];
    int32_t body;
    int32_t home; /* the patch that adds its second derivatives to the matrix */
    double rest;
} BendHinge;

typedef struct BendEntry {
    int32_t hinge, patch;
    int32_t at[4];    /* its corners among the nodes of the patch */
    double weight[3]; /* 1/m of xx, yy and sqrt(2) xy of the curvature; of a hinge alone 1, 0, 0 */
} BendEntry;

typedef struct BendPatch {
    size_t first_entry, entry_count, first_node, node_count;
    size_t first_block; /* of node_count^2 places in the matrix */
    double factor;      /* c: N m^3, or N m of a hinge alone */
    double damping;     /* s */
} BendPatch;

enum { BEND_MOST_NODES = 256 }; /* of a patch */

typedef struct DeformBending {
    ARRAY(BendHinge) hinges;
    ARRAY(BendPatch) patches;
    ARRAY(BendEntry) entries;
    ARRAY(int32_t) nodes, blocks;
    ARRAY(size_t) hinge_start; /* of a hinge in hinge_entries, one more */
    ARRAY(int32_t) hinge_entries;
    /* Of the last evaluation. */
    ARRAY(double) angle, rate; /* 1, 1/s: less that at rest; of change */
    ARRAY(Vec3) gradient;      /* 1/m, four a hinge */
    ARRAY(double) stress;      /* three a patch: c (strain + damping times rate) */
    ARRAY(double) energy;      /* J, of each patch */
    ARRAY(Vec3) force;         /* N, four a hinge */
    ARRAY(double) moment;      /* N m, of each hinge */
} DeformBending;

#endif
