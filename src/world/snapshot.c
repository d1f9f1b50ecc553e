/* Snapshots: all state of a world in memory, system by system. */
#include "base/hash.h"
#include "system/save.h"
#include "world/world.h"

struct PlimSnapshot {
    PlimContext *context;
    uint64_t layout; /* hash of sizes and names, those of objects too: what it may be restored to */
    ARRAY(SystemSave) systems; /* in the world's order */
};

static uint64_t layout_of(const PlimWorld *world) {
    uint64_t layout = HASH_START;
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        layout = hash_text(layout, system->name);
        layout = state_layout(system->class->schema, system->object, layout);
        size_t objects =
            system->class->object_name ? system->class->object_count(system->object) : 0;
        for (size_t k = 0; k < objects; k++)
            layout = hash_text(layout, system->class->object_name(system->object, k));
    }
    return layout;
}

static PlimStatus save_systems(const PlimWorld *world, PlimSnapshot *snapshot) {
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        if (!array_push(world->context, &snapshot->systems, (SystemSave){0}))
            return PLIM_OUT_OF_MEMORY;
        TRY(system_save(world->context, system->class, system->object, &snapshot->systems.data[i]));
    }
    return PLIM_OK;
}

PlimStatus plim_snapshot_create(PlimWorld *world, PlimSnapshot **out) {
    if (out) *out = NULL;
    if (!world) return PLIM_BAD_INPUT;
    PlimContext *context = world->context;
    REQUIRE(context, out);
    PlimSnapshot *snapshot = context_allocate(context, 1, sizeof *snapshot);
    if (!snapshot) return PLIM_OUT_OF_MEMORY;
    snapshot->context = context;
    snapshot->layout = layout_of(world);
    PlimStatus status = save_systems(world, snapshot);
    if (status != PLIM_OK) {
        plim_snapshot_destroy(snapshot);
        return status;
    }
    *out = snapshot;
    return PLIM_OK;
}

PlimStatus plim_snapshot_restore(PlimWorld *world, const PlimSnapshot *snapshot) {
    if (!world) return PLIM_BAD_INPUT;
    REQUIRE(world->context, snapshot);
    if (layout_of(world) != snapshot->layout)
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "the snapshot is of a world with other bodies");
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        StepInfo step = world_step_info(world, 0.0); /* the clock comes first: now as it was */
        TRY(system_restore(system->class, system->object, &step, &snapshot->systems.data[i]));
    }
    return PLIM_OK;
}

void plim_snapshot_destroy(PlimSnapshot *snapshot) {
    if (!snapshot) return;
    PlimContext *context = snapshot->context;
    for (size_t i = 0; i < snapshot->systems.count; i++)
        system_save_free(context, &snapshot->systems.data[i]);
    array_free(context, &snapshot->systems);
    context_free(context, snapshot, 1, sizeof *snapshot);
}
