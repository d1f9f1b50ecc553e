/* Unit quaternions as rotations: q = (w, x, y, z) turns v into q v q^-1. */
#ifndef MATH_QUAT_H
#define MATH_QUAT_H

#include "math/mat.h"

typedef struct Quat {
    double w, x, y, z;
} Quat;

static inline Quat quat_identity(void) {
    return (Quat){1, 0, 0, 0};
}

static inline Quat quat_load(const double *from) {
    return (Quat){from[0], from[1], from[2], from[3]};
}

static inline void quat_store(double *to, Quat q) {
    to[0] = q.w;
    to[1] = q.x;
    to[2] = q.y;
    to[3] = q.z;
}

static inline Quat quat_conjugate(Quat q) {
    return (Quat){q.w, -q.x, -q.y, -q.z};
}

static inline Quat quat_multiply(Quat a, Quat b) {
    return (Quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline double quat_norm(Quat q) {
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

static inline Quat quat_normalize(Quat q) {
    double s = 1.0 / quat_norm(q);
    return (Quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* The rotation e^{u*} by |u| radians about u. */
Quat quat_exp(Vec3 u);

/* The rotation vector u with quat_exp(u) = q and |u| <= pi. */
Vec3 quat_log(Quat q);

/* The rotation about the unit vector `axis` whose cosine and sine are given (c^2 + s^2 = 1). */
Quat quat_from_axis_cos_sin(Vec3 axis, double c, double s);

Mat3 quat_to_mat3(Quat q);
Quat quat_from_mat3(Mat3 rotation);

static inline Vec3 quat_rotate(Quat q, Vec3 v) {
    Vec3 axis = vec3(q.x, q.y, q.z);
    Vec3 t = vec3_scale(2.0, vec3_cross(axis, v));
    return vec3_add(vec3_add_scaled(v, q.w, t), vec3_cross(axis, t));
}

static inline Vec3 quat_rotate_inverse(Quat q, Vec3 v) {
    return quat_rotate(quat_conjugate(q), v);
}

#endif
