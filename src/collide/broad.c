/* Broad phase by spatial hashing: boxes in the cells of a uniform grid (000 section 2.4). */
#include "collide/broad.h"

#include "base/hash.h"
#include "geom/mesh/mesh_sort.h"

#include <string.h>

/* A box is listed in every cell it touches; boxes larger than this many cells along an axis are
 * tested against all others instead. */
enum { MOST_CELLS_ALONG = 3 };

typedef struct Broad {
    const Box3 *boxes;
    const bool *active;
    size_t count;
    double cell; /* m */
    bool *large; /* boxes that are in no cell */
    BroadPairs *out;
    PlimContext *context;
    Scratch *scratch;
} Broad;

static double longest_side(const Box3 *box) {
    Vec3 size = vec3_sub(box->high, box->low);
    return fmax(size.x, fmax(size.y, size.z));
}

static bool may_pair(const Broad *broad, int32_t a, int32_t b) {
    return (broad->active[a] || broad->active[b]) && box3_overlap(broad->boxes[a], broad->boxes[b]);
}

static bool add_pair(Broad *broad, int32_t a, int32_t b) {
    BroadPair pair = {a < b ? a : b, a < b ? b : a};
    return array_push(broad->context, &broad->out->items, pair);
}

static int64_t cell_of(double x, double cell) {
    return (int64_t)floor(x / cell);
}

static uint64_t cell_key(int64_t i, int64_t j, int64_t k) {
    return hash_mix((uint64_t)i + hash_mix((uint64_t)j + hash_mix((uint64_t)k + 1)));
}

/* The cells of one box, as key and index; two boxes that overlap share the cell at the low corner
 * of what they share, and are a pair in that cell alone. */
static size_t list_cells(const Broad *broad, size_t box, SortItem *entries) {
    const Box3 *b = &broad->boxes[box];
    double h = broad->cell;
    int64_t low[3] = {cell_of(b->low.x, h), cell_of(b->low.y, h), cell_of(b->low.z, h)};
    int64_t high[3] = {cell_of(b->high.x, h), cell_of(b->high.y, h), cell_of(b->high.z, h)};
    size_t count = 0;
    for (int64_t k = low[2]; k <= high[2]; k++)
        for (int64_t j = low[1]; j <= high[1]; j++)
            for (int64_t i = low[0]; i <= high[0]; i++)
                entries[count++] = (SortItem){cell_key(i, j, k), box};
    return count;
}

static bool is_home_cell(const Broad *broad, int32_t a, int32_t b, uint64_t cell) {
    Vec3 low = vec3_max(broad->boxes[a].low, broad->boxes[b].low);
    double h = broad->cell;
    return cell == cell_key(cell_of(low.x, h), cell_of(low.y, h), cell_of(low.z, h));
}

static bool pair_within_cells(Broad *broad, const SortItem *entries, size_t count) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = sort_run_end(entries, count, begin);
        for (size_t i = begin; i < end; i++)
            for (size_t j = i + 1; j < end; j++) {
                int32_t a = (int32_t)entries[i].index, b = (int32_t)entries[j].index;
                if (a == b || !may_pair(broad, a, b)) continue;
                if (is_home_cell(broad, a, b, entries[begin].key) && !add_pair(broad, a, b))
                    return false;
            }
    }
    return true;
}

/* One and a half times the median side: most boxes then touch few cells. 0 when no box has an
 * end. `items` is room for twice as many as there are boxes. */
static double choose_cell(const Box3 *boxes, size_t count, SortItem *items) {
    size_t finite = 0;
    double median = 0.0;
    for (size_t i = 0; i < count; i++) {
        double side = longest_side(&boxes[i]);
        if (!isfinite(side)) continue;
        if (!(side > 0.0)) side = 0.0;
        /* Numbers that are not negative have the order of their bits. */
        memcpy(&items[finite++].key, &side, sizeof side);
    }
    if (finite == 0) return 0.0;
    sort_items(items, items + count, finite);
    memcpy(&median, &items[finite / 2].key, sizeof median);
    return fmax(1.5 * median, 1e-300);
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

/* Large boxes against all others; two large ones meet once. */
static bool pair_large(Broad *broad) {
    for (size_t k = 0; k < broad->count; k++) {
        if (!broad->large[k]) continue;
        for (size_t i = 0; i < broad->count; i++) {
            if ((i <= k && broad->large[i]) || !may_pair(broad, (int32_t)k, (int32_t)i)) continue;
            if (!add_pair(broad, (int32_t)k, (int32_t)i)) return false;
        }
    }
    return true;
}

static bool find_pairs(Broad *broad, SortItem *items, size_t room) {
    size_t entry_count = 0;
    broad->cell = choose_cell(broad->boxes, broad->count, items);
    for (size_t i = 0; i < broad->count; i++) {
        broad->large[i] = is_large(broad, i);
        if (!broad->large[i]) entry_count += list_cells(broad, i, items + entry_count);
    }
    sort_items(items, items + room, entry_count);
    return pair_within_cells(broad, items, entry_count) && pair_large(broad);
}

/* By a, then b. Hardly ever are there more pairs than room for cells. */
static bool sort_pairs(Broad *broad, SortItem *items, size_t room) {
    BroadPair *pairs = broad->out->items.data;
    size_t count = broad->out->items.count;
    if (count > room) items = scratch_take(broad->scratch, 2 * count, sizeof *items);
    if (!items) return false;
    for (size_t i = 0; i < count; i++)
        items[i] = (SortItem){(uint64_t)pairs[i].a << 32 | (uint64_t)pairs[i].b, 0};
    sort_items(items, items + count, count);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (BroadPair){(int32_t)(items[i].key >> 32), (int32_t)(items[i].key & 0xFFFFFFFF)};
    return true;
}

PlimStatus broad_pairs(PlimContext *context, Scratch *scratch, const Box3 *boxes,
                       const bool *active, size_t count, BroadPairs *out) {
    enum { CELLS_A_BOX = MOST_CELLS_ALONG * MOST_CELLS_ALONG * MOST_CELLS_ALONG };
    out->items.count = 0;
    if (count < 2) return PLIM_OK;
    size_t mark = scratch_mark(scratch), room = count * CELLS_A_BOX;
    Broad broad = {.boxes = boxes,
                   .active = active,
                   .count = count,
                   .large = scratch_take(scratch, count, sizeof *broad.large),
                   .out = out,
                   .context = context,
                   .scratch = scratch};
    SortItem *items = scratch_take(scratch, 2 * room, sizeof *items);
    bool done = broad.large && items && find_pairs(&broad, items, room);
    if (done && out->items.count > 1) done = sort_pairs(&broad, items, room);
    scratch_release(scratch, mark);
    return done ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}
