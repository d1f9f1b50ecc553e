/* Volume fractions: how much of a cell is liquid. */
#ifndef GRID_LIQUID_FRACTION_H
#define GRID_LIQUID_FRACTION_H

#include "base/scratch.h"
#include "grid/field.h"

/* Part of each cell (compact, 0 to 1) in which `phi` (at cells or nodes, halo of 1 filled) is
 * negative and `solid` (at nodes, compact, m, positive outside; NULL: none) is positive. Second
 * order in the spacing, exact for planes. */
void liquid_fractions(const GridField *phi, const double *solid, int threads, double *parts);

/* The same with the surface moved outward by each of three distances, m: parts of phi less those.
 * For the price of not much more than one. */
void liquid_fractions_moved(const GridField *phi, const double *solid, const double outward[3],
                            int threads, double *const parts[3]);

/* Parts of the 2^dim equal sub-cells of each cell in which `phi` is negative: corner c of cell i at
 * i 2^dim + c, bit a of c set for the half of greater coordinates along axis a. Their means over
 * a cell are what liquid_fractions gives without solids; boxes around faces and edges are made of
 * them. */
void liquid_fractions_of_corners(const GridField *phi, int threads, float *parts);

/* Part of a cell in which values at 3^dim points of it, [z][y][x], are positive. In two dimensions
 * only those of z = 0 count. */
double positive_fraction(const double value[3][3][3], int dim);

#endif
