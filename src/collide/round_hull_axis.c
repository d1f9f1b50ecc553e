/* Separating axis test of the hull of two circles with a convex polyhedron or another such hull.
 *
 * The separation along a unit vector n from b to a is the least n . x of a less the greatest of b.
 * With a vertex as a circle of radius 0 it is the least, over circles of a and b, of
 *   n . (c_a - c_b) - R_a |n across axis a| - R_b |n across axis b|.
 * Its maximum lies on a face's normal, on the normals of a side where they meet those of another
 * side or of an edge, or at a maximum of one such term: over all normals of a side, over those of
 * an edge, or over all. All of these are tried, and what a trial gives is always a true separation.
 */
#include "collide/round_hull_data.h"

/* Of the size: a trial must be this much better than faces, and others before it. */
static const double PREFER = 1e-7;
/* Cosine of the angle up to which a normal is that of the face, 4e-4: a side that lies on a face
 * touches it along its length, though rounding tilts it over an edge. */
static const double SAME_NORMAL = 1.0 - 1e-7;
/* Squared sine of the angle up to which two directions are parallel. */
static const double PARALLEL = 1e-12;

typedef struct AxisSearch {
    const HullPair *pair;
    HullAxis best;
} AxisSearch;

/* ---- separation along a normal ---- */

static double polyhedron_most(const Polyhedron *polyhedron, Vec3 n) {
    const double *x = polyhedron->points.x, *y = polyhedron->points.y, *z = polyhedron->points.z;
    double high = -HUGE_VAL;
    size_t count = polyhedron->padded_count;
#pragma omp simd reduction(max : high)
    for (size_t i = 0; i < count; i++) {
        double along = n.x * x[i] + n.y * y[i] + n.z * z[i];
        high = along > high ? along : high;
    }
    return high;
}

static double separation_along(const HullPair *pair, Vec3 n) {
    double most = pair->polyhedron ? polyhedron_most(pair->polyhedron, n) : hull_most(&pair->b, n);
    return -hull_most(&pair->a, vec3_scale(-1.0, n)) - most;
}

static void try_normal(AxisSearch *search, Vec3 n, HullAxisKind kind, size_t face) {
    bool is_face = search->best.kind == HULL_AXIS_FACE_B || search->best.kind == HULL_AXIS_CAP_A;
    if (is_face && vec3_dot(n, search->best.normal) > SAME_NORMAL) return;
    double separation = separation_along(search->pair, n);
    if (separation > search->best.separation + PREFER * search->pair->size)
        search->best = (HullAxis){separation, n, kind, face};
}

/* ---- one term of the separation ---- */

/* A circle of a and a circle or vertex of b. */
typedef struct RimTerm {
    const RoundHull *hulls[2]; /* NULL: a vertex */
    double radii[2];           /* m */
    Vec3 apart;                /* c_a - c_b */
} RimTerm;

static RimTerm rim_term(const HullPair *pair, int rim_a, int rim_b) {
    const HullRim *a = &pair->a.rims[rim_a], *b = &pair->b.rims[rim_b];
    return (RimTerm){{&pair->a, &pair->b}, {a->radius, b->radius}, vec3_sub(a->center, b->center)};
}

static RimTerm vertex_term(const HullPair *pair, int rim_a, Vec3 vertex) {
    const HullRim *a = &pair->a.rims[rim_a];
    return (RimTerm){{&pair->a, NULL}, {a->radius, 0.0}, vec3_sub(a->center, vertex)};
}

/* From the point of b's circle to that of a's that are nearest along n: the term is n times this,
 * and this is its gradient. */
static Vec3 term_gradient(const RimTerm *term, Vec3 n) {
    Vec3 gradient = term->apart;
    for (int side = 0; side < 2; side++) {
        if (!(term->radii[side] > 0.0)) continue;
        Vec3 across = hull_across(term->hulls[side], n);
        double length = vec3_length(across);
        if (length > 0.0) gradient = vec3_add_scaled(gradient, -term->radii[side] / length, across);
    }
    return gradient;
}

/* Separations are never above a term of theirs: most terms need no look at all the others. */
static bool may_be_better(const AxisSearch *search, const RimTerm *term, Vec3 n) {
    return vec3_dot(n, term_gradient(term, n)) > search->best.separation;
}

