/* The direction in which two moving elements are kept apart: the normal of the plane in which they
 * meet, or, if they do not come from one side of it, the way they came. */
#include "collide/moving_pair.h"

#include <float.h>

static Vec3 weighted(const Vec3 *d, const double *weights, int count) {
    Vec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < count; k++) sum = vec3_add_scaled(sum, weights[k], d[k]);
    return sum;
}

/* How far from the ends of an edge, at most one half. */
static double inwardness(double along) {
    return fmin(along, 1.0 - along);
}

/* The side that is met by the other element within the plane of both: that next to the touching
 * point of a triangle; of two edges the one that is not met at an end. */
static Vec3 met_side(const MovingPair *pair, const MovingTouch *touch, const Vec3 side[2]) {
    const double *w = touch->weights;
    if (pair->count == 2) return side[0];
    if (pair->count == 3) {
        if (w[2] <= w[0] && w[2] <= w[1]) return side[0];
        return w[1] <= w[0] ? side[1] : vec3_sub(side[1], side[0]);
    }
    double first = inwardness(w[1] + w[3]), second = inwardness(w[2] + w[3]);
    bool take_first = first >= second;
    if (!(vec3_dot(side[!take_first], side[!take_first]) > 0.0)) take_first = !take_first;
    return side[!take_first];
}

/* a without its part along the side; all of it if nearly nothing would be left. */
static Vec3 across(Vec3 a, Vec3 side) {
    double length2 = vec3_dot(side, side);
    if (!(length2 > 0.0)) return a;
    Vec3 rest = vec3_add_scaled(a, -vec3_dot(a, side) / length2, side);
    return vec3_length(rest) > 1e-6 * vec3_length(a) ? rest : a;
}

Vec3 moving_normal(const MovingPair *pair, const MovingTouch *touch) {
    Vec3 side[2], start = weighted(pair->start, touch->weights, pair->count);
    Vec3 velocity = vec3_sub(weighted(pair->end, touch->weights, pair->count), start);
    for (int k = 0; k < 2; k++) side[k] = moving_at(pair->side0[k], pair->side1[k], touch->t);
    Vec3 normal = vec3_cross(side[0], side[1]);
    bool flat = !(vec3_length(normal) > 1e-10 * vec3_length(side[0]) * vec3_length(side[1]));
    normal = vec3_normalize(normal);

    double rounding = 64.0 * DBL_EPSILON * pair->reach;
    double gap = vec3_dot(normal, start);
    if (!flat && fabs(gap) > rounding + 1e-10 * vec3_length(start))
        return vec3_scale(gap > 0.0 ? 1.0 : -1.0, normal);
    Vec3 met = met_side(pair, touch, side);
    if (vec3_length(start) > 1e-12 * pair->reach) return vec3_normalize(across(start, met));

    if (!flat) return vec3_scale(vec3_dot(normal, velocity) > 0.0 ? -1.0 : 1.0, normal);
    if (vec3_length(velocity) > 1e-12 * pair->reach)
        return vec3_normalize(across(vec3_scale(-1.0, velocity), met));
    if (pair->count == 2 || !(vec3_dot(met, met) > 0.0)) return vec3_axis(0);
    return vec3_any_orthogonal(met);
}
