/* Angles of bending: the dihedral angle between two triangles that share an edge (000
 * section 3.2.2), in the plane that between two segments; its gradient and second derivatives in
 * closed form. Pure functions of one hinge, finite where triangles or segments have collapsed. */
#ifndef DEFORM_HINGE_H
#define DEFORM_HINGE_H

#include "math/mat.h"

/* Corners: the edge x0 to x1, then those across of the triangles 0 1 2 and 1 0 3. In the plane
 * three: x0 is the joint, x1 comes before it, x2 after. */
typedef struct Hinge {
    int count;           /* 4, or 3 in the plane */
    double least_edge;   /* m: a shorter edge or segment counts as that long */
    double least_height; /* m: likewise the triangles' heights over the edge */
} Hinge;

/* In (-pi, pi], by atan2: 0 when flat, positive when x2 and x3 lie on the side that the normals of
 * the triangles point to; in the plane positive when the chain turns to the left. Folded flat onto
 * itself is where it jumps. gradient: 1/m, `count` of them, or NULL. */
double hinge_angle(const Hinge *hinge, const Vec3 *x, Vec3 *gradient);

/* Second derivatives, 1/m^2: h[count * i + j] for corners i and j, symmetric as a whole. */
void hinge_second(const Hinge *hinge, const Vec3 *x, Mat3 *h);

/* b - a, less the full turn when it is more than a half. */
double hinge_change(double a, double b);

#endif
