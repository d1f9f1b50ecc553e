/* The coupled solve without viscosity: with A block diagonal the Schur complement is the pressure
 * equation and, of low rank, what bodies add to it,
 *
 *     (L + density H M^-1 H^T) q = s - D u* - H v*,     q = dt p / density,
 *
 * L as in solve/poisson.h, M the masses of motions, H what they push out of cells. Conjugate
 * gradients with one multigrid cycle for L and the bodies' part by Woodbury.
 *
 * That multiplies what rounding leaves of H^T q by density / M. Bodies so light that it matters are
 * kept as unknowns, m their momenta before,
 *
 *     [ L    H          ] [ q ]   [ s - D u*     ]
 *     [ H^T  -M/density ] [ v ] = [ -m / density ],
 *
 * by MINRES with the cycle and M / density + H^T Z H: two to three times the iterations. */
#include "solve/coupled/coupled_flow_internal.h"

#include "math/cholesky.h"

#include <math.h>
#include <string.h>

enum { INVISCID_COLUMN_LIMIT = 24, MOST_LIGHT_ITERATIONS = 500 };

/* Ratio of the mass of fluid that a motion takes along to its own, from which on it is an unknown.
 * Conjugate gradients break down at about 1e7. */
static const double LIGHT = 1e5;

/* Vectors are laid out as the pressure's. */
typedef struct Inviscid {
    CoupledFlow *flow;
    Poisson *poisson;
    size_t n, size;
    double *mass;    /* Cholesky factor of M, K by K */
    double *motions; /* work, K */
    size_t columns;  /* K, or 0: bodies are left out of the preconditioner, for there are many */
    double *reply;   /* Z H, one column after the other */
    double *factor;  /* of M / density + H^T Z H */
    double *inertia; /* M / density */
    bool is_light;   /* some motion is */
} Inviscid;

static const FlowEntry *entries_of(const Inviscid *s) {
    return s->flow->fluxes.data;
}

static size_t entry_count(const Inviscid *s) {
    return s->flow->fluxes.count;
}

static void schur_apply(const void *object, const double *x, double *y) {
    const Inviscid *s = object;
    const FlowProblem *problem = s->flow->problem;
    memset(y, 0, s->size * sizeof *y);
    /* The halo that this renews is no unknown. */
    if (poisson_apply(s->poisson, problem->threads, (double *)x, y) != PLIM_OK)
        s->flow->short_of_memory = true;
    if (s->n == 0) return;
    memset(s->motions, 0, s->n * sizeof *s->motions);
    flow_to_motions(s->flow, entries_of(s), entry_count(s), x, s->motions);
    cholesky_solve(s->mass, s->n, s->motions);
    for (size_t i = 0; i < s->n; i++) s->motions[i] *= problem->density;
    flow_from_motions(s->flow, entries_of(s), entry_count(s), s->motions, y);
}

static void cycle(const Inviscid *s, const double *r, double *z) {
    const PoissonLayout layout = poisson_layout(s->poisson);
    memset(z, 0, s->size * sizeof *z);
    if (poisson_precondition(s->poisson, s->flow->problem->threads, layout.stride,
                             r + layout.origin, z + layout.origin) != PLIM_OK)
        s->flow->short_of_memory = true;
}

static void precondition(void *object, const double *r, double *z) {
    Inviscid *s = object;
    cycle(s, r, z);
    if (s->columns == 0) return;
    for (size_t c = 0; c < s->n; c++) {
        double sum = 0.0;
        const double *reply = s->reply + c * s->size;
        for (size_t i = 0; i < s->size; i++) sum += reply[i] * r[i];
        s->motions[c] = sum;
    }
    cholesky_solve(s->factor, s->n, s->motions);
    for (size_t c = 0; c < s->n; c++) {
        const double *reply = s->reply + c * s->size;
        for (size_t i = 0; i < s->size; i++) z[i] -= s->motions[c] * reply[i];
    }
}

/* Z H and M / density + H^T Z H; `masses` is M. */
static PlimStatus find_replies(Inviscid *s, const double *masses) {
    CoupledFlow *flow = s->flow;
    size_t n = s->n;
    s->reply = scratch_take(&flow->scratch, n * s->size + 1, sizeof(double));
    s->factor = scratch_take(&flow->scratch, n * n + 1, sizeof(double));
    s->inertia = scratch_take(&flow->scratch, n * n + 1, sizeof(double));
    double *column = scratch_take(&flow->scratch, s->size, sizeof(double));
    if (!s->reply || !s->factor || !s->inertia || !column) return PLIM_OUT_OF_MEMORY;
    for (size_t j = 0; j < n; j++) {
        double *reply = s->reply + j * s->size;
        memset(s->motions, 0, n * sizeof *s->motions);
        s->motions[j] = 1.0;
        memset(column, 0, s->size * sizeof *column);
        flow_from_motions(flow, entries_of(s), entry_count(s), s->motions, column);
        cycle(s, column, reply);
        double *row = s->factor + j * n;
        for (size_t i = 0; i < n; i++) row[i] = 0.0;
        flow_to_motions(flow, entries_of(s), entry_count(s), reply, row);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double mean = 0.5 * (s->factor[i * n + j] + s->factor[j * n + i]);
            double inertia = masses[i * n + j] / flow->problem->density;
            s->inertia[i * n + j] = s->inertia[j * n + i] = inertia;
            s->factor[i * n + j] = s->factor[j * n + i] = mean + inertia;
            if (i == j) s->is_light |= mean > LIGHT * inertia;
        }
    s->columns = cholesky_factor(s->factor, n) ? n : 0;
    s->is_light = s->is_light && s->columns > 0;
    return PLIM_OK;
}

