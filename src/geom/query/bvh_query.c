/* Nearest-point and ray queries of a bounding volume hierarchy. A child is left out only when its
 * box is surely farther than the best found: box distances are compared with a margin above the
 * rounding of what the leaves compute, and equal ones are visited, so the answer is that of trying
 * every primitive in turn. */
#include "geom/query/bvh_node.h"
#include "geom/query/closest.h"

#include <float.h>

/* Roundings, in units of the largest coordinate, by which a box distance may disagree with a
 * distance computed at a leaf. Several times what ray.c allows itself. */
#define ROUNDINGS 64.0

/* Nodes and primitives still to visit, the next one on top. Keys and places apart: moved as one, an
 * entry would be read before its parts, just written, have reached memory as one. */
typedef struct Pending {
    int top;
    double key[BVH_STACK + BVH_WIDTH]; /* distance or t at which the box is reached */
    uint64_t place[BVH_STACK + BVH_WIDTH];
} Pending;

/* A node (level 0 and up) or a primitive (level -1) as one number. */
static uint64_t place_of(int level, uint32_t index) {
    return (uint64_t)(level + 1) << 32 | index;
}

static void prefetch(const Bvh *bvh, int level, uint32_t index) {
    const char *memory = level < 0 ? (const char *)&bvh->indices[(size_t)bvh->input.corners * index]
                                   : (const char *)&bvh->level[level][index];
    size_t bytes = level < 0 ? 1 : sizeof(BvhNode);
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(memory + i);
}

/* Takes the node `index` off the stack at `base` and puts those children on it whose key is at most
 * `limit`, the nearest on top. Each child is written and then kept or not: which ones are is too
 * irregular for branches. The rest stay unsorted: when their turn comes most are too far. */
static void push_children(const Bvh *bvh, Pending *pending, int base, int level, uint32_t index,
                          const double key[BVH_WIDTH], double limit) {
    uint64_t first = place_of(level - 1, BVH_WIDTH * index);
    int top = base, nearest = base;
    double least = HUGE_VAL;
    for (int k = 0; k < BVH_WIDTH; k++) {
        pending->key[top] = key[k];
        pending->place[top] = first + (uint64_t)k;
        bool nearer = key[k] < least;
        least = nearer ? key[k] : least;
        nearest = nearer ? top : nearest; /* if not kept, the next kept one is nearer */
        top += key[k] <= limit;
    }
    pending->top = top;
    if (top == base) return;
    for (int i = base; i < top; i++) prefetch(bvh, level - 1, (uint32_t)pending->place[i]);
    uint64_t place = pending->place[nearest];
    pending->key[nearest] = pending->key[top - 1];
    pending->place[nearest] = pending->place[top - 1];
    pending->key[top - 1] = least;
    pending->place[top - 1] = place;
}

static double size_of(Vec3 a) {
    return bvh_greatest(fabs(a.x), bvh_greatest(fabs(a.y), fabs(a.z)));
}

/* ---- nearest point ---- */

typedef struct Nearest {
    const Bvh *bvh;
    Vec3 p;
    double margin;
    double limit2; /* squared distance of the best so far, or of the limit */
    double visit2; /* boxes farther than this, squared, hold nothing better */
    BvhClosest best;
} Nearest;

static double with_margin(double limit2, double margin) {
    double reach = sqrt(limit2) + margin;
    return bvh_least(reach * reach * (1 + 8 * DBL_EPSILON), DBL_MAX); /* empty boxes are farther */
}

/* 2 max(a, 0), exactly, and without a branch: compilers then do all children at once. */
static inline double twice_positive(double a) {
    return a + fabs(a);
}

/* Squared distances from p to the boxes. At most one of the two sides of an axis counts, so the
 * sums are exact and the result is that of box3_distance_squared. */
static void box_distances(const BvhNode *restrict node, Vec3 p,
                          double distance2[restrict BVH_WIDTH]) {
    for (int k = 0; k < BVH_WIDTH; k++) {
        double x = twice_positive(node->low[0][k] - p.x) + twice_positive(p.x - node->high[0][k]);
        double y = twice_positive(node->low[1][k] - p.y) + twice_positive(p.y - node->high[1][k]);
        double z = twice_positive(node->low[2][k] - p.z) + twice_positive(p.z - node->high[2][k]);
        distance2[k] = 0.25 * (x * x + y * y + z * z);
    }
}

