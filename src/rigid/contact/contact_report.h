/* The force of contact on each body, for probes: what collisions and contact changed of its
 * momentum in the step, over its length, so that m dv/dt = m g + F with the other forces. Bodies
 * that forces do not move, or that are held, have no such balance: theirs is the sum over their
 * points. Sleepers keep what they had in their last step, and what they lie on keeps their load. */
#ifndef RIGID_CONTACT_REPORT_H
#define RIGID_CONTACT_REPORT_H

#include "rigid/contact/contact_stages.h"

/* Nothing yet, for all that is awake. */
void contact_report_begin(RigidBodies *bodies);
/* The same of one that wakes. */
void contact_report_wake(RigidBodies *bodies, size_t i);

/* Around whatever changes the momenta of v^n or v^{n+1} by contact. */
void contact_report_before(RigidBodies *bodies);
void contact_report_after(RigidBodies *bodies);

/* Impulses of the collisions of this step, on bodies that have no balance. */
void contact_report_collisions(RigidBodies *bodies);
/* Impulses of the half step that change v^n too (contacts_keep_afloat), on the same. */
void contact_report_afloat(RigidBodies *bodies);
/* What contact gave in a coupled solve to a body that was solved for. */
void contact_report_coupled(RigidBodies *bodies, size_t i, const Vec3 impulse[2]);

/* Impulses become forces. Before bodies fall asleep; then what sleepers leave behind. */
void contact_report_end(RigidBodies *bodies, const StepInfo *step);
/* The points that press, for frames. */
PlimStatus contact_report_points(RigidBodies *bodies, const StepInfo *step);
PlimStatus contact_report_sleepers(RigidBodies *bodies, const StepInfo *step);

#endif
