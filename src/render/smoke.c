/* Volume rendering of smoke by ray marching with empty-space skipping, on a refined grid. */
#include "render/smoke.h"

#include "base/parallel.h"
#include "render/smoke_refine.h"

enum { BLOCK_BITS = 3, BLOCK = 1 << BLOCK_BITS };

static const double opaque = 0.001; /* of the light behind; less is not worth a step */

/* ---- a ray through the box, in cells from its lowest corner ---- */

typedef struct March {
    Vec3 origin, direction;
    double begin, step; /* in cells */
    int count;
} March;

/* Narrows [*begin, *end] to where the ray is in 0..size of one axis. */
static void clip_axis(double from, double along, double size, double *begin, double *end) {
    if (along == 0.0) {
        if (!(from >= 0.0 && from <= size)) *end = -1.0;
        return;
    }
    double a = -from / along, b = (size - from) / along;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
}

/* Steps of at most `longest` cells that fill the ray's way through the box; 0 when it misses. */
static March march_start(const Smoke *smoke, Vec3 origin, Vec3 direction, double far,
                         double longest) {
    double scale = 1.0 / smoke->spacing, begin = 0.0, end = far * scale;
    March march = {.origin = vec3_scale(scale, vec3_sub(origin, smoke->low)),
                   .direction = direction};
    clip_axis(march.origin.x, direction.x, smoke->n[0], &begin, &end);
    clip_axis(march.origin.y, direction.y, smoke->n[1], &begin, &end);
    clip_axis(march.origin.z, direction.z, smoke->n[2], &begin, &end);
    if (!(end > begin)) return march;
    march.count = (int)ceil((end - begin) / longest);
    march.begin = begin;
    march.step = (end - begin) / march.count;
    return march;
}

static double within(double place, int cells) {
    return fmin(fmax(place, 0.0), cells);
}

static Vec3 march_place(const Smoke *smoke, const March *march, double at) {
    Vec3 p = vec3_add_scaled(march->origin, march->begin + at * march->step, march->direction);
    return vec3(within(p.x, smoke->n[0]), within(p.y, smoke->n[1]), within(p.z, smoke->n[2]));
}

static int block_along(double place, int blocks) {
    int block = (int)place >> BLOCK_BITS;
    return block < blocks ? block : blocks - 1;
}

/* Steps from here to the far side of an empty block; 0 in a full one. */
static int empty_steps(const Smoke *smoke, const March *march, Vec3 place) {
    int b[3] = {block_along(place.x, smoke->blocks[0]), block_along(place.y, smoke->blocks[1]),
                block_along(place.z, smoke->blocks[2])};
    if (smoke->full[((size_t)b[2] * (size_t)smoke->blocks[1] + (size_t)b[1]) *
                        (size_t)smoke->blocks[0] +
                    (size_t)b[0]])
        return 0;
    const double from[3] = {place.x, place.y, place.z};
    const double along[3] = {march->direction.x, march->direction.y, march->direction.z};
    double length = HUGE_VAL;
    for (int axis = 0; axis < 3; axis++) {
        if (along[axis] == 0.0) continue;
        double side = (b[axis] + (along[axis] > 0.0)) * BLOCK;
        length = fmin(length, (side - from[axis]) / along[axis]);
    }
    double steps = ceil(length / march->step);
    return steps < 1.0 ? 1 : steps < march->count ? (int)steps : march->count;
}

/* ---- values between cells ---- */

typedef struct Corner {
    size_t first; /* of the eight around a place */
    float x, y, z;
} Corner;

static inline Corner corner_at(const Smoke *smoke, Vec3 place) {
    double x = place.x + 0.5, y = place.y + 0.5, z = place.z + 0.5;
    int i = (int)x, j = (int)y, k = (int)z;
    return (Corner){(size_t)i + (size_t)j * smoke->stride[1] + (size_t)k * smoke->stride[2],
                    (float)(x - i), (float)(y - j), (float)(z - k)};
}

static inline float mix(float a, float b, float share) {
    return a + share * (b - a);
}