/* Whether some motion may be light, by the least fluid it can take along: what the cells that it
 * pushes into would if they were on their own. Many bodies get columns only then. */
static bool may_be_light(Inviscid *s, const double *masses) {
    const CoupledFlow *flow = s->flow;
    const float *inverse = poisson_inverse_diagonal(s->poisson);
    memset(s->motions, 0, s->n * sizeof *s->motions);
    for (size_t e = 0; e < entry_count(s); e++) {
        const FlowEntry *entry = &entries_of(s)[e];
        const FlowBody *body = &flow->problem->bodies[entry->body];
        double *own = s->motions + flow->parts.data[entry->body].first;
        for (int m = 0; body->is_free && m < body->motion_count; m++)
            own[m] += entry->reduced[m] * entry->reduced[m] * (double)inverse[entry->at];
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->motions[i] * flow->problem->density > 0.1 * LIGHT * masses[i * s->n + i])
            return true;
    return false;
}

static PlimStatus set_up(Inviscid *s) {
    CoupledFlow *flow = s->flow;
    size_t n = s->n;
    s->mass = scratch_take(&flow->scratch, n * n + 1, sizeof(double));
    s->motions = scratch_take(&flow->scratch, n + 1, sizeof(double));
    double *masses = scratch_take(&flow->scratch, n * n + 1, sizeof(double));
    if (!s->mass || !s->motions || !masses) return PLIM_OUT_OF_MEMORY;
    flow_motion_masses(flow, false, masses);
    memcpy(s->mass, masses, n * n * sizeof *masses);
    if (n > 0 && !cholesky_factor(s->mass, n))
        return context_fail(flow->context, PLIM_FAILED,
                            "the masses of bodies in the fluid are not positive");
    if (n == 0 || (n > INVISCID_COLUMN_LIMIT && !may_be_light(s, masses))) return PLIM_OK;
    return find_replies(s, masses);
}

/* ---- energy ---- */

static double fluid_energy(const FlowProblem *problem, double *velocity[3]) {
    const Grid *grid = problem->grid;
    PoissonProblem cells = flow_poisson_problem(problem);
    double mass = problem->density * grid_cell_volume(grid), sum = 0.0;
    for (int a = 0; a < grid->dim; a++) {
        bool periodic = grid->sides[a][0] == SIDE_PERIODIC;
        int last[3] = {grid->n[0], grid->n[1], grid->n[2]};
        if (!periodic) last[a]++;
        for (int k = 0; k < last[2]; k++)
            for (int j = 0; j < last[1]; j++)
                for (int i = 0; i < last[0]; i++) {
                    size_t face = grid_face_index(grid, a, i, j, k);
                    int at = a == 0 ? i : a == 1 ? j : k;
                    bool side = !periodic && (at == 0 || at == grid->n[a]);
                    SideKind kind = grid->sides[a][at > 0];
                    double part = !side ? 1.0 : kind == SIDE_OPEN ? 0.5 : 0.0;
                    if (problem->open[a]) part *= problem->open[a][face];
                    if (part > 0.0) part *= poisson_face_part(&cells, a, (int[3]){i, j, k});
                    sum += 0.5 * mass * part * velocity[a][face] * velocity[a][face];
                }
    }
    return sum;
}

static double energy(const CoupledFlow *flow, double *velocity[3], bool before) {
    double sum = fluid_energy(flow->problem, velocity);
    for (size_t i = 0; i < flow->problem->body_count; i++)
        sum += flow_body_energy(&flow->problem->bodies[i], before);
    return sum;
}

/* ---- the solve ---- */

static void to_padded(const Inviscid *s, const double *cells, double scale, double *padded) {
    const Grid *grid = &s->flow->grid;
    const PoissonLayout layout = poisson_layout(s->poisson);
    const float *inverse = poisson_inverse_diagonal(s->poisson);
    memset(padded, 0, s->size * sizeof *padded);
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) {
                size_t c = poisson_index(&layout, i, j, k);
                if (inverse[c] > 0.0f) padded[c] = scale * cells[grid_cell_index(grid, i, j, k)];
            }
}

