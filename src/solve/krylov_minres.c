/* Preconditioned MINRES (Paige and Saunders 1975; the recurrences as in Elman, Silvester and Wathen
 * 2014, algorithm 4.1). The 2-norm of the residual is not what the recurrence minimises when there
 * is a preconditioner, so rounds end on its estimate and the true residual decides. */
#include "solve/krylov_vectors.h"

#include <math.h>
#include <string.h>

typedef struct Minres {
    KrylovVectors v;
    const Preconditioner *preconditioner;
    double *r, *q;                      /* residual, A z */
    double *v_old, *v_now, *z, *z_next; /* Lanczos vectors and M^-1 of them */
    double *w_old, *w_now;              /* search directions */
} Minres;

enum { MINRES_VECTORS = 8 };

static PlimStatus precondition(const Minres *m, const double *from, double *to, double *gamma) {
    if (m->preconditioner)
        m->preconditioner->apply(m->preconditioner->object, from, to);
    else
        memcpy(to, from, m->v.n * sizeof *to);
    TRY(krylov_dot(&m->v, from, to, gamma));
    return PLIM_OK;
}

static void swap(double **a, double **b) {
    double *t = *a;
    *a = *b;
    *b = t;
}

typedef struct Rotation {
    double c, s;
} Rotation;

/* One Lanczos step: v_now, v_old and z move on. *delta is the diagonal entry, *gamma_next the next
 * off-diagonal one, squared. */
static PlimStatus lanczos(Minres *m, const LinearMap *a, double gamma, double gamma_old,
                          double *delta, double *gamma_next) {
    const KrylovVectors *v = &m->v;
    krylov_combine(v, 0.0, m->z, 1.0 / gamma, m->z);
    a->apply(a->object, m->z, m->q);
    TRY(krylov_dot(v, m->q, m->z, delta));
    /* v_old becomes v_next = q - delta / gamma v_now - gamma / gamma_old v_old. */
    krylov_combine(v, -*delta / gamma, m->v_now, gamma_old > 0.0 ? -gamma / gamma_old : 0.0,
                   m->v_old);
    krylov_combine(v, 1.0, m->q, 1.0, m->v_old);
    swap(&m->v_old, &m->v_now);
    return precondition(m, m->v_now, m->z_next, gamma_next);
}

static PlimStatus iterate(Minres *m, const LinearMap *a, double reduction, int max_iterations,
                          double *x, SolveResult *result) {
    const KrylovVectors *v = &m->v;
    double gamma, gamma_old = 0.0, next, delta;
    Rotation now = {1.0, 0.0}, old = {1.0, 0.0};
    size_t bytes = v->n * sizeof(double);
    memset(m->v_old, 0, bytes);
    memset(m->w_old, 0, bytes);
    memset(m->w_now, 0, bytes);
    memcpy(m->v_now, m->r, bytes);
    TRY(precondition(m, m->v_now, m->z, &gamma));
    result->reason = gamma > 0.0 ? SOLVE_CONVERGED : SOLVE_INDEFINITE;
    if (!(gamma > 0.0)) return PLIM_OK;
    gamma = sqrt(gamma);
    double eta = gamma, goal = reduction * gamma;
    while (fabs(eta) > goal) {
        if (result->iterations >= max_iterations) {
            result->reason = SOLVE_ITERATION_LIMIT;
            return PLIM_OK;
        }
        TRY(lanczos(m, a, gamma, gamma_old, &delta, &next));
        result->iterations++;
        result->applications += 1 + (m->preconditioner ? m->preconditioner->applications : 0);
        if (!isfinite(next) || !isfinite(delta)) {
            result->reason = SOLVE_NOT_FINITE;
            return PLIM_OK;
        }
        if (next < 0.0) {
            result->reason = SOLVE_INDEFINITE;
            return PLIM_OK;
        }
        next = sqrt(next);
        double a0 = now.c * delta - old.c * now.s * gamma, a1 = hypot(a0, next);
        double a2 = now.s * delta + old.c * now.c * gamma, a3 = old.s * gamma;
        if (a1 == 0.0) {
            result->reason = SOLVE_BREAKDOWN;
            return PLIM_OK;
        }
        old = now;
        now = (Rotation){a0 / a1, next / a1};
        /* w_old becomes w_next = (z - a3 w_old - a2 w_now) / a1. */
        krylov_combine(v, -a2 / a1, m->w_now, -a3 / a1, m->w_old);
        krylov_combine(v, 1.0 / a1, m->z, 1.0, m->w_old);
        swap(&m->w_old, &m->w_now);
        krylov_combine(v, now.c * eta, m->w_now, 1.0, x);
        eta *= -now.s;
        swap(&m->z, &m->z_next);
        gamma_old = gamma;
        gamma = next;
        if (next == 0.0) break; /* the Krylov space is exhausted */
    }
    return PLIM_OK;
}

PlimStatus solve_minres(Scratch *scratch, const LinearMap *a, const Preconditioner *preconditioner,
                        const KrylovOptions *options, const double *b, double *x,
                        SolveResult *result) {
    *result = (SolveResult){.reason = SOLVE_CONVERGED};
    size_t n = a->rows, mark = scratch_mark(scratch);
    Minres m = {.v = {scratch, options->threads, n}, .preconditioner = preconditioner};
    double *work = scratch_take(scratch, MINRES_VECTORS * n + 1, sizeof *work);
    if (!work) return PLIM_OUT_OF_MEMORY;
    double **vectors[MINRES_VECTORS] = {&m.r, &m.q,      &m.v_old, &m.v_now,
                                        &m.z, &m.z_next, &m.w_old, &m.w_now};
    for (size_t i = 0; i < MINRES_VECTORS; i++) *vectors[i] = work + i * n;
    double target;
    PlimStatus status = krylov_start(&m.v, a, options, b, x, m.r, m.q, &target, result);
    while (status == PLIM_OK && result->reason == SOLVE_CONVERGED &&
           result->last_residual > target) {
        double before = result->last_residual;
        status = iterate(&m, a, 0.5 * target / before, options->max_iterations, x, result);
        if (status == PLIM_OK)
            status = krylov_finish(&m.v, a, b, x, m.r, m.q, before, target, result);
    }
    scratch_release(scratch, mark);
    return status;
}
