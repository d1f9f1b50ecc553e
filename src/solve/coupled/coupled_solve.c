/* The coupled system by MINRES, or conjugate gradients on its Schur complement: solves for the
 * change d of the unknowns from q* and the multipliers l:
 *
 *     A d + (D T)^T l = T^T (B (w* - w0) - C^T C w0),   D T d = s - D w0,   w0 = T q*
 *
 * Changes, not velocities: rounding is then in parts of the momentum that changes hands, however
 * heavy some of the bodies are. Every equation is divided by its tolerance, momentum first by the
 * diagonal of A to make it a velocity, and unknowns are scaled the same way: the system stays
 * symmetric, the Krylov spaces stay what they were, and a residual of 1 is good enough. */
#include "solve/coupled/coupled_internal.h"
#include "solve/krylov/krylov_blocks.h"

#include <math.h>
#include <string.h>

/* Vectors of all: unknowns first, then multipliers. */
typedef struct Solve {
    const Coupled *c;
    Scratch *scratch;
    double *scale;                 /* all: what equations are multiplied by */
    double *rhs, *x;               /* all, scaled */
    double *all_work;              /* all */
    double *q_work, *row_work;     /* unknowns; rows of `factors` */
    double *force_work, *w_work;   /* velocities */
    double *momentum, *constraint; /* residuals of unknowns, of constraint rows */
} Solve;

static PlimStatus take_vectors(Solve *s) {
    const Coupled *c = s->c;
    size_t n = c->unknown_count, m = c->constraint_count, velocities = c->velocity_count;
    const struct {
        double **vector;
        size_t count;
    } parts[] = {{&s->scale, n + m},      {&s->rhs, n + m},    {&s->x, n + m},
                 {&s->all_work, n + m},   {&s->q_work, n},     {&s->row_work, c->factors.rows},
                 {&s->momentum, n},       {&s->constraint, m}, {&s->force_work, velocities},
                 {&s->w_work, velocities}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].vector = scratch_take(s->scratch, parts[i].count + 1, sizeof(double));
        if (!*parts[i].vector) return PLIM_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < n; i++) s->scale[i] = 1.0 / (c->diagonal[i] * c->desc.tolerance);
    for (size_t i = 0; i < m; i++) s->scale[n + i] = 1.0 / c->tolerance[i];
    return PLIM_OK;
}

/* The residuals of w and multipliers (NULL: zeros): T^T (B (w* - w) - C^T C w - D^T l) and
 * s - D w. */
static void form_residuals(const Solve *s, const double *w_star, const double *w,
                           const double *multipliers) {
    const Coupled *c = s->c;
    for (size_t v = 0; v < c->velocity_count; v++) s->w_work[v] = w_star[v] - w[v];
    coupled_apply_mass(c, s->w_work, s->force_work);
    for (size_t k = 0; k < c->sets.count; k++) {
        const CoupledRowSet *set = &c->sets.data[k];
        const Csr *rows = &set->rows;
        for (size_t row = 0; row < rows->rows; row++) {
            double product = 0.0, impulse;
            for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++)
                product += rows->value[i] * w[rows->column[i]];
            if (set->kind == COUPLED_CONSTRAINT) {
                s->constraint[set->first + row] = set->target[row] - product;
                impulse = multipliers ? multipliers[set->first + row] : 0.0;
            } else {
                impulse = product;
            }
            for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++)
                s->force_work[rows->column[i]] -= rows->value[i] * impulse;
        }
    }
    coupled_gather(c, s->force_work, s->momentum);
}

/* y = [A D^T; D 0] x, scaled. */
static void apply_whole(const void *object, const double *x, double *y) {
    const Solve *s = object;
    const Coupled *c = s->c;
    size_t n = c->unknown_count, m = c->constraint_count;
    LinearMap rows = csr_map(&c->rows);
    double *in = s->all_work;
    for (size_t i = 0; i < n + m; i++) in[i] = s->scale[i] * x[i];
    coupled_apply_matrix(c, in, y, s->row_work);
    rows.apply_transpose(rows.object, in + n, s->q_work);
    for (size_t i = 0; i < n; i++) y[i] += s->q_work[i];
    rows.apply(rows.object, in, y + n);
    for (size_t i = 0; i < n + m; i++) y[i] *= s->scale[i];
}

