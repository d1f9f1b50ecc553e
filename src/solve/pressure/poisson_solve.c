/* Preconditioned conjugate gradients for the pressure, written over the runs of the finest level:
 * the same iteration as solve_cg, with its vector updates joined into four passes over memory. */
#include "solve/pressure/poisson_internal.h"

#include <math.h>
#include <string.h>

#if defined(__clang__)
/* Without optimisation clang says that loops marked simd stay scalar; that is as it should be. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

typedef struct CgJob {
    Poisson *poisson;
    int threads;
    double *x; /* over the grid's cells, the caller's */
    double alpha, beta;
    float scale; /* r times this goes into single precision */
    double unscale;
} CgJob;

static double power_of_two_near(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent < -1000 ? -1000 : exponent);
}

/* Takes the guess over; q = guess. partial: sum of |guess|. */
static void load_guess(void *user, int layer, double partial[4]) {
    CgJob *job = user;
    const MgLevel *level = &job->poisson->mg.levels[0];
    FOR_RUNS(level, layer, run) {
        double *x = job->x + run_cell(job->poisson, run), *p = job->poisson->p + run->start;
        const float *inverse = level->inverse + run->start;
        for (int i = 0; i < run->length; i++) {
            p[i] = inverse[i] > 0.0f ? x[i] : 0.0;
            partial[0] += fabs(p[i]);
        }
    }
}

/* x = the guess or zero in runs. */
static void store_guess(void *user, int layer, double partial[4]) {
    CgJob *job = user;
    const MgLevel *level = &job->poisson->mg.levels[0];
    (void)partial;
    FOR_RUNS(level, layer, run) {
        double *x = job->x + run_cell(job->poisson, run), *p = job->poisson->p + run->start;
        for (int i = 0; i < run->length; i++) {
            p[i] *= job->alpha;
            x[i] = p[i];
        }
    }
}

/* partial: p q, p r, |r|^2. */
static void guess_energy(void *user, int layer, double partial[4]) {
    const Poisson *poisson = ((CgJob *)user)->poisson;
    FOR_RUNS(&poisson->mg.levels[0], layer, run) {
        const double *p = poisson->p + run->start, *q = poisson->q + run->start;
        const double *r = poisson->r + run->start;
        double pq = 0.0, pr = 0.0, rr = 0.0;
#pragma omp simd reduction(+ : pq, pr, rr)
        for (int i = 0; i < run->length; i++) {
            pq += p[i] * q[i];
            pr += p[i] * r[i];
            rr += r[i] * r[i];
        }
        partial[0] += pq;
        partial[1] += pr;
        partial[2] += rr;
    }
}

/* b of the preconditioner = scale r. */
static void lower_residual(void *user, int layer, double partial[4]) {
    const CgJob *job = user;
    const MgLevel *level = &job->poisson->mg.levels[0];
    (void)partial;
    FOR_RUNS(level, layer, run) {
        const double *r = job->poisson->r + run->start;
        float *b = level->b + run->start;
        double scale = (double)job->scale;
        for (int i = 0; i < run->length; i++) b[i] = (float)(r[i] * scale);
    }
}

/* partial: r z. */
static void dot_preconditioned(void *user, int layer, double partial[4]) {
    const Poisson *poisson = ((CgJob *)user)->poisson;
    const MgLevel *level = &poisson->mg.levels[0];
    FOR_RUNS(level, layer, run) {
        const double *r = poisson->r + run->start;
        const float *z = level->x + run->start;
        double rz = 0.0;
#pragma omp simd reduction(+ : rz)
        for (int i = 0; i < run->length; i++) rz += r[i] * (double)z[i];
        partial[0] += rz;
    }
}

/* p = z + beta p. */
static void update_direction(void *user, int layer, double partial[4]) {
    const CgJob *job = user;
    const MgLevel *level = &job->poisson->mg.levels[0];
    (void)partial;
    FOR_RUNS(level, layer, run) {
        double *restrict p = job->poisson->p + run->start;
        double beta = job->beta, unscale = job->unscale;
        if (job->poisson->method == POISSON_PLAIN) {
            const double *r = job->poisson->r + run->start;
            for (int i = 0; i < run->length; i++) p[i] = r[i] + beta * p[i];
        } else {
            const float *z = level->x + run->start;
            for (int i = 0; i < run->length; i++) p[i] = (double)z[i] * unscale + beta * p[i];
        }
    }
}

