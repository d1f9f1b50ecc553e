/* Figures of the fluid for stats.csv. */
#include "base/parallel.h"
#include "fluid/fluid.h"

double fluid_greatest_velocity(const Fluid *fluid) {
    double greatest = 0;
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        const double *velocity = fluid_velocity(fluid, axis);
        size_t count = fluid->sizes[FLUID_GROUP_FACES_X + axis].count;
        for (size_t i = 0; i < count; i++) greatest = fmax(greatest, fabs(velocity[i]));
    }
    return greatest;
}

/* The faces below and above a cell. */
static void faces_of(const Fluid *fluid, size_t cell, int axis, double velocity[2]) {
    const Grid *grid = &fluid->grid;
    size_t nx = (size_t)grid->n[0], ny = (size_t)grid->n[1];
    int at[3] = {(int)(cell % nx), (int)(cell / nx % ny), (int)(cell / nx / ny)};
    const double *values = fluid_velocity(fluid, axis);
    velocity[0] = values[grid_face_index(grid, axis, at[0], at[1], at[2])];
    at[axis]++;
    velocity[1] = values[grid_face_index(grid, axis, at[0], at[1], at[2])];
}

/* Half of the fluid between the middles of two cells belongs to each: a face on an open side moves
 * half a cell of it, and the two layers of a periodic side one together. */
static void sum_energy(void *user, size_t begin, size_t end, double *sum) {
    const Fluid *fluid = user;
    for (size_t cell = begin; cell < end; cell++) {
        if (fluid->kind[cell] != CELL_FLUID) continue;
        for (int axis = 0; axis < fluid->grid.dim; axis++) {
            double v[2];
            faces_of(fluid, cell, axis, v);
            sum[0] += v[0] * v[0] + v[1] * v[1];
        }
    }
}

/* The greatest net outflow of a cell per volume, 1/s. */
static double greatest_divergence(const Fluid *fluid) {
    double greatest = 0;
    for (size_t cell = 0; cell < fluid->sizes[FLUID_GROUP_CELLS].count; cell++) {
        if (fluid->kind[cell] != CELL_FLUID) continue;
        double outflow = 0;
        for (int axis = 0; axis < fluid->grid.dim; axis++) {
            double v[2];
            faces_of(fluid, cell, axis, v);
            outflow += v[1] - v[0];
        }
        greatest = fmax(greatest, fabs(outflow));
    }
    return greatest / fluid->grid.spacing;
}

PlimStatus fluid_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics) {
    const Fluid *fluid = system;
    double squares;
    TRY(parallel_sum(step->threads, fluid->sizes[FLUID_GROUP_CELLS].count, 1, sum_energy,
                     (void *)(uintptr_t)fluid, step->scratch, &squares));
    double volume = grid_cell_volume(&fluid->grid);
    diagnostics_add(diagnostics, "energy.kinetic", 0.25 * fluid->density * volume * squares);
    diagnostics_add(diagnostics, "divergence.max", greatest_divergence(fluid));
    diagnostics_add(diagnostics, "solve.pressure.iterations", fluid->solved.iterations);
    diagnostics_add(diagnostics, "solve.pressure.residual", fluid->solved.last_residual);
    return PLIM_OK;
}
