/* Ghost contacts between bodies (ghost-edge filtering across bodies): a box that slides over flush
 * tiles meets the side of each next tile, and a ball its edge, if pairs are looked at one by one.
 * Here a point counts only if all that touches there leaves its normal open (collide/seam.h). */
#include "rigid/contact/seams.h"

#include "base/parallel.h"

/* Of the smaller body's size: steps at seams up to about a quarter of this are passed over. */
static const double seam_reach = 1e-3;
/* Of the same: what is deeper inside a third body is an overlap, not a seam. */
static const double deep_inside = 0.05;
/* Of the same: bodies that overlap by more than this are not at a seam, and must come apart. Where
 * three of a heap overlap at one place each hides the contact of the other two, and they would sink
 * into one another unseen. Less than the 5e-3 that push-out leaves in a heap, so that what it
 * pushed still counts; twice what was seen at seams. */
static const double deepest_at_seam = 4e-3;

enum { MOST_OTHERS = 16, PAIR_GRAIN = 16 };

typedef struct GhostJob {
    const RigidBodies *bodies;
    const SeamSearch *search;
    const int32_t *first, *partner; /* partner[first[i]..first[i + 1]): near partners of i */
    const int32_t *pair;            /* the near pair of each */
    uint16_t *ghosts;               /* one a near pair: a bit a point */
} GhostJob;

_Static_assert(CONTACT_MOST_POINTS <= 16, "a bit a point");

/* The one of a pair that forces move and that has fewer partners: whatever touches the pair at
 * their point is among its partners. */
static size_t fewer_partners(const GhostJob *job, size_t a, size_t b) {
    const SolverBody *solver_bodies = job->bodies->contacts.solver_bodies.data;
    if (!solver_bodies[a].moves) return b;
    if (!solver_bodies[b].moves) return a;
    return job->first[b + 1] - job->first[b] < job->first[a + 1] - job->first[a] ? b : a;
}

/* A place on the surface of one body of a pair. */
typedef struct SeamPoint {
    size_t on, other; /* bodies */
    Vec3 place;       /* m */
    Vec3 normal;      /* unit, out of the surface */
    double reach;     /* m */
} SeamPoint;

/* Whether the body's surface is touched by the near pair's other one at the same place, from the
 * same side: then both carry it, as flush or overlapping slabs do, and neither hides it from the
 * other. */
static bool shares_place(const GhostJob *job, const SeamPoint *at, int32_t pair) {
    const ContactPoints *points = &job->search->found[pair];
    double out = (size_t)job->bodies->contacts.near.items.data[pair].a == at->on ? -1.0 : 1.0;
    for (size_t k = 0; k < points->count; k++) {
        const ContactPoint *point = &points->at[k];
        Vec3 apart = vec3_sub(point->position, at->place);
        apart = vec3_add_scaled(apart, -vec3_dot(apart, at->normal), at->normal);
        if (out * vec3_dot(point->normal, at->normal) > 0.9 &&
            vec3_dot(apart, apart) < 4.0 * at->reach * at->reach)
            return true;
    }
    return false;
}

/* The near pair of two bodies, or -1. */
static int32_t find_pair(const GhostJob *job, size_t body, size_t partner) {
    for (int32_t k = job->first[body]; k < job->first[body + 1]; k++)
        if ((size_t)job->partner[k] == partner) return job->pair[k];
    return -1;
}

/* Surfaces of third bodies at a point; false when it is deep inside one of them. */
static bool gather_others(const GhostJob *job, const SeamPoint *at, double deep,
                          SeamSurface *others, size_t *count) {
    size_t i = fewer_partners(job, at->on, at->other);
    *count = 0;
    for (int32_t k = job->first[i]; k < job->first[i + 1] && *count < MOST_OTHERS; k++) {
        size_t c = (size_t)job->partner[k];
        Box3 box = box3_grow(job->search->boxes[c], 2.0 * at->reach);
        if (c == at->on || c == at->other || !box3_contains(box, at->place)) continue;
        double distance = seam_distance(&job->search->surfaces[c], at->place);
        if (distance < -deep) return false;
        if (distance >= 2.0 * at->reach) continue;
        bool moves = job->bodies->contacts.solver_bodies.data[at->on].moves;
        int32_t pair = moves ? find_pair(job, at->on, c) : -1;
        if (pair >= 0 && shares_place(job, at, pair)) continue;
        others[(*count)++] = job->search->surfaces[c];
    }
    return true;
}

