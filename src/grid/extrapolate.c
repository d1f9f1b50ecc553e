/* Layer-by-layer extrapolation: each value the mean of its known neighbours. */
#include "grid/extrapolate.h"

/* Marks of values beside 0 and 1. */
enum { REACHED_NOW = 2 };

/* The index of the neighbour along an axis; false beyond a side. The doubled last layer of a
 * periodic axis is skipped. */
static bool neighbour(const GridField *field, const int at[3], int axis, int step, int out[3]) {
    for (int a = 0; a < 3; a++) out[a] = at[a];
    out[axis] += step;
    int period = field->grid.n[axis];
    if (grid_is_periodic(&field->grid, axis)) {
        out[axis] = ((out[axis] % period) + period) % period;
        return true;
    }
    return out[axis] >= 0 && out[axis] < field->n[axis];
}

static size_t mark_index(const GridField *field, const int at[3]) {
    return ((size_t)at[2] * (size_t)field->n[1] + (size_t)at[1]) * (size_t)field->n[0] +
           (size_t)at[0];
}

/* Sets one value to the mean of its known neighbours; false when there are none. */
static bool fill_value(GridField *field, const unsigned char *known, const int at[3]) {
    double sum = 0;
    int count = 0, next[3];
    for (int axis = 0; axis < field->grid.dim; axis++)
        for (int step = -1; step <= 1; step += 2) {
            if (!neighbour(field, at, axis, step, next)) continue;
            if (known[mark_index(field, next)] != 1) continue;
            sum += field->data[field_index(field, next[0], next[1], next[2])];
            count++;
        }
    if (count > 0) field->data[field_index(field, at[0], at[1], at[2])] = sum / count;
    return count > 0;
}

static void place_of(const GridField *field, size_t index, int at[3]) {
    size_t nx = (size_t)field->n[0], ny = (size_t)field->n[1];
    at[0] = (int)(index % nx);
    at[1] = (int)(index / nx % ny);
    at[2] = (int)(index / nx / ny);
}

/* One layer; what is left of the list moves to its front. */
static size_t fill_layer(GridField *field, unsigned char *known, size_t *unknown, size_t count) {
    int at[3];
    for (size_t i = 0; i < count; i++) {
        place_of(field, unknown[i], at);
        if (fill_value(field, known, at)) known[unknown[i]] = REACHED_NOW;
    }
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (known[unknown[i]] == REACHED_NOW)
            known[unknown[i]] = 1;
        else
            unknown[left++] = unknown[i];
    }
    return left;
}

PlimStatus field_extrapolate(GridField *field, unsigned char *known, int layers, double fallback,
                             Scratch *scratch) {
    size_t total = grid_place_count(&field->grid, field->place), count = 0;
    for (size_t i = 0; i < total; i++) count += !known[i];
    if (count == 0) return PLIM_OK;
    size_t mark = scratch_mark(scratch);
    size_t *unknown = scratch_take(scratch, count, sizeof *unknown);
    if (!unknown) return PLIM_OUT_OF_MEMORY;
    count = 0;
    for (size_t i = 0; i < total; i++)
        if (!known[i]) unknown[count++] = i;
    for (int layer = 0; layer < layers; layer++) count = fill_layer(field, known, unknown, count);
    for (size_t i = 0; i < count; i++) {
        int at[3];
        place_of(field, unknown[i], at);
        field->data[field_index(field, at[0], at[1], at[2])] = fallback;
    }
    scratch_release(scratch, mark);
    return PLIM_OK;
}
