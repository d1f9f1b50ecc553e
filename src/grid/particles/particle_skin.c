/* Surface reconstruction from particles: a fair level set between bounds, then an isosurface. */
#include "grid/particles/particle_skin.h"

#include "geom/mesh/isosurface.h"
#include "grid/particles/particle_skin_parts.h"

#include <math.h>
#include <string.h>

enum { PARTICLE_GRAIN = 16384, VERTEX_GRAIN = 1024 };

/* A particle further outside the skin than this, or in a cube of nodes that the skin does not come
 * through, is spray; in spacings of the particles or of the nodes, which cannot tell less. */
static const double SPRAY_LEVEL = 0.25;

ParticleSkinDesc particle_skin_desc_default(void) {
    return (ParticleSkinDesc){.dim = 3, .radius = 1, .smoothing = 8, .threads = 1};
}

/* ---- interpolation ---- */

SkinCorners skin_corners(const int n[3], int dim, const double at[3]) {
    SkinCorners c = {.node = {0}, .weight = {1}, .count = 1};
    size_t stride = 1;
    for (int axis = 0; axis < dim; axis++) {
        int low = (int)at[axis];
        if (low > n[axis] - 2) low = n[axis] - 2;
        double high_share = at[axis] - low;
        for (int i = 0; i < c.count; i++) {
            c.node[i] += (size_t)low * stride;
            c.node[i + c.count] = c.node[i] + stride;
            c.weight[i + c.count] = c.weight[i] * high_share;
            c.weight[i] *= 1 - high_share;
        }
        c.count *= 2;
        stride *= (size_t)n[axis];
    }
    return c;
}

static SkinCorners corners_at(const ParticleSkinDesc *desc, Vec3 x) {
    double at[3] = {0};
    for (int axis = 0; axis < desc->dim; axis++) {
        double from = vec3_component(x, axis) - vec3_component(desc->nodes.origin, axis);
        at[axis] = fmin(fmax(from / desc->nodes.spacing, 0), desc->nodes.n[axis] - 1);
    }
    return skin_corners(desc->nodes.n, desc->dim, at);
}

double particle_skin_level(const ParticleSkinDesc *desc, const ParticleSkin *skin, Vec3 x) {
    SkinCorners c = corners_at(desc, x);
    double level = 0;
    for (int i = 0; i < c.count; i++) level += c.weight[i] * skin->level[c.node[i]];
    return level;
}

/* ---- what flows near the surface ---- */

static void add_flow(const SkinPlan *plan, size_t particle, int layer) {
    const ParticleSkinDesc *desc = plan->desc;
    int last = plan->last;
    SkinWeights along = skin_mirrored_weights(skin_place(plan, last, particle), plan->n[last]);
    float share = skin_layer_weight(&along, layer);
    if (!(share > 0)) return;
    SkinWeights x = skin_mirrored_weights(skin_place(plan, 0, particle), plan->n[0]);
    SkinWeights y = {0, {1, 0, 0}};
    if (last == 2) y = skin_mirrored_weights(skin_place(plan, 1, particle), plan->n[1]);
    Vec3 u = desc->velocity(desc->user, particle);
    size_t base = (size_t)layer * plan->stride[last];
    for (int b = 0; b < 3 && (last == 2 || b == 0); b++)
        for (int a = 0; a < 3; a++) {
            size_t node = base + (size_t)(x.first + a);
            if (last == 2) node += (size_t)(y.first + b) * plan->stride[1];
            if (plan->slot[node] < 0) continue;
            float weight = share * x.weight[a] * y.weight[b], *flow = plan->flow[plan->slot[node]];
            flow[0] += weight;
            flow[1] += weight * (float)u.x;
            flow[2] += weight * (float)u.y;
            flow[3] += weight * (float)u.z;
        }
}

