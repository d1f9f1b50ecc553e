/* Step limits of what is given as a function of time: flows, paths, inflows, sources. What is slow
 * now may be fast before a step ends, so the whole step counts. */
#ifndef SYSTEM_STEP_LIMIT_H
#define SYSTEM_STEP_LIMIT_H

#include "system/immersed.h"

/* m/s, the greatest at time t; what is not a number counts as 0. */
typedef double (*GivenSpeed)(const void *user, double t);

/* The longest part of a step of dt from t in which nothing goes further than `way` (m) at the
 * greatest speed that there is in it, s; HUGE_VAL: all of it. */
double step_limit_given(GivenSpeed speed, const void *user, double t, double dt, double way);

/* How fast the outermost point of a collider is at time t, m/s: of one on a given path by the path,
 * of others as they move now. */
double immersed_speed(const ImmersedCollider *collider, int dim, double t);

#endif
