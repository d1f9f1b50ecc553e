/* Radix sort, least significant digit first. */
#include "geom/mesh/mesh_sort.h"

#include <string.h>

enum { DIGITS = 256, PASSES = 8, FEW = 48 };

static void insert_each(SortItem *items, size_t count) {
    for (size_t i = 1; i < count; i++) {
        SortItem item = items[i];
        size_t to = i;
        for (; to > 0 && items[to - 1].key > item.key; to--) items[to] = items[to - 1];
        items[to] = item;
    }
}

static unsigned digit_of(uint64_t key, int pass) {
    return (unsigned)(key >> 8 * pass) & (DIGITS - 1);
}

/* Least digit first. Digits that all keys share, such as the high bytes of small indices, are
 * skipped.
 */
void sort_items(SortItem *items, SortItem *spare, size_t count) {
    if (count <= FEW) {
        insert_each(items, count);
        return;
    }
    size_t starts[PASSES][DIGITS] = {{0}};
    for (size_t i = 0; i < count; i++)
        for (int pass = 0; pass < PASSES; pass++) starts[pass][digit_of(items[i].key, pass)]++;
    SortItem *from = items, *to = spare;
    for (int pass = 0; pass < PASSES; pass++) {
        size_t *start = starts[pass];
        if (start[digit_of(items[0].key, pass)] == count) continue;
        for (size_t digit = 0, sum = 0; digit < DIGITS; digit++) {
            size_t here = start[digit];
            start[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++) to[start[digit_of(from[i].key, pass)]++] = from[i];
        SortItem *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
}
