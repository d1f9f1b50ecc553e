/* Ray casting against thickened triangles and segments (000 section 6.2.1, figure 6.3). A thickened
 * triangle is all that lies within half the thickness of it: the wedge of the figure with its edges
 * rounded. Wedges of neighbours overlap, and no ray slips between them. */
#ifndef GEOM_RAY_H
#define GEOM_RAY_H

#include "math/vec.h"

#include <stdbool.h>

/* How one point sees another past a thickened surface. */
typedef enum Visibility { VISIBLE, INSIDE, OCCLUDED } Visibility;

typedef struct RayHit {
    double t;          /* along the segment from..to: 0 at from, 1 at to */
    double weights[3]; /* barycentric coordinates of the hit (two for a segment) */
} RayHit;

/* Does the segment from..to meet the triangle, thickened by `thickness` (>= 0) in all directions?
 * The first meeting is reported: the first point of the segment within thickness / 2 of the
 * triangle. Rounding errs towards a hit, and whatever the thickness no segment passes a closed
 * surface between two of its triangles. Zero-area triangles are met as the segments or points they
 * are. */
bool ray_triangle(Vec3 from, Vec3 to, Vec3 a, Vec3 b, Vec3 c, double thickness, RayHit *hit);

/* The same in the plane z = 0 against a segment; z components are ignored. */
bool ray_segment_2d(Vec3 from, Vec3 to, Vec3 a, Vec3 b, double thickness, RayHit *hit);

/* The segment from..to made ready to be tried against many primitives; same answers. */
typedef struct RayProbe {
    Vec3 from;
    Vec3 along, side, up; /* an orthonormal frame, `along` towards `to` */
    double length;        /* 0: a point */
    double radius;        /* half the thickness */
} RayProbe;

RayProbe ray_probe(Vec3 from, Vec3 to, double thickness);
bool ray_probe_triangle(const RayProbe *probe, Vec3 a, Vec3 b, Vec3 c, RayHit *hit);
/* A probe and a segment in the plane z = 0. */
bool ray_probe_segment_2d(const RayProbe *probe, Vec3 a, Vec3 b, RayHit *hit);

#endif
