/* Enclosed cells: fluid that bodies close in. Where crates lean on one another a cell or two may
 * be left between them with no way out. Such a pocket cannot change its volume, so in the coupled
 * solve it ties the bodies around it to one another; they touch there, and what contact does to
 * their velocities is undone by speeds that have nothing to do with the flow (2.8 m/s for a crate
 * that had 0.1). It holds no pressure instead: in a liquid it is like air that is closed in,
 * elsewhere it has no equation. */
#include "fluid/internal.h"

/* Cells of a pocket at most, three along each axis; what is larger is liquid in its own right. */
enum { POCKET_2D = 9, POCKET_3D = 27 };

typedef struct Pocket {
    size_t cells[POCKET_3D];
    size_t count, most;
    bool leads_out; /* to air, to a side that is not a wall, or to more cells than a pocket has */
} Pocket;

static void add_cell(Pocket *pocket, size_t cell) {
    for (size_t i = 0; i < pocket->count; i++)
        if (pocket->cells[i] == cell) return;
    if (pocket->count == pocket->most)
        pocket->leads_out = true;
    else
        pocket->cells[pocket->count++] = cell;
}

static bool is_open(const Fluid *fluid, int axis, const int cell[3], int end) {
    int face[3] = {cell[0], cell[1], cell[2]};
    face[axis] += end;
    const double *open = fluid->cut.open[axis];
    return !open || open[grid_face_index(&fluid->grid, axis, face[0], face[1], face[2])] > 0;
}

static void look_beyond(const Fluid *fluid, Pocket *pocket, const int cell[3], int axis, int end) {
    const Grid *grid = &fluid->grid;
    int next[3] = {cell[0], cell[1], cell[2]};
    next[axis] += end ? 1 : -1;
    if (next[axis] < 0 || next[axis] >= grid->n[axis]) {
        if (grid->sides[axis][end] != SIDE_WALL) pocket->leads_out = true;
        return;
    }
    size_t other = grid_cell_index(grid, next[0], next[1], next[2]);
    if (fluid->cut.kind[other] == CELL_AIR) pocket->leads_out = true;
    if (fluid->cut.kind[other] == CELL_FLUID) add_cell(pocket, other);
}

static Pocket find_pocket(const Fluid *fluid, size_t start) {
    const Grid *grid = &fluid->grid;
    Pocket pocket = {.cells = {start}, .count = 1, .most = grid->dim == 3 ? POCKET_3D : POCKET_2D};
    for (size_t i = 0; i < pocket.count && !pocket.leads_out; i++) {
        int at[3];
        grid_cell_place(grid, pocket.cells[i], at);
        for (int axis = 0; axis < grid->dim; axis++)
            for (int end = 0; end < 2; end++)
                if (is_open(fluid, axis, at, end)) look_beyond(fluid, &pocket, at, axis, end);
    }
    return pocket;
}

static bool touches_solid(const Fluid *fluid, int i, int j, int k) {
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            if (!is_open(fluid, axis, (int[3]){i, j, k}, end)) return true;
    return false;
}

void fluid_empty_enclosed_cells(Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    bool has_air = fluid_has_surface(fluid);
    if (!fluid->coupled.solver || !fluid->colliders.some_move) return;
    size_t cell = 0;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++, cell++) {
                if (fluid->cut.kind[cell] != CELL_FLUID || !touches_solid(fluid, i, j, k)) continue;
                Pocket pocket = find_pocket(fluid, cell);
                for (size_t p = 0; p < pocket.count && !pocket.leads_out; p++)
                    fluid->cut.kind[pocket.cells[p]] = has_air ? CELL_AIR : CELL_SOLID;
                if (!pocket.leads_out && !has_air) fluid->cut.fluid_cells -= pocket.count;
            }
}
