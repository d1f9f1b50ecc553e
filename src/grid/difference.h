/* Central differences of a function of place: normals of surfaces that are given by a distance. */
#ifndef GRID_DIFFERENCE_H
#define GRID_DIFFERENCE_H

#include "math/vec.h"

typedef double (*PlaceFunction)(const void *user, Vec3 x);

/* f(x + step) - f(x - step) along each of the `dim` axes: 2 step times the gradient. Not divided,
 * for most want its direction alone. */
static inline Vec3 central_differences(PlaceFunction f, const void *user, Vec3 x, double step,
                                       int dim) {
    double difference[3] = {0, 0, 0};
    for (int axis = 0; axis < dim; axis++) {
        Vec3 by = vec3_scale(step, vec3_axis(axis));
        difference[axis] = f(user, vec3_add(x, by)) - f(user, vec3_sub(x, by));
    }
    return vec3_load(difference);
}

#endif
