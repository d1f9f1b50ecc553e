/* Values between the values of the grid, in two and three dimensions.
 *
 * Linear in each axis, with its transpose (scatter): a force at a point goes back to the faces that
 * gave the point its velocity, in the same shares. Cubic in each axis and monotone: never outside
 * the values at the corners of the cell of values around the point.
 *
 * A point beyond the outermost values of an axis that is not periodic (between a wall and the first
 * cell centre, or outside the grid) has the value on the nearest point of their hull; a periodic
 * axis wraps. */
#ifndef GRID_INTERPOLATE_H
#define GRID_INTERPOLATE_H

#include "grid/field.h"

/* ---- linear, compact arrays ---- */

/* The values around a point and their shares, which add up to 1. In two dimensions 4, else 8. On a
 * periodic axis the doubled last layer has no share: only the first is read, and only it gets
 * something from a scatter. */
typedef struct LinearStencil {
    int count;
    size_t index[8]; /* in a compact array */
    double weight[8];
} LinearStencil;

LinearStencil linear_stencil(const Grid *grid, GridPlace place, Vec3 point);

static inline double linear_gather(const LinearStencil *stencil, const double *values) {
    double sum = 0;
    for (int i = 0; i < stencil->count; i++) sum += stencil->weight[i] * values[stencil->index[i]];
    return sum;
}

/* The transpose: adds `amount` to the values, in the shares in which they are gathered. */
static inline void linear_scatter(const LinearStencil *stencil, double amount, double *values) {
    for (int i = 0; i < stencil->count; i++)
        values[stencil->index[i]] += stencil->weight[i] * amount;
}

/* ---- one point of a field whose halo is filled ---- */

/* Needs a halo of 1. */
double field_sample_linear(const GridField *field, Vec3 point);

/* Needs a halo of 2. Hermite cubics with central slopes, along x, then y, then z. Limiter: between
 * two values a slope against their difference is made zero, and one steeper than 3 times it is made
 * 3 times (Fritsch and Carlson 1980, each interval on its own). Third order where the function has
 * no extremum within the interval, second order there and next to sides that are not periodic. Not
 * linear in the values, so there is no transpose. */
double field_sample_cubic(const GridField *field, Vec3 point);

/* ---- many points ---- */

/* Linear interpolation at fixed points as a matrix, points x values of a compact array;
 * solve/interpolation_map.h makes a linear map of it. */
typedef struct Interpolation {
    PlimContext *context;
    size_t points, values;
    int corners;    /* entries of a row */
    size_t *index;  /* of each entry: the value, row by row */
    double *weight; /* of each entry */
    /* The entries of each value in the order of the points: the transpose adds up in this order, so
     * its bits are the same for any number of threads. */
    size_t *start; /* values + 1 */
    size_t *entry;
} Interpolation;

PlimStatus interpolation_create(PlimContext *context, const Grid *grid, GridPlace place,
                                const Vec3 *points, size_t count, Interpolation **out);
void interpolation_destroy(Interpolation *interpolation);

/* samples = A values, and values = A^T samples. */
void interpolation_apply(const Interpolation *interpolation, const double *values, double *samples);
void interpolation_apply_transpose(const Interpolation *interpolation, const double *samples,
                                   double *values);

#endif
