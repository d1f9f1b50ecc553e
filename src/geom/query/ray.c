/* Ray casting against thickened triangles (000 section 6.2.1). Every triangle is looked at along
 * the ray: its corners get coordinates (x, y) across the ray and z along it, and the ray becomes
 * the origin of the xy plane.
 *
 * Nothing slips between two triangles of a closed mesh, for any thickness, 0 included. x and y of a
 * corner depend on the corner and the ray alone, so a corner shared by several triangles has the
 * same rounded x and y in all of them, and the rounded triangles still cover the plane around the
 * origin without gaps. Whether the origin lies on one side of an edge or the other is the sign of
 * an edge function whose value for the edge taken backwards is exactly negated and whose computed
 * sign is never opposite to the true one (see edge_function); zeros count as inside. So a rounded
 * triangle that holds the origin is always found (after Woop, Benthin and Wald 2013, who shear
 * instead of rotating and so have no distances in the plane).
 *
 * Past that, a ray that comes within `radius` of the triangle comes within it of a corner or an
 * edge, or ends within it. In the xy plane the first is the distance from the origin to a segment,
 * well conditioned even where the ray runs along the edge; the second is a closest point. Both are
 * computed to within `fuzz`, a few roundings of the coordinates' size, and compared with radius +
 * fuzz: rounding errs towards a hit (000 section 6.2.1: the wedge encloses the fuzzy region). */
#include "geom/query/ray.h"

#include "geom/query/closest.h"

#include <float.h>

/* Roundings, in units of the largest coordinate relative to the ray's start, that may pile up in a
 * coordinate, a distance or a meeting point (about ten). */
#define ROUNDINGS 16.0

/* A triangle (or segment) as the ray sees it. */
typedef struct Seen {
    int corners;
    Vec3 at[3];              /* relative to the ray's start */
    double x[3], y[3], z[3]; /* across and along the ray */
    double least_z, greatest_z;
    double scale;       /* size of the coordinates */
    double fuzz, reach; /* reach = radius + fuzz */
} Seen;

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

RayProbe ray_probe(Vec3 from, Vec3 to, double thickness) {
    RayProbe probe = {.from = from, .radius = 0.5 * thickness};
    Vec3 along = vec3_sub(to, from);
    probe.length = vec3_length(along);
    probe.along = probe.length > 0.0 ? vec3_scale(1.0 / probe.length, along) : vec3(0, 0, 1);
    probe.side = vec3_any_orthogonal(probe.along);
    probe.up = vec3_cross(probe.along, probe.side);
    return probe;
}

/* Fills `seen`; false when a box around the corners already shows that there is no meeting. */
static bool look_at(const RayProbe *probe, Seen *seen) {
    double x0 = HUGE_VAL, x1 = -HUGE_VAL, y0 = HUGE_VAL, y1 = -HUGE_VAL;
    double z0 = HUGE_VAL, z1 = -HUGE_VAL;
    for (int i = 0; i < seen->corners; i++) {
        double x = vec3_dot(probe->side, seen->at[i]);
        double y = vec3_dot(probe->up, seen->at[i]);
        double z = vec3_dot(probe->along, seen->at[i]);
        x0 = smaller(x0, x), x1 = larger(x1, x);
        y0 = smaller(y0, y), y1 = larger(y1, y);
        z0 = smaller(z0, z), z1 = larger(z1, z);
        seen->x[i] = x, seen->y[i] = y, seen->z[i] = z;
    }
    double across = larger(larger(-x0, x1), larger(-y0, y1));
    seen->scale = larger(larger(across, larger(-z0, z1)), probe->radius);
    seen->fuzz = ROUNDINGS * DBL_EPSILON * seen->scale;
    seen->reach = probe->radius + seen->fuzz;
    seen->least_z = z0;
    seen->greatest_z = z1;
    double r = seen->reach;
    return x0 <= r && x1 >= -r && y0 <= r && y1 >= -r && z0 <= probe->length + r && z1 >= -r;
}

/* Twice the area of the triangle (origin, i, j), to two units in the last place (Kahan). Swapping i
 * and j gives exactly the negative. The sign is never wrong, though the value may round to zero:
 * each rounding is monotone, so none can carry a difference across zero. */
