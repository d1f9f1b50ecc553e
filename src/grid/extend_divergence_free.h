/* Divergence-free extension: velocities beyond a liquid's surface that make no volume. */
#ifndef GRID_EXTEND_DIVERGENCE_FREE_H
#define GRID_EXTEND_DIVERGENCE_FREE_H

#include "base/scratch.h"
#include "grid/field.h"

/* Velocities that were continued into the air (grid/extend.h) keep their value along the normal, so
 * a stretching liquid would not thin as fast there as it does inside, and gain volume where its
 * surface lies in the air's half of a cell. Here the cells of the air nearer to the liquid than
 * `band` (m) are visited in order of distance; each has what flows out of it in excess taken from
 * its faces farther from the liquid, in the shares of the squared normal. Like this the flow goes
 * on without divergence, each face set once, but never faster than the fastest face of the
 * cell: where surfaces meet, what must leave through a narrow way may be anything. Where all faces
 * lead back to liquid nothing can be done.
 *
 * `faces`: one field an axis; `distance`: of cells, m, halo filled; `fixed[a]` (compact, 1 or 0):
 * faces that stay, as those of liquid and walls do. Only cells whose faces are all whole are
 * treated: `open[a]` (compact parts of faces; NULL: all). */
PlimStatus fields_extend_divergence_free(GridField *const faces[3], const GridField *distance,
                                         unsigned char *const fixed[3], double *const open[3],
                                         double band, Scratch *scratch);

#endif
