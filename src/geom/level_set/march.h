/* Fast marching and extrapolation on any uniform array of values, of nodes or of cells. */
#ifndef GEOM_MARCH_H
#define GEOM_MARCH_H

#include "base/scratch.h"

/* The array: n[0] * n[1] * n[2] values, x fastest; n[2] may be 1 (two dimensions). */
typedef struct MarchGrid {
    int n[3];
    double spacing; /* m */
} MarchGrid;

/* Solves |grad phi| = 1 outward from the known values. `known[i]` != 0 marks values that stay;
 * unknown ones keep the sign they come with (a negative value, whatever its size, stays negative)
 * and get the distance. order 1 or 2. Stops at `limit` (HUGE_VAL: never), beyond which |phi| =
 * limit. Ties are broken by index, so results do not depend on anything else. The nodes beside the
 * surface should be known; second order needs two layers of them on each side. */
PlimStatus march_distance(Scratch *scratch, const MarchGrid *grid, const unsigned char *known,
                          int order, double limit, double *phi);

/* Carries values outward along the gradient of |phi|, in order of distance: grad v . grad |phi| =
 * 0. Values where known[i] != 0 stay; others within `limit` of the surface are set, from either
 * side of it. Those that nothing known reaches stay as they are. `width` values an item,
 * interleaved. */
PlimStatus march_extrapolate(Scratch *scratch, const MarchGrid *grid, const unsigned char *known,
                             const double *phi, double limit, int width, double *values);

#endif
