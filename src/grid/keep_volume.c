#include "grid/keep_volume.h"

#include "base/parallel.h"
#include "grid/liquid_part.h"
#include "grid/particle_parts.h"

#include <math.h>
#include <string.h>

enum { ROW_GRAIN = 4 };

static void for_rows(const Grid *grid, int threads, ParallelBody body, void *user) {
    parallel_for(threads, (size_t)grid->n[1] * (size_t)grid->n[2], ROW_GRAIN, body, user);
}

/* ---- smoothing ---- */

typedef struct SmoothJob {
    const Grid *grid;
    int axis;
    const double *open; /* of faces across the axis; NULL: all are */
    const double *in;
    double *out;
} SmoothJob;

static void smooth_row(const double *restrict low, const double *restrict own,
                       const double *restrict high, int count, double *restrict out) {
    for (int i = 0; i < count; i++) out[i] = 0.5 * own[i] + 0.25 * (low[i] + high[i]);
}

/* The cell before (-1) or after (1) another along an axis; at a side the cell itself. */
static int beside(const Grid *grid, int axis, int at, int step) {
    int n = grid->n[axis], to = at + step;
    if (to >= 0 && to < n) return to;
    return grid_is_periodic(grid, axis) ? (to + n) % n : at;
}

static void smooth_rows(void *user, size_t begin, size_t end) {
    const SmoothJob *job = user;
    const Grid *grid = job->grid;
    int n = grid->n[0];
    for (size_t row = begin; row < end; row++) {
        int at[2][3] = {{0, (int)(row % (size_t)grid->n[1]), (int)(row / (size_t)grid->n[1])}};
        memcpy(at[1], at[0], sizeof at[0]);
        const double *own = job->in + row * (size_t)n;
        double *out = job->out + row * (size_t)n;
        if (job->axis == 0) {
            if (n > 2) smooth_row(own, own + 1, own + 2, n - 2, out + 1);
            for (int i = 0; i<n; i += n> 1 ? n - 1 : 1)
                out[i] = 0.5 * own[i] +
                         0.25 * (own[beside(grid, 0, i, -1)] + own[beside(grid, 0, i, 1)]);
            continue;
        }
        for (int end_of = 0; end_of < 2; end_of++)
            at[end_of][job->axis] = beside(grid, job->axis, at[end_of][job->axis], end_of ? 1 : -1);
        smooth_row(job->in + grid_cell_index(grid, 0, at[0][1], at[0][2]), own,
                   job->in + grid_cell_index(grid, 0, at[1][1], at[1][2]), n, out);
    }
}

/* The same through the open parts of faces alone. */
static void smooth_open_rows(void *user, size_t begin, size_t end) {
    const SmoothJob *job = user;
    const Grid *grid = job->grid;
    int axis = job->axis;
    for (size_t row = begin; row < end; row++) {
        int at[3] = {0, (int)(row % (size_t)grid->n[1]), (int)(row / (size_t)grid->n[1])};
        for (; at[0] < grid->n[0]; at[0]++) {
            size_t cell = grid_cell_index(grid, at[0], at[1], at[2]);
            double sum = 0;
            for (int high = 0; high < 2; high++) {
                int next[3] = {at[0], at[1], at[2]}, face[3] = {at[0], at[1], at[2]};
                next[axis] = beside(grid, axis, at[axis], high ? 1 : -1);
                face[axis] += high;
                sum += job->open[grid_face_index(grid, axis, face[0], face[1], face[2])] *
                       (job->in[grid_cell_index(grid, next[0], next[1], next[2])] - job->in[cell]);
            }
            job->out[cell] = job->in[cell] + 0.25 * sum;
        }
    }
}

/* Smooths by (1, 2, 1) / 4 along each axis, `passes` times. Between any two cells the weight is the
 * same both ways, and the weights of a cell add up to 1. `work` is as long as `values`. With `open`
 * not NULL nothing goes through closed parts of faces. */
static void smooth(const Grid *grid, double *const *open, int passes, int threads, double *values,
                   double *work) {
    double *from = values, *to = work;
    for (int pass = 0; pass < passes; pass++)
        for (int axis = 0; axis < grid->dim; axis++) {
            SmoothJob job = {grid, axis, open ? open[axis] : NULL, from, to};
            for_rows(grid, threads, job.open ? smooth_open_rows : smooth_rows, &job);
            double *swap = from;
            from = to;
            to = swap;
        }
    if (from != values) memcpy(values, from, grid_cell_count(grid) * sizeof *values);
}