static void try_nearest(Nearest *search, size_t place) {
    const Bvh *bvh = search->bvh;
    const Vec3 *vertices = bvh->input.vertices;
    BvhClosest found = {.primitive = bvh->order[place]};
    if (bvh->input.corners == 3) {
        const int32_t *corner = bvh->indices + 3 * place;
        found.point = closest_on_triangle(search->p, vertices[corner[0]], vertices[corner[1]],
                                          vertices[corner[2]], found.weights);
    } else {
        const int32_t *corner = bvh->indices + 2 * place;
        found.point = closest_on_segment(search->p, vertices[corner[0]], vertices[corner[1]],
                                         &found.weights[1]);
        found.weights[0] = 1.0 - found.weights[1];
    }
    Vec3 gap = vec3_sub(search->p, found.point);
    double distance2 = vec3_dot(gap, gap);
    if (!(distance2 <= search->limit2)) return;
    if (distance2 == search->limit2 && found.primitive > search->best.primitive) return;
    search->best = found;
    search->limit2 = distance2;
    search->visit2 = with_margin(distance2, search->margin);
}

BvhClosest bvh_closest(const Bvh *bvh, Vec3 p, double limit) {
    Nearest search = {.bvh = bvh, .p = p, .limit2 = limit * limit};
    search.best = (BvhClosest){.primitive = BVH_NONE, .distance = HUGE_VAL};
    if (bvh->levels == 0 || !(limit >= 0.0)) return search.best;
    Box3 bounds = bvh->bounds;
    search.margin =
        ROUNDINGS * DBL_EPSILON *
        bvh_greatest(size_of(p), bvh_greatest(size_of(bounds.low), size_of(bounds.high)));
    search.visit2 = with_margin(search.limit2, search.margin);
    Pending pending;
    pending.top = 1;
    pending.key[0] = 0.0;
    pending.place[0] = place_of(bvh->levels - 1, 0);
    while (pending.top > 0) {
        int base = --pending.top, level = (int)(pending.place[base] >> 32) - 1;
        uint32_t index = (uint32_t)pending.place[base];
        if (pending.key[base] > search.visit2) continue;
        if (level < 0) {
            try_nearest(&search, index);
            continue;
        }
        double distance2[BVH_WIDTH];
        box_distances(&bvh->level[level][index], p, distance2);
        push_children(bvh, &pending, base, level, index, distance2, search.visit2);
    }
    if (search.best.primitive != BVH_NONE) search.best.distance = sqrt(search.limit2);
    return search.best;
}

/* ---- rays ---- */

typedef struct Tracer {
    const Bvh *bvh;
    RayProbe probe;
    double from[3], inverse[3], grow[3]; /* boxes are grown by the radius and the margin */
    BvhRayHit best;
} Tracer;

static Tracer make_tracer(const Bvh *bvh, Vec3 from, Vec3 to, double thickness) {
    if (bvh->input.corners == 2) from.z = to.z = 0.0;
    Tracer tracer = {.bvh = bvh, .best = {.primitive = BVH_NONE, .hit.t = HUGE_VAL}};
    tracer.probe = ray_probe(from, to, thickness);
    Box3 bounds = bvh->bounds;
    double scale =
        bvh_greatest(size_of(vec3_sub(bounds.low, from)), size_of(vec3_sub(bounds.high, from)));
    scale = scale + size_of(vec3_sub(to, from)) + thickness;
    double grow = tracer.probe.radius + ROUNDINGS * DBL_EPSILON * scale;
    double along[3], start[3];
    vec3_store(along, vec3_sub(to, from));
    vec3_store(start, from);
    const double least = 1e-300; /* stands for 0, whose inverse would make 0 x infinity */
    for (int i = 0; i < 3; i++) {
        double size = bvh_greatest(fabs(along[i]), least);
        tracer.from[i] = start[i];
        tracer.inverse[i] = copysign(1.0 / size, along[i]);
        tracer.grow[i] = grow;
    }
    if (bvh->input.corners == 2) { /* z is ignored: every box spans all of it */
        tracer.inverse[2] = 1.0;
        tracer.grow[2] = DBL_MAX;
    }
    return tracer;
}

