/* Ray tracing: camera, samples of a pixel, packets of rays. */
#include "render/raytrace.h"

#include "base/parallel.h"
#include "render/bvh.h"
#include "render/glass.h"
#include "render/resolve.h"
#include "render/shade.h"
#include "render/smoke.h"
#include "render/water.h"

/* Pixels side by side that are traced together. */
enum { LANES = 8, ROW_GRAIN = 4, SAMPLES_MAX = 4096 };

static const double pi = 3.14159265358979323846;

/* Share of the skylight that a near neighbour takes; the rest comes back from the neighbour. */
static const double occlusion = 0.85;

/* Where one sample looks for the sun and the sky. */
typedef struct LightRays {
    Vec3 sun; /* unit vector to a place on the sun */
    Vec3 sky; /* about the normal as z, distributed as its cosine */
    double reach;
} LightRays;

/* Where one sample lies in its pixel, from the left and from the top. */
typedef struct PixelPlace {
    double across, down;
} PixelPlace;

typedef struct DrawJob {
    const RenderScene *scene;
    const RenderOptions *options;
    Look look;
    Smoke smoke;
    CameraView view;
    Vec3 low, high;             /* m: the box outside which nothing takes skylight */
    const ClearMesh *eye_water; /* that the eye is in; NULL in air */
    LightRays *rays;            /* INTERLEAVE^2 sets of options->samples */
    size_t ray_count;
    PixelPlace *places; /* options->samples */
    Pixel *pixels;
    size_t pixel_count;
} DrawJob;

/* Samples of LANES pixels on their way through the tracer. */
typedef struct Packet {
    Vec3 direction[LANES];
    Surface surface[LANES];
    bool hit[LANES];
    double distance[LANES]; /* m, to the first thing; infinite when there is none */
    bool wet[LANES];        /* water is in the way: `light` is known */
    Light light[LANES];
    double lit[LANES], open[LANES]; /* shares of sun and sky that arrive */
} Packet;

RenderOptions render_options_default(void) {
    return (RenderOptions){.width = 960,
                           .height = 540,
                           .samples = 4,
                           .ground = true,
                           .ground_height = 0.0,
                           .checker = 1.0,
                           .ground_color = {0.8095, 0.8152, 0.8210},
                           .sun = {0.5, 1.0, 0.35},
                           .sun_softness = 0.05};
}

static bool is_finite(Vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

PlimStatus render_check_request(PlimContext *context, const RenderCamera *camera,
                                const RenderOptions *options, const Image *image) {
    if (image->width != options->width || image->height != options->height)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a picture of %d x %d pixels for a %d x %d one", image->width,
                            image->height, options->width, options->height);
    if (options->samples < 1 || options->samples > SAMPLES_MAX)
        return context_fail(context, PLIM_BAD_INPUT, "%d samples a pixel: 1..%d are possible",
                            options->samples, SAMPLES_MAX);
    double view = vec3_length(vec3_sub(camera->target, camera->position));
    if (!is_finite(camera->position) || !isfinite(view) || !(view > 0.0))
        return context_fail(context, PLIM_BAD_INPUT, "the camera looks nowhere");
    if (!(camera->field_of_view > 0.0 && camera->field_of_view < 180.0))
        return context_fail(context, PLIM_BAD_INPUT, "a field of view of %g degrees",
                            camera->field_of_view);
    if (!is_finite(options->sun) || !(vec3_length(options->sun) > 0.0))
        return context_fail(context, PLIM_BAD_INPUT, "the sun has no direction");
    if (!isfinite(options->sun_softness) || options->sun_softness < 0.0)
        return context_fail(context, PLIM_BAD_INPUT, "a sun of radius %g", options->sun_softness);
    if (options->ground && (!isfinite(options->ground_height) || !(options->checker > 0.0)))
        return context_fail(context, PLIM_BAD_INPUT, "a ground at %g m with squares of %g m",
                            options->ground_height, options->checker);
    const RenderSmoke *smoke = options->smoke;
    if (smoke && (smoke->n[0] < 1 || smoke->n[1] < 1 || smoke->n[2] < 1 || !(smoke->spacing > 0) ||
                  !is_finite(smoke->origin) || !(smoke->extinction >= 0)))
        return context_fail(context, PLIM_BAD_INPUT, "smoke in a box that cannot be");
    return PLIM_OK;
}

