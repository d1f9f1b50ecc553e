/* Frames in the units and axes of other programs. */
#ifndef IO_EXPORT_SPACE_H
#define IO_EXPORT_SPACE_H

#include "io/export/exporter.h"

/* Scales lengths, and turns (x, y, z) to (x, -z, y) where z shall be up: places, velocities, poses,
 * grids with their order of cells. Pressure, stress and masses keep their units. */
PlimStatus export_space_apply(const ExportJob *job, FrameData *frame);

#endif