static void flow_layers(void *user, size_t begin, size_t end) {
    const SkinPlan *plan = user;
    for (int layer = (int)begin; layer < (int)end; layer++) {
        int low = layer > 0 ? layer - 1 : 0;
        int high = layer + 1 < plan->n[plan->last] ? layer + 1 : layer;
        for (size_t i = plan->layer_first[low]; i < plan->layer_first[high + 1]; i++) {
            size_t particle = plan->order[i];
            if (plan->mark[skin_nearest_node(plan, particle)]) add_flow(plan, particle, layer);
        }
    }
}

static PlimStatus gather_flow(SkinPlan *plan, Scratch *scratch) {
    plan->flow = scratch_take(scratch, plan->slot_count + 1, sizeof *plan->flow);
    if (!plan->flow) return PLIM_OUT_OF_MEMORY;
    memset(plan->flow, 0, plan->slot_count * sizeof *plan->flow);
    if (plan->desc->velocity)
        parallel_for(plan->desc->threads, (size_t)plan->n[plan->last], 1, flow_layers, plan);
    return PLIM_OK;
}

/* ---- spray ---- */

typedef struct SprayJob {
    const SkinPlan *plan;
    unsigned char *is_spray;
} SprayJob;

static void sort_out_spray(void *user, size_t begin, size_t end) {
    const SprayJob *job = user;
    const SkinPlan *plan = job->plan;
    double limit = SPRAY_LEVEL * fmax(plan->desc->spacing, plan->desc->nodes.spacing);
    for (size_t particle = begin; particle < end; particle++) {
        double at[3] = {0}, level = 0, least = HUGE_VAL;
        for (int axis = 0; axis < plan->desc->dim; axis++)
            at[axis] = skin_place(plan, axis, particle);
        SkinCorners c = skin_corners(plan->n, plan->desc->dim, at);
        for (int i = 0; i < c.count; i++) {
            level += c.weight[i] * plan->level[c.node[i]];
            least = fmin(least, plan->level[c.node[i]]);
        }
        job->is_spray[particle] = level > limit || least >= 0;
    }
}

/* ---- the whole ---- */

static PlimStatus check(PlimContext *context, const ParticleSkinDesc *desc) {
    double nodes = 1;
    for (int axis = 0; axis < desc->dim; axis++) {
        if (desc->nodes.n[axis] < 3)
            return context_fail(context, PLIM_BAD_INPUT, "a skin needs three nodes along an axis");
        nodes *= desc->nodes.n[axis];
    }
    if (nodes > INT32_MAX || desc->count > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT, "%g nodes, %zu particles are too many", nodes,
                            desc->count);
    return PLIM_OK;
}

static SkinPlan make_plan(const ParticleSkinDesc *desc) {
    SkinPlan plan = {.desc = desc, .last = desc->dim - 1, .per_spacing = 1 / desc->nodes.spacing};
    plan.node_count = 1;
    for (int axis = 0; axis < 3; axis++) {
        plan.n[axis] = desc->nodes.n[axis];
        plan.stride[axis] = plan.node_count;
        plan.node_count *= (size_t)plan.n[axis];
    }
    /* Variances along an axis, in squares of the nodes' spacing: 1/4 of the quadratic B-spline and
     * 1/2 of each pass; that of the whole is 3/4 of the square of the radius. */
    double radius = desc->radius * desc->spacing * plan.per_spacing;
    plan.blur_passes = (int)fmax(0, floor((0.75 * radius * radius - 0.25) / 0.5 + 0.5));
    plan.blur = sqrt(0.25 + 0.5 * plan.blur_passes) * desc->nodes.spacing;
    return plan;
}

/* Work arrays come after those that stay, to be given back. */
static PlimStatus make_level(SkinPlan *plan, Scratch *scratch) {
    plan->density = scratch_take(scratch, plan->node_count, sizeof *plan->density);
    plan->mark = scratch_take(scratch, plan->node_count, 1);
    plan->spare = scratch_take(scratch, plan->node_count, 1);
    if (!plan->density || !plan->mark || !plan->spare) return PLIM_OUT_OF_MEMORY;
    TRY(skin_sort(plan, scratch));
    skin_fill_density(plan);
    skin_density_to_level(plan);
    TRY(skin_find_band(plan, scratch));
    skin_bound(plan);
    skin_smooth(plan);
    return PLIM_OK;
}

