/* Fluxes of the structure in the coupled flow solve: H, what its motion pushes out of cells (002
 * section 5.4), in balance with regions that are closed.
 *
 * What a solid pushes into a closed region on one side it takes out on another: the columns of H
 * add up to zero there. Where solids touch one another or a wall, a face has parts of both and is
 * counted to one, and cells between them have no equation: something is left over. No pressure can
 * remove it, and the solve would have to stop the body. It is spread over the body's own faces in
 * that region, by their areas and by how open the cells there are: what a cell with a slit alone
 * got would leave it at any speed. */
#include "solve/coupled/coupled_flow_internal.h"

#include <math.h>
#include <string.h>

/* One side of a face: the cell there and what of H is in it. */
typedef struct FluxSide {
    size_t flux;   /* in the problem's list */
    int cell[3];   /* of the grid */
    double sign;   /* 1: outflow of the cell */
    size_t region; /* closed, from 1 on; 0: none */
    double
        weight; /* m^2, of what is left over: area of the face, times the open faces of the cell */
} FluxSide;

/* Of a block in a closed region. */
typedef struct FluxBalance {
    double sum[MASS_BLOCK_SIZE]; /* m^2, m^3: of its columns */
    double area, weight;         /* m^2, of all its faces there */
} FluxBalance;

typedef void (*SideVisit)(CoupledFlow *flow, const FluxSide *side);

/* Parts of a cell's faces that are open, added up. */
static double open_faces(const CoupledFlow *flow, const int cell[3]) {
    double sum = 0.0;
    for (int axis = 0; axis < flow->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {cell[0], cell[1], cell[2]};
            const double *open = flow->problem->open[axis];
            at[axis] += end;
            sum += open ? open[grid_face_index(&flow->grid, axis, at[0], at[1], at[2])] : 1.0;
        }
    return sum;
}

/* From a face to the cell on one side of it; false: there is none. */
static bool step_aside(const Grid *grid, int cell[3], int axis, int above) {
    int n = grid->n[axis];
    cell[axis] += above - 1;
    if (grid->sides[axis][0] == SIDE_PERIODIC) cell[axis] = (cell[axis] + n) % n;
    return cell[axis] >= 0 && cell[axis] < n;
}

static void for_sides(CoupledFlow *flow, SideVisit visit) {
    const Grid *grid = &flow->grid;
    size_t count = flow->problem->flux_rows ? flow->problem->flux_rows->rows : 0;
    for (size_t f = 0; f < count; f++) {
        const FlowFlux *flux = &flow->problem->fluxes[f];
        int a = flux->axis;
        for (int above = 0; above < (a == FLUX_OF_CELL ? 1 : 2); above++) {
            FluxSide side = {.flux = f, .sign = above ? -1.0 : 1.0};
            memcpy(side.cell, flux->at, sizeof side.cell);
            if (a != FLUX_OF_CELL && !step_aside(grid, side.cell, a, above)) continue;
            const int *at = side.cell;
            if (flow->problem->kind[grid_cell_index(grid, at[0], at[1], at[2])] != CELL_FLUID)
                continue;
            side.region = poisson_closed_region(flow->poisson, at[0], at[1], at[2]);
            if (side.region > 0) side.weight = flux->area * open_faces(flow, at);
            visit(flow, &side);
        }
    }
}

static FluxBalance *balance_of(const CoupledFlow *flow, size_t region, int32_t column) {
    size_t block = (size_t)flow->block_of[column];
    return &flow->balance[(region - 1) * flow->structure->block_count + block];
}

static bool is_first_of_block(const CoupledFlow *flow, const Csr *rows, size_t first, size_t i) {
    return i == first || flow->block_of[rows->column[i]] != flow->block_of[rows->column[i - 1]];
}

static void add_to_balance(CoupledFlow *flow, const FluxSide *side) {
    const Csr *rows = flow->problem->flux_rows;
    size_t first = rows->row_start[side->flux], last = rows->row_start[side->flux + 1];
    for (size_t i = first; side->region > 0 && i < last; i++) {
        FluxBalance *balance = balance_of(flow, side->region, rows->column[i]);
        size_t start = flow->structure->blocks[flow->block_of[rows->column[i]]].first;
        balance->sum[(size_t)rows->column[i] - start] += side->sign * rows->value[i];
        if (!is_first_of_block(flow, rows, first, i)) continue;
        balance->area += flow->problem->fluxes[side->flux].area;
        balance->weight += side->weight;
    }
}

/* Whether something is left over that is not rounding. */
static bool is_left_over(const CoupledFlow *flow, const FluxBalance *balance, int32_t column) {
    const MassBlock *block = &flow->structure->blocks[flow->block_of[column]];
    double worst = 0.0;
    for (int i = 0; i < block->size; i++) worst = fmax(worst, fabs(balance->sum[i]));
    return block->is_free && balance->weight > 0.0 && worst > 1e-9 * balance->area;
}

static void add_side(CoupledFlow *flow, const FluxSide *side) {
    const Csr *rows = flow->problem->flux_rows;
    size_t first = rows->row_start[side->flux], count = rows->row_start[side->flux + 1] - first;
    size_t to = flow->flux_origin;
    for (int b = 0; b < 3; b++) to += (size_t)side->cell[b] * flow->flux_stride[b];
    flow_begin_row(flow, &flow->fluxes);
    flow_add_entries(flow, &flow->fluxes, count, rows->column + first, rows->value + first,
                     side->sign);
    for (size_t i = first; side->region > 0 && i < first + count; i++) {
        const FluxBalance *balance = balance_of(flow, side->region, rows->column[i]);
        if (!is_first_of_block(flow, rows, first, i) ||
            !is_left_over(flow, balance, rows->column[i]))
            continue;
        const MassBlock *block = &flow->structure->blocks[flow->block_of[rows->column[i]]];
        double part = side->weight / balance->weight;
        for (int k = 0; k < block->size; k++)
            flow_add_entries(flow, &flow->fluxes, 1, &(int32_t){(int32_t)block->first + k},
                             &balance->sum[k], -part);
    }
    flow_end_row(flow, &flow->fluxes, to);
}

PlimStatus flow_gather_fluxes(CoupledFlow *flow, const size_t stride[3], size_t origin) {
    size_t pairs = poisson_closed_count(flow->poisson) * flow->structure->block_count;
    flow->balance = scratch_take(&flow->scratch, pairs + 1, sizeof *flow->balance);
    if (!flow->balance) return PLIM_OUT_OF_MEMORY;
    memset(flow->balance, 0, pairs * sizeof *flow->balance);
    memcpy(flow->flux_stride, stride, sizeof flow->flux_stride);
    flow->flux_origin = origin;
    if (pairs > 0) for_sides(flow, add_to_balance);
    for_sides(flow, add_side);
    return flow->short_of_memory ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

double flow_left_over(const CoupledFlow *flow) {
    const FlowStructure *s = flow->structure;
    double total = 0.0;
    for (size_t region = 0; region < poisson_closed_count(flow->poisson); region++)
        for (size_t b = 0; b < s->block_count; b++) {
            const FluxBalance *balance = &flow->balance[region * s->block_count + b];
            double sum = 0.0;
            if (!is_left_over(flow, balance, (int32_t)s->blocks[b].first)) continue;
            for (int k = 0; k < s->blocks[b].size; k++)
                sum += balance->sum[k] * s->velocity[s->blocks[b].first + (size_t)k];
            total += fabs(sum);
        }
    return total;
}
