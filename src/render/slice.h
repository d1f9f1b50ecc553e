/* A picture of a cut through a fluid: colour for speed, threads along the flow, grey obstacles. */
#ifndef RENDER_SLICE_H
#define RENDER_SLICE_H

#include "render/image.h"
#include "system/frame_view.h"

/* Of velocities within the cut: the plane z = const through the middle. m/s. */
double slice_greatest_speed(const FrameVolume *volume);

/* Fills the image with the cut, as large as fits. `full_speed` (m/s, above 0) has the last colour
 * of the scale. The threads are noise smeared along streamlines (line integral convolution; Cabral
 * and Leedom 1993). Same bits for any thread count. */
PlimStatus slice_draw(PlimContext *context, const FrameVolume *volume, double full_speed,
                      Image *image);

#endif
