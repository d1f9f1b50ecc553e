/* Momentum of drops that land in a liquid: what they carry beyond that of the liquid where they
 * land goes to the faces around, before the pressure is found. */
#include "fluid/internal.h"

#include <math.h>
#include <string.h>

void fluid_forget_landed(Fluid *fluid) {
    size_t bytes = grid_cell_count(&fluid->grid) * sizeof(double);
    if (!fluid->liquid.landed_volume) return;
    memset(fluid->liquid.landed_volume, 0, bytes);
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        memset(fluid->liquid.landed_push[axis], 0, bytes);
}

static bool is_pushed(const Fluid *fluid, int axis, const int face[3]) {
    return fluid_face_is_wet(fluid, axis, face) &&
           !fluid_is_on_given_side(&fluid->grid, axis, face[axis]);
}

/* The cell on one side of a face, and the part of what landed there that the face takes: half, or
 * all where the other face takes none. False: there is no cell. */
static bool cell_beside(const Fluid *fluid, int axis, const int face[3], int above, size_t *cell,
                        double *share) {
    const Grid *grid = &fluid->grid;
    int at[3] = {face[0], face[1], face[2]}, other[3] = {face[0], face[1], face[2]};
    at[axis] += above - 1;
    if (grid_is_periodic(grid, axis)) at[axis] = (at[axis] + grid->n[axis]) % grid->n[axis];
    if (at[axis] < 0 || at[axis] >= grid->n[axis]) return false;
    other[axis] = at[axis] + above;
    *cell = grid_cell_index(grid, at[0], at[1], at[2]);
    *share = is_pushed(fluid, axis, other) ? 0.5 : 1;
    return true;
}

/* What landed joins what is there: u += V (v - u) / m, m no less than V, never past the drop's. */
static void push_row(void *user, int j, int k) {
    const FluidAxis *job = user;
    Fluid *fluid = job->fluid;
    int axis = job->axis, nx = grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    double *u = fluid_velocity(fluid, axis) + grid_face_index(&fluid->grid, axis, 0, j, k);
    for (int i = 0; i < nx; i++) {
        int face[3] = {i, j, k};
        double push = 0, mass = 0;
        for (int above = 0; above < 2; above++) {
            size_t cell;
            double share;
            if (!cell_beside(fluid, axis, face, above, &cell, &share)) continue;
            double volume = share * fabs(fluid->liquid.landed_volume[cell]);
            push += share * fluid->liquid.landed_push[axis][cell];
            mass += fmax(0.5 * fluid->liquid.fraction[cell], volume);
        }
        if (push != 0 && is_pushed(fluid, axis, face)) u[i] += push / mass;
    }
}

void fluid_push_by_landed(Fluid *fluid, const StepInfo *step) {
    size_t cells = grid_cell_count(&fluid->grid), cell = 0;
    const double *landed = fluid->liquid.landed_volume;
    while (landed && cell < cells && landed[cell] == 0) cell++;
    if (!landed || cell == cells) return;
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        FluidAxis job = {fluid, axis};
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, push_row, &job);
    }
}
