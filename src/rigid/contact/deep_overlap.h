/* Deep overlaps: bodies inside one another by the hundred, as when a thousand are put at one point.
 * There are far more pairs than bodies can have neighbours. No body that is outside the others is
 * ever in one. */
#ifndef RIGID_DEEP_OVERLAP_H
#define RIGID_DEEP_OVERLAP_H

#include "rigid/contact/contact_stages.h"

typedef struct DeepOverlaps {
    const RigidBodies *bodies;
    const Frame *frames; /* one a partner */
    int32_t *deep;       /* one a body: how many others it is inside of */
    int32_t *pairs;      /* one a body: near pairs with others that are in a deep overlap too */
} DeepOverlaps;

/* Counts who is inside whom among the near pairs; takes scratch memory that the caller releases. */
PlimStatus deep_overlaps_find(const RigidBodies *bodies, const StepInfo *step, const Frame *frames,
                              DeepOverlaps *out);

/* Whether both bodies of a pair are in a deep overlap. */
bool deep_overlaps_hold(const DeepOverlaps *overlaps, BroadPair pair);

/* Leaves out near pairs of deep overlaps, so that a body keeps about as many as it could have
 * neighbours. All other pairs stay. */
void deep_overlaps_thin(const DeepOverlaps *overlaps, RigidContacts *contacts);

/* The deepest point alone: where all is inside all, more say nothing. */
void deep_overlaps_keep_deepest(ContactPoints *points);

#endif
