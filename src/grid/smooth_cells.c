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

void cells_smooth(const Grid *grid, double *const *open, int passes, int threads, double *values,
                  double *work) {
    double *from = values, *to = work;
    for (int pass = 0; pass < passes; pass++)
        for (int axis = 0; axis < grid->dim; axis++) {
            SmoothJob job = {grid, axis, open ? open[axis] : NULL, from, to};
            cell_rows(grid, threads, job.open ? smooth_open_rows : smooth_rows, &job);
            double *swap = from;
            from = to;
            to = swap;
        }
    if (from != values) memcpy(values, from, grid_cell_count(grid) * sizeof *values);
}
