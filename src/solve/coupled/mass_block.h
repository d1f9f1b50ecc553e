/* Mass blocks: velocities of a structure that share a mass matrix, in a coupled solve (002 section
 * 5.5.3). */
#ifndef SOLVE_MASS_BLOCK_H
#define SOLVE_MASS_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

enum { MASS_BLOCK_SIZE = 6 };

/* The six velocities of a rigid body, the linear part first, the angular part about its centre;
 * those of a node. */
typedef struct MassBlock {
    size_t first; /* of its velocities */
    int size;     /* 1 to MASS_BLOCK_SIZE */
    bool is_free; /* else its velocities are given and stay */
    /* kg, kg m, kg m^2: of a free block symmetric and positive definite, in a flow with the fluid
     * of the faces that it covers merged in (T^T B T). */
    double mass[MASS_BLOCK_SIZE][MASS_BLOCK_SIZE];
} MassBlock;

#endif
