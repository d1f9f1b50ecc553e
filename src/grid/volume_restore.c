/* Volume correction of a level set: shifts near to where volume fractions differ from those that
 * fluxes predict. */
#include "grid/volume_restore.h"

#include "grid/liquid_fraction.h"
#include "grid/smooth_cells.h"

#include <math.h>

/* Rounds; every other one reaches twice as far, for what is left where no surface is nearer. */
enum { ROUNDS = 8, FIRST_PASSES = 3 };

/* Cells by which phi is moved to see what its parts gain: wide enough for what is about to appear
 * or to vanish to count. With 0.1 a dam break at n = 60 loses twice as much. */
static const double PROBE = 0.3;

/* Area of surface within reach, in faces of a cell, below which there is none. */
static const double LEAST_AREA = 0.02;

/* Cells that phi is shifted by at most. */
static const double FARTHEST = 1.0;

/* Of the liquid: what may be missing, the sum of all cells without regard to sign. */
static const double TOLERANCE = 1e-5;

typedef struct ShiftJob {
    const VolumeFlow *flow;
    GridField *phi;
    double *parts, *deficit; /* as volume_restore was given them */
    /* Of cells: part that should be liquid, that is, how much of it a shift of a cell's width makes
     * liquid, the same smoothed, the shift (cells) now and in all. */
    double *wanted, *now, *gain, *near_gain, *shift, *total, *work;
} ShiftJob;

enum { CELL_GRAIN = 16384 };

static void for_cells(const ShiftJob *job, ParallelBody body) {
    size_t cells = grid_cell_count(&job->phi->grid);
    parallel_for(job->flow->threads, cells, CELL_GRAIN, body, (void *)job);
}

static void find_gain(void *user, size_t begin, size_t end) {
    const ShiftJob *job = user;
    for (size_t i = begin; i < end; i++)
        job->near_gain[i] = job->gain[i] = fmax(job->gain[i] - job->work[i], 0) / (2 * PROBE);
}

/* What is liquid now, and what would be if the surface moved. */
static void look(ShiftJob *job) {
    const double way = PROBE * job->phi->grid.spacing;
    liquid_fractions_moved(job->phi, job->flow->solid, (double[3]){0, way, -way},
                           job->flow->threads, (double *[3]){job->now, job->gain, job->work});
    for_cells(job, find_gain);
}

/* What a value of phi is shifted by: at nodes the mean of the cells around. */
static double shift_at(const ShiftJob *job, const int at[3]) {
    const Grid *grid = &job->phi->grid;
    if (job->phi->place == PLACE_CELLS)
        return job->shift[grid_cell_index(grid, at[0], at[1], at[2])];
    int corners = 1 << grid->dim;
    double sum = 0;
    for (int corner = 0; corner < corners; corner++) {
        int cell[3] = {at[0], at[1], at[2]};
        for (int axis = 0; axis < grid->dim; axis++) {
            int n = grid->n[axis], c = at[axis] - (corner >> axis & 1);
            bool wraps = grid_is_periodic(grid, axis);
            cell[axis] = c < 0 ? (wraps ? n - 1 : 0) : c >= n ? (wraps ? 0 : n - 1) : c;
        }
        sum += job->shift[grid_cell_index(grid, cell[0], cell[1], cell[2])];
    }
    return sum / corners;
}

static PlimStatus go_on(const VolumeFlow *flow, GridField *phi) {
    if (flow->go_on) return flow->go_on(flow->user, phi);
    field_fill_halo(phi, flow->threads);
    return PLIM_OK;
}

static void shift_row(void *user, int j, int k) {
    const ShiftJob *job = user;
    GridField *phi = job->phi;
    double *values = phi->data + field_index(phi, 0, j, k);
    for (int i = 0; i < phi->n[0]; i++)
        values[i] -= phi->grid.spacing * shift_at(job, (int[3]){i, j, k});
}

static PlimStatus shift_phi(ShiftJob *job) {
    grid_for_rows(&job->phi->grid, job->phi->place, job->flow->threads, shift_row, job);
    return go_on(job->flow, job->phi);
}

/* Solids are gone around: what is missing outside a hull is not made up for inside it. */
static double *const *around(const ShiftJob *job) {
    const VolumeFlow *flow = job->flow;
    return flow->solid && !flow->separated ? flow->open : NULL;
}

enum { SUM_MISSING, SUM_ALL, SUMS };

static void add_up(void *user, size_t begin, size_t end, double *sum) {
    const ShiftJob *job = user;
    for (size_t i = begin; i < end; i++) {
        sum[SUM_MISSING] += fabs(job->wanted[i] - job->now[i]);
        sum[SUM_ALL] += job->now[i];
    }
}

static void find_shift(void *user, size_t begin, size_t end) {
    const ShiftJob *job = user;
    for (size_t i = begin; i < end; i++) {
        bool reaches = job->near_gain[i] > LEAST_AREA;
        job->shift[i] = reaches ? (job->wanted[i] - job->now[i]) / job->near_gain[i] : 0;
        if (reaches) job->wanted[i] = job->now[i];
    }
}

static void limit_shift(void *user, size_t begin, size_t end) {
    const ShiftJob *job = user;
    for (size_t i = begin; i < end; i++) {
        job->wanted[i] += job->gain[i] * job->shift[i];
        double total = fmin(fmax(job->total[i] + job->shift[i], -FARTHEST), FARTHEST);
        job->shift[i] = total - job->total[i];
        job->total[i] = total;
    }
}

