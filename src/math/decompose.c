/* Eigenvalues of symmetric 3x3 matrices by Jacobi rotations, SVD and polar decomposition. */
#include "math/decompose.h"

#include <stdbool.h>

/* Both iterations converge quadratically and need about six sweeps; the bound only guards the loop.
 */
enum { MAX_SWEEPS = 40 };

/* After scaling, columns shorter than this count as zero: their squares would underflow. */
static const double shortest_column = 1e-150;

/* The power of two that brings the largest entry into [1/2, 1): scaling by it is exact, and
 * products of scaled entries can neither overflow nor lose the large ones. */
static int scale_exponent(const double entries[9]) {
    double largest = 0.0;
    for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(entries[i]));
    int exponent = 0;
    if (largest > 0.0) frexp(largest, &exponent);
    return exponent;
}

/* The tangent of the smaller angle that makes a symmetric pair diagonal: off / (difference / 2)
 * is the tangent of twice that angle. `difference` is (second - first) diagonal entry. */
static double jacobi_tangent(double difference, double off) {
    double zeta = 0.5 * difference / off;
    double t = 1.0 / (fabs(zeta) + sqrt(1.0 + zeta * zeta)); /* zeta may be infinite: t is zero */
    return zeta < 0.0 ? -t : t;
}

/* (a, b) <- (c a - s b, s a + c b) */
static void rotate_pair(Vec3 *a, Vec3 *b, double c, double s) {
    Vec3 old = *a;
    *a = vec3_add_scaled(vec3_scale(c, old), -s, *b);
    *b = vec3_add_scaled(vec3_scale(s, old), c, *b);
}

/* Makes entry (p, q) zero. False when it already was, to rounding. */
static bool eigen_rotate(double m[3][3], Vec3 columns[3], int p, int q) {
    double off = m[p][q];
    if (fabs(off) <= 0x1p-60 * fmin(fabs(m[p][p]), fabs(m[q][q]))) {
        m[p][q] = m[q][p] = 0.0;
        return false;
    }
    int k = 3 - p - q;
    double t = jacobi_tangent(m[q][q] - m[p][p], off);
    double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    m[p][p] -= t * off;
    m[q][q] += t * off;
    m[p][q] = m[q][p] = 0.0;
    double kp = m[k][p], kq = m[k][q];
    m[k][p] = m[p][k] = c * kp - s * kq;
    m[k][q] = m[q][k] = s * kp + c * kq;
    rotate_pair(&columns[p], &columns[q], c, s);
    return true;
}

static void swap_if_less(double values[3], Vec3 columns[3], int i, int j) {
    if (values[i] >= values[j]) return;
    double value = values[i];
    Vec3 column = columns[i];
    values[i] = values[j];
    columns[i] = columns[j];
    values[j] = value;
    columns[j] = column;
}

void symmetric_eigen(Mat3 a, Vec3 *values, Mat3 *vectors) {
    double entries[9], m[3][3];
    mat3_store(entries, a);
    int exponent = scale_exponent(entries);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) m[i][j] = m[j][i] = ldexp(entries[3 * i + j], -exponent);

    Vec3 columns[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool turned = true;
    for (int sweep = 0; turned && sweep < MAX_SWEEPS; sweep++) {
        turned = eigen_rotate(m, columns, 0, 1);
        turned = eigen_rotate(m, columns, 0, 2) || turned;
        turned = eigen_rotate(m, columns, 1, 2) || turned;
    }

    double sorted[3] = {m[0][0], m[1][1], m[2][2]};
    swap_if_less(sorted, columns, 0, 1);
    swap_if_less(sorted, columns, 1, 2);
    swap_if_less(sorted, columns, 0, 1);
    for (int i = 0; i < 3; i++) sorted[i] = ldexp(sorted[i], exponent);
    *values = vec3_load(sorted);
    /* The cross product is the third column up to sign, with the sign that makes the frame
     * right-handed. */
    *vectors = mat3_from_columns(columns[0], columns[1], vec3_cross(columns[0], columns[1]));
}

/* The roots of the characteristic polynomial as cosines: A = mean I + size B, where det(B)/2 is the
 * cosine of three times an angle (Smith 1961). */
Vec3 symmetric_eigenvalues(Mat3 a) {
    const double third_turn = 2.09439510239319549;
    double mean = mat3_trace(a) / 3.0;
    double xx = a.r[0].x - mean, yy = a.r[1].y - mean, zz = a.r[2].z - mean;
    double xy = a.r[0].y, xz = a.r[0].z, yz = a.r[1].z;
    double off = xy * xy + xz * xz + yz * yz;
    double size = sqrt((xx * xx + yy * yy + zz * zz + 2.0 * off) / 6.0);
    if (!(size > 0.0)) return vec3(mean, mean, mean);
    double determinant =
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    double cosine = 0.5 * determinant / (size * size * size);
    double angle = acos(fmax(-1.0, fmin(1.0, cosine))) / 3.0;
    double first = mean + 2.0 * size * cos(angle);
    double last = mean + 2.0 * size * cos(angle + third_turn);
    return vec3(first, 3.0 * mean - first - last, last);
}

/* Turns columns p < q of W and V together until those of W are at right angles, the longer one
 * first. False when nothing had to change. */
