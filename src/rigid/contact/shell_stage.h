/* The stage of thin shells: after all bodies have moved. */
#ifndef RIGID_SHELL_STAGE_H
#define RIGID_SHELL_STAGE_H

#include "rigid/bodies.h"

PlimStatus rigid_keep_shells_apart(RigidBodies *bodies, const StepInfo *step);

/* In shell_groups.c. Joins the shells of moving contacts, and moves each group as one rigid body
 * with the momenta it has; false: nothing was left to join or to stop. */
bool shell_groups_grow(RigidBodies *bodies, const CollisionPair *hits, size_t count);

/* A shell's nodes at the end of the step. */
void shell_place_nodes(RigidBodies *bodies, const ShellBody *shell);

/* The shells that meet at a pair. */
static inline void shell_pair(const RigidShells *shells, const CollisionPair *pair,
                              int32_t out[2]) {
    out[0] = shells->shell_of.data[pair->nodes[0]];
    out[1] = shells->shell_of.data[pair->nodes[pair->kind == EDGE_EDGE ? 2 : 1]];
}

#endif
