/* Named objects of a system for its probes: names that are taken, points outside the domain. */
#include "system/probe_objects.h"

#include <string.h>

PlimStatus probe_objects_add(PlimContext *context, ProbeObjects *objects, const char *name,
                             ProbeObject object) {
    if (probe_objects_find(objects, name) != SIZE_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "two things in the %s are named '%s'; rename one of them",
                            objects->owner, name);
    object.name = context_copy_text(context, name);
    if (!object.name) return PLIM_OUT_OF_MEMORY;
    if (array_push(context, &objects->list, object)) return PLIM_OK;
    context_free_text(context, object.name);
    return PLIM_OUT_OF_MEMORY;
}

PlimStatus probe_objects_add_point(PlimContext *context, ProbeObjects *objects, const Grid *domain,
                                   const char *name, ProbeObject point) {
    Vec3 x = point.point, low = domain->origin, high = grid_high_corner(domain);
    if (!grid_contains(domain, x))
        return context_fail(context, PLIM_BAD_INPUT,
                            "the point of '%s', (%g, %g, %g), is outside the %s's domain, "
                            "(%g, %g, %g) to (%g, %g, %g)",
                            name, x.x, x.y, x.z, objects->owner, low.x, low.y, low.z, high.x,
                            high.y, high.z);
    return probe_objects_add(context, objects, name, point);
}

size_t probe_objects_find(const ProbeObjects *objects, const char *name) {
    for (size_t i = 0; i < objects->list.count; i++)
        if (strcmp(objects->list.data[i].name, name) == 0) return i;
    return SIZE_MAX;
}

void probe_objects_free(PlimContext *context, ProbeObjects *objects) {
    for (size_t i = 0; i < objects->list.count; i++)
        context_free_text(context, objects->list.data[i].name);
    array_free(context, &objects->list);
}
