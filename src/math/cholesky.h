/* Cholesky factorisation: symmetric positive definite systems of a few to a hundred unknowns, rows
 * one after the other. */
#ifndef MATH_CHOLESKY_H
#define MATH_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces the lower triangle of A by its factor L, A = L L^T. False when A is not positive
 * definite; A is then of no use. */
bool cholesky_factor(double *a, size_t n);

/* Replaces b by A^-1 b, with the factor of A. */
void cholesky_solve(const double *factor, size_t n, double *b);

#endif
