/* Implicit solves of deformable solids: Newton's method with line search on the incremental
 * potential
 *     E(v) = m v^2 / 2 - p v + Phi(x + h v) + Phi_d(x, x + h v),
 * damping being a potential of the change of strain, too (elastic.c). Its gradient is
 * R(v) = m v - p - h f(x + h v) (002 equation 5.5 with all forces at the
 * new place; 4.3's implicit variant with h = dt/2). Held directions are filtered out (002 section
 * 4.7.3). Contact is found by turns with it. */
#include "deform/internal.h"
#include <string.h>

typedef struct Newton {
    Deform *d;
    const StepInfo *step;
    const DeformProblem *problem;
    double *trial, *force, *residual, *change, *right, *slide, *next;
    double energy;    /* E at v */
    double norm;      /* |R| along what is free, N s */
    double scale;     /* of the impulses that add up to R */
    double floor;     /* rounding of R */
    double tolerance; /* |R| over the scale that is wanted */
    bool project;     /* stiffness is made semidefinite */
    bool is_alone;    /* every node is on its own */
    bool damps;       /* not in statics */
    bool has_moved;   /* rounding is known, and there was a try to go below it */
    bool is_fresh;    /* R and E are those of v, with what is held now */
} Newton;

/* ---- residual ---- */

static void set_trial(void *user, size_t begin, size_t end) {
    const Newton *n = user;
    const DeformProblem *p = n->problem;
    for (size_t i = 3 * begin; i < 3 * end; i++) n->trial[i] = p->x[i] + p->h * n->next[i];
}

static void set_residual(void *user, size_t begin, size_t end) {
    const Newton *n = user;
    const DeformProblem *p = n->problem;
    for (size_t i = begin; i < end; i++) {
        double mass = p->mass * n->d->mass[i];
        for (size_t k = 3 * i; k < 3 * i + 3; k++)
            n->residual[k] = mass * n->next[k] - p->impulse[k] - p->h * n->force[k] - n->slide[k];
    }
}

/* Sums of the energy without Phi, of |S R|^2, and of the squares of R's parts. */
enum { SUM_ENERGY, SUM_FREE, SUM_PARTS, SUM_COUNT };

static void sum_terms(void *user, size_t begin, size_t end, double *sum) {
    const Newton *n = user;
    const DeformProblem *p = n->problem;
    int dim = n->d->options.dim;
    for (size_t i = begin; i < end; i++) {
        const double *filter = n->d->filter + (size_t)(dim * dim) * i;
        double mass = p->mass * n->d->mass[i];
        for (int a = 0; a < dim; a++) {
            size_t k = 3 * i + (size_t)a;
            double v = n->next[k], outside = p->impulse[k], left = 0;
            for (int b = 0; b < dim; b++)
                left += filter[dim * a + b] * n->residual[3 * i + (size_t)b];
            double inside = p->h * n->force[k], gained = mass * v - outside - n->slide[k];
            sum[SUM_ENERGY] += (0.5 * mass * v - outside) * v;
            sum[SUM_FREE] += left * left;
            sum[SUM_PARTS] += inside * inside + gained * gained;
        }
    }
}

/* Pairs act at the end of the step, whatever the rule for the bodies is. */
static PairMotion pair_motion(const Newton *n, const double *v) {
    return (PairMotion){.x = n->problem->x, .v = v, .h = n->problem->h, .dt = n->step->dt};
}

