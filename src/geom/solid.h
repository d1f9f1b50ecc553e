/* Signed distance functions of solids: primitives in closed form, surfaces through their level
 * sets, and unions, intersections and differences of them. Negative inside. */
#ifndef GEOM_SOLID_H
#define GEOM_SOLID_H

#include "geom/level_set/level_set.h"
#include "math/quat.h"

typedef enum SolidKind {
    SOLID_BOX,        /* size: full edge lengths */
    SOLID_BALL,       /* radius */
    SOLID_CYLINDER,   /* radius, height along y */
    SOLID_CAPSULE,    /* radius, height of the straight part along y */
    SOLID_TORUS,      /* radius to the middle of the tube, tube; hole along y */
    SOLID_CONE,       /* radius of the base at -height/2, apex at +height/2 on y */
    SOLID_HALF_SPACE, /* everything below the plane y = 0 of its own axes */
    SOLID_FIELD,      /* a level set, borrowed */
    SOLID_CONVEX,     /* a convex polyhedron, borrowed */
    SOLID_UNION,
    SOLID_INTERSECTION,
    SOLID_DIFFERENCE /* the first child less all others */
} SolidKind;

/* A convex polyhedron, by who knows its faces. */
typedef struct SolidConvex {
    /* Exact signed distance, m, and the unit direction in which it grows. */
    double (*distance)(const void *polyhedron, Vec3 p, Vec3 *direction);
    const void *polyhedron;
    Box3 box;
} SolidConvex;

typedef struct Solid Solid;

struct Solid {
    SolidKind kind;
    double size[3], radius, tube, height; /* m */
    const LevelSet *field;
    const SolidConvex *convex;
    Quat orientation; /* own axes to the parent's */
    Vec3 position;    /* m, of the own origin in the parent */
    double scale;     /* own lengths to the parent's; 1 */
    const Solid *children;
    size_t child_count;
};

/* A solid of a kind, in place, of unit size; fill in the rest. */
Solid solid_default(SolidKind kind);

/* Distance to the surface, negative inside. Exact for a primitive; for combinations the zero set is
 * exact and the value elsewhere a lower bound of the distance. */
double solid_distance(const Solid *solid, Vec3 p);

/* A box around it; HUGE_VAL where it has no end. */
Box3 solid_bounds(const Solid *solid);

/* A copy of the whole tree; level sets stay borrowed. NULL: memory is out. */
Solid *solid_copy(PlimContext *context, const Solid *solid);
void solid_destroy(PlimContext *context, Solid *solid); /* one that solid_copy made, or NULL */

/* Of everything that shapes it; level sets and polyhedra count by which they are, not by their
 * values. */
uint64_t solid_hash(uint64_t hash, const Solid *solid);

/* Its surface as closed triangles, from the distance on a grid of `cells` along the longest side.
 * Sharp edges are cut by up to a cell. PLIM_BAD_INPUT for a solid without end or with nothing
 * inside. */
PlimStatus solid_to_mesh(PlimContext *context, const Solid *solid, int cells, TriangleMesh *out);

#endif
