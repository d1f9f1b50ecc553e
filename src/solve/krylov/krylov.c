/* Preconditioned conjugate gradients (Hestenes and Stiefel 1952; Saad 2003, algorithm 9.1). When
 * the recurrence's residual is at the target the true one is formed; if it is not there yet the
 * iteration goes on from it. */
#include "solve/krylov/krylov.h"

#include "base/parallel.h"
#include "solve/krylov/krylov_vectors.h"

#include <math.h>
#include <string.h>

const char *solve_reason_name(SolveReason reason) {
    switch (reason) {
    case SOLVE_CONVERGED:
        return "converged";
    case SOLVE_ITERATION_LIMIT:
        return "iteration limit";
    case SOLVE_STAGNATED:
        return "stagnated";
    case SOLVE_INDEFINITE:
        return "indefinite";
    case SOLVE_BREAKDOWN:
        return "breakdown";
    case SOLVE_NOT_FINITE:
        return "not finite";
    }
    return "unknown";
}

KrylovOptions krylov_options_default(int threads) {
    return (KrylovOptions){
        .relative = 1e-6, .absolute = 0.0, .max_iterations = 1000, .threads = threads};
}

typedef struct Cg {
    KrylovVectors v;
    const Preconditioner *preconditioner;
    double *r, *z, *p, *q;
} Cg;

static void precondition(const Cg *cg) {
    if (cg->preconditioner)
        cg->preconditioner->apply(cg->preconditioner->object, cg->r, cg->z);
    else
        memcpy(cg->z, cg->r, cg->v.n * sizeof *cg->z);
}

static PlimStatus iterate(Cg *cg, const LinearMap *a, double target, int max_iterations, double *x,
                          SolveResult *result) {
    double rz = 0.0, pq, residual;
    result->reason = SOLVE_CONVERGED;
    TRY(krylov_norm(&cg->v, cg->r, &residual));
    for (bool first = true; residual > target; first = false) {
        if (result->iterations >= max_iterations) {
            result->reason = SOLVE_ITERATION_LIMIT;
            return PLIM_OK;
        }
        double last = rz;
        precondition(cg);
        TRY(krylov_dot(&cg->v, cg->r, cg->z, &rz));
        krylov_combine(&cg->v, 1.0, cg->z, first ? 0.0 : rz / last, cg->p);
        a->apply(a->object, cg->p, cg->q);
        result->iterations++;
        result->applications += 1 + (cg->preconditioner ? cg->preconditioner->applications : 0);
        TRY(krylov_dot(&cg->v, cg->p, cg->q, &pq));
        if (!isfinite(rz) || !isfinite(pq)) {
            result->reason = SOLVE_NOT_FINITE;
            return PLIM_OK;
        }
        if (!(rz > 0.0) || !(pq > 0.0)) {
            result->reason = SOLVE_INDEFINITE;
            return PLIM_OK;
        }
        krylov_combine(&cg->v, rz / pq, cg->p, 1.0, x);
        krylov_combine(&cg->v, -rz / pq, cg->q, 1.0, cg->r);
        TRY(krylov_norm(&cg->v, cg->r, &residual));
    }
    if (isnan(residual)) result->reason = SOLVE_NOT_FINITE;
    return PLIM_OK;
}

PlimStatus solve_cg(Scratch *scratch, const LinearMap *a, const Preconditioner *preconditioner,
                    const KrylovOptions *options, const double *b, double *x, SolveResult *result) {
    *result = (SolveResult){.reason = SOLVE_CONVERGED};
    size_t n = a->rows, mark = scratch_mark(scratch);
    Cg cg = {.v = {scratch, options->threads, n}, .preconditioner = preconditioner};
    double *work = scratch_take(scratch, 4 * n + 1, sizeof *work);
    if (!work) return PLIM_OUT_OF_MEMORY;
    cg.r = work;
    cg.z = work + n;
    cg.p = work + 2 * n;
    cg.q = work + 3 * n;
    double target;
    PlimStatus status = krylov_start(&cg.v, a, options, b, x, cg.r, cg.q, &target, result);
    while (status == PLIM_OK && result->reason == SOLVE_CONVERGED &&
           result->last_residual > target) {
        double before = result->last_residual;
        memset(cg.p, 0, n * sizeof *cg.p);
        status = iterate(&cg, a, target, options->max_iterations, x, result);
        if (status == PLIM_OK)
            status = krylov_finish(&cg.v, a, b, x, cg.r, cg.q, before, target, result);
    }
    scratch_release(scratch, mark);
    return status;
}
