/* The preconditioner of the coupled solve: block diagonal, an approximate inverse of A and one of
 * the Schur complement S = D A^-1 D^T.
 *
 * A. With Z one multigrid cycle for the velocities of faces, and Y = Z A_fb what fluid does when
 * a body moves, A^-1 is near
 *     [ I -Y ] [ Z        ] [  I    ]
 *     [    I ] [   S_b^-1 ] [ -Y^T I ],     S_b = A_bb - A_bf Y - Y^T A_fb + Y^T A_ff Y,
 * positive definite for any Y, since S_b is the energy of bodies and fluid that move so. A_bb, the
 * drag of bodies in fluid at rest, grows with the cells along surfaces, while what S_b should be,
 * the drag of bodies that take the fluid along, does not: one cycle leaves Y an error whose energy
 * is far above that on fine grids, and then S_b is too large by that. So Y is solved for by
 * conjugate gradients until it is good enough.
 *
 * S. For the fluid alone density Z_p + 2 mu dt / V (Cahouet and Chabard 1988; twice their viscous
 * part, for the stress is in full form: along its wave vector a wave feels 2 mu). Next to walls,
 * where faces are held by short links, the viscous part is what those faces yield: the sum over
 * a cell's faces of area^2 over the diagonal of dt K, times the factor that makes it V / (2 mu dt)
 * in the unbounded fluid, 3/4 in two dimensions and 2/3 in three. Without that, iterations grow
 * with the number of cells along surfaces. Bodies add H~ S_b^-1 H~^T, H~ = H - D Y what they and
 * the fluid around them push out of cells; the inverse of the sum by Woodbury. Without it a light
 * body costs an iteration for each of its motions and more with every decade.
 *
 * The columns Y, H~ and their images take memory and a cycle each: beyond FLOW_COLUMN_LIMIT motions
 * bodies are on their own, S_b = A_bb. */
#include "solve/coupled/coupled_flow_internal.h"

#include "base/random.h"
#include "math/cholesky.h"
#include "solve/krylov/krylov_vectors.h"

#include <math.h>
#include <string.h>

#if defined(__clang__)
/* Without optimisation clang says that loops marked simd stay scalar; that is as it should be. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* Products of columns with DOTS vectors at a time: a column is read and widened once for all. */
enum { FLOW_COLUMN_LIMIT = 192, MOST_LIFT_STEPS = 8, GRAIN = 8192, DOTS = 4 };

/* Measured: a disc that falls at 1e-4 to 1e3 Pa s took 12, 17, 38 and 33 iterations with 0.35, up
 * to a third more with 1, and no fewer with 0.25. */
static const double VISCOUS_SHARE = 0.35;

/* Eigenvalues of Z A from CYCLE_LOW on (solve/viscosity_multigrid.h), and the ratio of viscosity to
 * inertia, dt mu / (density h^2), from which on two cycles are worth it: at 1e3 Pa s they save
 * a quarter of the iterations, at 10 a tenth. */
static const double CYCLE_LOW = 0.6, STIFF = 100.0;

/* ---- columns ---- */

/* In single precision: a preconditioner needs no more, and they are what takes memory. */
typedef struct ColumnJob {
    const float *columns;
    const double *x, *factors; /* x: one vector or DOTS of them, one after the other */
    double *y;
    size_t size, count;
} ColumnJob;

static void dot_columns(void *user, size_t begin, size_t end, double *partial) {
    const ColumnJob *job = user;
    for (size_t c = 0; c < job->count; c++) {
        const float *column = job->columns + c * job->size;
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = begin; i < end; i++) sum += (double)column[i] * job->x[i];
        partial[c] += sum;
    }
}

/* partial[DOTS c + k] += column c times vector k. */
static void dot_columns_many(void *user, size_t begin, size_t end, double *partial) {
    const ColumnJob *job = user;
    const double *x0 = job->x, *x1 = x0 + job->size, *x2 = x1 + job->size, *x3 = x2 + job->size;
    for (size_t c = 0; c < job->count; c++) {
        const float *column = job->columns + c * job->size;
        double sum0 = 0.0, sum1 = 0.0, sum2 = 0.0, sum3 = 0.0;
#pragma omp simd reduction(+ : sum0, sum1, sum2, sum3)
        for (size_t i = begin; i < end; i++) {
            double value = (double)column[i];
            sum0 += value * x0[i];
            sum1 += value * x1[i];
            sum2 += value * x2[i];
            sum3 += value * x3[i];
        }
        double *to = partial + DOTS * c;
        to[0] += sum0, to[1] += sum1, to[2] += sum2, to[3] += sum3;
    }
}

