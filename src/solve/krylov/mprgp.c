/* MPRGP for bound-constrained quadratic programs (001 section 3.1): conjugate gradients among the
 * free entries while these are what is most wrong; expansion steps when conjugate gradients run
 * into bounds; proportioning steps when entries at their bounds want to leave it. */
#include "solve/krylov/mprgp.h"

#include "solve/krylov/mprgp_internal.h"

#include <math.h>
#include <string.h>

MprgpOptions mprgp_options_default(int threads) {
    return (MprgpOptions){.tolerance = 0.0, .max_iterations = 1000, .threads = threads};
}

/* Of 2 / norm, within which a step along the gradient lowers the energy. */
static const double STEP_PART = 0.975;

/* Steps of gradient projection at first and after an expansion, as measured. */
enum { FIRST_SETTLES = 4, EXPANSION_SETTLES = 2 };

/* A conjugate gradient step that is under way. */
typedef struct Conjugate {
    bool restart;         /* the free set changed: the last direction is of no use */
    double gz, curvature; /* g^T z, p^T A p */
    double alpha, feasible;
} Conjugate;

static PlimStatus apply(Mprgp *m, double *x, double *y) {
    m->applications++;
    return m->system->apply(m->system->object, x, y);
}

/* g = A x + b afresh. */
static PlimStatus true_gradient(Mprgp *m) {
    TRY(apply(m, m->x, m->z));
    return mprgp_take_gradient(m);
}

/* x = y, which was tried: its gradient is in z. */
static void accept(Mprgp *m) {
    double *x = m->x, *g = m->g;
    m->x = m->y;
    m->y = x;
    m->g = m->z;
    m->z = g;
    m->gradient = m->tried;
}

static void set_norm(Mprgp *m, double norm) {
    m->norm = norm;
    m->length = norm > 0.0 ? 2.0 * STEP_PART / norm : 1.0;
}

/* Gradient projection: a step of fixed length along the gradient, cut at the bounds; of free
 * entries alone (along the reduced free gradient, Dostal 2009) or of all. It lowers the
 * energy if the norm is not underestimated; where it does not, the norm was. */
static PlimStatus gradient_step(Mprgp *m, bool all) {
    enum { RETRIES = 8 };
    for (int i = 0;; i++) {
        double change;
        TRY(mprgp_project_gradient(m, all));
        TRY(apply(m, m->y, m->z));
        TRY(mprgp_try(m, &change));
        if (!(change > 0.0)) {
            accept(m);
            return PLIM_OK;
        }
        TRY(mprgp_measure(m));
        if (i == RETRIES) return PLIM_OK;
        set_norm(m, 1.25 * m->norm);
    }
}

/* Steps with all entries settle between neighbours who is free, before a preconditioner is made for
 * the free set. A pool of 64^3 cells with gaps takes 14 steps with them and 21 without. */
static PlimStatus settle(Mprgp *m, int steps) {
    for (int i = 0; i < steps; i++) TRY(gradient_step(m, true));
    return PLIM_OK;
}

/* The whole conjugate gradient step, cut at the bounds, sets many entries on theirs at once (Kruzik
 * et al., Active set expansion strategies in MPRGP algorithm, 2020). It is taken if it lowers the
 * energy as much as the part that needs no cutting does; otherwise that part is, and the step of
 * fixed length after it. */
static PlimStatus expand(Mprgp *m, const Conjugate *step) {
    double f = step->feasible, change = INFINITY;
    double least = (0.5 * f * step->curvature - step->gz) * f;
    if (isfinite(step->alpha)) {
        TRY(mprgp_project(m, step->alpha));
        TRY(apply(m, m->y, m->z));
        TRY(mprgp_try(m, &change));
    }
    if (change <= least) {
        accept(m);
        return PLIM_OK;
    }
    TRY(mprgp_move(m, f));
    return gradient_step(m, false);
}

static PlimStatus precondition(Mprgp *m, bool changed) {
    const MprgpSystem *system = m->system;
    m->applications += system->precondition_applications;
    if (!system->precondition) return mprgp_scale_gradient(m);
    return system->precondition(system->object, m->is_free, changed, m->g, m->z);
}

static PlimStatus conjugate_step(Mprgp *m, Conjugate *step, MprgpResult *result) {
    double last = step->gz;
    TRY(precondition(m, step->restart));
    TRY(mprgp_dot_preconditioned(m, &step->gz));
    TRY(mprgp_direct(m, step->restart ? 0.0 : step->gz / last, &step->feasible));
    TRY(apply(m, m->p, m->q));
    TRY(mprgp_curvature(m, &step->curvature));
    if (!isfinite(step->gz) || !isfinite(step->curvature)) {
        result->reason = SOLVE_NOT_FINITE;
        return PLIM_OK;
    }
    step->alpha = step->curvature > 0.0 ? step->gz / step->curvature : INFINITY;
    if (!(step->gz > 0.0) || (isinf(step->alpha) && isinf(step->feasible))) {
        result->reason = SOLVE_INDEFINITE;
        return PLIM_OK;
    }
    if (step->alpha <= step->feasible) {
        result->cg_steps++;
        TRY(mprgp_move(m, step->alpha));
        step->restart = m->gradient.set_changed;
        return PLIM_OK;
    }
    result->expansions++;
    step->restart = true;
    TRY(expand(m, step));
    return settle(m, EXPANSION_SETTLES);
}

