/* Narrow band of the surface of particles, and its bi-Laplacian smoothing: which they are, the
 * bounds of their level, what flows there, and the smoothing between the bounds. */
#include "grid/particles/particle_skin_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Nodes on each side of the surface that are smoothed. */
enum { BAND = 2, NODE_GRAIN = 8192 };
enum { SWEEPS = 4 }; /* of a pass */

/* The two radii of the spheres around a particle, in parts of its own (Williams 2008). */
static const double LEAST_RADIUS = 0.3, GREATEST_RADIUS = 1.5;
/* In liquid this thin and thinner the least radius goes down, and so fast, in spacings: a particle
 * on its own makes no bump of its own, it is spray. */
static const double THIN = 0.5, THINNING = 4.0;
static const double LOOSE = 5.0;

/* m, to which particles matter to the bounds of a node's level: half a node spacing beyond the
 * greatest sphere all is air. */
static double bound_reach(const SkinPlan *plan) {
    double radius = plan->desc->radius * plan->desc->spacing;
    return GREATEST_RADIUS * radius + 0.5 * plan->desc->nodes.spacing;
}

static int bound_reach_nodes(const SkinPlan *plan) {
    return (int)ceil(bound_reach(plan) * plan->per_spacing + 0.5);
}

/* ---- the band ---- */

static bool differs(const SkinPlan *plan, size_t node, int i, int axis) {
    bool inside = plan->level[node] < 0;
    return (i > 0 && (plan->level[node - plan->stride[axis]] < 0) != inside) ||
           (i + 1 < plan->n[axis] && (plan->level[node + plan->stride[axis]] < 0) != inside);
}

static void mark_rows(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    for (size_t row = begin; row < end; row++) {
        size_t node = row * plan->stride[1];
        int j = (int)(row % (size_t)plan->n[1]), k = (int)(row / (size_t)plan->n[1]);
        for (int i = 0; i < plan->n[0]; i++, node++)
            plan->mark[node] =
                differs(plan, node, i, 0) || differs(plan, node, j, 1) || differs(plan, node, k, 2);
    }
}

typedef struct GrowJob {
    const SkinPlan *plan;
    int axis, by;
    const unsigned char *from;
    unsigned char *to;
} GrowJob;

static void grow_rows(void *user, size_t begin, size_t end) {
    const GrowJob *job = user;
    const SkinPlan *plan = job->plan;
    size_t nx = (size_t)plan->n[0];
    for (size_t row = begin; row < end; row++) {
        int at[3] = {0, (int)(row % (size_t)plan->n[1]), (int)(row / (size_t)plan->n[1])};
        const unsigned char *from = job->from + row * nx;
        unsigned char *to = job->to + row * nx;
        memcpy(to, from, nx);
        for (int d = -job->by; d <= job->by; d++) {
            if (job->axis == 0) {
                for (int i = d < 0 ? -d : 0; i < plan->n[0] - (d > 0 ? d : 0); i++)
                    to[i] |= from[i + d];
                continue;
            }
            if (at[job->axis] + d < 0 || at[job->axis] + d >= plan->n[job->axis]) continue;
            const unsigned char *other = from + (ptrdiff_t)plan->stride[job->axis] * d;
            for (size_t i = 0; i < nx; i++) to[i] |= other[i];
        }
    }
}

/* Marks all nodes within `by` nodes of marked ones. */
static void grow(SkinPlan *plan, int by) {
    for (int axis = 0; axis < plan->desc->dim; axis++) {
        GrowJob job = {plan, axis, by, plan->mark, plan->spare};
        parallel_for(plan->desc->threads, (size_t)plan->n[1] * (size_t)plan->n[2], 32, grow_rows,
                     &job);
        plan->mark = job.to;
        plan->spare = (unsigned char *)job.from;
    }
}

static bool is_on_side(const SkinPlan *plan, int i, int axis) {
    return axis < plan->desc->dim && (i == 0 || i == plan->n[axis] - 1);
}

/* Where liquid reaches a side, the mesh is closed along it and has vertices that need a velocity.
 */
static void mark_sides(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    for (size_t row = begin; row < end; row++) {
        size_t node = row * plan->stride[1];
        int j = (int)(row % (size_t)plan->n[1]), k = (int)(row / (size_t)plan->n[1]);
        bool on_side = is_on_side(plan, j, 1) || is_on_side(plan, k, 2);
        int step = on_side ? 1 : plan->n[0] - 1;
        for (int i = 0; i < plan->n[0]; i += step)
            plan->mark[node + (size_t)i] |= plan->level[node + (size_t)i] < 0;
    }
}

