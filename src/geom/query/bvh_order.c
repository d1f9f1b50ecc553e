/* Packing order of a bounding volume hierarchy: halved again and again at the median of their
 * centres along the longest side, where a whole number of subtrees falls to each half (top-down
 * packing, after Lee and Lee 2003). Boxes of neighbours then hardly overlap, which is worth twice
 * the queries of packing along a Hilbert curve, tried first.
 *
 * Where the halves lie depends on the count alone, and what is in them on the keys, which are all
 * different; so sharing out the ranges among threads changes nothing. */
#include "base/hash.h"
#include "base/parallel.h"
#include "geom/query/bvh_node.h"

enum {
    CHUNK = 16384,      /* primitives whose centres are found as one piece of work */
    SMALL_RANGE = 4096, /* sorted whole by one thread */
    MAX_RANGES = 128    /* that the first few halvings make, for threads to share */
};

/* A centre in cells of a fine grid, and the primitive, which also tells equal centres apart. */
typedef struct Item {
    uint32_t cell[3];
    uint32_t primitive;
} Item;

typedef struct Range {
    size_t begin, end;
} Range;

typedef struct Orderer {
    const BvhInput *input;
    Item *items;
    Box3 *bounds; /* of the centres, for each chunk */
    Vec3 low;
    double cells_per_length;
    Range ranges[2 * MAX_RANGES];
    size_t range_count;
} Orderer;

static size_t chunk_end(const Orderer *orderer, size_t chunk) {
    size_t end = (chunk + 1) * CHUNK;
    return end < orderer->input->count ? end : orderer->input->count;
}

static Vec3 center_of(const BvhInput *input, size_t i) {
    size_t corners = (size_t)input->corners;
    return box3_center(
        bvh_primitive_box(input->vertices, input->indices + corners * i, input->corners));
}

static void bound_chunks(void *user, size_t begin, size_t end) {
    Orderer *orderer = user;
    for (size_t chunk = begin; chunk < end; chunk++) {
        Vec3 low = box3_empty().low, high = box3_empty().high;
        for (size_t i = chunk * CHUNK; i < chunk_end(orderer, chunk); i++) {
            Vec3 p = center_of(orderer->input, i);
            low = vec3(bvh_least(low.x, p.x), bvh_least(low.y, p.y), bvh_least(low.z, p.z));
            high = vec3(bvh_greatest(high.x, p.x), bvh_greatest(high.y, p.y),
                        bvh_greatest(high.z, p.z));
        }
        orderer->bounds[chunk] = (Box3){low, high};
    }
}

static const double LAST_CELL = INT32_MAX;

/* Cells are cubes; the longest side of the bounds has 2^31 of them. */
static void choose_cells(Orderer *orderer, size_t chunks) {
    Box3 bounds = box3_empty();
    for (size_t chunk = 0; chunk < chunks; chunk++)
        bounds = box3_union(bounds, orderer->bounds[chunk]);
    Vec3 size = vec3_sub(bounds.high, bounds.low);
    double longest = bvh_greatest(size.x, bvh_greatest(size.y, size.z));
    orderer->low = bounds.low;
    orderer->cells_per_length = longest > 0.0 ? LAST_CELL / longest : 0.0;
}

static uint32_t cell_of(double cell) {
    return cell > 0.0 ? (uint32_t)bvh_least(cell, LAST_CELL) : 0; /* NaN goes to 0 */
}

static void make_items(void *user, size_t begin, size_t end) {
    Orderer *orderer = user;
    for (size_t i = begin; i < end; i++) {
        Vec3 p = vec3_scale(orderer->cells_per_length,
                            vec3_sub(center_of(orderer->input, i), orderer->low));
        orderer->items[i] = (Item){{cell_of(p.x), cell_of(p.y), cell_of(p.z)}, (uint32_t)i};
    }
}

static uint64_t key_of(const Item *item, int axis) {
    return (uint64_t)item->cell[axis] << 32 | item->primitive;
}

static int longest_axis(const Item *items, size_t count) {
    uint32_t low[3], high[3];
    for (int k = 0; k < 3; k++) low[k] = high[k] = items[0].cell[k];
    for (size_t i = 1; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            uint32_t cell = items[i].cell[k];
            low[k] = cell < low[k] ? cell : low[k];
            high[k] = cell > high[k] ? cell : high[k];
        }
    }
    int longest = 0;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
    return longest;
}

