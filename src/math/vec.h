/* Three-vectors of doubles. Small value types: passed and returned by value, always inlined. */
#ifndef MATH_VEC_H
#define MATH_VEC_H

#include <math.h>

typedef struct Vec3 {
    double x, y, z;
} Vec3;

static inline Vec3 vec3(double x, double y, double z) {
    return (Vec3){x, y, z};
}

static inline Vec3 vec3_load(const double *from) {
    return (Vec3){from[0], from[1], from[2]};
}

static inline double vec3_component(Vec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/* The unit vector along an axis. */
static inline Vec3 vec3_axis(int axis) {
    return (Vec3){axis == 0, axis == 1, axis == 2};
}

static inline void vec3_store(double *to, Vec3 a) {
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

static inline Vec3 vec3_add(Vec3 a, Vec3 b) {
    return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline Vec3 vec3_sub(Vec3 a, Vec3 b) {
    return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline Vec3 vec3_scale(double s, Vec3 a) {
    return (Vec3){s * a.x, s * a.y, s * a.z};
}

/* a + s b */
static inline Vec3 vec3_add_scaled(Vec3 a, double s, Vec3 b) {
    return (Vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double vec3_dot(Vec3 a, Vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec3 vec3_cross(Vec3 a, Vec3 b) {
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_length(Vec3 a) {
    return sqrt(vec3_dot(a, a));
}

/* a / |a|; the zero vector stays zero. */
static inline Vec3 vec3_normalize(Vec3 a) {
    double length = vec3_length(a);
    return length > 0.0 ? vec3_scale(1.0 / length, a) : a;
}

static inline Vec3 vec3_min(Vec3 a, Vec3 b) {
    return (Vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static inline Vec3 vec3_max(Vec3 a, Vec3 b) {
    return (Vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

/* A unit vector at right angles to the non-zero vector a. */
static inline Vec3 vec3_any_orthogonal(Vec3 a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    Vec3 least = x <= y && x <= z ? vec3(1, 0, 0) : y <= z ? vec3(0, 1, 0) : vec3(0, 0, 1);
    return vec3_normalize(vec3_cross(a, least));
}

#endif