/* ---- what flows through faces ---- */

/* Points of the swept volume along an edge of the face, and most along the sweep. */
enum { ACROSS = 2, MOST_ALONG = 16 };

typedef struct FluxJob {
    const VolumeFlow *flow;
    const GridField *phi;
    ParticlePlan plan;
    const double *parts; /* now */
    const double *near;  /* of cells: 0 or 1 when the surface is far away */
    int axis;
    double *flux[3]; /* of faces: what passes in dt, over the volume of a cell */
    double *predicted;
} FluxJob;

static bool is_near(const FluxJob *job, size_t cell) {
    return job->near[cell] > 0 && job->near[cell] < 1;
}

/* Linear interpolation finds a phi that bends too great, on average by h^2 / 12 of its Laplacian; a
 * ball of radius 4 cells would lag by a fortieth of its way. Kinks bend more than this and count
 * for nothing. */
static double excess_of_bends(const ParticlePlan *plan, Vec3 middle) {
    const double kink = 0.7; /* cells */
    double position[9], at[3][TRACE_BLOCK], phi[3], sum = 0, h = plan->spacing;
    for (int axis = 0; axis < plan->dim; axis++) {
        for (int i = 0; i < 3; i++)
            vec3_store(position + 3 * i, vec3_add_scaled(middle, (i - 1) * h, vec3_axis(axis)));
        double x = (position[3 + axis] - plan->origin[axis]) / h;
        bool wraps = plan->sides[axis][0] == SIDE_PERIODIC;
        if (!wraps && !(x > 1 && x < plan->cells[axis] - 1)) continue;
        particle_places(plan, position, 3, at);
        particle_sample(&plan->phi, plan->dim, at, 3, phi);
        double bend = phi[0] - 2 * phi[1] + phi[2];
        if (fabs(bend) > kink * h) return 0;
        sum += bend;
    }
    return sum / 12;
}

/* The part of what sweeps through a face with velocity v that is liquid: the volume swept is cut
 * into equal pieces, in each of which the surface is a plane. */
static double liquid_of_sweep(const FluxJob *job, Vec3 middle, Vec3 v) {
    const ParticlePlan *plan = &job->plan;
    double h = plan->spacing, dt = job->flow->dt, reach = vec3_length(v) * dt / h;
    int along = (int)fmin(fmax(ceil(ACROSS * reach), 1), MOST_ALONG), count = 0;
    double position[3 * TRACE_BLOCK], at[3][TRACE_BLOCK], phi[TRACE_BLOCK];
    int b = (job->axis + 1) % plan->dim, c = (job->axis + 2) % 3;
    int number_c = plan->dim == 3 ? ACROSS : 1;
    for (int s = 0; s < along; s++)
        for (int j = 0; j < ACROSS; j++)
            for (int k = 0; k < number_c; k++) {
                Vec3 x = vec3_add_scaled(middle, -dt * (s + 0.5) / along, v);
                x = vec3_add_scaled(x, h * ((j + 0.5) / ACROSS - 0.5), vec3_axis(b));
                if (number_c > 1)
                    x = vec3_add_scaled(x, h * ((k + 0.5) / ACROSS - 0.5), vec3_axis(c));
                vec3_store(position + 3 * count++, x);
            }
    particle_places(plan, position, count, at);
    particle_sample(&plan->phi, plan->dim, at, count, phi);
    Vec3 normal;
    Vec3 center = vec3_add_scaled(middle, -0.5 * dt, v);
    particle_sample_one(plan, &plan->phi, center, &normal);
    double excess = excess_of_bends(plan, center);
    double width = fabs(vec3_dot(normal, v)) * dt / along;
    width += fabs(vec3_component(normal, b)) * h / ACROSS;
    if (number_c > 1) width += fabs(vec3_component(normal, c)) * h / ACROSS;
    width = fmax(width, 0.01 * h);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += fmin(fmax(0.5 - (phi[i] - excess) / width, 0), 1);
    return sum / count;
}

