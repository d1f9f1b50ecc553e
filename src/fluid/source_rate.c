/* Sources of liquid with a given rate: the volume that they pour is that of the rate, exactly.
 *
 * What a source owes is the integral of its rate less what it poured. It fills its shape as soon as
 * it owes what that takes; once the shape is full, a divergence in its cells makes the rest in the
 * next step. Within it liquid moves as in a pipe: faster, the stream would break into lumps. What
 * that divergence made is read off the velocities that carry the surface, so that nothing is lost
 * when steps change or walls hold. */
#include "fluid/internal.h"
#include "grid/liquid_fraction.h"

#include <string.h>

static double *owed(const Fluid *fluid, size_t source) {
    return fluid->liquid.account + FLUID_ACCOUNT_COUNT + FLUID_ACCOUNTS_OF_SOURCE * source;
}

static double *push(const Fluid *fluid, size_t source) {
    return owed(fluid, source) + 1;
}

/* Of the velocity in a pipe, 0 to 1. */
static double *part_of_speed(const Fluid *fluid, size_t source) {
    return owed(fluid, source) + 2;
}

double fluid_source_rate(const FluidSource *source, double t) {
    return fluid_source_runs(source, t)
               ? fmax(field_function_at(&source->rate, vec3(0, 0, 0), t), 0)
               : 0;
}

/* ---- what divergence makes ---- */

static void own_row(void *user, int j, int k) {
    Fluid *fluid = user;
    for (int i = 0; i < fluid->grid.n[0]; i++) {
        size_t cell = grid_cell_index(&fluid->grid, i, j, k);
        Vec3 x = grid_cell_center(&fluid->grid, i, j, k);
        fluid->sources.owner[cell] = 0;
        if (fluid->cut.kind[cell] != CELL_FLUID) continue;
        for (size_t s = fluid->sources.list.count; s > 0; s--)
            if (fluid->sources.list.data[s - 1].has_rate &&
                fluid_in_source(fluid, &fluid->sources.list.data[s - 1], x))
                fluid->sources.owner[cell] = (int32_t)s;
    }
}

/* m^3/s, out of a cell with the velocities that carry the surface. */
static double outflow(const Fluid *fluid, const int at[3]) {
    double sum = 0;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            int face[3] = {at[0], at[1], at[2]};
            face[axis] += end;
            const GridField *u = &fluid->advect.faces[axis];
            size_t index = grid_face_index(&fluid->grid, axis, face[0], face[1], face[2]);
            double open = fluid->cut.open[axis] ? fluid->cut.open[axis][index] : 1;
            sum += (end ? open : -open) * u->data[field_index(u, face[0], face[1], face[2])];
        }
    return sum * grid_face_area(&fluid->grid);
}

/* As the prediction of volumes counts it: cells that are liquid for the greater part. */
static void count_cell(Fluid *fluid, const int at[3], double dt) {
    size_t cell = grid_cell_index(&fluid->grid, at[0], at[1], at[2]);
    double part = fluid->liquid.fraction[cell];
    if (fluid->sources.owner[cell] == 0 || !(part > 0.5)) return;
    double made = dt * part * outflow(fluid, at);
    *owed(fluid, (size_t)fluid->sources.owner[cell] - 1) -= made;
    fluid->liquid.account[FLUID_ACCOUNT_POURED] += made;
    fluid->liquid.account[FLUID_ACCOUNT_WANTED] += made;
}

void fluid_count_made(Fluid *fluid, const StepInfo *step) {
    const Grid *grid = &fluid->grid;
    int at[3];
    if (!fluid->sources.owner) return;
    for (at[2] = 0; at[2] < grid->n[2]; at[2]++)
        for (at[1] = 0; at[1] < grid->n[1]; at[1]++)
            for (at[0] = 0; at[0] < grid->n[0]; at[0]++) count_cell(fluid, at, step->dt);
}

void fluid_spread_rates(Fluid *fluid, int threads) {
    if (!fluid->sources.owner) return;
    size_t cells = grid_cell_count(&fluid->grid);
    grid_for_rows(&fluid->grid, PLACE_CELLS, threads, own_row, fluid);
    for (size_t s = 0; s < fluid->sources.list.count; s++) {
        size_t own = 0;
        for (size_t i = 0; i < cells; i++) own += fluid->sources.owner[i] == (int32_t)(s + 1);
        for (size_t i = 0; own > 0 && i < cells; i++)
            if (fluid->sources.owner[i] == (int32_t)(s + 1))
                fluid->sources.rate[i] += *push(fluid, s) / (double)own;
    }
}

/* ---- what fills the shape ---- */

/* Before the level set without it comes back, what the source adds to it, m^3. */
static PlimStatus fill(Fluid *fluid, const StepInfo *step, const FluidSource *source,
                       double *added) {
    TRY(fluid_load_phi(fluid, step));
    double before = fluid_volume_of_level(fluid, step);
    fluid_pour_shape(fluid, step, source);
    TRY(fluid_load_phi(fluid, step));
    *added = fluid_volume_of_level(fluid, step) - before;
    return PLIM_OK;
}

/* What it owes and `credit` (m^3) at most. Corners that the level set rounds are filled again in
 * every step, so a source runs into debt; with a part of the speed it does not run further. */
static PlimStatus fill_if_due(Fluid *fluid, const StepInfo *step, size_t number, double credit) {
    const FluidSource *source = &fluid->sources.list.data[number];
    size_t mark = scratch_mark(step->scratch), count = fluid->sizes[FLUID_GROUP_LEVEL].count;
    double *level = scratch_take(step->scratch, count, sizeof *level), added = 0;
    if (!level) return PLIM_OUT_OF_MEMORY;
    memcpy(level, fluid->liquid.level, count * sizeof *level);
    TRY(fill(fluid, step, source, &added));
    if (added > *owed(fluid, number) + credit) {
        memcpy(fluid->liquid.level, level, count * sizeof *level);
    } else {
        fluid_take_particles(fluid, source);
        fluid->liquid.account[FLUID_ACCOUNT_POURED] += added;
        fluid->liquid.account[FLUID_ACCOUNT_WANTED] += added;
        *owed(fluid, number) -= added;
        *push(fluid, number) = fmax(*owed(fluid, number), 0) / step->dt;
        if (credit > 0) *part_of_speed(fluid, number) = fmin(1 + *owed(fluid, number) / credit, 1);
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

PlimStatus fluid_pour_at_rate(Fluid *fluid, const StepInfo *step, size_t number) {
    const FluidSource *source = &fluid->sources.list.data[number];
    const double ahead = 2; /* steps */
    double poured = step->dt * fluid_source_rate(source, step->time + 0.5 * step->dt);
    *owed(fluid, number) += poured;
    *push(fluid, number) = *part_of_speed(fluid, number) = 0;
    double credit = ahead * poured;
    return *owed(fluid, number) + credit > 0 ? fill_if_due(fluid, step, number, credit) : PLIM_OK;
}

/* Down a pipe that is as wide as the shape's box. */
double fluid_rate_velocity(const Fluid *fluid, const FluidSource *source, int axis, double t) {
    Box3 box = fluid_source_bounds(source);
    Vec3 size = vec3_sub(box.high, box.low), down = vec3_normalize(fluid->gravity);
    double length = fabs(down.x) * size.x + fabs(down.y) * size.y, volume = size.x * size.y;
    if (fluid->grid.dim == 3) {
        length += fabs(down.z) * size.z;
        volume *= size.z;
    }
    double part = *part_of_speed(fluid, (size_t)(source - fluid->sources.list.data));
    return part * fluid_source_rate(source, t) * length / volume * vec3_component(down, axis);
}
