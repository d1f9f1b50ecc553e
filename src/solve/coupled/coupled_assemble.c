/* Assembly of the coupled system, rows over velocities become rows over unknowns: a tied velocity
 * is replaced by its tie, a given one has no column. The same walk counts, lays out and fills. */
#include "solve/coupled/coupled_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum WalkMode { WALK_MEASURE, WALK_COUNT, WALK_COLUMNS, WALK_VALUES } WalkMode;

typedef struct Walk {
    const Coupled *c;
    WalkMode mode;
    Csr *out;
    size_t row, length;
    size_t longest, entries; /* found by measuring, by counting */
    int32_t *columns;        /* of the row, as they come: `longest` of them */
    double *sizes;           /* sums of |terms| of the row's entries */
} Walk;

static int compare_columns(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void put_value(Walk *walk, int32_t column, double value) {
    const Csr *out = walk->out;
    size_t begin = out->row_start[walk->row], low = begin, high = out->row_start[walk->row + 1];
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (out->column[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    out->value[low] += value;
    walk->sizes[low - begin] += fabs(value);
}

static void put(Walk *walk, int32_t unknown, double value) {
    if (unknown < 0) return; /* given */
    if (walk->mode == WALK_VALUES)
        put_value(walk, unknown, value);
    else if (walk->mode != WALK_MEASURE)
        walk->columns[walk->length] = unknown;
    walk->length++;
}

static void put_velocity(Walk *walk, size_t velocity, double value) {
    const Coupled *c = walk->c;
    if (c->unknown[velocity] != COUPLED_TIED) {
        put(walk, c->unknown[velocity], value);
        return;
    }
    TieRow tie = c->tie_row[velocity];
    const Csr *rows = &c->ties.data[tie.ties].rows;
    for (size_t i = rows->row_start[tie.row]; i < rows->row_start[tie.row + 1]; i++)
        put(walk, c->unknown[rows->column[i]], value * rows->value[i]);
}

/* Sorted, each once. */
static size_t unique_columns(Walk *walk) {
    size_t count = 0;
    qsort(walk->columns, walk->length, sizeof *walk->columns, compare_columns);
    for (size_t i = 0; i < walk->length; i++)
        if (count == 0 || walk->columns[count - 1] != walk->columns[i])
            walk->columns[count++] = walk->columns[i];
    return count;
}

/* What cancels to rounding is zero: a constraint that its own ties fulfil must not be left with a
 * row of noise, which the preconditioner would blow up. */
static void flush_rounding(Walk *walk) {
    const Csr *out = walk->out;
    size_t begin = out->row_start[walk->row], end = out->row_start[walk->row + 1];
    for (size_t i = begin; i < end; i++) {
        double *size = &walk->sizes[i - begin];
        if (fabs(out->value[i]) <= 8.0 * DBL_EPSILON * *size) out->value[i] = 0.0;
        *size = 0.0;
    }
}

static void end_row(Walk *walk) {
    Csr *out = walk->out;
    if (walk->mode == WALK_MEASURE && walk->length > walk->longest) walk->longest = walk->length;
    if (walk->mode == WALK_COUNT) walk->entries += unique_columns(walk);
    if (walk->mode == WALK_COLUMNS) {
        size_t start = out->row_start[walk->row], count = unique_columns(walk);
        memcpy(out->column + start, walk->columns, count * sizeof *out->column);
        out->row_start[walk->row + 1] = start + count;
    }
    if (walk->mode == WALK_VALUES) flush_rounding(walk);
    walk->row++;
    walk->length = 0;
}

static void walk_sets(Walk *walk, CoupledRowKind kind) {
    for (size_t k = 0; k < walk->c->sets.count; k++) {
        const CoupledRowSet *set = &walk->c->sets.data[k];
        if (set->kind != kind) continue;
        for (size_t row = 0; row < set->rows.rows; row++) {
            for (size_t i = set->rows.row_start[row]; i < set->rows.row_start[row + 1]; i++)
                put_velocity(walk, (size_t)set->rows.column[i], set->rows.value[i]);
            end_row(walk);
        }
    }
}

const double *coupled_mass_block(const CoupledGroup *group, const double *values, size_t velocity) {
    return values + (velocity - group->start) / group->block * group->block * group->block;
}

/* Rows L^T of tied bodies, B_t = L L^T. */
static void walk_tied_masses(Walk *walk) {
    const Coupled *c = walk->c;
    for (size_t g = 0; g < c->groups.count; g++) {
        const CoupledGroup *group = &c->groups.data[g];
        size_t k = group->block, end = group->start + group->count;
        for (size_t v = group->start; v < end; v += k) {
            if (c->unknown[v] != COUPLED_TIED) continue;
            const double *factor = coupled_mass_block(group, group->factor, v);
            for (size_t i = 0; i < k; i++) {
                for (size_t j = i; j < k; j++) put_velocity(walk, v + j, factor[j * k + i]);
                end_row(walk);
            }
        }
    }
}

static void walk_factors(Walk *walk) {
    walk->row = walk->length = 0;
    walk_tied_masses(walk);
    walk_sets(walk, COUPLED_DAMPER);
}

static void walk_constraints(Walk *walk) {
    walk->row = walk->length = 0;
    walk_sets(walk, COUPLED_CONSTRAINT);
}

static PlimStatus lay_out_rows(Coupled *c, void (*walk_rows)(Walk *), Csr *out) {
    Walk walk = {.c = c, .mode = WALK_MEASURE, .out = out};
    walk_rows(&walk);
    size_t row_count = walk.row;
    if (walk.longest > c->work_count) c->work_count = walk.longest;
    walk.columns = context_allocate(c->context, walk.longest + 1, sizeof *walk.columns);
    if (!walk.columns) return PLIM_OUT_OF_MEMORY;
    walk.mode = WALK_COUNT;
    walk_rows(&walk);
    PlimStatus status = csr_create(c->context, row_count, c->unknown_count, walk.entries, out);
    walk.mode = WALK_COLUMNS;
    if (status == PLIM_OK) walk_rows(&walk);
    context_free(c->context, walk.columns, walk.longest + 1, sizeof *walk.columns);
    return status;
}

/* A has no entries off its blocks when no row of `factors` reaches over two. */
static bool stays_in_blocks(const Coupled *c) {
    const Csr *rows = &c->factors;
    for (size_t row = 0; row < rows->rows; row++)
        for (size_t i = rows->row_start[row] + 1; i < rows->row_start[row + 1]; i++)
            if (c->block_of[rows->column[i]] != c->block_of[rows->column[i - 1]]) return false;
    return true;
}

PlimStatus coupled_lay_out(Coupled *c) {
    TRY(lay_out_rows(c, walk_factors, &c->factors));
    TRY(lay_out_rows(c, walk_constraints, &c->rows));
    c->block_diagonal = stays_in_blocks(c);
    for (size_t b = 0; b < c->block_count; b++)
        if (c->blocks[b].size > c->work_count) c->work_count = c->blocks[b].size;
    c->work = context_allocate(c->context, c->work_count + 1, sizeof *c->work);
    return c->work ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static void fill(Coupled *c, void (*walk_rows)(Walk *), Csr *out) {
    Walk walk = {.c = c, .mode = WALK_VALUES, .out = out, .sizes = c->work};
    memset(out->value, 0, out->entries * sizeof *out->value);
    walk_rows(&walk);
}

void coupled_assemble(Coupled *c) {
    memset(c->work, 0, (c->work_count + 1) * sizeof *c->work);
    fill(c, walk_factors, &c->factors);
    fill(c, walk_constraints, &c->rows);
}
