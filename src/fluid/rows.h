/* Loops over the places of a grid, and where they are. */
#ifndef FLUID_ROWS_H
#define FLUID_ROWS_H

#include "fluid/fluid.h"

/* Where a value is; the doubled last layer of a periodic axis is the first. */
Vec3 fluid_position(const Grid *grid, GridPlace place, int i, int j, int k);

/* What work on the faces across one axis is given. */
typedef struct FluidAxis {
    Fluid *fluid;
    int axis;
} FluidAxis;

/* Loops over rows of values along x: `row` counts j + ny k. */
typedef void (*FluidRow)(void *user, int j, int k);
void fluid_for_rows(const Grid *grid, GridPlace place, int threads, FluidRow body, void *user);

#endif