static double edge_function(const Seen *seen, int i, int j) {
    double p = seen->x[i] * seen->y[j], q = seen->y[i] * seen->x[j];
    double p_rest = fma(seen->x[i], seen->y[j], -p), q_rest = fma(seen->y[i], seen->x[j], -q);
    return (p - q) + (p_rest - q_rest);
}

/* The same to within rounding of the products; the sign may be zero where it should not be, but is
 * never wrong either. */
static double rough_edge_function(const Seen *seen, int i, int j) {
    return seen->x[i] * seen->y[j] - seen->y[i] * seen->x[j];
}

/* True when the origin is farther than `reach` outside edge i..j, `area` being the edge function of
 * that edge, positive inside, wrong by up to `error`. */
static bool beyond_edge(const Seen *seen, int i, int j, double area, double error) {
    double outside = -area - error;
    double dx = seen->x[j] - seen->x[i], dy = seen->y[j] - seen->y[i];
    return outside > 0.0 &&
           outside * outside > seen->reach * seen->reach * (dx * dx + dy * dy) * (1 + 1e-12);
}

typedef enum Side { SIDE_OUTSIDE, SIDE_NEAR, SIDE_INSIDE } Side;

/* Where the origin lies in the xy plane: in the triangle (with its weights), or surely farther than
 * `reach` from it, or neither. */
