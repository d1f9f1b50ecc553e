/* Glass panes: Schlick's reflection of the surroundings, a greenish tint, bright rims. */
#include "render/glass.h"

/* Of the tank's longest side. Panes stand that far outside, so that water does not lie in them. */
static const double gap = 0.002, rim_width = 0.006;

/* Light through one pane; `rim` is the share of its edge, where glass is seen from the side. */
static Light through_pane(const Look *look, Vec3 direction, int axis, double rim, Light light) {
    static const Vec3 tint = {0.925, 0.965, 0.95}, edge = {0.42, 0.62, 0.55};
    double facing = fabs(vec3_component(direction, axis)), away = 1.0 - facing;
    double mirrored = 0.05 + 0.55 * away * away * away * away * away;
    Vec3 bounced = axis == 0 ? vec3(-direction.x, direction.y, direction.z)
                             : vec3(direction.x, direction.y, -direction.z);
    Vec3 own = vec3_scale(mirrored, shade_background(look, bounced));
    own = vec3_add_scaled(vec3_scale(1.0 - rim, own), rim, edge);
    Vec3 share = vec3_scale((1.0 - mirrored) * (1.0 - rim), tint);
    light.steady = vec3_add(own, shade_tint(share, light.steady));
    light.ambient = shade_tint(share, light.ambient);
    light.sun = shade_tint(share, light.sun);
    return light;
}

/* How much of the pixel at a point of a pane is within the width of its lower and upright edges;
 * below 0: beside the pane. The upper edge is as wide. */
static double rim_share(const double from_edges[4], double width, double pixel) {
    double nearest = HUGE_VAL;
    for (int i = 0; i < 4; i++) nearest = fmin(nearest, from_edges[i]);
    return nearest < 0.0 ? -1.0 : fmin(fmax(0.5 + (width - nearest) / pixel, 0.0), 1.0);
}

static Light through_tank(const RenderGlass *tank, const Look *look, Vec3 eye, Vec3 direction,
                          double distance, Light light) {
    Vec3 size = vec3_sub(tank->high, tank->low);
    double longest = fmax(size.x, fmax(size.y, size.z)), out = gap * longest;
    for (int pane = 0; pane < 4; pane++) {
        int axis = pane < 2 ? 0 : 2, other = 2 - axis;
        double along = vec3_component(direction, axis);
        double plane = pane & 1 ? vec3_component(tank->high, axis) + out
                                : vec3_component(tank->low, axis) - out;
        double at = (plane - vec3_component(eye, axis)) / along;
        if (!(at > 0.0 && at < distance)) continue;
        Vec3 point = vec3_add_scaled(eye, at, direction);
        double across = vec3_component(point, other);
        const double from_edges[4] = {point.y - tank->low.y, tank->high.y - point.y,
                                      across - vec3_component(tank->low, other) + out,
                                      vec3_component(tank->high, other) + out - across};
        double rim = rim_share(from_edges, rim_width * longest, at * look->pixel_angle);
        if (rim >= 0.0) light = through_pane(look, direction, axis, 0.75 * rim, light);
    }
    return light;
}

Light glass_look(const RenderGlass *glass, size_t count, const Look *look, Vec3 eye, Vec3 direction,
                 double distance, Light light) {
    for (size_t i = 0; i < count; i++)
        light = through_tank(&glass[i], look, eye, direction, distance, light);
    return light;
}
