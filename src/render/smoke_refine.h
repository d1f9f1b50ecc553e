/* Smoke on a grid twice as fine: cells of a coarse one would be seen. */
#ifndef RENDER_SMOKE_REFINE_H
#define RENDER_SMOKE_REFINE_H

#include "render/smoke.h"

/* Values between those of a padded array by Catmull and Rom's cubics along each axis, kept within
 * the eight around. `to` is padded, too, and has two cells for each along every axis; its padding
 * is left alone. The values are taken `gain` times. */
void smoke_refine(const Smoke *coarse, const float *from, double gain, const Smoke *fine, float *to,
                  int threads);

#endif