/* R and E at `next`. */
static PlimStatus evaluate(Newton *n) {
    enum { GRAIN = 1024 };
    Deform *d = n->d;
    size_t nodes = deform_count(d, DEFORM_NODES);
    double sum[SUM_COUNT], potential = 0, rubbed = 0;
    parallel_for(n->step->threads, nodes, GRAIN, set_trial, n);
    if (!n->is_alone) rubbed = contact_friction(d, n->next, n->slide);
    const DeformProblem *p = n->problem;
    ForceParts parts = {.x = p->has_elastic ? n->trial : p->x,
                        .v = n->damps && !p->has_elastic ? n->next : NULL,
                        .x_before = n->damps && p->has_elastic ? p->x : NULL,
                        .h = p->h,
                        .elastic = p->has_elastic};
    if (n->is_alone)
        memset(n->force, 0, 3 * nodes * sizeof *n->force);
    else
        TRY(deform_forces(d, n->step, &parts, n->force, &potential));
    if (p->has_elastic && d->pairs.list.count > 0) {
        PairMotion motion = pair_motion(n, n->next);
        potential += pairs_add_forces(d, n->step->threads, &motion, n->force);
    }
    if (d->has_pressure && p->has_elastic)
        TRY(deform_pressure(d, d->load_time, n->trial, n->force, &potential));
    parallel_for(n->step->threads, nodes, GRAIN, set_residual, n);
    TRY(parallel_sum(n->step->threads, nodes, SUM_COUNT, sum_terms, n, n->step->scratch, sum));
    if (d->pushes) rubbed += pushed_residual(d, n->residual, &sum[SUM_FREE], &sum[SUM_PARTS]);
    n->energy = sum[SUM_ENERGY] + potential + rubbed;
    n->norm = sqrt(sum[SUM_FREE]);
    n->scale = sqrt(sum[SUM_PARTS]);
    return PLIM_OK;
}

/* ---- a Newton step ---- */

static void set_right(void *user, size_t begin, size_t end) {
    const Newton *n = user;
    int dim = n->d->options.dim;
    for (size_t i = begin; i < end; i++)
        for (int a = 0; a < dim; a++) {
            const double *filter = n->d->filter + (size_t)(dim * dim) * i;
            double sum = 0;
            for (int b = 0; b < dim; b++)
                sum -= filter[dim * a + b] * n->residual[3 * i + (size_t)b];
            n->right[(size_t)dim * i + (size_t)a] = sum;
            n->change[(size_t)dim * i + (size_t)a] = 0;
        }
}

/* Rounding of forces: stiffness times the rounding of places. */
static double rounding(const Newton *n) {
    const Deform *d = n->d;
    size_t block = (size_t)(d->matrix.size * d->matrix.size);
    double sum = 0, far = 0;
    for (size_t i = 0; i < deform_count(d, DEFORM_NODES); i++) {
        double diagonal = d->matrix.value[block * block_csr_find(&d->matrix, i, i)];
        sum += diagonal * diagonal;
        far = fmax(far, vec3_length(vec3_load(n->trial + 3 * i)));
    }
    return 4e-16 * sqrt(sum) * far / n->problem->h;
}

static size_t node_values(const Deform *d) {
    return (size_t)d->options.dim * deform_count(d, DEFORM_NODES);
}

/* Free rigid bodies among the unknowns. */
static PlimStatus add_bodies(Newton *n, PushedMap *pushed, LinearMap *map,
                             Preconditioner *precondition) {
    Deform *d = n->d;
    size_t values = node_values(d);
    pushed->velocity = scratch_take(n->step->scratch, values, sizeof *pushed->velocity);
    pushed->impulse = scratch_take(n->step->scratch, values, sizeof *pushed->impulse);
    if (!pushed->velocity || !pushed->impulse) return PLIM_OUT_OF_MEMORY;
    pushed_prepare(d);
    pushed_set_right(d, n->right + values, n->change + values);
    *map = pushed_map(pushed);
    *precondition = pushed_preconditioner(pushed);
    return PLIM_OK;
}