PlimStatus skin_find_band(SkinPlan *plan, Scratch *scratch) {
    parallel_for(plan->desc->threads, (size_t)plan->n[1] * (size_t)plan->n[2], 32, mark_rows, plan);
    grow(plan, BAND);
    parallel_for(plan->desc->threads, (size_t)plan->n[1] * (size_t)plan->n[2], 32, mark_sides,
                 plan);
    size_t count = 0;
    for (size_t node = 0; node < plan->node_count; node++)
        plan->slot[node] = plan->mark[node] ? (int32_t)count++ : -1;
    plan->slot_count = count;
    plan->slot_node = scratch_take(scratch, count + 1, sizeof *plan->slot_node);
    plan->upper = scratch_take(scratch, count + 1, sizeof *plan->upper);
    plan->lower = scratch_take(scratch, count + 1, sizeof *plan->lower);
    plan->cut = plan->desc->distance ? scratch_take(scratch, count + 1, sizeof *plan->cut) : NULL;
    if (!plan->slot_node || !plan->upper || !plan->lower || (plan->desc->distance && !plan->cut))
        return PLIM_OUT_OF_MEMORY;
    for (size_t node = 0; node < plan->node_count; node++)
        if (plan->slot[node] >= 0) plan->slot_node[plan->slot[node]] = (uint32_t)node;
    grow(plan, bound_reach_nodes(plan));
    return PLIM_OK;
}

/* ---- bounds ---- */

typedef struct Bounder {
    double at[3];
    double square;     /* of the distance along the last axis, m^2 */
    float least, most; /* radii, m */
} Bounder;

static Bounder bounder_of(const SkinPlan *plan, size_t particle, int layer) {
    const ParticleSkinDesc *desc = plan->desc;
    double radius = desc->radius * desc->spacing;
    Bounder b = {{0, 0, 0}, 0, 0, (float)(GREATEST_RADIUS * radius)};
    for (int axis = 0; axis < desc->dim; axis++) b.at[axis] = skin_place(plan, axis, particle);
    double along = (layer - b.at[plan->last]) * desc->nodes.spacing;
    b.square = along * along;
    SkinCorners corners = skin_corners(plan->n, desc->dim, b.at);
    double density = 0;
    for (int i = 0; i < corners.count; i++)
        density += corners.weight[i] * (double)plan->density[corners.node[i]];
    double thin = fmin(0, THINNING * (density - THIN));
    b.least = (float)(LEAST_RADIUS * radius + thin * desc->spacing);
    return b;
}

static void bound_row(const SkinPlan *plan, const Bounder *b, size_t row, double square) {
    double h = plan->desc->nodes.spacing, reach = bound_reach(plan) * plan->per_spacing;
    double wide = sqrt(fmax(0, reach * reach - square * plan->per_spacing * plan->per_spacing));
    int first = (int)fmax(0, ceil(b->at[0] - wide));
    int end = (int)fmin(plan->n[0] - 1, floor(b->at[0] + wide)) + 1;
    for (int i = first; i < end; i++) {
        int32_t slot = plan->slot[row + (size_t)i];
        if (slot < 0) continue;
        double dx = (i - b->at[0]) * h;
        float distance = (float)sqrt(square + dx * dx);
        plan->upper[slot] = fminf(plan->upper[slot], distance - b->least);
        plan->lower[slot] = fminf(plan->lower[slot], distance - b->most);
    }
}

static void bound_by(const SkinPlan *plan, size_t particle, int layer) {
    double h = plan->desc->nodes.spacing, reach = bound_reach(plan);
    Bounder b = bounder_of(plan, particle, layer);
    if (b.square > reach * reach) return;
    size_t base = (size_t)layer * plan->stride[plan->last];
    if (plan->last == 1) {
        bound_row(plan, &b, base, b.square);
        return;
    }
    double wide = sqrt(reach * reach - b.square) * plan->per_spacing;
    int first = (int)fmax(0, ceil(b.at[1] - wide));
    int end = (int)fmin(plan->n[1] - 1, floor(b.at[1] + wide)) + 1;
    for (int j = first; j < end; j++) {
        double dy = (j - b.at[1]) * h;
        bound_row(plan, &b, base + (size_t)j * plan->stride[1], b.square + dy * dy);
    }
}