static void subtract_columns(void *user, size_t begin, size_t end) {
    const ColumnJob *job = user;
    for (size_t c = 0; c < job->count; c++) {
        const float *column = job->columns + c * job->size;
        double factor = job->factors[c];
        for (size_t i = begin; i < end; i++) job->y[i] -= factor * (double)column[i];
    }
}

/* dots = columns^T x. */
static void columns_dot(CoupledFlow *flow, const float *columns, size_t size, const double *x,
                        double *dots) {
    ColumnJob job = {.columns = columns, .x = x, .size = size, .count = flow->column_count};
    memset(dots, 0, flow->column_count * sizeof *dots);
    if (parallel_sum(flow->problem->threads, size, flow->column_count, dot_columns, &job,
                     &flow->scratch, dots) != PLIM_OK)
        flow->short_of_memory = true;
}

/* The same of DOTS vectors, dots[DOTS c + k] of column c and vector k. */
static void columns_dot_many(CoupledFlow *flow, const float *columns, size_t size, const double *x,
                             double *dots) {
    ColumnJob job = {.columns = columns, .x = x, .size = size, .count = flow->column_count};
    if (parallel_sum(flow->problem->threads, size, DOTS * flow->column_count, dot_columns_many,
                     &job, &flow->scratch, dots) != PLIM_OK)
        flow->short_of_memory = true;
}

/* y -= columns factors. */
static void columns_subtract(const CoupledFlow *flow, const float *columns, size_t size,
                             const double *factors, double *y) {
    ColumnJob job = {
        .columns = columns, .factors = factors, .y = y, .size = size, .count = flow->column_count};
    parallel_for(flow->problem->threads, size, GRAIN, subtract_columns, &job);
}

/* ---- pressure of the fluid alone ---- */

typedef struct PressureJob {
    const CoupledFlow *flow;
    const double *r;
    double *z;
    double inertia; /* factor of what the cycle gives */
} PressureJob;

static void join_parts(void *user, size_t begin, size_t end) {
    const PressureJob *job = user;
    const float *active = job->flow->active, *viscous = job->flow->viscous;
    for (size_t i = begin; i < end; i++) {
        double z = job->inertia * job->z[i] + (double)viscous[i] * job->r[i];
        job->z[i] = active[i] > 0.0f ? z : 0.0;
    }
}

static void pressure_cycle(CoupledFlow *flow, const double *r, double *z) {
    const FlowProblem *problem = flow->problem;
    const Viscosity *v = problem->viscosity;
    PressureJob job = {flow, r, z, problem->density};
    if (poisson_precondition(flow->poisson, problem->threads, v->stride, r + v->origin,
                             z + v->origin) != PLIM_OK)
        flow->short_of_memory = true;
    parallel_for(problem->threads, v->count, GRAIN, join_parts, &job);
    viscosity_fill_lattice(v, z);
}

/* ---- velocities of the fluid alone ---- */

typedef struct PolynomialJob {
    const double *once;
    double *z, high;
} PolynomialJob;

/* z holds Z A Z r. */
static void join_cycles(void *user, size_t begin, size_t end) {
    const PolynomialJob *job = user;
    const double middle = 0.5 * (CYCLE_LOW + job->high), half = 0.5 * (job->high - CYCLE_LOW);
    const double scale = 2.0 / (2.0 * middle * middle - half * half);
    for (size_t i = begin; i < end; i++)
        job->z[i] = scale * (2.0 * middle * job->once[i] - job->z[i]);
}

/* Z r; in stiff steps two cycles joined by Chebyshev's polynomial of second degree for eigenvalues
 * of Z A between CYCLE_LOW and cycle_high. */
