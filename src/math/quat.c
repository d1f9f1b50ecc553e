/* Quaternions: exponential map, logarithm, rotation matrices. */
#include "math/quat.h"

Quat quat_exp(Vec3 u) {
    double angle = vec3_length(u);
    double half = 0.5 * angle;
    double scale; /* sin(angle / 2) / angle */
    if (half < 5e-3) {
        double h2 = half * half; /* the first term left out, h^6 / 5040, is below 4e-18 */
        scale = 0.5 * (1.0 - h2 / 6.0 * (1.0 - h2 / 20.0));
    } else {
        scale = sin(half) / angle;
    }
    return (Quat){cos(half), scale * u.x, scale * u.y, scale * u.z};
}

Vec3 quat_log(Quat q) {
    /* q and -q are one rotation; the one with w >= 0 has the angle that is at most pi. */
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    double w = sign * q.w;
    Vec3 axis = vec3(sign * q.x, sign * q.y, sign * q.z);
    double s = vec3_length(axis);
    double scale; /* angle / s; the arctangent of a ratio does not mind a norm that is not one */
    if (s < 1e-3 * w) {
        double t2 = s / w * (s / w); /* the first term left out, t^6 / 7, is below 2e-19 */
        scale = 2.0 / w * (1.0 - t2 * (1.0 / 3.0 - t2 / 5.0));
    } else {
        scale = 2.0 * atan2(s, w) / s;
    }
    return vec3_scale(scale, axis);
}

Quat quat_from_axis_cos_sin(Vec3 axis, double c, double s) {
    /* Half angles: take the root of the sum that does not cancel, the other factor from
     * s = 2 sin(a/2) cos(a/2). */
    double half_cos, half_sin;
    if (c >= 0.0) {
        half_cos = sqrt(0.5 * (1.0 + c));
        half_sin = 0.5 * s / half_cos;
    } else {
        half_sin = copysign(sqrt(0.5 * (1.0 - c)), s);
        half_cos = 0.5 * s / half_sin;
    }
    return (Quat){half_cos, half_sin * axis.x, half_sin * axis.y, half_sin * axis.z};
}

Mat3 quat_to_mat3(Quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (Mat3){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                   {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                   {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}

Quat quat_from_mat3(Mat3 rotation) {
    /* The matrix gives all products 4 q_i q_j. The row of the largest square, 4 q_i^2 >= 1, is the
     * quaternion times 4 q_i, and its norm is never small. */
    double xx = rotation.r[0].x, xy = rotation.r[0].y, xz = rotation.r[0].z;
    double yx = rotation.r[1].x, yy = rotation.r[1].y, yz = rotation.r[1].z;
    double zx = rotation.r[2].x, zy = rotation.r[2].y, zz = rotation.r[2].z;
    double trace = xx + yy + zz;
    Quat row;
    if (trace >= xx && trace >= yy && trace >= zz)
        row = (Quat){1.0 + trace, zy - yz, xz - zx, yx - xy};
    else if (xx >= yy && xx >= zz)
        row = (Quat){zy - yz, 1.0 + xx - yy - zz, xy + yx, xz + zx};
    else if (yy >= zz)
        row = (Quat){xz - zx, xy + yx, 1.0 + yy - xx - zz, yz + zy};
    else
        row = (Quat){yx - xy, xz + zx, yz + zy, 1.0 + zz - xx - yy};
    if (row.w < 0.0) row = (Quat){-row.w, -row.x, -row.y, -row.z};
    return quat_normalize(row);
}
