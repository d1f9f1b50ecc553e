/* The coupled solve with viscosity: right-hand side, MINRES, and what comes of it. */
#include "solve/coupled/coupled_flow_internal.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

static PlimStatus prepare(CoupledFlow *flow) {
    const Viscosity *v = flow->problem->viscosity;
    if (flow->cycle) return PLIM_OK;
    flow->lattice_count = v->count;
    for (int a = 0; a < v->grid.dim; a++) {
        if (!flow->weight[a])
            flow->weight[a] = context_allocate(flow->context, v->count, sizeof(float));
        if (!flow->weight[a]) return PLIM_OUT_OF_MEMORY;
    }
    if (!flow->active) flow->active = context_allocate(flow->context, v->count, sizeof(float));
    if (!flow->viscous) flow->viscous = context_allocate(flow->context, v->count, sizeof(float));
    if (!flow->active || !flow->viscous) return PLIM_OUT_OF_MEMORY;
    return viscosity_multigrid_create(v, &flow->cycle);
}

/* ---- cells between the lattice and arrays over the grid ---- */

typedef struct CellJob CellJob;
/* Of the cell at `at`: c on the lattice, `cell` over the grid. */
typedef void (*CellBody)(const CellJob *job, const int at[3], size_t c, size_t cell);

struct CellJob {
    CoupledFlow *flow;
    CellBody body;
    double *velocity[3], *lattice, *cells;
    double scale;
};

/* Net outflow through faces with given velocities, less what is made, with changed sign. */
static double made_in(const CellJob *job, int i, int j, int k) {
    const CoupledFlow *flow = job->flow;
    const FlowProblem *problem = flow->problem;
    const Grid *grid = &flow->grid;
    const Viscosity *v = problem->viscosity;
    double sum = 0.0;
    for (int a = 0; a < grid->dim; a++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {i, j, k};
            at[a] += end;
            if (face_is_free(v->face[a][lattice_index(v, at[0], at[1], at[2])])) continue;
            size_t face = grid_face_index(grid, a, at[0], at[1], at[2]);
            double open = problem->open[a] ? problem->open[a][face] : 1.0;
            sum += (end ? -open : open) * job->velocity[a][face];
        }
    double made = problem->source ? problem->source[grid_cell_index(grid, i, j, k)] : 0.0;
    return made + sum * flow->area;
}

static void load_cell(const CellJob *job, const int at[3], size_t c, size_t cell) {
    (void)cell;
    bool active = job->flow->active[c] > 0.0f;
    job->lattice[c] = active ? made_in(job, at[0], at[1], at[2]) : 0.0;
}

static void guess_cell(const CellJob *job, const int at[3], size_t c, size_t cell) {
    (void)at;
    bool active = job->flow->active[c] > 0.0f;
    job->lattice[c] = active ? job->scale * job->cells[cell] : 0.0;
}

static void store_cell(const CellJob *job, const int at[3], size_t c, size_t cell) {
    (void)at;
    job->cells[cell] = job->scale * job->lattice[c];
}

static void do_rows(void *user, size_t begin, size_t end) {
    const CellJob *job = user;
    const Grid *grid = &job->flow->grid;
    for (size_t row = begin; row < end; row++) {
        int at[3] = {0, (int)(row % (size_t)grid->n[1]), (int)(row / (size_t)grid->n[1])};
        for (; at[0] < grid->n[0]; at[0]++)
            job->body(job, at, lattice_index(job->flow->problem->viscosity, at[0], at[1], at[2]),
                      grid_cell_index(grid, at[0], at[1], at[2]));
    }
}

static void for_cells(CellJob *job, CellBody body) {
    enum { GRAIN = 8 };
    const Grid *grid = &job->flow->grid;
    job->body = body;
    parallel_for(job->flow->problem->threads, (size_t)grid->n[1] * (size_t)grid->n[2], GRAIN,
                 do_rows, job);
}

/* Removes the mean over every closed region; the largest of them is what no pressure can remove. */
static PlimStatus balance(CoupledFlow *flow, double *lattice, double *largest) {
    const Viscosity *v = flow->problem->viscosity;
    return poisson_remove_means_at(flow->poisson, flow->problem->threads, v->stride,
                                   lattice + v->origin, largest);
}

/* ---- the solve ---- */

