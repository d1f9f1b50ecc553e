/* The parts of surface reconstruction from particles. Positions are in node spacings from the first
 * node. / */
#ifndef GRID_PARTICLE_SKIN_PARTS_H
#define GRID_PARTICLE_SKIN_PARTS_H

#include "base/parallel.h"
#include "grid/particles/particle_skin.h"

typedef struct SkinPlan {
    const ParticleSkinDesc *desc;
    int n[3];
    size_t stride[3];
    size_t node_count;
    int last; /* the slowest axis: work is shared out by its layers */
    double per_spacing;
    double blur;                 /* m, standard deviation of the blurred particles along an axis */
    int blur_passes;             /* on top of the weights of a particle */
    uint32_t *order;             /* particles by the layer they are nearest to, then by number */
    size_t *layer_first;         /* in `order`, n[last] + 1 */
    float *density;              /* at nodes, 1: full; later the smoothing's middle values */
    double *level;               /* m, at nodes */
    unsigned char *mark, *spare; /* at nodes; of particles whose nearest is marked, bounds come */
    int32_t *slot;               /* of nodes near the surface */
    uint32_t *slot_node;
    float *upper, *lower; /* m, bounds of the level, of each slot */
    float *cut;           /* m, level of the obstacles' cut, of each slot; NULL: none */
    float (*flow)[4];     /* sums of weights and of weighted velocities, of each slot */
    size_t slot_count;
} SkinPlan;

/* Weights of the three nodes about a position: the quadratic B-spline. */
typedef struct SkinWeights {
    int first;
    float weight[3];
} SkinWeights;

/* Where a particle is along an axis, within the nodes. */
static inline double skin_place(const SkinPlan *plan, int axis, size_t particle) {
    const NodeGrid *nodes = &plan->desc->nodes;
    double at = (plan->desc->position[axis][particle] - vec3_component(nodes->origin, axis)) *
                plan->per_spacing;
    double most = plan->n[axis] - 1;
    return at > 0 ? (at < most ? at : most) : 0.0; /* not a number: 0 */
}

static inline int skin_nearest(double at) {
    return (int)(at + 0.5);
}

static inline SkinWeights skin_weights(double at) {
    int nearest = skin_nearest(at);
    float f = (float)(at - nearest);
    return (SkinWeights){
        nearest - 1,
        {0.5f * (0.5f - f) * (0.5f - f), 0.75f - f * f, 0.5f * (0.5f + f) * (0.5f + f)}};
}

/* The same, with those of the particle's mirror image behind a side. */
static inline SkinWeights skin_mirrored_weights(double at, int n) {
    SkinWeights w = skin_weights(at);
    if (w.first < 0) return (SkinWeights){0, {2 * w.weight[1], w.weight[0] + w.weight[2], 0}};
    if (w.first > n - 3)
        return (SkinWeights){n - 3, {0, w.weight[0] + w.weight[2], 2 * w.weight[1]}};
    if (w.first == 0) w.weight[0] *= 2;
    if (w.first == n - 3) w.weight[2] *= 2;
    return w;
}

/* The weight of a layer of the last axis, 0 when it is not among the three. */
static inline float skin_layer_weight(const SkinWeights *w, int layer) {
    int i = layer - w->first;
    return i >= 0 && i < 3 ? w->weight[i] : 0.0f;
}

/* The corners of the cube about a place, with the weights of linear interpolation. */
typedef struct SkinCorners {
    size_t node[8];
    double weight[8];
    int count;
} SkinCorners;

SkinCorners skin_corners(const int n[3], int dim, const double at[3]);

static inline size_t skin_nearest_node(const SkinPlan *plan, size_t particle) {
    size_t node = 0;
    for (int axis = 0; axis < plan->desc->dim; axis++)
        node += (size_t)skin_nearest(skin_place(plan, axis, particle)) * plan->stride[axis];
    return node;
}

PlimStatus skin_sort(SkinPlan *plan, Scratch *scratch);
void skin_fill_density(SkinPlan *plan);
void skin_density_to_level(SkinPlan *plan);
PlimStatus skin_find_band(SkinPlan *plan, Scratch *scratch);
void skin_bound(SkinPlan *plan);
void skin_smooth(SkinPlan *plan);

#endif
