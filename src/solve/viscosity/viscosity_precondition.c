/* Preconditioners of viscosity: Chebyshev polynomial and multigrid. For most steps a few steps of
 * Chebyshev's iteration on A z = r from zero, with a diagonal (Saad 2003, algorithm 12.1): a step
 * does nearly as much as an iteration of conjugate gradients and moves less memory: at 64^3 cells
 * and degree 4 solves took 0.6 to 0.75 of the time of the diagonal alone, with 6 to 18 % more
 * applications of A. For stiff steps a multigrid cycle. */
#include "solve/viscosity/viscosity_internal.h"

#include <math.h>

/* Steps whose dt mu / (density h^2) is above this get the cycle: from about 5 on it is faster, at
 * 1000 five times in three dimensions (64^3) and ten in two (512^2). Where mu jumps it does worse
 * than the polynomial, as the rotation of a stiff lump costs nothing but no single component knows
 * that. */
static const double STIFF = 6.0;

/* ---- the diagonal ---- */

/* A bound B with x^T A x <= x^T B x: a link's energy c (u - w)^2 / 2 is at most c (u^2 + w^2), and
 * an edge's cross term at most doubles those of its two links. The eigenvalues of B^-1 A are then
 * in (0, 1], and in the unbounded fluid they reach 1. */
static double row_bound(const Viscosity *v, int a, size_t c) {
    double sum = 2.0 * ((double)v->link[a][a][c] + (double)v->link[a][a][c - v->stride[a]]);
    for (int b = 0; b < v->grid.dim; b++)
        if (b != a)
            sum += 4.0 * ((double)v->link[a][b][c] + (double)v->link[a][b][c + v->stride[b]]);
    return v->mass * (double)v->part[a][c] + v->stiffness * sum;
}

static void invert_rows(void *user, size_t begin, size_t end) {
    const Viscosity *v = user;
    for (size_t row = begin; row < end; row++) {
        int j, k;
        row_place(v, row, &j, &k);
        for (int a = 0; a < v->grid.dim; a++)
            for (int i = 0; i <= v->grid.n[0]; i++) {
                size_t c = lattice_index(v, i, j, k);
                bool unknown = face_is_unknown(v->face[a][c]);
                v->inverse[(size_t)a * v->count + c] =
                    unknown ? (float)(v->mass / row_bound(v, a, c)) : 0.0f;
            }
    }
}

/* ---- the polynomial ---- */

typedef struct ChebyshevJob {
    const float *inverse;
    const double *r, *old;
    double *z, *d;
    double keep, gain; /* d = keep d + gain B^-1 (r - A z) */
} ChebyshevJob;

static void first_step(void *user, size_t begin, size_t end) {
    const ChebyshevJob *job = user;
    for (size_t i = begin; i < end; i++)
        job->z[i] = job->d[i] = job->gain * (double)job->inverse[i] * job->r[i];
}

/* z holds A old and becomes old + d. */
static void next_step(void *user, size_t start, size_t count) {
    const ChebyshevJob *job = user;
    const float *inverse = job->inverse + start;
    const double *r = job->r + start, *old = job->old + start;
    double *restrict z = job->z + start, *restrict d = job->d + start;
    double keep = job->keep, gain = job->gain;
    for (size_t i = 0; i < count; i++) {
        d[i] = keep * d[i] + gain * (double)inverse[i] * (r[i] - z[i]);
        z[i] = old[i] + d[i];
    }
}

/* Leaves z with its copies across periodic sides: the directions of the conjugate gradients, sums
 * of such z, then have them too, while residuals are zero there and dots count each face once. */
static void precondition(void *object, const double *r, double *z) {
    const Viscosity *v = object;
    double middle = 0.5 * (1.0 + v->lowest), half = 0.5 * (1.0 - v->lowest);
    double ratio = half / middle;
    double *from = v->degree % 2 == 1 ? z : v->z, *to = v->degree % 2 == 1 ? v->z : z;
    ChebyshevJob job = {.inverse = v->inverse, .r = r, .d = v->d};
    job.z = from;
    job.gain = 1.0 / (middle * v->mass);
    parallel_for(v->threads, (size_t)v->grid.dim * v->count, 16384, first_step, &job);
    viscosity_fill_copies(v, from);
    for (int step = 1; step < v->degree; step++) {
        double next = 1.0 / (2.0 * middle / half - ratio);
        job.old = from;
        job.z = to;
        job.keep = next * ratio;
        job.gain = 2.0 * next / (half * v->mass);
        viscosity_apply_then(v, from, to, next_step, &job);
        viscosity_fill_copies(v, to);
        double *swap = from;
        from = to;
        to = swap;
        ratio = next;
    }
}

/* Eigenvalues of B^-1 A are above that of the mass alone. The polynomial is made for the range
 * from there, but not below 1/38: a fourth degree then errs by at most a half, and lifts what lies
 * below the range by 14 over what it does to the rest, nearly the 16 of the best polynomial. */
static Preconditioner polynomial(Viscosity *v) {
    double bound = v->grid.dim == 3 ? 24.0 : 16.0;
    double least = v->mass / (v->mass + bound * v->stiffness);
    v->lowest = fmax(least, 1.0 / 38.0);
    v->degree = least > 0.2 ? 1 : least > 0.05 ? 2 : 4;
    parallel_for(v->threads, v->row_count, row_grain(v), invert_rows, v);
    return (Preconditioner){v, precondition, v->degree - 1};
}

/* ---- the choice ---- */

static void run_cycle(void *object, const double *r, double *z) {
    Viscosity *v = object;
    viscosity_multigrid_cycle(v->multigrid, v, v->threads, r, z);
}

PlimStatus viscosity_preconditioner(Viscosity *v, Preconditioner *out) {
    if (v->mu_varies || !(v->stiffness > STIFF * v->mass)) {
        *out = polynomial(v);
        return PLIM_OK;
    }
    if (!v->multigrid) TRY(viscosity_multigrid_create(v, &v->multigrid));
    TRY(viscosity_multigrid_setup(v->multigrid, v, v->threads));
    *out = (Preconditioner){v, run_cycle, viscosity_multigrid_applications(v->multigrid)};
    return PLIM_OK;
}
