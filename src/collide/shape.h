/* Collision shapes, what a body looks like to those it meets: a distance field, and one of three
 * ways to sample its surface. Shared by all bodies of equal shape. */
#ifndef COLLIDE_SHAPE_H
#define COLLIDE_SHAPE_H

#include "collide/polyhedron.h"
#include "collide/round.h"
#include "collide/shell.h"

typedef struct CollideShape {
    Solid solid;            /* of the field, in the axes of the triangles */
    bool has_field;         /* false: a thin shell, which has no inside */
    RoundCore core;         /* kind ROUND_NONE: not round */
    Polyhedron *polyhedron; /* NULL: not a convex polyhedron of few faces */
    SampleTree *samples;    /* NULL: round, or without end */
    Shell *shell;           /* NULL: it has an inside */
    LevelSet *level_set;    /* owned; NULL: the solid is known in closed form */
    SolidConvex *convex;    /* owned, of the polyhedron; NULL: the solid is another */
    Box3 box;               /* own axes; HUGE_VAL where it has no end */
} CollideShape;

typedef struct CollideShapeDesc {
    const TriangleMesh *mesh; /* own axes; NULL: without end */
    const Solid *primitive;   /* in the same axes; NULL: of a convex mesh its faces tell distances,
                                 of others a level set that is made from it */
    RoundCore core;
    double shell; /* m, thickness of a mesh that is open and has no inside; 0: it has one. The
                     arrays of the mesh must then outlive the shape */
    int cells;    /* of a level set; 0: as LevelSetOptions choose */
} CollideShapeDesc;

PlimStatus collide_shape_create(PlimContext *context, const CollideShapeDesc *desc,
                                CollideShape *out);
void collide_shape_free(PlimContext *context, CollideShape *shape);

/* Points where a and b are within `margin` of each other; normals point from b to a. */
void collide_shapes(const CollideShape *a, const Frame *at_a, const CollideShape *b,
                    const Frame *at_b, double margin, ContactPoints *points);

#endif
