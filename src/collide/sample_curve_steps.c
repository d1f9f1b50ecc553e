/* The gap at equal steps along a curve, many points at once. */
#include "collide/sample_curve_steps.h"

#include "collide/sample_field.h"

_Static_assert((int)CURVE_MOST_STEPS < (int)POINT_ROW_MOST, "a curve's points fit a row");

/* ---- points ---- */

static void place_on_segment(const Curve *curve, double step, PointRow *out) {
#pragma omp simd
    for (int i = 0; i < out->count; i++) {
        double at = curve->begin + i * step;
        out->x[i] = curve->start.x + at * curve->along.x;
        out->y[i] = curve->start.y + at * curve->along.y;
        out->z[i] = curve->start.z + at * curve->along.z;
    }
}

/* The first 1, 2, 4, ... points turned by their own arc are as many more. */
static void place_on_circle(const Curve *curve, double step, PointRow *out) {
    double x[POINT_ROW_MOST], y[POINT_ROW_MOST]; /* in the circle's plane */
    double c = cos(step / curve->circle), s = sin(step / curve->circle);
    x[0] = curve->circle;
    y[0] = 0.0;
    for (int done = 1; done < out->count; done *= 2) {
        int more = done < out->count - done ? done : out->count - done;
        for (int i = 0; i < more; i++) {
            x[done + i] = c * x[i] - s * y[i];
            y[done + i] = s * x[i] + c * y[i];
        }
        double twice = c * c - s * s;
        s *= 2.0 * c;
        c = twice;
    }
#pragma omp simd
    for (int i = 0; i < out->count; i++) {
        out->x[i] = curve->start.x + x[i] * curve->along.x + y[i] * curve->across.x;
        out->y[i] = curve->start.y + x[i] * curve->along.y + y[i] * curve->across.y;
        out->z[i] = curve->start.z + x[i] * curve->along.z + y[i] * curve->across.z;
    }
}

/* ---- gaps one by one ---- */

static double point_gap(const Curve *curve, double step, const PointRow *points, int i) {
    return curve_point_gap(curve, curve->begin + i * step,
                           vec3(points->x[i], points->y[i], points->z[i]));
}

/* Halves the way between two steps, unless all between is dull. */
static void look_between(CurveSteps *steps, const PointRow *points, int first, int last) {
    double *gap = steps->gap;
    if (last - first < 2) return;
    double least = 0.5 * (gap[first] + gap[last] - (last - first) * steps->change);
    if (least > steps->dull) {
        for (int i = first + 1; i < last; i++) gap[i] = least;
        return;
    }
    int middle = (first + last) / 2;
    gap[middle] = point_gap(steps->curve, steps->step, points, middle);
    look_between(steps, points, first, middle);
    look_between(steps, points, middle, last);
}

/* A part of a circle that is too long says nothing, so it starts with six. */
static void look_one_by_one(CurveSteps *steps, const PointRow *points) {
    int stride = steps->closed ? steps->count / 6 : steps->count;
    steps->gap[0] = point_gap(steps->curve, steps->step, points, 0);
    for (int first = 0, last = stride; last <= steps->count; first = last, last += stride) {
        bool round = steps->closed && last == steps->count;
        steps->gap[last] =
            round ? steps->gap[0] : point_gap(steps->curve, steps->step, points, last);
        look_between(steps, points, first, last);
    }
}

void curve_steps_take(const Curve *curve, int count, CurveSteps *out) {
    const Solid *solid = curve->solid;
    out->curve = curve;
    out->count = count;
    out->closed = curve->circle > 0.0;
    out->step = (curve->end - curve->begin) / count;
    out->change = out->step * (1.0 + fabs(curve->taper));
    out->dull = curve->margin + out->change;
    if (solid->kind == SOLID_FIELD) /* interpolation makes it a little steeper */
        out->dull += 0.5 * solid->scale * level_set_grid(solid->field)->spacing;
    PointRow points;
    points.count = out->closed ? count : count + 1;
    if (out->closed)
        place_on_circle(curve, out->step, &points);
    else
        place_on_segment(curve, out->step, &points);
    if (!distances_at_once(solid, &points, out->gap)) {
        look_one_by_one(out, &points);
        return;
    }
    for (int i = 0; i < points.count; i++)
        out->gap[i] -= curve_radius(curve, curve_steps_place(out, i));
}
