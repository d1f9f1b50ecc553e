/* A triangle mesh while a file is read: vertices and polygons come one after another, in any order.
 */
#ifndef GEOM_MESH_BUILDER_H
#define GEOM_MESH_BUILDER_H

#include "base/array.h"
#include "geom/mesh/mesh.h"

typedef int32_t Triangle[3];

/* A face of four corners or more, held as the fan of corners - 2 triangles about its first corner
 * until all vertices are known and it can be cut well. */
typedef struct BuilderPolygon {
    size_t first_triangle, corners;
} BuilderPolygon;

typedef struct MeshBuilder {
    PlimContext *context;
    const char *label; /* of the file, for messages */
    ARRAY(Vec3) vertices;
    ARRAY(Triangle) triangles;
    ARRAY(BuilderPolygon) polygons;
    ARRAY(int32_t) corners; /* of the face at hand */
} MeshBuilder;

/* The face of the corners at hand, three or more, which are then forgotten. */
PlimStatus builder_add_face(MeshBuilder *builder);

/* Cuts the polygons and hands the mesh over. Every index must be that of a vertex. A mesh of no
 * triangles is refused. */
PlimStatus builder_finish(MeshBuilder *builder, TriangleMesh *out);

void builder_free(MeshBuilder *builder);

#endif
