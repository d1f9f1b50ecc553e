/* Velocity extension into the air: a value there is the mean of its neighbours nearer to the
 * surface, one for each axis, with weights by how much nearer: first-order upwind differences of
 * grad phi . grad u = 0 (000 section 4.5; Adalsteinsson and Sethian 1999). It waits until these
 * neighbours have their values, so that the result is that of going through all values in order of
 * distance, while each round takes all that are ready at once.
 *
 * The values are cut into slabs, each with its list of values still to find; a round writes only to
 * its own slab, and what it found counts from the next round on. */
#include "grid/extend.h"

#include "base/parallel.h"
#include "grid/value_set.h"
#include "grid/visibility.h"

#include <math.h>

/* From 32 on: a wall parts the value from the one before it along each of three axes. AT_END also
 * beside such a wall. */
enum { DONE = 1, AT_END = 2, PARTED_SHIFT = 5 };

typedef enum Rule {
    RULE_LIQUID,  /* inside the liquid: the mean of the neighbours that are done */
    RULE_ORDERED, /* from all nearer neighbours, once they are done */
    RULE_LEFT     /* from those nearer neighbours that are done, or else from any */
} Rule;

typedef struct SlabTargets {
    uint32_t *left; /* still to find */
    size_t left_count;
    uint32_t *found; /* in this round */
    size_t found_count;
} SlabTargets;

typedef struct Extend {
    GridField *values;
    const unsigned char *known, *parted;
    const GridField *distance;
    double band, fallback;
    ValueSet set;
    double *away; /* distance at each value, m */
    double *value;
    unsigned char *state;
    SlabTargets *targets; /* of each slab */
    Rule rule;
    double reach; /* m: what is farther cannot be ready in this round */
} Extend;

/* ---- what is to be found ---- */

/* The distance at a row of values from those of the cells around them. */
static void distances_of_row(const Extend *work, size_t row, double *out) {
    const GridField *distance = work->distance;
    const ValueSet *set = &work->set;
    const double *cells = distance->data + field_index(distance, 0, value_place(set, row, 1),
                                                       value_place(set, row, 2));
    ptrdiff_t offset[8] = {0};
    int count = 1;
    for (int axis = 0; axis < set->axes; axis++) {
        if (!grid_place_on_ends(&work->values->grid, work->values->place, axis)) continue;
        for (int i = 0; i < count; i++)
            offset[count + i] = offset[i] - (ptrdiff_t)distance->stride[axis];
        count *= 2;
    }
    for (int i = 0; i < set->n[0]; i++) out[i] = cells[i + offset[0]];
    for (int o = 1; o < count; o++)
        for (int i = 0; i < set->n[0]; i++) out[i] += cells[i + offset[o]];
    for (int i = 0; i < set->n[0]; i++) out[i] /= count;
}

static void classify_row(Extend *work, size_t row, SlabTargets *targets) {
    const ValueSet *set = &work->set;
    const GridField *values = work->values;
    size_t nx = (size_t)set->n[0];
    size_t line =
        (size_t)value_place(set, row, 2) * (size_t)values->n[1] + (size_t)value_place(set, row, 1);
    const unsigned char *known = work->known + line * (size_t)values->n[0];
    const unsigned char *parted = work->parted ? work->parted + line * (size_t)values->n[0] : NULL;
    const double *from = values->data + value_in_field(set, values, row);
    bool all = nx <= 2 || value_at_end(set, row + 1, 1);
    distances_of_row(work, row, work->away + row);
    for (size_t i = 0; i < nx; i++) {
        size_t at = row + i;
        unsigned walls = parted ? parted[i] : 0;
        bool at_end = all || i == 0 || i == nx - 1 || walls;
        work->state[at] = (unsigned char)((known[i] ? DONE : 0) | (at_end ? AT_END : 0) |
                                          (walls & (VISIBILITY_NEAR_WALL - 1)) << PARTED_SHIFT);
        work->value[at] = known[i] ? from[i] : work->fallback;
        if (!known[i] && work->away[at] < work->band)
            targets->left[targets->left_count++] = (uint32_t)at;
    }
}

