/* Building of triangle meshes of the plane: what its makers in this folder share. */
#ifndef GEOM_TRI_BUILD_H
#define GEOM_TRI_BUILD_H

#include "base/array.h"
#include "geom/tri/tri_mesh.h"

typedef struct TriCorners {
    int32_t v[3];
} TriCorners;

typedef struct TriBuild {
    PlimContext *context;
    ARRAY(Vec3) points;
    ARRAY(TriCorners) triangles;
} TriBuild;

/* The triangles, and the points that they use in the order they have. Frees nothing. */
PlimStatus tri_build_finish(const TriBuild *build, TriangleMesh *out);
void tri_build_free(TriBuild *build);

/* The first point whose z is not that of point 0, to a billionth of their extent in the plane;
 * `count` when there is none. */
size_t tri_first_off_plane(const Vec3 *points, size_t count);

/* Twice the area, negative when a, b, c run clockwise. Changes its sign exactly when b and c are
 * exchanged. */
static inline double tri_area_twice(Vec3 a, Vec3 b, Vec3 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Exchanges the last two corners when the area is negative. */
void tri_turn(const Vec3 *points, int32_t corners[3]);

/* Least and greatest angle, radians. */
void tri_angles(Vec3 a, Vec3 b, Vec3 c, double *least, double *greatest);

#endif
