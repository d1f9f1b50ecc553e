/* Redistancing by group marching (000 section 4.5.1): distances are settled in order, but in
 * groups: each round settles all values of the front that are below a threshold, which then rises
 * by part of a cell (the group marching method, Kim 2001). A value may depend on others of its own
 * group, so a group is solved a second time with them. The upwind differences are second order (000
 * section 2.3.1; Sethian 1999).
 *
 * The values are cut into slabs. A slab has its own front and list of values settled in this round,
 * and writes nothing outside itself, so that rounds run in parallel with the same result for any
 * number of threads. */
#include "grid/redistance.h"

#include "base/parallel.h"
#include "geom/level_set/eikonal.h"
#include "grid/redistance_interface.h"
#include "grid/visibility.h"

#include <math.h>
#include <string.h>

/* From 32 on: a wall parts the value from the one before it along each of three axes. AT_END also
 * where a stencil would look through such a wall. */
enum { INSIDE = 1, AT_END = 2, SETTLED = 4, ON_FRONT = 8, STALE = 16, PARTED_SHIFT = 5 };

/* Neighbours the stencil reaches to along an axis. */
enum { REACH = 2 };

/* Layers beyond sides on which distances are found too. A surface that meets a wall at an angle
 * goes straight on there: what is nearest to a value beside the wall may lie behind it. */
enum { BEYOND = 2 };

/* By how many spacings the threshold rises in a round. */
static const double RISE = 0.5;

typedef struct SlabLists {
    uint32_t *front;
    double *front_distance;
    size_t front_count;
    uint32_t *settled; /* in this round */
    double *settled_distance;
    size_t settled_count;
} SlabLists;

typedef struct Redistance {
    GridField *phi;
    const unsigned char *parted;
    ValueSet set;
    double band, threshold; /* m */
    double *value;          /* phi; from the first round on: the distance, infinite until settled */
    unsigned char *state;
    SlabLists *lists; /* of each slab */
} Redistance;

/* ---- in and out ---- */

/* Walls that part values of a row; none of the halo. */
static void load_walls(Redistance *work, size_t first) {
    const ValueSet *set = &work->set;
    const GridField *phi = work->phi;
    if (value_is_beyond(set, first + (size_t)set->beyond[0])) return;
    int j = value_place(set, first, 1) - set->beyond[1];
    int k = value_place(set, first, 2) - set->beyond[2];
    const unsigned char *parted =
        work->parted + ((size_t)k * (size_t)phi->n[1] + (size_t)j) * (size_t)phi->n[0];
    unsigned char *state = work->state + first + set->beyond[0];
    for (int i = 0; i < set->n[0] - 2 * set->beyond[0]; i++) {
        if (!parted[i]) continue;
        state[i] |= (unsigned char)((parted[i] & (VISIBILITY_NEAR_WALL - 1)) << PARTED_SHIFT);
        if (parted[i] & VISIBILITY_NEAR_WALL) state[i] |= AT_END;
    }
}

static void load_slabs(void *user, size_t begin, size_t end) {
    Redistance *work = user;
    const ValueSet *set = &work->set;
    size_t nx = (size_t)set->n[0];
    for (size_t row = begin * set->slab_size / nx; row < end * set->slab_size / nx; row++) {
        size_t first = row * nx;
        const double *from = work->phi->data + value_in_field(set, work->phi, first);
        unsigned char *state = work->state + first;
        memcpy(work->value + first, from, nx * sizeof *from);
        /* A value in the middle of its row says whether the whole row is at an end. */
        bool all = nx <= 2 * REACH || value_at_end(set, first + REACH, REACH);
        for (size_t i = 0; i < nx; i++)
            state[i] = (unsigned char)((from[i] < 0 ? INSIDE : 0) | (all ? AT_END : 0));
        for (size_t i = 0; i < REACH && i < nx; i++) {
            state[i] |= AT_END;
            state[nx - 1 - i] |= AT_END;
        }
        if (work->parted) load_walls(work, first);
    }
}

