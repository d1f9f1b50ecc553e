/* Small coupled systems written out in full, and their answers by elimination. */
#ifndef TESTS_COUPLED_CASE_H
#define TESTS_COUPLED_CASE_H

#include "operator_test.h"

#include "solve/coupled/coupled.h"

#include <string.h>

enum { CASE_GROUPS = 4 };

typedef struct CaseGroup {
    CoupledMassKind kind;
    size_t count, block;
} CaseGroup;

/* Matrices are full, by rows of n. */
typedef struct Case {
    size_t n, group_count;
    CaseGroup groups[CASE_GROUPS];
    double *mass; /* n x n; rows of infinite masses are zero */
    double *w;    /* w* */
    bool *given;
    size_t constraints, dampers, ties;
    double *d, *c, *j; /* j: w_t - J w = 0 with w_t = 1 */
    double *target;
    int32_t *tied;
    double tolerance; /* of momentum and constraints alike */
    int max_iterations;
} Case;

static inline Case case_create(size_t constraints, size_t dampers, size_t ties,
                               const CaseGroup *groups, size_t group_count) {
    Case made = {.group_count = group_count,
                 .constraints = constraints,
                 .dampers = dampers,
                 .ties = ties,
                 .tolerance = 1e-12,
                 .max_iterations = 20000};
    for (size_t i = 0; i < group_count; i++) {
        made.groups[i] = groups[i];
        made.n += groups[i].count;
    }
    size_t n = made.n;
    made.mass = calloc(n * n, sizeof(double));
    made.w = operator_vector(n, 100);
    made.given = calloc(n, sizeof(bool));
    made.d = calloc(constraints * n + 1, sizeof(double));
    made.c = calloc(dampers * n + 1, sizeof(double));
    made.j = calloc(ties * n + 1, sizeof(double));
    made.target = calloc(constraints + 1, sizeof(double));
    made.tied = calloc(ties + 1, sizeof(int32_t));
    for (size_t i = 0, at = 0; i < group_count; at += groups[i++].count)
        for (size_t v = at; v < at + groups[i].count; v++)
            made.given[v] = groups[i].kind == COUPLED_MASS_INFINITE;
    return made;
}

static inline void case_free(Case *made) {
    free(made->mass);
    free(made->w);
    free(made->given);
    free(made->d);
    free(made->c);
    free(made->j);
    free(made->target);
    free(made->tied);
}

/* The entries of a full matrix that are not zero, as rows; `skip[i]` is left out of row i. */
static inline Csr case_rows(PlimContext *context, const double *full, size_t rows, size_t n,
                            const int32_t *skip, double sign) {
    Csr out;
    size_t entries = 0;
    for (size_t i = 0; i < rows * n; i++) entries += full[i] != 0.0;
    if (skip) entries -= rows;
    assert_int_equal(csr_create(context, rows, n, entries, &out), PLIM_OK);
    size_t at = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < n; k++) {
            if (full[i * n + k] == 0.0 || (skip && skip[i] == (int32_t)k)) continue;
            out.column[at] = (int32_t)k;
            out.value[at++] = sign * full[i * n + k];
        }
        out.row_start[i + 1] = at;
    }
    return out;
}

/* The masses of a group, as coupled_add_group takes them. */
static inline double *case_masses(const Case *made, size_t group) {
    size_t start = 0;
    for (size_t i = 0; i < group; i++) start += made->groups[i].count;
    CaseGroup g = made->groups[group];
    size_t block = g.kind == COUPLED_MASS_BLOCKS ? g.block : 1, at = 0;
    double *values = calloc(g.count * block + 1, sizeof *values);
    for (size_t v = 0; v < g.count; v++)
        for (size_t k = 0; k < block; k++)
            values[at++] = made->mass[(start + v) * made->n + start + v / block * block + k];
    return values;
}

/* Constraints in two sets, the first three and the rest: sets 0 and 1; dampers are set 2. */
static inline size_t case_first_set(const Case *made) {
    return made->constraints < 3 ? made->constraints : 3;
}

static inline Coupled *case_build(PlimContext *context, const Case *made) {
    CoupledDesc desc = coupled_desc_default(context->threads);
    desc.tolerance = made->tolerance;
    desc.max_iterations = made->max_iterations;
    Coupled *coupled;
    assert_int_equal(coupled_create(context, &desc, &coupled), PLIM_OK);
    for (size_t i = 0; i < made->group_count; i++) {
        double *values = case_masses(made, i);
        CoupledMass mass = {made->groups[i].kind, made->groups[i].block, values};
        size_t number;
        assert_int_equal(coupled_add_group(coupled, "group", made->groups[i].count, &mass, &number),
                         PLIM_OK);
        assert_int_equal(number, i);
        free(values);
    }
    size_t n = made->n, first = case_first_set(made);
    Csr rows[4] = {case_rows(context, made->d, first, n, NULL, 1.0),
                   case_rows(context, made->d + first * n, made->constraints - first, n, NULL, 1.0),
                   case_rows(context, made->c, made->dampers, n, NULL, 1.0),
                   case_rows(context, made->j, made->ties, n, made->tied, -1.0)};
    for (size_t i = 0; i < 3; i++) {
        CoupledRows desc_rows = {.name = "rows",
                                 .kind = i < 2 ? COUPLED_CONSTRAINT : COUPLED_DAMPER,
                                 .rows = &rows[i],
                                 .target = i < 2 ? made->target + i * first : NULL,
                                 .tolerance = made->tolerance};
        assert_int_equal(coupled_add_rows(coupled, &desc_rows, NULL), PLIM_OK);
    }
    assert_int_equal(coupled_add_ties(coupled, made->tied, &rows[3], NULL), PLIM_OK);
    for (size_t i = 0; i < 4; i++) csr_free(context, &rows[i]);
    assert_int_equal(coupled_finalize(coupled), PLIM_OK);
    return coupled;
}

