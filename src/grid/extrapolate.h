/* Extrapolation to where values are not known: layer by layer, each the mean of its known
 * neighbours along the axes. */
#ifndef GRID_EXTRAPOLATE_H
#define GRID_EXTRAPOLATE_H

#include "base/scratch.h"
#include "grid/field.h"

/* `known` is 1 for values to keep and 0 for others (compact, like field_load's array); it is used
 * up. Values that no layer reaches become `fallback`. Only the interior is read and written;
 * periodic axes wrap. Serial: the unknown values are few. */
PlimStatus field_extrapolate(GridField *field, unsigned char *known, int layers, double fallback,
                             Scratch *scratch);

#endif