/* q = A p; partial: p q. */
static void apply_direction(void *user, int layer, double partial[4]) {
    const Poisson *poisson = ((CgJob *)user)->poisson;
    FOR_RUNS(&poisson->mg.levels[0], layer, run) {
        poisson_apply_run(&poisson->mg.levels[0], run, poisson->p, poisson->q);
        const double *p = poisson->p + run->start, *q = poisson->q + run->start;
        double pq = 0.0;
#pragma omp simd reduction(+ : pq)
        for (int i = 0; i < run->length; i++) pq += p[i] * q[i];
        partial[0] += pq;
    }
}

/* x += alpha p, r -= alpha q; partial: |r|^2. */
static void advance(void *user, int layer, double partial[4]) {
    const CgJob *job = user;
    Poisson *poisson = job->poisson;
    double alpha = job->alpha;
    FOR_RUNS(&poisson->mg.levels[0], layer, run) {
        double *restrict x = job->x + run_cell(poisson, run), *restrict r = poisson->r + run->start;
        const double *p = poisson->p + run->start, *q = poisson->q + run->start;
        double rr = 0.0;
#pragma omp simd reduction(+ : rr)
        for (int i = 0; i < run->length; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            rr += r[i] * r[i];
        }
        partial[0] += rr;
    }
}

/* r -= q; partial: |r|^2. */
static void subtract(void *user, int layer, double partial[4]) {
    const Poisson *poisson = ((CgJob *)user)->poisson;
    FOR_RUNS(&poisson->mg.levels[0], layer, run) {
        double *restrict r = poisson->r + run->start;
        const double *q = poisson->q + run->start;
        double rr = 0.0;
#pragma omp simd reduction(+ : rr)
        for (int i = 0; i < run->length; i++) {
            r[i] -= q[i];
            rr += r[i] * r[i];
        }
        partial[0] += rr;
    }
}

static PlimStatus pass(CgJob *job, LayerBody body, double sum[4]) {
    return poisson_layers(job->poisson, job->threads, body, job, sum);
}

/* Keeps the guess only if its energy x^T A x / 2 - b^T x is below that of zero. Leaves r = b - A x,
 * p = x; *norm is |b|, *residual |r|. */
static PlimStatus start(CgJob *job, double *norm, double *residual, int *applications) {
    Poisson *poisson = job->poisson;
    double sum[4];
    TRY(pass(job, load_guess, sum));
    bool guess = sum[0] > 0.0 && isfinite(sum[0]);
    if (guess) {
        TRY(poisson_apply(poisson, job->threads, poisson->p, poisson->q));
        ++*applications;
    }
    job->alpha = 0.0;
    if (!guess)
        TRY(pass(job, store_guess, sum)); /* p may hold what is not finite: times zero below */
    TRY(pass(job, guess_energy, sum));
    *norm = *residual = sqrt(sum[2]);
    if (!guess) return PLIM_OK;
    if (0.5 * sum[0] - sum[1] < 0.0) {
        job->alpha = 1.0;
        TRY(pass(job, store_guess, sum));
        TRY(pass(job, subtract, sum));
        *residual = sqrt(sum[0]);
        return PLIM_OK;
    }
    return pass(job, store_guess, sum);
}

static PlimStatus precondition(CgJob *job, double residual, double *rz) {
    Poisson *poisson = job->poisson;
    double sum[4];
    if (poisson->method == POISSON_PLAIN) {
        *rz = residual * residual;
        return PLIM_OK;
    }
    double scale = 1.0 / power_of_two_near(residual);
    job->scale = (float)scale;
    job->unscale = 1.0 / scale;
    if (poisson->method == POISSON_MULTIGRID) {
        TRY(pass(job, lower_residual, sum));
        mg_cycle(&poisson->mg, job->threads);
    } else {
        mic_apply(poisson, job->threads, poisson->r, poisson->mg.levels[0].x);
        job->unscale = 1.0;
    }
    TRY(pass(job, dot_preconditioned, sum));
    *rz = sum[0] * job->unscale;
    return PLIM_OK;
}

/* r = b - A x afresh; *residual = |r|. */
static PlimStatus true_residual(CgJob *job, const double *b, double *residual) {
    Poisson *poisson = job->poisson;
    double sum[4], mean;
    TRY(pass(job, load_guess, sum));
    TRY(poisson_apply(poisson, job->threads, poisson->p, poisson->q));
    TRY(poisson_right_side(poisson, job->threads, b, poisson->r, &mean));
    TRY(pass(job, subtract, sum));
    *residual = sqrt(sum[0]);
    return PLIM_OK;
}

