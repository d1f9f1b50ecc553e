/* Building of tetrahedral meshes: what its makers in this folder share. */
#ifndef GEOM_TET_BUILD_H
#define GEOM_TET_BUILD_H

#include "base/array.h"
#include "geom/tet/tet_mesh.h"

typedef struct TetCorners {
    int32_t v[4];
} TetCorners;

typedef struct TetBuild {
    PlimContext *context;
    ARRAY(Vec3) points;
    ARRAY(TetCorners) tets;
} TetBuild;

/* The tetrahedra, and the points that they use in the order they have. Frees nothing. */
PlimStatus tet_build_finish(const TetBuild *build, TetMesh *out);
void tet_build_free(TetBuild *build);

/* Adds a tetrahedron that was read, on points that are there; its last two corners change places
 * when its volume is negative. */
PlimStatus tet_build_add(TetBuild *build, TetCorners corners);

#endif
