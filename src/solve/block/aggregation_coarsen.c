/* Greedy aggregation of a graph (Vanek, Mandel and Brezina 1996, algorithm 5.1) and the patterns of
 * prolongator and coarse matrix. It sees who neighbours whom, no values: done once for a mesh. */
#include "solve/block/aggregation_internal.h"

#include <stdlib.h>
#include <string.h>

enum { FREE = -1 };

static bool has_neighbours(const Pattern *a, size_t node) {
    return a->start[node + 1] - a->start[node] > 1;
}

/* A node with only free neighbours takes them all. What is left lies beside an aggregate and joins
 * the smallest one, so that no aggregate has fewer than two nodes. */
static PlimStatus choose_aggregates(Aggregation *aggregation, Level *level) {
    const Pattern *a = &level->a;
    int32_t *of = level->aggregate, count = 0;
    Scratch *scratch = &aggregation->scratch;
    size_t mark = scratch_mark(scratch);
    int32_t *first = scratch_take(scratch, a->rows + 1, sizeof *first);
    int32_t *members = scratch_take(scratch, a->rows + 1, sizeof *members);
    if (!first || !members) return PLIM_OUT_OF_MEMORY;
    for (size_t node = 0; node < a->rows; node++) of[node] = FREE;
    for (size_t node = 0; node < a->rows; node++) {
        bool is_root = has_neighbours(a, node);
        for (size_t e = a->start[node]; e < a->start[node + 1]; e++)
            is_root = is_root && of[a->column[e]] == FREE;
        if (!is_root) continue;
        members[count] = (int32_t)(a->start[node + 1] - a->start[node]);
        for (size_t e = a->start[node]; e < a->start[node + 1]; e++) of[a->column[e]] = count;
        count++;
    }
    memcpy(first, of, a->rows * sizeof *first);
    for (size_t node = 0; node < a->rows; node++) {
        if (of[node] != FREE || !has_neighbours(a, node)) continue;
        int32_t best = FREE;
        for (size_t e = a->start[node]; e < a->start[node + 1]; e++) {
            int32_t other = first[a->column[e]];
            if (other != FREE && (best == FREE || members[other] < members[best])) best = other;
        }
        of[node] = best;
        members[best]++;
    }
    level->coarse_rows = (size_t)count;
    scratch_release(scratch, mark);
    return PLIM_OK;
}

static PlimStatus list_members(Aggregation *aggregation, Level *level) {
    size_t *start = aggregation_take(aggregation, level->coarse_rows + 1, sizeof *start);
    level->member = aggregation_take(aggregation, level->a.rows, sizeof *level->member);
    level->kept = aggregation_take(aggregation, level->coarse_rows, sizeof *level->kept);
    if (!start || !level->member || !level->kept) return PLIM_OUT_OF_MEMORY;
    for (size_t node = 0; node < level->a.rows; node++)
        if (level->aggregate[node] != FREE) start[level->aggregate[node] + 1]++;
    for (size_t i = 0; i < level->coarse_rows; i++) start[i + 1] += start[i];
    for (size_t node = 0; node < level->a.rows; node++)
        if (level->aggregate[node] != FREE)
            level->member[start[level->aggregate[node]]++] = (int32_t)node;
    memmove(start + 1, start, level->coarse_rows * sizeof *start);
    start[0] = 0;
    level->member_start = start;
    return PLIM_OK;
}

