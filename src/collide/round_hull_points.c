/* Contact manifold of cylinders and cones: what of both lies along the plane that separates them,
 * one cut by the other. */
#include "collide/round_hull_data.h"

static const double OVER_SIDE = 1e-9; /* of the size: as far outside of a side counts as inside */
static const double APART = 1e-7;     /* of the size: corners closer to each other are one */
/* Sine of the angle to a normal up to which a line lies across it. */
static const double ACROSS = 0.01;
/* The same of the angle between lines that lie side by side. */
static const double PARALLEL_LINES = 2e-3;
/* Corners of a cap that carry it, and of the polygon that cuts what lies on it. */
enum { CAP_CORNERS = 8, CAP_SIDES = 24 };
/* Sine of the tilt from which a cap has a lowest point. It is found where it is, so that a can tips
 * about its rim and not about a side of a polygon. */
static const double TILTED = 1e-7;

static void add_point(ContactPoints *points, Vec3 on_a, Vec3 normal, double gap, double radius) {
    contact_points_add(points, (ContactPoint){.position = vec3_add_scaled(on_a, -0.5 * gap, normal),
                                              .normal = normal,
                                              .gap = gap,
                                              .radius = radius});
}

/* ---- what of a hull lies lowest along a direction ---- */

/* Corners around a cap, at places that turn with the body, and the one lowest along `up` where the
 * cap is tilted. */
static void ring_polygon(const RoundHull *hull, int rim, Vec3 up, int count, Polygon *out) {
    const double step = 6.28318530717958647693 / count;
    const HullRim *at = &hull->rims[rim];
    double x = -vec3_dot(up, hull->across[0]), y = -vec3_dot(up, hull->across[1]);
    double lowest = hypot(x, y) > TILTED ? atan2(y, x) : HUGE_VAL;
    if (lowest < 0.0) lowest += count * step;
    out->count = 0;
    for (int i = 0; i < count; i++) {
        Vec3 corner = vec3_add_scaled(at->center, at->radius * cos(i * step), hull->across[0]);
        polygon_add(out, vec3_add_scaled(corner, at->radius * sin(i * step), hull->across[1]));
        if (lowest >= i * step && lowest < (i + 1) * step)
            polygon_add(out, hull_rim_support(hull, rim, vec3_scale(-1.0, up)));
    }
}

/* The cap that faces down, if all of it is within the margin; else the line down the side. */
typedef struct Underside {
    Polygon polygon;
    double radius; /* m, of curvature; HUGE_VAL: flat */
} Underside;

static void underside_of(const RoundHull *hull, Vec3 up, double margin, double size, int corners,
                         Underside *out) {
    Vec3 down = vec3_scale(-1.0, up);
    int rim = vec3_dot(hull->axis, down) > 0.0;
    double tilt = vec3_length(hull_across(hull, up));
    double rise = 2.0 * hull->rims[rim].radius * tilt;
    if (hull->rims[rim].radius > 0.0 && rise <= fmax(margin, 0.01 * size) && tilt < 0.5) {
        ring_polygon(hull, rim, up, corners, &out->polygon);
        out->radius = HUGE_VAL;
        return;
    }
    out->polygon.count = 0;
    polygon_add(&out->polygon, hull_rim_support(hull, 0, down));
    polygon_add(&out->polygon, hull_rim_support(hull, 1, down));
    out->radius = fmax(hull->rims[0].radius, hull->rims[1].radius);
}

/* ---- faces ---- */

/* Cuts away what is not over the corners, which go round counter-clockwise seen from the tip of
 * `normal`. */
static void cut_by_sides(Polygon *polygon, const Polygon *corners, Vec3 normal, double size) {
    Polygon spare, *now = polygon, *next = &spare;
    Vec3 from = corners->at[corners->count - 1];
    for (size_t i = 0; i < corners->count; i++) {
        Vec3 to = corners->at[i];
        Vec3 outward = vec3_normalize(vec3_cross(vec3_sub(to, from), normal));
        polygon_keep_behind(now, (PolyPlane){outward, vec3_dot(outward, from)}, OVER_SIDE * size,
                            next);
        Polygon *swapped = now;
        now = next;
        next = swapped;
        from = to;
    }
    if (now != polygon) *polygon = *now;
}