static double fraction(double x) {
    return x - floor(x);
}

/* Points of the R sequences (M. Roberts 2018), which fill square and cube evenly however many are
 * taken: a pixel's samples are even, and so are those of a block of pixels together. */
static void aim_light_rays(DrawJob *job) {
    Vec3 sun = job->look.sun, tangent = vec3_any_orthogonal(sun);
    Vec3 bitangent = vec3_cross(sun, tangent);
    for (size_t k = 0; k < job->ray_count; k++) {
        double i = (double)k + 0.5;
        double radius = sqrt(fraction(0.7548776662466927 * i)) * job->options->sun_softness;
        double angle = 2.0 * pi * fraction(0.5698402909980532 * i);
        Vec3 to_sun = vec3_add_scaled(sun, radius * cos(angle), tangent);
        job->rays[k].sun = vec3_normalize(vec3_add_scaled(to_sun, radius * sin(angle), bitangent));

        double aside = sqrt(fraction(0.8191725133961645 * i));
        double turn = 2.0 * pi * fraction(0.6710436067037893 * i);
        job->rays[k].sky = vec3(aside * cos(turn), aside * sin(turn), sqrt(1.0 - aside * aside));
        /* A ray as long as chance has it: nearness counts, without asking how near. */
        job->rays[k].reach = job->look.reach * fraction(0.5497004779019703 * i);
    }
}

/* The rays of pixel (x, y). The order scatters the sets so that neighbours differ most. */
static const LightRays *light_rays(const DrawJob *job, int x, int y) {
    static const unsigned char order[INTERLEAVE][INTERLEAVE] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    return job->rays + order[y % INTERLEAVE][x % INTERLEAVE] * (size_t)job->options->samples;
}

/* 0, 1/2, 1/4, 3/4, ...: the bits of the number mirrored at the point. */
static double mirrored_bits(unsigned number) {
    double value = 0.0;
    for (double digit = 0.5; number; number >>= 1, digit *= 0.5)
        if (number & 1) value += digit;
    return value;
}

/* Hammersley's points: even in both directions for any number of samples. */
static void place_samples(DrawJob *job) {
    int samples = job->options->samples;
    double finest = 1.0;
    while (finest * samples > 1.0) finest *= 0.5;
    for (int i = 0; i < samples; i++)
        job->places[i] = (PixelPlace){.across = (i + 0.5) / samples,
                                      .down = mirrored_bits((unsigned)i) + 0.5 * finest};
}

static Vec3 eye_ray(const DrawJob *job, int x, int y, int sample) {
    return camera_ray(&job->view, x + job->places[sample].across, y + job->places[sample].down);
}

static void set_ray(struct RTCRay8 *rays, int lane, Vec3 origin, Vec3 direction, double far) {
    rays->org_x[lane] = (float)origin.x;
    rays->org_y[lane] = (float)origin.y;
    rays->org_z[lane] = (float)origin.z;
    rays->dir_x[lane] = (float)direction.x;
    rays->dir_y[lane] = (float)direction.y;
    rays->dir_z[lane] = (float)direction.z;
    rays->tnear[lane] = 0.0f;
    rays->tfar[lane] = (float)far;
    rays->time[lane] = 0.0f;
    rays->mask[lane] = ~0u;
    rays->id[lane] = 0;
    rays->flags[lane] = 0;
}

static RayHit hit_of_lane(const struct RTCRayHit8 *hits, int lane) {
    const struct RTCHit8 *hit = &hits->hit;
    Vec3 outward = vec3((double)hit->Ng_x[lane], (double)hit->Ng_y[lane], (double)hit->Ng_z[lane]);
    return (RayHit){.distance = (double)hits->ray.tfar[lane],
                    .outward = vec3_normalize(outward),
                    .u = (double)hit->u[lane],
                    .v = (double)hit->v[lane],
                    .geometry = hit->geomID[lane],
                    .primitive = hit->primID[lane]};
}

