/* Contact of rigid bodies in a coupled solve with a fluid. */
#ifndef RIGID_COUPLED_CONTACT_H
#define RIGID_COUPLED_CONTACT_H

#include "rigid/bodies.h"
#include "system/contact.h"

extern const ContactClass rigid_coupled_contact;

/* Whether a body that a fluid moves is in contact: the coupled solve sees to it then. */
bool rigid_contact_is_wet(const RigidBodies *bodies);
/* While contact is coupled: rows of points that hold, and what points that slide give to each
 * velocity, six a body (added). */
void rigid_contact_join(const void *system, const StepInfo *step, SolveWhen when,
                        const DofPartners *partners, DofRows *rows);
void rigid_contact_impulses(const RigidBodies *bodies, double *impulse);

#endif
