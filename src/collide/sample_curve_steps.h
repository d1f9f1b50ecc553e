/* The gap at equal steps along a curve. */
#ifndef COLLIDE_SAMPLE_CURVE_STEPS_H
#define COLLIDE_SAMPLE_CURVE_STEPS_H

#include "collide/sample_curve.h"

#include <stdbool.h>

typedef struct CurveSteps {
    const Curve *curve;
    double gap[CURVE_MOST_STEPS + 1]; /* m; above `dull` maybe a lower bound of it */
    double dull;                      /* m: no part of the curve beside a greater gap matters */
    double step;                      /* m */
    double change; /* m, the most by which the gap changes in a step: distances change by no more
                    * than the way */
    int count;     /* steps */
    bool closed;
} CurveSteps;

void curve_steps_take(const Curve *curve, int count, CurveSteps *out);

/* m along the curve. */
static inline double curve_steps_place(const CurveSteps *steps, int i) {
    return steps->curve->begin + i * steps->step;
}

/* Indices go round a circle; HUGE_VAL beyond the ends of a segment. */
static inline double curve_steps_gap(const CurveSteps *steps, int i) {
    while (steps->closed && i < 0) i += steps->count;
    while (steps->closed && i >= steps->count) i -= steps->count;
    return i < 0 || i > steps->count ? HUGE_VAL : steps->gap[i];
}

#endif