/* The middle one of three keys at places that no order of the input is likely to make bad. */
static uint64_t choose_pivot(const Item *items, size_t count, int axis) {
    uint64_t random = hash_mix(count);
    uint64_t a = key_of(&items[random % count], axis);
    uint64_t b = key_of(&items[(random >> 20) % count], axis);
    uint64_t c = key_of(&items[(random >> 40) % count], axis);
    uint64_t least = a < b ? a : b, greatest = a < b ? b : a;
    return c < least ? least : c > greatest ? greatest : c;
}

/* Items up to the pivot first; how many they are. No branch depends on the items. */
static size_t partition(Item *items, size_t count, int axis, uint64_t pivot) {
    size_t below = 0;
    for (size_t i = 0; i < count; i++) {
        Item item = items[i];
        items[i] = items[below];
        items[below] = item;
        below += key_of(&item, axis) <= pivot;
    }
    return below;
}

/* Moves the `count_before` least items to the front (quickselect). */
static void select_least(Item *items, size_t count, size_t count_before, int axis) {
    while (count > 1 && count_before > 0 && count_before < count) {
        uint64_t pivot = choose_pivot(items, count, axis);
        size_t below = partition(items, count, axis, pivot);
        if (below == count_before) return;
        if (below > count_before) {
            /* The pivot is the greatest of these: leave it out, or nothing may get smaller. */
            size_t at = 0;
            while (key_of(&items[at], axis) != pivot) at++;
            Item last = items[below - 1];
            items[below - 1] = items[at];
            items[at] = last;
            count = below - 1;
        } else {
            items += below;
            count -= below;
            count_before -= below;
        }
    }
}

/* Puts each half's items in place and returns where the second begins: after half of the subtrees,
 * all but the last of which are full. */
static size_t halve(Item *items, size_t count) {
    size_t subtree = BVH_WIDTH;
    while (subtree * BVH_WIDTH < count) subtree *= BVH_WIDTH;
    size_t middle = (count + subtree - 1) / subtree / 2 * subtree;
    select_least(items, count, middle, longest_axis(items, count));
    return middle;
}

static void order_range(Item *items, size_t count) {
    while (count > BVH_WIDTH) {
        size_t middle = halve(items, count);
        order_range(items, middle); /* as deep as the count has bits */
        items += middle;
        count -= middle;
    }
}

static void halve_ranges(void *user, size_t begin, size_t end) {
    Orderer *orderer = user;
    for (size_t i = begin; i < end; i++) {
        Range *range = &orderer->ranges[2 * i];
        size_t count = range->end - range->begin, middle = 0;
        if (count > SMALL_RANGE) middle = halve(orderer->items + range->begin, count);
        range[1] = (Range){range->begin + middle, range->end};
        range[0].end = range->begin + middle;
    }
}

static void order_ranges(void *user, size_t begin, size_t end) {
    Orderer *orderer = user;
    for (size_t i = begin; i < end; i++)
        order_range(orderer->items + orderer->ranges[i].begin,
                    orderer->ranges[i].end - orderer->ranges[i].begin);
}

static void order_all(Orderer *orderer, int threads) {
    size_t count = orderer->input->count;
    orderer->ranges[0] = (Range){0, count};
    orderer->range_count = 1;
    for (size_t longest = count; longest > SMALL_RANGE && orderer->range_count < MAX_RANGES;) {
        for (size_t i = orderer->range_count; i-- > 0;) /* room for the second halves */
            orderer->ranges[2 * i] = orderer->ranges[i];
        parallel_for(threads, orderer->range_count, 1, halve_ranges, orderer);
        orderer->range_count *= 2;
        longest = 0;
        for (size_t i = 0; i < orderer->range_count; i++) {
            size_t length = orderer->ranges[i].end - orderer->ranges[i].begin;
            if (length > longest) longest = length;
        }
    }
    parallel_for(threads, orderer->range_count, 1, order_ranges, orderer);
}

PlimStatus bvh_order(PlimContext *context, const BvhInput *input, uint32_t *order) {
    Orderer orderer = {.input = input};
    size_t chunks = (input->count + CHUNK - 1) / CHUNK;
    Scratch scratch;
    scratch_init(&scratch, context);
    orderer.items = scratch_take(&scratch, input->count, sizeof *orderer.items);
    orderer.bounds = scratch_take(&scratch, chunks, sizeof *orderer.bounds);
    bool room = orderer.items && orderer.bounds;
    if (room) {
        parallel_for(context->threads, chunks, 1, bound_chunks, &orderer);
        choose_cells(&orderer, chunks);
        parallel_for(context->threads, input->count, CHUNK, make_items, &orderer);
        order_all(&orderer, context->threads);
        for (size_t i = 0; i < input->count; i++) order[i] = orderer.items[i].primitive;
    }
    scratch_free(&scratch);
    return room ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}
