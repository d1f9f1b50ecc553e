/* The least gap along a segment or circle in a distance field. */
#include "collide/sample_curve.h"

#include "collide/sample_curve_steps.h"
#include "collide/sample_field.h"

static const double pi = 3.14159265358979323846;

/* The slope up to which the gap hardly changes. A body at rest lies flatter than this. */
static const double flat = 0.005;

Vec3 curve_point(const Curve *curve, double at) {
    if (curve->circle == 0.0) return vec3_add_scaled(curve->start, at, curve->along);
    double angle = at / curve->circle;
    Vec3 p = vec3_add_scaled(curve->start, curve->circle * cos(angle), curve->along);
    return vec3_add_scaled(p, curve->circle * sin(angle), curve->across);
}

double curve_point_gap(const Curve *curve, double at, Vec3 p) {
    /* Also a sample whose neighbourhood may be within the margin; steps are shorter than this. */
    double radius = curve_radius(curve, at);
    double limit = radius + curve->margin + (curve->end - curve->begin) / CURVE_LEAST_STEPS;
    return distance_within(curve->solid, p, limit) - radius;
}

double curve_gap(const Curve *curve, double at) {
    return curve_point_gap(curve, at, curve_point(curve, at));
}

/* ---- least gap between two places ---- */

/* A place, and the gap there less a slope times the place. */
typedef struct Look {
    double at, gap, slope;
} Look;

/* A level set has kinks at every cell: its slope over a cell is what it means. */
static double field_slope(const Curve *curve, double at) {
    double cell = curve->solid->scale * level_set_grid(curve->solid->field)->spacing;
    return (curve_gap(curve, at + 0.5 * cell) - curve_gap(curve, at - 0.5 * cell)) / cell;
}

static Look look_at(const Curve *curve, double at, double slope) {
    Vec3 p, tangent = curve->along;
    if (curve->circle == 0.0) {
        p = vec3_add_scaled(curve->start, at, curve->along);
    } else {
        double angle = at / curve->circle, c = cos(angle), s = sin(angle);
        Vec3 arm = vec3_add_scaled(vec3_scale(c, curve->along), s, curve->across);
        p = vec3_add_scaled(curve->start, curve->circle, arm);
        tangent = vec3_add_scaled(vec3_scale(c, curve->across), -s, curve->along);
    }
    if (curve->solid->kind == SOLID_FIELD)
        return (Look){at, curve_point_gap(curve, at, p) - slope * at,
                      field_slope(curve, at) - slope};
    FieldSide side = distance_and_direction(curve->solid, p);
    return (Look){at, side.distance - curve_radius(curve, at) - slope * at,
                  vec3_dot(tangent, side.normal) - curve->taper - slope};
}

typedef struct CurvePlace {
    double at, gap; /* m */
} CurvePlace;

static CurvePlace place_of(Look look, double slope) {
    return (CurvePlace){look.at, look.gap + slope * look.at};
}

/* Lowest place of the cubic with the values and slopes of two places; not finite: none. */
static double cubic_lowest(Look a, Look b) {
    double width = b.at - a.at;
    double mean = a.slope + b.slope - 3.0 * (b.gap - a.gap) / width;
    double root = copysign(sqrt(mean * mean - a.slope * b.slope), width);
    return b.at - width * (b.slope + root - mean) / (b.slope - a.slope + 2.0 * root);
}

/* The least value of the gap less slope * place next to `middle`, where it is no higher than at
 * `low` and `high`. Between two places of which the first looks down to the second, and the second
 * is higher or looks down to the first, cubics find it where the gap is smooth and halving where it
 * has a kink, as inside a solid. */
static CurvePlace lowest_between(const Curve *curve, double low, double middle, double high,
                                 double slope, double tolerance) {
    Look near = look_at(curve, middle, slope);
    double end = near.slope < 0.0 ? high : low;
    if (near.slope == 0.0 || end == middle) return place_of(near, slope);
    Look far = look_at(curve, end, slope);
    if (far.slope * near.slope > 0.0 && far.gap <= near.gap) return place_of(far, slope);
    double before = HUGE_VAL; /* the width two rounds ago */
    for (int round = 0; round < 60; round++) {
        double width = far.at - near.at;
        if (fabs(width) <= tolerance) break;
        bool slow = round % 3 == 2 && fabs(width) > 0.5 * before;
        double share = (cubic_lowest(near, far) - near.at) / width;
        if (!(share > 0.0 && share < 1.0) || slow) share = 0.5;
        if (round % 3 == 0) before = fabs(width);
        Look next = look_at(curve, near.at + share * width, slope);
        /* What a straight slope leaves to go. */
        if (fabs(next.slope * width) <= tolerance * fabs(far.slope - near.slope))
            return place_of(next, slope);
        if (next.slope * near.slope > 0.0 && next.gap <= near.gap)
            near = next;
        else
            far = next;
    }
    return place_of(near, slope);
}

