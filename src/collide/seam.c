/* Ghost contacts at seams of flush surfaces, by balls that try to touch from outside. */
#include "collide/seam.h"

/* Of the reach: the radius of the ball that tries. A ball one reach away from a wall at the worst
 * of eight angles does not touch it. */
static const double ball_part = 0.25;
/* Of the radius: as far off the surface a place counts as on it, and as near a ball may come. */
static const double on_surface = 1e-4, room = 1e-8;

double seam_distance(const SeamSurface *surface, Vec3 p) {
    Vec3 own = frame_to_own(surface->at, p);
    if (surface->cut) return plane_shape_side(surface->cut, own).distance;
    return surface->shape->has_field ? solid_distance(&surface->shape->solid, own) : HUGE_VAL;
}

bool seam_is_round(const SeamSurface *surface) {
    if (surface->cut) return surface->cut->kind == PLANE_ROUND;
    SolidKind kind = surface->shape->solid.kind;
    return surface->shape->core.kind != ROUND_NONE || kind == SOLID_CYLINDER || kind == SOLID_CONE;
}

/* The direction in which the distance grows. */
static Vec3 seam_direction(const SeamSurface *surface, Vec3 p) {
    Vec3 own = frame_to_own(surface->at, p);
    Vec3 out = surface->cut ? plane_shape_side(surface->cut, own).normal
                            : distance_normal(&surface->shape->solid, own);
    return mat3_apply(surface->at->axes, out);
}

/* The normal of a contact may be that of the other body's face, which leans, and its place a trifle
 * off the surface: what counts is where a ball that comes along the contact's normal would touch
 * the surface, and its own normal there. */
static void use_own_normal(const SeamSurface *surface, double radius, Vec3 *p, Vec3 *n) {
    const double alike = 0.7; /* cosine */
    Vec3 center = vec3_add_scaled(*p, radius, *n);
    double distance = seam_distance(surface, center);
    if (!(distance > 0.0 && distance < 2.0 * radius)) return;
    Vec3 own = seam_direction(surface, center);
    if (vec3_dot(own, *n) < alike) return;
    *p = vec3_add_scaled(center, -distance, own);
    *n = own;
}

typedef enum SeamPlace {
    PLACE_NONE,   /* not on the surface, or n is not its normal there */
    PLACE_HIDDEN, /* another surface is in the way of a ball there */
    PLACE_OPEN
} SeamPlace;

static SeamPlace try_place(const SeamSurface *surface, Vec3 p, Vec3 n, double radius,
                           const SeamSurface *others, size_t count) {
    Vec3 center = vec3_add_scaled(p, radius, n);
    double least = (1.0 - room) * radius;
    if (!(fabs(seam_distance(surface, p)) <= on_surface * radius) ||
        !(seam_distance(surface, center) >= least))
        return PLACE_NONE;
    for (size_t i = 0; i < count; i++)
        if (seam_distance(&others[i], center) < least) return PLACE_HIDDEN;
    return PLACE_OPEN;
}

/* The best of places around p. */
static SeamPlace try_around(const SeamSurface *surface, Vec3 p, Vec3 n, double away, double radius,
                            const SeamSurface *others, size_t count) {
    enum { AROUND = 8 };
    Vec3 s = surface->cut ? vec3(-n.y, n.x, 0) : vec3_any_orthogonal(n), t = vec3_cross(n, s);
    int step = surface->cut ? AROUND / 2 : 1; /* in a plane there are two ways */
    SeamPlace best = PLACE_NONE;
    for (int i = 0; i < AROUND && best != PLACE_OPEN; i += step) {
        double angle = i * (3.14159265358979323846 / 4.0);
        Vec3 way = vec3_add_scaled(vec3_scale(cos(angle), s), sin(angle), t);
        SeamPlace place =
            try_place(surface, vec3_add_scaled(p, away, way), n, radius, others, count);
        if (place > best) best = place;
    }
    return best;
}

bool seam_hides(const SeamSurface *surface, Vec3 p, Vec3 n, double partner_radius, double reach,
                const SeamSurface *others, size_t count) {
    /* What sank into a floor beside a wall is below the floor where it touches the wall: places
     * farther away are in the open again. */
    static const double rings[] = {1.0, 6.0, 40.0}; /* of the reach */
    double radius = ball_part * reach;
    double search = isfinite(partner_radius) ? partner_radius : 0.0;
    use_own_normal(surface, fmax(search, 2.0 * reach), &p, &n);
    SeamPlace best = try_place(surface, p, n, radius, others, count);
    for (size_t i = 0; i < sizeof rings / sizeof *rings && best != PLACE_OPEN; i++) {
        SeamPlace place = try_around(surface, p, n, rings[i] * reach, radius, others, count);
        if (place > best) best = place;
    }
    return best == PLACE_HIDDEN;
}