/* A cap that is not all over the face is cut with more corners: few would leave out a good part of
 * what lies beside a side of theirs. */
static void cut_underside(const HullPair *pair, const RoundHull *hull, Vec3 up,
                          const Polygon *corners, Underside *under) {
    Polygon cut = under->polygon;
    cut_by_sides(&cut, corners, up, pair->size);
    bool whole = cut.count == under->polygon.count;
    for (size_t i = 0; i < cut.count && whole; i++)
        whole = vec3_length(vec3_sub(cut.at[i], under->polygon.at[i])) < APART * pair->size;
    if (whole) return;
    if (under->polygon.count > 2) {
        underside_of(hull, up, pair->margin, pair->size, CAP_SIDES, under);
        cut = under->polygon;
        cut_by_sides(&cut, corners, up, pair->size);
    }
    under->polygon = cut;
}

static void cap_polygon(const RoundHull *hull, size_t rim, Vec3 normal, Polygon *out) {
    ring_polygon(hull, (int)rim, hull->axis, CAP_SIDES, out);
    /* The first of `across` turns to the second against the axis: x to z about y. */
    if (vec3_dot(normal, hull->axis) < 0.0) return;
    for (size_t i = 0; i < out->count / 2; i++) {
        Vec3 swapped = out->at[i];
        out->at[i] = out->at[out->count - 1 - i];
        out->at[out->count - 1 - i] = swapped;
    }
}

static void face_corners(const Polyhedron *polyhedron, size_t face, Polygon *out) {
    PolyLoop loop = polyhedron->loops[face];
    out->count = 0;
    for (size_t i = 0; i < loop.count; i++)
        polygon_add(out, poly_point(&polyhedron->points, polyhedron->corners[loop.first + i]));
}

/* Corners over the face of which `plane` is the plane. `of_a`: they belong to a, and the face to b;
 * else the other way round. */
static void add_corners(const HullPair *pair, Polygon *polygon, PolyPlane plane, bool of_a,
                        double radius, ContactPoints *points) {
    size_t near = 0;
    for (size_t i = 0; i < polygon->count; i++)
        if (vec3_dot(plane.normal, polygon->at[i]) - plane.offset <= pair->margin)
            polygon->at[near++] = polygon->at[i];
    polygon->count = near;
    polygon_drop_repeated(polygon, APART * pair->size);
    polygon_thin(polygon, plane.normal, CONTACT_MOST_POINTS);
    for (size_t i = 0; i < polygon->count; i++) {
        double gap = vec3_dot(plane.normal, polygon->at[i]) - plane.offset;
        Vec3 on_a = of_a ? polygon->at[i] : vec3_add_scaled(polygon->at[i], -gap, plane.normal);
        add_point(points, on_a, vec3_scale(of_a ? 1.0 : -1.0, plane.normal), gap, radius);
    }
}

static void add_on_face_of_b(const HullPair *pair, const HullAxis *axis, ContactPoints *points) {
    Underside under;
    underside_of(&pair->a, axis->normal, pair->margin, pair->size, CAP_CORNERS, &under);
    PolyPlane plane = pair->plane;
    if (!pair->endless) {
        Polygon corners;
        if (pair->polyhedron)
            face_corners(pair->polyhedron, axis->face, &corners);
        else
            cap_polygon(&pair->b, axis->face, axis->normal, &corners);
        plane = (PolyPlane){axis->normal, vec3_dot(axis->normal, corners.at[0])};
        cut_underside(pair, &pair->a, axis->normal, &corners, &under);
    }
    add_corners(pair, &under.polygon, plane, true, under.radius, points);
}

