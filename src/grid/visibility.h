/* Visibility between neighbouring values of a grid: which of them a wall parts. Water on one side
 * of a wall says nothing about the other side, and a pass that looks at neighbours looks only at
 * those that it sees.
 *
 * A value in a solid belongs to the side on which its way out ends: there the level set is read
 * that goes on into the solid. Two neighbours are parted when the straight line between the ends of
 * their ways out goes through the solid, and not along it or across an edge. Walls from 1.5 cells
 * on part all of what is on either side of them; thinner ones may have no node of the grid in them.
 */
#ifndef GRID_VISIBILITY_H
#define GRID_VISIBILITY_H

#include "base/scratch.h"
#include "grid/field.h"

/* Bit a of a value: a wall parts it from the value before it along axis a. Of all values from which
 * a stencil of two neighbours to each side along an axis would look through a wall, the last bit.
 */
enum { VISIBILITY_NEAR_WALL = 8 };

/* `distance`: at nodes, compact, m, positive outside solids, right to two cells at least. `parted`:
 * of values at `place`, compact; it is filled. Same bits for any number of threads. */
PlimStatus visibility_find(const Grid *grid, GridPlace place, const double *distance, int threads,
                           Scratch *scratch, unsigned char *parted);

/* Linear between nodes; beyond sides as on them. */
double visibility_distance(const Grid *grid, const double *distance, Vec3 x);

/* The way out of a solid from x, of length 1: where it is as far to one side as to the other, one
 * of the two. Zero: there is none. */
Vec3 visibility_way_out(const Grid *grid, const double *distance, Vec3 x);

/* Whether a straight line between two points outside solids, or beside them, goes through one. */
bool visibility_line_is_parted(const Grid *grid, const double *distance, Vec3 from, Vec3 to);

#endif
