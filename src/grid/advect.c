/* Semi-Lagrangian advection with MacCormack's correction: one pass over the rows for the
 * semi-Lagrangian values, another for MacCormack's correction: all values of a place share the
 * traces, so each block of a row is traced once for all of them. */
#include "grid/advect.h"

#include "base/parallel.h"
#include "grid/advect_trace.h"

#include <limits.h>
#include <string.h>

enum { RANGE_VALUES = 8192 }; /* of the rows handed to a thread at once */

typedef struct Carry {
    TracePlan plan;
    GridField *const *values;
    size_t count;
    bool goes_on;
    GridField *back;    /* of each field: the values at the ends of the traces back */
    double **corrected; /* of each field, laid out like it; MacCormack only */
    /* Of each value, rows one after another: index in `data` of the lowest corner of the cell of
     * values around the trace's end; -1 where a corner is in a solid. MacCormack only. */
    int *corner;
} Carry;

/* Part of a row. On a periodic axis with two ends the last layer is traced from the first. */
typedef struct Span {
    int first[3]; /* where the traces start */
    int count;
    size_t from; /* index in `data` of the first start */
    size_t to;   /* of the first value written */
    size_t at;   /* in `corner` */
} Span;

typedef struct Ends {
    int index[TRACE_BLOCK]; /* in `data`, of the lowest corner */
    TraceSplit split[3];
} Ends;

static bool is_doubled(const GridField *field, int axis) {
    return grid_is_periodic(&field->grid, axis) && field->n[axis] > field->grid.n[axis];
}

static Span row_span(const GridField *field, size_t row) {
    int j = (int)(row % (size_t)field->n[1]), k = (int)(row / (size_t)field->n[1]);
    Span span = {.count = field->n[0] - (is_doubled(field, 0) ? 1 : 0),
                 .to = field_index(field, 0, j, k),
                 .at = row * (size_t)field->n[0]};
    span.first[1] = is_doubled(field, 1) && j == field->n[1] - 1 ? 0 : j;
    span.first[2] = is_doubled(field, 2) && k == field->n[2] - 1 ? 0 : k;
    span.from = field_index(field, 0, span.first[1], span.first[2]);
    return span;
}

/* Part `part` of `parts` of about the same length. */
static Span span_part(const Span *row, int part, int parts) {
    int begin = (int)((int64_t)row->count * part / parts);
    Span span = *row;
    span.count = (int)((int64_t)row->count * (part + 1) / parts) - begin;
    span.first[0] += begin;
    span.from += (size_t)begin;
    span.to += (size_t)begin;
    span.at += (size_t)begin;
    return span;
}

/* ---- values at the ends of traces ---- */

static void find_ends(const TracePlan *plan, const GridField *field, const TraceBlock *block,
                      Ends *ends) {
    for (int axis = 0; axis < plan->dim; axis++)
        trace_split(block->end[axis], 0.0, block->count, &ends->split[axis]);
    int first = (int)field_index(field, 0, 0, 0);
    int y = (int)field->stride[1], z = (int)field->stride[2];
    const TraceSplit *s = ends->split;
    for (int i = 0; i < block->count; i++) ends->index[i] = first + s[0].base[i] + s[1].base[i] * y;
    for (int i = 0; i < block->count && plan->dim == 3; i++) ends->index[i] += s[2].base[i] * z;
}

/* Of neighbours along z; 0 in two dimensions. */
static ptrdiff_t stride_z(const GridField *field) {
    return field->grid.dim == 3 ? (ptrdiff_t)field->stride[2] : 0;
}

static void sample(const GridField *field, const Ends *ends, int count, double *restrict out) {
    const TraceSplit *s = ends->split;
    LatticePoints points = {count, ends->index, {s[0].fraction, s[1].fraction, s[2].fraction}};
    lattice_sample(field->data, (ptrdiff_t)field->stride[1], stride_z(field), &points, out);
}

static unsigned solid_corners(const TracePlan *plan, const Ends *ends, int i) {
    int base[3] = {ends->split[0].base[i], ends->split[1].base[i],
                   plan->dim == 3 ? ends->split[2].base[i] : 0};
    return trace_solid_corners(plan, base);
}

/* Of the corners that are in no solid, in their shares; every one has at least a little. */
static double sample_outside(const GridField *field, const Ends *ends, int i, unsigned solid) {
    const double *corners = field->data + ends->index[i];
    double weights = 0, sum = 0, reference = 0;
    const double least = 1e-30; /* counts only where all others are in solids */
    for (int corner = 0; corner < 1 << field->grid.dim; corner++) {
        if (solid >> corner & 1) continue;
        double weight = 1;
        size_t offset = 0;
        for (int axis = 0; axis < field->grid.dim; axis++) {
            double f = ends->split[axis].fraction[i];
            bool above = corner >> axis & 1;
            weight *= above ? f : 1.0 - f;
            offset += above ? field->stride[axis] : 0;
        }
        weight += least;
        /* Differences from one of them, so that a constant stays what it is to the bit. */
        if (weights == 0) reference = corners[offset];
        weights += weight;
        sum += weight * (corners[offset] - reference);
    }
    return reference + sum / weights;
}