/* Iterates until |r|, as the recurrence has it, is at `target`. */
static PlimStatus iterate(CgJob *job, double target, int max_iterations, double *residual,
                          SolveResult *result) {
    Poisson *poisson = job->poisson;
    double rz = 0.0, sum[4];
    result->reason = SOLVE_CONVERGED;
    for (bool first = true; *residual > target; first = false) {
        if (result->iterations >= max_iterations) {
            result->reason = SOLVE_ITERATION_LIMIT;
            return PLIM_OK;
        }
        double last = rz;
        TRY(precondition(job, *residual, &rz));
        job->beta = first ? 0.0 : rz / last;
        TRY(pass(job, update_direction, sum));
        poisson_fill_halo(poisson, poisson->p);
        TRY(pass(job, apply_direction, sum));
        result->iterations++;
        result->applications += 1 + poisson_precondition_applications(poisson);
        if (!isfinite(rz) || !isfinite(sum[0])) {
            result->reason = SOLVE_NOT_FINITE;
            return PLIM_OK;
        }
        if (!(rz > 0.0) || !(sum[0] > 0.0)) {
            result->reason = SOLVE_INDEFINITE;
            return PLIM_OK;
        }
        job->alpha = rz / sum[0];
        TRY(pass(job, advance, sum));
        *residual = sqrt(sum[0]);
    }
    if (isnan(*residual)) result->reason = SOLVE_NOT_FINITE;
    return PLIM_OK;
}

static PlimStatus conjugate_gradients(CgJob *job, const KrylovOptions *options, const double *b,
                                      SolveResult *result) {
    double norm, residual;
    TRY(start(job, &norm, &residual, &result->applications));
    result->first_residual = result->last_residual = residual;
    if (!isfinite(residual)) {
        result->reason = SOLVE_NOT_FINITE;
        return PLIM_OK;
    }
    double target = fmax(options->relative * norm, options->absolute);
    result->reason = SOLVE_CONVERGED;
    while (result->last_residual > target) {
        double before = result->last_residual;
        TRY(iterate(job, target, options->max_iterations, &residual, result));
        TRY(true_residual(job, b, &result->last_residual));
        result->applications++;
        residual = result->last_residual;
        if (result->reason != SOLVE_CONVERGED) return PLIM_OK;
        if (!isfinite(residual)) {
            result->reason = SOLVE_NOT_FINITE;
            return PLIM_OK;
        }
        if (residual > target && residual > 0.5 * before) {
            result->reason = SOLVE_STAGNATED;
            return PLIM_OK;
        }
    }
    return PLIM_OK;
}

/* Cells that are not in the matrix get their fixed value or zero. */
static void finish_rows(void *user, size_t begin, size_t end) {
    CgJob *job = user;
    const Poisson *poisson = job->poisson;
    const PoissonProblem *problem = &poisson->problem;
    const MgLevel *level = &poisson->mg.levels[0];
    const Grid *grid = &poisson->grid;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)grid->n[1]), k = (int)(row / (size_t)grid->n[1]);
        size_t cell = grid_cell_index(grid, 0, j, k), c = mg_index(level, 0, j, k);
        for (int i = 0; i < grid->n[0]; i++, cell++, c++)
            if (level->inverse[c] == 0.0f)
                job->x[cell] = problem->kind[cell] == CELL_AIR && problem->air_pressure
                                   ? problem->air_pressure[cell]
                                   : 0.0;
    }
}

PlimStatus poisson_solve_inside(Poisson *poisson, const KrylovOptions *options, const double *b,
                                double *p, SolveResult *result, double *incompatible) {
    *result = (SolveResult){.reason = SOLVE_BREAKDOWN};
    *incompatible = 0.0;
    CgJob job = {.poisson = poisson, .threads = options->threads, .x = p};
    double mean, sum[4];
    TRY(poisson_right_side(poisson, job.threads, b, poisson->r, incompatible));
    TRY(conjugate_gradients(&job, options, b, result));
    if (poisson->closed_count > 0) {
        TRY(pass(&job, load_guess, sum));
        TRY(poisson_remove_means(poisson, job.threads, poisson->p, &mean));
        job.alpha = 1.0;
        TRY(pass(&job, store_guess, sum));
    }
    size_t rows = (size_t)poisson->grid.n[1] * (size_t)poisson->grid.n[2];
    parallel_for(job.threads, rows, 64, finish_rows, &job);
    return PLIM_OK;
}

PlimStatus poisson_solve(Poisson *poisson, const KrylovOptions *options, const double *b, double *p,
                         SolveResult *result, double *incompatible) {
    PlimStatus status = poisson_solve_inside(poisson, options, b, p, result, incompatible);
    PlimStatus reset = scratch_reset(&poisson->scratch);
    return status != PLIM_OK ? status : reset;
}
