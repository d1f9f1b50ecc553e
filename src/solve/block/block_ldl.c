/* Sparse block LDL^T: numeric factor, by columns, and solves. */
#include "solve/block/block_ldl.h"

#include <string.h>

void block_ldl_clear(BlockLdl *ldl) {
    memset(ldl->value.data, 0, ldl->value.capacity * sizeof *ldl->value.data);
}

/* L and D of a block of the diagonal, in place; L has ones on its diagonal. */
static size_t factor_diagonal(double *a, size_t n, double least, double *inverse_pivot) {
    double before[BLOCK_LDL_MOST_ROWS];
    size_t dropped = 0;
    for (size_t c = 0; c < n; c++) before[c] = inverse_pivot[c]; /* of the whole matrix */
    for (size_t c = 0; c < n; c++) {
        double pivot = a[c * n + c];
        bool counts = pivot > least * before[c];
        dropped += !counts && before[c] > 0.0;
        inverse_pivot[c] = counts ? 1.0 / pivot : 0.0;
        for (size_t r = c + 1; r < n; r++) {
            double entry = a[r * n + c];
            double l = entry * inverse_pivot[c];
            for (size_t k = c + 1; k <= r; k++) a[r * n + k] -= l * a[k * n + c];
            a[r * n + c] = entry;
        }
        for (size_t r = c + 1; r < n; r++) a[r * n + c] *= inverse_pivot[c];
    }
    return dropped;
}

/* W = B L^-T and X = W D^-1 of a row of B. */
static void factor_row(const double *l, size_t n, const double *inverse_pivot, double *x,
                       double *w) {
    for (size_t c = 0; c < n; c++) {
        double value = x[c];
        for (size_t j = 0; j < c; j++) value -= w[j] * l[c * n + j];
        w[c] = value;
    }
    for (size_t c = 0; c < n; c++) x[c] = w[c] * inverse_pivot[c];
}

/* Takes X_l W_k^T from the blocks of all pairs below a place. */
static size_t update_below(BlockLdl *ldl, size_t place, size_t update) {
    size_t begin = ldl->below_start.data[place], end = ldl->below_start.data[place + 1];
    size_t n = (size_t)ldl->size.data[place];
    for (size_t i = begin; i < end; i++) {
        const double *x = ldl->value.data + ldl->block.data[i];
        const double *w = ldl->work.data;
        size_t rows = (size_t)ldl->size.data[ldl->below.data[i]];
        for (size_t j = begin; j <= i; j++) {
            size_t columns = (size_t)ldl->size.data[ldl->below.data[j]];
            double *to = ldl->value.data + ldl->update.data[update++];
            for (size_t r = 0; r < rows; r++)
                for (size_t c = 0; c < (i == j ? r + 1 : columns); c++) {
                    double sum = 0.0;
                    for (size_t k = 0; k < n; k++) sum += x[r * n + k] * w[c * n + k];
                    to[r * columns + c] -= sum;
                }
            w += columns * n;
        }
    }
    return update;
}

size_t block_ldl_factor(BlockLdl *ldl, double least) {
    size_t dropped = 0, update = 0;
    for (size_t place = 0; place < ldl->count; place++) {
        size_t n = (size_t)ldl->size.data[place];
        for (size_t c = 0; c < n; c++)
            ldl->inverse_pivot.data[ldl->row.data[place] + c] =
                ldl->value.data[ldl->diagonal.data[place] + c * n + c];
    }
    for (size_t place = 0; place < ldl->count; place++) {
        size_t n = (size_t)ldl->size.data[place];
        double *diagonal = ldl->value.data + ldl->diagonal.data[place], *w = ldl->work.data;
        double *inverse_pivot = ldl->inverse_pivot.data + ldl->row.data[place];
        dropped += factor_diagonal(diagonal, n, least, inverse_pivot);
        for (size_t k = ldl->below_start.data[place]; k < ldl->below_start.data[place + 1]; k++) {
            double *x = ldl->value.data + ldl->block.data[k];
            size_t rows = (size_t)ldl->size.data[ldl->below.data[k]];
            for (size_t r = 0; r < rows; r++, w += n)
                factor_row(diagonal, n, inverse_pivot, x + r * n, w);
        }
        update = update_below(ldl, place, update);
    }
    return dropped;
}

void block_ldl_solve(const BlockLdl *ldl, double *x) {
    for (size_t place = 0; place < ldl->count; place++) {
        size_t n = (size_t)ldl->size.data[place];
        const double *l = ldl->value.data + ldl->diagonal.data[place];
        double *own = x + ldl->row.data[place];
        for (size_t r = 1; r < n; r++)
            for (size_t c = 0; c < r; c++) own[r] -= l[r * n + c] * own[c];
        for (size_t k = ldl->below_start.data[place]; k < ldl->below_start.data[place + 1]; k++) {
            const double *block = ldl->value.data + ldl->block.data[k];
            size_t below = (size_t)ldl->below.data[k], rows = (size_t)ldl->size.data[below];
            double *to = x + ldl->row.data[below];
            for (size_t r = 0; r < rows; r++)
                for (size_t c = 0; c < n; c++) to[r] -= block[r * n + c] * own[c];
        }
    }
    for (size_t r = 0; r < ldl->row_count; r++) x[r] *= ldl->inverse_pivot.data[r];
    for (size_t place = ldl->count; place-- > 0;) {
        size_t n = (size_t)ldl->size.data[place];
        const double *l = ldl->value.data + ldl->diagonal.data[place];
        double *own = x + ldl->row.data[place];
        for (size_t k = ldl->below_start.data[place]; k < ldl->below_start.data[place + 1]; k++) {
            const double *block = ldl->value.data + ldl->block.data[k];
            size_t below = (size_t)ldl->below.data[k], rows = (size_t)ldl->size.data[below];
            const double *from = x + ldl->row.data[below];
            for (size_t r = 0; r < rows; r++)
                for (size_t c = 0; c < n; c++) own[c] -= block[r * n + c] * from[r];
        }
        for (size_t c = n; c-- > 0;)
            for (size_t r = c + 1; r < n; r++) own[c] -= l[r * n + c] * own[r];
    }
}
