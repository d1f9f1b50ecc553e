/* Thin rigid shells that never pass through each other (000 section 2.14). Contact keeps their
 * walls apart (collide/shell.h). What would cross in spite of it is stopped after the move: the
 * vertices go on straight lines, impulses where they meet go to the bodies, and what still meets
 * moves as one. */
#ifndef RIGID_SHELLS_H
#define RIGID_SHELLS_H

#include "base/array.h"
#include "collide/mesh/mesh_collision.h"
#include "math/quat.h"

/* Counts of a step. */
typedef struct ShellFigures {
    double hits, passes;
    double joined; /* shells that had to move as one with another */
    double still;  /* of those: that stood still */
    double left;   /* pairs of triangles that cross */
} ShellFigures;

/* One that takes part. */
typedef struct ShellBody {
    size_t body;
    size_t first_node;
    bool moves;         /* impulses move it */
    int32_t group;      /* the least shell that it moves with; its own number: none */
    bool stands;        /* its group does */
    Vec3 from, to;      /* m, centre of mass at t^n and t^{n+1} */
    Quat turned, turns; /* orientation then */
    Vec3 wanted;        /* m, where it went without the others */
    Quat wanted_turn;
} ShellBody;

typedef struct RigidShells {
    MeshCollision *collision; /* NULL: there are less than two shells */
    size_t body_count;        /* of all bodies, when this was made */
    ARRAY(ShellBody) shells;
    ARRAY(int32_t) shell_of; /* of each node */
    ARRAY(Vec3) x0;
    ARRAY(Vec3) x1;
    ARRAY(int32_t) kind;
    bool knows_crossings, has_warned;
    ShellFigures figures;
} RigidShells;

void shells_free(PlimContext *context, RigidShells *shells);

#endif
