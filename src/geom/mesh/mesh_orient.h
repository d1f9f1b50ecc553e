/* Mesh repair, the steps that work on triangles: slivers, orientation, nesting. */
#ifndef GEOM_MESH_ORIENT_H
#define GEOM_MESH_ORIENT_H

#include "geom/mesh/mesh.h"
#include "geom/query/box.h"

/* A triangle of no area whose longest side has one other triangle across: the two are cut anew from
 * the corner in the middle of that side, so that the surface stays where it is and stays closed,
 * which dropping the triangle would not give. *flipped counts them. */
PlimStatus mesh_flip_slivers(PlimContext *context, TriangleMesh *mesh, size_t *flipped);

/* Turns triangles so that neighbours agree and closed pieces bound what they should. No triangle
 * names a vertex twice. *turned counts those that end turned. */
PlimStatus mesh_orient(PlimContext *context, TriangleMesh *mesh, size_t *turned);

/* Triangles joined through edges of two triangles. */
typedef struct MeshPiece {
    size_t first, count; /* its part of the list of members */
    size_t turned;       /* members turned against the first one */
    Box3 box;
    double volume;  /* m^3, signed */
    double surface; /* what 6 |volume| would be if nothing cancelled */
    bool closed;
    size_t depth; /* closed pieces that hold this one */
} MeshPiece;

typedef struct MeshPieces {
    MeshPiece *items;
    size_t count;
    int32_t *piece_of; /* for each triangle */
    int32_t *members;  /* triangles piece by piece, in order */
} MeshPieces;

/* Sets the depth of every closed piece. */
PlimStatus pieces_find_depths(PlimContext *context, const TriangleMesh *mesh, MeshPieces *pieces);

#endif