static void bound_layers(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    int last = plan->last, reach = bound_reach_nodes(plan);
    for (int layer = (int)begin; layer < (int)end; layer++) {
        const int32_t *slots = plan->slot + (size_t)layer * plan->stride[last];
        size_t here = 0;
        for (size_t i = 0; i < plan->stride[last]; i++) {
            if (slots[i] < 0) continue;
            plan->upper[slots[i]] = FLT_MAX;
            plan->lower[slots[i]] = (float)(0.5 * plan->desc->nodes.spacing);
            here++;
        }
        if (here == 0) continue;
        int low = layer > reach ? layer - reach : 0;
        int high = layer + reach < plan->n[last] ? layer + reach : plan->n[last] - 1;
        for (size_t i = plan->layer_first[low]; i < plan->layer_first[high + 1]; i++) {
            size_t particle = plan->order[i];
            if (plan->mark[skin_nearest_node(plan, particle)]) bound_by(plan, particle, layer);
        }
    }
}

static void cut_slots(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    const ParticleSkinDesc *desc = plan->desc;
    for (size_t slot = begin; slot < end; slot++) {
        size_t node = plan->slot_node[slot];
        int i = (int)(node % plan->stride[1]), j = (int)(node / plan->stride[1]) % plan->n[1];
        int k = (int)(node / plan->stride[2]);
        Vec3 x = node_grid_position(&desc->nodes, i, j, k);
        plan->cut[slot] = (float)(-desc->distance(desc->user, x) - desc->depth);
    }
}

void skin_bound(SkinPlan *plan) {
    parallel_for(plan->desc->threads, (size_t)plan->n[plan->last], 1, bound_layers, plan);
    if (plan->cut) parallel_for(plan->desc->threads, plan->slot_count, 1024, cut_slots, plan);
}

/* ---- smoothing ---- */

/* Outside all great spheres the level is at least the distance from them. Within, where it may be
 * a distance from a surface far away, that holds it loosely. */
static double bounded(const SkinPlan *plan, size_t slot, double level) {
    double lower = (double)plan->lower[slot];
    return fmax(fmin(level, (double)plan->upper[slot]), lower > 0 ? lower : LOOSE * lower);
}

/* Neighbours along an axis, mirrored at the sides. */
static void neighbours(const SkinPlan *plan, size_t node, int axis, size_t *low, size_t *high) {
    size_t stride = plan->stride[axis];
    size_t i = axis == 0   ? node % plan->stride[1]
               : axis == 1 ? node / stride % (size_t)plan->n[1]
                           : node / stride;
    *low = i > 0 ? node - stride : node + stride;
    *high = i + 1 < (size_t)plan->n[axis] ? node + stride : node - stride;
}

/* Half a pass, from the level to `density`, which holds it in between. */
static void smooth_forth(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    double share = 0.25 / plan->desc->dim;
    for (size_t slot = begin; slot < end; slot++) {
        size_t node = plan->slot_node[slot], low, high;
        double sum = 0, here = plan->level[node];
        for (int axis = 0; axis < plan->desc->dim; axis++) {
            neighbours(plan, node, axis, &low, &high);
            sum += plan->level[low] + plan->level[high] - 2 * here;
        }
        plan->density[node] = (float)(here + share * sum);
    }
}

/* The other half: together 1 - share^2 Laplace^2, the descent of the thin plate's energy. */
static void smooth_back(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    double share = 0.25 / plan->desc->dim;
    for (size_t slot = begin; slot < end; slot++) {
        size_t node = plan->slot_node[slot], low, high;
        double sum = 0, here = (double)plan->density[node];
        for (int axis = 0; axis < plan->desc->dim; axis++) {
            neighbours(plan, node, axis, &low, &high);
            sum += (double)plan->density[low] + (double)plan->density[high] - 2 * here;
        }
        plan->level[node] = bounded(plan, slot, here - share * sum);
    }
}

static void first_bounds(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    for (size_t slot = begin; slot < end; slot++) {
        size_t node = plan->slot_node[slot];
        plan->level[node] = bounded(plan, slot, plan->level[node]);
    }
}

static void copy_level(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    for (size_t node = begin; node < end; node++) plan->density[node] = (float)plan->level[node];
}

static void apply_cut(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    for (size_t slot = begin; slot < end; slot++) {
        size_t node = plan->slot_node[slot];
        plan->level[node] = fmax(plan->level[node], (double)plan->cut[slot]);
    }
}

void skin_smooth(SkinPlan *plan) {
    int threads = plan->desc->threads;
    parallel_for(threads, plan->slot_count, NODE_GRAIN, first_bounds, plan);
    parallel_for(threads, plan->node_count, NODE_GRAIN, copy_level, plan);
    for (int sweep = 0; sweep < SWEEPS * plan->desc->smoothing; sweep++) {
        parallel_for(threads, plan->slot_count, NODE_GRAIN, smooth_forth, plan);
        parallel_for(threads, plan->slot_count, NODE_GRAIN, smooth_back, plan);
    }
    if (plan->cut) parallel_for(threads, plan->slot_count, NODE_GRAIN, apply_cut, plan);
}
