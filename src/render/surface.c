/* Ray-surface hits: intersection, occlusion, interpolated normals. */
#include "render/surface.h"

static Vec3 load(const float *from) {
    return vec3((double)from[0], (double)from[1], (double)from[2]);
}

static struct RTCRay make_ray(Vec3 origin, Vec3 direction, double far) {
    return (struct RTCRay){.org_x = (float)origin.x,
                           .org_y = (float)origin.y,
                           .org_z = (float)origin.z,
                           .dir_x = (float)direction.x,
                           .dir_y = (float)direction.y,
                           .dir_z = (float)direction.z,
                           .tfar = (float)far,
                           .mask = ~0u};
}

RayHit surface_find(RTCScene scene, Vec3 origin, Vec3 direction, double far) {
    struct RTCRayHit found = {
        .ray = make_ray(origin, direction, far),
        .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene, &context, &found);
    const struct RTCHit *hit = &found.hit;
    if (hit->geomID == RTC_INVALID_GEOMETRY_ID) return (RayHit){.distance = INFINITY};
    Vec3 outward = vec3((double)hit->Ng_x, (double)hit->Ng_y, (double)hit->Ng_z);
    return (RayHit){.distance = (double)found.ray.tfar,
                    .outward = vec3_normalize(outward),
                    .u = (double)hit->u,
                    .v = (double)hit->v,
                    .geometry = hit->geomID,
                    .primitive = hit->primID};
}

bool surface_blocks(RTCScene scene, Vec3 origin, Vec3 direction) {
    struct RTCRay ray = make_ray(origin, direction, INFINITY);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(scene, &context, &ray);
    return ray.tfar < 0.0f;
}

bool surface_normal(const TriangleStore *store, const RayHit *hit, bool flipped, Vec3 *out) {
    const float *normals = store->normals + 9 * (size_t)hit->primitive;
    Vec3 normal = vec3_scale(1.0 - hit->u - hit->v, load(normals));
    normal = vec3_add_scaled(normal, hit->u, load(normals + 3));
    normal = vec3_add_scaled(normal, hit->v, load(normals + 6));
    normal = vec3_scale(flipped ? -1.0 : 1.0, vec3_normalize(normal));
    if (!(vec3_dot(normal, *out) > 0.1)) return false;
    *out = normal;
    return true;
}

/* A flat triangle in place of a curved surface would shade itself in steps near the edge of the
 * light, so the point that shadow rays start from is raised to the surface that the normals tell of
 * (Hanika 2021). */
static void raise_point(const TriangleStore *store, const RayHit *hit, bool flipped,
                        Surface *surface) {
    const float *normals = store->normals + 9 * (size_t)hit->primitive;
    const uint32_t *corners = store->triangles + 3 * (size_t)hit->primitive;
    const double weights[3] = {1.0 - hit->u - hit->v, hit->u, hit->v};
    Vec3 lift = vec3(0, 0, 0);
    for (int c = 0; c < 3; c++) {
        Vec3 there = vec3_scale(flipped ? -1.0 : 1.0, load(normals + 3 * c));
        Vec3 offset = vec3_sub(surface->point, load(store->vertices + 3 * (size_t)corners[c]));
        lift = vec3_add_scaled(lift, -weights[c] * fmin(vec3_dot(offset, there), 0.0), there);
    }
    surface->point = vec3_add(surface->point, lift);
}

/* The place along the scale between a triangle's corners; no number: none. */
static double share_of_hit(const TriangleStore *store, const RayHit *hit) {
    if (!store->shares) return NAN;
    const uint32_t *corners = store->triangles + 3 * (size_t)hit->primitive;
    return (1.0 - hit->u - hit->v) * (double)store->shares[corners[0]] +
           hit->u * (double)store->shares[corners[1]] + hit->v * (double)store->shares[corners[2]];
}

/* Every other square of a checkered surface is pale. */
static Vec3 checkered(const TriangleStore *store, const RayHit *hit, Vec3 color) {
    const double pale = 0.7;
    if (!store->checks) return color;
    const uint32_t *corners = store->triangles + 3 * (size_t)hit->primitive;
    const double weights[3] = {1.0 - hit->u - hit->v, hit->u, hit->v};
    double place[2] = {0, 0};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 2; k++)
            place[k] += weights[c] * (double)store->checks[2 * (size_t)corners[c] + (size_t)k];
    double odd = fmod(fabs(floor(place[0]) + floor(place[1])), 2.0);
    if (!(odd > 0.5)) return color; /* no number: plain */
    return vec3_add_scaled(vec3_scale(1 - pale, color), pale, vec3(0.9, 0.9, 0.88));
}

/* A colour that stands for a value must be recognised on the dark side, too. */
static const double value_own = 0.6;

/* Not seen: it tells how much a drop counts among what light comes from. */
static const Vec3 drop_color = {0.72, 0.82, 0.88};

Surface surface_of_hit(const RenderScene *scene, const RayHit *hit, Vec3 origin, Vec3 direction,
                       double travelled) {
    Surface surface = {.point = vec3_add_scaled(origin, hit->distance, direction),
                       .distance = travelled + hit->distance,
                       .shine = 1.0};
    bool flipped = vec3_dot(hit->outward, direction) > 0.0;
    surface.normal = surface.face = vec3_scale(flipped ? -1.0 : 1.0, hit->outward);
    if (hit->geometry == GEOMETRY_SPHERES) {
        surface.albedo = load(scene->sphere_colors + 3 * (size_t)hit->primitive);
    } else if (hit->geometry == GEOMETRY_DROPS) {
        surface.albedo = drop_color;
        surface.drop = 2.0 * (double)scene->drops[hit->primitive].along;
    } else {
        const TriangleStore *store = &scene->bodies;
        double share = share_of_hit(store, hit);
        Vec3 plain = load(store->colors + 3 * (size_t)hit->primitive);
        surface.albedo =
            isnan(share) ? checkered(store, hit, plain) : color_at(&scene->scale, share);
        if (!isnan(share)) {
            surface.own = value_own;
            surface.shine = 0.0;
        }
        if (surface_normal(store, hit, flipped, &surface.normal))
            raise_point(store, hit, flipped, &surface);
    }
    double gap = surface_gap(hit->distance, surface.point);
    surface.point = vec3_add_scaled(surface.point, gap, surface.face);
    return surface;
}
