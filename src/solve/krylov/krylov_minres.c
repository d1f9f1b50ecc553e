/* Preconditioned MINRES (Paige and Saunders 1975; the recurrences as in Elman, Silvester and Wathen
 * 2014, algorithm 4.1). The 2-norm of the residual is not what the recurrence minimises when there
 * is a preconditioner, so rounds end on its estimate and the true residual decides. */
#include "solve/krylov/krylov_minres.h"

#include <math.h>
#include <string.h>

enum { MINRES_VECTORS = 8 };

PlimStatus minres_take(Minres *m, Scratch *scratch, int threads, const LinearMap *a,
                       const Preconditioner *preconditioner) {
    size_t n = a->rows;
    *m = (Minres){.v = {scratch, threads, n}, .a = a, .preconditioner = preconditioner};
    double *work = scratch_take(scratch, MINRES_VECTORS * n + 1, sizeof *work);
    if (!work) return PLIM_OUT_OF_MEMORY;
    double **vectors[MINRES_VECTORS] = {&m->r, &m->q,      &m->v_old, &m->v_now,
                                        &m->z, &m->z_next, &m->w_old, &m->w_now};
    for (size_t i = 0; i < MINRES_VECTORS; i++) *vectors[i] = work + i * n;
    return PLIM_OK;
}

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

PlimStatus minres_begin(Minres *m, SolveReason *reason) {
    size_t bytes = m->v.n * sizeof(double);
    memset(m->v_old, 0, bytes);
    memset(m->w_old, 0, bytes);
    memset(m->w_now, 0, bytes);
    memcpy(m->v_now, m->r, bytes);
    m->now = m->old = (MinresRotation){1.0, 0.0};
    m->gamma_old = 0.0;
    TRY(precondition(m, m->v_now, m->z, &m->gamma));
    *reason = m->gamma > 0.0 ? SOLVE_CONVERGED : SOLVE_INDEFINITE;
    if (m->gamma > 0.0) m->gamma = sqrt(m->gamma);
    m->eta = m->gamma;
    return PLIM_OK;
}

/* One Lanczos step: v_now, v_old and z move on. *delta is the diagonal entry, *gamma_next the next
 * off-diagonal one, squared. */
static PlimStatus lanczos(Minres *m, double *delta, double *gamma_next) {
    const KrylovVectors *v = &m->v;
    krylov_combine(v, 0.0, m->z, 1.0 / m->gamma, m->z);
    m->a->apply(m->a->object, m->z, m->q);
    TRY(krylov_dot(v, m->q, m->z, delta));
    /* v_old becomes v_next = q - delta / gamma v_now - gamma / gamma_old v_old. */
    krylov_combine(v, -*delta / m->gamma, m->v_now,
                   m->gamma_old > 0.0 ? -m->gamma / m->gamma_old : 0.0, m->v_old);
    krylov_combine(v, 1.0, m->q, 1.0, m->v_old);
    swap(&m->v_old, &m->v_now);
    return precondition(m, m->v_now, m->z_next, gamma_next);
}

PlimStatus minres_step(Minres *m, double *x, SolveReason *reason) {
    const KrylovVectors *v = &m->v;
    double delta, next;
    TRY(lanczos(m, &delta, &next));
    m->iterations++;
    m->applications += 1 + (m->preconditioner ? m->preconditioner->applications : 0);
    if (!isfinite(next) || !isfinite(delta))
        *reason = SOLVE_NOT_FINITE;
    else if (next < 0.0)
        *reason = SOLVE_INDEFINITE;
    if (*reason != SOLVE_CONVERGED) return PLIM_OK;
    next = sqrt(next);
    MinresRotation now = m->now, old = m->old;
    double a0 = now.c * delta - old.c * now.s * m->gamma, a1 = hypot(a0, next);
    double a2 = now.s * delta + old.c * now.c * m->gamma, a3 = old.s * m->gamma;
    if (a1 == 0.0) {
        *reason = SOLVE_BREAKDOWN;
        return PLIM_OK;
    }
    m->old = now;
    m->now = (MinresRotation){a0 / a1, next / a1};
    /* w_old becomes w_next = (z - a3 w_old - a2 w_now) / a1. */
    krylov_combine(v, -a2 / a1, m->w_now, -a3 / a1, m->w_old);
    krylov_combine(v, 1.0 / a1, m->z, 1.0, m->w_old);
    swap(&m->w_old, &m->w_now);
    krylov_combine(v, m->now.c * m->eta, m->w_now, 1.0, x);
    /* r_k is eta_k times the last column u_k of the rotated basis, u_k = -s u_{k-1} + c v_now /
     * next, and eta_k = -s eta_{k-1} with s = next / a1: next cancels. */
    m->keep = m->now.s * m->now.s;
    m->add = -m->now.c * m->eta / a1;
    m->eta *= -m->now.s;
    swap(&m->z, &m->z_next);
    m->gamma_old = m->gamma;
    m->gamma = next;
    return PLIM_OK;
}

static PlimStatus iterate(Minres *m, double reduction, int max_iterations, double *x,
                          SolveResult *result) {
    TRY(minres_begin(m, &result->reason));
    double goal = reduction * m->gamma;
    while (result->reason == SOLVE_CONVERGED && m->gamma > 0.0 && fabs(m->eta) > goal) {
        if (m->iterations >= max_iterations)
            result->reason = SOLVE_ITERATION_LIMIT;
        else
            TRY(minres_step(m, x, &result->reason));
    }
    return PLIM_OK;
}

PlimStatus solve_minres(Scratch *scratch, const LinearMap *a, const Preconditioner *preconditioner,
                        const KrylovOptions *options, const double *b, double *x,
                        SolveResult *result) {
    *result = (SolveResult){.reason = SOLVE_CONVERGED};
    size_t mark = scratch_mark(scratch);
    Minres m;
    TRY(minres_take(&m, scratch, options->threads, a, preconditioner));
    double target;
    PlimStatus status = krylov_start(&m.v, a, options, b, x, m.r, m.q, &target, result);
    while (status == PLIM_OK && result->reason == SOLVE_CONVERGED &&
           result->last_residual > target) {
        double before = result->last_residual;
        status = iterate(&m, 0.5 * target / before, options->max_iterations, x, result);
        if (status == PLIM_OK)
            status = krylov_finish(&m.v, a, b, x, m.r, m.q, before, target, result);
    }
    result->iterations = m.iterations;
    result->applications += m.applications;
    scratch_release(scratch, mark);
    return status;
}