/* ---- maxima of a term on a circle of normals ---- */

/* n = pole height + radius (first cos + second sin). */
typedef struct NormalCircle {
    Vec3 pole, first, second; /* unit, at right angles */
    double height, radius;
} NormalCircle;

static Vec3 circle_normal(const NormalCircle *circle, double angle) {
    Vec3 n = vec3_scale(circle->height, circle->pole);
    n = vec3_add_scaled(n, circle->radius * cos(angle), circle->first);
    return vec3_add_scaled(n, circle->radius * sin(angle), circle->second);
}

static double term_slope(const RimTerm *term, const NormalCircle *circle, double angle) {
    Vec3 way = vec3_add_scaled(vec3_scale(-sin(angle), circle->first), cos(angle), circle->second);
    return vec3_dot(way, term_gradient(term, circle_normal(circle, angle)));
}

/* Between two angles, of slopes above and below 0: false position, each end's weight halved when it
 * stays (Illinois). */
static double top_between(const RimTerm *term, const NormalCircle *circle, double low, double high,
                          double slope_low, double slope_high) {
    double at = low;
    for (int round = 0; round < 60 && high - low > 1e-15; round++) {
        at = low + (high - low) * slope_low / (slope_low - slope_high);
        if (!(at > low && at < high)) break;
        double slope = term_slope(term, circle, at);
        if (slope == 0.0) break;
        if (slope > 0.0) {
            low = at;
            slope_low = slope;
            slope_high *= 0.5;
        } else {
            high = at;
            slope_high = slope;
            slope_low *= 0.5;
        }
    }
    return at;
}

static void try_tops(AxisSearch *search, const RimTerm *term, const NormalCircle *circle,
                     double begin, double end, int pieces) {
    double low = begin, slope_low = term_slope(term, circle, low);
    for (int i = 1; i <= pieces; i++) {
        double high = begin + i * (end - begin) / pieces, slope_high;
        slope_high = term_slope(term, circle, high);
        if (slope_low > 0.0 && slope_high <= 0.0) {
            double at = top_between(term, circle, low, high, slope_low, slope_high);
            Vec3 n = vec3_normalize(circle_normal(circle, at));
            if (may_be_better(search, term, n)) try_normal(search, n, HULL_AXIS_OTHER, 0);
        }
        low = high;
        slope_low = slope_high;
    }
}

/* ---- sides ---- */

/* The normals from b to a at the side of one of them. */
static NormalCircle side_normals(const RoundHull *hull, bool of_a) {
    return (NormalCircle){hull->axis, hull->across[0], hull->across[1],
                          of_a ? -hull->rise : hull->rise, sqrt(1.0 - hull->rise * hull->rise)};
}

/* n with n . u = s and n . w = t, of which there are two or none. */
static void try_crossing(AxisSearch *search, Vec3 u, double s, Vec3 w, double t) {
    Vec3 cross = vec3_cross(u, w);
    double squared = vec3_dot(cross, cross), k = vec3_dot(u, w);
    if (squared < PARALLEL) return;
    double along_u = (s - k * t) / squared, along_w = (t - k * s) / squared;
    double rest = 1.0 - along_u * along_u - along_w * along_w - 2.0 * along_u * along_w * k;
    if (!(rest >= 0.0)) return;
    Vec3 in_plane = vec3_add_scaled(vec3_scale(along_u, u), along_w, w);
    for (int side = -1; side <= 1; side += 2) {
        Vec3 n = vec3_add_scaled(in_plane, side * sqrt(rest / squared), cross);
        try_normal(search, vec3_normalize(n), HULL_AXIS_OTHER, 0);
    }
}

/* ---- polyhedra ---- */

