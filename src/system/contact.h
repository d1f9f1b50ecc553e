/* Contact of a system's solids as part of a coupled solve.
 *
 * What touches is held by rows of the solve, so that fluid and solids agree on the motion that is
 * left; who pushes whom, sticks or slides is what the system's own contact solver says, given what
 * the fluid did to each body. couple/ goes from one to the other until they say the same: forces of
 * contact then fulfil all their conditions with the fluid's own forces among them. */
#ifndef SYSTEM_CONTACT_H
#define SYSTEM_CONTACT_H

#include "system/dofs.h"

/* Between begin and end the system's `join` offers the rows of what holds, and its `offer` the
 * impulses of what slides. `step` is the whole step at SOLVE_HALF_STEP too. */
struct ContactClass {
    /* Whether solids that a fluid moves have just bounced: the fluid that moves along with them is
     * to be told. `join` then offers rows that keep what bounces found, at SOLVE_IMPACT. */
    bool (*bounced)(const void *system, const StepInfo *step);
    /* Whether anything touches that a fluid moves; if not, nothing has begun. */
    PlimStatus (*begin)(void *system, const StepInfo *step, SolveWhen when, bool *touches);
    /* Contact anew with these loads; whether it says what the solve had been told. */
    PlimStatus (*settle)(void *system, const StepInfo *step, SolveWhen when, const DofLoad *load,
                         bool *agrees);
    /* Keeps what settle found for bodies that were not part of the solve; the others are handed
     * back after it. */
    PlimStatus (*end)(void *system, const StepInfo *step, SolveWhen when);
};

#endif