static double mean_at_face(const GridField *u, int axis, int other, const int at[3]) {
    double sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        int to[3] = {at[0], at[1], at[2]};
        to[axis] -= corner & 1;
        to[other] += corner >> 1;
        sum += u->data[field_index(u, to[0], to[1], to[2])];
    }
    return 0.25 * sum;
}

static double flux_of_face(const FluxJob *job, const int at[3]) {
    const Grid *grid = &job->phi->grid;
    int axis = job->axis, low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
    const GridField *u = job->flow->velocity[axis];
    double v[3] = {0, 0, 0}, speed = u->data[field_index(u, at[0], at[1], at[2])];
    const double *open = job->flow->open ? job->flow->open[axis] : NULL;
    if (open) speed *= open[grid_face_index(grid, axis, at[0], at[1], at[2])];
    if (speed == 0) return 0;
    int n = grid->n[axis];
    bool wraps = grid_is_periodic(grid, axis);
    if (!wraps && at[axis] % n == 0 && grid->sides[axis][at[axis] > 0] == SIDE_WALL) return 0;
    low[axis]--;
    if (low[axis] < 0) low[axis] = wraps ? n - 1 : 0;
    if (high[axis] >= n) high[axis] = wraps ? 0 : n - 1;
    size_t below = grid_cell_index(grid, low[0], low[1], low[2]);
    size_t above = grid_cell_index(grid, high[0], high[1], high[2]);
    double amount = speed * job->flow->dt / grid->spacing;
    if (!is_near(job, below) && !is_near(job, above))
        return amount * job->parts[speed > 0 ? below : above];
    for (int other = 0; other < grid->dim; other++)
        v[other] = other == axis ? u->data[field_index(u, at[0], at[1], at[2])]
                                 : mean_at_face(job->flow->velocity[other], axis, other, at);
    double x[3];
    vec3_store(x, grid->origin);
    for (int other = 0; other < grid->dim; other++)
        x[other] += (at[other] + (other == axis ? 0.0 : 0.5)) * grid->spacing;
    return amount * liquid_of_sweep(job, vec3_load(x), vec3_load(v));
}

static void flux_rows(void *user, size_t begin, size_t end) {
    const FluxJob *job = user;
    const Grid *grid = &job->phi->grid;
    int n[3];
    for (int a = 0; a < 3; a++) n[a] = grid_place_size(grid, grid_place_faces(job->axis), a);
    for (size_t row = begin; row < end; row++) {
        int at[3] = {0, (int)(row % (size_t)n[1]), (int)(row / (size_t)n[1])};
        for (; at[0] < n[0]; at[0]++)
            job->flux[job->axis][grid_face_index(grid, job->axis, at[0], at[1], at[2])] =
                flux_of_face(job, at);
    }
}

/* What flows out of a cell in dt altogether, over its volume: where there are sources, what they
 * make. */
static double outflow(const FluxJob *job, const int at[3]) {
    const Grid *grid = &job->phi->grid;
    double sum = 0;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            int face[3] = {at[0], at[1], at[2]};
            face[axis] += end;
            const GridField *u = job->flow->velocity[axis];
            const double *open = job->flow->open ? job->flow->open[axis] : NULL;
            double speed = u->data[field_index(u, face[0], face[1], face[2])];
            if (open) speed *= open[grid_face_index(grid, axis, face[0], face[1], face[2])];
            sum += end ? speed : -speed;
        }
    return sum * job->flow->dt / grid->spacing;
}

static void predict_rows(void *user, size_t begin, size_t end) {
    const FluxJob *job = user;
    const Grid *grid = &job->phi->grid;
    for (size_t row = begin; row < end; row++) {
        int at[3] = {0, (int)(row % (size_t)grid->n[1]), (int)(row / (size_t)grid->n[1])};
        for (; at[0] < grid->n[0]; at[0]++) {
            size_t cell = grid_cell_index(grid, at[0], at[1], at[2]);
            double part = job->parts[cell];
            if (is_near(job, cell)) {
                for (int axis = 0; axis < grid->dim; axis++) {
                    int next[3] = {at[0], at[1], at[2]};
                    next[axis]++;
                    part += job->flux[axis][grid_face_index(grid, axis, at[0], at[1], at[2])] -
                            job->flux[axis][grid_face_index(grid, axis, next[0], next[1], next[2])];
                }
                if (job->flow->has_sources && job->parts[cell] > 0.5)
                    part += job->parts[cell] * outflow(job, at);
            }
            job->predicted[cell] = part;
        }
    }
}