/* Both circles of a's side give one term; the top is in the vertex' own direction. */
static void try_vertices(AxisSearch *search) {
    const HullPair *pair = search->pair;
    NormalCircle side = side_normals(&pair->a, true);
    for (size_t i = 0; i < pair->polyhedron->vertex_count; i++) {
        Vec3 vertex = poly_point(&pair->polyhedron->points, i);
        for (int rim = 0; rim < 2; rim++) {
            RimTerm term = vertex_term(pair, rim, vertex);
            Vec3 across = hull_across(&pair->a, term.apart);
            double length = vec3_length(across);
            if (!(length > 0.0)) continue;
            Vec3 n =
                vec3_add_scaled(vec3_scale(side.height, side.pole), side.radius / length, across);
            if (rim == 0 && may_be_better(search, &term, n))
                try_normal(search, n, HULL_AXIS_OTHER, 0);
            /* The point of the circle that is nearest, where the vertex is outside of it. */
            if (length <= term.radii[0]) continue;
            Vec3 way = vec3_add_scaled(term.apart, -term.radii[0] / length, across);
            double distance = vec3_length(way);
            if (distance > search->best.separation && distance > 0.0)
                try_normal(search, vec3_scale(1.0 / distance, way), HULL_AXIS_OTHER, 0);
        }
    }
}

/* The normals of an edge lie between those of its faces. */
static void try_edges(AxisSearch *search) {
    const HullPair *pair = search->pair;
    const Polyhedron *p = pair->polyhedron;
    for (size_t i = 0; i < p->edge_count; i++) {
        Vec3 left = p->planes[p->edges[i].left].normal, right = p->planes[p->edges[i].right].normal;
        Vec3 toward = vec3_add_scaled(right, -vec3_dot(left, right), left);
        double length = vec3_length(toward);
        if (!(length > 1e-9)) continue;
        toward = vec3_scale(1.0 / length, toward);
        NormalCircle arc = {vec3_cross(left, toward), left, toward, 0.0, 1.0};
        double end = atan2(length, vec3_dot(left, right));
        for (int rim = 0; rim < 2; rim++) {
            if (!(pair->a.rims[rim].radius > 0.0)) continue;
            RimTerm term = vertex_term(pair, rim, poly_point(&p->points, p->edges[i].from));
            try_tops(search, &term, &arc, 0.0, end, 6);
        }
    }
}

static void try_apex_of_edges(AxisSearch *search) {
    const HullPair *pair = search->pair;
    const Polyhedron *p = pair->polyhedron;
    for (int rim = 0; rim < 2; rim++) {
        if (pair->a.rims[rim].radius > 0.0) continue;
        for (size_t i = 0; i < p->edge_count; i++) {
            Vec3 from = poly_point(&p->points, p->edges[i].from);
            Vec3 along = vec3_normalize(vec3_sub(poly_point(&p->points, p->edges[i].to), from));
            Vec3 way = vec3_sub(pair->a.rims[rim].center, from);
            way = vec3_add_scaled(way, -vec3_dot(way, along), along);
            double distance = vec3_length(way);
            if (distance > search->best.separation && distance > 0.0)
                try_normal(search, vec3_scale(1.0 / distance, way), HULL_AXIS_OTHER, 0);
        }
    }
}

static void search_polyhedron(AxisSearch *search) {
    const HullPair *pair = search->pair;
    const Polyhedron *p = pair->polyhedron;
    for (size_t i = 0; i < p->bundle_count; i++)
        try_crossing(search, pair->a.axis, -pair->a.rise, p->directions[i], 0.0);
    try_edges(search);
    try_apex_of_edges(search);
    try_vertices(search);
}

/* ---- two hulls ---- */

/* A step towards the top of a term over all normals, in the plane across n: Newton's, or up the
 * slope where the term bends upwards. The gradient g is along n at the top; its change with n is
 * -R/w t t^T for each circle, t its tangent, w = |n across|. */
static Vec3 step_up(const RimTerm *term, Vec3 n) {
    Vec3 g = term_gradient(term, n);
    Vec3 first = vec3_normalize(vec3_cross(n, vec3_axis(fabs(n.x) < 0.6 ? 0 : 1)));
    Vec3 second = vec3_cross(n, first);
    double xx = -vec3_dot(g, n), xy = 0.0, yy = xx; /* the Hessian */
    for (int side = 0; side < 2; side++) {
        if (!(term->radii[side] > 0.0)) continue;
        Vec3 across = hull_across(term->hulls[side], n);
        double width = vec3_length(across);
        if (!(width > 0.0)) continue;
        Vec3 t = vec3_scale(1.0 / width, vec3_cross(term->hulls[side]->axis, across));
        double bend = term->radii[side] / width, x = vec3_dot(t, first), y = vec3_dot(t, second);
        xx -= bend * x * x;
        xy -= bend * x * y;
        yy -= bend * y * y;
    }
    double gx = vec3_dot(g, first), gy = vec3_dot(g, second), determinant = xx * yy - xy * xy;
    if (!(xx + yy < 0.0 && determinant > 0.0)) {
        double slope = hypot(gx, gy), part = slope > 0.0 ? 0.2 / slope : 0.0;
        return vec3_add_scaled(vec3_scale(part * gx, first), part * gy, second);
    }
    Vec3 along_first = vec3_scale(-(yy * gx - xy * gy) / determinant, first);
    return vec3_add_scaled(along_first, -(xx * gy - xy * gx) / determinant, second);
}

