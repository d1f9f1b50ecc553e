/* Where a segment or a circle, thickened by a radius, comes nearest to a solid. An edge is a
 * segment of radius 0. */
#ifndef COLLIDE_SAMPLE_CURVE_H
#define COLLIDE_SAMPLE_CURVE_H

#include "geom/solid.h"

typedef struct Curve {
    const Solid *solid;
    Vec3 start;         /* m, of the segment; of a circle the centre. In the solid's axes */
    Vec3 along, across; /* unit; across is used by circles alone */
    double circle;      /* m, radius of the circle; 0: a segment */
    double begin, end;  /* m, the part of the segment to look at; a circle: 0 and once round */
    double radius;      /* m, of the tube around it; of a segment at its start */
    double taper;  /* of a segment: how much wider the tube gets, per length; below 0: narrower */
    double margin; /* m, the greatest gap of interest */
} Curve;

Vec3 curve_point(const Curve *curve, double at);

static inline double curve_radius(const Curve *curve, double at) {
    return curve->radius + curve->taper * at;
}

/* From the tube's surface to the solid's, seen from the point p of the curve. */
double curve_point_gap(const Curve *curve, double at, Vec3 p);
double curve_gap(const Curve *curve, double at);

/* Places on the curve, in m along it. */
enum { CURVE_MOST_STOPS = 24, CURVE_LEAST_STEPS = 12, CURVE_MOST_STEPS = 96 };

typedef struct CurveStops {
    double at[CURVE_MOST_STOPS], gap[CURVE_MOST_STOPS];
    int count;
} CurveStops;

/* The local minima of the gap that are at most the margin, looked for with `count` samples (a
 * multiple of 6 for a circle), and of the part around each along which the gap hardly changes the
 * ends: what lies on a face needs support at both. A circle in a plane gets points all round. */
void curve_find_stops(const Curve *curve, int count, CurveStops *out);

#endif
