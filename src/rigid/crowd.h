/* Bodies inside one another by the hundred, as when a thousand are put at one point: far more pairs
 * than bodies can have neighbours. No body that is outside the others is ever in a crowd. */
#ifndef RIGID_CROWD_H
#define RIGID_CROWD_H

#include "rigid/contact_stages.h"

typedef struct Crowd {
    const RigidBodies *bodies;
    const Frame *frames; /* one a body */
    int32_t *deep;       /* one a body: how many others it is inside of */
    int32_t *pairs;      /* one a body: near pairs with others that are in a crowd too */
} Crowd;

/* Counts who is inside whom among the near pairs; takes scratch memory that the caller releases. */
PlimStatus crowd_find(const RigidBodies *bodies, const StepInfo *step, const Frame *frames,
                      Crowd *out);

/* Whether both bodies of a pair are in a crowd. */
bool crowd_holds(const Crowd *crowd, BroadPair pair);

/* Leaves out near pairs of crowds, so that a body keeps about as many as it
 * could have neighbours. Pairs that no crowd holds all stay. */
void crowd_thin(const Crowd *crowd, RigidContacts *contacts);

/* The deepest point alone: where all is inside all, more say nothing. */
void crowd_keep_deepest(ContactPoints *points);

#endif