/* ---- minima among the steps ---- */

/* How well a minimum is worth knowing, m along the curve. */
static double precision(const CurveSteps *steps) {
    return (steps->curve->solid->kind == SOLID_FIELD ? 1e-5 : 2e-6) * steps->step;
}

/* The minimum next to sample i. Between samples that are equally low it is in the middle. */
static CurvePlace refine_minimum(const CurveSteps *steps, int i) {
    double place = curve_steps_place(steps, i), step = steps->step, middle = place;
    double here = curve_steps_gap(steps, i);
    double left = curve_steps_gap(steps, i - 1) - here;
    double right = curve_steps_gap(steps, i + 1) - here;
    bool level_left = left <= 1e-12 * step, level_right = right <= 1e-12 * step;
    if (level_left && level_right) return (CurvePlace){place, here}; /* as good as any */
    if (level_left) middle -= 0.5 * step;
    if (level_right) middle += 0.5 * step;
    return lowest_between(steps->curve, isfinite(left) ? place - step : place, middle,
                          isfinite(right) ? place + step : place, 0.0, precision(steps));
}

/* Places closer to each other count as one. */
static double beside(const CurveSteps *steps) {
    return fmax(0.05 * steps->curve->radius, 0.02 * steps->step);
}

/* A local minimum of the gap, next to a sample. */
typedef struct Minimum {
    CurvePlace place;
    int sample;
} Minimum;

/* From a minimum the farthest place to one side (1 or -1) before the gap grows steeper. *all: there
 * is none on a closed curve. */
static CurvePlace flat_end(const CurveSteps *steps, Minimum least, int side, bool *all) {
    const Curve *curve = steps->curve;
    CurvePlace from = least.place, back = from;
    double step = steps->step, one = beside(steps), close_at = from.at + side * one;
    if (steps->closed || (close_at > curve->begin && close_at < curve->end)) {
        /* Most minima are like those of a parabola and too sharp to have a flat part. */
        Look close = look_at(curve, close_at, 0.0);
        double slope = side * close.slope;
        if (slope > flat && close.gap - from.gap > 0.4 * one * slope) return from;
    }
    int next = least.sample - side, last = least.sample + 2 * side;
    while (next != last && side * (curve_steps_place(steps, next) - from.at) <= 1e-9 * step)
        next += side;
    for (int tries = 0; tries <= steps->count; tries++, next += side) {
        CurvePlace there = {curve_steps_place(steps, next), curve_steps_gap(steps, next)};
        if (there.gap - from.gap > flat * fabs(there.at - from.at)) {
            if (!isfinite(there.gap)) there = from; /* the end of a segment */
            return lowest_between(curve, fmin(back.at, there.at), from.at, fmax(back.at, there.at),
                                  side * flat, 100.0 * precision(steps));
        }
        back = from;
        from = there;
    }
    *all = true;
    return from;
}

/* The minima that are at most the margin, lowest first: what a flat part covers is then higher than
 * its own minimum. */
static int find_minima(const CurveSteps *steps, Minimum *out) {
    int count = 0;
    for (int i = 0; i < steps->count + !steps->closed && count < CURVE_MOST_STOPS; i++) {
        double gap = curve_steps_gap(steps, i);
        if (gap - steps->change > steps->curve->margin) continue;
        if (gap > curve_steps_gap(steps, i - 1) || gap > curve_steps_gap(steps, i + 1)) continue;
        Minimum found = {refine_minimum(steps, i), i};
        if (found.place.gap > steps->curve->margin) continue;
        int at = count++;
        /* With some play: of equals the first stays the first in spite of rounding. */
        for (; at > 0 && found.place.gap < out[at - 1].place.gap - 1e-9 * steps->step; at--)
            out[at] = out[at - 1];
        out[at] = found;
    }
    return count;
}

/* ---- stops ---- */

static void add_stop(const Curve *curve, CurveStops *stops, CurvePlace place) {
    if (place.gap > curve->margin || stops->count == CURVE_MOST_STOPS) return;
    stops->at[stops->count] = place.at;
    stops->gap[stops->count++] = place.gap;
}

/* The part around a minimum along which the gap hardly changes. */
typedef struct FlatPart {
    CurvePlace left, least, right;
} FlatPart;

/* Both ends, and the minimum where an end is not as good; on a circle points in between, a sixth of
 * it apart. */