static void precondition_whole(void *object, const double *r, double *z) {
    const Solve *s = object;
    const Coupled *c = s->c;
    size_t n = c->unknown_count, all = n + c->constraint_count;
    for (size_t i = 0; i < all; i++) z[i] = r[i] / s->scale[i];
    coupled_solve_blocks(c, z);
    for (size_t i = n; i < all; i++) z[i] *= c->inverse_schur[i - n];
    for (size_t i = 0; i < all; i++) z[i] /= s->scale[i];
}

/* y = D A^-1 D^T x, scaled, where A is block diagonal. */
static void apply_schur(const void *object, const double *x, double *y) {
    const Solve *s = object;
    const Coupled *c = s->c;
    const double *scale = s->scale + c->unknown_count;
    LinearMap rows = csr_map(&c->rows);
    for (size_t i = 0; i < c->constraint_count; i++) s->all_work[i] = scale[i] * x[i];
    rows.apply_transpose(rows.object, s->all_work, s->q_work);
    coupled_solve_blocks(c, s->q_work);
    rows.apply(rows.object, s->q_work, y);
    for (size_t i = 0; i < c->constraint_count; i++) y[i] *= scale[i];
}

static void precondition_schur(void *object, const double *r, double *z) {
    const Solve *s = object;
    const double *scale = s->scale + s->c->unknown_count;
    for (size_t i = 0; i < s->c->constraint_count; i++)
        z[i] = s->c->inverse_schur[i] / (scale[i] * scale[i]) * r[i];
}

/* Multipliers by conjugate gradients from zero, which never raises the kinetic energy on the way
 * when targets are zero (002 section C.1.3); the rest follows. */
static PlimStatus solve_schur(Solve *s, SolveResult *result) {
    const Coupled *c = s->c;
    size_t n = c->unknown_count, m = c->constraint_count;
    LinearMap rows = csr_map(&c->rows), schur = {s, m, m, apply_schur, apply_schur};
    Preconditioner jacobi = {s, precondition_schur, 0};
    KrylovOptions options = {
        .absolute = 1.0, .max_iterations = c->desc.max_iterations, .threads = c->desc.threads};
    double *multipliers = s->x + n, *rhs = s->rhs + n;
    memcpy(s->x, s->momentum, n * sizeof *s->x);
    coupled_solve_blocks(c, s->x);
    rows.apply(rows.object, s->x, rhs);
    for (size_t i = 0; i < m; i++)
        rhs[i] = c->inverse_schur[i] > 0.0 ? s->scale[n + i] * (rhs[i] - s->constraint[i]) : 0.0;
    TRY(solve_cg(s->scratch, &schur, &jacobi, &options, rhs, multipliers, result));
    for (size_t i = 0; i < m; i++) multipliers[i] *= s->scale[n + i];
    rows.apply_transpose(rows.object, multipliers, s->q_work);
    for (size_t i = 0; i < n; i++) s->x[i] = s->momentum[i] - s->q_work[i];
    coupled_solve_blocks(c, s->x);
    return PLIM_OK;
}

static PlimStatus solve_whole(Solve *s, SolveResult *result) {
    const Coupled *c = s->c;
    size_t n = c->unknown_count, m = c->constraint_count;
    LinearMap whole = {s, n + m, n + m, apply_whole, apply_whole};
    Preconditioner blocks = {s, precondition_whole, 0};
    const SolveBlock parts[2] = {{.start = 0, .count = n, .tolerance = 1.0},
                                 {.start = n, .count = m, .tolerance = 1.0}};
    BlockOptions options = {.blocks = parts,
                            .block_count = 2,
                            .max_iterations = c->desc.max_iterations,
                            .threads = c->desc.threads};
    BlockResult found;
    for (size_t i = 0; i < n; i++) s->rhs[i] = s->scale[i] * s->momentum[i];
    for (size_t i = 0; i < m; i++)
        s->rhs[n + i] = c->inverse_schur[i] > 0.0 ? s->scale[n + i] * s->constraint[i] : 0.0;
    TRY(solve_minres_blocks(s->scratch, &whole, &blocks, &options, s->rhs, s->x, &found));
    for (size_t i = 0; i < n + m; i++) s->x[i] *= s->scale[i];
    *result = (SolveResult){
        .reason = found.reason, .iterations = found.iterations, .applications = found.applications};
    return PLIM_OK;
}

