/* Thin gaps: cells between a free body and something else that is less than a cell away.
 *
 * Such a cell is open to others through slits alone. What a body squeezes out of it would have to
 * pass them at many times the body's speed, and the inertia of that, growing as one over the gap,
 * stops the body as no fluid does: the flow in the gap is not resolved. The cell is closed instead,
 * and moves with the nearest surface; what the film does resist is lubrication
 * (couple/lubrication.c). */
#include "fluid/coupled.h"
#include "fluid/internal.h"

typedef struct GapJob {
    Fluid *fluid;
    unsigned char *is_thin; /* of cells; 2: left with slits */
} GapJob;

static bool is_near_solid(const Fluid *fluid, const int cell[3]) {
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {cell[0], cell[1], cell[2]};
            at[axis] += end;
            size_t face = grid_face_index(&fluid->grid, axis, at[0], at[1], at[2]);
            if (fluid->cut.open[axis][face] < 1) return true;
        }
    return false;
}

/* From the nearest wall of the domain, m; HUGE_VAL where there is none. */
static double wall_distance(const Grid *grid, const int cell[3]) {
    double least = HUGE_VAL;
    for (int axis = 0; axis < grid->dim; axis++) {
        if (grid->sides[axis][0] == SIDE_WALL) least = fmin(least, cell[axis] + 0.5);
        if (grid->sides[axis][1] == SIDE_WALL)
            least = fmin(least, grid->n[axis] - cell[axis] - 0.5);
    }
    return least * grid->spacing;
}

static void find_row(void *user, int j, int k) {
    const GapJob *job = user;
    const Fluid *fluid = job->fluid;
    const Grid *grid = &fluid->grid;
    for (int i = 0; i < grid->n[0]; i++) {
        int cell[3] = {i, j, k};
        size_t index = grid_cell_index(grid, i, j, k);
        job->is_thin[index] = 0;
        if (!is_near_solid(fluid, cell)) continue;
        ImmersedGap gap = immersed_gap(&fluid->colliders, grid_cell_center(grid, i, j, k));
        bool of_two = gap.has_free && gap.least + gap.second < grid->spacing;
        bool of_wall = gap.first_is_free && gap.least + wall_distance(grid, cell) < grid->spacing;
        job->is_thin[index] = of_two || of_wall;
    }
}

static void close_row(void *user, int j, int k) {
    const GapJob *job = user;
    Fluid *fluid = job->fluid;
    const Grid *grid = &fluid->grid;
    for (int i = 0; i < grid->n[0]; i++) {
        if (!job->is_thin[grid_cell_index(grid, i, j, k)]) continue;
        for (int axis = 0; axis < grid->dim; axis++)
            for (int end = 0; end < 2; end++) {
                int at[3] = {i, j, k};
                at[axis] += end;
                size_t face = grid_face_index(grid, axis, at[0], at[1], at[2]);
                fluid->cut.open[axis][face] = 0;
                double *held = fluid->cut.face_distance[axis];
                if (held) held[face] = fmin(held[face], -1e-9 * grid->spacing);
            }
    }
}

/* Cells that are left with slits alone are of the gap, too. */
static void find_slits(void *user, int j, int k) {
    const GapJob *job = user;
    const Fluid *fluid = job->fluid;
    const Grid *grid = &fluid->grid;
    const double slit = 0.2;
    for (int i = 0; i < grid->n[0]; i++) {
        int cell[3] = {i, j, k};
        bool beside = false;
        double widest = 0;
        for (int axis = 0; axis < grid->dim; axis++)
            for (int end = 0; end < 2; end++) {
                int at[3] = {i, j, k}, next[3] = {i, j, k};
                at[axis] += end;
                next[axis] += end ? 1 : -1;
                size_t face = grid_face_index(grid, axis, at[0], at[1], at[2]);
                widest = fmax(widest, fluid->cut.open[axis][face]);
                if (next[axis] >= 0 && next[axis] < grid->n[axis])
                    beside = beside ||
                             job->is_thin[grid_cell_index(grid, next[0], next[1], next[2])] > 0;
            }
        unsigned char *own = &job->is_thin[grid_cell_index(grid, cell[0], cell[1], cell[2])];
        if (*own == 0 && beside && widest < slit) *own = 2;
    }
}

PlimStatus fluid_close_thin_gaps(Fluid *fluid, const StepInfo *step) {
    enum { PASSES = 3 };
    GapJob job = {.fluid = fluid};
    if (!fluid->coupled.solver || !fluid_solves_for_bodies(fluid)) return PLIM_OK;
    size_t mark = scratch_mark(step->scratch);
    job.is_thin = scratch_take(step->scratch, grid_cell_count(&fluid->grid), 1);
    if (!job.is_thin) return PLIM_OUT_OF_MEMORY;
    grid_for_rows(&fluid->grid, PLACE_CELLS, fluid->context->threads, find_row, &job);
    grid_for_rows(&fluid->grid, PLACE_CELLS, 1, close_row, &job); /* cells share faces */
    for (int pass = 0; pass < PASSES; pass++) { /* what is closed leaves others with slits */
        grid_for_rows(&fluid->grid, PLACE_CELLS, 1, find_slits, &job);
        grid_for_rows(&fluid->grid, PLACE_CELLS, 1, close_row, &job);
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}
