/* What the tests of deformable solids share: random deformations, and eigenvalues of small
 * symmetric matrices. */
#ifndef TESTS_DEFORM_CASE_H
#define TESTS_DEFORM_CASE_H

#include "check.h"

#include "base/random.h"
#include "math/mat.h"
#include "math/quat.h"

/* Each test draws from a stream of its own; `next` counts up. */
typedef struct Draw {
    uint64_t stream, next;
} Draw;

static inline double draw_uniform(Draw *draw, double low, double high) {
    return low + (high - low) * random_uniform(1, draw->stream, draw->next++);
}

static inline Vec3 draw_vector(Draw *draw) {
    double x = random_normal(2, draw->stream, draw->next++);
    double y = random_normal(2, draw->stream, draw->next++);
    double z = random_normal(2, draw->stream, draw->next++);
    return vec3(x, y, z);
}

/* Any rotation in 3D; one about z in 2D. */
static inline Mat3 draw_rotation(Draw *draw, int dim) {
    Vec3 v = draw_vector(draw);
    double w = random_normal(2, draw->stream, draw->next++);
    if (dim == 2) v.x = v.y = 0.0;
    return quat_to_mat3(quat_normalize((Quat){w, v.x, v.y, v.z}));
}

/* U diag(s) V^T */
static inline Mat3 from_stretches(Mat3 u, Vec3 s, Mat3 v) {
    return mat3_multiply(mat3_multiply(u, mat3_diagonal(s.x, s.y, s.z)), mat3_transpose(v));
}

/* Any matrix of the dimension; F_33 is 1 in 2D. */
static inline Mat3 draw_matrix(Draw *draw, int dim) {
    Mat3 a = {{draw_vector(draw), draw_vector(draw), draw_vector(draw)}};
    if (dim == 3) return a;
    return (Mat3){{{a.r[0].x, a.r[0].y, 0}, {a.r[1].x, a.r[1].y, 0}, {0, 0, 1}}};
}

static inline double *entry(Mat3 *a, int i, int j) {
    Vec3 *row = &a->r[i];
    return j == 0 ? &row->x : j == 1 ? &row->y : &row->z;
}

static inline double largest_entry(Mat3 a) {
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            assert_true(isfinite(*entry(&a, i, j)));
            largest = fmax(largest, fabs(*entry(&a, i, j)));
        }
    }
    return largest;
}

static inline double largest_of(const double *values, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        assert_true(isfinite(values[i]));
        largest = fmax(largest, fabs(values[i]));
    }
    return largest;
}

/* Least and largest eigenvalue of a symmetric matrix of at most 12 rows, by Jacobi rotations. */
static inline void eigenvalue_range(const double *matrix, int n, double *least, double *largest) {
    double a[12][12];
    for (int i = 0; i < n * n; i++) a[i / n][i % n] = matrix[i];
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                if (a[p][q] == 0.0) continue;
                double angle = 0.5 * atan2(2.0 * a[p][q], a[q][q] - a[p][p]);
                double c = cos(angle), s = sin(angle);
                for (int k = 0; k < n; k++) {
                    double kp = a[k][p], kq = a[k][q];
                    a[k][p] = c * kp - s * kq;
                    a[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < n; k++) {
                    double pk = a[p][k], qk = a[q][k];
                    a[p][k] = c * pk - s * qk;
                    a[q][k] = s * pk + c * qk;
                }
                a[p][q] = a[q][p] = 0.0;
            }
        }
        double off = 0.0, all = 0.0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                all = fmax(all, fabs(a[i][j]));
                if (i != j) off = fmax(off, fabs(a[i][j]));
            }
        }
        if (off <= 1e-16 * all) break;
    }
    *least = *largest = a[0][0];
    for (int i = 1; i < n; i++) {
        *least = fmin(*least, a[i][i]);
        *largest = fmax(*largest, a[i][i]);
    }
}

#endif