static void add_on_cap_of_a(const HullPair *pair, const HullAxis *axis, ContactPoints *points) {
    Vec3 out = vec3_scale(-1.0, axis->normal);
    Underside under = {.radius = HUGE_VAL};
    if (pair->polyhedron) {
        const Polyhedron *p = pair->polyhedron;
        PolyPose pose = {p, &p->points, p->planes, p->directions};
        polyhedron_incident_polygon(&pose, out, &under.polygon);
    } else {
        underside_of(&pair->b, out, pair->margin, pair->size, CAP_CORNERS, &under);
    }
    Polygon corners;
    cap_polygon(&pair->a, axis->face, out, &corners);
    if (pair->polyhedron)
        cut_by_sides(&under.polygon, &corners, out, pair->size);
    else
        cut_underside(pair, &pair->b, out, &corners, &under);
    PolyPlane plane = {out, vec3_dot(out, pair->a.rims[axis->face].center)};
    add_corners(pair, &under.polygon, plane, false, under.radius, points);
}

/* ---- lines and points ---- */

/* A line along the normal's plane, or a point. */
typedef struct HullLine {
    Vec3 from, along; /* along is 0 for a point; m */
    bool is_point;
} HullLine;

/* The lowest of a hull along `up`. */
static HullLine hull_line(const RoundHull *hull, Vec3 up) {
    Vec3 down = vec3_scale(-1.0, up);
    Vec3 ends[2] = {hull_rim_support(hull, 0, down), hull_rim_support(hull, 1, down)};
    Vec3 along = vec3_sub(ends[1], ends[0]);
    double lean = vec3_dot(along, up);
    if (fabs(lean) <= ACROSS * vec3_length(along)) return (HullLine){ends[0], along, false};
    return (HullLine){ends[lean < 0.0], {0, 0, 0}, true};
}

/* The highest of a polyhedron: of the edges at the vertex the one most across the normal. */
static HullLine polyhedron_line(const Polyhedron *p, Vec3 up) {
    PolyPose pose = {p, &p->points, p->planes, p->directions};
    size_t vertex = polyhedron_support(&pose, up);
    HullLine line = {poly_point(&p->points, vertex), {0, 0, 0}, true};
    double least = ACROSS;
    for (size_t i = 0; i < p->edge_count; i++) {
        PolyEdge edge = p->edges[i];
        if (edge.from != vertex && edge.to != vertex) continue;
        Vec3 from = poly_point(&p->points, edge.from);
        Vec3 along = vec3_sub(poly_point(&p->points, edge.to), from);
        double lean = fabs(vec3_dot(along, up)) / vec3_length(along);
        if (lean >= least) continue;
        least = lean;
        line = (HullLine){from, along, false};
    }
    return line;
}

/* Two lines side by side: the ends of the part that they share. */
static bool add_parallel(const HullPair *pair, const HullAxis *axis, HullLine a, HullLine b,
                         double radius, ContactPoints *points) {
    double length = vec3_length(a.along);
    Vec3 unit = vec3_scale(1.0 / length, a.along);
    double first = vec3_dot(unit, vec3_sub(b.from, a.from));
    double second = first + vec3_dot(unit, b.along);
    double begin = fmax(0.0, fmin(first, second)), end = fmin(length, fmax(first, second));
    if (!(end - begin > APART * pair->size)) return false;
    for (int k = 0; k < 2; k++) {
        double at = k ? end : begin;
        Vec3 on_a = vec3_add_scaled(a.from, at, unit);
        Vec3 on_b = vec3_add_scaled(b.from, (at - first) / (second - first), b.along);
        double gap = vec3_dot(axis->normal, vec3_sub(on_a, on_b));
        if (gap <= pair->margin) add_point(points, on_a, axis->normal, gap, radius);
    }
    return true;
}

static double distance_to(HullLine line, Vec3 p) {
    Vec3 apart = vec3_sub(p, line.from);
    double squared = vec3_dot(line.along, line.along);
    double at = line.is_point ? 0.0 : vec3_dot(apart, line.along) / squared;
    return vec3_length(vec3_add_scaled(apart, -fmin(fmax(at, 0.0), 1.0), line.along));
}

/* Where on a the one point is: at a point of either, or where lines cross. Of all these the one
 * that is on both. */
