/* What frames show of the fluid. */
#ifndef FLUID_VIEW_H
#define FLUID_VIEW_H

#include "fluid/internal.h"

PlimStatus fluid_view_frame(const void *system, const StepInfo *step, FrameView *view);

#endif
