/* Wall separation of a liquid (000 section 7.3: it may leave a wall, but not enter it).
 *
 * A cell of liquid beside a wall is pulled away from it when its pressure is below that of the air.
 * If air can get there, from a cell of air or along the wall through cells that are pulled too, the
 * wall does not hold it: the cell is separated. A separated cell has the pressure of air, its faces
 * move by what acts on them, and beyond the wall the level set is that of air, which comes in
 * through the wall in place of what leaves. A separated cell that is pressed together is held by
 * the wall again. Whether a cell is separated is found from the pressure of one step and used in
 * the next. */
#include "fluid/internal.h"

/* By how much less than the air's the pressure must be, in weights of a cell: what is at rest has
 * no less, up to rounding. */
static const double PULLED = 0.05;

static bool is_wall(const Fluid *fluid, const int cell[3], int axis, int end) {
    const Grid *grid = &fluid->grid;
    int face[3] = {cell[0], cell[1], cell[2]};
    face[axis] += end;
    if (!grid_is_periodic(grid, axis) && face[axis] == end * grid->n[axis])
        return grid->sides[axis][end] == SIDE_WALL;
    const double *open = fluid->cut.open[axis];
    return open && open[grid_face_index(grid, axis, face[0], face[1], face[2])] < 1;
}

static bool touches_wall(const Fluid *fluid, const int cell[3]) {
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            if (is_wall(fluid, cell, axis, end)) return true;
    return false;
}

/* What flows out of a cell through one of its faces, m/s times the open part. */
static double flow_out(const Fluid *fluid, const int cell[3], int axis, int end) {
    int face[3] = {cell[0], cell[1], cell[2]};
    face[axis] += end;
    size_t index = grid_face_index(&fluid->grid, axis, face[0], face[1], face[2]);
    double part = fluid->cut.open[axis] ? fluid->cut.open[axis][index] : 1;
    return (end ? part : -part) * fluid_velocity(fluid, axis)[index];
}

static double net_flow_out(const Fluid *fluid, const int cell[3]) {
    double sum = 0;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) sum += flow_out(fluid, cell, axis, end);
    return sum;
}

/* ---- which cells are separated ---- */

typedef struct SeparationSearch {
    Fluid *fluid;
    double pulled; /* Pa: cells with less are */
    size_t *found, count;
} SeparationSearch;

/* Calls `visit` for all cells around one, diagonal ones too, until it says true. */
typedef bool (*AroundVisit)(SeparationSearch *search, size_t cell);

static bool look_around(SeparationSearch *search, size_t cell, AroundVisit visit) {
    const Grid *grid = &search->fluid->grid;
    int at[3], next[3], flat = grid->dim < 3;
    grid_cell_place(grid, cell, at);
    for (int n = flat ? 9 : 0; n < (flat ? 18 : 27); n++) {
        int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        bool inside = true;
        for (int a = 0; a < 3; a++) {
            next[a] = at[a] + step[a];
            if (a < grid->dim && grid_is_periodic(grid, a))
                next[a] = (next[a] + grid->n[a]) % grid->n[a];
            inside = inside && next[a] >= 0 && next[a] < grid->n[a];
        }
        if (inside && visit(search, grid_cell_index(grid, next[0], next[1], next[2]))) return true;
    }
    return false;
}

static bool is_air(SeparationSearch *search, size_t cell) {
    return search->fluid->cut.kind[cell] == CELL_AIR;
}

/* Air gets on to a cell that is pulled. */
static bool let_air_in(SeparationSearch *search, size_t cell) {
    Fluid *fluid = search->fluid;
    if (fluid->cut.kind[cell] != CELL_FLUID || fluid->liquid.separated[cell]) return false;
    if (!(fluid->pressure[cell] < search->pulled)) return false;
    int at[3];
    grid_cell_place(&fluid->grid, cell, at);
    if (!touches_wall(fluid, at)) return false;
    fluid->liquid.separated[cell] = 1;
    search->found[search->count++] = cell;
    return false;
}

/* Loose cells that are pressed together are held again; those that are pulled, and that air gets
 * to, become separated. Returns how many changed. */
