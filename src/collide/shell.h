/* Contact of two thin shells, of which neither has an inside (000 section 2.14): points of one near
 * triangles of the other, and edges near edges. The middles of their walls stay on the sides of
 * each other that they are on. */
#ifndef COLLIDE_SHELL_H
#define COLLIDE_SHELL_H

#include "collide/sample.h"
#include "geom/query/bvh.h"

typedef struct Shell {
    Bvh *triangles;
    SampleTree *samples; /* all vertices, and all edges at which it bends or ends */
    double thickness;    /* m */
} Shell;

/* Borrows the arrays of the mesh, which must outlive it. */
PlimStatus shell_create(PlimContext *context, const TriangleMesh *mesh, double thickness,
                        Shell **out);
void shell_destroy(PlimContext *context, Shell *shell);

/* Adds points where the walls are within `margin` of each other. Normals point from b to a. */
void shell_contact(const Shell *a, const Frame *at_a, const Shell *b, const Frame *at_b,
                   double margin, ContactPoints *points);

#endif
