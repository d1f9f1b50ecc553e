/* A disk cache of level sets: finished fields, named by what they are made from. A file is a header
 * and the values as they lie in memory; it is good only on a machine like the one that wrote it,
 * and is checked. */
#include "geom/level_set/level_set_data.h"

#include "base/file.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Part of the key: to be raised whenever a field's bits change, by format or by method. */
enum { CACHE_FORMAT = 1 };

typedef struct CacheHeader {
    char magic[8];
    CacheKey key;
    uint64_t fine_count;
    uint64_t closed, crossing_edges, regions, voted; /* of the report */
    uint64_t payload_hash;
    uint64_t header_hash; /* of all before it */
} CacheHeader;

static const char magic[8] = "PLIMFLD";

static uint64_t key_hash(uint64_t hash, const TriangleMesh *mesh, const NodeGrid *grid, bool sparse,
                         int march_order) {
    const uint64_t sizes[] = {CACHE_FORMAT, mesh->vertex_count, mesh->triangle_count, sparse,
                              (uint64_t)march_order};
    hash = hash_bytes(hash, sizes, sizeof sizes);
    hash = hash_bytes(hash, &grid->origin, sizeof grid->origin);
    hash = hash_bytes(hash, &grid->spacing, sizeof grid->spacing);
    hash = hash_bytes(hash, grid->n, sizeof grid->n);
    hash = hash_bytes(hash, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    return hash_bytes(hash, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
}

CacheKey level_set_cache_key(const TriangleMesh *mesh, const NodeGrid *grid, bool sparse,
                             int march_order) {
    return (CacheKey){key_hash(HASH_START, mesh, grid, sparse, march_order),
                      key_hash(hash_mix(HASH_START), mesh, grid, sparse, march_order)};
}

static PlimStatus cache_path(PlimContext *context, const char *folder, CacheKey key,
                             char path[PATH_CAPACITY]) {
    char name[64];
    snprintf(name, sizeof name, "level_set_%016" PRIx64 ".field", key.name);
    return path_join(context, folder, name, path);
}

/* The arrays that make up a field, in the order in which they lie in the file. */
typedef struct CachePart {
    void *data;
    size_t bytes;
} CachePart;

static int field_parts(const LevelSet *field, CachePart parts[3]) {
    if (field->values) {
        parts[0] =
            (CachePart){field->values, node_grid_count(&field->grid) * sizeof *field->values};
        return 1;
    }
    parts[0] = (CachePart){field->fine, level_set_block_count(field) * sizeof *field->fine};
    parts[1] = (CachePart){field->corners, level_set_corner_count(field) * sizeof *field->corners};
    parts[2] =
        (CachePart){field->fine_values, field->fine_count * LEVEL_SET_BLOCK_NODES * sizeof(double)};
    return 3;
}

static uint64_t header_hash(const CacheHeader *header) {
    return hash_bytes(HASH_START, header, offsetof(CacheHeader, header_hash));
}

PlimStatus level_set_cache_save(const char *folder, CacheKey key, const LevelSet *field,
                                const LevelSetReport *report) {
    PlimContext *context = field->context;
    char path[PATH_CAPACITY];
    TRY(folder_create(context, folder));
    TRY(cache_path(context, folder, key, path));
    CacheHeader header = {.key = key,
                          .fine_count = field->fine_count,
                          .closed = report->closed,
                          .crossing_edges = report->crossing_edges,
                          .regions = report->regions,
                          .voted = report->voted};
    memcpy(header.magic, magic, sizeof magic);
    CachePart parts[3];
    int count = field_parts(field, parts);
    size_t size = sizeof header;
    for (int i = 0; i < count; i++) size += parts[i].bytes;
    char *bytes = context_allocate(context, size, 1);
    if (!bytes) return PLIM_OUT_OF_MEMORY;
    size_t at = sizeof header;
    for (int i = 0; i < count; at += parts[i].bytes, i++)
        memcpy(bytes + at, parts[i].data, parts[i].bytes);
    header.payload_hash = hash_bytes(HASH_START, bytes + sizeof header, size - sizeof header);
    header.header_hash = header_hash(&header);
    memcpy(bytes, &header, sizeof header);
    PlimStatus status = file_write(context, path, bytes, size, false);
    context_free(context, bytes, size, 1);
    return status;
}

/* Whole, undamaged, and of this key. */
static bool header_good(const char *bytes, size_t size, CacheKey key, CacheHeader *header) {
    if (size < sizeof *header) return false;
    memcpy(header, bytes, sizeof *header);
    return memcmp(header->magic, magic, sizeof magic) == 0 && header->key.name == key.name &&
           header->key.check == key.check && header->header_hash == header_hash(header) &&
           header->payload_hash ==
               hash_bytes(HASH_START, bytes + sizeof *header, size - sizeof *header);
}

static bool copy_parts(LevelSet *field, const char *bytes, size_t size) {
    CachePart parts[3];
    int count = field_parts(field, parts);
    size_t total = 0;
    for (int i = 0; i < count; i++) total += parts[i].bytes;
    if (total != size) return false;
    for (int i = 0; i < count; bytes += parts[i].bytes, i++)
        memcpy(parts[i].data, bytes, parts[i].bytes);
    for (size_t b = 0; !field->values && b < level_set_block_count(field); b++)
        if (field->fine[b] > field->fine_count) return false;
    return true;
}

static bool load_field(PlimContext *context, const char *bytes, size_t size, const NodeGrid *grid,
                       bool sparse, CacheKey key, LevelSet **out, LevelSetReport *report) {
    CacheHeader header;
    if (!header_good(bytes, size, key, &header)) return false;
    LevelSet *field;
    if (level_set_create(context, grid, sparse, &field) != PLIM_OK) return false;
    bool good = header.fine_count <= (sparse ? level_set_block_count(field) : 0) &&
                (!sparse || level_set_take_fine(field, header.fine_count) == PLIM_OK) &&
                copy_parts(field, bytes + sizeof header, size - sizeof header);
    if (!good) {
        level_set_destroy(field);
        return false;
    }
    level_set_find_bounds(field);
    *report = (LevelSetReport){.closed = header.closed != 0,
                               .from_cache = true,
                               .crossing_edges = header.crossing_edges,
                               .regions = header.regions,
                               .voted = header.voted};
    *out = field;
    return true;
}

bool level_set_cache_load(PlimContext *context, const char *folder, CacheKey key,
                          const NodeGrid *grid, bool sparse, LevelSet **out,
                          LevelSetReport *report) {
    char path[PATH_CAPACITY], *bytes;
    size_t size;
    if (cache_path(context, folder, key, path) != PLIM_OK || !file_exists(path)) return false;
    if (file_read(context, path, &bytes, &size) != PLIM_OK) return false;
    bool good = load_field(context, bytes, size, grid, sparse, key, out, report);
    if (!good)
        context_log(context, PLIM_LOG_WARNING, "%s is damaged: the field is made anew", path);
    context_free(context, bytes, size + 1, 1);
    return good;
}