static Vec3 one_point(const HullAxis *axis, HullLine a, HullLine b) {
    Vec3 n = axis->normal, tried[5], best = a.from, on_b;
    int count = 0;
    for (int end = 0; end < 2; end++) {
        tried[count++] = vec3_add_scaled(a.from, end, a.along);
        tried[count++] =
            vec3_add_scaled(vec3_add_scaled(b.from, end, b.along), axis->separation, n);
    }
    Vec3 cross = vec3_cross(a.along, b.along);
    if (vec3_dot(cross, cross) > 0.0)
        segments_nearest(a.from, a.along, b.from, b.along, &tried[count++], &on_b);
    double least = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        double off = distance_to(a, tried[i]) +
                     distance_to(b, vec3_add_scaled(tried[i], -axis->separation, n));
        if (off >= least) continue;
        least = off;
        best = tried[i];
    }
    return best;
}

/* A flat cap and a face that share no more than lies between the cap and its polygon: a corner of
 * the face that is there, or the point of the rim towards the face. */
static Vec3 point_at_rim(const HullPair *pair, const HullAxis *axis) {
    int rim = vec3_dot(pair->a.axis, axis->normal) < 0.0;
    Vec3 center = pair->a.rims[rim].center;
    Vec3 middle = pair->polyhedron ? pair->polyhedron->center : pair->b.rims[0].center;
    Vec3 best = hull_rim_support(&pair->a, rim, vec3_sub(middle, center));
    double least = pair->a.rims[rim].radius;
    Polygon corners = {.count = 0};
    if (pair->polyhedron) face_corners(pair->polyhedron, axis->face, &corners);
    for (size_t i = 0; i < corners.count; i++) {
        double across = vec3_length(hull_across(&pair->a, vec3_sub(corners.at[i], center)));
        if (across >= least) continue;
        least = across;
        best = vec3_add_scaled(corners.at[i], axis->separation, axis->normal);
    }
    return best;
}

static void add_lines(const HullPair *pair, const HullAxis *axis, ContactPoints *points) {
    Vec3 n = axis->normal, down = vec3_scale(-1.0, n);
    HullLine a = hull_line(&pair->a, n);
    HullLine b = {vec3_add_scaled(a.from, -axis->separation, n), {0, 0, 0}, true};
    if (!pair->endless)
        b = pair->polyhedron ? polyhedron_line(pair->polyhedron, n) : hull_line(&pair->b, down);
    double radius = fmax(pair->a.rims[0].radius, pair->a.rims[1].radius);
    if (!pair->polyhedron && !pair->endless)
        radius = fmin(radius, fmax(pair->b.rims[0].radius, pair->b.rims[1].radius));
    if (!a.is_point && !b.is_point) {
        double parallel = PARALLEL_LINES * vec3_length(a.along) * vec3_length(b.along);
        if (vec3_length(vec3_cross(a.along, b.along)) <= parallel &&
            add_parallel(pair, axis, a, b, radius, points))
            return;
    }
    Vec3 on_a = one_point(axis, a, b);
    if (axis->kind == HULL_AXIS_FACE_B && !pair->endless &&
        vec3_length(hull_across(&pair->a, n)) < ACROSS)
        on_a = point_at_rim(pair, axis);
    if (axis->kind == HULL_AXIS_CAP_A && b.is_point)
        on_a = vec3_add_scaled(b.from, axis->separation, n);
    add_point(points, on_a, n, axis->separation, radius);
}

void round_hull_add_points(const HullPair *pair, const HullAxis *axis, ContactPoints *points) {
    if (axis->kind == HULL_AXIS_FACE_B) add_on_face_of_b(pair, axis, points);
    if (axis->kind == HULL_AXIS_CAP_A) add_on_cap_of_a(pair, axis, points);
    double least = HUGE_VAL;
    for (size_t i = 0; i < points->count; i++) least = fmin(least, points->at[i].gap);
    /* A cap is a little larger than its polygon, and the deepest point may be there. */
    if (least > axis->separation + 1e-4 * pair->size) add_lines(pair, axis, points);
}
