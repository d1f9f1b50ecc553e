/* Semi-Lagrangian traces that end in a solid, put back outside. */
#include "grid/advect_trace.h"

#include <math.h>

/* Where the distance is more than this, in cells, no corner of the cell of values around is in a
 * solid: the diagonal of that cell, and twice half a diagonal for what interpolation makes of a
 * distance, here and at the corner; sqrt(3) each. */
static const double corner_reach = 3.47;

/* How far outside a point is put, in cells: no rounding takes it back in. */
static const double clearance = 1e-3;

/* A gradient shorter than this, of what should be 1, points nowhere: the middle of a solid. */
static const double least_gradient = 1e-3;

enum { MOVES = 2 };

typedef struct DistanceCell {
    const double *corner;
    double fraction[3];
} DistanceCell;

/* Moves the corner and sets the fraction along one axis. */
static void locate_along(const Lattice *distance, int axis, double at, DistanceCell *cell) {
    double s = at + distance->shift[axis], below = floor(s);
    cell->corner += (ptrdiff_t)below * distance->stride[axis];
    cell->fraction[axis] = s - below;
}

static DistanceCell locate(const TracePlan *plan, const double at[3]) {
    DistanceCell cell = {.corner = plan->distance.first};
    for (int axis = 0; axis < plan->dim; axis++)
        locate_along(&plan->distance, axis, at[axis], &cell);
    return cell;
}

/* m, within the cell at other fractions. */
static double distance_in(const TracePlan *plan, const double *corner, const double f[3]) {
    ptrdiff_t y = plan->distance.stride[1], z = plan->distance.stride[2];
    return plan->dim == 3 ? lattice_cube(corner, y, z, f[0], f[1], f[2])
                          : lattice_square(corner, y, f[0], f[1]);
}

static double distance_at(const TracePlan *plan, const double at[3]) {
    DistanceCell cell = locate(plan, at);
    return distance_in(plan, cell.corner, cell.fraction);
}

/* Of the interpolant, m for a cell: the difference between the two ends of the cell along each
 * axis. Returns its length. */
static double gradient_at(const TracePlan *plan, const double at[3], double gradient[3]) {
    DistanceCell cell = locate(plan, at);
    double square = 0;
    for (int axis = 0; axis < plan->dim; axis++) {
        double low[3] = {cell.fraction[0], cell.fraction[1], cell.fraction[2]};
        double high[3] = {low[0], low[1], low[2]};
        low[axis] = 0.0;
        high[axis] = 1.0;
        gradient[axis] = distance_in(plan, cell.corner, high) - distance_in(plan, cell.corner, low);
        square += gradient[axis] * gradient[axis];
    }
    return sqrt(square);
}

/* Returns the distance where it leaves the point, m. */
static double leave_solid(const TracePlan *plan, double at[3]) {
    double distance = distance_at(plan, at);
    for (int move = 0; move < MOVES && distance < 0; move++) {
        double gradient[3], steepness = gradient_at(plan, at, gradient);
        if (!(steepness > least_gradient * plan->spacing)) break;
        double cells = clearance - distance / plan->spacing;
        for (int axis = 0; axis < plan->dim; axis++)
            at[axis] = trace_confine(plan, axis, at[axis] + cells * gradient[axis] / steepness);
        distance = distance_at(plan, at);
    }
    return distance;
}

/* What does not move stays even in a solid: in the cut cells at its surface. */
static bool has_moved(const TracePlan *plan, const TraceBlock *block, int i) {
    bool moved = false;
    for (int axis = 0; axis < plan->dim; axis++)
        moved |= block->end[axis][i] != block->start[axis] + (axis == 0 ? i : 0);
    return moved;
}

void trace_leave_solids(const TracePlan *plan, TraceBlock *block) {
    block->near_count = 0;
    for (int i = 0; i < block->count; i++) {
        /* A distance changes by no more than the way that is gone. */
        if (block->distance[i] > (block->length[i] + corner_reach) * plan->spacing) continue;
        double at[3] = {block->end[0][i], block->end[1][i], block->end[2][i]};
        double distance = has_moved(plan, block, i) ? leave_solid(plan, at) : 0;
        for (int axis = 0; axis < plan->dim; axis++) block->end[axis][i] = at[axis];
        if (distance <= corner_reach * plan->spacing) block->near[block->near_count++] = i;
    }
}

/* Of a corner beyond the ends: where the value that is continued there comes from. */
static double corner_along(const TracePlan *plan, int axis, int index) {
    if (plan->period[axis] > 0) return trace_confine(plan, axis, index);
    return fmin(fmax(index, ceil(plan->low[axis])), floor(plan->high[axis]));
}

unsigned trace_solid_corners(const TracePlan *plan, const int base[3]) {
    ptrdiff_t offset[3][2] = {{0}};
    double fraction[3][2] = {{0}};
    for (int axis = 0; axis < plan->dim; axis++)
        for (int end = 0; end < 2; end++) {
            DistanceCell cell = {.corner = plan->distance.first};
            locate_along(&plan->distance, axis, corner_along(plan, axis, base[axis] + end), &cell);
            offset[axis][end] = cell.corner - plan->distance.first;
            fraction[axis][end] = cell.fraction[axis];
        }
    unsigned solid = 0;
    for (int corner = 0; corner < 1 << plan->dim; corner++) {
        int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        double f[3] = {fraction[0][x], fraction[1][y], fraction[2][z]};
        const double *at = plan->distance.first + offset[0][x] + offset[1][y] + offset[2][z];
        if (distance_in(plan, at, f) < 0) solid |= 1u << corner;
    }
    return solid;
}
