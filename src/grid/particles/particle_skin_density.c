/* Density of particles splatted to nodes, and the first level set from it. */
#include "grid/particles/particle_skin_parts.h"

#include <math.h>
#include <string.h>

/* ---- order ---- */

/* A counting sort by layers. */
PlimStatus skin_sort(SkinPlan *plan, Scratch *scratch) {
    size_t count = plan->desc->count, layers = (size_t)plan->n[plan->last];
    plan->order = scratch_take(scratch, count + 1, sizeof *plan->order);
    plan->layer_first = scratch_take(scratch, layers + 2, sizeof *plan->layer_first);
    if (!plan->order || !plan->layer_first) return PLIM_OUT_OF_MEMORY;
    size_t *end = plan->layer_first + 1; /* first counts, then ends as the layers fill up */
    memset(plan->layer_first, 0, (layers + 2) * sizeof *plan->layer_first);
    for (size_t p = 0; p < count; p++) end[skin_nearest(skin_place(plan, plan->last, p)) + 1]++;
    for (size_t layer = 0; layer < layers; layer++) end[layer + 1] += end[layer];
    for (size_t p = 0; p < count; p++)
        plan->order[end[skin_nearest(skin_place(plan, plan->last, p))]++] = (uint32_t)p;
    return PLIM_OK;
}

/* ---- density ---- */

static void add_particle(const SkinPlan *plan, size_t particle, int layer, float *out) {
    int last = plan->last;
    SkinWeights along = skin_mirrored_weights(skin_place(plan, last, particle), plan->n[last]);
    float share = skin_layer_weight(&along, layer);
    if (!(share > 0)) return;
    SkinWeights x = skin_mirrored_weights(skin_place(plan, 0, particle), plan->n[0]);
    if (last == 1) {
        for (int a = 0; a < 3; a++) out[x.first + a] += share * x.weight[a];
        return;
    }
    SkinWeights y = skin_mirrored_weights(skin_place(plan, 1, particle), plan->n[1]);
    float *row = out + (size_t)y.first * plan->stride[1] + x.first;
    for (int b = 0; b < 3; b++, row += plan->stride[1])
        for (int a = 0; a < 3; a++) row[a] += share * y.weight[b] * x.weight[a];
}

static void fill_layers(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    int last = plan->last;
    double full = pow(plan->desc->spacing * plan->per_spacing, plan->desc->dim);
    for (int layer = (int)begin; layer < (int)end; layer++) {
        float *out = plan->density + (size_t)layer * plan->stride[last];
        for (size_t i = 0; i < plan->stride[last]; i++) out[i] = 0;
        int low = layer > 0 ? layer - 1 : 0;
        int high = layer + 1 < plan->n[last] ? layer + 1 : layer;
        for (size_t i = plan->layer_first[low]; i < plan->layer_first[high + 1]; i++)
            add_particle(plan, plan->order[i], layer, out);
        for (size_t i = 0; i < plan->stride[last]; i++) out[i] *= (float)full;
    }
}

/* ---- blur ---- */

enum { BLUR_CHUNK = 64 };

typedef struct BlurJob {
    const SkinPlan *plan;
    int axis;
} BlurJob;

/* (1, 2, 1) / 4 along one axis, mirrored at the sides, of `width` lines beside each other. */
static void blur_lines(float *values, int n, size_t stride, int width) {
    float before[BLUR_CHUNK], here[BLUR_CHUNK];
    for (int c = 0; c < width; c++) before[c] = values[stride + (size_t)c];
    for (int i = 0; i < n; i++) {
        float *row = values + (size_t)i * stride;
        const float *after = i + 1 < n ? row + stride : before; /* before: the mirrored one */
        for (int c = 0; c < width; c++) here[c] = row[c];
        for (int c = 0; c < width; c++) row[c] = 0.25f * (before[c] + after[c]) + 0.5f * here[c];
        memcpy(before, here, sizeof before);
    }
}