/* Entries that push against their bound are let go. */
static PlimStatus proportioning_step(Mprgp *m, Conjugate *step, MprgpResult *result) {
    double gp, pq;
    TRY(mprgp_direct_chopped(m, &gp));
    TRY(apply(m, m->p, m->q));
    TRY(mprgp_curvature(m, &pq));
    if (!(pq > 0.0)) {
        result->reason = isnan(pq) ? SOLVE_NOT_FINITE : SOLVE_INDEFINITE;
        return PLIM_OK;
    }
    result->proportionings++;
    step->restart = true;
    return mprgp_move(m, gp / pq);
}

static PlimStatus iterate(Mprgp *m, const MprgpOptions *options, MprgpResult *result) {
    Conjugate step = {.restart = true};
    double last_true = INFINITY;
    bool is_true = true; /* the gradient is A x + b, not what the recurrence has */
    result->reason = SOLVE_CONVERGED;
    for (;;) {
        if (!isfinite(m->gradient.complementarity)) {
            result->reason = SOLVE_NOT_FINITE;
            return PLIM_OK;
        }
        if (!(m->gradient.violation > options->tolerance)) {
            if (is_true) return PLIM_OK;
            TRY(true_gradient(m));
            is_true = step.restart = true;
            if (!(m->gradient.violation > options->tolerance)) return PLIM_OK;
            if (m->gradient.violation > 0.5 * last_true) {
                result->reason = SOLVE_STAGNATED;
                return PLIM_OK;
            }
            last_true = m->gradient.violation;
        }
        result->iterations = result->cg_steps + result->expansions + result->proportionings;
        if (result->iterations >= options->max_iterations) {
            result->reason = SOLVE_ITERATION_LIMIT;
            return PLIM_OK;
        }
        is_true = false;
        if (m->gradient.chopped <= m->gradient.reduced)
            TRY(conjugate_step(m, &step, result));
        else
            TRY(proportioning_step(m, &step, result));
        if (result->reason != SOLVE_CONVERGED) return PLIM_OK;
    }
}

static PlimStatus take_memory(Mprgp *m, double *x) {
    double *work = scratch_take(m->scratch, 5 * m->n + 1, sizeof *work);
    m->is_free = scratch_take(m->scratch, m->n + 1, 1);
    m->in_use = scratch_take(m->scratch, m->n / MPRGP_CHUNK + 1, 1);
    if (!work || !m->is_free || !m->in_use) return PLIM_OUT_OF_MEMORY;
    double **vectors[] = {&m->y, &m->g, &m->p, &m->q, &m->z};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = work + i * m->n;
    m->x = x;
    if (m->scale) return PLIM_OK;
    float *ones = scratch_take(m->scratch, m->n + 1, sizeof *ones);
    if (!ones) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < m->n; i++) ones[i] = 1.0f;
    m->scale = ones;
    return PLIM_OK;
}

static PlimStatus solve(Mprgp *m, const MprgpOptions *options, double *x, double *eigenvector,
                        MprgpResult *result) {
    bool finite;
    TRY(take_memory(m, x));
    TRY(mprgp_clamp(m, &finite));
    if (!finite) {
        result->reason = SOLVE_NOT_FINITE;
        return PLIM_OK;
    }
    TRY(mprgp_find_norm(m, eigenvector));
    set_norm(m, fmax(m->norm, m->system->least_norm));
    TRY(true_gradient(m));
    if (m->gradient.violation > options->tolerance) TRY(settle(m, FIRST_SETTLES));
    TRY(iterate(m, options, result));
    TRY(true_gradient(m));
    if (m->x != x) memcpy(x, m->x, m->n * sizeof *x);
    return PLIM_OK;
}

PlimStatus mprgp_solve(Scratch *scratch, const MprgpSystem *system, const MprgpOptions *options,
                       double *x, double *eigenvector, MprgpResult *result) {
    *result = (MprgpResult){.reason = SOLVE_BREAKDOWN};
    size_t mark = scratch_mark(scratch);
    Mprgp m = {.scratch = scratch,
               .system = system,
               .threads = options->threads,
               .n = system->n,
               .scale = system->scale,
               .b = system->b,
               .low = system->low};
    PlimStatus status = solve(&m, options, x, eigenvector, result);
    scratch_release(scratch, mark);
    result->iterations = result->cg_steps + result->expansions + result->proportionings;
    result->applications = m.applications;
    result->norm = m.norm;
    result->violation = m.gradient.violation;
    result->least_slack = m.gradient.least_slack;
    result->complementarity = m.gradient.complementarity;
    result->free_count = m.gradient.free_count;
    return status;
}
