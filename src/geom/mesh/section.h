/* Cross-section of a solid with the plane z = 0: area and moments. */
#ifndef GEOM_SECTION_H
#define GEOM_SECTION_H

#include "geom/solid.h"

typedef struct Section {
    double area;       /* m^2 */
    double center[2];  /* m */
    double xx, yy, xy; /* m^4, second moments about the centre */
} Section;

/* By quadrature, to about 1e-8 of itself, thin parts and corners too. PLIM_BAD_INPUT for a
 * solid without end, or with nothing at z = 0. */
PlimStatus section_measure(PlimContext *context, const Solid *solid, Section *out);

/* Whether some point of the box lies deeper than `depth` inside the solid (0: inside at all). What
 * is smaller than `finest` may be missed. A box that is flat along an axis is searched there alone.
 */
bool solid_reaches(const Solid *solid, Box3 box, double depth, double finest);

#endif
