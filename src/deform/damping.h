/* Damping of finite elements and its factor C (002 section 5.5.1): the damping stress is linear in
 * the velocity gradient, and its operator is C^T C. */
#ifndef DEFORM_DAMPING_H
#define DEFORM_DAMPING_H

#include "math/mat.h"

/* alpha and beta in Pa s: alpha = a lambda and beta = a mu with the coefficient a in seconds. Both
 * at least 0. */
typedef enum DampingForm {
    /* Viscosity of the Green strain: E' = sym(F^T F'), P = F (alpha tr(E') I + 2 beta E'). It bears
     * no torque (P F^T is symmetric) and does not resist rotation. */
    DAMPING_GREEN,
    /* That of the document: X = U^T F' V with the singular vectors of F,
     * P = U (alpha tr(X) I + beta X + beta X^T) V^T. A stretched element feels a torque. */
    DAMPING_DIAGONAL
} DampingForm;

/* The first Piola-Kirchhoff stress in Pa for F and its rate F' in 1/s, both in the upper left
 * dim x dim part; the rest of the stress is 0. */
void damping_stress(DampingForm form, int dim, double alpha, double beta, Mat3 f, Mat3 rate,
                    Mat3 *stress);

/* Adds factor times the operator that takes F' to P, dim^2 x dim^2, index dim*i+j: C^T C. */
void damping_add_operator(DampingForm form, int dim, double alpha, double beta, Mat3 f,
                          double factor, double *h);

/* C: rows over the dim^2 entries of F' (index dim*i+j), one after the other, with P:F' = |C F'|^2
 * and C^T C F' = P. Rows xx, yy, xy in 2D; xx, yy, zz, xy, xz, yz in 3D. Returns how many. To have
 * -dt D of an element, scale them by the root of dt and its volume at rest. */
int damping_rows(DampingForm form, int dim, double alpha, double beta, Mat3 f,
                 double *rows /* [6*9] */);

#endif
