/* Axis-aligned boxes. */
#ifndef GEOM_BOX_H
#define GEOM_BOX_H

#include "math/vec.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Box3 {
    Vec3 low, high;
} Box3;

/* Holds nothing: growing it by a point gives that point. */
static inline Box3 box3_empty(void) {
    return (Box3){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

static inline Box3 box3_add_point(Box3 box, Vec3 point) {
    return (Box3){vec3_min(box.low, point), vec3_max(box.high, point)};
}

static inline Box3 box3_union(Box3 a, Box3 b) {
    return (Box3){vec3_min(a.low, b.low), vec3_max(a.high, b.high)};
}

static inline Box3 box3_grow(Box3 box, double margin) {
    Vec3 m = vec3(margin, margin, margin);
    return (Box3){vec3_sub(box.low, m), vec3_add(box.high, m)};
}

/* Touching counts. */
static inline bool box3_overlap(Box3 a, Box3 b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

static inline bool box3_contains(Box3 box, Vec3 p) {
    return p.x >= box.low.x && p.x <= box.high.x && p.y >= box.low.y && p.y <= box.high.y &&
           p.z >= box.low.z && p.z <= box.high.z;
}

static inline Vec3 box3_center(Box3 box) {
    return vec3_scale(0.5, vec3_add(box.low, box.high));
}

/* Squared distance from a point to the box; 0 inside. */
static inline double box3_distance_squared(Box3 box, Vec3 p) {
    double x = fmax(fmax(box.low.x - p.x, p.x - box.high.x), 0.0);
    double y = fmax(fmax(box.low.y - p.y, p.y - box.high.y), 0.0);
    double z = fmax(fmax(box.low.z - p.z, p.z - box.high.z), 0.0);
    return x * x + y * y + z * z;
}

#endif