static void velocity_cycle(CoupledFlow *flow, const double *r, double *z) {
    const Viscosity *v = flow->problem->viscosity;
    int threads = flow->problem->threads;
    if (v->stiffness < STIFF * v->mass) {
        viscosity_multigrid_cycle(flow->cycle, v, threads, r, z);
        return;
    }
    PolynomialJob job = {flow->once, z, flow->cycle_high};
    viscosity_multigrid_cycle(flow->cycle, v, threads, r, flow->once);
    viscosity_apply(v, flow->once, flow->image);
    viscosity_multigrid_cycle(flow->cycle, v, threads, flow->image, z);
    parallel_for(threads, flow_velocity_size(flow), GRAIN, join_cycles, &job);
}

/* ---- set-up ---- */

/* The viscous part of the diagonal of A at a face, over dt mu V / h^2. */
static double stiffness_at(const Viscosity *v, int a, const int at[3]) {
    int w[3];
    wrap_place(&v->grid, at, w);
    size_t c = lattice_index(v, w[0], w[1], w[2]);
    double sum = (double)v->link[a][a][c] + (double)v->link[a][a][c - v->stride[a]];
    for (int b = 0; b < v->grid.dim; b++)
        if (b != a) sum += (double)v->link[a][b][c] + (double)v->link[a][b][c + v->stride[b]];
    return sum;
}

static void find_viscous(void *user, size_t begin, size_t end) {
    const CoupledFlow *flow = user;
    const Viscosity *v = flow->problem->viscosity;
    const Grid *grid = &flow->grid;
    double factor = (grid->dim == 2 ? 3.0 / 4.0 : 2.0 / 3.0) * flow->area * flow->area;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)grid->n[1]), k = (int)(row / (size_t)grid->n[1]);
        for (int i = 0; i < grid->n[0]; i++) {
            size_t c = lattice_index(v, i, j, k);
            double yield = 0.0;
            for (int a = 0; a < grid->dim && flow->active[c] > 0.0f; a++)
                for (int s = 0; s < 2; s++) {
                    int at[3] = {i, j, k};
                    at[a] += s;
                    double w = (double)flow->weight[a][s ? c + v->stride[a] : c];
                    double held = w > 0.0 ? stiffness_at(v, a, at) : 0.0;
                    if (held > 0.0) yield += w * w / held;
                }
            flow->viscous[c] =
                yield > 0.0 ? (float)(VISCOUS_SHARE * v->stiffness / (factor * yield)) : 0.0f;
        }
    }
}

static void keep_column(const double *from, size_t size, size_t j, float *columns) {
    for (size_t i = 0; i < size; i++) columns[j * size + i] = (float)from[i];
}

static void load_column(const float *columns, size_t size, size_t j, double *to) {
    for (size_t i = 0; i < size; i++) to[i] = (double)columns[j * size + i];
}

/* What rows make of motion j alone. */
static void load_motion(const FlowRows *rows, size_t j, size_t size, double *to) {
    double motions[FLOW_COLUMN_LIMIT] = {0};
    motions[j] = 1.0;
    memset(to, 0, size * sizeof *to);
    flow_from_motions(rows, motions, to);
}

/* x = A_ff^-1 r, near enough; r is lost. `own` is the energy of the motion in fluid at rest. Every
 * step takes some of it away, and leaves about a tenth of that to those after it: enough is done
 * when a step took less than is left. At low viscosity that is the first, which then needs no
 * length: one cycle takes about r^T Z r. */
static PlimStatus solve_lift(CoupledFlow *flow, double own, double *r, double *x) {
    const Viscosity *v = flow->problem->viscosity;
    KrylovVectors vectors = {&flow->scratch, flow->problem->threads, flow_velocity_size(flow)};
    double *p = flow->once, *q = flow->image, rz;
    viscosity_multigrid_cycle(flow->cycle, v, vectors.threads, r, x);
    TRY(krylov_dot(&vectors, r, x, &rz));
    if (rz <= own - rz) return PLIM_OK;
    memcpy(p, x, vectors.n * sizeof *p);
    for (int step = 0; rz > 0.0 && step < MOST_LIFT_STEPS; step++) {
        double pq, last = rz;
        viscosity_apply(v, p, q);
        TRY(krylov_dot(&vectors, p, q, &pq));
        if (!(pq > 0.0)) break;
        krylov_combine(&vectors, rz / pq, p, step > 0 ? 1.0 : 0.0, x);
        krylov_combine(&vectors, -rz / pq, q, 1.0, r);
        double taken = rz * rz / pq;
        own -= taken;
        if (taken <= own) break;
        viscosity_multigrid_cycle(flow->cycle, v, vectors.threads, r, q);
        TRY(krylov_dot(&vectors, r, q, &rz));
        krylov_combine(&vectors, 1.0, q, rz / last, p);
    }
    return PLIM_OK;
}

