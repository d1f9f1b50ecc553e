/* Two polyhedra in common axes, for the separating axis test, and what the search for separating
 * planes hands to the cutting of faces. */
#ifndef COLLIDE_POLYHEDRON_POSE_H
#define COLLIDE_POLYHEDRON_POSE_H

#include "collide/polyhedron_data.h"

/* A polyhedron in the axes of the first of the pair. */
typedef struct PolyPose {
    const Polyhedron *shape;
    const PolyPoints *points;
    const PolyPlane *planes;
    const Vec3 *directions;
} PolyPose;

/* Corners of a face cut by the sides of another face. Both have fewer corners than faces. */
enum { POLYGON_MOST_CORNERS = 2 * POLYHEDRON_MOST_FACES };

typedef struct Polygon {
    Vec3 at[POLYGON_MOST_CORNERS];
    size_t count;
} Polygon;

void polygon_add(Polygon *polygon, Vec3 point);

/* Keeps what lies behind the plane, with a tolerance in m. */
void polygon_keep_behind(const Polygon *polygon, PolyPlane plane, double tolerance, Polygon *out);

/* Neighbours that are closer than `apart`, in m, become one. */
void polygon_drop_repeated(Polygon *polygon, double apart);

/* The corners of the face that is most against `normal` at the vertex nearest along it. */
void polyhedron_incident_polygon(const PolyPose *pose, Vec3 normal, Polygon *out);

/* Nearest points of two segments that are not parallel: p + s along_p, q + t along_q. */
void segments_nearest(Vec3 p, Vec3 along_p, Vec3 q, Vec3 along_q, Vec3 *on_p, Vec3 *on_q);

/* The part of the face of `other` that faces the reference face and lies over it, seen along the
 * reference normal. `tolerance` (m): corners this far outside count as inside; those closer to each
 * other than `apart` become one. */
void polyhedron_clip(const PolyPose *reference, size_t face, const PolyPose *other,
                     double tolerance, double apart, Polygon *out);

/* Drops corners of a convex polygon until `most` are left, each time the one that costs the least
 * area, but never the one lowest along `up`. */
void polygon_thin(Polygon *polygon, Vec3 up, size_t most);

/* The vertex farthest along `direction`; the first of equals. */
size_t polyhedron_support(const PolyPose *pose, Vec3 direction);

#endif
