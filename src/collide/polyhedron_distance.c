/* Signed distance of a convex polyhedron, exact: inside by the nearest of its planes, outside by
 * the nearest point of the faces that look at the point (closest point on a convex polygon). */
#include "collide/polyhedron_data.h"
#include "geom/query/closest.h"

#include <math.h>

static Vec3 corner(const Polyhedron *p, const PolyLoop *loop, size_t i) {
    return poly_point(&p->points, p->corners[loop->first + (i < loop->count ? i : 0)]);
}

static double height_over(const PolyPlane *plane, Vec3 x) {
    return vec3_dot(plane->normal, x) - plane->offset;
}

/* Whether x, dropped onto the plane of a face, lands within it. */
static bool is_over(const Polyhedron *p, size_t face, Vec3 x) {
    const PolyLoop *loop = &p->loops[face];
    for (size_t i = 0; i < loop->count; i++) {
        Vec3 a = corner(p, loop, i), b = corner(p, loop, i + 1);
        Vec3 across = vec3_cross(vec3_sub(b, a), vec3_sub(x, a));
        if (vec3_dot(across, p->planes[face].normal) < 0.0) return false;
    }
    return true;
}

/* The point of the sides of a face that is nearest to x. */
static Vec3 nearest_on_sides(const Polyhedron *p, size_t face, Vec3 x) {
    const PolyLoop *loop = &p->loops[face];
    Vec3 best = corner(p, loop, 0);
    double least = HUGE_VAL;
    for (size_t i = 0; i < loop->count; i++) {
        double along;
        Vec3 at = closest_on_segment(x, corner(p, loop, i), corner(p, loop, i + 1), &along);
        double square = vec3_dot(vec3_sub(x, at), vec3_sub(x, at));
        if (square < least) best = at;
        least = fmin(least, square);
    }
    return best;
}

double polyhedron_distance(const void *polyhedron, Vec3 x, Vec3 *normal) {
    const Polyhedron *p = polyhedron;
    size_t highest = 0;
    double height = -HUGE_VAL, least = HUGE_VAL;
    for (size_t face = 0; face < p->face_count; face++) {
        double over = height_over(&p->planes[face], x);
        if (over > height) highest = face;
        height = fmax(height, over);
    }
    *normal = p->planes[highest].normal;
    if (!(height > 0.0) || is_over(p, highest, x)) return height;
    for (size_t face = 0; face < p->face_count; face++) {
        if (!(height_over(&p->planes[face], x) > 0.0)) continue;
        Vec3 apart = vec3_sub(x, nearest_on_sides(p, face, x));
        double distance = vec3_length(apart);
        if (distance < least && distance > 0.0) *normal = vec3_scale(1.0 / distance, apart);
        least = fmin(least, distance);
    }
    return least;
}