static void store_slabs(void *user, size_t begin, size_t end) {
    Redistance *work = user;
    const ValueSet *set = &work->set;
    size_t nx = (size_t)set->n[0];
    double band = work->band;
    for (size_t row = begin * set->slab_size / nx; row < end * set->slab_size / nx; row++) {
        const double *from = work->value + row * nx;
        double *to = work->phi->data + value_in_field(set, work->phi, row * nx);
        if (value_is_beyond(set, row * nx + (size_t)set->beyond[0])) continue;
        for (size_t i = (size_t)set->beyond[0]; i < nx - (size_t)set->beyond[0]; i++)
            to[i] = from[i] < -band ? -band : from[i] > band ? band : from[i];
    }
}

/* ---- beside the zero set ---- */

static bool across(const Redistance *work, size_t at, size_t other) {
    return (work->state[at] ^ work->state[other]) & INSIDE;
}

static bool is_parted(const Redistance *work, size_t at, int axis) {
    return work->state[at] >> (PARTED_SHIFT + axis) & 1;
}

/* As value_neighbour, but by strides alone wherever these do, and not through walls; `step` is -1
 * or 1. */
static size_t beside(const Redistance *work, size_t at, int axis, int step) {
    if (work->state[at] & AT_END) {
        size_t other = value_neighbour(&work->set, at, axis, step);
        if (other == VALUE_NONE) return VALUE_NONE;
        return is_parted(work, step < 0 ? at : other, axis) ? VALUE_NONE : other;
    }
    return step < 0 ? at - work->set.stride[axis] : at + work->set.stride[axis];
}

static bool is_beside(const Redistance *work, size_t at) {
    for (int axis = 0; axis < work->set.axes; axis++)
        for (int step = -1; step <= 1; step += 2) {
            size_t other = beside(work, at, axis, step);
            if (other != VALUE_NONE && across(work, at, other)) return true;
        }
    return false;
}

/* The neighbours across a pair of axes; beyond a side, the bilinear continuation. */
static void gather_diagonals(const Redistance *work, size_t at, int a, int b, int pair,
                             InterfaceValues *v) {
    double side = work->state[at] & INSIDE ? -1.0 : 1.0;
    for (int corner = 0; corner < 4; corner++) {
        int high_a = corner & 1, high_b = corner >> 1;
        size_t other = beside(work, at, a, high_a ? 1 : -1);
        if (other != VALUE_NONE) other = beside(work, other, b, high_b ? 1 : -1);
        if (other == VALUE_NONE && work->parted) { /* around a wall */
            other = beside(work, at, b, high_b ? 1 : -1);
            if (other != VALUE_NONE) other = beside(work, other, a, high_a ? 1 : -1);
        }
        bool exists = other != VALUE_NONE;
        v->diagonal[pair][corner] =
            exists ? side * work->value[other] : v->near[a][high_a] + v->near[b][high_b] - v->own;
        v->on_side[pair][corner] = exists && !across(work, at, other);
    }
}

/* Beyond a side phi goes on in a straight line, but the zero set is not looked for there. */
static void gather_beside(const Redistance *work, size_t at, InterfaceValues *v) {
    const ValueSet *set = &work->set;
    double side = work->state[at] & INSIDE ? -1.0 : 1.0;
    v->own = side * work->value[at];
    for (int axis = 0; axis < set->axes; axis++) {
        size_t other[2];
        for (int end = 0; end < 2; end++) {
            other[end] = beside(work, at, axis, end ? 1 : -1);
            bool exists = other[end] != VALUE_NONE;
            v->near[axis][end] = exists ? side * work->value[other[end]] : v->own;
            v->crossed[axis][end] = exists && across(work, at, other[end]);
        }
        for (int end = 0; end < 2; end++)
            if (other[end] == VALUE_NONE && other[!end] != VALUE_NONE)
                v->near[axis][end] = 2.0 * v->own - v->near[axis][!end];
    }
    for (int a = 0, pair = 0; a < set->axes; a++)
        for (int b = a + 1; b < set->axes; b++, pair++) gather_diagonals(work, at, a, b, pair, v);
}