/* Where the ray enters each grown box; more than 1 when it does not. */
static void box_entries(const Tracer *tracer, const BvhNode *node, double entry[BVH_WIDTH]) {
    double leave[BVH_WIDTH];
    for (int k = 0; k < BVH_WIDTH; k++) entry[k] = 0.0, leave[k] = 1.0;
    for (int i = 0; i < 3; i++) {
        double from = tracer->from[i], inverse = tracer->inverse[i];
        double grow = copysign(tracer->grow[i], inverse);
        const double *near = inverse > 0.0 ? node->low[i] : node->high[i];
        const double *far = inverse > 0.0 ? node->high[i] : node->low[i];
        for (int k = 0; k < BVH_WIDTH; k++) {
            entry[k] = bvh_greatest(entry[k], (near[k] - grow - from) * inverse);
            leave[k] = bvh_least(leave[k], (far[k] + grow - from) * inverse);
        }
    }
    for (int k = 0; k < BVH_WIDTH; k++) entry[k] = entry[k] <= leave[k] ? entry[k] : HUGE_VAL;
}

static void try_hit(Tracer *tracer, size_t place) {
    const Bvh *bvh = tracer->bvh;
    const Vec3 *vertices = bvh->input.vertices;
    RayHit hit = {0};
    bool met;
    if (bvh->input.corners == 3) {
        const int32_t *corner = bvh->indices + 3 * place;
        met = ray_probe_triangle(&tracer->probe, vertices[corner[0]], vertices[corner[1]],
                                 vertices[corner[2]], &hit);
    } else {
        const int32_t *corner = bvh->indices + 2 * place;
        met = ray_probe_segment_2d(&tracer->probe, vertices[corner[0]], vertices[corner[1]], &hit);
    }
    if (!met || hit.t > tracer->best.hit.t) return;
    size_t primitive = bvh->order[place];
    if (hit.t == tracer->best.hit.t && primitive > tracer->best.primitive) return;
    tracer->best = (BvhRayHit){primitive, hit};
}

/* With `any`, stops at the first hit found, which need not be the first along the ray. */
static BvhRayHit trace(const Bvh *bvh, Vec3 from, Vec3 to, double thickness, bool any) {
    if (bvh->levels == 0) return (BvhRayHit){.primitive = BVH_NONE};
    Tracer tracer = make_tracer(bvh, from, to, thickness);
    Pending pending;
    pending.top = 1;
    pending.key[0] = 0.0;
    pending.place[0] = place_of(bvh->levels - 1, 0);
    while (pending.top > 0) {
        int base = --pending.top, level = (int)(pending.place[base] >> 32) - 1;
        uint32_t index = (uint32_t)pending.place[base];
        if (pending.key[base] > tracer.best.hit.t) continue;
        if (level < 0) {
            try_hit(&tracer, index);
            if (any && tracer.best.primitive != BVH_NONE) break;
            continue;
        }
        double entry[BVH_WIDTH];
        box_entries(&tracer, &bvh->level[level][index], entry);
        double last = bvh_least(tracer.best.hit.t, 1.0);
        push_children(bvh, &pending, base, level, index, entry, last);
    }
    if (tracer.best.primitive == BVH_NONE) tracer.best.hit = (RayHit){0};
    return tracer.best;
}

BvhRayHit bvh_ray_first(const Bvh *bvh, Vec3 from, Vec3 to, double thickness) {
    return trace(bvh, from, to, thickness, false);
}

Visibility bvh_visibility(const Bvh *bvh, Vec3 from, Vec3 to, double thickness) {
    if (trace(bvh, to, to, thickness, true).primitive != BVH_NONE) return INSIDE;
    return trace(bvh, from, to, thickness, true).primitive != BVH_NONE ? OCCLUDED : VISIBLE;
}
