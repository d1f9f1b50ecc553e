/* Binomial smoothing of cell values, (1, 2, 1) / 4 along each axis. */
#include "grid/smooth_cells.h"

#include <string.h>

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

/* The same through the open parts of the faces below and above. */
static void smooth_open_row(const double *restrict low, const double *restrict own,
                            const double *restrict high, const double *restrict open_low,
                            const double *restrict open_high, int count, double *restrict out) {
    for (int i = 0; i < count; i++)
        out[i] = own[i] +
                 0.25 * (0.0 + open_low[i] * (low[i] - own[i]) + open_high[i] * (high[i] - own[i]));
}

/* The cell before (-1) or after (1) another along an axis; at a side the cell itself. */
static int beside(const Grid *grid, int axis, int at, int step) {
    int n = grid->n[axis], to = at + step;
    if (to >= 0 && to < n) return to;
    return grid_is_periodic(grid, axis) ? (to + n) % n : at;
}

/* Where the values of cells beside one another along x are, of those before and after them along
 * the axis, and of the faces below and above. */
typedef struct SmoothRun {
    size_t own, low, high, face, face_above;
} SmoothRun;

static void smooth_run(const SmoothJob *job, SmoothRun at, int count) {
    const double *low = job->in + at.low, *own = job->in + at.own, *high = job->in + at.high;
    double *out = job->out + at.own;
    if (job->open)
        smooth_open_row(low, own, high, job->open + at.face, job->open + at.face_above, count, out);
    else
        smooth_row(low, own, high, count, out);
}

static SmoothRun run_from(const Grid *grid, int axis, int i, int j, int k) {
    int cell[3] = {i, j, k}, low[3] = {i, j, k}, high[3] = {i, j, k};
    low[axis] = beside(grid, axis, cell[axis], -1);
    high[axis] = beside(grid, axis, cell[axis], 1);
    cell[axis]++;
    return (SmoothRun){.own = grid_cell_index(grid, i, j, k),
                       .low = grid_cell_index(grid, low[0], low[1], low[2]),
                       .high = grid_cell_index(grid, high[0], high[1], high[2]),
                       .face = grid_face_index(grid, axis, i, j, k),
                       .face_above = grid_face_index(grid, axis, cell[0], cell[1], cell[2])};
}

static void smooth_cells_of_row(void *user, int j, int k) {
    const SmoothJob *job = user;
    int n = job->grid->n[0];
    if (job->axis > 0) {
        smooth_run(job, run_from(job->grid, job->axis, 0, j, k), n);
        return;
    }
    if (n > 2) smooth_run(job, run_from(job->grid, 0, 1, j, k), n - 2);
    smooth_run(job, run_from(job->grid, 0, 0, j, k), 1);
    if (n > 1) smooth_run(job, run_from(job->grid, 0, n - 1, j, k), 1);
}

void cells_smooth(const Grid *grid, double *const *open, SmoothOrder order, int passes, int threads,
                  double *values, double *work) {
    double *from = values, *to = work;
    for (int pass = 0; pass < passes; pass++)
        for (int turn = 0; turn < grid->dim; turn++) {
            int axis = order == SMOOTH_FORTH ? turn : grid->dim - 1 - turn;
            SmoothJob job = {grid, axis, open ? open[axis] : NULL, from, to};
            grid_for_rows(grid, PLACE_CELLS, threads, smooth_cells_of_row, &job);
            double *swap = from;
            from = to;
            to = swap;
        }
    if (from != values) memcpy(values, from, grid_cell_count(grid) * sizeof *values);
}
