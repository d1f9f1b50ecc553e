/* Any bytes as a scene file: refused with line and reason, or a world that takes a step and a text
 * that reads back as the same scene. */
#include "plimsoll/plimsoll.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double memory_limit = 50e6; /* bytes; more would only be slow */

static void require(bool condition) {
    if (!condition) abort();
}

static void check_refusal(const PlimContext *context, const PlimScene *scene) {
    require(strncmp(plim_message(context), "fuzz: line ", 11) == 0);
    for (size_t i = 0; scene && i < plim_scene_problem_count(scene); i++)
        require(strncmp(plim_scene_problem(scene, i), "line ", 5) == 0);
}

/* Reads what was written of the scene: the same text again. */
static PlimScene *read_again(PlimContext *context, const PlimScene *scene) {
    const char *text = plim_scene_text(scene);
    PlimScene *again;
    require(plim_scene_parse(context, "fuzz", text, strlen(text), NULL, 0, &again) == PLIM_OK);
    require(strcmp(plim_scene_text(again), text) == 0);
    return again;
}

/* The state may overflow in the first step; that too must be said. */
static void check_step(PlimContext *context, PlimWorld *world) {
    PlimStatus status = plim_world_step(world, 0.01);
    require(status == PLIM_OK || (status == PLIM_FAILED && *plim_message(context)));
}

static void check_worlds(PlimContext *context, PlimScene *scene, PlimScene *again) {
    PlimWorld *world, *other;
    PlimStatus status = plim_scene_create_world(scene, &world);
    require(plim_scene_create_world(again, &other) == status);
    if (status == PLIM_OK) {
        require(plim_world_hash(world) == plim_world_hash(other));
        check_step(context, world);
    } else {
        require(!world && !other && *plim_message(context));
    }
    plim_world_destroy(world);
    plim_world_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    PlimContextDesc desc = plim_context_desc_default();
    desc.threads = 1;
    PlimContext *context;
    require(plim_context_create(&desc, &context) == PLIM_OK);
    PlimScene *scene;
    PlimStatus status =
        plim_scene_parse(context, "fuzz", (const char *)data, size, NULL, 0, &scene);
    if (status == PLIM_OK) {
        PlimScene *again = read_again(context, scene);
        if (plim_scene_memory(scene) < memory_limit) check_worlds(context, scene, again);
        plim_scene_destroy(again);
    } else {
        require(status == PLIM_BAD_INPUT);
        check_refusal(context, scene);
    }
    plim_scene_destroy(scene);
    require(plim_context_bytes(context) == 0);
    plim_context_destroy(context);
    return 0;
}