/* ---- first pass: back along the velocity ---- */

/* Does the values again whose traces end beside a solid: none of it comes out. */
static void mend_near_solids(const Carry *carry, const Span *span, const TraceBlock *block,
                             Ends *ends) {
    unsigned all = carry->plan.dim == 3 ? 0xFFu : 0xFu;
    for (int near = 0; near < block->near_count; near++) {
        int i = block->near[near];
        unsigned solid = solid_corners(&carry->plan, ends, i);
        if (!solid) continue;
        for (size_t w = 0; w < carry->count; w++) {
            const GridField *values = carry->values[w];
            /* Enclosed by solids: nothing can have come from anywhere. */
            carry->back[w].data[span->to + (size_t)i] =
                solid == all ? values->data[span->from + (size_t)i]
                             : sample_outside(values, ends, i, solid);
        }
        ends->index[i] = -1;
    }
}

/* Nothing moves here, and no solid is in the way: what was there stays, to the bit. Most of the air
 * above a liquid is like that. */
static bool is_still(const Carry *carry, const TraceBlock *block) {
    bool moves = false;
    for (int axis = 0; axis < carry->plan.dim; axis++)
        for (int i = 0; i < block->count; i++) moves |= block->velocity[axis][i] != 0;
    if (moves || !carry->plan.distance.first) return !moves;
    bool outside = carry->goes_on;
    for (int i = 0; i < block->count; i++) outside &= block->distance[i] > 0;
    return outside;
}

static void stay(const Carry *carry, const Span *span, bool forward) {
    for (size_t w = 0; w < carry->count; w++)
        memcpy((forward ? carry->corrected[w] : carry->back[w].data) + span->to,
               carry->values[w]->data + span->from, (size_t)span->count * sizeof(double));
}

static void carry_back(const Carry *carry, const Span *span, TraceBlock *block) {
    Ends ends;
    trace_run(&carry->plan, -1.0, block);
    find_ends(&carry->plan, carry->values[0], block, &ends);
    for (size_t w = 0; w < carry->count; w++)
        sample(carry->values[w], &ends, span->count, carry->back[w].data + span->to);
    if (!carry->goes_on) mend_near_solids(carry, span, block, &ends);
    if (carry->corner)
        memcpy(carry->corner + span->at, ends.index, (size_t)span->count * sizeof *ends.index);
}

/* ---- second pass: MacCormack's correction ---- */

/* Selle et al. 2008: `there` was carried back and forth, so it should be `from`; each way has made
 * about half of the difference. The result is clamped to the values around the trace's end. */
static void correct(const GridField *field, const int *corner, const double *restrict from,
                    const double *restrict back, const double *restrict there, int count,
                    double *restrict out) {
    double low[TRACE_BLOCK], high[TRACE_BLOCK];
    lattice_bounds(field->data, (ptrdiff_t)field->stride[1], stride_z(field), corner, count, low,
                   high);
    for (int i = 0; i < count; i++) {
        double value = back[i] + 0.5 * (from[i] - there[i]);
        value = value > low[i] ? value : low[i];
        out[i] = value < high[i] ? value : high[i];
    }
}

static void carry_forward(const Carry *carry, const Span *span, TraceBlock *block) {
    Ends ends;
    double there[TRACE_BLOCK];
    int corner[TRACE_BLOCK];
    bool beside[TRACE_BLOCK]; /* a solid, there or back: first order, for want of values in it */
    trace_run(&carry->plan, 1.0, block);
    find_ends(&carry->plan, carry->values[0], block, &ends);
    for (int i = 0; i < span->count; i++) {
        int saved = carry->corner[span->at + (size_t)i];
        beside[i] = saved < 0;
        corner[i] = saved < 0 ? 0 : saved;
    }
    for (int near = 0; !carry->goes_on && near < block->near_count; near++) {
        int i = block->near[near];
        beside[i] |= solid_corners(&carry->plan, &ends, i) != 0;
    }
    for (size_t w = 0; w < carry->count; w++) {
        const double *from = carry->values[w]->data + span->from;
        const double *back = carry->back[w].data + span->to;
        double *out = carry->corrected[w] + span->to;
        sample(&carry->back[w], &ends, span->count, there);
        correct(carry->values[w], corner, from, back, there, span->count, out);
        for (int i = 0; i < span->count && carry->plan.distance.first; i++)
            if (beside[i]) out[i] = back[i];
    }
}

/* ---- all rows ---- */

