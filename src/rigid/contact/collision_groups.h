/* Collision groups: who collides with whom; bodies of a joint do not. Still surfaces, the walls of
 * domains, hold everybody.
 */
#ifndef RIGID_COLLISION_GROUPS_H
#define RIGID_COLLISION_GROUPS_H

#include "rigid/bodies.h"

static inline bool collision_groups_meet(const RigidBodies *b, size_t i, size_t j) {
    if (rigid_is_still_surface(b, i) || rigid_is_still_surface(b, j)) return true;
    const struct RigidExtra *a = &b->extras.data[i], *c = &b->extras.data[j];
    if (b->joints.joined.count > 0 && joints_part(b, i, j)) return false;
    return (a->groups & c->collides_with) && (c->groups & a->collides_with);
}

/* Leaves out near pairs that do not meet. */
void collision_groups_part(RigidBodies *bodies);

#endif
