/* Velocity extension from a liquid into the air: grad phi . grad u = 0, in order of distance from
 * the surface (000 section 4.5). */
#ifndef GRID_EXTEND_H
#define GRID_EXTEND_H

#include "base/scratch.h"
#include "grid/field.h"

/* `values`: at faces, cells or nodes. `known` (compact, 1 or 0): values that stay; it is left as
 * it is. Others at which `distance` (at cells, m, negative in liquid, a signed distance up to at
 * least `band`, halo filled) is below `band` become what the known ones continue as, weighted by
 * how far against the gradient of the distance a neighbour lies; the rest becomes `fallback`.
 * Within the liquid values that are not known are continued from any known neighbours, as deep as
 * the band is wide; what is deeper becomes `fallback` too. Interior alone; periodic axes wrap and
 * keep their last layers copies. `parted`: walls between values (visibility.h), through which none
 * is continued; NULL: none. Same bits for any number of threads. */
PlimStatus field_extend(GridField *values, const unsigned char *known, const GridField *distance,
                        const unsigned char *parted, double band, double fallback, int threads,
                        Scratch *scratch);

#endif