/* Y, and S_b. `work` holds DOTS + 1 velocity vectors. */
static PlimStatus find_lift(CoupledFlow *flow, double *work) {
    size_t n = flow->column_count, size = flow_velocity_size(flow);
    double dots[DOTS * FLOW_COLUMN_LIMIT], pull[FLOW_COLUMN_LIMIT], *image = work + size;
    for (size_t j = 0; j < n; j++) {
        load_motion(&flow->friction, j, size, work);
        TRY(solve_lift(flow, flow->structure_factor[j * n + j], work, image));
        keep_column(image, size, j, flow->lift);
    }
    for (size_t first = 0; first < n; first += DOTS) {
        size_t count = n - first < DOTS ? n - first : DOTS;
        for (size_t k = 0; k < count; k++) {
            size_t j = first + k;
            load_column(flow->lift, size, j, work);
            viscosity_apply(flow->problem->viscosity, work, image + k * size);
            memset(pull, 0, sizeof pull);
            flow_to_motions(&flow->friction, work, pull);
            for (size_t i = 0; i < n; i++) {
                flow->structure_factor[i * n + j] -= pull[i];
                flow->structure_factor[j * n + i] -= pull[i];
            }
        }
        columns_dot_many(flow, flow->lift, size, image, dots);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < count; k++)
                flow->structure_factor[i * n + first + k] += dots[DOTS * i + k];
    }
    return PLIM_OK;
}

/* H~, Z_S H~, and what Woodbury inverts. */
static void find_replies(CoupledFlow *flow, double *work) {
    size_t n = flow->column_count, size = flow_velocity_size(flow);
    size_t cells = flow->problem->viscosity->count;
    double dots[DOTS * FLOW_COLUMN_LIMIT], *flux = work + size;
    memcpy(flow->pressure_factor, flow->structure_factor, n * n * sizeof *flow->structure_factor);
    for (size_t j = 0; j < n; j++) {
        load_column(flow->lift, size, j, work);
        flow_divergence(flow, work, flux);
        load_motion(&flow->fluxes, j, cells, work);
        for (size_t i = 0; i < cells; i++) flux[i] = work[i] - flux[i];
        keep_column(flux, cells, j, flow->flux);
        pressure_cycle(flow, flux, work);
        keep_column(work, cells, j, flow->reply);
    }
    for (size_t first = 0; first < n; first += DOTS) {
        size_t count = n - first < DOTS ? n - first : DOTS;
        for (size_t k = 0; k < count; k++)
            load_column(flow->reply, cells, first + k, work + k * cells);
        columns_dot_many(flow, flow->flux, cells, work, dots);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < count; k++)
                flow->pressure_factor[i * n + first + k] += dots[DOTS * i + k];
    }
    for (size_t i = 0; i < n; i++) /* symmetric but for rounding in single precision */
        for (size_t j = 0; j < i; j++) {
            double *one = &flow->pressure_factor[i * n + j];
            double *other = &flow->pressure_factor[j * n + i];
            *one = *other = 0.5 * (*one + *other);
        }
}

