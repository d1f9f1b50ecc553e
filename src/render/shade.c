/* Shading: sun, sky, fog, filtered checker ground. */
#include "render/shade.h"

/* A face straight to the sun gets the two lights' sum, about 1: colours come out as they went in.
 */
static const Vec3 sun_light = {0.83, 0.74, 0.61};
static const Vec3 sky_light = {0.24, 0.29, 0.37};    /* on a face that looks up */
static const Vec3 bounce_light = {0.15, 0.14, 0.13}; /* from the floor, on one that looks down */

static const Vec3 horizon = {0.76, 0.83, 0.90};
static const Vec3 zenith = {0.16, 0.33, 0.64};
static const Vec3 below = {0.46, 0.48, 0.51};
static const Vec3 tile_dark = {0.645, 0.667, 0.695}; /* of the light ones */

/* Share of haze beyond which the ground is not looked at. */
static const double haze_full = 0.996;

static Vec3 mix(Vec3 a, Vec3 b, double share) {
    return vec3_add_scaled(vec3_scale(1.0 - share, a), share, b);
}

Look shade_look(const RenderCamera *camera, const RenderOptions *options) {
    Vec3 tile = options->ground_color;
    double view = vec3_length(vec3_sub(camera->target, camera->position));
    tile = vec3(linear_from_srgb(tile.x), linear_from_srgb(tile.y), linear_from_srgb(tile.z));
    return (Look){.sun = vec3_normalize(options->sun),
                  .ground = options->ground,
                  .ground_height = options->ground_height,
                  .checker = options->checker,
                  .tile_light = tile,
                  .tile_dark = shade_tint(tile, tile_dark),
                  .fade = 4.0 * view,
                  .reach = 0.1 * view,
                  .pixel_angle = camera_view(camera, options->width, options->height).pixel_angle};
}

static Vec3 sky(double up) {
    double low = 1.0 - fmin(up, 1.0);
    return mix(horizon, zenith, 1.0 - low * low * low * low);
}

Vec3 shade_background(const Look *look, Vec3 direction) {
    if (direction.y > 0.0) return sky(direction.y);
    return look->ground ? horizon : mix(horizon, below, fmin(-direction.y, 1.0));
}

static double haze(const Look *look, double distance) {
    double depth = distance / look->fade, squared = depth * depth;
    return 1.0 - 1.0 / (1.0 + squared * squared);
}

double shade_ground_distance(const Look *look, Vec3 origin, Vec3 direction) {
    double height = origin.y - look->ground_height;
    if (!look->ground || height <= 0.0 || direction.y >= 0.0) return INFINITY;
    double distance = -height / direction.y;
    return haze(look, distance) < haze_full ? distance : INFINITY;
}

/* Mean of a wave of period 2 that is 1 and -1 in turn, over a width about x. */
static double square_wave(double x, double width) {
    double left = 0.5 * (x - 0.5 * width), right = 0.5 * (x + 0.5 * width);
    left = fabs(left - floor(left) - 0.5);
    right = fabs(right - floor(right) - 0.5);
    return 2.0 * (left - right) / width;
}

/* The checker is averaged over the pixel's footprint, which is long at a low angle: far tiles melt
 * into grey instead of flickering. */
Surface shade_ground(const Look *look, Vec3 origin, Vec3 direction, double distance,
                     double travelled) {
    Vec3 point = vec3_add_scaled(origin, distance, direction);
    double whole = travelled + distance, across = whole * look->pixel_angle / look->checker;
    double width_x = across * (1.0 + fabs(direction.x / direction.y));
    double width_z = across * (1.0 + fabs(direction.z / direction.y));
    double pattern = square_wave(point.x / look->checker, width_x) *
                     square_wave(point.z / look->checker, width_z);
    point.y = look->ground_height + 1e-5 * whole;
    return (Surface){.point = point,
                     .normal = {0, 1, 0},
                     .face = {0, 1, 0},
                     .albedo = mix(look->tile_dark, look->tile_light, 0.5 + 0.5 * pattern),
                     .distance = whole,
                     .shine = 0.0};
}

/* What a polished face mirrors: the sky above, the floor below, no sharp line between. */
static Vec3 surroundings(double up) {
    if (up > 0.0) return sky(up);
    return mix(horizon, below, fmin(-2.0 * up, 1.0));
}

static double power_64(double x) {
    for (int i = 0; i < 6; i++) x *= x;
    return x;
}

/* Blinn's highlight of the sun, and a reflection of the sky that grows towards the rim (Schlick).
 */
