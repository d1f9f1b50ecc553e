/* Broad phase, which boxes overlap: a uniform grid for boxes of about the same size, all against
 * all for the few large ones (000 section 2.4). */
#ifndef COLLIDE_BROAD_H
#define COLLIDE_BROAD_H

#include "base/array.h"
#include "base/scratch.h"
#include "geom/query/box.h"

typedef struct BroadPair {
    int32_t a, b; /* a < b */
} BroadPair;

typedef struct BroadPairs {
    ARRAY(BroadPair) items; /* by a, then b */
} BroadPairs;

/* All pairs of overlapping boxes of which at least one is `active`. Boxes may be without end. */
PlimStatus broad_pairs(PlimContext *context, Scratch *scratch, const Box3 *boxes,
                       const bool *active, size_t count, BroadPairs *out);

#endif
