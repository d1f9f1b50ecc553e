/* Shapes of rigid bodies: triangles about the centre of mass and the exact solid that they stand
 * for, shared by bodies of equal description. */
#ifndef RIGID_SHAPE_H
#define RIGID_SHAPE_H

#include "base/array.h"
#include "base/index_table.h"
#include "collide/shape.h"
#include "geom/mesh/mass.h"
#include "geom/mesh/mesh.h"
#include "plimsoll/rigid.h"

/* Every number of a description, in a form without padding: equal keys, equal shapes. */
typedef struct ShapeKey {
    double numbers[7];
    int64_t counts[5];
    uint64_t content; /* of a mesh: hash of its arrays and of its solid */
} ShapeKey;

typedef struct RigidShape {
    PlimShapeDesc desc;
    ShapeKey key;
    TriangleMesh mesh; /* centre of mass at the origin */
    Solid *solid;      /* exact, in the shape's own axes; NULL: a mesh without one */
    /* The same about centres of mass: mostly one, in a plane one for each way that it is cut. */
    ARRAY(Solid *) centered;
    MassProperties mesh_mass; /* of the triangles */
    MassProperties mass;      /* of the solid that they stand for */
    double ball_radius;       /* m, of a ball of equal volume */
    Box3 box; /* around it, in the axes of the triangles; without end for a half space */
    CollideShape collide; /* made when a body of this shape first comes near another */
    double inner_radius;  /* m, of a ball about the centre of mass that is inside; 0: none */
    bool can_collide;     /* both were made */
} RigidShape;

typedef struct ShapeLibrary {
    ARRAY(RigidShape) shapes;
    IndexTable by_desc;
} ShapeLibrary;

PlimShapeDesc shape_desc_default(PlimShapeKind kind);

/* Volume, centre and inertia of the triangles: of what they enclose, or of a shell. */
/* What it looks like, in its own axes. */
PlimStatus shape_triangles(PlimContext *context, const PlimShapeDesc *desc, TriangleMesh *mesh);

MassProperties shape_mesh_mass(const PlimShapeDesc *desc, const TriangleMesh *mesh);
/* Those of the solid that the triangles stand for; a mesh stands for itself. */
MassProperties shape_mass(const PlimShapeDesc *desc, const MassProperties *mesh_mass);

/* The true surface that the triangles stand for, in axes about `center`; false for a mesh. */
bool shape_solid(const PlimShapeDesc *desc, Vec3 center, Solid *solid);

/* The index of the shape with this description, made when it is new. `solid` is what a mesh stands
 * for, in the same axes; it is copied, but for its level sets, which must outlive the library.
 * NULL: a primitive, or the mesh is all there is. */
PlimStatus shape_library_get(PlimContext *context, ShapeLibrary *library, const PlimShapeDesc *desc,
                             const Solid *solid, size_t *index);
/* The shape's solid in axes about `center`, for as long as the library lives; *out is NULL where
 * the shape has none. */
PlimStatus shape_centered_solid(PlimContext *context, RigidShape *shape, Vec3 center,
                                const Solid **out);
/* Makes what contact needs of a shape, unless it is there. */
PlimStatus shape_prepare_contact(PlimContext *context, RigidShape *shape);

void shape_library_free(PlimContext *context, ShapeLibrary *library);

#endif
