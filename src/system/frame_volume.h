/* Values at the cells of a fluid's grid in a frame: the volume and its arrays, for the system to
 * fill. */
#ifndef SYSTEM_FRAME_VOLUME_H
#define SYSTEM_FRAME_VOLUME_H

#include "grid/grid.h"
#include "system/frame_view.h"
#include "system/system.h"

typedef struct FrameVolumeDesc {
    const char *pattern; /* of its name, as for system_name */
    const Grid *grid;
    bool has_smoke; /* and temperature */
    bool has_level;
    bool solid_moves;           /* as of FrameVolume */
    const FrameMesh *obstacles; /* shown beside it; NULL: none */
} FrameVolumeDesc;

/* As of FrameVolume; NULL: the volume has none. In scratch memory, not yet set. */
typedef struct FrameVolumeArrays {
    float *velocity, *pressure, *smoke, *temperature, *level;
    int32_t *solid;
} FrameVolumeArrays;

/* Adds a volume over the cells of the grid; the caller fills its arrays. */
PlimStatus frame_add_volume(FrameView *view, const StepInfo *step, const FrameVolumeDesc *desc,
                            FrameVolumeArrays *out);

#endif
