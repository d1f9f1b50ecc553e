/* A hash table with open addressing and linear probing. */
#include "base/index_table.h"

static void place(IndexTable *table, struct IndexEntry entry) {
    size_t slot = entry.hash & (table->capacity - 1);
    while (table->entries[slot].index_plus_one) slot = (slot + 1) & (table->capacity - 1);
    table->entries[slot] = entry;
}

static PlimStatus grow(PlimContext *context, IndexTable *table) {
    IndexTable grown = {.capacity = table->capacity ? 2 * table->capacity : 16,
                        .count = table->count};
    grown.entries = context_allocate(context, grown.capacity, sizeof *grown.entries);
    if (!grown.entries) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->entries[i].index_plus_one) place(&grown, table->entries[i]);
    index_table_free(context, table);
    *table = grown;
    return PLIM_OK;
}

PlimStatus index_table_insert(PlimContext *context, IndexTable *table, uint64_t hash,
                              size_t index) {
    if (2 * (table->count + 1) > table->capacity) TRY(grow(context, table));
    place(table, (struct IndexEntry){hash, index + 1});
    table->count++;
    return PLIM_OK;
}

size_t index_table_next(const IndexTable *table, uint64_t hash, size_t *cursor) {
    if (table->capacity == 0) return INDEX_NONE;
    for (;; ++*cursor) {
        const struct IndexEntry *entry = &table->entries[(hash + *cursor) & (table->capacity - 1)];
        if (!entry->index_plus_one) return INDEX_NONE;
        if (entry->hash != hash) continue;
        ++*cursor;
        return entry->index_plus_one - 1;
    }
}

void index_table_free(PlimContext *context, IndexTable *table) {
    if (table->entries)
        context_free(context, table->entries, table->capacity, sizeof *table->entries);
    *table = (IndexTable){0};
}
