/* Sort and sweep (sweep and prune along one axis) for single boxes. */
#include "collide/near_boxes.h"

#include <string.h>

static double low_end(const NearBoxes *near, size_t i) {
    double low[3];
    vec3_store(low, near->boxes[i].low);
    return low[near->axis];
}

static double high_end(const NearBoxes *near, size_t i) {
    double high[3];
    vec3_store(high, near->boxes[i].high);
    return high[near->axis];
}

/* Unsigned numbers in the order of doubles. */
static uint64_t ordered_bits(double x) {
    uint64_t bits, sign = (uint64_t)1 << 63;
    x += 0.0; /* one zero */
    memcpy(&bits, &x, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

/* The axis along which the middles of boxes with an end are spread most. */
static int widest_axis(const Box3 *boxes, size_t count) {
    Box3 all = box3_empty();
    for (size_t i = 0; i < count; i++) {
        Vec3 middle = box3_center(boxes[i]);
        if (isfinite(vec3_dot(middle, middle))) all = box3_add_point(all, middle);
    }
    Vec3 spread = vec3_sub(all.high, all.low);
    if (spread.x >= spread.y && spread.x >= spread.z) return 0;
    return spread.y >= spread.z ? 1 : 2;
}

/* Four times the median length: hardly any box is longer, and those are looked at each by itself.
 */
static double longest_sorted(const NearBoxes *near, SortItem *items, size_t count) {
    size_t finite = 0;
    for (size_t i = 0; i < count; i++) {
        double length = high_end(near, i) - low_end(near, i);
        if (isfinite(length)) items[finite++] = (SortItem){ordered_bits(length), i};
    }
    if (finite == 0) return 0.0;
    sort_items(items, items + count, finite);
    size_t median = (size_t)items[finite / 2].index;
    return 4.0 * (high_end(near, median) - low_end(near, median));
}

PlimStatus near_boxes_sort(Scratch *scratch, const Box3 *boxes, size_t count, NearBoxes *out) {
    SortItem *items = scratch_take(scratch, 2 * count, sizeof *items);
    int32_t *wide = scratch_take(scratch, count, sizeof *wide);
    if (!items || !wide) return PLIM_OUT_OF_MEMORY;
    *out = (NearBoxes){
        .boxes = boxes, .axis = widest_axis(boxes, count), .sorted = items, .wide = wide};
    out->longest = longest_sorted(out, items, count);
    for (size_t i = 0; i < count; i++) {
        double low = low_end(out, i);
        if (isfinite(low) && high_end(out, i) - low <= out->longest)
            items[out->sorted_count++] = (SortItem){ordered_bits(low), i};
        else
            wide[out->wide_count++] = (int32_t)i;
    }
    sort_items(items, items + count, out->sorted_count);
    return PLIM_OK;
}

/* The first in the order whose low end is not below x. */
static size_t first_from(const NearBoxes *near, double x) {
    uint64_t key = ordered_bits(x);
    size_t begin = 0, end = near->sorted_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (near->sorted[middle].key < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

bool near_boxes_any(const NearBoxes *near, size_t i,
                    bool (*counts)(const void *user, size_t i, size_t other), const void *user) {
    const Box3 *box = &near->boxes[i];
    for (size_t k = 0; k < near->wide_count; k++) {
        size_t other = (size_t)near->wide[k];
        if (other != i && box3_overlap(*box, near->boxes[other]) && counts(user, i, other))
            return true;
    }
    /* A little room: what is subtracted here was added when lengths were compared. */
    double reach = near->longest * (1.0 + 1e-9) + 1e-9 * fabs(low_end(near, i));
    uint64_t last = ordered_bits(high_end(near, i));
    for (size_t k = first_from(near, low_end(near, i) - reach);
         k < near->sorted_count && near->sorted[k].key <= last; k++) {
        size_t other = (size_t)near->sorted[k].index;
        if (other != i && box3_overlap(*box, near->boxes[other]) && counts(user, i, other))
            return true;
    }
    return false;
}