static bool svd_rotate(Vec3 w[3], Vec3 v[3], int p, int q) {
    double pp = vec3_dot(w[p], w[p]), qq = vec3_dot(w[q], w[q]);
    bool swapped = pp < qq;
    if (swapped) {
        /* A quarter turn swaps the columns and keeps V a rotation. */
        rotate_pair(&w[p], &w[q], 0.0, -1.0);
        rotate_pair(&v[p], &v[q], 0.0, -1.0);
        double shorter = pp;
        pp = qq;
        qq = shorter;
    }
    double lengths = sqrt(pp) * sqrt(qq);
    double off = vec3_dot(w[p], w[q]);
    /* Relative to both lengths: short columns come out as square as long ones. */
    if (sqrt(qq) < shortest_column || fabs(off) <= 1e-15 * lengths) return swapped;
    double t = jacobi_tangent(qq - pp, off);
    double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    rotate_pair(&w[p], &w[q], c, s);
    rotate_pair(&v[p], &v[q], c, s);
    return true;
}

/* W = U diag(sigma) for columns at right angles, in descending length. */
static void normalize_columns(const Vec3 w[3], Mat3 *u, double sigma[3]) {
    Vec3 first = vec3(1, 0, 0), second = vec3(0, 1, 0);
    sigma[0] = vec3_length(w[0]);
    sigma[1] = vec3_length(w[1]);
    if (sigma[0] > 0.0) {
        first = vec3_scale(1.0 / sigma[0], w[0]);
        if (sigma[1] < shortest_column) {
            second = vec3_any_orthogonal(first);
            sigma[1] = 0.0;
        } else {
            second = vec3_scale(1.0 / sigma[1], w[1]);
            second = vec3_normalize(vec3_add_scaled(second, -vec3_dot(first, second), first));
        }
    }
    /* U is a rotation by construction, so an inversion shows as a last value below zero. */
    Vec3 third = vec3_cross(first, second);
    sigma[2] = sigma[1] > 0.0 ? vec3_dot(third, w[2]) : 0.0;
    /* Equal values differ by rounding: keep the promised order exactly. */
    sigma[1] = fmin(sigma[1], sigma[0]);
    sigma[2] = fmax(-sigma[1], fmin(sigma[1], sigma[2]));
    *u = mat3_from_columns(first, second, third);
}

/* One-sided Jacobi: turns the columns of F until they are at right angles. F^T F, whose rounding
 * would swallow singular values below 1e-8 of the largest, is never formed. */
void svd_rotations(Mat3 f, Mat3 *u, Vec3 *sigma, Mat3 *v) {
    double entries[9], lengths[3];
    mat3_store(entries, f);
    int exponent = scale_exponent(entries);
    for (int i = 0; i < 9; i++) entries[i] = ldexp(entries[i], -exponent);
    Mat3 scaled = mat3_load(entries);
    Vec3 w[3] = {mat3_column(scaled, 0), mat3_column(scaled, 1), mat3_column(scaled, 2)};
    Vec3 turn[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool turned = true;
    for (int sweep = 0; turned && sweep < MAX_SWEEPS; sweep++) {
        turned = svd_rotate(w, turn, 0, 1);
        turned = svd_rotate(w, turn, 0, 2) || turned;
        turned = svd_rotate(w, turn, 1, 2) || turned;
    }
    normalize_columns(w, u, lengths);
    for (int i = 0; i < 3; i++) lengths[i] = ldexp(lengths[i], exponent);
    *sigma = vec3_load(lengths);
    *v = mat3_from_columns(turn[0], turn[1], turn[2]);
}

/* A turn about z. */
static Mat3 plane_rotation(double c, double s) {
    return (Mat3){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

/* F = R S first: in the plane the rotation is (a + d, c - b) normalised. Then the two eigenvalues
 * of S, whose sum is not negative: the larger one is also the larger in size. */
void svd_rotations_2(Mat3 f, Mat3 *u, Vec3 *sigma, Mat3 *v) {
    double a = f.r[0].x, b = f.r[0].y, c = f.r[1].x, d = f.r[1].y;
    double largest = fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d)));
    int exponent = 0;
    if (largest > 0.0) frexp(largest, &exponent);
    a = ldexp(a, -exponent), b = ldexp(b, -exponent);
    c = ldexp(c, -exponent), d = ldexp(d, -exponent);
    double x = a + d, y = c - b, length = hypot(x, y);
    x = length > 0.0 ? x / length : 1.0; /* a reflection or zero: any rotation is as near */
    y = length > 0.0 ? y / length : 0.0;
    double p = x * a + y * c, q = x * d - y * b;
    double off = 0.5 * (x * (b + c) + y * (d - a));
    double t = off != 0.0 ? jacobi_tangent(q - p, off) : 0.0;
    double cosine = 1.0 / sqrt(1.0 + t * t), sine = -cosine * t;
    p -= t * off;
    q += t * off;
    if (p < q) { /* a quarter turn swaps them and keeps V a rotation */
        double swap = p, turned = cosine;
        p = q, q = swap;
        cosine = -sine, sine = turned;
    }
    /* Equal values differ by rounding: keep the promised order exactly. */
    q = fmax(-p, q);
    *sigma = vec3(ldexp(p, exponent), ldexp(q, exponent), 1.0);
    *v = plane_rotation(cosine, sine);
    *u = plane_rotation(x * cosine - y * sine, y * cosine + x * sine);
}

void polar_decompose(Mat3 f, Mat3 *rotation, Mat3 *stretch) {
    Mat3 u, v;
    Vec3 sigma;
    svd_rotations(f, &u, &sigma, &v);
    Mat3 vt = mat3_transpose(v);
    *rotation = mat3_multiply(u, vt);
    /* A sum of outer products is symmetric to the bit. */
    Mat3 sum = mat3_scale(sigma.x, mat3_outer(vt.r[0], vt.r[0]));
    sum = mat3_add(sum, mat3_scale(sigma.y, mat3_outer(vt.r[1], vt.r[1])));
    *stretch = mat3_add(sum, mat3_scale(sigma.z, mat3_outer(vt.r[2], vt.r[2])));
}
