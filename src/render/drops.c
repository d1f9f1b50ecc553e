/* Ray-ellipsoid intersection: small drops as user geometry of Embree. */
#include "render/bvh.h"

#include <string.h>

/* ---- from sphere to ellipsoid ---- */

/* 000 section 6.7: r1 = r + dt v / 2, r2 = r3 = sqrt(r^3 / r1) keeps the volume. */
static const double exposure = 1.0 / 48.0; /* s */
static const double longest = 4.0;         /* r1 / r at most */

static Drop stretch(const float *center, const float *velocity, double radius) {
    Vec3 way = vec3((double)velocity[0], (double)velocity[1], (double)velocity[2]);
    double speed = vec3_length(way);
    Vec3 axis = speed > 0.0 ? vec3_scale(1.0 / speed, way) : vec3(0, 1, 0);
    double along = fmin(radius + 0.5 * exposure * speed, longest * radius);
    double across = sqrt(radius * radius * radius / along);
    return (Drop){.center = {center[0], center[1], center[2]},
                  .axis = {(float)axis.x, (float)axis.y, (float)axis.z},
                  .along = (float)along,
                  .across = (float)across};
}

static void append_drops(RenderScene *scene, const RenderDrops *set) {
    for (size_t i = 0; i < set->count; i++) {
        const float *center = set->positions + 3 * i, *velocity = set->velocities + 3 * i;
        static const float at_rest[3];
        if (!render_is_usable(center, 3) || !render_is_usable(&set->radii[i], 1)) continue;
        if (!(set->radii[i] > 0.0f)) continue;
        if (!render_is_usable(velocity, 3)) velocity = at_rest;
        Drop *drop = &scene->drops[scene->drop_count++];
        *drop =
            stretch(center, velocity, (set->size > 0.0 ? set->size : 1.0) * (double)set->radii[i]);
        for (int c = 0; c < 3; c++)
            drop->color[c] = (float)linear_from_srgb((double)set->flat_color[c]);
    }
}

/* ---- what Embree asks ---- */

static Vec3 load(const float *from) {
    return vec3((double)from[0], (double)from[1], (double)from[2]);
}

static void set_bounds(const struct RTCBoundsFunctionArguments *asked) {
    const Drop *drop = (const Drop *)asked->geometryUserPtr + asked->primID;
    double half[3], along = (double)drop->along, across = (double)drop->across;
    for (int i = 0; i < 3; i++) {
        double a = (double)drop->axis[i];
        /* A little more than the shape, for single precision. */
        half[i] = 1.0001 * sqrt(across * across + (along * along - across * across) * a * a) +
                  1e-6 * fabs((double)drop->center[i]);
    }
    struct RTCBounds *bounds = asked->bounds_o;
    bounds->lower_x = (float)((double)drop->center[0] - half[0]);
    bounds->lower_y = (float)((double)drop->center[1] - half[1]);
    bounds->lower_z = (float)((double)drop->center[2] - half[2]);
    bounds->upper_x = (float)((double)drop->center[0] + half[0]);
    bounds->upper_y = (float)((double)drop->center[1] + half[1]);
    bounds->upper_z = (float)((double)drop->center[2] + half[2]);
}

/* To where the drop is the unit sphere; also takes normals from there to here. */
static Vec3 squash(const Drop *drop, Vec3 a) {
    Vec3 axis = load(drop->axis);
    double part = vec3_dot(a, axis), along = (double)drop->along, across = (double)drop->across;
    return vec3_add_scaled(vec3_scale(1.0 / across, a), part / along - part / across, axis);
}

/* Embree's rays in packets of N: value `field` of ray i stands at field * N + i. */
enum { ORIGIN = 0, NEAR = 3, DIRECTION = 4, FAR = 8, NORMAL = 12, U = 15, PRIMITIVE = 17 };
enum { GEOMETRY = 18, INSTANCE = 19 };

static Vec3 ray_vector(const float *rays, unsigned n, unsigned i, unsigned field) {
    return vec3((double)rays[field * n + i], (double)rays[(field + 1) * n + i],
                (double)rays[(field + 2) * n + i]);
}

