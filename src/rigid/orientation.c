/* Orientation update of a free body with exact energy and momentum (002 section 2.2). */
#include "rigid/orientation.h"

#include <float.h>

Vec3 orientation_angular_velocity(const BodyInertia *inertia, Quat orientation,
                                  Vec3 angular_momentum) {
    Vec3 momentum = quat_rotate_inverse(orientation, angular_momentum);
    return quat_rotate(orientation, mat3_apply(inertia->inverse, momentum));
}

double orientation_energy(const BodyInertia *inertia, Quat orientation, Vec3 angular_momentum) {
    Vec3 momentum = quat_rotate_inverse(orientation, angular_momentum);
    return 0.5 * vec3_dot(momentum, mat3_apply(inertia->inverse, momentum));
}

Quat orientation_advance(const BodyInertia *inertia, Quat orientation, Vec3 angular_momentum,
                         double dt, int order) {
    /* In body axes every product with I^-1 is one with the constant I0^-1. */
    Vec3 momentum = quat_rotate_inverse(orientation, angular_momentum);
    Vec3 omega = mat3_apply(inertia->inverse, momentum);
    Vec3 u = vec3_scale(dt, omega);
    if (order >= 2) {
        Vec3 torque = vec3_cross(momentum, omega);        /* L* omega */
        Vec3 rate = mat3_apply(inertia->inverse, torque); /* d omega / dt = I^-1 L* omega */
        u = vec3_add_scaled(u, 0.5 * dt * dt, rate);
        if (order >= 3) {
            /* (omega* I^-1 - 2 I^-1 omega* + 2 I^-1 L* I^-1) L* omega / 12 */
            Vec3 inner = vec3_sub(vec3_cross(momentum, rate), vec3_cross(omega, torque));
            Vec3 third =
                vec3_add_scaled(vec3_cross(omega, rate), 2.0, mat3_apply(inertia->inverse, inner));
            u = vec3_add_scaled(u, dt * dt * dt / 12.0, third);
        }
    }
    /* e^{u*} R with u = R u_body is R e^{u_body*}. */
    return quat_normalize(quat_multiply(orientation, quat_exp(u)));
}

/* A turn about `axis`, in body axes, by the angle with this cosine and sine. */
typedef struct Turn {
    Vec3 axis;
    double cosine, sine;
} Turn;

/* 002 section 2.2.3. The turn about an axis at right angles to L that changes the kinetic energy by
 * -excess. The document's sign of y holds for a > 0; for the fallback axes a may be negative, and
 * a x y = k - c y^2 gives y the sign of a (k - c y^2). */
static bool solve_turn(const BodyInertia *inertia, Vec3 momentum, Vec3 axis, double energy,
                       double excess, bool last_resort, Turn *turn) {
    double length = vec3_length(axis);
    if (!(length > 0.0)) return false;
    Vec3 s = vec3_scale(1.0 / length, axis);
    Vec3 side = vec3_cross(s, momentum);
    Vec3 side_velocity = mat3_apply(inertia->inverse, side);
    double a = vec3_dot(momentum, side_velocity);
    double b = 0.5 * vec3_dot(side, side_velocity);
    double c = energy - b, r = hypot(c, a);
    /* On a whole turn k runs from (c - r) / 2 to (c + r) / 2. The last resort goes as far as it
     * can; before it, an axis that cannot do it, or moves the energy too weakly, is refused. */
    double k = excess;
    if (last_resort) {
        double least = c < 0.0 ? 0.5 * (c - r) : -0.5 * a * a / (r + c); /* without cancellation */
        double greatest = c > 0.0 ? 0.5 * (c + r) : 0.5 * a * a / (r - c);
        k = fmin(fmax(k, least), greatest);
    }
    double g = a * a + 4.0 * k * (c - k);
    if (!last_resort && (g < 0.0 || fabs(a) < 1e-6 * energy)) return false;
    double sum = fabs(a) + sqrt(fmax(g, 0.0)); /* its square is the document's p */
    double y = 2.0 * fabs(k) / hypot(sum, 2.0 * k);
    double x = hypot(sum, 2.0 * (c - k)) / (2.0 * r);
    double norm = hypot(x, y);
    if (!(norm > 0.0) || !isfinite(norm)) return false;
    bool negative = (k - c * y * y < 0.0) != (a < 0.0);
    *turn = (Turn){s, x / norm, (negative ? -y : y) / norm};
    return true;
}

/* 002 section 2.2.4: first the direction of steepest change, then towards the principal axis at
 * which the energy is least or greatest: on that way every reachable energy is met. */
static bool choose_turn(const BodyInertia *inertia, Vec3 momentum, double energy, double excess,
                        Turn *turn) {
    Vec3 omega = mat3_apply(inertia->inverse, momentum);
    Vec3 steepest = vec3_cross(momentum, omega);
    if (solve_turn(inertia, momentum, steepest, energy, excess, false, turn)) return true;
    /* A ball's energy changes by rounding alone, and to follow that would turn it anywhere. */
    if (fabs(excess) <= 32.0 * DBL_EPSILON * energy) return false;
    Vec3 extreme = excess > 0.0 ? inertia->greatest_axis : inertia->least_axis;
    return solve_turn(inertia, momentum, vec3_cross(momentum, extreme), energy, excess, true, turn);
}

Quat orientation_with_energy(const BodyInertia *inertia, Quat orientation, Vec3 angular_momentum,
                             double energy) {
    enum { MAX_TURNS = 4 }; /* one is exact in exact arithmetic; the rest remove rounding */
    for (int i = 0; i < MAX_TURNS; i++) {
        Vec3 momentum = quat_rotate_inverse(orientation, angular_momentum);
        double current = 0.5 * vec3_dot(momentum, mat3_apply(inertia->inverse, momentum));
        double excess = current - energy;
        if (fabs(excess) <= 2.0 * DBL_EPSILON * energy) break;
        Turn turn;
        if (!choose_turn(inertia, momentum, current, excess, &turn)) break;
        /* e^{u*} R = R e^{(R^T u)*}: the turn is about a body axis, from the right. */
        Quat step = quat_from_axis_cos_sin(turn.axis, turn.cosine, turn.sine);
        orientation = quat_normalize(quat_multiply(orientation, step));
    }
    return orientation;
}
