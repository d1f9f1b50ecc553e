/* A signed distance cut off at a box, and root finding on the edges of a lattice: what isosurface
 * stuffing asks of its field. */
#ifndef GEOM_BOXED_FIELD_H
#define GEOM_BOXED_FIELD_H

#include "geom/query/box.h"

typedef struct BoxedField {
    double (*sample)(void *user, Vec3 p); /* m, negative inside */
    void *user;
    Box3 box;
    double spacing; /* m, of the lattice: what is small against it counts as zero */
} BoxedField;

/* The field in the box, the distance to the box outside, where the field is not asked. */
double boxed_field_at(const BoxedField *field, Vec3 p);

/* The fraction t, between 0 and 1, at which the field is zero on the edge from + t (scale
 * direction), whose value is a < 0 at its start and b > 0 at its end. */
double boxed_field_zero(const BoxedField *field, Vec3 from, double scale, Vec3 direction, double a,
                        double b);

#endif
