/* Sutherland and Hodgman's polygon clipping: a face cut by the sides of another. */
#include "collide/polyhedron_pose.h"

/* Areas are compared with this much play, relative: of a regular polygon the same corners go
 * whatever the rounding. */
static const double AREA_TIE = 1e-6;

size_t polyhedron_support(const PolyPose *pose, Vec3 direction) {
    size_t farthest = 0;
    double most = -HUGE_VAL;
    for (size_t i = 0; i < pose->shape->vertex_count; i++) {
        double along = vec3_dot(direction, poly_point(pose->points, i));
        if (along > most) {
            most = along;
            farthest = i;
        }
    }
    return farthest;
}

/* Of the faces at the vertex that is nearest to the reference plane the one most against it. A face
 * elsewhere may be more so, but does not hold the vertex that touches first. */
static size_t incident_face(const PolyPose *pose, Vec3 normal) {
    size_t vertex = polyhedron_support(pose, vec3_scale(-1.0, normal)), incident = 0;
    double least = HUGE_VAL;
    for (size_t i = 0; i < pose->shape->edge_count; i++) {
        PolyEdge edge = pose->shape->edges[i];
        if (edge.from != vertex && edge.to != vertex) continue;
        const uint8_t faces[2] = {edge.left, edge.right};
        for (int k = 0; k < 2; k++) {
            double along = vec3_dot(normal, pose->planes[faces[k]].normal);
            if (along >= least) continue;
            least = along;
            incident = faces[k];
        }
    }
    return incident;
}

void polygon_add(Polygon *polygon, Vec3 point) {
    if (polygon->count < POLYGON_MOST_CORNERS) polygon->at[polygon->count++] = point;
}

/* Where an edge passes the plane, the cut is at the plane itself, or at the corner that counts as
 * inside though it lies a trifle before it. */
void polygon_keep_behind(const Polygon *polygon, PolyPlane plane, double tolerance, Polygon *out) {
    out->count = 0;
    if (polygon->count == 0) return;
    Vec3 from = polygon->at[polygon->count - 1];
    double from_out = vec3_dot(plane.normal, from) - plane.offset;
    for (size_t i = 0; i < polygon->count; i++) {
        Vec3 to = polygon->at[i];
        double to_out = vec3_dot(plane.normal, to) - plane.offset;
        bool from_in = from_out <= tolerance, to_in = to_out <= tolerance;
        if (from_in != to_in) {
            double inner = fmin(from_in ? from_out : to_out, 0.0);
            double outer = from_in ? to_out : from_out;
            double share = inner / (inner - outer);
            Vec3 inside = from_in ? from : to, outside = from_in ? to : from;
            polygon_add(out, vec3_add_scaled(inside, share, vec3_sub(outside, inside)));
        }
        if (to_in) polygon_add(out, to);
        from = to;
        from_out = to_out;
    }
}

/* Corners that became one are neighbours. */
void polygon_drop_repeated(Polygon *polygon, double apart) {
    size_t kept = 0;
    for (size_t i = 0; i < polygon->count; i++) {
        Vec3 before = polygon->at[kept > 0 ? kept - 1 : polygon->count - 1];
        Vec3 gap = vec3_sub(polygon->at[i], before);
        bool alone = kept == 0 && i + 1 == polygon->count;
        if (alone || vec3_dot(gap, gap) >= apart * apart) polygon->at[kept++] = polygon->at[i];
    }
    polygon->count = kept;
}

static void face_polygon(const PolyPose *pose, size_t face, Polygon *out) {
    PolyLoop loop = pose->shape->loops[face];
    out->count = 0;
    for (size_t i = 0; i < loop.count; i++)
        polygon_add(out, poly_point(pose->points, pose->shape->corners[loop.first + i]));
}

void polyhedron_incident_polygon(const PolyPose *pose, Vec3 normal, Polygon *out) {
    face_polygon(pose, incident_face(pose, normal), out);
}

