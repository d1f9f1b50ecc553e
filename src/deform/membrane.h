/* Membrane elements: triangles in space whose deformation gradient F is 3 x 2, from the plane of
 * the triangle at rest, with the laws of plane stress. F = Q F2 with an orthonormal Q, so that the
 * energy is that of F2 and P = Q P2. Pure functions of one element, finite for collapsed ones. */
#ifndef DEFORM_MEMBRANE_H
#define DEFORM_MEMBRANE_H

#include "deform/law.h"

/* F has a third column of zeros. The law has dim 2 and moduli in N/m (Pa times the thickness), and
 * is not the linear one, which knows no rotations. */
double membrane_stress(const ElementLaw *law, Mat3 f, Mat3 *stress);

/* dP/dF in N/m, 6 x 6 and symmetric, row by row, index 2 i + j for F_ij: in the plane that of the
 * law; across it n n^T (x) S, S being the second Piola-Kirchhoff stress. `project`: both without
 * their eigenvalues below zero. Stretches below 1e-3 count as that in S. */
void membrane_stiffness(const ElementLaw *law, Mat3 f, bool project, double *h);

/* The largest eigenvalue of that, N/m, or a little more. */
double membrane_stiffest(const ElementLaw *law, Mat3 f);

/* Area now over that at rest. */
double membrane_area_ratio(Mat3 f);

#endif
