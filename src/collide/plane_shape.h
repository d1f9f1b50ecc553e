/* Contact in two dimensions, bodies of the plane z = 0 (dim: 2): the cut of a shape with it, and
 * where two cuts touch. All vectors have z = 0, so that what follows from them does not leave the
 * plane. */
#ifndef COLLIDE_PLANE_SHAPE_H
#define COLLIDE_PLANE_SHAPE_H

#include "collide/contact.h"
#include "geom/mesh/mesh.h"
#include "geom/mesh/section.h"

#include <stdbool.h>

typedef enum PlaneKind {
    PLANE_EMPTY, /* the plane does not cut it */
    PLANE_ROUND, /* a disc, or a disc that was drawn along a segment */
    PLANE_LOOPS, /* closed polygons, counter-clockwise about the inside */
    PLANE_HALF   /* all of one side of a line */
} PlaneKind;

typedef struct PlaneEdge {
    Vec3 from, to; /* m */
    Vec3 normal;   /* unit, out of the inside */
    int32_t previous, next;
} PlaneEdge;

/* In axes of its own, about the centre of mass. */
typedef struct PlaneShape {
    PlaneKind kind;
    Vec3 ends[2];  /* m, of a round one's core; equal for a disc */
    double radius; /* m, about the core */
    Vec3 normal;   /* unit, out of a half plane */
    double offset; /* m: x is outside a half plane where normal . x > offset */
    PlaneEdge *edges;
    size_t count;
    bool convex;
    Vec3 center;  /* m, of a circle around it */
    double reach; /* m, its radius; HUGE_VAL for a half plane */
    double size;  /* m, the shorter side of the box around it; HUGE_VAL for a half plane */
    double area;  /* m^2 */
} PlaneShape;

PlaneShape plane_shape_round(Vec3 from, Vec3 to, double radius);
PlaneShape plane_shape_half(Vec3 normal, double offset);
/* What the plane cuts out of a closed surface that lies in it as the frame says. */
PlimStatus plane_shape_cut(PlimContext *context, const TriangleMesh *mesh, const Frame *frame,
                           PlaneShape *out);
/* Area and moments, exactly; not of a half plane. */
Section plane_shape_section(const PlaneShape *shape);
void plane_shape_free(PlimContext *context, PlaneShape *shape);

/* The distance to the outline, negative inside, and the way out of it. */
typedef struct PlaneSide {
    double distance; /* m */
    Vec3 normal;     /* unit */
} PlaneSide;
PlaneSide plane_shape_side(const PlaneShape *shape, Vec3 p);

/* Points where a and b are within `margin` of each other; normals point from b to a. Frames turn
 * about z alone. */
void plane_contact(const PlaneShape *a, const Frame *at_a, const PlaneShape *b, const Frame *at_b,
                   double margin, ContactPoints *points);

#endif
