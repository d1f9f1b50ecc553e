/* Interpolation at points as a linear map: points x values. */
#ifndef SOLVE_INTERPOLATION_MAP_H
#define SOLVE_INTERPOLATION_MAP_H

#include "grid/interpolate.h"
#include "solve/linear_map.h"

static inline void interpolation_map_apply(const void *object, const double *x, double *y) {
    interpolation_apply(object, x, y);
}

static inline void interpolation_map_apply_transpose(const void *object, const double *x,
                                                     double *y) {
    interpolation_apply_transpose(object, x, y);
}

/* Borrows the interpolation. */
static inline LinearMap interpolation_map(const Interpolation *interpolation) {
    return (LinearMap){.object = interpolation,
                       .rows = interpolation->points,
                       .columns = interpolation->values,
                       .apply = interpolation_map_apply,
                       .apply_transpose = interpolation_map_apply_transpose};
}

#endif
