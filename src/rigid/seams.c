/* Ghost contacts between bodies (ghost-edge filtering across bodies): a box that slides over flush
 * tiles meets the side of each next tile, and a ball its edge, if pairs are looked at one by one.
 * Here a point counts only if all that touches there leaves its normal open (collide/seam.h). */
#include "rigid/seams.h"

#include "base/parallel.h"

/* Of the smaller body's size: steps at seams up to about a quarter of this are passed over. */
static const double seam_reach = 1e-3;
/* Of the same: what is deeper inside a third body is an overlap, not a seam. */
static const double deep_inside = 0.05;

enum { MOST_OTHERS = 16, PAIR_GRAIN = 16 };

typedef struct GhostJob {
    const RigidBodies *bodies;
    const SeamSearch *search;
    const int32_t *first, *partner; /* partner[first[i]..first[i + 1]): near partners of i */
} GhostJob;

/* The one of a pair that forces move and that has fewer partners: whatever touches the pair at
 * their point is among its partners. */
static size_t fewer_partners(const GhostJob *job, size_t a, size_t b) {
    const SolverBody *solver_bodies = job->bodies->contacts.solver_bodies.data;
    if (!solver_bodies[a].moves) return b;
    if (!solver_bodies[b].moves) return a;
    return job->first[b + 1] - job->first[b] < job->first[a + 1] - job->first[a] ? b : a;
}

/* Surfaces other than a and b at a point; false when it is deep inside one of them. */
static bool gather_others(const GhostJob *job, size_t a, size_t b, Vec3 p, double reach,
                          double deep, SeamSurface *others, size_t *count) {
    size_t i = fewer_partners(job, a, b);
    *count = 0;
    for (int32_t k = job->first[i]; k < job->first[i + 1] && *count < MOST_OTHERS; k++) {
        size_t c = (size_t)job->partner[k];
        if (c == a || c == b || !box3_contains(job->search->boxes[c], p)) continue;
        double distance = seam_distance(&job->search->surfaces[c], p);
        if (distance < -deep) return false;
        if (distance < 2.0 * reach) others[(*count)++] = job->search->surfaces[c];
    }
    return true;
}

static bool is_ghost(const GhostJob *job, size_t a, size_t b, const ContactPoint *point) {
    double size = fmin(rigid_size(job->bodies, a), rigid_size(job->bodies, b));
    double reach = seam_reach * size;
    /* What is farther away than it is large may meet anything before it is there. */
    if (point->gap > fmin(job->search->reach[a], job->search->reach[b])) return false;
    for (int side = 0; side < 2; side++) { /* the surface of b, then that of a */
        double out = side == 0 ? 1.0 : -1.0;
        Vec3 normal = vec3_scale(out, point->normal);
        Vec3 on_surface = vec3_add_scaled(point->position, -0.5 * point->gap, normal);
        SeamSurface others[MOST_OTHERS];
        size_t count;
        if (!gather_others(job, a, b, on_surface, reach, deep_inside * size, others, &count))
            return false;
        const SeamSurface *surface = &job->search->surfaces[side == 0 ? b : a];
        /* A ball right above a seam touches both tiles; nothing is flush with a round surface. */
        if (count > 0 && !seam_is_round(surface) &&
            seam_hides(surface, on_surface, normal, point->radius, reach, others, count))
            return true;
    }
    return false;
}

static void drop_ghosts(void *user, size_t begin, size_t end) {
    const GhostJob *job = user;
    const BroadPair *near = job->bodies->contacts.near.items.data;
    for (size_t p = begin; p < end; p++) {
        size_t a = (size_t)near[p].a, b = (size_t)near[p].b, kept = 0;
        ContactPoints *points = &job->search->found[p];
        for (size_t k = 0; k < points->count; k++)
            if (!is_ghost(job, a, b, &points->at[k])) points->at[kept++] = points->at[k];
        points->count = kept;
    }
}

PlimStatus contacts_drop_ghosts(const RigidBodies *bodies, const StepInfo *step,
                                const SeamSearch *search) {
    size_t mark = scratch_mark(step->scratch), partners = rigid_partner_count(bodies);
    size_t count = bodies->contacts.near.items.count;
    const BroadPair *near = bodies->contacts.near.items.data;
    int32_t *first = scratch_take(step->scratch, partners + 2, sizeof *first);
    int32_t *partner = scratch_take(step->scratch, 2 * count, sizeof *partner);
    if (!first || !partner) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < partners + 2; i++) first[i] = 0;
    for (size_t p = 0; p < count; p++) {
        first[near[p].a + 2]++;
        first[near[p].b + 2]++;
    }
    for (size_t i = 2; i < partners + 2; i++) first[i] += first[i - 1];
    for (size_t p = 0; p < count; p++) { /* first[i + 1] moves on to where those of i end */
        partner[first[near[p].a + 1]++] = near[p].b;
        partner[first[near[p].b + 1]++] = near[p].a;
    }
    GhostJob job = {bodies, search, first, partner};
    parallel_for(step->threads, count, PAIR_GRAIN, drop_ghosts, &job);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}