void polyhedron_clip(const PolyPose *reference, size_t face, const PolyPose *other,
                     double tolerance, double apart, Polygon *out) {
    Vec3 normal = reference->planes[face].normal;
    PolyLoop loop = reference->shape->loops[face];
    const uint8_t *corners = &reference->shape->corners[loop.first];
    Polygon spare, *now = out, *next = &spare;
    polyhedron_incident_polygon(other, normal, now);
    Vec3 from = poly_point(reference->points, corners[loop.count - 1]);
    for (size_t i = 0; i < loop.count; i++) {
        Vec3 to = poly_point(reference->points, corners[i]);
        Vec3 outward = vec3_normalize(vec3_cross(vec3_sub(to, from), normal));
        polygon_keep_behind(now, (PolyPlane){outward, vec3_dot(outward, from)}, tolerance, next);
        Polygon *swapped = now;
        now = next;
        next = swapped;
        from = to;
    }
    if (now != out) {
        out->count = now->count;
        for (size_t i = 0; i < now->count; i++) out->at[i] = now->at[i];
    }
    polygon_drop_repeated(out, apart);
}

/* Twice the area of the corner and its two neighbours. */
static double corner_area(const Polygon *polygon, size_t i) {
    size_t count = polygon->count;
    Vec3 at = polygon->at[i];
    Vec3 before = vec3_sub(polygon->at[i > 0 ? i - 1 : count - 1], at);
    Vec3 after = vec3_sub(polygon->at[i + 1 < count ? i + 1 : 0], at);
    return vec3_length(vec3_cross(before, after));
}

static size_t lowest_corner(const Polygon *polygon, Vec3 up) {
    size_t lowest = 0;
    for (size_t i = 1; i < polygon->count; i++)
        if (vec3_dot(up, polygon->at[i]) < vec3_dot(up, polygon->at[lowest])) lowest = i;
    return lowest;
}

/* The corner that costs the least area, the lowest one aside; the first of near equals. */
static size_t least_corner(const double *area, size_t count, size_t lowest) {
    size_t least = lowest == 0 ? 1 : 0;
    double bound = (1.0 - AREA_TIE) * area[least];
    for (size_t i = least + 1; i < count; i++) {
        if (area[i] >= bound || i == lowest) continue;
        least = i;
        bound = (1.0 - AREA_TIE) * area[i];
    }
    return least;
}

void polygon_thin(Polygon *polygon, Vec3 up, size_t most) {
    if (polygon->count <= most) return;
    size_t lowest = lowest_corner(polygon, up);
    double area[POLYGON_MOST_CORNERS];
    for (size_t i = 0; i < polygon->count; i++) area[i] = corner_area(polygon, i);
    while (polygon->count > most) {
        size_t least = least_corner(area, polygon->count, lowest);
        polygon->count--;
        if (lowest > least) lowest--;
        for (size_t i = least; i < polygon->count; i++) {
            polygon->at[i] = polygon->at[i + 1];
            area[i] = area[i + 1];
        }
        size_t after = least < polygon->count ? least : 0;
        size_t before = least > 0 ? least - 1 : polygon->count - 1;
        area[after] = corner_area(polygon, after);
        area[before] = corner_area(polygon, before);
    }
}

/* ---- segments ---- */

void segments_nearest(Vec3 p, Vec3 along_p, Vec3 q, Vec3 along_q, Vec3 *on_p, Vec3 *on_q) {
    Vec3 apart = vec3_sub(p, q);
    double pp = vec3_dot(along_p, along_p), qq = vec3_dot(along_q, along_q);
    double pq = vec3_dot(along_p, along_q);
    double p_apart = vec3_dot(along_p, apart), q_apart = vec3_dot(along_q, apart);
    double s = (pq * q_apart - qq * p_apart) / (pp * qq - pq * pq);
    s = fmin(fmax(s, 0.0), 1.0);
    double t = fmin(fmax((pq * s + q_apart) / qq, 0.0), 1.0);
    s = fmin(fmax((pq * t - p_apart) / pp, 0.0), 1.0);
    *on_p = vec3_add_scaled(p, s, along_p);
    *on_q = vec3_add_scaled(q, t, along_q);
}