/* The nearest place within the ray's reach. `normal` is not of unit length. */
static bool meet(const Drop *drop, const float *rays, unsigned n, unsigned i, float *distance,
                 Vec3 *normal) {
    Vec3 origin = squash(drop, vec3_sub(ray_vector(rays, n, i, ORIGIN), load(drop->center)));
    Vec3 direction = squash(drop, ray_vector(rays, n, i, DIRECTION));
    double length = vec3_dot(direction, direction), middle = -vec3_dot(origin, direction) / length;
    Vec3 nearest = vec3_add_scaled(origin, middle, direction);
    double rest = 1.0 - vec3_dot(nearest, nearest);
    if (!(rest >= 0.0)) return false;
    double half = sqrt(rest / length);
    double near = (double)rays[NEAR * n + i], far = (double)rays[FAR * n + i];
    double at = middle - half > near ? middle - half : middle + half;
    if (!(at > near && at < far)) return false;
    *distance = (float)at;
    *normal = squash(drop, vec3_add_scaled(origin, at, direction));
    return true;
}

static void intersect(const struct RTCIntersectFunctionNArguments *asked) {
    const Drop *drop = (const Drop *)asked->geometryUserPtr + asked->primID;
    float *rays = (float *)asked->rayhit;
    unsigned *numbers = (unsigned *)asked->rayhit, n = asked->N;
    for (unsigned i = 0; i < n; i++) {
        float distance;
        Vec3 normal;
        if (asked->valid[i] != -1 || !meet(drop, rays, n, i, &distance, &normal)) continue;
        rays[FAR * n + i] = distance;
        rays[NORMAL * n + i] = (float)normal.x;
        rays[(NORMAL + 1) * n + i] = (float)normal.y;
        rays[(NORMAL + 2) * n + i] = (float)normal.z;
        rays[U * n + i] = rays[(U + 1) * n + i] = 0.0f;
        numbers[PRIMITIVE * n + i] = asked->primID;
        numbers[GEOMETRY * n + i] = asked->geomID;
        numbers[INSTANCE * n + i] = asked->context->instID[0];
    }
}

static void occlude(const struct RTCOccludedFunctionNArguments *asked) {
    const Drop *drop = (const Drop *)asked->geometryUserPtr + asked->primID;
    float *rays = (float *)asked->ray;
    for (unsigned i = 0; i < asked->N; i++) {
        float distance;
        Vec3 normal;
        if (asked->valid[i] == -1 && meet(drop, rays, asked->N, i, &distance, &normal))
            rays[FAR * asked->N + i] = -INFINITY;
    }
}

PlimStatus render_scene_add_drops(RenderScene *scene, const RenderDrops *sets, size_t set_count) {
    size_t count = 0;
    for (size_t i = 0; i < set_count; i++) count += sets[i].count;
    if (count == 0) return PLIM_OK;
    if (count > INT32_MAX)
        return context_fail(scene->context, PLIM_BAD_INPUT, "%zu drops are too many to draw",
                            count);
    scene->drops = context_allocate(scene->context, count, sizeof *scene->drops);
    if (!scene->drops) return PLIM_OUT_OF_MEMORY;
    scene->drop_capacity = count;
    for (size_t i = 0; i < set_count; i++) append_drops(scene, &sets[i]);
    if (scene->drop_count == 0) return PLIM_OK;
    RTCGeometry drops = rtcNewGeometry(scene->device, RTC_GEOMETRY_TYPE_USER);
    TRY(render_check_embree(scene));
    rtcSetGeometryUserPrimitiveCount(drops, (unsigned)scene->drop_count);
    rtcSetGeometryUserData(drops, scene->drops);
    rtcSetGeometryBoundsFunction(drops, set_bounds, NULL);
    rtcSetGeometryIntersectFunction(drops, intersect);
    rtcSetGeometryOccludedFunction(drops, occlude);
    render_attach(scene->scene, drops, GEOMETRY_DROPS);
    rtcCommitScene(scene->scene);
    return render_check_embree(scene);
}
