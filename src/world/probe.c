/* Probes: quantities of named objects, sampled after every step. */
#include "base/suggest.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

static size_t objects_of(const SystemInstance *system) {
    return system->class->object_name ? system->class->object_count(system->object) : 0;
}

/* The names of all objects, in scratch memory; NULL when memory is out. */
static const char **object_names(PlimWorld *world, size_t *count) {
    size_t total = 0;
    for (size_t i = 0; i < world->systems.count; i++) total += objects_of(&world->systems.data[i]);
    const char **names = scratch_take(&world->scratch, total, sizeof *names);
    *count = 0;
    for (size_t i = 0; names && i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        for (size_t k = 0; k < objects_of(system); k++)
            names[(*count)++] = system->class->object_name(system->object, k);
    }
    return names;
}

static bool knows(const SystemInstance *system, const char *object) {
    const SystemClass *class = system->class;
    return class->find_object && class->find_object(system->object, object) != SIZE_MAX;
}

/* Whether a probe that names a domain means this system: solids have their place and velocity in
 * any domain. */
static bool is_meant(const SystemInstance *system, const char *domain) {
    return !domain || strcmp(system->name, domain) == 0 || system->class->surfaces;
}

static PlimStatus unknown_object(PlimWorld *world, const char *probe, const char *object) {
    size_t count, mark = scratch_mark(&world->scratch);
    const char **names = object_names(world, &count);
    const char *guess = names ? suggest_name(object, names, count) : NULL;
    scratch_release(&world->scratch, mark);
    return context_fail(world->context, PLIM_BAD_INPUT,
                        "probe '%s' is on '%s', and nothing has that name%s%s%s", probe, object,
                        guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

static bool applies(const ProbeQuantity *quantity, const SystemInstance *system, size_t object) {
    return !quantity->applies || quantity->applies(system->object, object);
}

/* Names what can be measured on the object, in every system that knows it and is meant. */
static PlimStatus unknown_quantity(PlimWorld *world, const char *probe, const char *domain,
                                   const char *object, const char *quantity) {
    char known[512] = "";
    size_t used = 0;
    for (size_t s = 0; s < world->systems.count; s++) {
        const SystemInstance *system = &world->systems.data[s];
        const SystemClass *class = system->class;
        if (!is_meant(system, domain)) continue;
        size_t index = class->find_object ? class->find_object(system->object, object) : SIZE_MAX;
        for (size_t i = 0; index != SIZE_MAX && i < class->quantity_count; i++)
            if (used < sizeof known && applies(&class->quantities[i], system, index))
                used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                         used ? ", " : "", class->quantities[i].name);
    }
    return context_fail(world->context, PLIM_BAD_INPUT,
                        "probe '%s' asks for '%s'; '%s' has%s%s%s: %s", probe, quantity, object,
                        domain ? " in '" : "", domain ? domain : "", domain ? "'" : "", known);
}

static const ProbeQuantity *find_quantity(const SystemInstance *system, size_t object,
                                          const char *name) {
    for (size_t i = 0; i < system->class->quantity_count; i++) {
        const ProbeQuantity *quantity = &system->class->quantities[i];
        if (strcmp(quantity->name, name) == 0 && applies(quantity, system, object)) return quantity;
    }
    return NULL;
}

/* The first system that has the quantity of the object, from the one at `from` on; in *seen whether
 * one that is meant knows the object at all. */
static bool find_probe(const PlimWorld *world, const char *domain, const char *object,
                       const char *quantity, size_t from, WorldProbe *out, size_t *at, bool *seen) {
    for (size_t i = from; i < world->systems.count; i++) {
        const SystemInstance *candidate = &world->systems.data[i];
        if (!is_meant(candidate, domain) || !knows(candidate, object)) continue;
        size_t index = candidate->class->find_object(candidate->object, object);
        *seen = true;
        const ProbeQuantity *found = find_quantity(candidate, index, quantity);
        if (!found) continue;
        *out = (WorldProbe){.system = candidate->object, .quantity = found, .object = index};
        *at = i;
        return true;
    }
    return false;
}

/* Two systems of a kind that both have it: which is meant? */
static PlimStatus check_only(PlimWorld *world, const char *name, const char *object,
                             const char *quantity, size_t first) {
    WorldProbe other;
    size_t at = first;
    bool seen = false;
    while (find_probe(world, NULL, object, quantity, at + 1, &other, &at, &seen))
        if (world->systems.data[at].class == world->systems.data[first].class)
            return context_fail(world->context, PLIM_BAD_INPUT,
                                "probe '%s' asks for '%s' of '%s', which '%s' and '%s' both "
                                "measure; say which with 'domain'",
                                name, quantity, object, world->systems.data[first].name,
                                world->systems.data[at].name);
    return PLIM_OK;
}

PlimStatus world_add_probe(PlimWorld *world, const char *name, const char *system,
                           const char *object, const char *quantity) {
    WorldProbe probe;
    size_t at;
    bool seen = false;
    if (!find_probe(world, system, object, quantity, 0, &probe, &at, &seen))
        return seen ? unknown_quantity(world, name, system, object, quantity)
                    : unknown_object(world, name, object);
    if (!system) TRY(check_only(world, name, object, quantity, at));

    for (size_t i = 0; i < world->probes.count; i++)
        if (world->probes.data[i].quantity == probe.quantity &&
            strcmp(world->probes.data[i].name, name) == 0)
            return context_fail(world->context, PLIM_BAD_INPUT,
                                "two probes named '%s' ask for '%s'; rename one of them", name,
                                quantity);

    probe.name = context_copy_text(world->context, name);
    if (!probe.name) return PLIM_OUT_OF_MEMORY;
    if (!array_push(world->context, &world->probes, probe)) {
        context_free_text(world->context, probe.name);
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
        probe->quantity->read(probe->system, probe->object, values);
        values += component_count(probe->quantity);
    }
}