/* Whether a row that is not at an end has a value with another sign beside it. */
static bool row_is_beside(const Redistance *work, size_t first) {
    const ValueSet *set = &work->set;
    unsigned char differ = 0;
    const unsigned char *own = work->state + first;
    for (int axis = 0; axis < set->axes; axis++) {
        const unsigned char *low = own - set->stride[axis], *high = own + set->stride[axis];
        for (int i = 1; i < set->n[0] - 1; i++)
            differ |= (unsigned char)((own[i] ^ low[i]) | (own[i] ^ high[i]));
    }
    return differ & INSIDE;
}

static void start_slabs(void *user, size_t begin, size_t end) {
    Redistance *work = user;
    const ValueSet *set = &work->set;
    size_t nx = (size_t)set->n[0];
    for (size_t slab = begin; slab < end; slab++) {
        SlabLists *lists = &work->lists[slab];
        lists->front_count = lists->settled_count = 0;
        for (size_t row = slab * set->slab_size; row < (slab + 1) * set->slab_size; row += nx) {
            bool row_at_end = nx <= 2 * REACH || (work->state[row + REACH] & AT_END);
            if (!row_at_end && !row_is_beside(work, row)) {
                /* Only the ends may be beside the zero set across a periodic side. */
                if (is_beside(work, row)) lists->settled[lists->settled_count++] = (uint32_t)row;
                if (is_beside(work, row + nx - 1))
                    lists->settled[lists->settled_count++] = (uint32_t)(row + nx - 1);
                continue;
            }
            for (size_t at = row; at < row + nx; at++)
                if (is_beside(work, at)) lists->settled[lists->settled_count++] = (uint32_t)at;
        }
        for (size_t i = 0; i < lists->settled_count; i++) {
            InterfaceValues values;
            gather_beside(work, lists->settled[i], &values);
            lists->settled_distance[i] =
                interface_distance(&values, set->axes, work->phi->grid.spacing);
        }
    }
}

/* ---- rounds ---- */

/* Gives the settled values of this round their distances. */
static void write_settled(Redistance *work, size_t slab) {
    const SlabLists *lists = &work->lists[slab];
    for (size_t i = 0; i < lists->settled_count; i++) {
        size_t at = lists->settled[i];
        double distance = lists->settled_distance[i];
        work->value[at] = work->state[at] & INSIDE ? -distance : distance;
    }
}

static void write_first_slabs(void *user, size_t begin, size_t end) {
    Redistance *work = user;
    const ValueSet *set = &work->set;
    for (size_t at = begin * set->slab_size; at < end * set->slab_size; at++)
        work->value[at] = work->state[at] & INSIDE ? -HUGE_VAL : HUGE_VAL;
    for (size_t slab = begin; slab < end; slab++) {
        write_settled(work, slab);
        for (size_t i = 0; i < work->lists[slab].settled_count; i++)
            work->state[work->lists[slab].settled[i]] |= SETTLED;
    }
}

static void write_slabs(void *user, size_t begin, size_t end) {
    Redistance *work = user;
    for (size_t slab = begin; slab < end; slab++) write_settled(work, slab);
}

/* From the neighbours at -2, -1, 1 and 2, infinite where not settled. Those across the zero set are
 * negative: only ever the farther one, beyond a neighbour that is beside it. The weight is 0 where
 * neither side is settled. */
static Upwind upwind_along(const double v[4], double h) {
    bool below = v[1] <= v[2];
    double first = below ? v[1] : v[2], second = below ? v[0] : v[3];
    /* (3 phi - 4 first + second) / 2 = 3/2 (phi - base); only where it looks further upwind. */
    bool further = second <= first && second >= first - 1.5 * h;
    bool none = !(first < HUGE_VAL);
    double base = further ? first + (first - second) * (1.0 / 3.0) : first;
    return (Upwind){first, none ? 0.0 : base, none ? 0.0 : further ? 2.25 : 1.0};
}

