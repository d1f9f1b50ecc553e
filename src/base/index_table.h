/* A hash table from a 64-bit hash to the indices stored under it: finds names and equal shapes
 * among many. */
#ifndef BASE_INDEX_TABLE_H
#define BASE_INDEX_TABLE_H

#include "base/context.h"

typedef struct IndexTable {
    struct IndexEntry {
        uint64_t hash;
        size_t index_plus_one; /* 0: empty */
    } * entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} IndexTable;

#define INDEX_NONE SIZE_MAX

PlimStatus index_table_insert(PlimContext *context, IndexTable *table, uint64_t hash, size_t index);

/* Walks the indices stored under `hash`: start with *cursor = 0, call until INDEX_NONE. Equal
 * hashes of different keys are possible; the caller compares the keys. */
size_t index_table_next(const IndexTable *table, uint64_t hash, size_t *cursor);

void index_table_free(PlimContext *context, IndexTable *table);

#endif
