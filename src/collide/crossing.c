/* Segment-triangle and segment-segment intersection by exact signs. */
#include "collide/crossing.h"

#include "geom/query/orient.h"

static bool between(double a, double low, double high) {
    return low <= high ? low <= a && a <= high : high <= a && a <= low;
}

/* r lies on the line through p and q, seen along the axis: is it between them? */
static bool within_ends(Vec3 p, Vec3 q, Vec3 r, int axis) {
    int first = (axis + 1) % 3, second = (axis + 2) % 3;
    return between(vec3_component(r, first), vec3_component(p, first), vec3_component(q, first)) &&
           between(vec3_component(r, second), vec3_component(p, second), vec3_component(q, second));
}

/* Seen along an axis. Either they cross properly, or an end of one lies on the other. */
static bool segments_meet_along(Vec3 p, Vec3 q, Vec3 r, Vec3 s, int axis) {
    int side_r = orient_plane(p, q, r, axis), side_s = orient_plane(p, q, s, axis);
    if (side_r * side_s > 0) return false;
    int side_p = orient_plane(r, s, p, axis), side_q = orient_plane(r, s, q, axis);
    if (side_r * side_s < 0 && side_p * side_q < 0) return true;
    return (side_r == 0 && within_ends(p, q, r, axis)) ||
           (side_s == 0 && within_ends(p, q, s, axis)) ||
           (side_p == 0 && within_ends(r, s, p, axis)) ||
           (side_q == 0 && within_ends(r, s, q, axis));
}

bool segments_meet(Vec3 p, Vec3 q, Vec3 r, Vec3 s) {
    return segments_meet_along(p, q, r, s, 2);
}

/* On one line: their parts along each axis overlap, and along some axis all points differ as they
 * do. */
static bool collinear_segments_meet(Vec3 p, Vec3 q, Vec3 r, Vec3 s) {
    for (int axis = 0; axis < 3; axis++) {
        double a = vec3_component(p, axis), b = vec3_component(q, axis);
        double c = vec3_component(r, axis), d = vec3_component(s, axis);
        if (fmax(a, b) < fmin(c, d) || fmax(c, d) < fmin(a, b)) return false;
    }
    return true;
}

static bool segments_meet_in_space(Vec3 p, Vec3 q, Vec3 r, Vec3 s) {
    if (orient_space(p, q, r, s) != 0) return false;
    /* Seen along an axis that does not lie in their plane nothing falls together. */
    for (int axis = 0; axis < 3; axis++)
        if (orient_plane(p, q, r, axis) != 0 || orient_plane(p, q, s, axis) != 0 ||
            orient_plane(r, s, p, axis) != 0 || orient_plane(r, s, q, axis) != 0)
            return segments_meet_along(p, q, r, s, axis);
    return collinear_segments_meet(p, q, r, s);
}

/* All in one plane, in which the triangle, seen along the axis, has an area. */
static bool meet_in_plane(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c, int axis) {
    if (segments_meet_along(p, q, a, b, axis) || segments_meet_along(p, q, b, c, axis) ||
        segments_meet_along(p, q, c, a, axis))
        return true;
    /* No side is met: inside with both ends, or outside. */
    int ab = orient_plane(a, b, p, axis), bc = orient_plane(b, c, p, axis);
    return ab == bc && bc == orient_plane(c, a, p, axis);
}

bool segment_meets_triangle(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    int side_p = orient_space(a, b, c, p), side_q = orient_space(a, b, c, q);
    if (side_p * side_q > 0) return false;
    if (side_p != 0 || side_q != 0) {
        int ab = orient_space(p, q, a, b), bc = orient_space(p, q, b, c);
        if (ab * bc < 0) return false;
        int ca = orient_space(p, q, c, a);
        return ab * ca >= 0 && bc * ca >= 0;
    }
    for (int axis = 0; axis < 3; axis++)
        if (orient_plane(a, b, c, axis) != 0) return meet_in_plane(p, q, a, b, c, axis);
    return segments_meet_in_space(p, q, a, b) || segments_meet_in_space(p, q, b, c) ||
           segments_meet_in_space(p, q, c, a);
}