static void blur_row(float *row, int n) {
    float before = row[1];
    for (int i = 0; i < n; i++) {
        float here = row[i], after = i + 1 < n ? row[i + 1] : before;
        row[i] = 0.25f * (before + after) + 0.5f * here;
        before = here;
    }
}

static void blur_range(void *user, size_t begin, size_t end) {
    const BlurJob *job = user;
    const SkinPlan *plan = job->plan;
    int axis = job->axis, chunks = (plan->n[0] + BLUR_CHUNK - 1) / BLUR_CHUNK;
    size_t across = axis == 1 ? plan->stride[2] : plan->stride[1];
    for (size_t item = begin; item < end; item++) {
        if (axis == 0) {
            blur_row(plan->density + item * plan->stride[1], plan->n[0]);
            continue;
        }
        int first = (int)(item % (size_t)chunks) * BLUR_CHUNK;
        int width = plan->n[0] - first < BLUR_CHUNK ? plan->n[0] - first : BLUR_CHUNK;
        blur_lines(plan->density + item / (size_t)chunks * across + first, plan->n[axis],
                   plan->stride[axis], width);
    }
}

static void blur_axis(const SkinPlan *plan, int axis) {
    BlurJob job = {plan, axis};
    size_t chunks = (size_t)(plan->n[0] + BLUR_CHUNK - 1) / BLUR_CHUNK;
    size_t items = axis == 0   ? (size_t)plan->n[1] * (size_t)plan->n[2]
                   : axis == 1 ? (size_t)plan->n[2] * chunks
                               : (size_t)plan->n[1] * chunks;
    parallel_for(plan->desc->threads, items, axis == 0 ? 64 : 4, blur_range, &job);
}

void skin_fill_density(SkinPlan *plan) {
    parallel_for(plan->desc->threads, (size_t)plan->n[plan->last], 1, fill_layers, plan);
    for (int pass = 0; pass < plan->blur_passes; pass++)
        for (int axis = 0; axis < plan->desc->dim; axis++) blur_axis(plan, axis);
}

/* ---- level ---- */

/* Across a flat surface the blurred density falls as the normal distribution does, of which the
 * logistic function of 1.702 x is within 0.01: its inverse makes a distance of it, to about two
 * deviations from the surface. */
static const double LOGISTIC = 1.702;
static const double LEAST_DENSITY = 0.05;
/* The density that is the surface: 0.5 of deep liquid, 0.39 of a sheet of one layer of particles
 * whose volume is right. */
static const double SURFACE_DENSITY = 0.45;
/* Near obstacles the liquid is compared with the room that they leave, so much at least. */
static const double LEAST_ROOM = 0.1;

static double level_of(const SkinPlan *plan, double density) {
    double part = fmin(fmax(density, LEAST_DENSITY), 1 - LEAST_DENSITY);
    double offset = log((1 - SURFACE_DENSITY) / SURFACE_DENSITY);
    return (log((1 - part) / part) - offset) * plan->blur / LOGISTIC;
}

static void level_rows(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    const ParticleSkinDesc *desc = plan->desc;
    for (size_t row = begin; row < end; row++) {
        size_t node = row * plan->stride[1];
        int j = (int)(row % (size_t)plan->n[1]), k = (int)(row / (size_t)plan->n[1]);
        for (int i = 0; i < plan->n[0]; i++, node++) {
            double density = (double)plan->density[node];
            if (desc->distance && density > LEAST_DENSITY) {
                Vec3 x = node_grid_position(&desc->nodes, i, j, k);
                double distance = desc->distance(desc->user, x);
                double room = 1 / (1 + exp(-LOGISTIC * distance / plan->blur));
                double cut = -distance - desc->depth;
                plan->level[node] =
                    cut > 0 ? cut : fmax(level_of(plan, density / fmax(room, LEAST_ROOM)), cut);
            } else {
                plan->level[node] = level_of(plan, density);
            }
        }
    }
}

void skin_density_to_level(SkinPlan *plan) {
    parallel_for(plan->desc->threads, (size_t)plan->n[1] * (size_t)plan->n[2], 16, level_rows,
                 plan);
}