/* Row i of K: constraints, dampers, ties. */
static inline const double *case_k(const Case *made, size_t i) {
    if (i < made->constraints) return made->d + i * made->n;
    i -= made->constraints;
    if (i < made->dampers) return made->c + i * made->n;
    return made->j + (i - made->dampers) * made->n;
}

static inline size_t case_row_count(const Case *made) {
    return made->constraints + made->dampers + made->ties;
}

static inline bool case_is_damper(const Case *made, size_t i) {
    return i >= made->constraints && i < made->constraints + made->dampers;
}

/* Brings rows and columns of a symmetric matrix to a common size: scale a scale. */
static inline double *case_equilibrate(double *a, size_t n) {
    double *scale = calloc(n, sizeof *scale);
    for (size_t i = 0; i < n; i++) scale[i] = 1.0;
    for (int round = 0; round < 8; round++)
        for (size_t i = 0; i < n; i++) {
            double most = 0.0;
            for (size_t k = 0; k < n; k++) most = fmax(most, fabs(a[i * n + k]));
            double s = most > 0.0 ? 1.0 / sqrt(most) : 1.0;
            scale[i] *= s;
            for (size_t k = 0; k < n; k++) a[i * n + k] *= s;
            for (size_t k = 0; k < n; k++) a[k * n + i] *= s;
        }
    return scale;
}

static inline void case_exchange(double *a, size_t stride, double *b, size_t count) {
    for (size_t k = 0; k < count; k++) {
        double t = a[k * stride];
        a[k * stride] = b[k * stride];
        b[k * stride] = t;
    }
}

/* Brings the largest entry of what is left to (rank, rank); false when that is but rounding. */
static inline bool case_pivot(double *a, double *b, size_t *order, size_t rank, size_t n) {
    size_t row = rank, column = rank;
    for (size_t i = rank; i < n; i++)
        for (size_t k = rank; k < n; k++)
            if (fabs(a[i * n + k]) > fabs(a[row * n + column])) row = i, column = k;
    if (fabs(a[row * n + column]) < 1e-13) return false;
    case_exchange(a + row * n, 1, a + rank * n, n);
    case_exchange(b + row, 1, b + rank, 1);
    case_exchange(a + column, n, a + rank, n);
    size_t other = order[column];
    order[column] = order[rank];
    order[rank] = other;
    return true;
}

/* a x = b for symmetric a by elimination with full pivoting. What belongs to pivots that are but
 * rounding is zero. */
static inline void case_eliminate(double *a, double *b, double *x, size_t n) {
    double *scale = case_equilibrate(a, n);
    size_t *order = calloc(n, sizeof *order), rank = 0;
    for (size_t i = 0; i < n; i++) {
        order[i] = i;
        b[i] *= scale[i];
    }
    for (; rank < n && case_pivot(a, b, order, rank, n); rank++)
        for (size_t i = rank + 1; i < n; i++) {
            double f = a[i * n + rank] / a[rank * n + rank];
            if (f == 0.0) continue;
            for (size_t k = rank; k < n; k++) a[i * n + k] -= f * a[rank * n + k];
            b[i] -= f * b[rank];
        }
    memset(x, 0, n * sizeof *x);
    for (size_t i = rank; i-- > 0;) {
        double sum = b[i];
        for (size_t k = i + 1; k < rank; k++) sum -= a[i * n + k] * x[order[k]];
        x[order[i]] = sum / a[i * n + i];
    }
    for (size_t i = 0; i < n; i++) x[i] *= scale[i];
    free(scale);
    free(order);
}

/* w and z, one a row of K, from [B K^T; K -P] in full, for the change of w. Given velocities have
 * the identity in place of B. */
static inline void case_exact(const Case *made, double *w, double *z) {
    size_t n = made->n, rows = case_row_count(made), all = n + rows;
    double *a = calloc(all * all, sizeof *a), *b = calloc(all, sizeof *b),
           *x = calloc(all, sizeof *x);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            a[i * all + k] = made->given[i] ? (double)(i == k) : made->mass[i * n + k];
    for (size_t i = 0; i < rows; i++) {
        const double *row = case_k(made, i);
        for (size_t k = 0; k < n; k++)
            if (!made->given[k]) a[k * all + n + i] = a[(n + i) * all + k] = row[k];
        a[(n + i) * all + n + i] = case_is_damper(made, i) ? -1.0 : 0.0;
        b[n + i] = (i < made->constraints ? made->target[i] : 0.0) - operator_dot(row, made->w, n);
    }
    case_eliminate(a, b, x, all);
    for (size_t i = 0; i < n; i++) w[i] = made->w[i] + x[i];
    memcpy(z, x + n, rows * sizeof *z);
    free(a);
    free(b);
    free(x);
}

static inline double case_energy(const Case *made, const double *w) {
    double sum = 0.0;
    for (size_t i = 0; i < made->n; i++)
        sum += w[i] * operator_dot(made->mass + i * made->n, w, made->n);
    return 0.5 * sum;
}

#endif
