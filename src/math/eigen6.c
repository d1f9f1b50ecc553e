/* Eigenvalues of symmetric 6x6 matrices by cyclic Jacobi rotations. */
#include "math/eigen6.h"

#include <math.h>

static void rotate(double a[6][6], double v[6][6], int p, int q) {
    if (a[p][q] == 0.0) return;
    double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
    double c = 1.0 / hypot(t, 1.0), s = t * c;
    for (int k = 0; k < 6; k++) {
        double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 6; k++) {
        double pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        double kp = v[k][p], kq = v[k][q];
        v[k][p] = c * kp - s * kq;
        v[k][q] = s * kp + c * kq;
    }
    a[p][q] = a[q][p] = 0.0;
}

void symmetric_eigen6(double a[6][6], double values[6], double vectors[6][6]) {
    enum { MOST_SWEEPS = 24 };
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) vectors[i][j] = i == j;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        double off = 0.0, all = 0.0;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                all += a[i][j] * a[i][j];
                if (i != j) off += a[i][j] * a[i][j];
            }
        if (!(off > 1e-32 * all)) break;
        for (int p = 0; p < 5; p++)
            for (int q = p + 1; q < 6; q++) rotate(a, vectors, p, q);
    }
    for (int i = 0; i < 6; i++) values[i] = a[i][i];
}