static void find_surfaces(const DrawJob *job, int x, int y, int lanes, int sample, Packet *packet) {
    struct RTCRayHit8 hits;
    _Alignas(32) int valid[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        valid[lane] = lane < lanes ? -1 : 0;
        packet->direction[lane] = eye_ray(job, x + lane, y, sample);
        set_ray(&hits.ray, lane, job->view.eye, packet->direction[lane], INFINITY);
        hits.hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
        hits.hit.instID[0][lane] = RTC_INVALID_GEOMETRY_ID;
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect8(valid, job->scene->scene, &context, &hits);
    for (int lane = 0; lane < lanes; lane++) {
        Vec3 direction = packet->direction[lane];
        bool hit = hits.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID;
        RayHit found = hit ? hit_of_lane(&hits, lane) : (RayHit){.distance = INFINITY};
        double ground = shade_ground_distance(&job->look, job->view.eye, direction);
        packet->hit[lane] = hit || ground < INFINITY;
        if (ground < found.distance)
            packet->surface[lane] = shade_ground(&job->look, job->view.eye, direction, ground, 0.0);
        else if (hit)
            packet->surface[lane] =
                surface_of_hit(job->scene, &found, job->view.eye, direction, 0.0);
        packet->distance[lane] = packet->hit[lane] ? packet->surface[lane].distance : INFINITY;
        packet->wet[lane] = false;
    }
}

/* Where water is nearer than what was found, what is seen through it and in it takes its place. */
static void look_through_water(const DrawJob *job, int lanes, Packet *packet) {
    struct RTCRay8 rays;
    _Alignas(32) int valid[LANES] = {0};
    for (int lane = 0; lane < LANES; lane++) {
        valid[lane] = lane < lanes ? -1 : 0;
        set_ray(&rays, lane, job->view.eye, packet->direction[lane < lanes ? lane : 0],
                lane < lanes ? packet->distance[lane] : 0.0);
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcOccluded8(valid, job->scene->water, &context, &rays);
    for (int lane = 0; lane < lanes; lane++) {
        if (!(rays.tfar[lane] < 0.0f || job->eye_water)) continue;
        WaterView view = water_look(job->scene, &job->look, job->view.eye, packet->direction[lane],
                                    job->eye_water);
        packet->wet[lane] = true;
        packet->light[lane] = view.light;
        packet->surface[lane] = view.surface;
        packet->hit[lane] = view.has_surface;
        packet->distance[lane] = view.distance;
    }
}

static void find_sun(const DrawJob *job, int x, int y, int lanes, int sample, Packet *packet) {
    struct RTCRay8 rays;
    _Alignas(32) int valid[LANES] = {0};
    bool any = false;
    for (int lane = 0; lane < LANES; lane++) {
        const Surface *surface = &packet->surface[lane];
        Vec3 to_sun = light_rays(job, x + lane, y)[sample].sun;
        bool asks =
            lane < lanes && packet->hit[lane] && vec3_dot(surface->normal, job->look.sun) > 0;
        valid[lane] = asks ? -1 : 0;
        any = any || asks;
        set_ray(&rays, lane, asks ? surface->point : job->view.eye, to_sun, INFINITY);
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    if (any) rtcOccluded8(valid, job->scene->scene, &context, &rays);
    for (int lane = 0; lane < lanes; lane++) packet->lit[lane] = rays.tfar[lane] < 0.0f ? 0.0 : 1.0;
}

/* A direction given about the normal as z, in the frame of the scene. */
static Vec3 about_normal(Vec3 normal, Vec3 local) {
    Vec3 tangent = vec3_any_orthogonal(normal), bitangent = vec3_cross(normal, tangent);
    Vec3 direction = vec3_scale(local.z, normal);
    direction = vec3_add_scaled(direction, local.x, tangent);
    return vec3_add_scaled(direction, local.y, bitangent);
}

static bool meets_ground(const Look *look, Vec3 from, Vec3 direction, double reach) {
    return look->ground && from.y + reach * direction.y < look->ground_height;
}

static bool is_in_box(Vec3 a, Vec3 low, Vec3 high) {
    return a.x > low.x && a.y > low.y && a.z > low.z && a.x < high.x && a.y < high.y &&
           a.z < high.z;
}

static void find_sky(const DrawJob *job, int x, int y, int lanes, int sample, Packet *packet) {
    struct RTCRay8 rays;
    _Alignas(32) int valid[LANES] = {0};
    bool any = false;
    for (int lane = 0; lane < LANES; lane++) {
        const Surface *surface = &packet->surface[lane];
        const LightRays *aim = &light_rays(job, x + lane, y)[sample];
        packet->open[lane] = 1.0;
        set_ray(&rays, lane, job->view.eye, aim->sun, aim->reach);
        if (lane >= lanes || !packet->hit[lane]) continue;
        Vec3 direction = about_normal(surface->face, aim->sky);
        if (meets_ground(&job->look, surface->point, direction, aim->reach)) {
            packet->open[lane] = 1.0 - occlusion;
            continue;
        }
        if (!is_in_box(surface->point, job->low, job->high)) continue;
        valid[lane] = -1;
        any = true;
        set_ray(&rays, lane, surface->point, direction, aim->reach);
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    if (any) rtcOccluded8(valid, job->scene->scene, &context, &rays);
    for (int lane = 0; lane < lanes; lane++)
        if (rays.tfar[lane] < 0.0f) packet->open[lane] = 1.0 - occlusion;
}

/* Where in its steps a ray looks for smoke: other samples and neighbours look elsewhere. */
static double smoke_phase(const DrawJob *job, int x, int y, int sample) {
    ptrdiff_t number = light_rays(job, x, y) - job->rays + sample;
    return fraction(0.5 + 0.6180339887498949 * (double)number);
}

/* Smoke between a surface and the sun. */
static void dim_sun(const DrawJob *job, int x, int y, int lanes, int sample, Packet *packet) {
    for (int lane = 0; lane < lanes; lane++)
        if (packet->hit[lane] && packet->lit[lane] > 0.0)
            packet->lit[lane] *= smoke_through(&job->smoke, packet->surface[lane].point,
                                               light_rays(job, x + lane, y)[sample].sun,
                                               smoke_phase(job, x + lane, y, sample));
}

/* Sunlight that comes to a surface through water: less of it, and tinted. */
static void dim_by_water(const DrawJob *job, int x, int y, int lanes, int sample, Packet *packet) {
    struct RTCRay8 rays;
    _Alignas(32) int valid[LANES] = {0};
    for (int lane = 0; lane < LANES; lane++) {
        bool asks = lane < lanes && packet->hit[lane] && packet->lit[lane] > 0.0;
        valid[lane] = asks ? -1 : 0;
        set_ray(&rays, lane, asks ? packet->surface[lane].point : job->view.eye,
                light_rays(job, x + lane, y)[sample].sun, INFINITY);
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcOccluded8(valid, job->scene->water, &context, &rays);
    for (int lane = 0; lane < lanes; lane++) {
        if (!(rays.tfar[lane] < 0.0f)) continue;
        Vec3 share = water_passes(job->scene, packet->surface[lane].point,
                                  light_rays(job, x + lane, y)[sample].sun);
        Vec3 *sun = &packet->light[lane].sun;
        *sun = vec3(sun->x * share.x, sun->y * share.y, sun->z * share.z);
    }
}

/* Smoke between the eye and what lies behind. */
static Light light_through_smoke(const DrawJob *job, Vec3 direction, double far, double phase,
                                 Light light) {
    SmokePath path = smoke_along(&job->smoke, job->view.eye, direction, far, phase);
    if (path.through == 1.0) return light;
    Vec3 own = shade_smoke(&job->look, direction, path.sun, path.sky, path.glow);
    return (Light){.steady = vec3_add_scaled(own, path.through, light.steady),
                   .ambient = vec3_scale(path.through, light.ambient),
                   .sun = vec3_scale(path.through, light.sun)};
}

static void shade_packet(const DrawJob *job, int lanes, Packet *packet) {
    for (int lane = 0; lane < lanes; lane++) {
        Vec3 direction = packet->direction[lane];
        if (packet->wet[lane]) continue;
        const Surface *surface = &packet->surface[lane];
        if (!packet->hit[lane])
            packet->light[lane] = (Light){.steady = shade_background(&job->look, direction)};
        else if (surface->drop > 0.0)
            packet->light[lane] =
                water_look_through_drop(job->scene, &job->look, surface, direction);
        else
            packet->light[lane] = shade_surface(&job->look, surface, direction);
    }
}

static void trace_pixels(const DrawJob *job, int x, int y, int lanes) {
    Pixel *pixels = job->pixels + (size_t)y * (size_t)job->options->width + (size_t)x;
    for (int sample = 0; sample < job->options->samples; sample++) {
        Packet packet;
        find_surfaces(job, x, y, lanes, sample, &packet);
        if (job->scene->water) look_through_water(job, lanes, &packet);
        find_sun(job, x, y, lanes, sample, &packet);
        find_sky(job, x, y, lanes, sample, &packet);
        shade_packet(job, lanes, &packet);
        if (job->scene->water) dim_by_water(job, x, y, lanes, sample, &packet);
        if (job->options->smoke) dim_sun(job, x, y, lanes, sample, &packet);
        for (int lane = 0; lane < lanes; lane++) {
            const Surface *surface = packet.hit[lane] ? &packet.surface[lane] : NULL;
            Light light = packet.light[lane];
            if (job->options->smoke)
                light = light_through_smoke(job, packet.direction[lane], packet.distance[lane],
                                            smoke_phase(job, x + lane, y, sample), light);
            if (job->options->glass_count > 0)
                light =
                    glass_look(job->options->glass, job->options->glass_count, &job->look,
                               job->view.eye, packet.direction[lane], packet.distance[lane], light);
            double footprint = surface ? surface->distance * job->look.pixel_angle : 0.0;
            pixel_add(&pixels[lane], surface, &light, packet.lit[lane], packet.open[lane],
                      footprint, sample == 0);
        }
    }
}

static void trace_rows(void *user, size_t begin, size_t end) {
    const DrawJob *job = user;
    int width = job->options->width;
    for (size_t y = begin; y < end; y++)
        for (int x = 0; x < width; x += LANES)
            trace_pixels(job, x, (int)y, width - x < LANES ? width - x : LANES);
}

static void set_view(DrawJob *job, const RenderCamera *camera) {
    const RenderOptions *options = job->options;
    job->view = camera_view(camera, options->width, options->height);
    job->look = shade_look(camera, options);
    struct RTCBounds bounds;
    rtcGetSceneBounds(job->scene->scene, &bounds);
    double reach = job->look.reach;
    job->low = vec3(bounds.lower_x - reach, bounds.lower_y - reach, bounds.lower_z - reach);
    job->high = vec3(bounds.upper_x + reach, bounds.upper_y + reach, bounds.upper_z + reach);
    job->eye_water = job->scene->water ? water_around(job->scene, job->view.eye) : NULL;
}

static PlimStatus allocate_job(PlimContext *context, DrawJob *job) {
    const RenderOptions *options = job->options;
    job->ray_count = (size_t)options->samples * INTERLEAVE * INTERLEAVE;
    job->pixel_count = (size_t)options->width * (size_t)options->height;
    job->rays = context_allocate(context, job->ray_count, sizeof *job->rays);
    job->places = context_allocate(context, (size_t)options->samples, sizeof *job->places);
    job->pixels = context_allocate(context, job->pixel_count, sizeof *job->pixels);
    return job->rays && job->places && job->pixels ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static void free_job(PlimContext *context, DrawJob *job) {
    smoke_free(context, &job->smoke);
    context_free(context, job->rays, job->ray_count, sizeof *job->rays);
    context_free(context, job->places, (size_t)job->options->samples, sizeof *job->places);
    context_free(context, job->pixels, job->pixel_count, sizeof *job->pixels);
}

PlimStatus render_scene_draw(const RenderScene *scene, const RenderCamera *camera,
                             const RenderOptions *options, Image *image) {
    PlimContext *context = scene->context;
    TRY(render_check_request(context, camera, options, image));
    DrawJob job = {.scene = scene, .options = options};
    PlimStatus status = allocate_job(context, &job);
    if (status == PLIM_OK) set_view(&job, camera);
    if (status == PLIM_OK && options->smoke)
        status = smoke_create(context, options->smoke, scene, job.look.sun, &job.smoke);
    if (status == PLIM_OK) {
        size_t rows = (size_t)options->height;
        unsigned char tone[TONE_SIZE];
        place_samples(&job);
        aim_light_rays(&job);
        parallel_for(context->threads, rows, ROW_GRAIN, trace_rows, &job);
        resolve_tone_table(tone);
        ResolveJob resolve = {job.pixels, options->samples, image, tone};
        parallel_for(context->threads, rows, ROW_GRAIN, resolve_rows, &resolve);
    }
    free_job(context, &job);
    return status;
}
