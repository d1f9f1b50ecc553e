/* Step limits of what is given as a function of time. */
#include "system/step_limit.h"

#include <math.h>

/* Of a few moments in dt. */
static double fastest_within(GivenSpeed speed, const void *user, double t, double dt) {
    enum { MOMENTS = 4 };
    double fastest = 0;
    for (int i = 0; i <= MOMENTS; i++) fastest = fmax(fastest, speed(user, t + dt * i / MOMENTS));
    return fastest;
}

/* dt times the greatest speed within dt never falls as dt grows: halved in the logarithm. Where a
 * flow passes zero it is a dt^2, and the first middle is the answer. */
double step_limit_given(GivenSpeed speed, const void *user, double t, double dt, double way) {
    enum { ROUNDS = 6 };
    const double near = 1.1, rounding = 1e-9;
    double longest = fmin(dt, way / fmax(speed(user, t), 0));
    double fastest = fastest_within(speed, user, t, longest);
    if (!(longest * fastest > way * (1 + rounding))) return longest < dt ? longest : HUGE_VAL;
    double shortest = way / fastest;
    for (int i = 0; i < ROUNDS && longest > near * shortest; i++) {
        double middle = sqrt(shortest * longest);
        fastest = fastest_within(speed, user, t, middle);
        if (middle * fastest <= way) {
            shortest = middle;
        } else {
            longest = middle;
            shortest = fmax(shortest, way / fastest);
        }
    }
    return shortest;
}

double immersed_speed(const ImmersedCollider *collider, int dim, double t) {
    const SurfaceRef *ref = &collider->ref;
    Collider at = collider->now;
    if (immersed_is_obstacle(collider)) return 0;
    if (!ref->class->read_ahead || !ref->class->read_ahead(ref->system, ref->surface, t, &at))
        surface_read(ref, &at);
    double spin = vec3_length(at.angular_velocity);
    return vec3_length(at.velocity) + (spin > 0 ? spin * collider_reach(&at, dim) : 0);
}
