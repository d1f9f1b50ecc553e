/* Volume conservation of a level set: what its motion loses or makes is given back where that
 * happened.
 *
 * A level set knows no volume: advection, the correction by particles and redistancing each lose or
 * gain some, most where a surface breaks. What flows through the faces of cells does balance. So
 * before a step the part of each cell that will be liquid is predicted from fluxes, and after it
 * the level set is shifted, near to where its own parts differ from those, by as much as makes the
 * two agree within a few cells. It is no shift of the surface as a whole: nothing moves farther
 * away than the smoothing reaches (about three cells; more where a drop ends with no surface around
 * it), nor by more than a cell in a step. */
#ifndef GRID_VOLUME_RESTORE_H
#define GRID_VOLUME_RESTORE_H

#include "base/scratch.h"
#include "grid/field.h"

typedef struct VolumeFlow {
    const GridField
        *velocity[3];    /* m/s, on faces, halo filled; without divergence near the liquid */
    double *const *open; /* of faces: part outside solids; an axis NULL: all of it */
    const double *solid; /* m, at nodes, compact, positive outside; NULL: there are no solids */
    const int32_t *separated; /* of cells: 1: air comes in through its walls; NULL: none is */
    bool has_sources;         /* liquid may be made within itself: the velocity diverges there */
    const int32_t *made;      /* of cells: not 0 where it is; NULL: anywhere */
    /* As `solid`, of those alone that never move; NULL: none moves. Bodies that touch squeeze
     * liquid out of gaps finer than the grid: what no surface takes beside them goes on through
     * them. */
    const double *obstacles;
    /* Continues a level set into solids, as the next step will find it there, and fills its halo;
     * NULL: field_fill_halo does, and there are no solids. */
    PlimStatus (*go_on)(const void *user, GridField *phi);
    /* Of what comes in through an open side beside a cell, the part that is liquid; NULL: none. */
    double (*liquid_beyond)(const void *user, int axis, int end, const int cell[3]);
    const void *user;
    double dt; /* s */
    int threads;
    Scratch *scratch;
} VolumeFlow;

/* Parts of cells (compact) that are liquid after dt: those of `phi` (m, at cells or nodes, a
 * distance beside the surface, halo filled) now, less what flows out. Of liquid that flows through
 * a face the swept volume counts, to second order. *left: what leaves through open sides, m^3. */
PlimStatus volume_predict(const VolumeFlow *flow, const GridField *phi, double *parts,
                          double *left);

/* Shifts `phi` so that its volume fractions are those predicted and the deficit of earlier steps,
 * smoothed. `parts`: fractions, predicted on entry, those of phi on return; `deficit`: what earlier
 * steps left to be given back, and what is left then. */
PlimStatus volume_restore(const VolumeFlow *flow, GridField *phi, double *parts, double *deficit);

#endif