static PlimStatus take_columns(CoupledFlow *flow, double **work) {
    size_t n = flow->column_count, size = flow_velocity_size(flow);
    size_t cells = flow->problem->viscosity->count;
    flow->lift = scratch_take(&flow->scratch, n * size + 1, sizeof(float));
    flow->flux = scratch_take(&flow->scratch, n * cells + 1, sizeof(float));
    flow->reply = scratch_take(&flow->scratch, n * cells + 1, sizeof(float));
    flow->pressure_factor = scratch_take(&flow->scratch, n * n + 1, sizeof(double));
    *work = scratch_take(&flow->scratch, (DOTS + 1) * size, sizeof(double));
    if (*work) memset(*work, 0, (DOTS + 1) * size * sizeof(double));
    bool all = flow->lift && flow->flux && flow->reply && flow->pressure_factor && *work;
    return all ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static void solve_structure(const void *user, double *motions) {
    const CoupledFlow *flow = user;
    if (flow->column_count > 0)
        cholesky_solve(flow->structure_factor, flow->column_count, motions);
    else
        flow_solve_blocks(flow, motions);
}

/* The columns of a few motions; without them blocks are on their own. */
static PlimStatus find_columns(CoupledFlow *flow) {
    size_t n = flow->column_count;
    double *work, motions[FLOW_COLUMN_LIMIT];
    flow->structure_factor = scratch_take(&flow->scratch, n * n + 1, sizeof(double));
    if (!flow->structure_factor) return PLIM_OUT_OF_MEMORY;
    TRY(take_columns(flow, &work));
    flow_dense_structure(flow, motions, flow->structure_factor);
    TRY(find_lift(flow, work));
    find_replies(flow, work);
    if (flow->short_of_memory) return PLIM_OUT_OF_MEMORY; /* before the sums are judged */
    if (!cholesky_factor(flow->pressure_factor, n) || !cholesky_factor(flow->structure_factor, n))
        flow->column_count = 0;
    return PLIM_OK;
}

/* ---- many motions: what they take along, without columns ---- */

/* +1 or -1 for the velocities of kind `angular` of each block, all axes alike; 0 for others. */
static void load_signs(const CoupledFlow *flow, int angular, double *x) {
    const FlowStructure *s = flow->structure;
    memset(x, 0, s->count * sizeof *x);
    for (size_t b = 0; b < s->block_count; b++)
        for (int i = 0; s->blocks[b].is_free && i < s->blocks[b].size; i++)
            if ((i >= 3) == angular)
                x[s->blocks[b].first + (size_t)i] =
                    random_uniform(1, (uint64_t)b, (uint64_t)i) < 0.5 ? -1.0 : 1.0;
}

static double own_drag(const CoupledFlow *flow, const double *x) {
    const FlowStructure *s = flow->structure;
    double sum = 0.0;
    for (size_t b = 0; b < s->block_count; b++)
        for (int i = 0; s->blocks[b].is_free && i < s->blocks[b].size; i++)
            for (int j = 0; j < s->blocks[b].size; j++)
                sum += flow->blocks.data[b].drag[i][j] * x[s->blocks[b].first + (size_t)i] *
                       x[s->blocks[b].first + (size_t)j];
    return sum;
}

/* Of the friction of blocks by their own velocities what is left when the fluid gives way, from one
 * motion of all of them in random directions. */
static PlimStatus find_yield(CoupledFlow *flow, int angular, double *part) {
    const double least = 0.02;
    KrylovVectors vectors = {&flow->scratch, flow->problem->threads, flow_velocity_size(flow)};
    const FlowRows *rows = &flow->friction;
    double *x = scratch_take(&flow->scratch, flow->structure->count + 1, sizeof *x);
    double *force = flow->once, taken = 0.0;
    if (!x) return PLIM_OUT_OF_MEMORY;
    load_signs(flow, angular, x);
    memset(force, 0, vectors.n * sizeof *force);
    for (size_t row = 0; row < rows->at.count; row++)
        for (size_t i = rows->start.data[row]; i < rows->start.data[row + 1]; i++)
            force[rows->at.data[row]] +=
                rows->entries.data[i].value * x[rows->entries.data[i].column];
    viscosity_multigrid_cycle(flow->cycle, flow->problem->viscosity, vectors.threads, force,
                              flow->image);
    TRY(krylov_dot(&vectors, force, flow->image, &taken));
    double own = own_drag(flow, x);
    *part = own > 0.0 ? fmin(fmax(1.0 - taken / own, least), 1.0) : 1.0;
    return PLIM_OK;
}

static PlimStatus prepare_without_columns(CoupledFlow *flow) {
    double part[2];
    flow->lifted = scratch_take(&flow->scratch, 2 * flow_velocity_size(flow), sizeof(double));
    if (!flow->lifted) return PLIM_OUT_OF_MEMORY;
    for (int angular = 0; angular < 2; angular++) TRY(find_yield(flow, angular, &part[angular]));
    return flow_factor_yielding(flow, part);
}

/* Columns are worth their set-up and what they take in each iteration for a few motions on any
 * grid, and for many on a small one. */
static bool has_columns(const CoupledFlow *flow) {
    enum { FEW = 12, MOST_VALUES = 1 << 20 };
    size_t n = flow->motion_count;
    return n <= FEW || (n <= FLOW_COLUMN_LIMIT && n * flow_velocity_size(flow) <= MOST_VALUES);
}

PlimStatus flow_precondition_setup(CoupledFlow *flow) {
    const FlowProblem *problem = flow->problem;
    size_t n = flow->motion_count;
    flow->column_count = has_columns(flow) ? n : 0;
    TRY(viscosity_multigrid_setup(flow->cycle, problem->viscosity, problem->threads));
    parallel_for(problem->threads, (size_t)flow->grid.n[1] * (size_t)flow->grid.n[2], 8,
                 find_viscous, flow);
    flow->once = scratch_take(&flow->scratch, flow_velocity_size(flow), sizeof(double));
    flow->image = scratch_take(&flow->scratch, flow_velocity_size(flow), sizeof(double));
    if (!flow->once || !flow->image) return PLIM_OUT_OF_MEMORY;
    flow->lifted = NULL;
    if (flow->column_count > 0) TRY(find_columns(flow));
    if (flow->column_count == 0 && n > 0) TRY(prepare_without_columns(flow));
    return flow_factor_links(flow, solve_structure, flow);
}

/* ---- the cycle ---- */

/* motions -= F^T z. */
static void yield_to_fluid(const CoupledFlow *flow, const double *z, double *motions) {
    const FlowRows *rows = &flow->friction;
    for (size_t row = 0; row < rows->at.count; row++)
        flow_row_spread(rows, row, -z[rows->at.data[row]], motions);
}

/* z -= Z F motions. */
static void take_along(CoupledFlow *flow, const double *motions, double *z) {
    size_t size = flow_velocity_size(flow);
    double *force = flow->lifted, *along = flow->lifted + size;
    memset(force, 0, size * sizeof *force);
    flow_from_motions(&flow->friction, motions, force);
    velocity_cycle(flow, force, along);
    for (size_t i = 0; i < size; i++) z[i] -= along[i];
}

static void precondition(void *object, const double *r, double *z) {
    CoupledFlow *flow = object;
    const Viscosity *v = flow->problem->viscosity;
    size_t size = flow_velocity_size(flow), cells = v->count, n = flow->motion_count;
    const double *r_l = r + size, *r_motions = r_l + cells;
    double *z_l = z + size, *z_motions = z_l + cells, dots[FLOW_COLUMN_LIMIT];
    bool columns = flow->column_count > 0;
    velocity_cycle(flow, r, z);
    pressure_cycle(flow, r_l, z_l);
    memcpy(z_motions, r_motions, n * sizeof *z_motions);
    if (columns) columns_dot(flow, flow->lift, size, r, dots);
    for (size_t i = 0; columns && i < n; i++) z_motions[i] -= dots[i];
    if (flow->lifted) yield_to_fluid(flow, z, z_motions);
    solve_structure(flow, z_motions);
    if (flow->lifted) take_along(flow, z_motions, z);
    memcpy(z_motions + n, r_motions + n, flow->links.at.count * sizeof *z_motions);
    flow_solve_links(flow, z_motions + n);
    if (!columns) return;
    columns_subtract(flow, flow->lift, size, z_motions, z);
    columns_dot(flow, flow->reply, cells, r_l, dots);
    cholesky_solve(flow->pressure_factor, n, dots);
    columns_subtract(flow, flow->reply, cells, dots, z_l);
}

Preconditioner flow_preconditioner(CoupledFlow *flow) {
    return (Preconditioner){flow, precondition, poisson_precondition_applications(flow->poisson)};
}
