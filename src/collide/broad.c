#include "collide/broad.h"

#include "base/hash.h"

#include <stdlib.h>

/* A box is listed in every cell it touches; boxes larger than this many cells along an axis are
 * tested against all others instead. */
enum { MOST_CELLS_ALONG = 3 };

typedef struct CellEntry {
    uint64_t cell;
    int32_t box;
} CellEntry;

typedef struct Broad {
    const Box3 *boxes;
    const bool *active;
    size_t count;
    double cell; /* m */
    BroadPairs *out;
    PlimContext *context;
} Broad;

static double longest_side(const Box3 *box) {
    Vec3 size = vec3_sub(box->high, box->low);
    return fmax(size.x, fmax(size.y, size.z));
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_pairs(const void *a, const void *b) {
    const BroadPair *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static int compare_entries(const void *a, const void *b) {
    const CellEntry *x = a, *y = b;
    return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell)
                              : (x->box > y->box) - (x->box < y->box);
}

static bool add_if_overlapping(Broad *broad, int32_t a, int32_t b) {
    if (!broad->active[a] && !broad->active[b]) return true;
    if (!box3_overlap(broad->boxes[a], broad->boxes[b])) return true;
    BroadPair pair = {a < b ? a : b, a < b ? b : a};
    return array_push(broad->context, &broad->out->items, pair);
}

static int64_t cell_of(double x, double cell) {
    return (int64_t)floor(x / cell);
}

static uint64_t cell_key(int64_t i, int64_t j, int64_t k) {
    return hash_mix((uint64_t)i + hash_mix((uint64_t)j + hash_mix((uint64_t)k + 1)));
}

/* The cells of one box; two boxes that overlap share the cell at the low corner of what they
 * share, and are a pair in that cell alone. */
static size_t list_cells(const Broad *broad, int32_t box, CellEntry *entries) {
    const Box3 *b = &broad->boxes[box];
    double h = broad->cell;
    size_t count = 0;
    for (int64_t k = cell_of(b->low.z, h); k <= cell_of(b->high.z, h); k++)
        for (int64_t j = cell_of(b->low.y, h); j <= cell_of(b->high.y, h); j++)
            for (int64_t i = cell_of(b->low.x, h); i <= cell_of(b->high.x, h); i++)
                entries[count++] = (CellEntry){cell_key(i, j, k), box};
    return count;
}

static bool is_home_cell(const Broad *broad, int32_t a, int32_t b, uint64_t cell) {
    Vec3 low = vec3_max(broad->boxes[a].low, broad->boxes[b].low);
    double h = broad->cell;
    return cell == cell_key(cell_of(low.x, h), cell_of(low.y, h), cell_of(low.z, h));
}

static bool pair_within_cells(Broad *broad, const CellEntry *entries, size_t count) {
    for (size_t begin = 0; begin < count;) {
        size_t end = begin + 1;
        while (end < count && entries[end].cell == entries[begin].cell) end++;
        for (size_t i = begin; i < end; i++)
            for (size_t j = i + 1; j < end; j++) {
                int32_t a = entries[i].box, b = entries[j].box;
                if (a == b || !is_home_cell(broad, a, b, entries[begin].cell)) continue;
                if (!add_if_overlapping(broad, a, b)) return false;
            }
        begin = end;
    }
    return true;
}

/* Twice the median side: most boxes then touch few cells. 0 when no box has an end. */
static double choose_cell(const Box3 *boxes, size_t count, double *sides) {
    size_t finite = 0;
    for (size_t i = 0; i < count; i++) {
        double side = longest_side(&boxes[i]);
        if (isfinite(side)) sides[finite++] = side;
    }
    if (finite == 0) return 0.0;
    qsort(sides, finite, sizeof *sides, compare_numbers);
    return fmax(1.5 * sides[finite / 2], 1e-300);
}

static bool is_large(const Broad *broad, size_t i) {
    enum { MOST_CELLS_AWAY = 1 << 30 }; /* beyond, the number of a cell is not exact */
    const Box3 *box = &broad->boxes[i];
    double far = fmax(
        fmax(fabs(box->low.x), fabs(box->high.x)),
        fmax(fmax(fabs(box->low.y), fabs(box->high.y)), fmax(fabs(box->low.z), fabs(box->high.z))));
    return !(longest_side(box) < (MOST_CELLS_ALONG - 1) * broad->cell) ||
           !(far < MOST_CELLS_AWAY * broad->cell);
}

static bool find_pairs(Broad *broad, CellEntry *entries, int32_t *large) {
    size_t entry_count = 0, large_count = 0;
    for (size_t i = 0; i < broad->count; i++) {
        if (is_large(broad, i))
            large[large_count++] = (int32_t)i;
        else
            entry_count += list_cells(broad, (int32_t)i, entries + entry_count);
    }
    qsort(entries, entry_count, sizeof *entries, compare_entries);
    if (!pair_within_cells(broad, entries, entry_count)) return false;
    for (size_t k = 0; k < large_count; k++)
        for (size_t i = 0; i < broad->count; i++) {
            if ((int32_t)i == large[k] || (is_large(broad, i) && (int32_t)i < large[k])) continue;
            if (!add_if_overlapping(broad, large[k], (int32_t)i)) return false;
        }
    return true;
}

PlimStatus broad_pairs(PlimContext *context, Scratch *scratch, const Box3 *boxes,
                       const bool *active, size_t count, BroadPairs *out) {
    enum { CELLS_A_BOX = MOST_CELLS_ALONG * MOST_CELLS_ALONG * MOST_CELLS_ALONG };
    out->items.count = 0;
    size_t mark = scratch_mark(scratch);
    double *sides = scratch_take(scratch, count, sizeof *sides);
    CellEntry *entries = scratch_take(scratch, count * CELLS_A_BOX, sizeof *entries);
    int32_t *large = scratch_take(scratch, count, sizeof *large);
    bool done = sides && entries && large;
    if (done && count > 1) {
        Broad broad = {boxes, active, count, 0.0, out, context};
        broad.cell = choose_cell(boxes, count, sides);
        done = find_pairs(&broad, entries, large);
        if (done && out->items.count > 1)
            qsort(out->items.data, out->items.count, sizeof *out->items.data, compare_pairs);
    }
    scratch_release(scratch, mark);
    return done ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}
