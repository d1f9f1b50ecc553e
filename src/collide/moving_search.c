/* Isolates the time when two moving elements touch. A span of time is left out only if it is
 * certain that nothing touches in it: the cubic of coplanarity has no root there (its Bernstein
 * coefficients have one sign, rounding allowed for), or a fixed direction separates the elements
 * all the while (distances along it are linear in t). What is left is split until it is too short
 * to split, and then counts as touching. Where to look and along which direction are guesses that
 * only cost time if they are bad. */
#include "collide/moving_pair.h"

#include "geom/query/closest.h"

#include <float.h>

enum { MOST_SPANS = 200 };

static const double SHORTEST = 0x1p-42; /* of the step */

typedef struct Span {
    double from, to;
} Span;

static double mix(double a, double b, double t) {
    return (1.0 - t) * a + t * b;
}

/* Bernstein coefficients of the part of a cubic, by its blossom: three mixes for each, whatever the
 * span, so that errors do not add up as spans are split. */
static void part_of_cubic(const double b[4], Span span, double c[4]) {
    double from[3], to[3];
    for (int i = 0; i < 3; i++) {
        from[i] = mix(b[i], b[i + 1], span.from);
        to[i] = mix(b[i], b[i + 1], span.to);
    }
    double ff[2], ft[2], tt[2];
    for (int i = 0; i < 2; i++) {
        ff[i] = mix(from[i], from[i + 1], span.from);
        ft[i] = mix(from[i], from[i + 1], span.to);
        tt[i] = mix(to[i], to[i + 1], span.to);
    }
    c[0] = mix(ff[0], ff[1], span.from);
    c[1] = mix(ff[0], ff[1], span.to);
    c[2] = mix(ft[0], ft[1], span.to);
    c[3] = mix(tt[0], tt[1], span.to);
}

static bool has_no_root(const double c[4], double error) {
    return (c[0] > error && c[1] > error && c[2] > error && c[3] > error) ||
           (c[0] < -error && c[1] < -error && c[2] < -error && c[3] < -error);
}

static double cubic_at(const double c[4], double t) {
    double s = 1.0 - t;
    return s * s * (s * c[0] + 3.0 * t * c[1]) + t * t * (3.0 * s * c[2] + t * c[3]);
}

/* The root of a cubic with c[0] and c[3] of different signs, by regula falsi with halved ends. */
static double root_of_cubic(const double c[4]) {
    double low = 0.0, high = 1.0, at_low = c[0], at_high = c[3], t = 0.5;
    for (int i = 0; i < 24 && high - low > 1e-16; i++) {
        t = low + (high - low) * (at_low / (at_low - at_high));
        double value = cubic_at(c, t);
        if (value == 0.0) break;
        if ((value > 0.0) == (at_high > 0.0)) {
            if (high - t < 1e-16) break;
            high = t;
            at_high = value;
            at_low *= 0.5;
        } else {
            if (t - low < 1e-16) break;
            low = t;
            at_low = value;
            at_high *= 0.5;
        }
    }
    return t;
}

/* A guess when they are coplanar, as a part of the span. `alone`: there is no earlier one in it.
 * Ends that may be roots are not always looked at first: what is left out beside them can be very
 * little. */
static double likely_root(const double c[4], double error, bool ends, bool *alone) {
    int changes = 0;
    for (int i = 0; i < 3; i++) changes += (c[i] > 0.0) != (c[i + 1] > 0.0);
    double largest = fmax(fmax(fabs(c[0]), fabs(c[1])), fmax(fabs(c[2]), fabs(c[3])));
    *alone = false;
    if (!(largest > error)) return 0.5; /* always coplanar, as far as can be told */
    *alone = true;
    if (changes == 1 && c[0] != 0.0 && c[3] != 0.0) return root_of_cubic(c);
    if (ends && fabs(c[0]) <= error) return 0.0;
    if (ends && changes == 0 && fabs(c[3]) <= error) return 1.0;
    *alone = false;
    return 0.5;
}

void moving_closest(const MovingPair *pair, MovingTouch *touch) {
    Vec3 d[4], origin = {0.0, 0.0, 0.0};
    for (int k = 0; k < pair->count; k++) d[k] = moving_at(pair->start[k], pair->end[k], touch->t);
    if (pair->count == 2) {
        touch->gap = closest_on_segment(origin, d[0], d[1], &touch->weights[1]);
        touch->weights[0] = 1.0 - touch->weights[1];
        return;
    }
    if (pair->count == 3) {
        touch->gap = closest_on_triangle(origin, d[0], d[1], d[2], touch->weights);
        return;
    }
    /* The parallelogram, cut along the diagonal from 0 to 3. */
    double *w = touch->weights, half[3];
    touch->gap = closest_on_triangle(origin, d[0], d[1], d[3], half);
    w[0] = half[0], w[1] = half[1], w[2] = 0.0, w[3] = half[2];
    Vec3 other = closest_on_triangle(origin, d[0], d[2], d[3], half);
    if (vec3_dot(touch->gap, touch->gap) <= vec3_dot(other, other)) return;
    touch->gap = other;
    w[0] = half[0], w[1] = 0.0, w[2] = half[1], w[3] = half[2];
}

