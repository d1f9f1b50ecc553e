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

size_t grid_rows_to_starts(size_t *counts, size_t rows) {
    size_t all = 0;
    for (size_t row = 0; row < rows; row++) {
        size_t count = counts[row];
        counts[row] = all;
        all += count;
    }
    return all;
}