static inline float value_at(const Smoke *smoke, const float *values, Corner corner) {
    const float *low = values + corner.first, *high = low + smoke->stride[2];
    size_t up = smoke->stride[1];
    float a = mix(mix(low[0], low[1], corner.x), mix(low[up], low[up + 1], corner.x), corner.y);
    float b = mix(mix(high[0], high[1], corner.x), mix(high[up], high[up + 1], corner.x), corner.y);
    return mix(a, b, corner.z);
}

/* ---- light along rays ---- */

SmokePath smoke_along(const Smoke *smoke, Vec3 origin, Vec3 direction, double far, double phase) {
    SmokePath path = {.through = 1.0};
    March march = march_start(smoke, origin, direction, far, 1.0);
    for (int i = 0; i < march.count && path.through > opaque;) {
        Vec3 place = march_place(smoke, &march, i + phase);
        int skip = empty_steps(smoke, &march, place);
        i += skip > 0 ? skip : 1;
        if (skip > 0) continue;
        Corner corner = corner_at(smoke, place);
        float thickness = value_at(smoke, smoke->thickness, corner);
        if (!(thickness > 0.0f)) continue;
        double passed = exp(-(double)thickness * march.step);
        double share = path.through * (1.0 - passed);
        path.sun += share * (double)value_at(smoke, smoke->sun, corner);
        path.sky += share * (double)value_at(smoke, smoke->sky, corner);
        if (smoke->glow) path.glow += share * (double)value_at(smoke, smoke->glow, corner);
        path.through *= passed;
    }
    return path;
}

static double depth_along(const Smoke *smoke, const March *march, double phase) {
    static const double deepest = 7.0;
    double depth = 0.0;
    for (int i = 0; i < march->count && depth < deepest;) {
        Vec3 place = march_place(smoke, march, i + phase);
        int skip = empty_steps(smoke, march, place);
        i += skip > 0 ? skip : 1;
        if (skip > 0) continue;
        depth += march->step * (double)value_at(smoke, smoke->thickness, corner_at(smoke, place));
    }
    return depth;
}

double smoke_through(const Smoke *smoke, Vec3 origin, Vec3 direction, double phase) {
    March march = march_start(smoke, origin, direction, HUGE_VAL, 2.0);
    double depth = march.count > 0 ? depth_along(smoke, &march, phase) : 0.0;
    return depth > 0.0 ? exp(-depth) : 1.0;
}

/* ---- light that reaches the cells ---- */

typedef struct LightJob {
    Smoke *smoke;
    const RenderScene *scene;
    Vec3 sun;
} LightJob;

/* Light that was scattered more than once goes deeper than the straight rays do. */
static double scattered_share(double depth) {
    return 0.75 * exp(-depth) + 0.25 * exp(-0.2 * depth);
}

static bool in_shadow(const RenderScene *scene, Vec3 point, Vec3 sun) {
    struct RTCRay ray = {.org_x = (float)point.x,
                         .org_y = (float)point.y,
                         .org_z = (float)point.z,
                         .dir_x = (float)sun.x,
                         .dir_y = (float)sun.y,
                         .dir_z = (float)sun.z,
                         .tfar = INFINITY,
                         .mask = ~0u};
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(scene->scene, &context, &ray);
    return ray.tfar < 0.0f;
}

/* Depth towards a part of the sky, in steps that grow: what is far blurs. */
static double soft_depth(const Smoke *smoke, Vec3 place, Vec3 direction) {
    static const double growth = 1.5;
    double depth = 0.0, at = 0.5, step = 1.0;
    for (;; at += step, step *= growth) {
        Vec3 p = vec3_add_scaled(place, at + 0.5 * step, direction);
        if (!(p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x <= smoke->n[0] && p.y <= smoke->n[1] &&
              p.z <= smoke->n[2]))
            return depth;
        depth += step * (double)value_at(smoke, smoke->thickness, corner_at(smoke, p));
    }
}