/* Halves steps that do not climb. */
static void climb_term(AxisSearch *search, const RimTerm *term, Vec3 n) {
    double value = vec3_dot(n, term_gradient(term, n));
    for (int round = 0; round < 40; round++) {
        Vec3 step = step_up(term, n);
        double length = vec3_length(step), part = length > 0.5 ? 0.5 / length : 1.0;
        if (length < 1e-15) break;
        Vec3 next = vec3_normalize(vec3_add_scaled(n, part, step));
        double climbed = vec3_dot(next, term_gradient(term, next));
        for (; climbed < value && part > 1e-6; part *= 0.5) {
            next = vec3_normalize(vec3_add_scaled(n, 0.5 * part, step));
            climbed = vec3_dot(next, term_gradient(term, next));
        }
        if (climbed < value) break;
        value = climbed;
        n = next;
    }
    if (value > search->best.separation) try_normal(search, n, HULL_AXIS_OTHER, 0);
}

static void search_hulls(AxisSearch *search) {
    enum { PIECES = 12 };
    static const double once_round = 6.28318530717958647693;
    const HullPair *pair = search->pair;
    try_crossing(search, pair->a.axis, -pair->a.rise, pair->b.axis, pair->b.rise);
    for (int of_a = 0; of_a < 2; of_a++) {
        NormalCircle side = side_normals(of_a ? &pair->a : &pair->b, of_a);
        for (int rim = 0; rim < 2; rim++) {
            RimTerm term = rim_term(pair, of_a ? 0 : rim, of_a ? rim : 0);
            try_tops(search, &term, &side, 0.0, once_round, PIECES);
        }
    }
    for (int rims = 0; rims < 4; rims++) {
        RimTerm term = rim_term(pair, rims / 2, rims % 2);
        climb_term(search, &term, search->best.normal);
        double apart = vec3_length(term.apart);
        if (apart > 0.0) climb_term(search, &term, vec3_scale(1.0 / apart, term.apart));
    }
}

/* ---- the search ---- */

/* Of a: towards its outside, so that normals from b are against it. */
static void try_caps(AxisSearch *search, const RoundHull *hull, bool of_a) {
    for (size_t rim = 0; rim < 2; rim++) {
        if (!(hull->rims[rim].radius > 0.0)) continue;
        double sign = (rim == 1) == of_a ? -1.0 : 1.0;
        try_normal(search, vec3_scale(sign, hull->axis), of_a ? HULL_AXIS_CAP_A : HULL_AXIS_FACE_B,
                   rim);
    }
}

bool round_hull_find_axis(const HullPair *pair, HullAxis *out) {
    AxisSearch search = {pair, {-HUGE_VAL, {0, 1, 0}, HULL_AXIS_OTHER, 0}};
    const Polyhedron *p = pair->polyhedron;
    if (pair->endless) {
        Vec3 down = vec3_scale(-1.0, pair->plane.normal);
        double gap = -hull_most(&pair->a, down) - pair->plane.offset;
        *out = (HullAxis){gap, pair->plane.normal, HULL_AXIS_FACE_B, 0};
        return gap <= pair->margin;
    }
    for (size_t i = 0; p && i < p->face_count; i++)
        try_normal(&search, p->planes[i].normal, HULL_AXIS_FACE_B, i);
    if (!p) try_caps(&search, &pair->b, false);
    try_caps(&search, &pair->a, true);
    if (search.best.separation > pair->margin) return false;
    if (p)
        search_polyhedron(&search);
    else
        search_hulls(&search);
    *out = search.best;
    return search.best.separation <= pair->margin;
}