/* Solves A change = -R; false: A is not positive along the way. */
static PlimStatus solve_linear(Newton *n, bool *is_good) {
    Deform *d = n->d;
    const DeformProblem *p = n->problem;
    MatrixParts parts = {.x = p->has_elastic ? n->trial : p->x,
                         .x_before = p->has_elastic ? p->x : NULL,
                         .h = p->h,
                         .v = p->v,
                         .mass = p->mass,
                         .elastic = p->has_elastic ? p->h * p->h : 0.0,
                         .damping = n->damps ? p->h : 0.0,
                         .project = n->project};
    size_t mark = scratch_mark(n->step->scratch);
    TRY(deform_assemble(d, n->step, &parts));
    if (p->has_elastic && d->pairs.list.count > 0) {
        PairMotion motion = pair_motion(n, p->v);
        pairs_make_terms(d, n->step->threads, &motion);
    }
    n->floor = rounding(n);
    *is_good = false;
    PlimStatus status = aggregation_update(d->precondition, &d->matrix, n->trial, d->filter);
    if (status != PLIM_OK && status != PLIM_FAILED) return status;
    if (status == PLIM_FAILED) return PLIM_OK;
    parallel_for(n->step->threads, deform_count(d, DEFORM_NODES), 1024, set_right, n);
    LinearMap map = p->has_elastic ? pairs_map(d) : block_csr_map(&d->matrix);
    Preconditioner precondition = aggregation_preconditioner(d->precondition);
    PushedMap pushed = {.d = d, .nodes = precondition};
    if (d->pushes) TRY(add_bodies(n, &pushed, &map, &precondition));
    KrylovOptions options = krylov_options_default(n->step->threads);
    options.relative = p->has_elastic ? 1e-3 : 1e-12;
    /* Triangles turn far in a step: Newton's method takes as many steps with rough ones. */
    if (p->has_elastic && p->mass > 0 && d->has_sheets) options.relative = 0.1;
    options.absolute = fmax(0.05 * n->tolerance * n->scale, n->floor);
    options.max_iterations = 2000;
    SolveResult result;
    TRY(solve_cg(n->step->scratch, &map, &precondition, &options, n->right, n->change, &result));
    scratch_release(n->step->scratch, mark);
    if (d->pushes) pushed_add_follow(d, n->change + node_values(d), n->change);
    d->figures.iterations += result.iterations;
    *is_good = result.reason == SOLVE_CONVERGED || result.reason == SOLVE_ITERATION_LIMIT ||
               result.reason == SOLVE_STAGNATED;
    return PLIM_OK;
}

static double slope_along(const Newton *n) {
    double slope = 0;
    size_t values = node_values(n->d) + pushed_count(n->d);
    for (size_t i = 0; i < values; i++) slope -= n->right[i] * n->change[i];
    return slope;
}

static void set_next(const Newton *n, double part) {
    size_t dim = (size_t)n->d->options.dim;
    for (size_t i = 0; i < deform_count(n->d, DEFORM_NODES); i++)
        for (size_t a = 0; a < dim; a++)
            n->next[3 * i + a] =
                n->problem->v[3 * i + a] + (part > 0 ? part * n->change[dim * i + a] : 0.0);
    if (n->d->pushes) pushed_set_next(n->d, n->change + node_values(n->d), part);
}

static void keep(const Newton *n) {
    for (size_t i = 0; i < 3 * deform_count(n->d, DEFORM_NODES); i++) n->problem->v[i] = n->next[i];
    if (n->d->pushes) pushed_keep(n->d);
}

/* Backtracking until the energy falls as it should, or R does where rounding hides that. False:
 * nothing helps. */
static PlimStatus search_line(Newton *n, bool *moved) {
    double energy = n->energy, norm = n->norm, slope = slope_along(n);
    *moved = false;
    if (!(slope < 0)) return PLIM_OK;
    for (double part = 1; part > 1e-5; part *= 0.5) {
        set_next(n, part);
        TRY(evaluate(n));
        bool falls = n->energy <= energy + 1e-4 * part * slope;
        bool is_flat = fabs(part * slope) < 1e-10 * fabs(energy) + 100 * n->d->energy_rounding;
        if (!(falls || (is_flat && n->norm < norm)) || !isfinite(n->norm)) continue;
        keep(n);
        *moved = true;
        return PLIM_OK;
    }
    set_next(n, 0);
    return evaluate(n);
}

/* Stiffness as it is first, for it converges fast; semidefinite where that is no way down. */
static PlimStatus newton_step(Newton *n, bool *moved) {
    bool is_good;
    *moved = false;
    TRY(solve_linear(n, &is_good));
    if (is_good) TRY(search_line(n, moved));
    if (*moved || n->project || !n->problem->has_elastic) return PLIM_OK;
    n->project = true;
    TRY(solve_linear(n, &is_good));
    return is_good ? search_line(n, moved) : PLIM_OK;
}

static bool is_converged(const Newton *n) {
    return n->norm <= n->tolerance * n->scale || (n->has_moved && n->norm <= n->floor);
}

/* Without elastic forces or damping every node is on its own. */
static PlimStatus solve_alone(Newton *n) {
    const Deform *d = n->d;
    size_t dim = (size_t)d->options.dim;
    memset(n->slide, 0, 3 * deform_count(d, DEFORM_NODES) * sizeof *n->slide);
    set_next(n, 0);
    TRY(evaluate(n));
    set_right(n, 0, deform_count(d, DEFORM_NODES));
    for (size_t i = 0; i < dim * deform_count(d, DEFORM_NODES); i++)
        n->change[i] = n->right[i] / (n->problem->mass * d->mass[i / dim]);
    set_next(n, 1);
    contact_slow_down(d, n->next, n->slide);
    keep(n);
    return evaluate(n);
}

