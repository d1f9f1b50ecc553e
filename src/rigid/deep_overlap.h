/* Bodies inside one another by the hundred, as when a thousand are put at one point: far more pairs
 * than bodies can have neighbours. No body that is outside the others is ever in a overlaps. */
#ifndef RIGID_DEEP_OVERLAP_H
#define RIGID_DEEP_OVERLAP_H

#include "rigid/contact_stages.h"

typedef struct DeepOverlaps {
    const RigidBodies *bodies;
    const Frame *frames; /* one a body */
    int32_t *deep;       /* one a body: how many others it is inside of */
    int32_t *pairs;      /* one a body: near pairs with others that are in a overlaps too */
} DeepOverlaps;

/* Counts who is inside whom among the near pairs; takes scratch memory that the caller releases. */
PlimStatus deep_overlaps_find(const RigidBodies *bodies, const StepInfo *step, const Frame *frames,
                              DeepOverlaps *out);

/* Whether both bodies of a pair are in a overlaps. */
bool deep_overlaps_hold(const DeepOverlaps *overlaps, BroadPair pair);

/* Leaves out near pairs of crowds, so that a body keeps about as many as it
 * could have neighbours. Pairs that no overlaps holds all stay. */
void deep_overlaps_thin(const DeepOverlaps *overlaps, RigidContacts *contacts);

/* The deepest point alone: where all is inside all, more say nothing. */
void deep_overlaps_keep_deepest(ContactPoints *points);

#endif
