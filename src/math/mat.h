/* 3x3 matrices, row by row: m.r[i] is row i. */
#ifndef MATH_MAT_H
#define MATH_MAT_H

#include "math/vec.h"

typedef struct Mat3 {
    Vec3 r[3];
} Mat3;

static inline Mat3 mat3_diagonal(double a, double b, double c) {
    return (Mat3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}

static inline Mat3 mat3_identity(void) {
    return mat3_diagonal(1, 1, 1);
}

static inline Mat3 mat3_load(const double *from) {
    return (Mat3){{vec3_load(from), vec3_load(from + 3), vec3_load(from + 6)}};
}

static inline void mat3_store(double *to, Mat3 a) {
    for (int i = 0; i < 3; i++) vec3_store(to + 3 * i, a.r[i]);
}

static inline Mat3 mat3_from_columns(Vec3 a, Vec3 b, Vec3 c) {
    return (Mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

static inline Mat3 mat3_transpose(Mat3 a) {
    return mat3_from_columns(a.r[0], a.r[1], a.r[2]);
}

static inline Vec3 mat3_column(Mat3 a, int j) {
    Mat3 t = mat3_transpose(a);
    return t.r[j];
}

static inline Mat3 mat3_add(Mat3 a, Mat3 b) {
    return (Mat3){{vec3_add(a.r[0], b.r[0]), vec3_add(a.r[1], b.r[1]), vec3_add(a.r[2], b.r[2])}};
}

static inline Mat3 mat3_scale(double s, Mat3 a) {
    return (Mat3){{vec3_scale(s, a.r[0]), vec3_scale(s, a.r[1]), vec3_scale(s, a.r[2])}};
}

static inline Vec3 mat3_apply(Mat3 a, Vec3 v) {
    return vec3(vec3_dot(a.r[0], v), vec3_dot(a.r[1], v), vec3_dot(a.r[2], v));
}

/* A^T v */
static inline Vec3 mat3_apply_transpose(Mat3 a, Vec3 v) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(v.x, a.r[0]), v.y, a.r[1]), v.z, a.r[2]);
}

static inline Mat3 mat3_multiply(Mat3 a, Mat3 b) {
    return (Mat3){{mat3_apply_transpose(b, a.r[0]), mat3_apply_transpose(b, a.r[1]),
                   mat3_apply_transpose(b, a.r[2])}};
}

/* a b^T */
static inline Mat3 mat3_outer(Vec3 a, Vec3 b) {
    return (Mat3){{vec3_scale(a.x, b), vec3_scale(a.y, b), vec3_scale(a.z, b)}};
}

static inline double mat3_determinant(Mat3 a) {
    return vec3_dot(a.r[0], vec3_cross(a.r[1], a.r[2]));
}

static inline double mat3_trace(Mat3 a) {
    return a.r[0].x + a.r[1].y + a.r[2].z;
}

/* The inverse of a matrix whose determinant is not zero. */
static inline Mat3 mat3_inverse(Mat3 a) {
    Vec3 c0 = vec3_cross(a.r[1], a.r[2]);
    Vec3 c1 = vec3_cross(a.r[2], a.r[0]);
    Vec3 c2 = vec3_cross(a.r[0], a.r[1]);
    return mat3_scale(1.0 / vec3_dot(a.r[0], c0), mat3_from_columns(c0, c1, c2));
}

#endif
