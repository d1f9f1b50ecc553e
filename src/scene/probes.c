/* Probes of a scene: what they measure, and the points and sections of a liquid they make. */
#include "scene/scene.h"
#include "world/domains.h"

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
    bool has_splash = node_get(scene->root, "splash") != NULL;
    if (node_get(scene->root, "fluid") || (is_point && has_splash)) return;
    reader_problem(&scene->reader, place,
                   has_splash ? "a splash has no sections; use a 'point'"
                              : "the scene has no fluid to measure there");
}

void scene_check_probes(PlimScene *scene) {
    static const char *const places[] = {"object", "point", "section"};
    const SceneNode *list = scene->document.probes.node;
    for (size_t i = 0; list && i < list->children.count; i++) {
        SceneNode *node = list->children.data[i];
        read_probe(scene, node);
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

/* Makes the point or section that the probe describes, under the probe's name. */
static PlimStatus add_place(PlimWorld *world, const SceneNode *node, const SceneProbe *probe) {
    const SceneSection *section = &probe->section;
    if (node_get(node, "point") && splash_of(world))
        return splash_add_point(splash_of(world), probe->name, vec3_load(probe->point));
    if (node_get(node, "point"))
        return fluid_add_point(fluid_of(world), probe->name, vec3_load(probe->point));
    if (node_get(node, "section"))
        return fluid_add_section(fluid_of(world), probe->name, section->axis, section->at,
                                 vec3_load(section->low), vec3_load(section->high));
    return PLIM_OK;
}

static PlimStatus add_quantities(PlimWorld *world, const SceneProbe *probe) {
    const char *object = probe->object ? probe->object : probe->name;
    const SceneNode *names = probe->quantities.node;
    for (size_t i = 0; i < names->children.count; i++)
        TRY(world_add_probe(world, probe->name, NULL, object, names->children.data[i]->text));
    return PLIM_OK;
}

/* Goes on after a probe that is wrong: the next may be, too. */
PlimStatus scene_add_probes(PlimScene *scene, PlimWorld *world) {
    const SceneNode *list = scene->document.probes.node;
    for (size_t i = 0; list && i < list->children.count; i++) {
        SceneNode *node = list->children.data[i];
        SceneProbe probe = read_probe(scene, node);
        TRY(scene->reader.trouble);
        PlimStatus status = add_place(world, node, &probe);
        if (status == PLIM_OK) status = add_quantities(world, &probe);
        status = scene_as_problem(scene, node, status);
        if (status != PLIM_BAD_INPUT) TRY(status);
    }
    return PLIM_OK;
}