/* Long steps take vibrations far: there the rigid motion is nearer to the answer. */
static PlimStatus choose_guess(Newton *n) {
    set_next(n, 0);
    TRY(evaluate(n));
    double energy = n->energy;
    deform_rigid_guess(n->d, n->problem->v, n->next);
    TRY(evaluate(n));
    n->is_fresh = n->energy < energy;
    if (n->is_fresh) keep(n);
    return PLIM_OK;
}

static PlimStatus solve_newton(Newton *n) {
    Deform *d = n->d;
    n->is_alone = !n->problem->has_elastic && !n->damps;
    if (n->is_alone) return solve_alone(n);
    if (!n->is_fresh) {
        set_next(n, 0);
        TRY(evaluate(n));
    }
    n->is_fresh = false;
    bool moved = true;
    int count = 0;
    n->has_moved = false;
    for (; count < d->options.iterations && moved && !is_converged(n); count++) {
        if (n->project && count % 4 == 0) n->project = false; /* perhaps it is over */
        TRY(newton_step(n, &moved));
        n->has_moved = true;
    }
    d->figures.newton += count;
    if (!isfinite(n->norm))
        return context_fail(n->step->context, PLIM_FAILED,
                            "t = %g s: forces of the deformable solids are not finite; try a "
                            "smaller time step",
                            n->step->time);
    d->figures.residual = n->scale > 0 ? n->norm / n->scale : 0;
    return PLIM_OK;
}

PlimStatus deform_solve(Deform *d, const StepInfo *step, const DeformProblem *problem) {
    enum { MOST_TURNS = 24 };
    const double ROUGH = 1e-3;
    Newton newton = {.d = d,
                     .step = step,
                     .problem = problem,
                     .damps = d->has_damping && problem->mass > 0,
                     .trial = d->work[DEFORM_TRIAL].data,
                     .force = d->work[DEFORM_FORCE].data,
                     .residual = d->work[DEFORM_RESIDUAL].data,
                     .change = d->work[DEFORM_CHANGE].data,
                     .right = d->work[DEFORM_RIGHT].data,
                     .slide = d->work[DEFORM_SLIDE].data,
                     .next = d->work[DEFORM_NEXT].data};
    ContactView view = {.v = problem->v, .h = problem->h, .finds = problem->finds_contact};
    bool touches = d->options.contact && d->colliders.count > 0;
    if (touches) contact_update(d, step, &view);
    /* While contacts come and go there is no need to be exact. */
    newton.tolerance = fmax(d->options.tolerance, d->contacts.count > 0 ? ROUGH : 0.0);
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        bool is_last = turn == MOST_TURNS - 1 || d->figures.newton > 2 * d->options.iterations;
        if (is_last) newton.tolerance = d->options.tolerance;
        contact_apply(d, problem->v);
        if (turn == 0 && problem->has_elastic && problem->mass > 0) TRY(choose_guess(&newton));
        TRY(solve_newton(&newton));
        view.residual = newton.residual;
        /* After the last solve contacts stay those it was of: what pressed in it acted on both. */
        bool changed = touches && !is_last && contact_update(d, step, &view);
        if (is_last || (!changed && newton.tolerance == d->options.tolerance)) break;
        if (!changed) newton.tolerance = d->options.tolerance;
    }
    if (problem->has_elastic && problem->mass > 0)
        deform_balance(d, newton.trial, newton.residual, problem->v);
    if (d->pushes)
        deform_balance_pushed(d, newton.trial, newton.residual, problem->v, problem->h == step->dt);
    if (newton.is_alone || is_converged(&newton)) return PLIM_OK;
    d->figures.unconverged++;
    /* A step that moves goes on from where it is; an equilibrium that was not found is no answer.
     */
    if (problem->mass > 0) return PLIM_OK;
    return context_fail(step->context, PLIM_FAILED,
                        "t = %g s: no equilibrium of the deformable solids was found: %g of the "
                        "forces is left over; are all bodies held by their pins? Else apply loads "
                        "in smaller parts, as functions of t",
                        step->end_time, d->figures.residual);
}
