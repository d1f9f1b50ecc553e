/* Nearest points of a point and a face, or of two edges, as weights of their corners. */
#include "collide/mesh/mesh_collision.h"
#include "geom/query/closest.h"

Vec3 mesh_collision_nearest(int dim, int kind, const Vec3 x[4], double w[4]) {
    Vec3 a, b;
    if (kind == EDGE_EDGE) {
        double s, r;
        a = closest_between_segments(x[0], x[1], x[2], x[3], &s, &r, &b);
        w[0] = 1 - s, w[1] = s, w[2] = -(1 - r), w[3] = -r;
    } else if (dim == 3) {
        double inside[3];
        a = x[0];
        b = closest_on_triangle(a, x[1], x[2], x[3], inside);
        w[0] = 1;
        for (int k = 0; k < 3; k++) w[k + 1] = -inside[k];
    } else {
        double along;
        a = x[0];
        b = closest_on_segment(a, x[1], x[2], &along);
        w[0] = 1, w[1] = -(1 - along), w[2] = -along, w[3] = 0;
    }
    return vec3_sub(a, b);
}
