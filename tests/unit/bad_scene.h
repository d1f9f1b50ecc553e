/* Scenes that are wrong: the message must name line, place and reason. */
#ifndef TESTS_BAD_SCENE_H
#define TESTS_BAD_SCENE_H

#include "check.h"

#include "base/clock.h"
#include "plimsoll/plimsoll.h"

#include <string.h>

typedef struct BadScene {
    const char *text;
    int line;
    const char *pointer;
    const char *word;
} BadScene;

/* Parses, and makes the world when that goes well: some things only show there. */
static inline PlimStatus try_scene(PlimContext *context, const char *text, size_t size,
                                   PlimScene **scene) {
    PlimStatus status = plim_scene_parse(context, "bad.yaml", text, size, NULL, 0, scene);
    if (status != PLIM_OK) return status;
    PlimWorld *world;
    status = plim_scene_create_world(*scene, &world);
    plim_world_destroy(world);
    return status;
}

static inline void check_within(double limit, const char *text, size_t size, const BadScene *bad) {
    PlimContext *context = test_context(1);
    PlimScene *scene;
    double start = clock_seconds();
    PlimStatus status = try_scene(context, text, size, &scene);
    double seconds = clock_seconds() - start;
    if (status != PLIM_BAD_INPUT) fail_msg("status %d for\n%.200s", (int)status, text);
    const char *message = plim_message(context);
    char place[128];
    snprintf(place, sizeof place, "bad.yaml: line %d, %s: ", bad->line, bad->pointer);
    if (strncmp(message, place, strlen(place)) != 0 || !strstr(message, bad->word))
        fail_msg("the message is\n%s\nand should be\n%s... %s ...\nfor\n%.200s", message, place,
                 bad->word, text);
    if (seconds > limit) fail_msg("took %g s for\n%.200s", seconds, text);
    plim_scene_destroy(scene);
    test_context_close(context);
}

static inline void check_bytes(const char *text, size_t size, const BadScene *bad) {
    check_within(1.0, text, size, bad);
}

static inline void check_all(const BadScene *cases, size_t count) {
    for (size_t i = 0; i < count; i++) check_bytes(cases[i].text, strlen(cases[i].text), &cases[i]);
}

#define CHECK_ALL(cases) check_all((cases), sizeof(cases) / sizeof *(cases))

#endif