static void gather_line(const Redistance *work, size_t at, int axis, double side, double v[4]) {
    if (!(work->state[at] & AT_END)) {
        const double *own = work->value + at;
        size_t stride = work->set.stride[axis];
        v[0] = side * own[-2 * (ptrdiff_t)stride];
        v[1] = side * own[-(ptrdiff_t)stride];
        v[2] = side * own[stride];
        v[3] = side * own[2 * stride];
        return;
    }
    for (int end = 0; end < 2; end++) {
        int step = end ? 1 : -1;
        size_t near = beside(work, at, axis, step);
        size_t far = near == VALUE_NONE ? VALUE_NONE : beside(work, near, axis, step);
        v[end ? 2 : 1] = near == VALUE_NONE ? HUGE_VAL : side * work->value[near];
        v[end ? 3 : 0] = far == VALUE_NONE ? HUGE_VAL : side * work->value[far];
    }
}

/* The distance of a value from its settled neighbours; mostly all that are settled count. */
static double solve_upwind(const Redistance *work, size_t at) {
    double h = work->phi->grid.spacing, side = work->state[at] & INSIDE ? -1.0 : 1.0;
    double origin = HUGE_VAL, farthest = -HUGE_VAL;
    int axes = work->set.axes;
    Upwind up[3] = {{0}};
    for (int axis = 0; axis < axes; axis++) {
        double line[4];
        gather_line(work, at, axis, side, line);
        up[axis] = upwind_along(line, h);
        double nearest = up[axis].nearest;
        origin = nearest < origin ? nearest : origin;
        farthest = nearest < HUGE_VAL && nearest > farthest ? nearest : farthest;
    }
    for (int axis = 0; axis < axes; axis++)
        if (up[axis].weight == 0) up[axis].base = origin;
    double distance = eikonal_quadratic(up, axes, origin, h);
    return distance >= farthest ? distance : eikonal_solve(up, axes, h);
}

/* Puts the neighbour of a newly settled value on its slab's front, or has it solved again. */
static void touch(Redistance *work, SlabLists *lists, size_t at) {
    if (at == VALUE_NONE || (work->state[at] & SETTLED)) return;
    if (!(work->state[at] & ON_FRONT)) lists->front[lists->front_count++] = (uint32_t)at;
    work->state[at] |= ON_FRONT | STALE;
}

static void touch_within(Redistance *work, SlabLists *lists) {
    const ValueSet *set = &work->set;
    for (size_t i = 0; i < lists->settled_count; i++) {
        size_t at = lists->settled[i];
        for (int axis = 0; axis < set->axes - 1; axis++) {
            touch(work, lists, beside(work, at, axis, -1));
            touch(work, lists, beside(work, at, axis, 1));
        }
    }
}

/* From the settled values of the slab before (step 1) or after (step -1). */
static void touch_from_beside(Redistance *work, size_t slab, int step) {
    const ValueSet *set = &work->set;
    size_t last = set->slabs - 1;
    bool wrapped = step > 0 ? slab == 0 : slab == last;
    if (wrapped && !set->wraps[set->axes - 1]) return;
    size_t from = step > 0 ? (wrapped ? last : slab - 1) : (wrapped ? 0 : slab + 1);
    const SlabLists *other = &work->lists[from];
    size_t here = slab * set->slab_size, there = from * set->slab_size;
    for (size_t i = 0; i < other->settled_count; i++) {
        size_t at = other->settled[i] - there + here;
        if (!is_parted(work, step > 0 ? at : other->settled[i], set->axes - 1))
            touch(work, &work->lists[slab], at);
    }
}

static void advance_slabs(void *user, size_t begin, size_t end) {
    Redistance *work = user;
    for (size_t slab = begin; slab < end; slab++) {
        SlabLists *lists = &work->lists[slab];
        touch_within(work, lists);
        touch_from_beside(work, slab, 1);
        touch_from_beside(work, slab, -1);
        for (size_t i = 0; i < lists->front_count; i++) {
            size_t at = lists->front[i];
            if (!(work->state[at] & STALE)) continue;
            work->state[at] &= (unsigned char)~STALE;
            lists->front_distance[i] = solve_upwind(work, at);
        }
    }
}

