/* Conservative advection of momentum beside solids that moved: volumes whose mass is not what the
 * solid leaves open now trade with those around them, and the rest is the solid's. */
#include "grid/face_volumes.h"

#include "base/parallel.h"

#include <math.h>

enum { ROUNDS = 3, MOST_AROUND = 26, VOLUMES_AT_ONCE = 64 };

typedef struct Fit {
    FaceVolumes *volumes;
    const MomentumFit *wanted;
    size_t *near; /* the volumes that trade, ascending */
    size_t near_count;
    /* Of each that trades: mass it has too much (negative: it lacks some), velocity, what all
     * around a lacking one have too much, the part of what is asked of it that one with too much
     * can give. */
    double *excess, *velocity, *offered, *granted;
} Fit;

/* Those that share a face, an edge or a corner with a volume. */
static int volumes_around(const Fit *fit, size_t at, size_t around[MOST_AROUND]) {
    const ValueSet *set = &fit->volumes->set;
    size_t found[MOST_AROUND + 1] = {at};
    int count = 1, kept = 0;
    for (int axis = 0; axis < set->axes; axis++) {
        int before = count;
        for (int step = -1; step <= 1; step += 2)
            for (int i = 0; i < before; i++) {
                size_t next = value_neighbour(set, found[i], axis, step);
                if (next != VALUE_NONE) found[count++] = next;
            }
    }
    for (int i = 1; i < count; i++)
        if (fit->wanted->is_near[found[i]]) around[kept++] = found[i];
    return kept;
}

/* ---- a round of trading ---- */

static void measure(void *user, size_t begin, size_t end) {
    const Fit *fit = user;
    const FaceVolumes *v = fit->volumes;
    for (size_t n = begin; n < end; n++) {
        size_t at = fit->near[n];
        fit->excess[at] = v->mass[at] - fit->wanted->mass[at];
        fit->velocity[at] = v->mass[at] > 0 ? v->momentum[at] / v->mass[at] : 0;
    }
}

static void offer(void *user, size_t begin, size_t end) {
    const Fit *fit = user;
    size_t around[MOST_AROUND];
    for (size_t n = begin; n < end; n++) {
        size_t at = fit->near[n];
        fit->offered[at] = 0;
        if (!(fit->excess[at] < 0)) continue;
        int count = volumes_around(fit, at, around);
        for (int i = 0; i < count; i++) fit->offered[at] += fmax(fit->excess[around[i]], 0);
    }
}

/* What a lacking volume asks of one with too much: it asks all around for all that it lacks. */
static double asked(const Fit *fit, size_t giver, size_t taker) {
    if (!(fit->excess[giver] > 0) || !(fit->offered[taker] > 0)) return 0;
    return -fit->excess[taker] * (fit->excess[giver] / fit->offered[taker]);
}

static void grant(void *user, size_t begin, size_t end) {
    const Fit *fit = user;
    size_t around[MOST_AROUND];
    for (size_t n = begin; n < end; n++) {
        size_t at = fit->near[n];
        double sum = 0;
        if (!(fit->excess[at] > 0)) continue;
        int count = volumes_around(fit, at, around);
        for (int i = 0; i < count; i++) sum += asked(fit, at, around[i]);
        fit->granted[at] = sum > fit->excess[at] ? fit->excess[at] / sum : 1;
    }
}

static void trade(void *user, size_t begin, size_t end) {
    const Fit *fit = user;
    FaceVolumes *v = fit->volumes;
    size_t around[MOST_AROUND];
    for (size_t n = begin; n < end; n++) {
        size_t at = fit->near[n];
        bool gives = fit->excess[at] > 0;
        int count = volumes_around(fit, at, around);
        for (int i = 0; i < count; i++) {
            size_t giver = gives ? at : around[i], taker = gives ? around[i] : at;
            double mass = asked(fit, giver, taker);
            if (!(mass > 0)) continue;
            mass *= fit->granted[giver];
            v->mass[at] += gives ? -mass : mass;
            v->momentum[at] += (gives ? -mass : mass) * fit->velocity[giver];
        }
    }
}

/* ---- the rest ---- */

/* The mean of what is in a volume and around it. */
static double velocity_around(const Fit *fit, size_t at) {
    const FaceVolumes *v = fit->volumes;
    size_t around[MOST_AROUND];
    int count = volumes_around(fit, at, around);
    double mass = fmax(v->mass[at], 0), sum = mass * fit->velocity[at];
    for (int i = 0; i < count; i++) {
        double own = fmax(v->mass[around[i]], 0);
        mass += own;
        sum += own * fit->velocity[around[i]];
    }
    if (mass > 0) return sum / mass;
    return fit->wanted->fallback ? fit->wanted->fallback(fit->wanted->user, v, at) : 0;
}

static void find_handed(void *user, size_t begin, size_t end) {
    const Fit *fit = user;
    for (size_t n = begin; n < end; n++) {
        size_t at = fit->near[n];
        double excess = fit->excess[at];
        double velocity = excess < 0 ? velocity_around(fit, at) : fit->velocity[at];
        /* All of it, where nothing shall stay: to the last bit. */
        bool leaves = !(fit->wanted->mass[at] > 0);
        fit->wanted->handed_mass[at] = excess;
        fit->wanted->handed[at] = leaves ? fit->volumes->momentum[at] : excess * velocity;
    }
}

static void hand_over(Fit *fit) {
    FaceVolumes *v = fit->volumes;
    for (size_t n = 0; n < fit->near_count; n++) {
        size_t at = fit->near[n];
        v->momentum[at] -= fit->wanted->handed[at];
    }
    for (size_t at = 0; at < v->set.count; at++) v->mass[at] = fit->wanted->mass[at];
}

static PlimStatus take_memory(Fit *fit, Scratch *scratch) {
    size_t count = fit->volumes->set.count;
    fit->near = scratch_take(scratch, count, sizeof *fit->near);
    fit->excess = scratch_take(scratch, count, sizeof *fit->excess);
    fit->velocity = scratch_take(scratch, count, sizeof *fit->velocity);
    fit->offered = scratch_take(scratch, count, sizeof *fit->offered);
    fit->granted = scratch_take(scratch, count, sizeof *fit->granted);
    return fit->near && fit->excess && fit->velocity && fit->offered && fit->granted
               ? PLIM_OK
               : PLIM_OUT_OF_MEMORY;
}

PlimStatus face_volumes_fit(FaceVolumes *volumes, const MomentumFit *wanted, int threads,
                            Scratch *scratch) {
    Fit fit = {.volumes = volumes, .wanted = wanted};
    size_t mark = scratch_mark(scratch);
    TRY(take_memory(&fit, scratch));
    for (size_t at = 0; at < volumes->set.count; at++) {
        wanted->handed[at] = wanted->handed_mass[at] = 0;
        if (wanted->is_near[at]) fit.near[fit.near_count++] = at;
    }
    for (int round = 0; round < ROUNDS; round++) {
        parallel_for(threads, fit.near_count, VOLUMES_AT_ONCE, measure, &fit);
        parallel_for(threads, fit.near_count, VOLUMES_AT_ONCE, offer, &fit);
        parallel_for(threads, fit.near_count, VOLUMES_AT_ONCE, grant, &fit);
        parallel_for(threads, fit.near_count, VOLUMES_AT_ONCE, trade, &fit);
    }
    parallel_for(threads, fit.near_count, VOLUMES_AT_ONCE, measure, &fit);
    parallel_for(threads, fit.near_count, VOLUMES_AT_ONCE, find_handed, &fit);
    hand_over(&fit);
    scratch_release(scratch, mark);
    return PLIM_OK;
}
