/* From a scene to a world: checks, then bodies and the systems of the registry. */
#include "deform/deform.h"
#include "scene/scene.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- checks before anything large is made ---- */

static double machine_memory(void) {
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
}

static void format_bytes(double bytes, char *buffer, size_t size) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 6; unit++) bytes /= 1000;
    snprintf(buffer, size, "%.3g %s", bytes, units[unit]);
}

void scene_add_memory(PlimScene *scene, const SceneNode *node, double bytes, double count,
                      const char *things) {
    double machine = machine_memory();
    bool was_too_much = scene->memory > machine; /* then it was said already */
    scene->memory += bytes;
    if (was_too_much || (scene->memory <= machine && count < INT32_MAX)) return;
    char needed[32], present[32];
    format_bytes(scene->memory, needed, sizeof needed);
    format_bytes(machine, present, sizeof present);
    reader_problem(&scene->reader, node,
                   "%.6g %s would need about %s of memory; this machine has %s", count, things,
                   needed, present);
}

void scene_check_objects(PlimScene *scene) {
    scene_check_bodies(scene);
    scene_check_joints(scene);
    scene_check_deformable(scene);
    scene_check_coupling(scene);
    scene_check_systems(scene);
    scene_check_probes(scene);
}

/* ---- the world ---- */

PlimStatus scene_describe_items(PlimScene *scene, SceneItems list, Scratch *memory, size_t size,
                                SceneDescribeFn describe, const void **out, size_t *count) {
    *count = scene_item_count(list);
    char *items = scratch_take(memory, *count, size);
    if (!items) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < *count; i++)
        TRY(describe(scene, list.node->children.data[i], memory, items + i * size));
    *out = items;
    return PLIM_OK;
}

PlimStatus scene_as_problem(PlimScene *scene, const SceneNode *node, PlimStatus status) {
    if (status != PLIM_BAD_INPUT) return status;
    reader_problem(&scene->reader, node, "%s", scene->context->message);
    TRY(scene->reader.trouble);
    const SceneProblem *last = &scene->reader.problems.data[scene->reader.problems.count - 1];
    return context_fail(scene->context, status, "%s: %s", scene->label, last->text);
}

/* The first of the problems that turned up while the world was made. */
static PlimStatus report_problems(PlimScene *scene) {
    if (scene->reader.problems.count == 0) return PLIM_OK;
    return context_fail(scene->context, PLIM_BAD_INPUT, "%s: %s", scene->label,
                        scene->reader.problems.data[0].text);
}

/* Bodies, fluids and splashes; problems with bodies are left for report_problems. */
static PlimStatus add_systems(PlimScene *scene, PlimWorld *world) {
    SceneBodies bodies = {0};
    PlimStatus status = scene_find_rooms(scene);
    if (status == PLIM_OK) status = scene_add_bodies(scene, world, &bodies);
    if (status == PLIM_OK) status = scene_add_joints(scene, world);
    if (status == PLIM_OK || status == PLIM_BAD_INPUT)
        status = scene_add_systems(scene, world, &bodies);
    if (status == PLIM_OK || status == PLIM_BAD_INPUT) {
        PlimStatus soft = scene_add_deformable(scene, world);
        if (soft != PLIM_OK && status != soft) status = status == PLIM_OK ? soft : status;
    }
    array_free(scene->context, &bodies.around);
    return status;
}

static PlimStatus fill_world(PlimScene *scene, PlimWorld *world) {
    TRY(add_systems(scene, world));
    TRY(scene_add_probes(scene, world));
    TRY(report_problems(scene));
    TRY(world_refresh(world));
    return plim_world_measure(world);
}

/* The longest substep, s. One step a frame is too long for bodies that meet: fallen dominoes creep,
 * chains break (docs/contact.md, Which step). Fluids have limits of their own. */
static double longest_substep(const SceneDocument *document) {
    const SceneContact *contact = &document->rigid.contact;
    bool is_wet = document->fluid.node || document->splash.node;
    if (document->time_step.max_dt > 0.0 || is_wet) return document->time_step.max_dt;
    bool may_meet = contact->enabled && contact->travel > 0.0 && document->rigid.bodies.node;
    bool is_soft =
        document->deformable.bodies.node && document->deformable.integrator != DEFORM_STATIC;
    return may_meet || is_soft ? 1.0 / 96.0 : 0.0;
}

PlimStatus plim_scene_create_world(PlimScene *scene, PlimWorld **out) {
    if (out) *out = NULL;
    if (!scene) return PLIM_BAD_INPUT;
    REQUIRE(scene->context, out);
    if (scene->reader.problems.count > 0)
        return context_fail(scene->context, PLIM_BAD_INPUT, "%s: %s", scene->label,
                            scene->reader.problems.data[0].text);
    scene->reader.trouble = PLIM_OK; /* memory may be there now */
    PlimWorldDesc desc = plim_world_desc_default();
    memcpy(desc.gravity, scene->document.gravity, sizeof desc.gravity);
    desc.max_dt = longest_substep(&scene->document);
    PlimWorld *world;
    TRY(plim_world_create(scene->context, &desc, &world));
    PlimStatus status = fill_world(scene, world);
    if (status != PLIM_OK) {
        plim_world_destroy(world);
        return status;
    }
    *out = world;
    return PLIM_OK;
}
