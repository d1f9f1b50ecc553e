/* Compact numbering of a field's values, x fastest, without the doubled last layers of periodic
 * axes; their neighbours; and the slabs in which loops over lists of them are cut. */
#ifndef GRID_VALUE_SET_H
#define GRID_VALUE_SET_H

#include "grid/field.h"

#include <stdint.h>

#define VALUE_NONE SIZE_MAX

typedef struct ValueSet {
    int axes;         /* 2 or 3 */
    int n[3];         /* values along each axis */
    int beyond[3];    /* of them before the field's own first value, and as many after its last */
    size_t stride[3]; /* of neighbours along each axis */
    bool wraps[3];
    size_t count;
    size_t slabs;     /* layers across the last axis */
    size_t slab_size; /* values of a layer */
} ValueSet;

/* `beyond`: how many layers of the halo belong to it, at sides that are not periodic. */
static inline ValueSet value_set(const GridField *field, int beyond) {
    const Grid *grid = &field->grid;
    ValueSet set = {.axes = grid->dim, .count = 1};
    for (int axis = 0; axis < 3; axis++) {
        set.wraps[axis] = axis < grid->dim && grid_is_periodic(grid, axis);
        set.beyond[axis] = axis < grid->dim && !set.wraps[axis] ? beyond : 0;
        set.n[axis] = set.wraps[axis] ? grid->n[axis] : field->n[axis] + 2 * set.beyond[axis];
        set.stride[axis] = set.count;
        set.count *= (size_t)set.n[axis];
    }
    set.slabs = (size_t)set.n[set.axes - 1];
    set.slab_size = set.stride[set.axes - 1];
    return set;
}

/* Slabs in a range of a parallel loop: a choice by the size alone, never by the threads. */
static inline size_t value_set_grain(const ValueSet *set) {
    size_t grain = 2048 / (set->slab_size > 0 ? set->slab_size : 1);
    return grain > 0 ? grain : 1;
}

static inline int value_place(const ValueSet *set, size_t at, int axis) {
    return (int)(at / set->stride[axis] % (size_t)set->n[axis]);
}

/* The value `step` further along the axis; VALUE_NONE beyond a side. */
static inline size_t value_neighbour(const ValueSet *set, size_t at, int axis, int step) {
    int n = set->n[axis], place = value_place(set, at, axis), next = place + step;
    if (next < 0 || next >= n) {
        if (!set->wraps[axis]) return VALUE_NONE;
        next = (next % n + n) % n;
    }
    return (size_t)((ptrdiff_t)at + (next - place) * (ptrdiff_t)set->stride[axis]);
}

/* Whether a value has fewer than `reach` others between itself and an end of an axis: its
 * neighbours up to there may not be found by strides alone. */
static inline bool value_at_end(const ValueSet *set, size_t at, int reach) {
    for (int axis = 0; axis < set->axes; axis++) {
        int place = value_place(set, at, axis);
        if (place < reach || place >= set->n[axis] - reach) return true;
    }
    return false;
}

/* Whether a value belongs to the halo of the field. */
static inline bool value_is_beyond(const ValueSet *set, size_t at) {
    for (int axis = 0; axis < set->axes; axis++) {
        int place = value_place(set, at, axis);
        if (place < set->beyond[axis] || place >= set->n[axis] - set->beyond[axis]) return true;
    }
    return false;
}

/* Index in a field's data. */
static inline size_t value_in_field(const ValueSet *set, const GridField *field, size_t at) {
    return field_index(field, value_place(set, at, 0) - set->beyond[0],
                       value_place(set, at, 1) - set->beyond[1],
                       value_place(set, at, 2) - set->beyond[2]);
}

/* Copies the first layers of periodic axes with ends onto their last. */
static inline void value_set_copy_doubled(const ValueSet *set, GridField *field) {
    for (int axis = 0; axis < set->axes; axis++) {
        if (!set->wraps[axis] || set->n[axis] == field->n[axis]) continue;
        int n[3] = {field->n[0], field->n[1], field->n[2]};
        n[axis] = 1;
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++)
                for (int i = 0; i < n[0]; i++) {
                    double *first = field->data + field_index(field, i, j, k);
                    first[(size_t)set->n[axis] * field->stride[axis]] = *first;
                }
    }
}

#endif
