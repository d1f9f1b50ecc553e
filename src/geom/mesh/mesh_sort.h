/* Radix sort of keys with what they belong to: the way to edges, duplicates and equal places. */
#ifndef GEOM_MESH_SORT_H
#define GEOM_MESH_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct SortItem {
    uint64_t key;
    uint64_t index;
} SortItem;

/* By key, items of equal keys staying in order. `spare` is room for as many. Time grows as the
 * count.
 */
void sort_items(SortItem *items, SortItem *spare, size_t count);

/* The end of the run of equal keys that starts at `begin`. */
static inline size_t sort_run_end(const SortItem *items, size_t count, size_t begin) {
    size_t end = begin + 1;
    while (end < count && items[end].key == items[begin].key) end++;
    return end;
}

#endif