static double sky_share(const Smoke *smoke, Vec3 place) {
    static const Vec3 parts[] = {{0, 1, 0},     {0.8, 0.6, 0},  {-0.8, 0.6, 0},
                                 {0, 0.6, 0.8}, {0, 0.6, -0.8}, {0, -1, 0}};
    static const double weights[] = {0.26, 0.16, 0.16, 0.16, 0.16, 0.10};
    double share = 0.0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        share += weights[i] * scattered_share(soft_depth(smoke, place, parts[i]));
    return share;
}

static void light_cell(const LightJob *job, int i, int j, int k) {
    Smoke *smoke = job->smoke;
    Vec3 place = vec3(i + 0.5, j + 0.5, k + 0.5);
    Vec3 point = vec3_add_scaled(smoke->low, smoke->spacing, place);
    size_t at =
        (size_t)(i + 1) + (size_t)(j + 1) * smoke->stride[1] + (size_t)(k + 1) * smoke->stride[2];
    March march = march_start(smoke, point, job->sun, HUGE_VAL, 1.0);
    double sun = scattered_share(depth_along(smoke, &march, 0.5));
    if (in_shadow(job->scene, point, job->sun)) sun = 0.0;
    smoke->sun[at] = (float)sun;
    smoke->sky[at] = (float)sky_share(smoke, place);
}

static void light_blocks(void *user, size_t begin, size_t end) {
    const LightJob *job = user;
    const Smoke *smoke = job->smoke;
    for (size_t block = begin; block < end; block++) {
        if (!smoke->full[block]) continue;
        int low[3], high[3];
        size_t rest = block;
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = (int)(rest % (size_t)smoke->blocks[axis]) * BLOCK;
            high[axis] = low[axis] + BLOCK < smoke->n[axis] ? low[axis] + BLOCK : smoke->n[axis];
            rest /= (size_t)smoke->blocks[axis];
        }
        for (int k = low[2]; k < high[2]; k++)
            for (int j = low[1]; j < high[1]; j++)
                for (int i = low[0]; i < high[0]; i++) light_cell(job, i, j, k);
    }
}

/* ---- filling ---- */

static int nearest_cell(int padded, int cells) {
    return padded < 1 ? 0 : padded > cells ? cells - 1 : padded - 1;
}

/* Copies the outermost cells into the layer around them. */
static void fill_padding(const Smoke *smoke, float *values) {
    const int *n = smoke->n;
    for (int k = 0; k < n[2] + 2; k++)
        for (int j = 0; j < n[1] + 2; j++) {
            bool inside = k > 0 && k <= n[2] && j > 0 && j <= n[1];
            size_t to = (size_t)j * smoke->stride[1] + (size_t)k * smoke->stride[2];
            size_t from = (size_t)(nearest_cell(j, n[1]) + 1) * smoke->stride[1] +
                          (size_t)(nearest_cell(k, n[2]) + 1) * smoke->stride[2] + 1;
            for (int i = 0; i < n[0] + 2; i += inside ? n[0] + 1 : 1)
                values[to + (size_t)i] = values[from + (size_t)nearest_cell(i, n[0])];
        }
}

/* A value of each cell, cleaned of what is no number or below 0, times `gain` after `zero` was
 * taken off, and at most `most`. */
static void load_values(const Smoke *smoke, const float *from, double zero, double gain,
                        double most, float *to) {
    for (int k = 0; k < smoke->n[2]; k++)
        for (int j = 0; j < smoke->n[1]; j++) {
            float *row =
                to + (size_t)(j + 1) * smoke->stride[1] + (size_t)(k + 1) * smoke->stride[2] + 1;
            for (int i = 0; i < smoke->n[0]; i++) {
                double value = gain * ((double)*from++ - zero);
                row[i] = isfinite(value) && value > 0.0 ? (float)fmin(value, most) : 0.0f;
            }
        }
    fill_padding(smoke, to);
}

