/* What a pair of surfaces is like: tables of materials, static and kinetic friction, restitution,
 * surfaces that run as belts do (000 sections 2.6, 2.7). */
#ifndef RIGID_SURFACE_PAIRS_H
#define RIGID_SURFACE_PAIRS_H

#include "rigid/contact/contact_stages.h"

PlimStatus surface_pairs_add(RigidBodies *bodies, const PlimMaterialPair *pair);

/* Of two restitutions. */
double surface_pairs_restitution(const RigidBodies *bodies, double of_a, double of_b);
/* What the table of materials says of a pair, in place of what its bodies say. */
void surface_pairs_look_up(const RigidBodies *bodies, ContactPair *pair);

/* At x^n with v^n: pairs that slide have their kinetic friction in this step. A pair that begins to
 * slide has it from the next. */
void surface_pairs_choose_friction(RigidBodies *bodies, const StepInfo *step);

/* How fast the surface of a runs over that of b where they would be at rest, m/s, along both, at
 * the end of the step. */
void surface_pairs_run(const RigidBodies *bodies, const StepInfo *step, const ContactPair *pair,
                       ContactRow *row);

/* Whether the surface of a partner runs: it does work on what lies on it. */
bool surface_runs(const RigidBodies *bodies, size_t partner);

/* Names a body with a restitution where the ground has none: it does not bounce off it. */
void surface_pairs_tell_restitution(const RigidBodies *bodies);

#endif