static void to_cells(const Inviscid *s, const double *padded, double scale, double *cells) {
    const Grid *grid = &s->flow->grid;
    const PoissonLayout layout = poisson_layout(s->poisson);
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++)
                cells[grid_cell_index(grid, i, j, k)] =
                    scale * padded[poisson_index(&layout, i, j, k)];
}

/* s - D u* - H v*, on padded cells; `free_motions` are v*. */
static PlimStatus right_side(Inviscid *s, double *b, double *free_motions, double *incompatible) {
    CoupledFlow *flow = s->flow;
    flow_motion_momenta(flow, free_motions);
    if (s->n > 0) cholesky_solve(s->mass, s->n, free_motions);
    for (size_t i = 0; i < s->n; i++) s->motions[i] = -free_motions[i];
    flow_from_motions(flow, entries_of(s), entry_count(s), s->motions, b);
    flow_from_known(flow, entries_of(s), entry_count(s), -1.0, b);
    return poisson_remove_means(s->poisson, flow->problem->threads, b, incompatible);
}

static size_t count_cells(const Inviscid *s) {
    const float *inverse = poisson_inverse_diagonal(s->poisson);
    size_t cells = 0;
    for (size_t i = 0; i < s->size; i++) cells += inverse[i] > 0.0f;
    return cells;
}

static PlimStatus solve(Inviscid *s, double *b, double *q, FlowResult *result) {
    const FlowProblem *problem = s->flow->problem;
    LinearMap map = {s, s->size, s->size, schur_apply, schur_apply};
    Preconditioner preconditioner = {s, precondition,
                                     poisson_precondition_applications(s->poisson)};
    KrylovOptions options = krylov_options_default(problem->threads);
    options.relative = 0;
    options.absolute = problem->divergence * sqrt((double)count_cells(s));
    SolveResult solved;
    TRY(solve_cg(&s->flow->scratch, &map, &preconditioner, &options, b, q, &solved));
    if (s->flow->short_of_memory) return PLIM_OUT_OF_MEMORY;
    result->reason = solved.reason;
    result->iterations = solved.iterations;
    result->residual[FLOW_DIVERGENCE] = solved.last_residual;
    result->tolerance[FLOW_DIVERGENCE] = options.absolute;
    double mean;
    return poisson_remove_means(s->poisson, problem->threads, q, &mean);
}

/* The largest net outflow of a cell over its volume: what is left of b. */
static double worst_outflow(const Inviscid *s, const double *b, const double *image) {
    double worst = 0.0;
    for (size_t i = 0; i < s->size; i++) worst = fmax(worst, fabs(b[i] - image[i]));
    return worst / grid_cell_volume(&s->flow->grid);
}

/* With b as the cells make it; `motions` are found too, as is the outflow that is left. */
static PlimStatus solve_schur(Inviscid *s, double *b, double *q, double *motions, double *work,
                              FlowResult *result) {
    CoupledFlow *flow = s->flow;
    TRY(right_side(s, b, motions, &result->incompatible));
    TRY(solve(s, b, q, result));
    schur_apply(s, q, work);
    result->divergence = worst_outflow(s, b, work);
    memset(s->motions, 0, s->n * sizeof *s->motions);
    flow_to_motions(flow, entries_of(s), entry_count(s), q, s->motions);
    if (s->n > 0) cholesky_solve(s->mass, s->n, s->motions);
    for (size_t i = 0; i < s->n; i++) motions[i] += flow->problem->density * s->motions[i];
    return PLIM_OK;
}

/* ---- the same for light bodies ---- */

static void kkt_apply(const void *object, const double *x, double *y) {
    const Inviscid *s = object;
    size_t n = s->n;
    const double *v = x + s->size;
    double *y_v = y + s->size;
    memset(y, 0, s->size * sizeof *y);
    if (poisson_apply(s->poisson, s->flow->problem->threads, (double *)x, y) != PLIM_OK)
        s->flow->short_of_memory = true;
    flow_from_motions(s->flow, entries_of(s), entry_count(s), v, y);
    for (size_t i = 0; i < n; i++) {
        y_v[i] = 0.0;
        for (size_t j = 0; j < n; j++) y_v[i] -= s->inertia[i * n + j] * v[j];
    }
    flow_to_motions(s->flow, entries_of(s), entry_count(s), x, y_v);
}

static void kkt_precondition(void *object, const double *r, double *z) {
    const Inviscid *s = object;
    cycle(s, r, z);
    memcpy(z + s->size, r + s->size, s->n * sizeof *z);
    cholesky_solve(s->factor, s->n, z + s->size);
}

