/* A signed distance cut off at a box; its zeros on edges by regula falsi. */
#include "geom/level_set/boxed_field.h"

double boxed_field_at(const BoxedField *field, Vec3 p) {
    Vec3 c = box3_center(field->box), h = vec3_sub(field->box.high, c);
    double beyond = fmax(fmax(fabs(p.x - c.x) - h.x, fabs(p.y - c.y) - h.y), fabs(p.z - c.z) - h.z);
    if (beyond > 0.0) return beyond;
    double value = field->sample(field->user, p);
    return value < beyond ? beyond : value; /* NaN stays NaN */
}

/* Regula falsi, halving the value kept at an end that does not move (the Illinois rule). */
double boxed_field_zero(const BoxedField *field, Vec3 from, double scale, Vec3 direction, double a,
                        double b) {
    enum { MAX_STEPS = 60 };
    double low = 0.0, high = 1.0, t = 0.5, tolerance = 1e-10;
    for (int i = 0, last = 0; i < MAX_STEPS && high - low > tolerance; i++) {
        t = low + (high - low) * (a / (a - b));
        if (!(t > low && t < high)) t = 0.5 * (low + high);
        double value = boxed_field_at(field, vec3_add_scaled(from, scale * t, direction));
        if (fabs(value) <= tolerance * field->spacing) break;
        if (value < 0.0) {
            low = t, a = value;
            if (last < 0) b *= 0.5;
            last = -1;
        } else {
            high = t, b = value;
            if (last > 0) a *= 0.5;
            last = 1;
        }
    }
    return t;
}