static double fastest(const VolumeFlow *flow, int dim) {
    double most = 0;
    for (int axis = 0; axis < dim; axis++) {
        const GridField *u = flow->velocity[axis];
        for (int k = 0; k < u->n[2]; k++)
            for (int j = 0; j < u->n[1]; j++)
                for (int i = 0; i < u->n[0]; i++)
                    if (fabs(u->data[field_index(u, i, j, k)]) > most)
                        most = fabs(u->data[field_index(u, i, j, k)]);
    }
    return most;
}

static PlimStatus predict(FluxJob *job, double *now, double *near) {
    const VolumeFlow *flow = job->flow;
    const Grid *grid = &job->phi->grid;
    size_t cells = grid_cell_count(grid);
    double *work = scratch_take(flow->scratch, cells, sizeof *work);
    if (!now || !near || !work) return PLIM_OUT_OF_MEMORY;
    for (int axis = 0; axis < grid->dim; axis++) {
        job->flux[axis] = scratch_take(flow->scratch, grid_face_count(grid, axis), sizeof(double));
        if (!job->flux[axis]) return PLIM_OUT_OF_MEMORY;
    }
    liquid_parts(job->phi, flow->solid, flow->threads, now);
    int reach = 1 + (int)ceil(fastest(flow, grid->dim) * flow->dt / grid->spacing);
    memcpy(near, now, cells * sizeof *near);
    for (size_t i = 0; flow->loose && i < cells; i++)
        if (flow->loose[i]) near[i] = 0.5;
    smooth(grid, NULL, reach, flow->threads, near, work);
    job->parts = now;
    job->near = near;
    for (job->axis = 0; job->axis < grid->dim; job->axis++) {
        GridPlace place = grid_place_faces(job->axis);
        size_t rows =
            (size_t)grid_place_size(grid, place, 1) * (size_t)grid_place_size(grid, place, 2);
        parallel_for(flow->threads, rows, ROW_GRAIN, flux_rows, job);
    }
    for_rows(grid, flow->threads, predict_rows, job);
    return PLIM_OK;
}

PlimStatus volume_predict(const VolumeFlow *flow, const GridField *phi, double *parts) {
    size_t cells = grid_cell_count(&phi->grid), mark = scratch_mark(flow->scratch);
    GridField surface = *phi;
    ParticleLevelSet set = {.phi = &surface};
    FluxJob job = {.flow = flow, .phi = phi, .plan = particle_plan(&set, NULL), .predicted = parts};
    double *now = scratch_take(flow->scratch, cells, sizeof *now);
    double *near = scratch_take(flow->scratch, cells, sizeof *near);
    PlimStatus status = predict(&job, now, near);
    scratch_release(flow->scratch, mark);
    return status;
}

/* ---- the level set shifted ---- */

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
    liquid_parts_moved(job->phi, job->flow->solid, (double[3]){0, way, -way}, job->flow->threads,
                       (double *[3]){job->now, job->gain, job->work});
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

static void fill_halo(const VolumeFlow *flow, GridField *phi) {
    if (flow->fill_halo)
        flow->fill_halo(flow->user, phi, flow->threads);
    else
        field_fill_halo(phi, flow->threads);
}

static void shift_rows(void *user, size_t begin, size_t end) {
    const ShiftJob *job = user;
    GridField *phi = job->phi;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)phi->n[1]), k = (int)(row / (size_t)phi->n[1]);
        double *values = phi->data + field_index(phi, 0, j, k);
        for (int i = 0; i < phi->n[0]; i++)
            values[i] -= phi->grid.spacing * shift_at(job, (int[3]){i, j, k});
    }
}

static void shift_phi(ShiftJob *job) {
    size_t rows = (size_t)job->phi->n[1] * (size_t)job->phi->n[2];
    parallel_for(job->flow->threads, rows, ROW_GRAIN, shift_rows, job);
    fill_halo(job->flow, job->phi);
}

