/* Triangle-triangle intersection and degenerate triangles, with bounds on rounding. */
#include "geom/mesh/mesh_predicates.h"

#include <float.h>

static double largest_component(Vec3 a) {
    return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
}

bool triangle_is_flat(Vec3 a, Vec3 b, Vec3 c) {
    Vec3 u = vec3_sub(b, a), v = vec3_sub(c, a), w = vec3_sub(c, b);
    double size = fmax(fmax(largest_component(u), largest_component(v)), largest_component(w));
    double reach = fmax(fmax(largest_component(a), largest_component(b)), largest_component(c));
    if (!(size > 0.0)) return true;
    /* Scaled to about one: the products of tiny or huge lengths keep in range. */
    double scale = 1.0 / size;
    if (!isfinite(scale)) return true;
    u = vec3_scale(scale, u), v = vec3_scale(scale, v), w = vec3_scale(scale, w);
    double longest = fmax(fmax(vec3_length(u), vec3_length(v)), vec3_length(w));
    double rounding = 4.0 * DBL_EPSILON * fmax(reach * scale, 1.0);
    return !(vec3_length(vec3_cross(u, v)) > rounding * longest);
}

/* Which side of the plane of t each corner of p is on: n . (p - t), or 0 when the corners, moved
 * within their rounding, could lie on the other side. True when there are corners strictly on both
 * sides. */
static bool straddles(const Vec3 t[3], const Vec3 p[3], double rounding, double side[3],
                      double *blur) {
    Vec3 u = vec3_sub(t[1], t[0]), v = vec3_sub(t[2], t[0]), normal = vec3_cross(u, v);
    double length_u = vec3_length(u), length_v = vec3_length(v);
    bool above = false, below = false;
    *blur = 0.0;
    for (int k = 0; k < 3; k++) {
        Vec3 w = vec3_sub(p[k], t[0]);
        /* The change of u x v . w as each vector moves by the rounding. */
        double doubt = rounding * (length_u * length_v + vec3_length(w) * (length_u + length_v));
        side[k] = vec3_dot(normal, w);
        if (!(fabs(side[k]) > doubt)) side[k] = 0.0;
        above |= side[k] > 0.0;
        below |= side[k] < 0.0;
        *blur = fmax(*blur, doubt);
    }
    return above && below;
}

typedef struct Span {
    double low, high, error;
    Vec3 point; /* of the line, at one end */
} Span;

/* The part of the line where the planes meet that lies in triangle p, which straddles: one end on
 * each of two sides, or one on a side and one in the corner that is in the other plane. */
static Span span_along(const Vec3 p[3], const double side[3], double blur, double rounding,
                       Vec3 direction) {
    Span span = {.low = HUGE_VAL, .high = -HUGE_VAL, .error = rounding};
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        Vec3 point = p[k];
        if (side[k] * side[next] < 0.0) {
            double difference = side[k] - side[next];
            Vec3 edge = vec3_sub(p[next], p[k]);
            point = vec3_add_scaled(p[k], side[k] / difference, edge);
            span.error =
                fmax(span.error, rounding + 2.0 * blur / fabs(difference) * vec3_length(edge));
        } else if (side[k] != 0.0) {
            continue;
        }
        double at = vec3_dot(point, direction);
        span.low = fmin(span.low, at);
        span.high = fmax(span.high, at);
        span.point = point;
    }
    return span;
}

static Vec3 normal_of(const Vec3 t[3]) {
    return vec3_cross(vec3_sub(t[1], t[0]), vec3_sub(t[2], t[0]));
}

bool triangles_cross(const Vec3 a[3], const Vec3 b[3], Vec3 *place) {
    double reach = 0.0, size = 0.0;
    for (int k = 0; k < 3; k++) {
        reach = fmax(reach, fmax(largest_component(a[k]), largest_component(b[k])));
        size = fmax(size, fmax(largest_component(vec3_sub(a[k], a[0])),
                               largest_component(vec3_sub(b[k], a[0]))));
    }
    if (!(size > 0.0) || !isfinite(1.0 / size)) return false;
    double scale = 1.0 / size, rounding = 8.0 * DBL_EPSILON * fmax(reach * scale, 1.0);
    Vec3 p[3], q[3]; /* the same moved and scaled to about one */
    for (int k = 0; k < 3; k++) {
        p[k] = vec3_scale(scale, vec3_sub(a[k], a[0]));
        q[k] = vec3_scale(scale, vec3_sub(b[k], a[0]));
    }
    double side_p[3], side_q[3], blur_p, blur_q;
    if (!straddles(p, q, rounding, side_q, &blur_q)) return false;
    if (!straddles(q, p, rounding, side_p, &blur_p)) return false;
    Vec3 direction = vec3_normalize(vec3_cross(normal_of(p), normal_of(q)));
    Span in_p = span_along(p, side_p, blur_p, rounding, direction);
    Span in_q = span_along(q, side_q, blur_q, rounding, direction);
    double low = fmax(in_p.low, in_q.low), high = fmin(in_p.high, in_q.high);
    if (!(high - low > in_p.error + in_q.error)) return false;
    double along = 0.5 * (low + high) - vec3_dot(in_p.point, direction);
    Vec3 middle = vec3_add_scaled(in_p.point, along, direction);
    *place = vec3_add_scaled(a[0], size, middle);
    return true;
}
