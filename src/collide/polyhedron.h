/* Contact of convex polyhedra by the separating axis theorem: how far apart two of them are and
 * which corners of their overlap carry the load. Boxes, dominoes, arch stones and shards rest on
 * whole faces, and vertices in a distance field (sample.h) do not tell the normal where faces
 * meet. */
#ifndef COLLIDE_POLYHEDRON_H
#define COLLIDE_POLYHEDRON_H

#include "collide/contact.h"
#include "geom/mesh/mesh.h"

typedef struct Polyhedron Polyhedron;

/* A polyhedron with more faces is not worth the quadratic search. */
enum { POLYHEDRON_MOST_FACES = 48 };

/* From a closed mesh; triangles in one plane become one face. *out is NULL, with PLIM_OK, when the
 * surface is not convex (to 1e-6 of its size) or has too many faces. */
PlimStatus polyhedron_create(PlimContext *context, const TriangleMesh *mesh, Polyhedron **out);
void polyhedron_destroy(PlimContext *context, Polyhedron *polyhedron);

size_t polyhedron_face_count(const Polyhedron *polyhedron);

/* Signed distance of a point in the axes of a Polyhedron, m, and the unit direction in which it
 * grows: what SolidConvex asks for. */
double polyhedron_distance(const void *polyhedron, Vec3 x, Vec3 *normal);

/* Adds the points at which a and b are within `margin` of each other: the corners of the face of
 * one cut by the sides of the other's face, or the nearest points of two crossing edges. None when
 * a plane between them is more than `margin` wide. */
void polyhedron_contact(const Polyhedron *a, const Frame *at_a, const Polyhedron *b,
                        const Frame *at_b, double margin, ContactPoints *points);

#endif
