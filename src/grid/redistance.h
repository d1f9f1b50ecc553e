/* Redistancing, a level set made a signed distance again: |grad phi| = 1 near its zero set, by fast
 * marching from it to both sides (000 section 4.5.1). */
#ifndef GRID_REDISTANCE_H
#define GRID_REDISTANCE_H

#include "base/scratch.h"
#include "grid/field.h"

/* `phi`: at cells or nodes, m, negative inside. Only the interior is read; the last layers
 * of periodic axes with ends stay copies of the first, and the halo is filled by the way: beyond
 * other sides the surface goes straight on. Values within `band` (m) of the zero
 * set become distances, others +-band; no value changes its sign, and an exact 0 counts as outside.
 * Values beside the zero set get their distance from it such that the zero set itself stays where
 * it is as well as this can be done. `parted`: walls between its values (visibility.h), which
 * distances do not pass; NULL: none. Same bits for any number of threads. */
PlimStatus field_redistance(GridField *phi, double band, const unsigned char *parted, int threads,
                            Scratch *scratch);

#endif