static void add_shine(const Look *look, const Surface *surface, Vec3 direction, double sunward,
                      Light *light) {
    Vec3 normal = surface->normal;
    double facing = fmax(-vec3_dot(normal, direction), 0.0);
    Vec3 half = vec3_normalize(vec3_sub(look->sun, direction));
    double highlight = power_64(fmax(vec3_dot(normal, half), 0.0));
    double gain = 0.45 * surface->shine * highlight * fmin(4.0 * sunward, 1.0);
    light->sun = vec3_add_scaled(light->sun, gain, sun_light);

    double rim = 1.0 - facing, rim_squared = rim * rim;
    double mirrored = surface->shine * (0.03 + 0.22 * rim_squared * rim_squared * rim);
    Vec3 around = surroundings(direction.y + 2.0 * facing * normal.y);
    light->ambient = vec3_add_scaled(light->ambient, mirrored, around);
}

/* Wider than the sun and less bright, so that few samples a pixel show it, with a wide gleam around
 * it as small ripples make. */
Vec3 shade_glint(const Look *look, Vec3 direction) {
    double off = 1.0 - vec3_dot(direction, look->sun);
    return vec3_scale(24.0 * exp(-off / 0.0025) + 5.0 * exp(-off / 0.02), sun_light);
}

/* A lens shows what is behind it upside down. */
Vec3 shade_bent_by_drop(const Surface *surface, Vec3 direction) {
    Vec3 normal = surface->normal;
    double facing = fmax(-vec3_dot(normal, direction), 0.0);
    Vec3 aside = vec3_add_scaled(normal, facing, direction);
    return vec3_normalize(vec3_add_scaled(direction, -1.2, aside));
}

static Light add_haze(const Look *look, const Surface *surface, Light light) {
    double lost = haze(look, surface->distance);
    light.steady = mix(light.steady, horizon, lost);
    light.ambient = vec3_scale(1.0 - lost, light.ambient);
    light.sun = vec3_scale(1.0 - lost, light.sun);
    return light;
}

/* A mirror at its rim, with the sun in it; clear in the middle. */
static Light drop_light(const Look *look, const Surface *surface, Vec3 direction, Vec3 behind) {
    Vec3 normal = surface->normal;
    double facing = fmax(-vec3_dot(normal, direction), 0.0), rim = 1.0 - facing;
    double mirrored = 0.02 + 0.98 * rim * rim * rim * rim * rim;
    Vec3 before = vec3_add_scaled(direction, 2.0 * facing, normal);
    return (Light){.steady = mix(behind, surroundings(before.y), mirrored),
                   .sun = vec3_scale(mirrored, shade_glint(look, before))};
}

Light shade_drop(const Look *look, const Surface *surface, Vec3 direction, Vec3 behind) {
    return add_haze(look, surface, drop_light(look, surface, direction, behind));
}

static Light shade_opaque(const Look *look, const Surface *surface, Vec3 direction) {
    Light light = {0};
    double sunward = fmax(vec3_dot(surface->normal, look->sun), 0.0);
    light.sun = vec3_scale(sunward, shade_tint(surface->albedo, sun_light));
    Vec3 around = mix(bounce_light, sky_light, 0.5 + 0.5 * surface->normal.y);
    light.ambient = shade_tint(surface->albedo, around);
    if (surface->shine > 0.0) add_shine(look, surface, direction, sunward, &light);
    if (surface->own > 0.0) {
        light.steady = vec3_scale(surface->own, surface->albedo);
        light.ambient = vec3_scale(1.0 - surface->own, light.ambient);
        light.sun = vec3_scale(1.0 - surface->own, light.sun);
    }
    return light;
}

Light shade_surface(const Look *look, const Surface *surface, Vec3 direction) {
    if (surface->drop == 0.0)
        return add_haze(look, surface, shade_opaque(look, surface, direction));
    Vec3 bent = shade_bent_by_drop(surface, direction);
    Vec3 behind = bent.y > 0.0 ? sky(bent.y) : mix(horizon, below, fmin(-4.0 * bent.y, 1.0));
    return shade_drop(look, surface, direction, behind);
}

/* Seen against the sun, smoke is brighter (Henyey and Greenstein's phase function, mean 1). */
static double scattering(double cosine) {
    const double g = 0.22;
    return (1.0 - g * g) / pow(1.0 + g * g - 2.0 * g * cosine, 1.5);
}

Vec3 shade_smoke(const Look *look, Vec3 direction, double sun, double sky, double glow) {
    static const Vec3 white = {0.90, 0.92, 0.95}, ember = {1.4, 0.42, 0.08};
    Vec3 around = mix(bounce_light, sky_light, 0.8);
    Vec3 light = vec3_scale(1.5 * sun * scattering(vec3_dot(look->sun, direction)), sun_light);
    light = shade_tint(white, vec3_add_scaled(light, sky, around));
    return vec3_add_scaled(light, glow, ember);
}