static double norm(const double *x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* The right-hand side b and the first guess x. */
static PlimStatus load(CoupledFlow *flow, double *velocity[3], double *pressure, double *b,
                       double *x, double *incompatible) {
    const FlowProblem *problem = flow->problem;
    Viscosity *v = problem->viscosity;
    size_t size = flow_velocity_size(flow), cells = v->count;
    CellJob job = {.flow = flow};
    for (int a = 0; a < flow->grid.dim; a++) job.velocity[a] = velocity[a];
    memset(b, 0, flow_vector_size(flow) * sizeof *b);
    memset(x, 0, flow_vector_size(flow) * sizeof *x);
    memcpy(b, v->b, size * sizeof *b);
    memcpy(x, v->x, size * sizeof *x);
    flow_from_known(flow, &flow->friction, -1.0, b);
    job.lattice = b + size;
    for_cells(&job, load_cell);
    flow_from_known(flow, &flow->fluxes, -1.0, b + size);
    TRY(balance(flow, b + size, incompatible));
    job.lattice = x + size;
    job.cells = pressure;
    job.scale = -problem->dt;
    for_cells(&job, guess_cell);
    viscosity_fill_lattice(v, x + size);
    flow_motion_momenta(flow, b + size + cells);
    flow_guess_motions(flow, x + size + cells);
    if (flow->links.at.count > 0)
        memcpy(b + size + cells + flow->motion_count, flow->links.constant.data,
               flow->links.at.count * sizeof *b);
    return PLIM_OK;
}

/* Given faces have the velocities of the problem itself. */
static void load_guess(CoupledFlow *flow, double *x) {
    Viscosity *v = flow->problem->viscosity;
    double *guess[3] = {flow->problem->guess[0], flow->problem->guess[1], flow->problem->guess[2]};
    viscosity_load(v, flow->problem->viscous, guess);
    memcpy(x, v->x, flow_velocity_size(flow) * sizeof *x);
}

/* Momenta to a part of what is there; the outflow of cells as the problem says. */
static void set_blocks(const CoupledFlow *flow, const double *b, const double *x,
                       SolveBlock blocks[FLOW_BLOCK_COUNT]) {
    const FlowProblem *problem = flow->problem;
    const Viscosity *v = problem->viscosity;
    size_t size = flow_velocity_size(flow), cells = v->count, faces = 0;
    double fluid = fmax(norm(b, size), v->mass * norm(x, size));
    double bodies = norm(b + size + cells, flow->motion_count);
    for (size_t i = 0; i < cells; i++) faces += flow->active[i] > 0.0f;
    double momentum = problem->momentum * fmax(fluid, bodies);
    /* Where nothing moves yet: what flows in or is made sets the scale. */
    double made = norm(b + size, cells) / flow->area;
    momentum = fmax(momentum, problem->momentum * v->mass * fmax(made, problem->speed));
    blocks[FLOW_MOMENTUM] = (SolveBlock){0, size, momentum};
    blocks[FLOW_BODIES] = (SolveBlock){size + cells, flow->motion_count, momentum};
    size_t links = size + cells + flow->motion_count;
    blocks[FLOW_CONSTRAINTS] = (SolveBlock){links, flow->links.at.count, flow_link_tolerance(flow)};
    blocks[FLOW_DIVERGENCE] = (SolveBlock){size, cells, problem->divergence * sqrt((double)faces)};
}

static double fluid_energy(const Viscosity *v, const double *x) {
    double sum = 0.0;
    for (int a = 0; a < v->grid.dim; a++)
        for (size_t i = 0; i < v->count; i++) {
            double u = x[(size_t)a * v->count + i];
            sum += 0.5 * v->mass * (double)v->part[a][i] * u * u;
        }
    return sum;
}

static double energy(const CoupledFlow *flow, const double *x, bool before) {
    return fluid_energy(flow->problem->viscosity, x) + flow_structure_energy(flow, before);
}

/* Velocities, pressure, and what bodies were given. */
static PlimStatus store(CoupledFlow *flow, double *x, double *velocity[3], double *pressure,
                        FlowResult *result) {
    const FlowProblem *problem = flow->problem;
    Viscosity *v = problem->viscosity;
    size_t size = flow_velocity_size(flow), cells = v->count;
    double mean;
    TRY(balance(flow, x + size, &mean));
    CellJob job = {.flow = flow, .lattice = x + size, .cells = pressure, .scale = -1 / problem->dt};
    for_cells(&job, store_cell);
    memcpy(v->x, x, size * sizeof *x);
    viscosity_store(v, velocity);
    flow_set_velocities(flow, x + size + cells);
    flow_add_impulses(flow, &flow->friction, -1.0, x);
    flow_add_impulses(flow, &flow->fluxes, -1.0, x + size);
    flow_add_own_friction(flow);
    result->left_over = flow_left_over(flow);
    result->energy_after = energy(flow, x, false);
    return PLIM_OK;
}

/* The largest residual of a cell, over its volume. */
static double worst_outflow(const CoupledFlow *flow, const double *b, const double *x,
                            double *work) {
    LinearMap map = flow_kkt_map(flow);
    size_t size = flow_velocity_size(flow), cells = flow->problem->viscosity->count;
    double worst = 0.0;
    map.apply(map.object, x, work);
    for (size_t i = size; i < size + cells; i++) worst = fmax(worst, fabs(b[i] - work[i]));
    return worst / grid_cell_volume(&flow->grid);
}

static PlimStatus iterate(CoupledFlow *flow, const double *b, double *x, FlowResult *result) {
    enum { MOST_ITERATIONS = 500 };
    static const int place[FLOW_BLOCK_COUNT] = {FLOW_MOMENTUM, FLOW_DIVERGENCE, FLOW_BODIES,
                                                FLOW_CONSTRAINTS};
    SolveBlock blocks[FLOW_BLOCK_COUNT], ordered[FLOW_BLOCK_COUNT];
    set_blocks(flow, b, x, blocks);
    for (int i = 0; i < FLOW_BLOCK_COUNT; i++) ordered[i] = blocks[place[i]];
    BlockOptions options = {.blocks = ordered,
                            .block_count = FLOW_BLOCK_COUNT,
                            .max_iterations = MOST_ITERATIONS,
                            .threads = flow->problem->threads};
    LinearMap map = flow_kkt_map(flow);
    Preconditioner preconditioner = flow_preconditioner(flow);
    BlockResult found;
    TRY(solve_minres_blocks(&flow->scratch, &map, &preconditioner, &options, b, x, &found));
    result->iterations = found.iterations;
    if (found.reason == SOLVE_INDEFINITE) {
        flow->cycle_high = FLOW_CYCLE_SAFE;
        TRY(solve_minres_blocks(&flow->scratch, &map, &preconditioner, &options, b, x, &found));
        result->iterations += found.iterations;
    }
    if (flow->short_of_memory) return PLIM_OUT_OF_MEMORY;
    result->reason = found.reason;
    for (int i = 0; i < FLOW_BLOCK_COUNT; i++) {
        result->residual[place[i]] = found.last[i];
        result->tolerance[place[i]] = ordered[i].tolerance;
    }
    return PLIM_OK;
}

PlimStatus flow_solve_viscous(CoupledFlow *flow, double *velocity[3], double *pressure,
                              FlowResult *result) {
    const FlowProblem *problem = flow->problem;
    Viscosity *v = problem->viscosity;
    PoissonProblem poisson = flow_poisson_problem(problem);
    TRY(prepare(flow));
    v->threads = problem->threads;
    TRY(poisson_setup(flow->poisson, &poisson));
    viscosity_set_step(v, problem->density, problem->dt);
    flow_set_weights(flow);
    TRY(flow_gather_friction(flow, velocity));
    TRY(flow_gather_fluxes(flow, v->stride, v->origin));
    double *b = scratch_take(&flow->scratch, flow_vector_size(flow), sizeof *b);
    double *x = scratch_take(&flow->scratch, flow_vector_size(flow), sizeof *x);
    double *work = scratch_take(&flow->scratch, flow_vector_size(flow), sizeof *work);
    if (!b || !x || !work) return PLIM_OUT_OF_MEMORY;
    TRY(flow_set_masses(flow));
    viscosity_load(v, problem->viscous, velocity);
    TRY(load(flow, velocity, pressure, b, x, &result->incompatible));
    result->energy_before = energy(flow, x, true);
    if (problem->guess[0]) load_guess(flow, x);
    flow->cycle_high = FLOW_CYCLE_HIGH;
    TRY(flow_precondition_setup(flow));
    TRY(iterate(flow, b, x, result));
    if (result->reason != SOLVE_CONVERGED) return PLIM_OK;
    result->divergence = worst_outflow(flow, b, x, work);
    return store(flow, x, velocity, pressure, result);
}
