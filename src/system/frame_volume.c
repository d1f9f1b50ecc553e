/* Values at the cells of a fluid's grid in a frame. */
#include "system/frame_volume.h"
#include "system/frame_liquid.h"

#include <stdint.h>
#include <stdio.h>

static PlimStatus take_arrays(const FrameVolumeDesc *desc, Scratch *scratch,
                              FrameVolumeArrays *out) {
    size_t cells = grid_cell_count(desc->grid);
    *out = (FrameVolumeArrays){.velocity = scratch_take(scratch, 3 * cells, sizeof(float)),
                               .pressure = scratch_take(scratch, cells, sizeof(float)),
                               .solid = scratch_take(scratch, cells, sizeof(int32_t))};
    if (!out->velocity || !out->pressure || !out->solid) return PLIM_OUT_OF_MEMORY;
    if (desc->has_smoke) {
        out->smoke = scratch_take(scratch, cells, sizeof(float));
        out->temperature = scratch_take(scratch, cells, sizeof(float));
        if (!out->smoke || !out->temperature) return PLIM_OUT_OF_MEMORY;
    }
    if (desc->has_level) {
        out->level = scratch_take(scratch, cells, sizeof(float));
        if (!out->level) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

PlimStatus frame_add_volume(FrameView *view, const StepInfo *step, const FrameVolumeDesc *desc,
                            FrameVolumeArrays *out) {
    const Grid *grid = desc->grid;
    TRY(take_arrays(desc, step->scratch, out));
    FrameVolume volume = {.name = frame_group_name(view, step, desc->pattern),
                          .dim = grid->dim,
                          .n = {grid->n[0], grid->n[1], grid->n[2]},
                          .spacing = grid->spacing,
                          .origin = {grid->origin.x, grid->origin.y, grid->origin.z},
                          .velocity = out->velocity,
                          .pressure = out->pressure,
                          .smoke = out->smoke,
                          .temperature = out->temperature,
                          .level = out->level,
                          .solid = out->solid,
                          .solid_moves = desc->solid_moves};
    if (!volume.name) return PLIM_OUT_OF_MEMORY;
    TRY(frame_view_add_volume(step->context, view, &volume));
    if (!desc->obstacles) return PLIM_OK;
    FrameMesh obstacles = *desc->obstacles;
    obstacles.name = scratch_take(step->scratch, SYSTEM_NAME_CAPACITY, 1);
    if (!obstacles.name) return PLIM_OUT_OF_MEMORY;
    snprintf((char *)(uintptr_t)obstacles.name, SYSTEM_NAME_CAPACITY, "%.*s.obstacles",
             SYSTEM_NAME_CAPACITY - 12, volume.name);
    return frame_view_add_mesh(step->context, view, &obstacles);
}