/* Whose surface may have seams: that of what stands still, or of the larger of two that move. The
 * edge of a small body on a seam between two others is not hidden by either. */
static bool may_have_seams(const GhostJob *job, size_t on, size_t other) {
    const SolverBody *solver_bodies = job->bodies->contacts.solver_bodies.data;
    if (!solver_bodies[on].moves) return true;
    return solver_bodies[other].moves &&
           rigid_size(job->bodies, on) >= 0.999 * rigid_size(job->bodies, other);
}

static bool is_ghost(const GhostJob *job, size_t a, size_t b, const ContactPoint *point) {
    double size = fmin(rigid_size(job->bodies, a), rigid_size(job->bodies, b));
    if (point->gap < -deepest_at_seam * size) return false;
    /* What is farther away than it is large may meet anything before it is there. */
    if (point->gap > fmin(job->search->reach[a], job->search->reach[b])) return false;
    for (int side = 0; side < 2; side++) { /* the surface of b, then that of a */
        SeamPoint at = {.on = side ? a : b, .other = side ? b : a, .reach = seam_reach * size};
        if (!may_have_seams(job, at.on, at.other)) continue;
        at.normal = vec3_scale(side ? -1.0 : 1.0, point->normal);
        at.place = vec3_add_scaled(point->position, -0.5 * point->gap, at.normal);
        SeamSurface others[MOST_OTHERS];
        size_t count;
        if (!gather_others(job, &at, deep_inside * size, others, &count)) return false;
        const SeamSurface *surface = &job->search->surfaces[at.on];
        /* Nothing is flush with a round surface. */
        if (count > 0 && !seam_is_round(surface) &&
            seam_hides(surface, at.place, at.normal, point->radius, at.reach, others, count))
            return true;
    }
    return false;
}

static void find_ghosts(void *user, size_t begin, size_t end) {
    const GhostJob *job = user;
    const BroadPair *near = job->bodies->contacts.near.items.data;
    for (size_t p = begin; p < end; p++) {
        const ContactPoints *points = &job->search->found[p];
        unsigned ghosts = 0;
        for (size_t k = 0; k < points->count; k++)
            if (is_ghost(job, (size_t)near[p].a, (size_t)near[p].b, &points->at[k]))
                ghosts |= 1u << k;
        job->ghosts[p] = (uint16_t)ghosts;
    }
}

static void drop_ghosts(ContactPoints *points, unsigned ghosts) {
    size_t kept = 0;
    for (size_t k = 0; k < points->count; k++)
        if (!(ghosts >> k & 1u)) points->at[kept++] = points->at[k];
    points->count = kept;
}

PlimStatus contacts_drop_ghosts(const RigidBodies *bodies, const StepInfo *step,
                                const SeamSearch *search) {
    size_t mark = scratch_mark(step->scratch), partners = rigid_partner_count(bodies);
    size_t count = bodies->contacts.near.items.count;
    const BroadPair *near = bodies->contacts.near.items.data;
    int32_t *first = scratch_take(step->scratch, partners + 2, sizeof *first);
    int32_t *partner = scratch_take(step->scratch, 2 * count, sizeof *partner);
    int32_t *pair = scratch_take(step->scratch, 2 * count, sizeof *pair);
    uint16_t *ghosts = scratch_take(step->scratch, count, sizeof *ghosts);
    if (!first || !partner || !pair || !ghosts) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < partners + 2; i++) first[i] = 0;
    for (size_t p = 0; p < count; p++) {
        first[near[p].a + 2]++;
        first[near[p].b + 2]++;
    }
    for (size_t i = 2; i < partners + 2; i++) first[i] += first[i - 1];
    for (size_t p = 0; p < count; p++) { /* first[i + 1] moves on to where those of i end */
        pair[first[near[p].a + 1]] = pair[first[near[p].b + 1]] = (int32_t)p;
        partner[first[near[p].a + 1]++] = near[p].b;
        partner[first[near[p].b + 1]++] = near[p].a;
    }
    GhostJob job = {bodies, search, first, partner, pair, ghosts};
    parallel_for(step->threads, count, PAIR_GRAIN, find_ghosts, &job);
    for (size_t p = 0; p < count; p++)
        if (ghosts[p]) drop_ghosts(&search->found[p], ghosts[p]);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}
