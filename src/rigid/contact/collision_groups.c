/* Collision groups: near pairs of bodies that do not meet are left out. */
#include "rigid/contact/collision_groups.h"

void collision_groups_part(RigidBodies *bodies) {
    BroadPair *pairs = bodies->contacts.near.items.data;
    size_t kept = 0, count = bodies->contacts.near.items.count;
    for (size_t p = 0; p < count; p++)
        if (collision_groups_meet(bodies, (size_t)pairs[p].a, (size_t)pairs[p].b))
            pairs[kept++] = pairs[p];
    bodies->contacts.near.items.count = kept;
}
