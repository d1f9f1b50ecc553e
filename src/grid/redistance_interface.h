/* Redistancing at the interface: the distance of a value beside the zero set of a level set, from
 * its neighbours. */
#ifndef GRID_REDISTANCE_INTERFACE_H
#define GRID_REDISTANCE_INTERFACE_H

#include "grid/value_set.h"

/* What is known around the value, all times its own sign: own values count as positive. */
typedef struct InterfaceValues {
    double own;            /* m, not negative */
    double near[3][2];     /* low and high neighbours of each axis */
    bool crossed[3][2];    /* whether the zero set lies before that neighbour */
    double diagonal[3][4]; /* across axes (0, 1), (0, 2), (1, 2): low low, high low, low high, .. */
    bool on_side[3][4];    /* diagonal neighbours of the same sign */
} InterfaceValues;

/* m, not negative. At least one neighbour is across. */
double interface_distance(const InterfaceValues *values, int axes, double spacing);

#endif