static void carry_rows(const Carry *carry, size_t begin, size_t end, bool forward) {
    const GridField *field = carry->values[0];
    TraceBlock block;
    for (size_t row = begin; row < end; row++) {
        Span whole = row_span(field, row);
        int parts = (whole.count + TRACE_BLOCK - 1) / TRACE_BLOCK;
        for (int part = 0; part < parts; part++) {
            Span span = span_part(&whole, part, parts);
            trace_start_row(&carry->plan, span.first, span.count, &block);
            if (is_still(carry, &block))
                stay(carry, &span, forward);
            else if (forward)
                carry_forward(carry, &span, &block);
            else
                carry_back(carry, &span, &block);
        }
        if (!is_doubled(field, 0)) continue;
        for (size_t w = 0; w < carry->count; w++) {
            double *data = (forward ? carry->corrected[w] : carry->back[w].data) + whole.to;
            data[whole.count] = data[0];
        }
    }
}

static void back_rows(void *user, size_t begin, size_t end) {
    carry_rows(user, begin, end, false);
}

static void forward_rows(void *user, size_t begin, size_t end) {
    carry_rows(user, begin, end, true);
}

/* What was made replaces the values; the halo is filled after. */
static void replace_rows(void *user, size_t begin, size_t end) {
    const Carry *carry = user;
    const GridField *field = carry->values[0];
    size_t bytes = (size_t)field->n[0] * sizeof *field->data;
    for (size_t row = begin; row < end; row++) {
        size_t to = row_span(field, row).to;
        for (size_t w = 0; w < carry->count; w++)
            memcpy(carry->values[w]->data + to,
                   (carry->corrected ? carry->corrected[w] : carry->back[w].data) + to, bytes);
    }
}

static void fill_halo(const Advection *advection, size_t which, GridField *field, int threads) {
    if (advection->fill_halo)
        advection->fill_halo(advection->user, which, field, threads);
    else
        field_fill_halo_constant(field, threads);
}

static PlimStatus take_memory(Carry *carry, bool corrects, Scratch *scratch) {
    const GridField *field = carry->values[0];
    carry->back = scratch_take(scratch, carry->count, sizeof *carry->back);
    if (!carry->back) return PLIM_OUT_OF_MEMORY;
    for (size_t w = 0; w < carry->count; w++) {
        carry->back[w] = *field;
        carry->back[w].data = scratch_take(scratch, field->count, sizeof *field->data);
        if (!carry->back[w].data) return PLIM_OUT_OF_MEMORY;
    }
    if (!corrects) return PLIM_OK;
    carry->corner =
        scratch_take(scratch, grid_place_count(&field->grid, field->place), sizeof *carry->corner);
    carry->corrected = scratch_take(scratch, carry->count, sizeof *carry->corrected);
    if (!carry->corner || !carry->corrected) return PLIM_OUT_OF_MEMORY;
    for (size_t w = 0; w < carry->count; w++) {
        carry->corrected[w] = scratch_take(scratch, field->count, sizeof *field->data);
        if (!carry->corrected[w]) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

static void carry_fields(const Advection *advection, Carry *carry, int threads) {
    const GridField *field = carry->values[0];
    size_t rows = (size_t)field->n[1] * (size_t)field->n[2];
    size_t grain = (RANGE_VALUES + (size_t)field->n[0] - 1) / (size_t)field->n[0];
    parallel_for(threads, rows, grain, back_rows, carry);
    if (carry->corrected) {
        for (size_t w = 0; w < carry->count; w++) fill_halo(advection, w, &carry->back[w], threads);
        parallel_for(threads, rows, grain, forward_rows, carry);
    }
    parallel_for(threads, rows, grain, replace_rows, carry);
    for (size_t w = 0; w < carry->count; w++) fill_halo(advection, w, carry->values[w], threads);
}

PlimStatus advect_fields(const Advection *advection, GridField *const *values, size_t count,
                         int threads, Scratch *scratch) {
    if (count == 0 || advection->dt == 0) return PLIM_OK;
    const GridField *field = values[0];
    if (field->count > INT_MAX)
        return context_fail(scratch->context, PLIM_BAD_INPUT,
                            "a field of %zu values is too large to be carried", field->count);
    double shift[3];
    for (int axis = 0; axis < 3; axis++)
        shift[axis] = grid_place_on_ends(&field->grid, field->place, axis) ? 0.0 : 0.5;
    Carry carry = {.plan = trace_plan(advection, shift),
                   .values = values,
                   .count = count,
                   .goes_on = advection->goes_on};
    size_t mark = scratch_mark(scratch);
    PlimStatus status = take_memory(&carry, advection->scheme == ADVECT_MACCORMACK, scratch);
    if (status == PLIM_OK) carry_fields(advection, &carry, threads);
    scratch_release(scratch, mark);
    return status;
}