/* One round. What is missing in a cell goes to the surface around it: with weights K between cells
 * and gains g the shift is K (missing / K^T g), so that what all cells gain, g times the shift, is
 * what was missing in all. What a cell should have gained is wanted from it in the next round: the
 * part that it could not take goes on to others. *done: there was nothing to do. */
static PlimStatus shift_once(ShiftJob *job, int passes, bool *done) {
    const Grid *grid = &job->phi->grid;
    int threads = job->flow->threads;
    double sum[SUMS];
    look(job);
    TRY(parallel_sum(threads, grid_cell_count(grid), SUMS, add_up, job, job->flow->scratch, sum));
    *done = !(sum[SUM_MISSING] > TOLERANCE * sum[SUM_ALL]);
    if (*done) return PLIM_OK;
    cells_smooth(grid, around(job), SMOOTH_BACK, passes, threads, job->near_gain, job->work);
    for_cells(job, find_shift);
    cells_smooth(grid, around(job), SMOOTH_FORTH, passes, threads, job->shift, job->work);
    for_cells(job, limit_shift);
    return shift_phi(job);
}

static size_t node_of(const ShiftJob *job, int i, int j, int k) {
    const int *n = job->phi->grid.n;
    return ((size_t)k * (size_t)(n[1] + 1) + (size_t)j) * (size_t)(n[0] + 1) + (size_t)i;
}

/* Whether a cell is not cut by a solid nor beside one that is. */
static bool is_clear(const ShiftJob *job, int i, int j, int k) {
    const double near = 1.5; /* cells */
    return job->flow->solid[node_of(job, i, j, k)] >= near * job->phi->grid.spacing;
}

/* Takes out of the deficits what no surface in reach takes, beside solids that move. */
static void take_stuck_row(void *user, int j, int k) {
    const ShiftJob *job = user;
    const VolumeFlow *flow = job->flow;
    size_t cell = grid_cell_index(&job->phi->grid, 0, j, k);
    for (int i = 0; i < job->phi->grid.n[0]; i++, cell++) {
        size_t node = node_of(job, i, j, k);
        bool by_mover = !is_clear(job, i, j, k) && flow->solid[node] < flow->obstacles[node];
        bool stuck = by_mover && !(job->near_gain[cell] > LEAST_AREA);
        job->now[cell] = stuck ? job->deficit[cell] : 0;
        if (stuck) job->deficit[cell] = 0;
    }
}

static void give_stuck(void *user, size_t begin, size_t end) {
    const ShiftJob *job = user;
    for (size_t i = begin; i < end; i++) job->deficit[i] += job->now[i];
}

static void pass_on_stuck(const ShiftJob *job) {
    const Grid *grid = &job->phi->grid;
    int threads = job->flow->threads;
    grid_for_rows(grid, PLACE_CELLS, threads, take_stuck_row, (void *)job);
    cells_smooth(grid, NULL, SMOOTH_FORTH, 4, threads, job->now, job->work);
    for_cells(job, give_stuck);
}

static PlimStatus take_memory(ShiftJob *job) {
    Scratch *scratch = job->flow->scratch;
    size_t cells = grid_cell_count(&job->phi->grid);
    double **arrays[7] = {&job->wanted, &job->now,   &job->gain, &job->near_gain,
                          &job->shift,  &job->total, &job->work};
    for (int i = 0; i < 7; i++) {
        *arrays[i] = scratch_take(scratch, cells, sizeof(double));
        if (!*arrays[i]) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

/* What no round gave back. Beside walls that liquid lets go of it is what the level set's going on
 * into them makes, and no loss. */
static void keep_account_row(void *user, int j, int k) {
    const ShiftJob *job = user;
    bool lets_go = job->flow->separated && job->flow->solid;
    size_t cell = grid_cell_index(&job->phi->grid, 0, j, k);
    for (int i = 0; i < job->phi->grid.n[0]; i++, cell++) {
        bool forgets = lets_go && !is_clear(job, i, j, k);
        job->deficit[cell] = forgets ? 0 : job->wanted[cell] - job->parts[cell];
    }
}

static void find_wanted(void *user, size_t begin, size_t end) {
    const ShiftJob *job = user;
    for (size_t i = begin; i < end; i++) {
        job->wanted[i] = job->parts[i] + job->deficit[i];
        job->total[i] = 0;
    }
}

static PlimStatus restore(ShiftJob *job) {
    TRY(take_memory(job));
    for_cells(job, find_wanted);
    TRY(go_on(job->flow, job->phi));
    bool done = false;
    for (int round = 0; round < ROUNDS && !done; round++)
        TRY(shift_once(job, FIRST_PASSES << round / 2, &done));
    liquid_fractions(job->phi, job->flow->solid, job->flow->threads, job->parts);
    grid_for_rows(&job->phi->grid, PLACE_CELLS, job->flow->threads, keep_account_row, job);
    if (!done && job->flow->solid && job->flow->obstacles) pass_on_stuck(job);
    return PLIM_OK;
}

PlimStatus volume_restore(const VolumeFlow *flow, GridField *phi, double *parts, double *deficit) {
    size_t mark = scratch_mark(flow->scratch);
    ShiftJob job = {.flow = flow, .phi = phi, .parts = parts, .deficit = deficit};
    PlimStatus status = restore(&job);
    scratch_release(flow->scratch, mark);
    return status;
}
