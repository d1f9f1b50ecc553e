/* Snapshots: all state of a world in one block of memory. */
#include "base/hash.h"
#include "world/world.h"

struct PlimSnapshot {
    PlimContext *context;
    uint64_t layout; /* hash of sizes and names, those of objects too: what it may be restored to */
    size_t size;
    unsigned char *bytes;
};

static uint64_t layout_of(const PlimWorld *world, size_t *size) {
    uint64_t layout = HASH_START;
    *size = 0;
    for (size_t i = 0; i < world->system_count; i++) {
        const WorldSystem *system = &world->systems[i];
        layout = hash_text(layout, system->class->name);
        layout = state_layout(system->class->schema, system->object, layout);
        *size += state_snapshot_bytes(system->class->schema, system->object);
        size_t objects =
            system->class->object_name ? system->class->object_count(system->object) : 0;
        for (size_t k = 0; k < objects; k++)
            layout = hash_text(layout, system->class->object_name(system->object, k));
    }
    return layout;
}

PlimStatus plim_snapshot_create(PlimWorld *world, PlimSnapshot **out) {
    if (out) *out = NULL;
    if (!world) return PLIM_BAD_INPUT;
    PlimContext *context = world->context;
    REQUIRE(context, out);
    PlimSnapshot *snapshot = context_allocate(context, 1, sizeof *snapshot);
    if (!snapshot) return PLIM_OUT_OF_MEMORY;
    snapshot->context = context;
    snapshot->layout = layout_of(world, &snapshot->size);
    snapshot->bytes = context_allocate(context, snapshot->size, 1);
    if (!snapshot->bytes) {
        context_free(context, snapshot, 1, sizeof *snapshot);
        return PLIM_OUT_OF_MEMORY;
    }
    unsigned char *at = snapshot->bytes;
    for (size_t i = 0; i < world->system_count; i++) {
        const WorldSystem *system = &world->systems[i];
        state_save(system->class->schema, system->object, at);
        at += state_snapshot_bytes(system->class->schema, system->object);
    }
    *out = snapshot;
    return PLIM_OK;
}

PlimStatus plim_snapshot_restore(PlimWorld *world, const PlimSnapshot *snapshot) {
    if (!world) return PLIM_BAD_INPUT;
    REQUIRE(world->context, snapshot);
    size_t size;
    if (layout_of(world, &size) != snapshot->layout)
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "the snapshot is of a world with other bodies");
    const unsigned char *at = snapshot->bytes;
    for (size_t i = 0; i < world->system_count; i++) {
        const WorldSystem *system = &world->systems[i];
        size_t used;
        TRY(state_restore(world->context, system->class->schema, system->object, at, &used));
        at += used;
    }
    return world_refresh(world);
}

void plim_snapshot_destroy(PlimSnapshot *snapshot) {
    if (!snapshot) return;
    PlimContext *context = snapshot->context;
    context_free(context, snapshot->bytes, snapshot->size, 1);
    context_free(context, snapshot, 1, sizeof *snapshot);
}
