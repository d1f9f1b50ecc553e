/* What systems of liquids share in showing themselves in a frame: names of groups, the surface,
 * drops. */
#ifndef SYSTEM_FRAME_LIQUID_H
#define SYSTEM_FRAME_LIQUID_H

#include "geom/mesh/mesh.h"
#include "system/frame_view.h"
#include "system/system.h"

/* The name of a group that a system adds to a frame, in scratch memory; NULL when memory is out.
 * `pattern` is as for system_name. */
const char *frame_group_name(const FrameView *view, const StepInfo *step, const char *pattern);

/* Adds a copy of the mesh as the group "liquid" or "NAME.liquid", clear, with these velocities of
 * its vertices (m/s, 3 each; borrowed, as long as the view) and the part of light that a metre
 * takes (1/m). */
PlimStatus frame_add_liquid(FrameView *view, const StepInfo *step, const TriangleMesh *mesh,
                            const float *velocities, const float absorption[3]);

/* As of FramePoints. In scratch memory, not yet set. */
typedef struct FrameDropArrays {
    float *positions, *velocities, *radii;
} FrameDropArrays;

/* Adds `count` drops with the part of light that a metre takes (1/m); the caller fills the arrays.
 * `pattern` is as for system_name. */
PlimStatus frame_add_drops(FrameView *view, const StepInfo *step, const char *pattern, size_t count,
                           const float absorption[3], FrameDropArrays *out);

#endif
