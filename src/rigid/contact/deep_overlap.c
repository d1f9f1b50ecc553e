/* Deep overlaps: bodies inside many others keep a few pairs, chosen by chance. */
#include "rigid/contact/deep_overlap.h"

#include "base/random.h"

#include <string.h>

/* A body inside more others than MOST_DEEP is in a deep overlap, and keeps about KEPT pairs of it:
 * equal balls that touch have at most 12 neighbours. */
enum { MOST_DEEP = 6, KEPT = 20 };

/* Bodies are inside one another when the balls in their middles overlap by a tenth: those that
 * merely touch, or sank in a little, are not. */
static const double deep_part = 0.9;

static bool is_deep(const DeepOverlaps *overlaps, BroadPair pair) {
    const RigidBodies *b = overlaps->bodies;
    size_t i = (size_t)pair.a, j = (size_t)pair.b;
    if (!rigid_is_dynamic(b, i) || !rigid_is_dynamic(b, j)) return false;
    double reach = deep_part * (rigid_inner_radius(b, i) + rigid_inner_radius(b, j));
    Vec3 apart = vec3_sub(overlaps->frames[i].origin, overlaps->frames[j].origin);
    return vec3_dot(apart, apart) < reach * reach;
}

bool deep_overlaps_hold(const DeepOverlaps *overlaps, BroadPair pair) {
    return overlaps->deep[pair.a] > MOST_DEEP && overlaps->deep[pair.b] > MOST_DEEP;
}

PlimStatus deep_overlaps_find(const RigidBodies *bodies, const StepInfo *step, const Frame *frames,
                              DeepOverlaps *out) {
    size_t count = rigid_partner_count(bodies), near = bodies->contacts.near.items.count;
    const BroadPair *pairs = bodies->contacts.near.items.data;
    *out = (DeepOverlaps){bodies, frames, scratch_take(step->scratch, count, sizeof *out->deep),
                          scratch_take(step->scratch, count, sizeof *out->pairs)};
    if (!out->deep || !out->pairs) return PLIM_OUT_OF_MEMORY;
    memset(out->deep, 0, count * sizeof *out->deep);
    memset(out->pairs, 0, count * sizeof *out->pairs);
    for (size_t p = 0; p < near; p++) {
        if (!is_deep(out, pairs[p])) continue;
        out->deep[pairs[p].a]++;
        out->deep[pairs[p].b]++;
    }
    for (size_t p = 0; p < near; p++) {
        if (!deep_overlaps_hold(out, pairs[p])) continue;
        out->pairs[pairs[p].a]++;
        out->pairs[pairs[p].b]++;
    }
    return PLIM_OK;
}

/* By chance: which bodies come apart first must not depend on the order they were listed in. The
 * same chance in every step: a pair that stays, stays until it is apart, and others follow as the
 * overlap thins out. */
static bool stays(const DeepOverlaps *overlaps, BroadPair pair) {
    int32_t a = overlaps->pairs[pair.a], b = overlaps->pairs[pair.b];
    uint64_t name = (uint64_t)pair.a << 32 | (uint64_t)pair.b;
    double chance = (double)KEPT / (a < b ? a : b);
    return chance >= 1.0 || random_uniform(overlaps->bodies->options.seed, 0, name) < chance;
}

void deep_overlaps_thin(const DeepOverlaps *overlaps, RigidContacts *contacts) {
    BroadPair *pairs = contacts->near.items.data;
    size_t kept = 0, count = contacts->near.items.count;
    for (size_t p = 0; p < count; p++)
        if (!deep_overlaps_hold(overlaps, pairs[p]) || stays(overlaps, pairs[p]))
            pairs[kept++] = pairs[p];
    contacts->near.items.count = kept;
    contacts->left_out = count - kept;
}

void deep_overlaps_keep_deepest(ContactPoints *points) {
    for (size_t k = 1; k < points->count; k++)
        if (points->at[k].gap < points->at[0].gap) points->at[0] = points->at[k];
    if (points->count > 1) points->count = 1;
}