static void settle_slabs(void *user, size_t begin, size_t end) {
    Redistance *work = user;
    for (size_t slab = begin; slab < end; slab++) {
        SlabLists *lists = &work->lists[slab];
        size_t left = 0;
        lists->settled_count = 0;
        for (size_t i = 0; i < lists->front_count; i++) {
            uint32_t at = lists->front[i];
            double distance = lists->front_distance[i];
            if (distance <= work->threshold) {
                lists->settled[lists->settled_count] = at;
                lists->settled_distance[lists->settled_count++] = distance;
                work->state[at] |= SETTLED;
            } else {
                lists->front[left] = at;
                lists->front_distance[left++] = distance;
            }
        }
        lists->front_count = left;
        write_settled(work, slab);
    }
}

static void solve_again_slabs(void *user, size_t begin, size_t end) {
    Redistance *work = user;
    for (size_t slab = begin; slab < end; slab++) {
        SlabLists *lists = &work->lists[slab];
        for (size_t i = 0; i < lists->settled_count; i++)
            lists->settled_distance[i] = solve_upwind(work, lists->settled[i]);
    }
}

static bool front_is_empty(const Redistance *work) {
    for (size_t slab = 0; slab < work->set.slabs; slab++)
        if (work->lists[slab].front_count > 0) return false;
    return true;
}

static void march(Redistance *work, int threads) {
    size_t slabs = work->set.slabs, grain = value_set_grain(&work->set);
    double rise = RISE * work->phi->grid.spacing;
    for (int round = 1;; round++) {
        parallel_for(threads, slabs, grain, advance_slabs, work);
        if (front_is_empty(work) || work->threshold >= work->band) return;
        work->threshold = fmin(round * rise, work->band);
        parallel_for(threads, slabs, grain, settle_slabs, work);
        parallel_for(threads, slabs, grain, solve_again_slabs, work);
        parallel_for(threads, slabs, grain, write_slabs, work);
    }
}

static PlimStatus take_memory(Redistance *work, Scratch *scratch) {
    const ValueSet *set = &work->set;
    if (set->count > UINT32_MAX)
        return context_fail(scratch->context, PLIM_BAD_INPUT,
                            "a grid of %d x %d x %d cells is too large to find distances on",
                            set->n[0], set->n[1], set->n[2]);
    work->value = scratch_take(scratch, set->count, sizeof *work->value);
    work->state = scratch_take(scratch, set->count, sizeof *work->state);
    work->lists = scratch_take(scratch, set->slabs, sizeof *work->lists);
    uint32_t *indices = scratch_take(scratch, 2 * set->count, sizeof *indices);
    double *distances = scratch_take(scratch, 2 * set->count, sizeof *distances);
    if (!work->value || !work->state || !work->lists || !indices || !distances)
        return PLIM_OUT_OF_MEMORY;
    for (size_t slab = 0; slab < set->slabs; slab++) {
        size_t first = 2 * slab * set->slab_size;
        work->lists[slab] = (SlabLists){.front = indices + first,
                                        .front_distance = distances + first,
                                        .settled = indices + first + set->slab_size,
                                        .settled_distance = distances + first + set->slab_size};
    }
    return PLIM_OK;
}

PlimStatus field_redistance(GridField *phi, double band, const unsigned char *parted, int threads,
                            Scratch *scratch) {
    int beyond = phi->halo < BEYOND ? phi->halo : BEYOND;
    Redistance work = {.phi = phi, .parted = parted, .set = value_set(phi, beyond), .band = band};
    size_t slabs = work.set.slabs, grain = value_set_grain(&work.set);
    size_t mark = scratch_mark(scratch);
    PlimStatus status = take_memory(&work, scratch);
    if (status == PLIM_OK) {
        field_fill_halo_distance(phi, threads);
        parallel_for(threads, slabs, grain, load_slabs, &work);
        parallel_for(threads, slabs, grain, start_slabs, &work);
        parallel_for(threads, slabs, grain, write_first_slabs, &work);
        march(&work, threads);
        parallel_for(threads, slabs, grain, store_slabs, &work);
        value_set_copy_doubled(&work.set, phi);
    }
    scratch_release(scratch, mark);
    return status;
}
