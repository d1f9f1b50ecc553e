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
 * by MINRES with the cycle and M / density + H^T Z H: two to three times the iterations. The same
 * where blocks of the structure are joined, by dampers in M or by rows R with multipliers. */
#include "solve/coupled/coupled_flow_internal.h"

#include "math/cholesky.h"

#include <math.h>
#include <string.h>

enum { INVISCID_COLUMN_LIMIT = 24, MOST_LIGHT_ITERATIONS = 500 };

/* Ratio of the mass of fluid that a motion takes along to its own, from which on it is an unknown.
 * Conjugate gradients break down at about 1e7. */
static const double LIGHT = 1e5;

/* Vectors are laid out as the pressure's; motions and links follow where they are unknowns. */
typedef struct Inviscid {
    CoupledFlow *flow;
    Poisson *poisson;
    size_t n, size;
    double *motions; /* work, K */
    size_t columns;  /* K, or 0: the structure is in the preconditioner by blocks alone */
    double *reply;   /* Z H, one column after the other */
    double *factor;  /* of M / density + H^T Z H */
    bool is_light;   /* some motion is */
} Inviscid;

/* Whether M is block diagonal and nothing else joins motions. */
static bool is_apart(const CoupledFlow *flow) {
    return flow->dampers.at.count == 0 && flow->links.at.count == 0;
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
    flow_to_motions(&s->flow->fluxes, x, s->motions);
    flow_solve_blocks(s->flow, s->motions);
    for (size_t i = 0; i < s->n; i++) s->motions[i] *= problem->density;
    flow_from_motions(&s->flow->fluxes, s->motions, y);
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

/* Z H and M / density + H^T Z H. */
static PlimStatus find_replies(Inviscid *s) {
    CoupledFlow *flow = s->flow;
    size_t n = s->n;
    s->reply = scratch_take(&flow->scratch, n * s->size + 1, sizeof(double));
    s->factor = scratch_take(&flow->scratch, n * n + 1, sizeof(double));
    double *masses = scratch_take(&flow->scratch, n * n + 1, sizeof(double));
    double *column = scratch_take(&flow->scratch, s->size, sizeof(double));
    if (!s->reply || !s->factor || !masses || !column) return PLIM_OUT_OF_MEMORY;
    flow_dense_structure(flow, s->motions, masses);
    for (size_t j = 0; j < n; j++) {
        double *reply = s->reply + j * s->size;
        memset(s->motions, 0, n * sizeof *s->motions);
        s->motions[j] = 1.0;
        memset(column, 0, s->size * sizeof *column);
        flow_from_motions(&flow->fluxes, s->motions, column);
        cycle(s, column, reply);
        double *row = s->factor + j * n;
        for (size_t i = 0; i < n; i++) row[i] = 0.0;
        flow_to_motions(&flow->fluxes, reply, row);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double mean = 0.5 * (s->factor[i * n + j] + s->factor[j * n + i]);
            double inertia = masses[i * n + j] / flow->problem->density;
            s->factor[i * n + j] = s->factor[j * n + i] = mean + inertia;
            if (i == j) s->is_light |= mean > LIGHT * inertia;
        }
    s->columns = cholesky_factor(s->factor, n) ? n : 0;
    s->is_light = s->is_light && s->columns > 0;
    return PLIM_OK;
}

/* Of each motion the least fluid it can take along, kg over the density: what the cells that it
 * pushes into would if they were on their own. */
static void find_least_added(const Inviscid *s, double *added) {
    const FlowRows *fluxes = &s->flow->fluxes;
    const float *inverse = poisson_inverse_diagonal(s->poisson);
    memset(added, 0, s->n * sizeof *added);
    for (size_t row = 0; row < fluxes->at.count; row++)
        for (size_t i = fluxes->reduced_start.data[row]; i < fluxes->reduced_start.data[row + 1];
             i++) {
            const FlowEntry *entry = &fluxes->reduced.data[i];
            added[entry->column] +=
                entry->value * entry->value * (double)inverse[fluxes->at.data[row]];
        }
}

/* Whether some motion may be light, by that. */
static bool may_be_light(const Inviscid *s, const double *added) {
    const CoupledFlow *flow = s->flow;
    for (size_t b = 0; b < flow->parts.count; b++) {
        const FlowPart *part = &flow->parts.data[b];
        size_t n = part->motion_count;
        for (size_t i = 0; i < n; i++)
            if (added[part->first + i] * flow->problem->density >
                0.1 * LIGHT * part->mass[i * n + i])
                return true;
    }
    return false;
}

static void solve_structure(const void *user, double *motions) {
    const Inviscid *s = user;
    if (s->columns > 0)
        cholesky_solve(s->factor, s->n, motions);
    else
        flow_solve_blocks(s->flow, motions);
}

static PlimStatus set_up(Inviscid *s) {
    CoupledFlow *flow = s->flow;
    s->motions = scratch_take(&flow->scratch, s->n + 1, sizeof(double));
    double *added = scratch_take(&flow->scratch, s->n + 1, sizeof(double));
    if (!s->motions || !added) return PLIM_OUT_OF_MEMORY;
    TRY(flow_set_masses(flow));
    if (s->n == 0) return PLIM_OK;
    find_least_added(s, added);
    if (s->n <= INVISCID_COLUMN_LIMIT)
        TRY(find_replies(s));
    else
        s->is_light = may_be_light(s, added);
    if (!s->is_light && is_apart(flow)) return PLIM_OK;
    if (s->columns == 0) TRY(flow_factor_blocks(flow, 1.0 / flow->problem->density, added));
    return flow_factor_links(flow, solve_structure, s);
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
    return fluid_energy(flow->problem, velocity) + flow_structure_energy(flow, before);
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
    flow_solve_blocks(flow, free_motions);
    for (size_t i = 0; i < s->n; i++) s->motions[i] = -free_motions[i];
    flow_from_motions(&flow->fluxes, s->motions, b);
    flow_from_known(flow, &flow->fluxes, -1.0, b);
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
    flow_to_motions(&flow->fluxes, q, s->motions);
    flow_solve_blocks(s->flow, s->motions);
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
    flow_apply_structure(s->flow, v, y_v);
    for (size_t i = 0; i < n; i++) y_v[i] /= -s->flow->problem->density;
    flow_from_motions(&s->flow->fluxes, v, y);
    flow_to_motions(&s->flow->fluxes, x, y_v);
    memset(y_v + n, 0, s->flow->links.at.count * sizeof *y_v);
    flow_apply_links(s->flow, -1.0, v, y_v + n);
    flow_apply_links_transpose(s->flow, -1.0, v + n, y_v);
}

static void kkt_precondition(void *object, const double *r, double *z) {
    const Inviscid *s = object;
    cycle(s, r, z);
    memcpy(z + s->size, r + s->size, (s->n + s->flow->links.at.count) * sizeof *z);
    solve_structure(s, z + s->size);
    flow_solve_links(s->flow, z + s->size + s->n);
}

/* A block for the outflow of cells, and one for the impulse over the density of each motion: to
 * what changes it, with the fluid that it takes along, no more than the flow through a face. The
 * last holds all motions for which there is none left. */
static size_t light_blocks(const Inviscid *s, SolveBlock *blocks) {
    const CoupledFlow *flow = s->flow;
    double outflow = flow->problem->divergence, area = grid_face_area(&flow->grid);
    size_t count = 0, links = flow->links.at.count;
    size_t most = SOLVE_BLOCK_CAPACITY - (links > 0);
    blocks[count++] = (SolveBlock){0, s->size, outflow * sqrt((double)count_cells(s))};
    for (size_t b = 0; b < flow->parts.count; b++) {
        const FlowPart *part = &flow->parts.data[b];
        size_t width = s->columns > 0 ? s->n : part->motion_count;
        for (size_t m = 0; m < part->motion_count; m++) {
            /* The squares of a factor's diagonal: inertia when the motions before give way. */
            size_t i = part->first + m, row = s->columns > 0 ? i : m;
            double root = (s->columns > 0 ? s->factor : part->factor)[row * width + row];
            double tolerance = root * root * outflow / area;
            if (count < most) {
                blocks[count++] = (SolveBlock){s->size + i, 1, tolerance};
                continue;
            }
            blocks[count - 1].count++;
            blocks[count - 1].tolerance = fmin(blocks[count - 1].tolerance, tolerance);
        }
    }
    if (links > 0) blocks[count++] = (SolveBlock){s->size + s->n, links, flow_link_tolerance(flow)};
    return count;
}

static PlimStatus solve_light(Inviscid *s, double *b, double *q, double *motions, double *work,
                              FlowResult *result) {
    CoupledFlow *flow = s->flow;
    const FlowProblem *problem = flow->problem;
    size_t size = s->size, links = flow->links.at.count, all = size + s->n + links;
    flow_from_known(flow, &flow->fluxes, -1.0, b);
    TRY(poisson_remove_means(s->poisson, problem->threads, b, &result->incompatible));
    flow_motion_momenta(flow, b + size);
    for (size_t i = 0; i < s->n; i++) b[size + i] /= -problem->density;
    for (size_t i = 0; i < links; i++) b[size + s->n + i] = -flow->links.constant.data[i];
    SolveBlock blocks[SOLVE_BLOCK_CAPACITY];
    BlockOptions options = {blocks, light_blocks(s, blocks), MOST_LIGHT_ITERATIONS,
                            problem->threads};
    LinearMap map = {s, all, all, kkt_apply, kkt_apply};
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
    size_t all = s.size + s.n + flow->links.at.count;
    double *b = scratch_take(&flow->scratch, all, sizeof *b);
    double *q = scratch_take(&flow->scratch, all, sizeof *q);
    double *work = scratch_take(&flow->scratch, all, sizeof *work);
    double *motions = scratch_take(&flow->scratch, s.n + 1, sizeof *motions);
    if (!cells || !b || !q || !work || !motions) return PLIM_OUT_OF_MEMORY;
    TRY(poisson_begin_project(flow->poisson, &poisson, problem->threads, velocity, cells));
    TRY(flow_gather_fluxes(flow, layout.stride, layout.origin));
    TRY(set_up(&s));
    double to_solve = problem->dt / problem->density;
    to_padded(&s, cells, 1.0, b);
    to_padded(&s, pressure, to_solve, q);
    memset(q + s.size, 0, (all - s.size) * sizeof *q);
    result->energy_before = energy(flow, velocity, true);
    bool joined = s.n > 0 && !is_apart(flow);
    TRY((s.is_light || joined ? solve_light : solve_schur)(&s, b, q, motions, work, result));
    if (result->reason != SOLVE_CONVERGED) return poisson_end_project(flow->poisson);
    to_cells(&s, q, 1.0, cells);
    poisson_correct(flow->poisson, problem->threads, velocity, cells);
    to_cells(&s, q, 1.0 / to_solve, pressure);
    flow_set_velocities(flow, motions);
    result->left_over = flow_left_over(flow);
    flow_add_impulses(flow, &flow->fluxes, problem->density, q);
    result->energy_after = energy(flow, velocity, false);
    return poisson_end_project(flow->poisson);
}