static void classify_slabs(void *user, size_t begin, size_t end) {
    Extend *work = user;
    const ValueSet *set = &work->set;
    for (size_t slab = begin; slab < end; slab++) {
        SlabTargets *targets = &work->targets[slab];
        targets->left_count = targets->found_count = 0;
        for (size_t row = slab * set->slab_size; row < (slab + 1) * set->slab_size;
             row += (size_t)set->n[0])
            classify_row(work, row, targets);
    }
}

static void store_slabs(void *user, size_t begin, size_t end) {
    Extend *work = user;
    const ValueSet *set = &work->set;
    size_t nx = (size_t)set->n[0];
    for (size_t row = begin * set->slab_size; row < end * set->slab_size; row += nx) {
        double *to = work->values->data + value_in_field(set, work->values, row);
        for (size_t i = 0; i < nx; i++) to[i] = work->value[row + i];
    }
}

/* ---- rounds ---- */

static size_t beside(const Extend *work, size_t at, int axis, int step) {
    if (work->state[at] & AT_END) {
        size_t other = value_neighbour(&work->set, at, axis, step);
        if (other == VALUE_NONE) return VALUE_NONE;
        unsigned char wall = work->state[step < 0 ? at : other];
        return wall >> (PARTED_SHIFT + axis) & 1 ? VALUE_NONE : other;
    }
    return step < 0 ? at - work->set.stride[axis] : at + work->set.stride[axis];
}

/* False while a nearer neighbour is not done, or if there is none. */
static bool find_ordered(const Extend *work, size_t at, double *value) {
    double own = work->away[at], sum = 0, weights = 0;
    for (int axis = 0; axis < work->set.axes; axis++) {
        size_t low = beside(work, at, axis, -1), high = beside(work, at, axis, 1);
        double low_away = low == VALUE_NONE ? HUGE_VAL : work->away[low];
        double high_away = high == VALUE_NONE ? HUGE_VAL : work->away[high];
        size_t nearer = low_away <= high_away ? low : high;
        double weight = own - (low_away <= high_away ? low_away : high_away);
        if (!(weight > 0)) continue;
        if (!(work->state[nearer] & DONE)) return false;
        sum += weight * work->value[nearer];
        weights += weight;
    }
    if (weights > 0) *value = sum / weights;
    return weights > 0;
}

/* From the neighbours that are done: the nearer ones by weight where `ordered` and there are any,
 * else all alike. */
static bool find_from_any(const Extend *work, size_t at, bool ordered, double *value) {
    double sum = 0, nearer_sum = 0, weights = 0;
    int count = 0;
    for (int axis = 0; axis < work->set.axes; axis++)
        for (int step = -1; step <= 1; step += 2) {
            size_t other = beside(work, at, axis, step);
            if (other == VALUE_NONE || !(work->state[other] & DONE)) continue;
            double weight = fmax(work->away[at] - work->away[other], 0.0);
            nearer_sum += weight * work->value[other];
            weights += weight;
            sum += work->value[other];
            count++;
        }
    if (count == 0) return false;
    *value = ordered && weights > 0 ? nearer_sum / weights : sum / count;
    return true;
}

static bool find_value(const Extend *work, size_t at, double *value) {
    if (work->rule == RULE_LEFT) return find_from_any(work, at, true, value);
    bool liquid = work->away[at] < 0;
    if (liquid != (work->rule == RULE_LIQUID)) return false;
    if (liquid) return find_from_any(work, at, false, value);
    return work->away[at] <= work->reach && find_ordered(work, at, value);
}