static void add_flat_part(const CurveSteps *steps, FlatPart part, CurveStops *out) {
    const Curve *curve = steps->curve;
    double length = curve->end - curve->begin, one = beside(steps), at = part.least.at;
    bool at_left = at - part.left.at <= one, at_right = part.right.at - at <= one;
    double lower_end = fmin(part.left.gap, part.right.gap);
    double higher_end = fmax(part.left.gap, part.right.gap);
    bool add_least = part.least.gap < lower_end - 1e-6 * length || higher_end > curve->margin ||
                     (at_left && at_right);
    if (add_least) add_stop(curve, out, part.least);
    if (!(add_least && at_left)) add_stop(curve, out, part.left);
    if (!(add_least && at_right)) add_stop(curve, out, part.right);
    if (!steps->closed) return;
    double width = part.right.at - part.left.at;
    int pieces = (int)ceil(6.0 * width / length);
    for (int i = 1; i < pieces; i++) {
        double place = part.left.at + i * width / pieces;
        if (fabs(place - at) > length / 12.0)
            add_stop(curve, out, (CurvePlace){place, curve_gap(curve, place)});
    }
}

/* Six samples, at fixed places on the circle so that they stay from step to step, and the minimum
 * where it is deeper. */
static void add_all_round(const CurveSteps *steps, CurvePlace least, CurveStops *out) {
    const Curve *curve = steps->curve;
    double length = curve->end - curve->begin, deepest = HUGE_VAL;
    for (int i = 0; i < steps->count; i += steps->count / 6) {
        CurvePlace place = {curve_steps_place(steps, i), curve_steps_gap(steps, i)};
        add_stop(curve, out, place);
        deepest = fmin(deepest, place.gap);
    }
    if (least.gap < deepest - 1e-6 * length || deepest > curve->margin) add_stop(curve, out, least);
}

/* Does a place lie on one of the parts looked at already? Rounding makes minima of its own there,
 * and two samples as high as each other on both sides of a minimum both lead to it. */
static bool is_covered(const CurveSteps *steps, double at, const FlatPart *parts, int count) {
    double around = steps->curve->end - steps->curve->begin, play = 1e-3 * steps->step;
    for (int part = 0; part < count; part++)
        for (int turn = -1; turn <= 1; turn++) {
            double place = at + (steps->closed ? turn * around : 0.0);
            if (place >= parts[part].left.at - play && place <= parts[part].right.at + play)
                return true;
        }
    return false;
}

/* A circle before a plane: the gap is a cosine of the place. */
static void find_stops_on_plane(const Curve *curve, int count, CurveStops *out) {
    FieldSide center = distance_and_direction(curve->solid, curve->start);
    double rise_along = vec3_dot(curve->along, center.normal);
    double rise_across = vec3_dot(curve->across, center.normal);
    double steepest = sqrt(rise_along * rise_along + rise_across * rise_across);
    double middle = center.distance - curve->radius, swing = curve->circle * steepest;
    if (middle - swing > curve->margin) return;
    double lowest = curve->circle * (pi + atan2(rise_across, rise_along));
    CurveSteps steps;
    curve_steps_take(curve, count, &steps);
    CurvePlace least = {lowest, middle - swing};
    /* All of it may come down in this step. */
    if (steepest <= flat || middle + swing <= curve->margin) {
        add_all_round(&steps, least, out);
        return;
    }
    /* The lowest point alone: beside it the ring comes down without pressing when it rolls, and
     * seen to first order it would trip. */
    add_stop(curve, out, least);
}

void curve_find_stops(const Curve *curve, int count, CurveStops *out) {
    CurveSteps steps;
    Minimum minima[CURVE_MOST_STOPS];
    FlatPart parts[CURVE_MOST_STOPS];
    int part_count = 0;
    out->count = 0;
    if (!(curve->end > curve->begin)) {
        add_stop(curve, out, (CurvePlace){curve->begin, curve_gap(curve, curve->begin)});
        return;
    }
    if (curve->circle > 0.0 && curve->solid->kind == SOLID_HALF_SPACE) {
        find_stops_on_plane(curve, count, out);
        return;
    }
    curve_steps_take(curve, count, &steps);
    int minimum_count = find_minima(&steps, minima);
    for (int i = 0; i < minimum_count; i++) {
        if (is_covered(&steps, minima[i].place.at, parts, part_count)) continue;
        bool all = false;
        FlatPart part = {flat_end(&steps, minima[i], -1, &all), minima[i].place,
                         flat_end(&steps, minima[i], 1, &all)};
        if (all) {
            add_all_round(&steps, part.least, out);
            return;
        }
        add_flat_part(&steps, part, out);
        parts[part_count++] = part;
    }
}
