/* Cells in which surfaces of several bodies meet, or a body and a wall (shared_cells.c). */
#ifndef FLUID_SHARED_CELLS_H
#define FLUID_SHARED_CELLS_H

#include "fluid/fluid.h"

enum { SHARED_RIMS = 6, SHARED_OPEN = -1, SHARED_WALL = -2 };

typedef struct SharedCell {
    size_t cell;
    int at[3];
    /* Of each face: the collider that closes it, among the fluid's own; SHARED_OPEN: nothing does;
     * SHARED_WALL: a wall of the domain, which stays. */
    int32_t owner[3][2];
    double closed[3][2];     /* its part that is closed */
    bool is_film;            /* it has no pressure of its own */
    size_t rim[SHARED_RIMS]; /* of a film the nearest cells that have one, all equally far */
    int rim_count;           /* 0: none is reached */
    /* Of its weight that the liquid there rests on what is below with; of films the mean of their
     * rims, air counting 0. */
    double part_at_rest;
} SharedCell;

/* Finds them, where colliders are now. */
PlimStatus fluid_find_shared_cells(Fluid *fluid, const StepInfo *step);
/* Adds what films push into their rims to the faces that colliders close. */
PlimStatus fluid_add_film_faces(Fluid *fluid);
/* Adds what the weight of the liquid in shared cells does to colliders to the hydrostatic
 * corrections. */
void fluid_add_shared_weights(Fluid *fluid, const StepInfo *step);
bool fluid_is_shared(const Fluid *fluid, size_t cell);
/* Whether different surfaces meet in a cell, or one a wall beside it. */
bool fluid_lies_between(const Fluid *fluid, size_t cell);

#endif
