/* Continuous collision detection (000 section 3.2.3): the pairs of elements, cheap rejections, and
 * the cubic whose roots are the times when four points are coplanar. */
#include "collide/moving_pair.h"

#include <float.h>

/* As instructions, not as calls that mind what is not a number. */
static double least(double a, double b) {
    return a < b ? a : b;
}

static double most(double a, double b) {
    return a > b ? a : b;
}

static Vec3 least_of(Vec3 a, Vec3 b) {
    return vec3(least(a.x, b.x), least(a.y, b.y), least(a.z, b.z));
}

static Vec3 most_of(Vec3 a, Vec3 b) {
    return vec3(most(a.x, b.x), most(a.y, b.y), most(a.z, b.z));
}

/* Differences have the sign of the exact ones: if all are on one side along an axis, the elements
 * are apart all the time, without any error to think of. */
static bool apart_along_axes(const MovingPair *pair) {
    Vec3 low = least_of(pair->start[0], pair->end[0]), high = most_of(pair->start[0], pair->end[0]);
    for (int k = 1; k < pair->count; k++) {
        low = least_of(low, least_of(pair->start[k], pair->end[k]));
        high = most_of(high, most_of(pair->start[k], pair->end[k]));
    }
    return low.x > 0.0 || low.y > 0.0 || low.z > 0.0 || high.x < 0.0 || high.y < 0.0 ||
           high.z < 0.0;
}

static double largest_component(Vec3 a) {
    return most(most(fabs(a.x), fabs(a.y)), fabs(a.z));
}

static double largest_of_two(Vec3 a, Vec3 b) {
    return most(largest_component(a), largest_component(b));
}

/* det(side 0, side 1, arm) as a cubic of t. With M the product of the largest components and
 * u = DBL_EPSILON / 2: components are wrong by u, crosses by 8 u, the sum of two crosses by 20 u,
 * so the coefficients by at most 64 u M and their size is at most 6 M; taking a part of the cubic
 * rounds three times by 3 u of that. In all 118 u M; twice that is allowed. */
static void set_coplanar(MovingPair *pair) {
    Vec3 arm0 = pair->start[0], arm1 = pair->end[0];
    const Vec3 *p = pair->side0, *q = pair->side1;
    Vec3 first = vec3_cross(p[0], p[1]), last = vec3_cross(q[0], q[1]);
    Vec3 mixed = vec3_add(vec3_cross(p[0], q[1]), vec3_cross(q[0], p[1]));
    pair->coplanar[0] = vec3_dot(first, arm0);
    pair->coplanar[1] = (vec3_dot(mixed, arm0) + vec3_dot(first, arm1)) / 3.0;
    pair->coplanar[2] = (vec3_dot(last, arm0) + vec3_dot(mixed, arm1)) / 3.0;
    pair->coplanar[3] = vec3_dot(last, arm1);
    double size =
        largest_of_two(p[0], q[0]) * largest_of_two(p[1], q[1]) * largest_of_two(arm0, arm1);
    pair->coplanar_error = 128.0 * DBL_EPSILON * size + DBL_MIN; /* products may underflow */
}

static bool all_still(const Vec3 *x0, const Vec3 *x1, int count, int dim) {
    for (int i = 0; i < count; i++)
        if (x0[i].x != x1[i].x || x0[i].y != x1[i].y || (dim == 3 && x0[i].z != x1[i].z))
            return false;
    return true;
}

static bool find_touch(MovingPair *pair, MovingTouch *touch, Vec3 *normal) {
    set_coplanar(pair);
    const double *c = pair->coplanar, error = pair->coplanar_error;
    if (least(least(c[0], c[1]), least(c[2], c[3])) > error ||
        most(most(c[0], c[1]), most(c[2], c[3])) < -error)
        return false;
    pair->reach = 0.0;
    for (int k = 0; k < pair->count; k++)
        pair->reach = most(pair->reach, largest_of_two(pair->start[k], pair->end[k]));
    if (!moving_search(pair, touch)) return false;
    *normal = moving_normal(pair, touch);
    return true;
}

bool moving_point_triangle(const Vec3 x0[4], const Vec3 x1[4], MovingHit *hit) {
    MovingPair pair = {.count = 3};
    for (int k = 0; k < 3; k++) {
        pair.start[k] = vec3_sub(x0[0], x0[k + 1]);
        pair.end[k] = vec3_sub(x1[0], x1[k + 1]);
    }
    if (apart_along_axes(&pair) || all_still(x0, x1, 4, 3)) return false;
    for (int k = 0; k < 2; k++) {
        pair.side0[k] = vec3_sub(x0[k + 2], x0[1]);
        pair.side1[k] = vec3_sub(x1[k + 2], x1[1]);
    }
    MovingTouch touch;
    if (!find_touch(&pair, &touch, &hit->normal)) return false;
    hit->t = touch.t;
    hit->weights[0] = 1.0;
    for (int k = 0; k < 3; k++) hit->weights[k + 1] = -touch.weights[k];
    return true;
}

bool moving_edge_edge(const Vec3 x0[4], const Vec3 x1[4], MovingHit *hit) {
    MovingPair pair = {.count = 4};
    for (int k = 0; k < 4; k++) {
        pair.start[k] = vec3_sub(x0[k % 2], x0[2 + k / 2]);
        pair.end[k] = vec3_sub(x1[k % 2], x1[2 + k / 2]);
    }
    if (apart_along_axes(&pair) || all_still(x0, x1, 4, 3)) return false;
    for (int k = 0; k < 2; k++) {
        pair.side0[k] = vec3_sub(x0[2 * k + 1], x0[2 * k]);
        pair.side1[k] = vec3_sub(x1[2 * k + 1], x1[2 * k]);
    }
    MovingTouch touch;
    if (!find_touch(&pair, &touch, &hit->normal)) return false;
    double along_a = touch.weights[1] + touch.weights[3];
    double along_b = touch.weights[2] + touch.weights[3];
    hit->t = touch.t;
    hit->weights[0] = 1.0 - along_a;
    hit->weights[1] = along_a;
    hit->weights[2] = along_b - 1.0;
    hit->weights[3] = -along_b;
    return true;
}

static Vec3 in_plane(Vec3 a) {
    return vec3(a.x, a.y, 0.0);
}

bool moving_point_segment(const Vec3 x0[3], const Vec3 x1[3], MovingHit *hit) {
    MovingPair pair = {.count = 2};
    for (int k = 0; k < 2; k++) {
        pair.start[k] = in_plane(vec3_sub(x0[0], x0[k + 1]));
        pair.end[k] = in_plane(vec3_sub(x1[0], x1[k + 1]));
    }
    if (apart_along_axes(&pair) || all_still(x0, x1, 3, 2)) return false;
    pair.side0[0] = in_plane(vec3_sub(x0[2], x0[1]));
    pair.side1[0] = in_plane(vec3_sub(x1[2], x1[1]));
    pair.side0[1] = pair.side1[1] = vec3_axis(2); /* the cubic is a quadratic */
    MovingTouch touch;
    if (!find_touch(&pair, &touch, &hit->normal)) return false;
    hit->t = touch.t;
    hit->weights[0] = 1.0;
    for (int k = 0; k < 2; k++) hit->weights[k + 1] = -touch.weights[k];
    hit->weights[3] = 0.0;
    return true;
}
