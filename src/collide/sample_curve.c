#include "collide/sample_curve.h"

#include "collide/sample_field.h"

#include <stdbool.h>

/* The slope up to which the gap hardly changes. A body at rest lies flatter than this. */
static const double flat = 0.005;

Vec3 curve_point(const Curve *curve, double at) {
    if (curve->circle == 0.0) return vec3_add_scaled(curve->start, at, curve->along);
    double angle = at / curve->circle;
    Vec3 p = vec3_add_scaled(curve->start, curve->circle * cos(angle), curve->along);
    return vec3_add_scaled(p, curve->circle * sin(angle), curve->across);
}

double curve_gap(const Curve *curve, double at) {
    /* Also a sample whose neighbourhood may be within the margin; steps are shorter than this. */
    double limit = curve->radius + curve->margin + (curve->end - curve->begin) / CURVE_LEAST_STEPS;
    return distance_within(curve->solid, curve_point(curve, at), limit) - curve->radius;
}

/* ---- least gap between two places ---- */

/* The gap less a slope. */
static double tilted_gap(const Curve *curve, double at, double slope) {
    return curve_gap(curve, at) - slope * at;
}

/* Three best places so far of Brent's search, best first. */
typedef struct Search {
    double x[3], value[3];
} Search;

static void search_insert(Search *search, double x, double value) {
    for (int i = 0; i < 3; i++) {
        if (value > search->value[i]) continue;
        for (int j = 2; j > i; j--) {
            search->x[j] = search->x[j - 1];
            search->value[j] = search->value[j - 1];
        }
        search->x[i] = x;
        search->value[i] = value;
        return;
    }
}

/* The step from the best place to the lowest point of the parabola through three; 0: none. */
static double parabola_step(const Search *s) {
    double b = s->x[1] - s->x[0], c = s->x[2] - s->x[0];
    double fb = s->value[1] - s->value[0], fc = s->value[2] - s->value[0];
    double curvature = c * fb - b * fc;
    double step = c * c * fb - b * b * fc;
    return curvature != 0.0 && isfinite(step / curvature) ? 0.5 * step / curvature : 0.0;
}

/* Brent's search (1973, chapter 5): parabolas where they shrink fast enough, golden section
 * elsewhere, since inside a solid the gap has kinks. */
static double lowest_between(const Curve *curve, double low, double high, double slope,
                             double tolerance) {
    const double golden = 0.3819660112501051;
    double x = low + golden * (high - low), value = tilted_gap(curve, x, slope);
    double ends[2] = {low, high};
    Search search = {{x, x, x}, {value, HUGE_VAL, HUGE_VAL}};
    double last = high - low, before = last;
    for (int round = 0; round < 60; round++) {
        double best = search.x[0], middle = 0.5 * (low + high);
        if (fabs(best - middle) + 0.5 * (high - low) <= 2.0 * tolerance) break;
        double step = isfinite(search.value[2]) ? parabola_step(&search) : 0.0;
        bool fits =
            step != 0.0 && fabs(step) < 0.5 * before && best + step > low && best + step < high;
        if (!fits) {
            before = best < middle ? high - best : low - best;
            step = golden * before;
            before = fabs(before);
        } else {
            before = last;
        }
        if (fabs(step) < tolerance) step = copysign(tolerance, step);
        last = fabs(step);
        x = best + step;
        value = tilted_gap(curve, x, slope);
        double cut = value <= search.value[0] ? best : x;
        if ((value <= search.value[0]) == (x > best))
            low = cut;
        else
            high = cut;
        search_insert(&search, x, value);
    }
    for (int i = 0; i < 2; i++) search_insert(&search, ends[i], tilted_gap(curve, ends[i], slope));
    return search.x[0];
}

/* ---- samples along the curve ---- */

typedef struct CurveSamples {
    const Curve *curve;
    double gap[CURVE_MOST_STEPS + 1], step; /* m */
    int count;                              /* steps */
    bool closed;
} CurveSamples;

static double sample_place(const CurveSamples *samples, int i) {
    return samples->curve->begin + i * samples->step;
}

/* Indices go round a circle; HUGE_VAL beyond the ends of a segment. */
static double sample_gap(const CurveSamples *samples, int i) {
    int count = samples->count;
    if (samples->closed) return samples->gap[(i % count + count) % count];
    return i < 0 || i > count ? HUGE_VAL : samples->gap[i];
}

static void take_samples(const Curve *curve, int steps, CurveSamples *out) {
    out->curve = curve;
    out->count = steps;
    out->closed = curve->circle > 0.0;
    out->step = (curve->end - curve->begin) / steps;
    for (int i = 0; i < steps + !out->closed; i++)
        out->gap[i] = curve_gap(curve, sample_place(out, i));
}

/* How well a minimum is worth knowing, m along the curve. */
static double precision(const CurveSamples *samples) {
    return (samples->curve->solid->kind == SOLID_FIELD ? 1e-5 : 1e-7) * samples->step;
}

/* The minimum next to sample i. */
static double refine_minimum(const CurveSamples *samples, int i) {
    int first = i, last = i;
    if (isfinite(sample_gap(samples, i - 1))) first--;
    if (isfinite(sample_gap(samples, i + 1))) last++;
    double here = sample_gap(samples, i);
    double rise = fmax(samples->closed || first < i ? sample_gap(samples, i - 1) - here : 0.0,
                       samples->closed || last > i ? sample_gap(samples, i + 1) - here : 0.0);
    if (rise <= 1e-12 * samples->step) return sample_place(samples, i); /* as good as any */
    return lowest_between(samples->curve, sample_place(samples, first), sample_place(samples, last),
                          0.0, precision(samples));
}

