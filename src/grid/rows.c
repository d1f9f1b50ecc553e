/* Parallel loops over rows of values on a grid, and where values are. */
#include "grid/rows.h"

Vec3 grid_position(const Grid *grid, GridPlace place, int i, int j, int k) {
    int at[3] = {i, j, k};
    double shift[3];
    for (int axis = 0; axis < 3; axis++) {
        bool ends = grid_place_on_ends(grid, place, axis);
        if (ends && grid_is_periodic(grid, axis)) at[axis] %= grid->n[axis];
        shift[axis] = ends ? -0.5 * grid->spacing : 0;
    }
    return vec3_add(grid_cell_center(grid, at[0], at[1], at[2]),
                    vec3(shift[0], shift[1], shift[2]));
}

typedef struct RowJob {
    GridRow body;
    void *user;
    size_t ny;
} RowJob;

static void run_rows(void *user, size_t begin, size_t end) {
    const RowJob *job = user;
    for (size_t row = begin; row < end; row++)
        job->body(job->user, (int)(row % job->ny), (int)(row / job->ny));
}

void grid_for_rows(const Grid *grid, GridPlace place, int threads, GridRow body, void *user) {
    enum { GRAIN = 8 };
    RowJob job = {body, user, (size_t)grid_place_size(grid, place, 1)};
    parallel_for(threads, grid_row_count(grid, place), GRAIN, run_rows, &job);
}

/* ---- lists ---- */

typedef struct GatherJob {
    const Grid *grid;
    GridPlace place;
    GridTest test;
    const void *user;
    unsigned char *is_in; /* of values */
    size_t *starts;       /* of rows: how many they have, then where these go in the list */
    size_t *items;
} GatherJob;

static void count_row(void *user, int j, int k) {
    const GatherJob *job = user;
    int n = grid_place_size(job->grid, job->place, 0);
    unsigned char *is_in = job->is_in + grid_row_start(job->grid, job->place, j, k);
    size_t count = 0;
    for (int i = 0; i < n; i++) {
        is_in[i] = job->test(job->user, i, j, k);
        count += is_in[i];
    }
    job->starts[grid_row(job->grid, job->place, j, k)] = count;
}

static void list_row(void *user, int j, int k) {
    const GatherJob *job = user;
    size_t first = grid_row_start(job->grid, job->place, j, k);
    size_t last = first + (size_t)grid_place_size(job->grid, job->place, 0);
    size_t *to = job->items + job->starts[grid_row(job->grid, job->place, j, k)];
    for (size_t value = first; value < last; value++)
        if (job->is_in[value]) *to++ = value;
}

static size_t counts_to_starts(size_t *counts, size_t rows) {
    size_t all = 0;
    for (size_t row = 0; row < rows; row++) {
        size_t count = counts[row];
        counts[row] = all;
        all += count;
    }
    return all;
}

PlimStatus grid_gather(const Grid *grid, GridPlace place, int threads, GridTest test,
                       const void *user, Scratch *scratch, GridList *out) {
    size_t rows = grid_row_count(grid, place);
    GatherJob job = {.grid = grid, .place = place, .test = test, .user = user};
    job.is_in = scratch_take(scratch, grid_place_count(grid, place), 1);
    job.starts = scratch_take(scratch, rows, sizeof *job.starts);
    if (!job.is_in || !job.starts) return PLIM_OUT_OF_MEMORY;
    grid_for_rows(grid, place, threads, count_row, &job);
    out->count = counts_to_starts(job.starts, rows);
    job.items = scratch_take(scratch, out->count + 1, sizeof *job.items);
    if (!job.items) return PLIM_OUT_OF_MEMORY;
    grid_for_rows(grid, place, threads, list_row, &job);
    out->items = job.items;
    return PLIM_OK;
}
