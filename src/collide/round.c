/* Narrow phase of balls, capsules and rings in a distance field (000 section 2.4). */
#include "collide/round.h"

#include "collide/round_hull.h"
#include "collide/sample_curve.h"
#include "collide/sample_field.h"

static const double pi = 3.14159265358979323846;

static void add_stop_contact(const FieldView *view, const Curve *curve, double at, double gap) {
    Vec3 core = curve_point(curve, at);
    field_view_add(view, core, curve->radius, gap, field_view_normal(view, core));
}

static void ball_contact(const RoundCore *a, const FieldView *view, Vec3 center) {
    double gap = distance_within(view->solid, center, a->radius + view->margin) - a->radius;
    if (gap <= view->margin)
        field_view_add(view, center, a->radius, gap, field_view_normal(view, center));
}

/* Steps of at most half the radius, as many as there is room for. */
static int curve_steps(double length, double radius, int least) {
    double steps = ceil(length / (0.5 * radius) / 6.0) * 6.0;
    return (int)fmin(fmax(steps, least), CURVE_MOST_STEPS);
}

/* Is one of the stops beside this place already? `around` is the length of a circle, HUGE_VAL
 * for a segment. */
static bool has_stop(const CurveStops *stops, double at, double beside, double around) {
    for (int i = 0; i < stops->count; i++) {
        double apart = fabs(stops->at[i] - at);
        if (fmin(apart, fabs(around - apart)) <= beside) return true;
    }
    return false;
}

static void capsule_contact(const RoundCore *a, const FieldView *view, Vec3 center) {
    Vec3 along = mat3_column(view->own_to_b.axes, 1);
    Vec3 start = vec3_add_scaled(center, -0.5 * a->length, along);
    double part[2];
    if (!field_view_clip(view, start, along, a->length, part)) return;
    Curve curve = {.solid = view->solid,
                   .start = start,
                   .along = along,
                   .begin = part[0],
                   .end = part[1],
                   .radius = a->radius,
                   .margin = view->margin};
    CurveStops stops;
    curve_find_stops(&curve, curve_steps(part[1] - part[0], a->radius, CURVE_LEAST_STEPS), &stops);
    for (int i = 0; i < stops.count; i++) add_stop_contact(view, &curve, stops.at[i], stops.gap[i]);
    for (int end = 0; end < 2; end++) {
        double at = end * a->length, gap = curve_gap(&curve, at);
        if (gap <= view->margin && !has_stop(&stops, at, 0.05 * a->radius, HUGE_VAL))
            add_stop_contact(view, &curve, at, gap);
    }
}

/* A ring that overlaps another all round has one or two deepest places; pushed out there alone it
 * would only sink in on the other side. Nothing is deeper than the deepest stop. */
static void add_all_round(const RoundCore *a, const FieldView *view, const Curve *curve,
                          const CurveStops *stops) {
    enum { PLACES = 8 };
    double around = curve->end, deep = -0.01 * a->radius, deepest = HUGE_VAL;
    for (int i = 0; i < stops->count; i++) deepest = fmin(deepest, stops->gap[i]);
    for (int i = 0; i < PLACES && deepest < deep; i++) {
        double at = i * around / PLACES, gap = curve_gap(curve, at);
        if (gap < deep && !has_stop(stops, at, 0.5 * around / PLACES, around))
            add_stop_contact(view, curve, at, gap);
    }
}

static void torus_contact(const RoundCore *a, const FieldView *view, Vec3 center) {
    double around = 2.0 * pi * a->length;
    /* Steps no longer than the radius, unless the ring is very thin. */
    int steps = around > CURVE_MOST_STEPS / 2 * a->radius ? CURVE_MOST_STEPS : CURVE_MOST_STEPS / 2;
    Curve curve = {.solid = view->solid,
                   .start = center,
                   .along = mat3_column(view->own_to_b.axes, 0),
                   .across = mat3_column(view->own_to_b.axes, 2),
                   .circle = a->length,
                   .end = around,
                   .radius = a->radius,
                   .margin = view->margin};
    CurveStops stops;
    curve_find_stops(&curve, steps, &stops);
    for (int i = 0; i < stops.count; i++) add_stop_contact(view, &curve, stops.at[i], stops.gap[i]);
    add_all_round(a, view, &curve, &stops);
}

void round_contact(const RoundCore *a, const Frame *at_a, const DistanceField *b, const Frame *at_b,
                   double margin, bool flip, ContactPoints *points) {
    if (a->kind == ROUND_NONE) return;
    if (round_core_is_hull(a)) {
        round_hull_in_field(a, at_a, b, at_b, margin, flip, points);
        return;
    }
    FieldView view = field_view(at_a, b, at_b, margin, a->radius, flip, points);
    Vec3 center = frame_to_world(&view.own_to_b, a->center);
    double reach = a->kind == ROUND_BALL      ? 0.0
                   : a->kind == ROUND_CAPSULE ? 0.5 * a->length
                                              : a->length;
    if (distance_bound(b->solid, center) > margin + a->radius + reach) return;
    if (reach == 0.0)
        ball_contact(a, &view, center);
    else if (a->kind == ROUND_CAPSULE)
        capsule_contact(a, &view, center);
    else
        torus_contact(a, &view, center);
}
