/* Decompositions of 3x3 and 2x2 matrices: eigenvalues, SVD, polar decomposition. All work for any
 * finite input, zero and singular included. */
#ifndef MATH_DECOMPOSE_H
#define MATH_DECOMPOSE_H

#include "math/mat.h"

/* A = V diag(values) V^T for symmetric A: values descending, the columns of V a right-handed
 * orthonormal frame. Cyclic Jacobi: accurate to rounding for close and equal values. */
void symmetric_eigen(Mat3 a, Vec3 *values, Mat3 *vectors);

/* The values alone, descending, in closed form: several times as fast, and within 1e-7 of the
 * largest in size; close ones lose half their digits. For entries from 1e-75 to 1e75 in size. */
Vec3 symmetric_eigenvalues(Mat3 a);

/* F = U diag(sigma) V^T with U and V rotations (determinant +1) and |sigma| descending. For
 * det F < 0 the last singular value, the smallest in size, is negative: an inverted element is
 * taken as inverted along its thinnest direction. */
void svd_rotations(Mat3 f, Mat3 *u, Vec3 *sigma, Mat3 *v);

/* The same in the plane, for the upper left 2x2 part of F: U and V turn about z. sigma.z is 1, so
 * that F = U diag(sigma) V^T with F_33 = 1. */
void svd_rotations_2(Mat3 f, Mat3 *u, Vec3 *sigma, Mat3 *v);

/* F = R S with R a rotation and S symmetric (indefinite when F is inverted). */
void polar_decompose(Mat3 f, Mat3 *rotation, Mat3 *stretch);

#endif