static double kinetic_energy(const Solve *s, const double *w) {
    double sum = 0.0;
    coupled_apply_mass(s->c, w, s->force_work);
    for (size_t v = 0; v < s->c->velocity_count; v++) sum += w[v] * s->force_work[v];
    return 0.5 * sum;
}

/* What was reached, from w and the multipliers themselves; they have the last word on the reason.
 */
static void judge(const Solve *s, const double *w_star, const double *w, CoupledResult *result) {
    const Coupled *c = s->c;
    form_residuals(s, w_star, w, s->x + c->unknown_count);
    double sum = 0.0;
    for (size_t i = 0; i < c->unknown_count; i++) {
        double velocity = s->momentum[i] / c->diagonal[i];
        sum += velocity * velocity;
    }
    result->momentum_residual = sqrt(sum);
    bool good = result->momentum_residual <= c->desc.tolerance, finite = isfinite(sum);
    for (size_t k = 0, at = 0; k < c->sets.count; k++) {
        const CoupledRowSet *set = &c->sets.data[k];
        if (set->kind != COUPLED_CONSTRAINT) continue;
        sum = 0.0;
        for (size_t row = 0; row < set->rows.rows; row++)
            sum += s->constraint[set->first + row] * s->constraint[set->first + row];
        c->residual[at++] = sqrt(sum);
        good = good && sqrt(sum) <= set->tolerance;
        finite = finite && isfinite(sum);
    }
    result->constraint_residual = c->residual;
    if (!finite)
        result->reason = SOLVE_NOT_FINITE;
    else if (good)
        result->reason = SOLVE_CONVERGED;
    else if (result->reason == SOLVE_CONVERGED)
        result->reason = SOLVE_STAGNATED;
}

static PlimStatus solve(Solve *s, const double *w_star, double *w, double *multipliers,
                        CoupledResult *result) {
    const Coupled *c = s->c;
    size_t n = c->unknown_count, m = c->constraint_count;
    SolveResult found;
    TRY(take_vectors(s));
    memcpy(w, w_star, c->velocity_count * sizeof *w);
    coupled_apply_ties(c, w);
    form_residuals(s, w_star, w, NULL);
    memset(s->x, 0, (n + m) * sizeof *s->x);
    TRY(c->block_diagonal ? solve_schur(s, &found) : solve_whole(s, &found));
    result->reason = found.reason;
    result->iterations = found.iterations;
    result->applications = found.applications;
    for (size_t v = 0; v < c->velocity_count; v++)
        if (c->unknown[v] >= 0) w[v] += s->x[c->unknown[v]];
    coupled_apply_ties(c, w);
    judge(s, w_star, w, result);
    result->energy_before = kinetic_energy(s, w_star);
    result->energy_after = kinetic_energy(s, w);
    if (multipliers) memcpy(multipliers, s->x + n, m * sizeof *multipliers);
    return PLIM_OK;
}

PlimStatus coupled_solve(Coupled *c, Scratch *scratch, const double *w_star, double *w,
                         double *multipliers, CoupledResult *result) {
    *result = (CoupledResult){.reason = SOLVE_CONVERGED};
    Solve s = {.c = c, .scratch = scratch};
    size_t mark = scratch_mark(scratch);
    PlimStatus status = solve(&s, w_star, w, multipliers, result);
    scratch_release(scratch, mark);
    return status;
}