/* Solids that move are gone around: what is missing outside a hull is not made up for inside it. */
static double *const *around(const ShiftJob *job) {
    return job->flow->solids_move ? job->flow->open : NULL;
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
 * and gains g the shift is K (missing / K g), so that what all cells gain, g times the shift, is
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
    smooth(grid, around(job), passes, threads, job->near_gain, job->work);
    for_cells(job, find_shift);
    smooth(grid, around(job), passes, threads, job->shift, job->work);
    for_cells(job, limit_shift);
    shift_phi(job);
    return PLIM_OK;
}

/* Part of what is missing beside solids that the cells around make up for in a step: what one step
 * sees too much there the next ones see too little. */
static const double PASSED_ON = 0.05;

/* Whether a cell is not cut by a solid nor beside one that is. */
static bool is_clear(const ShiftJob *job, int i, int j, int k) {
    const double near = 1.5; /* cells */
    const Grid *grid = &job->phi->grid;
    size_t nx = (size_t)grid->n[0] + 1, ny = (size_t)grid->n[1] + 1;
    size_t node = ((size_t)k * ny + (size_t)j) * nx + (size_t)i;
    return job->flow->solid[node] >= near * grid->spacing;
}

/* Beside solids that move the level set is not shifted: what goes on into them says little about
 * the liquid, and they are not yet where the fluxes expect them. What is owed there is wanted from
 * the cells around, with weights as in a round. */
static void pass_on_beside_solids(ShiftJob *job, const double *parts, double *owed) {
    enum { PASSES = 4 };
    const Grid *grid = &job->phi->grid;
    size_t cells = grid_cell_count(grid), cell = 0;
    int threads = job->flow->threads;
    double *clear = job->gain, *passed = job->shift;
    liquid_parts(job->phi, job->flow->solid, threads, job->now);
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++, cell++)
                job->near_gain[cell] = clear[cell] = is_clear(job, i, j, k);
    smooth(grid, around(job), PASSES, threads, job->near_gain, job->work);
    for (size_t i = 0; i < cells; i++) {
        bool passes = clear[i] == 0 && job->near_gain[i] > LEAST_AREA;
        passed[i] = passes ? PASSED_ON * owed[i] / job->near_gain[i] : 0;
        if (passes) owed[i] -= PASSED_ON * owed[i];
    }
    smooth(grid, around(job), PASSES, threads, passed, job->work);
    for (size_t i = 0; i < cells; i++) {
        if (clear[i] > 0) {
            job->wanted[i] += passed[i];
        } else {
            owed[i] += parts[i] - job->now[i];
            job->wanted[i] = job->now[i];
        }
    }
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

/* What no round gave back. Beside solids that do not move it is what the level set's going on into
 * them makes, the same in every step: it is no loss. */
static void keep_account(const ShiftJob *job, const double *parts, double *owed) {
    const Grid *grid = &job->phi->grid;
    bool solids = job->flow->solid, move = job->flow->solids_move;
    size_t cell = 0;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++, cell++) {
                double left = job->wanted[cell] - parts[cell];
                if (!solids || is_clear(job, i, j, k))
                    owed[cell] = left;
                else
                    owed[cell] = move ? owed[cell] + left : 0;
            }
}

static PlimStatus restore(ShiftJob *job, double *parts, double *owed) {
    size_t cells = grid_cell_count(&job->phi->grid);
    TRY(take_memory(job));
    memset(job->total, 0, cells * sizeof *job->total);
    for (size_t i = 0; i < cells; i++) job->wanted[i] = parts[i] + owed[i];
    if (job->flow->solid && job->flow->solids_move) pass_on_beside_solids(job, parts, owed);
    bool done = false;
    for (int round = 0; round < ROUNDS && !done; round++)
        TRY(shift_once(job, FIRST_PASSES << round / 2, &done));
    liquid_parts(job->phi, job->flow->solid, job->flow->threads, parts);
    keep_account(job, parts, owed);
    return PLIM_OK;
}

PlimStatus volume_restore(const VolumeFlow *flow, GridField *phi, double *parts, double *owed) {
    size_t mark = scratch_mark(flow->scratch);
    ShiftJob job = {.flow = flow, .phi = phi};
    PlimStatus status = restore(&job, parts, owed);
    scratch_release(flow->scratch, mark);
    return status;
}
