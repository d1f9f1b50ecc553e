/* Eigenvalues of symmetric 6x6 matrices: those of the motions of one rigid body. */
#ifndef MATH_EIGEN6_H
#define MATH_EIGEN6_H

/* A = V diag(values) V^T: the columns of V are orthonormal, values in no order. Cyclic Jacobi. A is
 * destroyed. */
void symmetric_eigen6(double a[6][6], double values[6], double vectors[6][6]);

#endif
