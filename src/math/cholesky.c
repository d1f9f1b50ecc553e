/* Dense Cholesky factorisation and its triangular solves. */
#include "math/cholesky.h"

#include <math.h>

bool cholesky_factor(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (i != j) {
                a[i * n + j] = sum / a[j * n + j];
            } else {
                if (!(sum > 0.0) || !isfinite(sum)) return false;
                a[i * n + i] = sqrt(sum);
            }
        }
    return true;
}

void cholesky_solve(const double *factor, size_t n, double *b) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) b[i] -= factor[i * n + k] * b[k];
        b[i] /= factor[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) b[i] -= factor[k * n + i] * b[k];
        b[i] /= factor[i * n + i];
    }
}
