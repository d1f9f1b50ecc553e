/* Cylinders and cones in a distance field: least distances along their rims, and along the axis of
 * balls that touch the side from inside. */
#include "collide/round_hull_data.h"
#include "collide/sample_curve.h"
#include "collide/sample_field.h"

static const double pi = 3.14159265358979323846;

/* Cosine of the angle past which two surfaces look the same way and cannot press on each other. */
static const double same_way = 0.25;
/* How far a normal may lean from those of the side. */
static const double off_side = 0.02;

/* The ends of a part of the rim that hardly rises. A rim that rolls comes down there without
 * pressing; seen to first order it would trip. What lies flat has its points farther apart. */
static bool is_beside_lower(const CurveStops *stops, int i, double radius) {
    double around = 2.0 * pi * radius;
    for (int k = 0; k < stops->count; k++) {
        double apart = fabs(stops->at[k] - stops->at[i]);
        apart = fmin(apart, fabs(around - apart));
        if (stops->gap[k] < stops->gap[i] && apart < 0.3 * radius) return true;
    }
    return false;
}

static void add_rim(const FieldView *view, const RoundHull *hull, int rim) {
    const HullRim *at = &hull->rims[rim];
    Curve curve = {.solid = view->solid,
                   .start = at->center,
                   .along = hull->across[0],
                   .across = hull->across[1],
                   .circle = at->radius,
                   .end = 2.0 * pi * at->radius,
                   .margin = view->margin};
    CurveStops stops;
    curve_find_stops(&curve, CURVE_MOST_STEPS / 2, &stops);
    double cosine = sqrt(1.0 - hull->rise * hull->rise);
    Vec3 out_of_cap = vec3_scale(rim ? 1.0 : -1.0, hull->axis);
    for (int i = 0; i < stops.count; i++) {
        if (is_beside_lower(&stops, i, at->radius)) continue;
        Vec3 p = curve_point(&curve, stops.at[i]), normal = field_view_normal(view, p);
        /* Between the normals of cap and side. */
        Vec3 outward = vec3_add_scaled(out_of_cap, hull->rise, hull->axis);
        outward = vec3_add_scaled(outward, cosine / at->radius, vec3_sub(p, at->center));
        outward = vec3_normalize(outward);
        if (vec3_dot(normal, outward) < same_way)
            field_view_add(view, p, 0.0, stops.gap[i], normal);
    }
}

static void add_apex(const FieldView *view, const RoundHull *hull, int rim) {
    Vec3 p = hull->rims[rim].center;
    double gap = distance_within(view->solid, p, view->margin);
    Vec3 normal = field_view_normal(view, p);
    double outward = (rim ? 1.0 : -1.0) * vec3_dot(normal, hull->axis);
    if (gap <= view->margin && outward < same_way) field_view_add(view, p, 0.0, gap, normal);
}

/* Balls about points of the axis touch the side where it is `rise` times their radius farther along
 * the axis. The line is as long as these places are on the side. */
static void add_side(const FieldView *view, const RoundHull *hull) {
    Vec3 axis = hull->axis;
    double length = vec3_length(vec3_sub(hull->rims[1].center, hull->rims[0].center));
    double cosine = sqrt(1.0 - hull->rise * hull->rise);
    double taper = cosine * (hull->rims[1].radius - hull->rims[0].radius) / length;
    double radius = cosine * hull->rims[0].radius;
    /* at + rise (radius + taper at) = 0 and = length. */
    double scale = 1.0 + hull->rise * taper;
    Curve curve = {.solid = view->solid,
                   .start = hull->rims[0].center,
                   .along = axis,
                   .begin = -hull->rise * radius / scale,
                   .end = (length - hull->rise * radius) / scale,
                   .radius = radius,
                   .taper = taper,
                   .margin = view->margin};
    double steps = ceil((curve.end - curve.begin) / (0.5 * radius) / 6.0) * 6.0;
    CurveStops stops;
    curve_find_stops(&curve, (int)fmin(fmax(steps, CURVE_LEAST_STEPS), CURVE_MOST_STEPS), &stops);
    for (int i = 0; i < stops.count; i++) {
        Vec3 p = curve_point(&curve, stops.at[i]), normal = field_view_normal(view, p);
        double lean = vec3_dot(normal, axis);
        /* Where the ball touches, along the axis: beyond an end it is the rim that does. */
        double place = stops.at[i] - curve_radius(&curve, stops.at[i]) * lean;
        if (place < -1e-6 * length || place > (1.0 + 1e-6) * length) continue;
        if (fabs(lean + hull->rise) < off_side * cosine)
            field_view_add(view, p, curve_radius(&curve, stops.at[i]), stops.gap[i], normal);
    }
}

void round_hull_in_field(const RoundCore *a, const Frame *at_a, const DistanceField *b,
                         const Frame *at_b, double margin, bool flip, ContactPoints *points) {
    FieldView view = field_view(at_a, b, at_b, margin, a->radius, flip, points);
    RoundHull hull = round_hull_of(a, &view.own_to_b);
    Vec3 center = frame_to_world(&view.own_to_b, a->center);
    if (distance_bound(b->solid, center) > margin + hypot(0.5 * a->length, a->radius)) return;
    add_side(&view, &hull);
    for (int rim = 0; rim < 2; rim++)
        if (hull.rims[rim].radius > 0.0)
            add_rim(&view, &hull, rim);
        else
            add_apex(&view, &hull, rim);
}