static int compare_columns(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The pattern of a product of two: row i has the columns of those rows of `right` that row i of
 * `left` names. */
static PlimStatus multiply_patterns(Aggregation *aggregation, const Pattern *left,
                                    const Pattern *right, size_t columns, Pattern *out) {
    Scratch *scratch = &aggregation->scratch;
    size_t mark = scratch_mark(scratch), *seen = scratch_take(scratch, columns + 1, sizeof *seen);
    size_t *start = aggregation_take(aggregation, left->rows + 1, sizeof *start);
    if (!seen || !start) return PLIM_OUT_OF_MEMORY;
    int32_t *column = NULL;
    for (int pass = 0; pass < 2; pass++) {
        size_t entry = 0;
        memset(seen, 0, columns * sizeof *seen);
        for (size_t row = 0; row < left->rows; row++) {
            size_t begin = entry;
            for (size_t l = left->start[row]; l < left->start[row + 1]; l++) {
                size_t middle = (size_t)left->column[l];
                for (size_t r = right->start[middle]; r < right->start[middle + 1]; r++) {
                    if (seen[right->column[r]] == row + 1) continue;
                    seen[right->column[r]] = row + 1;
                    if (column) column[entry] = right->column[r];
                    entry++;
                }
            }
            if (column) qsort(column + begin, entry - begin, sizeof *column, compare_columns);
            start[row + 1] = entry;
        }
        if (pass == 0) column = aggregation_take(aggregation, entry, sizeof *column);
        if (!column) return PLIM_OUT_OF_MEMORY;
    }
    scratch_release(scratch, mark);
    *out = (Pattern){left->rows, start[left->rows], start, column};
    return PLIM_OK;
}

static PlimStatus transpose_prolongator(Aggregation *aggregation, Level *level) {
    const Pattern *p = &level->p;
    size_t *start = aggregation_take(aggregation, level->coarse_rows + 1, sizeof *start);
    level->pt_row = aggregation_take(aggregation, p->entries, sizeof *level->pt_row);
    level->pt_entry = aggregation_take(aggregation, p->entries, sizeof *level->pt_entry);
    if (!start || !level->pt_row || !level->pt_entry) return PLIM_OUT_OF_MEMORY;
    for (size_t e = 0; e < p->entries; e++) start[p->column[e] + 1]++;
    for (size_t i = 0; i < level->coarse_rows; i++) start[i + 1] += start[i];
    for (size_t row = 0; row < p->rows; row++)
        for (size_t e = p->start[row]; e < p->start[row + 1]; e++) {
            size_t place = start[p->column[e]]++;
            level->pt_row[place] = (int32_t)row;
            level->pt_entry[place] = (int32_t)e;
        }
    memmove(start + 1, start, level->coarse_rows * sizeof *start);
    start[0] = 0;
    level->pt_start = start;
    return PLIM_OK;
}

PlimStatus aggregation_coarsen(Aggregation *aggregation, Level *level, Level *next) {
    level->aggregate = aggregation_take(aggregation, level->a.rows, sizeof *level->aggregate);
    if (!level->aggregate) return PLIM_OUT_OF_MEMORY;
    TRY(choose_aggregates(aggregation, level));
    if (level->coarse_rows == 0) return PLIM_OK;
    TRY(list_members(aggregation, level));
    /* The tentative prolongator: each node its aggregate. */
    size_t *start = aggregation_take(aggregation, level->a.rows + 1, sizeof *start);
    int32_t *column = aggregation_take(aggregation, level->a.rows, sizeof *column);
    if (!start || !column) return PLIM_OUT_OF_MEMORY;
    for (size_t node = 0; node < level->a.rows; node++) {
        start[node + 1] = start[node];
        if (level->aggregate[node] != FREE) column[start[node + 1]++] = level->aggregate[node];
    }
    Pattern tentative = {level->a.rows, start[level->a.rows], start, column};
    if (level->is_smoothed)
        TRY(multiply_patterns(aggregation, &level->a, &tentative, level->coarse_rows, &level->p));
    else
        level->p = tentative;
    TRY(transpose_prolongator(aggregation, level));
    TRY(multiply_patterns(aggregation, &level->a, &level->p, level->coarse_rows, &level->ap));
    Pattern pt = {level->coarse_rows, level->p.entries, level->pt_start, level->pt_row};
    return multiply_patterns(aggregation, &pt, &level->ap, level->coarse_rows, &next->a);
}
