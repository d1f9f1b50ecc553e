/* Cut cells: the part of each that is outside colliders (002 section 5.4.1), from distances at
 * points within it.
 *
 * Distances at the corners of a cell make every edge of a body a chamfer and every curve a chord: a
 * box of 6 cells loses up to 7% of its volume, a tube of 2 cells a quarter. Cells that a surface
 * may cut are split in four along each axis; the parts by two and by four pieces give that without
 * the leading term of the error (Richardson 1911), which goes with the square of the piece, on
 * curves and, in the mean, on edges. */
#include "fluid/internal.h"
#include "grid/liquid_fraction.h"

#include <string.h>

enum { PIECES = 4, POINTS = PIECES + 1 };
/* Marks of cells: the part must be found anew; something near it had moved the last time. */
enum { STALE = 1, MOVED = 2 };

/* Half the diagonal of a cell, in cells, and a little: beyond, no surface cuts it. */
static const double cut_reach = 0.88;

/* Cells over half a cell: second differences of distances up to here change a volume by less than
 * 1/1000 of the cell. */
static const double flat = 2e-3;

typedef struct CellPoints {
    double at[POINTS][POINTS][POINTS]; /* [z][y][x]; in two dimensions z = 0 alone */
} CellPoints;

/* What may cut a cell. */
typedef struct CellSolids {
    const Fluid *fluid;
    const ImmersedCollider *only; /* NULL: more than one, or images of it */
    Vec3 shift;                   /* to where it is near `only` itself, not an image of it */
} CellSolids;

static double distance_at(const CellSolids *solids, Vec3 x) {
    if (!solids->only) return immersed_gap(&solids->fluid->colliders, x).least;
    Vec3 beside = vec3_add(x, solids->shift);
    return collider_distance(&solids->only->now, grid_in_plane(&solids->fluid->grid, beside));
}

/* Every `stride`th point; those that are there already are kept. */
static void find_points(const CellSolids *solids, const int cell[3], int stride,
                        CellPoints *points) {
    const Grid *grid = &solids->fluid->grid;
    bool is_second = stride == 1;
    double step = grid->spacing / PIECES;
    Vec3 low = vec3_add(grid->origin, vec3_scale(grid->spacing, vec3(cell[0], cell[1], cell[2])));
    for (int c = 0; c < (grid->dim == 3 ? POINTS : 1); c += stride)
        for (int b = 0; b < POINTS; b += stride)
            for (int a = 0; a < POINTS; a += stride) {
                if (is_second && !((a | b | c) & 1)) continue;
                Vec3 x = vec3_add(low, vec3_scale(step, vec3(a, b, c)));
                points->at[c][b][a] = distance_at(solids, x);
            }
}

/* Whether distances at every second point change evenly along all lines of them: the surface is
 * flat there. */
static bool are_even(const CellPoints *points, int dim, double limit) {
    int nz = dim == 3 ? POINTS : 1;
    double most = 0;
    for (int c = 0; c < nz; c += 2)
        for (int b = 0; b < POINTS; b += 2)
            for (int a = 0; a < POINTS; a += 2) {
                double twice = 2 * points->at[c][b][a];
                if (a == 2)
                    most = fmax(most, fabs(points->at[c][b][0] + points->at[c][b][4] - twice));
                if (b == 2)
                    most = fmax(most, fabs(points->at[c][0][a] + points->at[c][4][a] - twice));
                if (c == 2)
                    most = fmax(most, fabs(points->at[0][b][a] + points->at[4][b][a] - twice));
            }
    return most < limit;
}

/* The part of a block of points, every `stride`th of them, three along each axis. */
static double part_of_block(const CellPoints *points, const int first[3], int stride, int dim) {
    double value[3][3][3] = {{{0}}};
    for (int c = 0; c < (dim == 3 ? 3 : 1); c++)
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++)
                value[c][b][a] =
                    points->at[first[2] + stride * c][first[1] + stride * b][first[0] + stride * a];
    return positive_fraction(value, dim);
}

static double part_from_points(const CellSolids *solids, const int cell[3]) {
    const Grid *grid = &solids->fluid->grid;
    int dim = grid->dim, blocks = 1 << dim;
    CellPoints points;
    find_points(solids, cell, 2, &points);
    double coarse = part_of_block(&points, (int[3]){0, 0, 0}, 2, dim), fine = 0;
    if (are_even(&points, dim, flat * grid->spacing)) return coarse;
    find_points(solids, cell, 1, &points);
    for (int block = 0; block < blocks; block++) {
        int first[3] = {2 * (block & 1), 2 * (block >> 1 & 1), 2 * (block >> 2)};
        fine += part_of_block(&points, first, 1, dim) / blocks;
    }
    return fmin(fmax(fine + (fine - coarse) / 3, 0), 1);
}

