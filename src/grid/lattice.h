/* Trilinear interpolation in the inner loops of advection: values of a field at many points whose
 * places among the values are known. Linear along z, then y, then x, in the same operations
 * whatever the width of the vectors: same bits on every path. */
#ifndef GRID_LATTICE_H
#define GRID_LATTICE_H

#include <stddef.h>

typedef struct LatticePoints {
    int count;
    const int *index;          /* of the lowest corner around each point, from `first` */
    const double *fraction[3]; /* of the way to the next value along each axis */
} LatticePoints;

/* out[i] = value at point i. stride: of neighbours along y and z; 0 for z in two dimensions. */
void lattice_sample(const double *first, ptrdiff_t y, ptrdiff_t z, const LatticePoints *points,
                    double *restrict out);

/* The least and greatest of the corners around each point. */
void lattice_bounds(const double *first, ptrdiff_t y, ptrdiff_t z, const int *index, int count,
                    double *restrict low, double *restrict high);

static inline double lattice_mix(double a, double b, double t) {
    return a + t * (b - a); /* exact where a == b, and for t == 0 */
}

static inline double lattice_square(const double *p, ptrdiff_t y, double fx, double fy) {
    return lattice_mix(lattice_mix(p[0], p[y], fy), lattice_mix(p[1], p[y + 1], fy), fx);
}

static inline double lattice_cube(const double *p, ptrdiff_t y, ptrdiff_t z, double fx, double fy,
                                  double fz) {
    double a = lattice_mix(p[0], p[z], fz), b = lattice_mix(p[1], p[z + 1], fz);
    double c = lattice_mix(p[y], p[y + z], fz), d = lattice_mix(p[y + 1], p[y + z + 1], fz);
    return lattice_mix(lattice_mix(a, c, fy), lattice_mix(b, d, fy), fx);
}

#endif