PlimStatus particle_skin_create(const ParticleSkinDesc *desc, Scratch *scratch, ParticleSkin *out) {
    TRY(check(scratch->context, desc));
    SkinPlan plan = make_plan(desc);
    plan.level = scratch_take(scratch, plan.node_count, sizeof *plan.level);
    plan.slot = scratch_take(scratch, plan.node_count, sizeof *plan.slot);
    unsigned char *is_spray = scratch_take(scratch, desc->count + 1, 1);
    if (!plan.level || !plan.slot || !is_spray) return PLIM_OUT_OF_MEMORY;
    TRY(make_level(&plan, scratch));
    TRY(gather_flow(&plan, scratch));
    SprayJob job = {&plan, is_spray};
    parallel_for(desc->threads, desc->count, PARTICLE_GRAIN, sort_out_spray, &job);
    *out = (ParticleSkin){.level = plan.level,
                          .is_spray = is_spray,
                          .slot = plan.slot,
                          .slot_count = plan.slot_count,
                          .flow = plan.flow};
    for (size_t i = 0; i < desc->count; i++) out->spray_count += is_spray[i];
    return PLIM_OK;
}

/* ---- mesh ---- */

typedef struct VertexJob {
    const ParticleSkinDesc *desc;
    const ParticleSkin *skin;
    const TriangleMesh *mesh;
    float *velocities;
} VertexJob;

static void add_slot(const ParticleSkin *skin, size_t node, double weight, double sum[4]) {
    int32_t slot = skin->slot[node];
    for (int m = 0; m < 4 && slot >= 0; m++) sum[m] += weight * (double)skin->flow[slot][m];
}

/* What flows within two nodes of a vertex that no particle is near: within obstacles. */
static void add_flow_around(const VertexJob *job, Vec3 x, double sum[4]) {
    const NodeGrid *nodes = &job->desc->nodes;
    int low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        double from = vec3_component(x, axis) - vec3_component(nodes->origin, axis);
        int nearest = (int)(fmin(fmax(from / nodes->spacing, 0), nodes->n[axis] - 1) + 0.5);
        low[axis] = nearest > 2 ? nearest - 2 : 0;
        high[axis] = nearest + 2 < nodes->n[axis] ? nearest + 2 : nodes->n[axis] - 1;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++)
                add_slot(job->skin, node_grid_index(nodes, i, j, k), 1, sum);
}

static void vertex_range(void *user, size_t begin, size_t end) {
    const VertexJob *job = user;
    for (size_t v = begin; v < end; v++) {
        Vec3 x = job->mesh->vertices[v];
        SkinCorners c = corners_at(job->desc, x);
        double sum[4] = {0};
        for (int i = 0; i < c.count; i++) add_slot(job->skin, c.node[i], c.weight[i], sum);
        if (!(sum[0] > 0)) add_flow_around(job, x, sum);
        for (int axis = 0; axis < 3; axis++)
            job->velocities[3 * v + (size_t)axis] =
                sum[0] > 0 ? (float)(sum[axis + 1] / sum[0]) : 0.0f;
    }
}

PlimStatus particle_skin_mesh(const ParticleSkinDesc *desc, const ParticleSkin *skin,
                              PlimContext *context, Scratch *scratch, TriangleMesh *mesh,
                              float **velocities) {
    TRY(isosurface_extract(context, &desc->nodes, skin->level, NULL, 0, mesh, NULL));
    *velocities = scratch_take(scratch, 3 * mesh->vertex_count + 1, sizeof **velocities);
    if (!*velocities) {
        mesh_free(context, mesh);
        return PLIM_OUT_OF_MEMORY;
    }
    VertexJob job = {desc, skin, mesh, *velocities};
    parallel_for(desc->threads, mesh->vertex_count, VERTEX_GRAIN, vertex_range, &job);
    return PLIM_OK;
}