static size_t change_separated(SeparationSearch *search) {
    Fluid *fluid = search->fluid;
    size_t cells = grid_cell_count(&fluid->grid), held = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        int at[3];
        if (fluid->liquid.separated[cell]) {
            grid_cell_place(&fluid->grid, cell, at);
            if (net_flow_out(fluid, at) >= 0) continue;
            fluid->liquid.separated[cell] = 0;
            held++;
        } else if (fluid->cut.kind[cell] == CELL_FLUID && fluid->pressure[cell] < search->pulled &&
                   look_around(search, cell, is_air)) {
            let_air_in(search, cell);
        }
    }
    for (size_t i = 0; i < search->count; i++) look_around(search, search->found[i], let_air_in);
    return held + search->count;
}

PlimStatus fluid_separate_walls(Fluid *fluid, const StepInfo *step) {
    if (!fluid->liquid.separated) return PLIM_OK;
    const Grid *grid = &fluid->grid;
    size_t mark = scratch_mark(step->scratch);
    SeparationSearch search = {.fluid = fluid};
    search.pulled = -PULLED * fluid->desc.density * vec3_length(fluid->gravity) * grid->spacing;
    search.found = scratch_take(step->scratch, grid_cell_count(grid), sizeof *search.found);
    if (!search.found) return PLIM_OUT_OF_MEMORY;
    size_t changed = change_separated(&search);
    scratch_release(step->scratch, mark);
    return changed > 0 ? fluid_find_liquid(fluid, step) : PLIM_OK;
}

/* ---- what being separated means ---- */

/* Where a cell is no longer liquid there is nothing to let go. */
void fluid_forget_separated(Fluid *fluid) {
    size_t cells = fluid->liquid.separated ? grid_cell_count(&fluid->grid) : 0;
    for (size_t i = 0; i < cells; i++)
        if (!(fluid->liquid.level[i] < 0)) fluid->liquid.separated[i] = 0;
}

void fluid_mark_separated(Fluid *fluid) {
    size_t cells = fluid->liquid.separated ? grid_cell_count(&fluid->grid) : 0;
    for (size_t i = 0; i < cells; i++)
        if (fluid->liquid.separated[i] && fluid->cut.kind[i] == CELL_FLUID)
            fluid->cut.kind[i] = CELL_AIR;
}

bool fluid_is_separated_at(const Fluid *fluid, Vec3 x) {
    if (!fluid->liquid.separated) return false;
    const Grid *grid = &fluid->grid;
    double from_origin[3];
    int cell[3] = {0, 0, 0};
    vec3_store(from_origin, vec3_sub(x, grid->origin));
    for (int a = 0; a < grid->dim; a++) {
        double at = floor(from_origin[a] / grid->spacing);
        if (!(at >= 0 && at < grid->n[a])) return false;
        cell[a] = (int)at;
    }
    return fluid->liquid.separated[grid_cell_index(grid, cell[0], cell[1], cell[2])] != 0;
}

/* The velocity with which air comes in through the walls of a separated cell, as much as leaves it,
 * in proportion to how fast liquid leaves each wall. */
static void let_in_at(Fluid *fluid, const int cell[3]) {
    double leaving[3][2] = {{0, 0}, {0, 0}, {0, 0}}, all = 0, out = net_flow_out(fluid, cell);
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            bool at_side = cell[axis] == end * (fluid->grid.n[axis] - 1);
            if (!at_side || fluid->grid.sides[axis][end] != SIDE_WALL) continue;
            leaving[axis][end] = fmax(flow_out(fluid, cell, axis, !end), 0);
            all += leaving[axis][end];
        }
    if (!(all > 0 && out > 0)) return;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            if (!(leaving[axis][end] > 0)) continue;
            int face[3] = {cell[0], cell[1], cell[2]};
            face[axis] += end;
            double speed = out * leaving[axis][end] / all;
            GridField *field = &fluid->advect.faces[axis];
            field->data[field_index(field, face[0], face[1], face[2])] = end ? -speed : speed;
        }
}

void fluid_let_air_in(Fluid *fluid) {
    size_t cells = fluid->liquid.separated ? grid_cell_count(&fluid->grid) : 0;
    for (size_t i = 0; i < cells; i++) {
        if (!fluid->liquid.separated[i]) continue;
        int at[3];
        grid_cell_place(&fluid->grid, i, at);
        let_in_at(fluid, at);
    }
}