/* Cuts the span to the part in which all differences lie beyond the origin along `axis`; false when
 * there is none. With u = DBL_EPSILON / 2 and R = reach |axis|_1 the products are wrong by 4 u R
 * and the ends of the part by as much as 3 u R of distance; a margin of 16 u R covers both. */
static bool apart_along_axis(const MovingPair *pair, Vec3 axis, Span *span) {
    double margin =
        8.0 * DBL_EPSILON * pair->reach * (fabs(axis.x) + fabs(axis.y) + fabs(axis.z)) + DBL_MIN;
    for (int k = 0; k < pair->count; k++) {
        double start = vec3_dot(axis, pair->start[k]) - margin;
        double end = vec3_dot(axis, pair->end[k]) - margin;
        if (start >= 0.0 && end >= 0.0) continue;
        if (start >= 0.0 && end < 0.0)
            span->to = fmin(span->to, start / (start - end));
        else if (start < 0.0 && end >= 0.0)
            span->from = fmax(span->from, start / (start - end));
        else
            return false; /* not a number comes here, too */
    }
    return span->from <= span->to;
}

/* Cuts the span to a part in which some direction separates the elements. The gap itself will not
 * do: its rounding is that of the places, and would tilt a short gap by more than it separates far
 * corners. So it is made orthogonal to the side that it ends on; on a face the normal is tried
 * first, then, as it may be a narrow face, the gap orthogonal to the longer side. */
static bool find_apart(const MovingPair *pair, const MovingTouch *touch, Span *span) {
    int on[4], count = 0;
    for (int k = 0; k < pair->count; k++)
        if (touch->weights[k] > 0.0) on[count++] = k;
    if (count == 1) return apart_along_axis(pair, touch->gap, span);
    bool diagonal = pair->count == 4 && count == 2 && on[0] + on[1] == 3;
    Vec3 side;
    if (count == 2 && !diagonal) {
        side = vec3_sub(moving_at(pair->start[on[1]], pair->end[on[1]], touch->t),
                        moving_at(pair->start[on[0]], pair->end[on[0]], touch->t));
    } else {
        Vec3 first = moving_at(pair->side0[0], pair->side1[0], touch->t);
        Vec3 second = moving_at(pair->side0[1], pair->side1[1], touch->t);
        Vec3 normal = vec3_cross(first, second);
        Span whole = *span;
        if (vec3_dot(normal, touch->gap) < 0.0) normal = vec3_scale(-1.0, normal);
        if (apart_along_axis(pair, normal, span)) return true;
        *span = whole;
        side = vec3_dot(first, first) > vec3_dot(second, second) ? first : second;
    }
    double length2 = vec3_dot(side, side);
    Vec3 axis = touch->gap;
    for (int again = 0; again < 2 && length2 > 0.0; again++)
        axis = vec3_add_scaled(axis, -vec3_dot(axis, side) / length2, side);
    return apart_along_axis(pair, axis, span);
}

bool moving_search(const MovingPair *pair, MovingTouch *touch) {
    Span stack[MOST_SPANS + 2];
    stack[0] = (Span){0.0, 1.0};
    int top = 1;
    bool found = false;
    double near = 64.0 * DBL_EPSILON * pair->reach;
    for (int tried = 0; top > 0; tried++) {
        Span span = stack[--top];
        double c[4];
        part_of_cubic(pair->coplanar, span, c);
        if (has_no_root(c, pair->coplanar_error)) continue;
        if (tried >= MOST_SPANS && found) return true;
        double length = span.to - span.from;
        bool alone, last = length < SHORTEST || tried >= MOST_SPANS;
        double part = likely_root(c, pair->coplanar_error, tried % 2 == 0, &alone);
        MovingTouch here = {.t = fmin(span.from + part * length, span.to)};
        moving_closest(pair, &here);
        bool touching = !(vec3_dot(here.gap, here.gap) > near * near);
        Span apart = span;
        if (!touching && !find_apart(pair, &here, &apart))
            apart.from = apart.to = 0.5 * (span.from + span.to);
        bool early = apart.from > span.from, late = apart.to < span.to;
        if (!touching && !early && !late) continue;
        if (touching || last) {
            *touch = here;
            if (last || alone) return true;
            found = true; /* and perhaps earlier, too */
            stack[0] = (Span){span.from, here.t};
            top = 1;
            continue;
        }
        if (late) stack[top++] = (Span){apart.to, span.to};
        if (early) stack[top++] = (Span){span.from, apart.from};
    }
    return found;
}