/* A block for the outflow of cells, and one for the impulse over the density of each motion: to
 * what changes it, with the fluid that it takes along, no more than the flow through a face. The
 * last holds all motions for which there is none left. */
static size_t light_blocks(const Inviscid *s, SolveBlock *blocks) {
    double outflow = s->flow->problem->divergence;
    size_t count = 0, n = s->n;
    blocks[count++] = (SolveBlock){0, s->size, outflow * sqrt((double)count_cells(s))};
    for (size_t i = 0; i < n; i++) {
        /* The squares of a factor's diagonal: inertia when the motions before give way. */
        double inertia = s->factor[i * n + i] * s->factor[i * n + i];
        double tolerance = inertia * outflow / grid_face_area(&s->flow->grid);
        if (count < SOLVE_BLOCK_CAPACITY) {
            blocks[count++] = (SolveBlock){s->size + i, 1, tolerance};
            continue;
        }
        blocks[count - 1].count++;
        blocks[count - 1].tolerance = fmin(blocks[count - 1].tolerance, tolerance);
    }
    return count;
}

static PlimStatus solve_light(Inviscid *s, double *b, double *q, double *motions, double *work,
                              FlowResult *result) {
    CoupledFlow *flow = s->flow;
    const FlowProblem *problem = flow->problem;
    size_t size = s->size;
    flow_from_known(flow, entries_of(s), entry_count(s), -1.0, b);
    TRY(poisson_remove_means(s->poisson, problem->threads, b, &result->incompatible));
    flow_motion_momenta(flow, b + size);
    for (size_t i = 0; i < s->n; i++) b[size + i] /= -problem->density;
    SolveBlock blocks[SOLVE_BLOCK_CAPACITY];
    BlockOptions options = {blocks, light_blocks(s, blocks), MOST_LIGHT_ITERATIONS,
                            problem->threads};
    LinearMap map = {s, size + s->n, size + s->n, kkt_apply, kkt_apply};
    Preconditioner preconditioner = {s, kkt_precondition,
                                     poisson_precondition_applications(s->poisson)};
    BlockResult found;
    TRY(solve_minres_blocks(&flow->scratch, &map, &preconditioner, &options, b, q, &found));
    if (flow->short_of_memory) return PLIM_OUT_OF_MEMORY;
    result->reason = found.reason;
    result->iterations = found.iterations;
    result->residual[FLOW_DIVERGENCE] = found.last[0];
    result->tolerance[FLOW_DIVERGENCE] = blocks[0].tolerance;
    kkt_apply(s, q, work);
    result->divergence = worst_outflow(s, b, work);
    memcpy(motions, q + size, s->n * sizeof *motions);
    double mean;
    return poisson_remove_means(s->poisson, problem->threads, q, &mean);
}

/* Vectors have room for the motions behind the cells. */
PlimStatus flow_solve_inviscid(CoupledFlow *flow, double *velocity[3], double *pressure,
                               FlowResult *result) {
    const FlowProblem *problem = flow->problem;
    PoissonProblem poisson = flow_poisson_problem(problem);
    const PoissonLayout layout = poisson_layout(flow->poisson);
    Inviscid s = {.flow = flow, .poisson = flow->poisson, .n = flow->motion_count};
    s.size = layout.size;
    double *cells = scratch_take(&flow->scratch, grid_cell_count(&flow->grid), sizeof *cells);
    double *b = scratch_take(&flow->scratch, s.size + s.n, sizeof *b);
    double *q = scratch_take(&flow->scratch, s.size + s.n, sizeof *q);
    double *work = scratch_take(&flow->scratch, s.size + s.n, sizeof *work);
    double *motions = scratch_take(&flow->scratch, s.n + 1, sizeof *motions);
    if (!cells || !b || !q || !work || !motions) return PLIM_OUT_OF_MEMORY;
    TRY(poisson_begin_project(flow->poisson, &poisson, problem->threads, velocity, cells));
    TRY(flow_gather_fluxes(flow, layout.stride, layout.origin));
    TRY(set_up(&s));
    double to_solve = problem->dt / problem->density;
    to_padded(&s, cells, 1.0, b);
    to_padded(&s, pressure, to_solve, q);
    memset(q + s.size, 0, s.n * sizeof *q);
    result->energy_before = energy(flow, velocity, true);
    TRY((s.is_light ? solve_light : solve_schur)(&s, b, q, motions, work, result));
    if (result->reason != SOLVE_CONVERGED) return poisson_end_project(flow->poisson);
    to_cells(&s, q, 1.0, cells);
    poisson_correct(flow->poisson, problem->threads, velocity, cells);
    to_cells(&s, q, 1.0 / to_solve, pressure);
    flow_set_velocities(flow, motions);
    flow_add_impulses(flow, entries_of(&s), entry_count(&s), problem->density, q);
    result->energy_after = energy(flow, velocity, false);
    return poisson_end_project(flow->poisson);
}
