/* Probes of a scene: what they measure, and the points and sections of a liquid they make. */
#include "scene/scene.h"
#include "world/domains.h"

#include <string.h>

/* Beyond every domain. */
static const double far_away = 1e30;

static SceneProbe read_probe(PlimScene *scene, SceneNode *node) {
    SceneProbe probe = {.section = {.low = {-far_away, -far_away, -far_away},
                                    .high = {far_away, far_away, far_away}}};
    reader_read_table(&scene->reader, node, &scene_probe_table, &probe);
    return probe;
}

/* Points are of a fluid or a splash, sections of a fluid alone. */
static void check_place(PlimScene *scene, const SceneNode *place, bool is_point) {
    bool has_splash = scene_has_system(scene, &scene_splash_kind);
    if (scene_has_system(scene, &scene_fluid_kind) || (is_point && has_splash)) return;
    reader_problem(&scene->reader, place,
                   has_splash ? "a splash has no sections; use a 'point'"
                              : "the scene has no fluid to measure there");
}

static void check_domain(PlimScene *scene, const SceneNode *node, const char *name) {
    for (size_t i = 0; name && i < scene->systems.count; i++)
        if (strcmp(scene_system_name(&scene->systems.data[i]), name) == 0) return;
    if (name) reader_problem(&scene->reader, node, "there is no fluid or splash named '%s'", name);
}

void scene_check_probes(PlimScene *scene) {
    static const char *const places[] = {"object", "point", "section"};
    const SceneNode *list = scene->document.probes.node;
    for (size_t i = 0; list && i < list->children.count; i++) {
        SceneNode *node = list->children.data[i];
        SceneProbe probe = read_probe(scene, node);
        check_domain(scene, node_get(node, "domain"), probe.domain);
        int given = 0;
        for (int k = 0; k < 3; k++) {
            const SceneNode *place = node_get(node, places[k]);
            given += place != NULL;
            if (k > 0 && place) check_place(scene, place, k == 1);
        }
        if (given > 1)
            reader_problem(&scene->reader, node,
                           "has more than one of 'object', 'point' and 'section'; leave one");
    }
}

/* Whether the domain is the one that is meant, or none is named and the point is in it. */
static bool has_point(const PlimScene *scene, const SceneSystem *system, const SceneProbe *probe) {
    if (probe->domain) return strcmp(scene_system_name(system), probe->domain) == 0;
    Grid grid = system->kind->grid(scene, system);
    return scene->systems.count == 1 ||
           box3_contains(scene_domain_box(&grid), vec3_load(probe->point));
}

static PlimStatus add_point(PlimScene *scene, PlimWorld *world, SceneProbe *probe) {
    Vec3 point = vec3_load(probe->point);
    for (size_t i = 0; i < scene->systems.count; i++) {
        const SceneSystem *system = &scene->systems.data[i];
        if (!has_point(scene, system, probe)) continue;
        probe->domain = scene_system_name(system);
        if (system->kind == &scene_splash_kind)
            return splash_add_point(world_find_system(world, &splash_class, system->name),
                                    probe->name, point);
        return fluid_add_point(world_find_system(world, &fluid_class, system->name), probe->name,
                               point);
    }
    return context_fail(scene->context, PLIM_BAD_INPUT,
                        "the point of '%s', (%g, %g, %g), is outside every domain", probe->name,
                        point.x, point.y, point.z);
}

static PlimStatus add_section(PlimScene *scene, PlimWorld *world, SceneProbe *probe) {
    const SceneSection *section = &probe->section;
    size_t fluids = 0;
    for (size_t i = 0; i < scene->systems.count; i++)
        fluids += scene->systems.data[i].kind == &scene_fluid_kind;
    if (fluids > 1 && !probe->domain)
        return context_fail(scene->context, PLIM_BAD_INPUT,
                            "the scene has several fluids; say with 'domain' which one the section "
                            "'%s' is of",
                            probe->name);
    Fluid *fluid = world_find_system(world, &fluid_class, probe->domain);
    if (!fluid)
        return context_fail(scene->context, PLIM_BAD_INPUT,
                            "'%s' is a splash, and has no sections; use a 'point'", probe->domain);
    return fluid_add_section(fluid, probe->name, section->axis, section->at,
                             vec3_load(section->low), vec3_load(section->high));
}

/* Makes the point or section that the probe describes, under the probe's name. */
static PlimStatus add_place(PlimScene *scene, PlimWorld *world, const SceneNode *node,
                            SceneProbe *probe) {
    if (node_get(node, "point")) return add_point(scene, world, probe);
    if (node_get(node, "section")) return add_section(scene, world, probe);
    return PLIM_OK;
}

static PlimStatus add_quantities(PlimWorld *world, const SceneProbe *probe) {
    const char *object = probe->object ? probe->object : probe->name;
    const SceneNode *names = probe->quantities.node;
    for (size_t i = 0; i < names->children.count; i++)
        TRY(world_add_probe(world, probe->name, probe->domain, object,
                            names->children.data[i]->text));
    return PLIM_OK;
}

/* Goes on after a probe that is wrong: the next may be, too. */
PlimStatus scene_add_probes(PlimScene *scene, PlimWorld *world) {
    const SceneNode *list = scene->document.probes.node;
    for (size_t i = 0; list && i < list->children.count; i++) {
        SceneNode *node = list->children.data[i];
        SceneProbe probe = read_probe(scene, node);
        TRY(scene->reader.trouble);
        PlimStatus status = add_place(scene, world, node, &probe);
        if (status == PLIM_OK) status = add_quantities(world, &probe);
        status = scene_as_problem(scene, node, status);
        if (status != PLIM_BAD_INPUT) TRY(status);
    }
    return PLIM_OK;
}