static void find_slabs(void *user, size_t begin, size_t end) {
    Extend *work = user;
    for (size_t slab = begin; slab < end; slab++) {
        SlabTargets *targets = &work->targets[slab];
        size_t left = 0;
        targets->found_count = 0;
        for (size_t i = 0; i < targets->left_count; i++) {
            uint32_t at = targets->left[i];
            /* Nobody reads the value before it is marked as done. */
            if (find_value(work, at, &work->value[at]))
                targets->found[targets->found_count++] = at;
            else
                targets->left[left++] = at;
        }
        targets->left_count = left;
    }
}

static void mark_slabs(void *user, size_t begin, size_t end) {
    Extend *work = user;
    for (size_t slab = begin; slab < end; slab++)
        for (size_t i = 0; i < work->targets[slab].found_count; i++)
            work->state[work->targets[slab].found[i]] |= DONE;
}

/* Up to `rounds` of them; ends before when there is nothing more to find. */
static void find_all(Extend *work, Rule rule, int rounds, int threads) {
    size_t slabs = work->set.slabs, grain = value_set_grain(&work->set);
    work->rule = rule;
    for (int round = 0; round < rounds; round++) {
        size_t found = 0, left = 0;
        work->reach = (round + 1) * work->values->grid.spacing;
        parallel_for(threads, slabs, grain, find_slabs, work);
        parallel_for(threads, slabs, grain, mark_slabs, work);
        for (size_t slab = 0; slab < slabs; slab++) {
            found += work->targets[slab].found_count;
            left += work->targets[slab].left_count;
        }
        if (left == 0 || (found == 0 && !(rule == RULE_ORDERED && work->reach < work->band)))
            return;
    }
}

static PlimStatus take_memory(Extend *work, Scratch *scratch) {
    const ValueSet *set = &work->set;
    if (set->count > UINT32_MAX)
        return context_fail(scratch->context, PLIM_BAD_INPUT,
                            "a grid of %d x %d x %d cells is too large to continue values on",
                            set->n[0], set->n[1], set->n[2]);
    work->away = scratch_take(scratch, set->count, sizeof *work->away);
    work->value = scratch_take(scratch, set->count, sizeof *work->value);
    work->state = scratch_take(scratch, set->count, sizeof *work->state);
    work->targets = scratch_take(scratch, set->slabs, sizeof *work->targets);
    uint32_t *indices = scratch_take(scratch, 2 * set->count, sizeof *indices);
    if (!work->away || !work->value || !work->state || !work->targets || !indices)
        return PLIM_OUT_OF_MEMORY;
    for (size_t slab = 0; slab < set->slabs; slab++) {
        uint32_t *first = indices + 2 * slab * set->slab_size;
        work->targets[slab] = (SlabTargets){.left = first, .found = first + set->slab_size};
    }
    return PLIM_OK;
}

PlimStatus field_extend(GridField *values, const unsigned char *known, const GridField *distance,
                        const unsigned char *parted, double band, double fallback, int threads,
                        Scratch *scratch) {
    Extend work = {.values = values,
                   .known = known,
                   .parted = parted,
                   .distance = distance,
                   .band = band,
                   .fallback = fallback,
                   .set = value_set(values, 0)};
    size_t slabs = work.set.slabs, grain = value_set_grain(&work.set);
    size_t mark = scratch_mark(scratch);
    PlimStatus status = take_memory(&work, scratch);
    if (status == PLIM_OK) {
        int layers = (int)fmin(ceil(band / values->grid.spacing), 1e6) + 1;
        parallel_for(threads, slabs, grain, classify_slabs, &work);
        find_all(&work, RULE_LIQUID, layers, threads);
        /* A path against the gradient is at most dim times as long as the distance. */
        find_all(&work, RULE_ORDERED, 4 * layers, threads);
        find_all(&work, RULE_LEFT, layers, threads);
        parallel_for(threads, slabs, grain, store_slabs, &work);
        value_set_copy_doubled(&work.set, values);
    }
    scratch_release(scratch, mark);
    return status;
}