static double find_part(const Fluid *fluid, const int cell[3]) {
    double reach = cut_reach * fluid->grid.spacing;
    double mean = fluid->cut.cell_distance
                      .data[field_index(&fluid->cut.cell_distance, cell[0], cell[1], cell[2])];
    /* The mean of its corners is no further from the middle's than half the diagonal. */
    if (fabs(mean) > 2 * reach) return mean > 0;
    Vec3 middle = grid_cell_center(&fluid->grid, cell[0], cell[1], cell[2]), beside;
    ImmersedGap gap = immersed_gap(&fluid->colliders, middle);
    if (fabs(gap.least) > reach) return gap.least > 0;
    CellSolids solids = {.fluid = fluid};
    if (gap.second > reach && grid_image_count(&fluid->grid) == 1)
        solids.only = immersed_nearest(&fluid->colliders, middle, &beside);
    return part_from_points(&solids, cell);
}

double fluid_cell_part(const Fluid *fluid, const int at[3]) {
    size_t cell = grid_cell_index(&fluid->grid, at[0], at[1], at[2]);
    if (fluid->cut.stale[cell] & STALE) {
        fluid->cut.part[cell] = find_part(fluid, at);
        fluid->cut.stale[cell] &= (unsigned char)~STALE;
    }
    return fluid->cut.part[cell];
}

double fluid_part_of_collider(const Fluid *fluid, const int at[3], size_t collider) {
    const ImmersedCollider *only = &fluid->colliders.list.data[collider];
    Vec3 x = grid_cell_center(&fluid->grid, at[0], at[1], at[2]);
    Vec3 from = vec3_sub(only->now.position, x), shift = vec3(0, 0, 0);
    double nearest = HUGE_VAL;
    for (int image = 0; image < grid_image_count(&fluid->grid); image++) {
        Vec3 offset = grid_image_offset(&fluid->grid, image);
        double distance = vec3_length(vec3_add(from, offset));
        if (!(distance < nearest)) continue;
        nearest = distance;
        shift = vec3_scale(-1, offset);
    }
    CellSolids solids = {.fluid = fluid, .only = only, .shift = shift};
    return 1 - part_from_points(&solids, at);
}

/* ---- where they change ---- */

/* Marks cells within a cell of where a collider, or an image of it, lies. */
static void mark_cells(Fluid *fluid, Collider collider) {
    const Grid *grid = &fluid->grid;
    Vec3 position = collider.position;
    int low[3] = {0, 0, 0}, high[3];
    for (int image = 0; image < grid_image_count(grid); image++) {
        collider.position = vec3_add(position, grid_image_offset(grid, image));
        Box3 box = collider_bounds(&collider);
        for (int axis = 0; axis < 3; axis++) {
            double origin = vec3_component(grid->origin, axis), n = grid->n[axis];
            high[axis] = grid->n[axis];
            if (axis >= grid->dim) continue;
            double first = (vec3_component(box.low, axis) - origin) / grid->spacing;
            double last = (vec3_component(box.high, axis) - origin) / grid->spacing;
            low[axis] = (int)fmin(fmax(floor(first) - 1, 0), n);
            high[axis] = (int)fmin(fmax(ceil(last) + 1, 0), n);
        }
        for (int k = low[2]; k < high[2]; k++)
            for (int j = low[1]; j < high[1]; j++)
                for (int i = low[0]; i < high[0]; i++)
                    fluid->cut.stale[grid_cell_index(grid, i, j, k)] = STALE | MOVED;
    }
}

/* Cells where something is or was that moved, and those of the last time, for it may have been
 * put back. Others keep what they have: it follows from places alone. */
void fluid_forget_parts(Fluid *fluid, bool always) {
    const Immersed *colliders = &fluid->colliders;
    unsigned char *marks = fluid->cut.stale;
    size_t cells = grid_cell_count(&fluid->grid);
    if (!marks) return;
    if (always || colliders->visitors.count > 0) { /* some may have left */
        memset(marks, STALE, cells);
        return;
    }
    for (size_t cell = 0; cell < cells; cell++)
        if (marks[cell] & MOVED) marks[cell] = STALE;
    for (size_t i = 0; i < colliders->list.count; i++) {
        const ImmersedCollider *collider = &colliders->list.data[i];
        if (immersed_is_obstacle(collider) || !immersed_has_moved(collider)) continue;
        Collider before = collider->now;
        before.position = grid_wrap(&fluid->grid, collider->before_position);
        before.orientation = collider->before_orientation;
        mark_cells(fluid, collider->now);
        mark_cells(fluid, before);
    }
}
