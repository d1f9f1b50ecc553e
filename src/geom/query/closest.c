/* Closest point on a triangle or segment by barycentric coordinates. */
#include "geom/query/closest.h"

#include <float.h>
#include <stdbool.h>

Vec3 closest_on_segment(Vec3 p, Vec3 a, Vec3 b, double *along) {
    Vec3 edge = vec3_sub(b, a);
    double length2 = vec3_dot(edge, edge);
    double t = length2 > 0.0 ? vec3_dot(vec3_sub(p, a), edge) / length2 : 0.0;
    if (!(t > 0.0)) t = 0.0;
    if (t >= 1.0) {
        *along = 1.0;
        return b; /* not a + 1 (b - a), which may round to something else */
    }
    *along = t;
    return vec3_add_scaled(a, t, edge);
}

/* The triangle with its longest edge first: corner[0], corner[1] span it. `from[i]` is the place of
 * corner[i] among the caller's a, b, c. */
typedef struct Sorted {
    Vec3 corner[3];
    int from[3];
} Sorted;

static Sorted longest_edge_first(Vec3 a, Vec3 b, Vec3 c) {
    Vec3 ab = vec3_sub(b, a), bc = vec3_sub(c, b), ca = vec3_sub(a, c);
    double ab2 = vec3_dot(ab, ab), bc2 = vec3_dot(bc, bc), ca2 = vec3_dot(ca, ca);
    if (ab2 >= bc2 && ab2 >= ca2) return (Sorted){{a, b, c}, {0, 1, 2}};
    if (bc2 >= ca2) return (Sorted){{b, c, a}, {1, 2, 0}};
    return (Sorted){{c, a, b}, {2, 0, 1}};
}

/* Barycentric coordinates of p's projection onto the plane; false when the triangle is no wider
 * than rounding, and so no more than its edges. With x measured along the longest edge and y across
 * it, the third weight is y / height and the rest follows from x: the error of the point is then
 * that of x and y, however flat the triangle. Both p and the apex are first freed of their part
 * along the edge, or that part, times the rounding of the other, would drown the height. */
static bool project(const Sorted *t, Vec3 p, double weights[3]) {
    Vec3 base = vec3_sub(t->corner[1], t->corner[0]);
    Vec3 side = vec3_sub(t->corner[2], t->corner[0]);
    Vec3 q = vec3_sub(p, t->corner[0]);
    double base2 = vec3_dot(base, base);
    if (!(base2 > 0.0)) return false;
    double side_along = vec3_dot(side, base) / base2;
    Vec3 across = vec3_add_scaled(side, -side_along, base);
    double height2 = vec3_dot(across, across);
    const double flat = 8.0 * DBL_EPSILON;
    if (!(height2 > flat * flat * base2)) return false;
    double q_along = vec3_dot(q, base) / base2;
    weights[2] = vec3_dot(vec3_add_scaled(q, -q_along, base), across) / height2;
    weights[1] = q_along - weights[2] * side_along;
    weights[0] = 1.0 - (weights[1] + weights[2]);
    return true;
}

Vec3 closest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, double weights[3]) {
    Sorted t = longest_edge_first(a, b, c);
    double w[3] = {-1.0, -1.0, -1.0}; /* too flat: every edge is a candidate */
    bool wide = project(&t, p, w);
    if (wide && w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0) {
        for (int i = 0; i < 3; i++) weights[t.from[i]] = w[i];
        Vec3 base = vec3_sub(t.corner[1], t.corner[0]), side = vec3_sub(t.corner[2], t.corner[0]);
        return vec3_add_scaled(vec3_add_scaled(t.corner[0], w[1], base), w[2], side);
    }
    /* Outside, the nearest point lies on an edge whose line separates p from the triangle. */
    Vec3 nearest = t.corner[0];
    double least = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        if (!(w[i] < 0.0)) continue;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double along;
        Vec3 candidate = closest_on_segment(p, t.corner[j], t.corner[k], &along);
        Vec3 gap = vec3_sub(p, candidate);
        double distance2 = vec3_dot(gap, gap);
        if (!(distance2 < least)) continue;
        least = distance2;
        nearest = candidate;
        weights[t.from[i]] = 0.0;
        weights[t.from[j]] = 1.0 - along;
        weights[t.from[k]] = along;
    }
    return nearest;
}

/* Where the lines are nearest if that is on both segments, else at one of the four ends. */
Vec3 closest_between_segments(Vec3 a, Vec3 b, Vec3 c, Vec3 d, double *along, double *across,
                              Vec3 *other) {
    Vec3 u = vec3_sub(b, a), v = vec3_sub(d, c), w = vec3_sub(a, c);
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v);
    double uw = vec3_dot(u, w), vw = vec3_dot(v, w), det = uu * vv - uv * uv;
    if (det > 8.0 * DBL_EPSILON * uu * vv) {
        double s = (uv * vw - vv * uw) / det, r = (uu * vw - uv * uw) / det;
        if (s >= 0.0 && s <= 1.0 && r >= 0.0 && r <= 1.0) {
            *along = s;
            *across = r;
            *other = vec3_add_scaled(c, r, v);
            return vec3_add_scaled(a, s, u);
        }
    }
    const Vec3 ends[4] = {a, b, c, d};
    Vec3 nearest = a;
    double least = HUGE_VAL;
    for (int k = 0; k < 4; k++) {
        double t;
        Vec3 p = ends[k],
             q = k < 2 ? closest_on_segment(p, c, d, &t) : closest_on_segment(p, a, b, &t);
        Vec3 gap = vec3_sub(p, q);
        double distance2 = vec3_dot(gap, gap);
        if (!(distance2 < least)) continue;
        least = distance2;
        *along = k < 2 ? (double)k : t;
        *across = k < 2 ? t : (double)(k - 2);
        nearest = k < 2 ? p : q;
        *other = k < 2 ? q : p;
    }
    return nearest;
}
