/* Probes: quantities of named objects, sampled after every step. */
#include "base/suggest.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

static bool find_object(const WorldSystem *system, const char *name, size_t *object) {
    if (!system->class->object_name) return false;
    size_t count = system->class->object_count(system->object);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(system->class->object_name(system->object, i), name) != 0) continue;
        *object = i;
        return true;
    }
    return false;
}

static PlimStatus unknown_object(PlimWorld *world, const char *probe, const char *object) {
    const char *guess = NULL;
    for (size_t i = 0; i < world->system_count && !guess; i++) {
        const WorldSystem *system = &world->systems[i];
        if (!system->class->object_name) continue;
        size_t count = system->class->object_count(system->object);
        for (size_t k = 0; k < count && !guess; k++) {
            const char *name = system->class->object_name(system->object, k);
            guess = suggest_name(object, &name, 1);
        }
    }
    return context_fail(world->context, PLIM_BAD_INPUT,
                        "probe '%s' is on '%s', and nothing has that name%s%s%s", probe, object,
                        guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

static PlimStatus unknown_quantity(PlimWorld *world, const char *probe, const SystemClass *class,
                                   const char *quantity) {
    char known[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < class->quantity_count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 class->quantities[i].name);
    return context_fail(world->context, PLIM_BAD_INPUT,
                        "probe '%s' asks for '%s'; a %s object has: %s", probe, quantity,
                        class->name, known);
}

PlimStatus world_add_probe(PlimWorld *world, const char *name, const char *object,
                           const char *quantity) {
    const WorldSystem *system = NULL;
    size_t index = 0;
    for (size_t i = 0; i < world->system_count && !system; i++)
        if (find_object(&world->systems[i], object, &index)) system = &world->systems[i];
    if (!system) return unknown_object(world, name, object);

    const ProbeQuantity *found = NULL;
    for (size_t i = 0; i < system->class->quantity_count; i++)
        if (strcmp(system->class->quantities[i].name, quantity) == 0)
            found = &system->class->quantities[i];
    if (!found) return unknown_quantity(world, name, system->class, quantity);

    char *copy = context_copy_text(world->context, name);
    if (!copy) return PLIM_OUT_OF_MEMORY;
    WorldProbe probe = {copy, system, found, index};
    if (!array_push(world->context, &world->probes, probe)) {
        context_free_text(world->context, copy);
        return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

static size_t component_count(const ProbeQuantity *quantity) {
    size_t letters = strlen(quantity->components);
    return letters ? letters : 1;
}

size_t world_probe_value_count(const PlimWorld *world) {
    size_t count = 0;
    for (size_t i = 0; i < world->probes.count; i++)
        count += component_count(world->probes.data[i].quantity);
    return count;
}

void world_probe_values(const PlimWorld *world, double *values) {
    for (size_t i = 0; i < world->probes.count; i++) {
        const WorldProbe *probe = &world->probes.data[i];
        probe->quantity->read(probe->system->object, probe->object, values);
        values += component_count(probe->quantity);
    }
}