/* From a minimum at `at`, next to sample i, the farthest place to one side (1 or -1) before the gap
 * grows steeper. *all: there is none on a closed curve. */
static double flat_end(const CurveSamples *samples, double at, int i, int side, bool *all) {
    double step = samples->step;
    int next = i - side;
    while (next != i + 2 * side && side * (sample_place(samples, next) - at) <= 1e-9 * step)
        next += side;
    double from = at, back = at, gap = curve_gap(samples->curve, at);
    for (int steps = 0; steps <= samples->count; steps++, next += side) {
        double place = sample_place(samples, next), there = sample_gap(samples, next);
        if (there - gap > flat * fabs(place - from)) {
            if (!isfinite(there)) place = from; /* the end of a segment */
            return lowest_between(samples->curve, fmin(back, place), fmax(back, place), side * flat,
                                  100.0 * precision(samples));
        }
        back = from;
        from = place;
        gap = there;
    }
    *all = true;
    return from;
}

/* ---- stops ---- */

static void add_stop(const Curve *curve, CurveStops *stops, double at, double gap) {
    if (gap > curve->margin || stops->count == CURVE_MOST_STOPS) return;
    stops->at[stops->count] = at;
    stops->gap[stops->count++] = gap;
}

typedef struct FlatPart {
    double left, at, right; /* the minimum is at `at` */
    double least;           /* m, the gap there */
} FlatPart;

/* Both ends, and the minimum where an end is not as good; on a circle points in between, a sixth of
 * it apart. */
static void add_flat_part(const CurveSamples *samples, FlatPart part, CurveStops *out) {
    const Curve *curve = samples->curve;
    double length = curve->end - curve->begin;
    double beside = fmax(0.05 * curve->radius, 0.02 * samples->step);
    bool at_left = part.at - part.left <= beside, at_right = part.right - part.at <= beside;
    double left = curve_gap(curve, part.left), right = curve_gap(curve, part.right);
    if (at_left || at_right || part.least < fmin(left, right) - 1e-6 * length ||
        fmax(left, right) > curve->margin)
        add_stop(curve, out, part.at, part.least);
    if (!at_left) add_stop(curve, out, part.left, left);
    if (!at_right) add_stop(curve, out, part.right, right);
    if (!samples->closed) return;
    double width = part.right - part.left;
    int pieces = (int)ceil(6.0 * width / length);
    for (int i = 1; i < pieces; i++) {
        double place = part.left + i * width / pieces;
        if (fabs(place - part.at) > length / 12.0)
            add_stop(curve, out, place, curve_gap(curve, place));
    }
}

/* Six samples, at fixed places on the circle so that they stay from step to step, and the minimum
 * where it is deeper. */
static void add_all_round(const CurveSamples *samples, double at, double least, CurveStops *out) {
    const Curve *curve = samples->curve;
    double length = curve->end - curve->begin, deepest = HUGE_VAL;
    for (int i = 0; i < samples->count; i += samples->count / 6) {
        add_stop(curve, out, sample_place(samples, i), sample_gap(samples, i));
        deepest = fmin(deepest, sample_gap(samples, i));
    }
    if (least < deepest - 1e-6 * length || deepest > curve->margin) add_stop(curve, out, at, least);
}

/* Does a place lie on one of the parts looked at already? Rounding makes minima of its own there,
 * and two samples as high as each other on both sides of a minimum both lead to it. */
static bool is_covered(const CurveSamples *samples, double at, double (*parts)[2], int count) {
    double around = samples->curve->end - samples->curve->begin, play = 1e-3 * samples->step;
    for (int part = 0; part < count; part++)
        for (int turn = -1; turn <= 1; turn++) {
            double place = at + (samples->closed ? turn * around : 0.0);
            if (place >= parts[part][0] - play && place <= parts[part][1] + play) return true;
        }
    return false;
}

void curve_find_stops(const Curve *curve, int steps, CurveStops *out) {
    CurveSamples samples;
    double parts[CURVE_MOST_STOPS][2];
    int part_count = 0;
    out->count = 0;
    if (!(curve->end > curve->begin)) {
        add_stop(curve, out, curve->begin, curve_gap(curve, curve->begin));
        return;
    }
    take_samples(curve, steps, &samples);
    for (int i = 0; i < steps + !samples.closed; i++) {
        double gap = sample_gap(&samples, i);
        /* The distance changes by no more than the way along the curve. */
        if (gap - samples.step > curve->margin || part_count == CURVE_MOST_STOPS) continue;
        if (gap > sample_gap(&samples, i - 1) || gap > sample_gap(&samples, i + 1)) continue;
        if (is_covered(&samples, sample_place(&samples, i), parts, part_count)) continue;
        double at = refine_minimum(&samples, i), least = curve_gap(curve, at);
        if (least > curve->margin || is_covered(&samples, at, parts, part_count)) continue;
        bool all = false;
        FlatPart part = {flat_end(&samples, at, i, -1, &all), at,
                         flat_end(&samples, at, i, 1, &all), least};
        if (all) {
            add_all_round(&samples, at, least, out);
            return;
        }
        add_flat_part(&samples, part, out);
        parts[part_count][0] = part.left;
        parts[part_count++][1] = part.right;
    }
}