static bool is_solid(const Smoke *smoke, const int32_t *solid, int i, int j, int k) {
    const int *n = smoke->n;
    return solid[((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0] + (size_t)i] != 0;
}

/* Mean thickness of the cells with smoke of their own around a solid one; 0 when there is none. */
static float mean_around(const Smoke *smoke, const int32_t *solid, int i, int j, int k) {
    const int *n = smoke->n;
    float sum = 0.0f;
    int count = 0;
    for (int z = k > 0 ? k - 1 : k; z <= k + 1 && z < n[2]; z++)
        for (int y = j > 0 ? j - 1 : j; y <= j + 1 && y < n[1]; y++)
            for (int x = i > 0 ? i - 1 : i; x <= i + 1 && x < n[0]; x++) {
                if (is_solid(smoke, solid, x, y, z)) continue;
                sum += smoke->thickness[(size_t)(x + 1) + (size_t)(y + 1) * smoke->stride[1] +
                                        (size_t)(z + 1) * smoke->stride[2]];
                count++;
            }
    return count ? sum / (float)count : 0.0f;
}

/* Carries the smoke one cell into what is solid: it would thin out towards surfaces otherwise. */
static void extend_into_solids(Smoke *smoke, const int32_t *solid) {
    for (int k = 0; k < smoke->n[2]; k++)
        for (int j = 0; j < smoke->n[1]; j++)
            for (int i = 0; i < smoke->n[0]; i++)
                if (is_solid(smoke, solid, i, j, k))
                    smoke->thickness[(size_t)(i + 1) + (size_t)(j + 1) * smoke->stride[1] +
                                     (size_t)(k + 1) * smoke->stride[2]] =
                        mean_around(smoke, solid, i, j, k);
    fill_padding(smoke, smoke->thickness);
}

/* Marks every block that a cell with smoke is in or touches: values between cells reach there. */
static void mark_blocks(Smoke *smoke) {
    for (int k = 0; k < smoke->n[2]; k++)
        for (int j = 0; j < smoke->n[1]; j++)
            for (int i = 0; i < smoke->n[0]; i++) {
                size_t at = (size_t)(i + 1) + (size_t)(j + 1) * smoke->stride[1] +
                            (size_t)(k + 1) * smoke->stride[2];
                if (!(smoke->thickness[at] > 0.0f)) continue;
                for (int corner = 0; corner < 8; corner++) {
                    int x = nearest_cell(i + (corner & 1 ? 2 : 0), smoke->n[0]) >> BLOCK_BITS;
                    int y = nearest_cell(j + (corner & 2 ? 2 : 0), smoke->n[1]) >> BLOCK_BITS;
                    int z = nearest_cell(k + (corner & 4 ? 2 : 0), smoke->n[2]) >> BLOCK_BITS;
                    smoke->full[((size_t)z * (size_t)smoke->blocks[1] + (size_t)y) *
                                    (size_t)smoke->blocks[0] +
                                (size_t)x] = 1;
                }
            }
}

/* Smoke begins to glow some hundred degrees above the coolest place. */
static const double glow_begins = 400.0, glow_full = 1400.0;

static bool find_ambient(const RenderSmoke *from, double *ambient) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t cells = (size_t)from->n[0] * (size_t)from->n[1] * (size_t)from->n[2];
    if (!from->temperature) return false;
    for (size_t i = 0; i < cells; i++) {
        double value = (double)from->temperature[i];
        if (!isfinite(value)) continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    *ambient = low;
    return high - low > glow_begins;
}

static size_t block_count(const Smoke *smoke) {
    return (size_t)smoke->blocks[0] * (size_t)smoke->blocks[1] * (size_t)smoke->blocks[2];
}

static Smoke smoke_layout(const int n[3], double spacing, Vec3 low) {
    Smoke smoke = {.spacing = spacing, .low = low};
    for (int axis = 0; axis < 3; axis++) {
        smoke.n[axis] = n[axis];
        smoke.blocks[axis] = (n[axis] + BLOCK - 1) / BLOCK;
    }
    smoke.stride[0] = 1;
    smoke.stride[1] = (size_t)n[0] + 2;
    smoke.stride[2] = smoke.stride[1] * ((size_t)n[1] + 2);
    smoke.count = smoke.stride[2] * ((size_t)n[2] + 2);
    return smoke;
}

/* What the frame tells of; light comes later. */
static PlimStatus load_smoke(PlimContext *context, const RenderSmoke *from, Smoke *out) {
    static const double thickest = 1e3;
    double ambient;
    bool glows = find_ambient(from, &ambient);
    *out = smoke_layout(from->n, from->spacing, from->origin);
    out->thickness = context_allocate(context, out->count, sizeof *out->thickness);
    if (glows) out->glow = context_allocate(context, out->count, sizeof *out->glow);
    if (!out->thickness || (glows && !out->glow)) return PLIM_OUT_OF_MEMORY;
    load_values(out, from->density, 0.0, from->extinction * from->spacing, thickest,
                out->thickness);
    if (glows)
        load_values(out, from->temperature, ambient + glow_begins, 1.0 / (glow_full - glow_begins),
                    1.0, out->glow);
    if (from->solid) extend_into_solids(out, from->solid);
    return PLIM_OK;
}

/* Fine grids are fine enough as they are, and would take much memory. */
static const size_t refined_cells = (size_t)1 << 23;

static PlimStatus refine_smoke(PlimContext *context, Smoke *smoke) {
    const int n[3] = {2 * smoke->n[0], 2 * smoke->n[1], 2 * smoke->n[2]};
    if (smoke->count > refined_cells / 8) return PLIM_OK;
    Smoke fine = smoke_layout(n, 0.5 * smoke->spacing, smoke->low);
    fine.thickness = context_allocate(context, fine.count, sizeof *fine.thickness);
    if (smoke->glow) fine.glow = context_allocate(context, fine.count, sizeof *fine.glow);
    bool done = fine.thickness && (!smoke->glow || fine.glow);
    if (done) {
        /* A cell half as deep is half as thick. */
        smoke_refine(smoke, smoke->thickness, 0.5, &fine, fine.thickness, context->threads);
        fill_padding(&fine, fine.thickness);
    }
    if (done && fine.glow) {
        smoke_refine(smoke, smoke->glow, 1.0, &fine, fine.glow, context->threads);
        fill_padding(&fine, fine.glow);
    }
    smoke_free(context, smoke);
    *smoke = fine;
    return done ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus light_smoke(PlimContext *context, const RenderScene *scene, Vec3 sun,
                              Smoke *smoke) {
    smoke->sun = context_allocate(context, smoke->count, sizeof *smoke->sun);
    smoke->sky = context_allocate(context, smoke->count, sizeof *smoke->sky);
    smoke->full = context_allocate(context, block_count(smoke), 1);
    if (!smoke->sun || !smoke->sky || !smoke->full) return PLIM_OUT_OF_MEMORY;
    mark_blocks(smoke);
    LightJob job = {smoke, scene, sun};
    parallel_for(context->threads, block_count(smoke), 1, light_blocks, &job);
    fill_padding(smoke, smoke->sun);
    fill_padding(smoke, smoke->sky);
    return PLIM_OK;
}

PlimStatus smoke_create(PlimContext *context, const RenderSmoke *from, const RenderScene *scene,
                        Vec3 sun, Smoke *out) {
    PlimStatus status = load_smoke(context, from, out);
    if (status == PLIM_OK) status = refine_smoke(context, out);
    if (status == PLIM_OK) status = light_smoke(context, scene, sun, out);
    if (status != PLIM_OK) smoke_free(context, out);
    return status;
}

void smoke_free(PlimContext *context, Smoke *smoke) {
    context_free(context, smoke->thickness, smoke->count, sizeof *smoke->thickness);
    context_free(context, smoke->sun, smoke->count, sizeof *smoke->sun);
    context_free(context, smoke->sky, smoke->count, sizeof *smoke->sky);
    context_free(context, smoke->glow, smoke->count, sizeof *smoke->glow);
    context_free(context, smoke->full, block_count(smoke), 1);
    *smoke = (Smoke){0};
}
