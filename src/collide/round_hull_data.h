/* A cylinder or cone in the axes of what it meets, and the plane that separates both best. */
#ifndef COLLIDE_ROUND_HULL_DATA_H
#define COLLIDE_ROUND_HULL_DATA_H

#include "collide/polyhedron_pose.h"
#include "collide/round_hull.h"

typedef struct HullRim {
    Vec3 center;
    double radius; /* m; 0: an apex */
} HullRim;

typedef struct RoundHull {
    Vec3 axis;       /* unit, from the first rim to the second */
    Vec3 across[2];  /* unit, at right angles to it and to each other; they turn with the body */
    HullRim rims[2]; /* of equal radius: a cylinder */
    double rise;     /* of the side's outward normals along the axis, -1..1 */
} RoundHull;

/* All in the axes of b. */
typedef struct HullPair {
    RoundHull a, b;
    const Polyhedron *polyhedron; /* b, unless NULL */
    bool endless;                 /* b is a half space below `plane` */
    PolyPlane plane;
    double size;   /* m, of the smaller one */
    double margin; /* m */
} HullPair;

/* What the plane between both lies on. */
typedef enum HullAxisKind { HULL_AXIS_FACE_B, HULL_AXIS_CAP_A, HULL_AXIS_OTHER } HullAxisKind;

typedef struct HullAxis {
    double separation; /* m; negative: how far they overlap along the normal */
    Vec3 normal;       /* unit, from b to a */
    HullAxisKind kind;
    size_t face; /* of a polyhedron, or which rim's cap */
} HullAxis;

/* A core in the axes that `frame` leads to. */
RoundHull round_hull_of(const RoundCore *core, const Frame *frame);

/* The part of n across the axis. */
static inline Vec3 hull_across(const RoundHull *hull, Vec3 n) {
    return vec3_add_scaled(n, -vec3_dot(n, hull->axis), hull->axis);
}

/* The point of a rim that is farthest along n; along the axis any. */
static inline Vec3 hull_rim_support(const RoundHull *hull, int rim, Vec3 n) {
    double x = vec3_dot(n, hull->across[0]), y = vec3_dot(n, hull->across[1]), length = hypot(x, y);
    double radius = hull->rims[rim].radius, scale = length > 0.0 ? radius / length : 0.0;
    Vec3 p = hull->rims[rim].center;
    p = vec3_add_scaled(p, length > 0.0 ? scale * x : radius, hull->across[0]);
    return vec3_add_scaled(p, scale * y, hull->across[1]);
}

/* The greatest n . x of the hull. */
static inline double hull_most(const RoundHull *hull, Vec3 n) {
    double width = vec3_length(hull_across(hull, n));
    double first = vec3_dot(n, hull->rims[0].center) + hull->rims[0].radius * width;
    double second = vec3_dot(n, hull->rims[1].center) + hull->rims[1].radius * width;
    return first > second ? first : second;
}

/* The direction, or a local one, in which a and b are farthest apart or overlap least. False: they
 * are more than the margin apart. */
bool round_hull_find_axis(const HullPair *pair, HullAxis *out);

/* The points that carry: in b's axes, `position` midway, normals from b to a. */
void round_hull_add_points(const HullPair *pair, const HullAxis *axis, ContactPoints *points);

#endif
