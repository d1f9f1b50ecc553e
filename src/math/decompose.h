/* Decompositions of 3x3 matrices: eigenvalues, SVD, polar decomposition. All work for any finite
 * input, zero and singular included. */
#ifndef MATH_DECOMPOSE_H
#define MATH_DECOMPOSE_H

#include "math/mat.h"

/* A = V diag(values) V^T for symmetric A: values descending, the columns of V a right-handed
 * orthonormal frame. Cyclic Jacobi: accurate to rounding for close and equal values. */
void symmetric_eigen(Mat3 a, Vec3 *values, Mat3 *vectors);

/* F = U diag(sigma) V^T with U and V rotations (determinant +1) and |sigma| descending. For
 * det F < 0 the last singular value, the smallest in size, is negative: an inverted element is
 * taken as inverted along its thinnest direction. */
void svd_rotations(Mat3 f, Mat3 *u, Vec3 *sigma, Mat3 *v);

/* F = R S with R a rotation and S symmetric (indefinite when F is inverted). */
void polar_decompose(Mat3 f, Mat3 *rotation, Mat3 *stretch);

#endif
