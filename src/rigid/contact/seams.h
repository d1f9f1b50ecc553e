/* Ghost contacts between bodies: points on edges that lie hidden in seams. */
#ifndef RIGID_SEAMS_H
#define RIGID_SEAMS_H

#include "collide/seam.h"
#include "rigid/contact/contact_stages.h"

typedef struct SeamSearch {
    const SeamSurface *surfaces; /* one a partner */
    const Box3 *boxes;           /* around them, with what they may reach in the step */
    const double *reach;         /* m, half their diagonals; HUGE_VAL without end */
    ContactPoints *found;        /* one a near pair */
} SeamSearch;

/* Takes out of the points of near pairs those that run into a seam between flush bodies. */
PlimStatus contacts_drop_ghosts(const RigidBodies *bodies, const StepInfo *step,
                                const SeamSearch *search);

#endif