static Side locate(const Seen *seen, double weights[3]) {
    double u = rough_edge_function(seen, 1, 2), v = rough_edge_function(seen, 2, 0);
    double w = rough_edge_function(seen, 0, 1);
    if ((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) {
        u = edge_function(seen, 1, 2), v = edge_function(seen, 2, 0), w = edge_function(seen, 0, 1);
        bool inside = (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
        double area = u + v + w;
        if (!inside || area == 0.0) return SIDE_NEAR;
        weights[0] = u / area, weights[1] = v / area, weights[2] = w / area;
        return SIDE_INSIDE;
    }
    double area = u + v + w, error = ROUNDINGS * DBL_EPSILON * seen->scale * seen->scale;
    if (fabs(area) <= 2 * error) return SIDE_NEAR; /* edge-on: which side is inside is not known */
    double sign = area > 0 ? 1.0 : -1.0;
    return beyond_edge(seen, 1, 2, sign * u, error) || beyond_edge(seen, 2, 0, sign * v, error) ||
                   beyond_edge(seen, 0, 1, sign * w, error)
               ? SIDE_OUTSIDE
               : SIDE_NEAR;
}

static double distance_to(const Seen *seen, Vec3 p, Vec3 *gap, double weights[3]) {
    Vec3 q;
    if (seen->corners == 3) {
        q = closest_on_triangle(p, seen->at[0], seen->at[1], seen->at[2], weights);
    } else {
        q = closest_on_segment(p, seen->at[0], seen->at[1], &weights[1]);
        weights[0] = 1.0 - weights[1];
        weights[2] = 0.0;
    }
    *gap = vec3_sub(p, q);
    return vec3_length(*gap);
}

/* The least distance between the ray and edge i..j, when it is reached between the ray's ends;
 * lowers *least and sets *z where along the ray. */
static void approach_edge(const RayProbe *probe, const Seen *seen, int i, int j, double *least,
                          double *z) {
    double dx = seen->x[j] - seen->x[i], dy = seen->y[j] - seen->y[i];
    double length2 = dx * dx + dy * dy;
    double s = length2 > 0.0 ? -(seen->x[i] * dx + seen->y[i] * dy) / length2 : 0.0;
    s = smaller(larger(s, 0.0), 1.0);
    double x = seen->x[i] + s * dx, y = seen->y[i] + s * dy;
    double there = seen->z[i] + s * (seen->z[j] - seen->z[i]);
    double distance = sqrt(x * x + y * y);
    if (there < 0.0 || there > probe->length || !(distance < *least)) return;
    *least = distance;
    *z = there;
}

/* A point of the ray within `reach`, other than its start; false when there is none. The distance
 * is convex along the ray, so least at an end, or where the ray comes nearest to an edge. */
static bool find_near(const RayProbe *probe, const Seen *seen, double *z) {
    double least = HUGE_VAL, weights[3];
    for (int i = 0; i < (seen->corners == 3 ? 3 : 1); i++)
        approach_edge(probe, seen, i, (i + 1) % 3, &least, z);
    if (least <= seen->reach) return true;
    if (seen->greatest_z < probe->length - seen->reach) return false;
    Vec3 gap;
    *z = probe->length;
    return distance_to(seen, vec3_scale(probe->length, probe->along), &gap, weights) <= seen->reach;
}

/* The first point within `radius`, given one at z and none at the start. Newton's method on a
 * convex falling function approaches its root from the left and never passes it. */
static double first_entry(const RayProbe *probe, const Seen *seen, double z) {
    double first = 0.0;
    for (int i = 0; i < 60; i++) {
        Vec3 gap;
        double weights[3];
        double distance = distance_to(seen, vec3_scale(first, probe->along), &gap, weights);
        double excess = distance - probe->radius, slope = -vec3_dot(gap, probe->along) / distance;
        if (excess <= seen->fuzz) return first;
        if (!(slope > 0.0)) return z;
        first += excess / slope;
        if (first >= z) return z;
    }
    return first;
}

static bool report(const RayProbe *probe, const Seen *seen, double z, RayHit *hit) {
    Vec3 gap;
    distance_to(seen, vec3_scale(z, probe->along), &gap, hit->weights);
    hit->t = probe->length > 0.0 ? smaller(z / probe->length, 1.0) : 0.0;
    return true;
}

static bool meet(const RayProbe *probe, Seen *seen, RayHit *hit) {
    if (!look_at(probe, seen)) return false;
    Side side = SIDE_NEAR;
    double weights[3], z = 0.0;
    bool through = false;
    if (seen->corners == 3 && probe->length > 0.0) side = locate(seen, weights);
    if (side == SIDE_OUTSIDE) return false;
    if (side == SIDE_INSIDE) {
        z = weights[0] * seen->z[0] + weights[1] * seen->z[1] + weights[2] * seen->z[2];
        through = z >= -seen->fuzz && z <= probe->length + seen->fuzz;
        z = smaller(larger(z, 0.0), probe->length);
        if (through && probe->radius == 0.0) {
            hit->t = smaller(z / probe->length, 1.0);
            for (int i = 0; i < 3; i++) hit->weights[i] = weights[i];
            return true;
        }
    }
    Vec3 gap;
    if (seen->least_z <= seen->reach &&
        distance_to(seen, vec3(0, 0, 0), &gap, hit->weights) <= seen->reach) {
        hit->t = 0.0;
        return true;
    }
    if (!through && !find_near(probe, seen, &z)) return false;
    return report(probe, seen, first_entry(probe, seen, z), hit);
}

bool ray_probe_triangle(const RayProbe *probe, Vec3 a, Vec3 b, Vec3 c, RayHit *hit) {
    Seen seen = {
        .corners = 3,
        .at = {vec3_sub(a, probe->from), vec3_sub(b, probe->from), vec3_sub(c, probe->from)}};
    return meet(probe, &seen, hit);
}

bool ray_probe_segment_2d(const RayProbe *probe, Vec3 a, Vec3 b, RayHit *hit) {
    a.z = b.z = probe->from.z;
    Seen seen = {.corners = 2, .at = {vec3_sub(a, probe->from), vec3_sub(b, probe->from)}};
    return meet(probe, &seen, hit);
}

bool ray_triangle(Vec3 from, Vec3 to, Vec3 a, Vec3 b, Vec3 c, double thickness, RayHit *hit) {
    RayProbe probe = ray_probe(from, to, thickness);
    return ray_probe_triangle(&probe, a, b, c, hit);
}

bool ray_segment_2d(Vec3 from, Vec3 to, Vec3 a, Vec3 b, double thickness, RayHit *hit) {
    RayProbe probe = ray_probe(vec3(from.x, from.y, 0), vec3(to.x, to.y, 0), thickness);
    return ray_probe_segment_2d(&probe, a, b, hit);
}
