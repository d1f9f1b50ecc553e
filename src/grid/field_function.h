/* A quantity given as a function of place and time: by the scene, or by a program that links the
 * library. */
#ifndef GRID_FIELD_FUNCTION_H
#define GRID_FIELD_FUNCTION_H

#include "math/vec.h"

#include <stdbool.h>

typedef struct FieldFunction {
    /* NaN where it has no value; called from several threads at once. NULL: `constant`. */
    double (*evaluate)(const void *user, Vec3 x, double t);
    const void *user;
    double constant;
    bool uses_time, uses_place; /* false: it does not change with t, or with x */
} FieldFunction;

static inline double field_function_at(const FieldFunction *function, Vec3 x, double t) {
    return function->evaluate ? function->evaluate(function->user, x, t) : function->constant;
}

/* False when it is 0 everywhere, always. */
static inline bool field_function_is_set(const FieldFunction *function) {
    return function->evaluate || function->constant != 0;
}

#endif
