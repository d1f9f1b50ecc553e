/* A scene and the world it describes, for tests that begin with the text of a scene. */
#ifndef TESTS_SCENE_FIXTURE_H
#define TESTS_SCENE_FIXTURE_H

#include "check.h"

#include "plimsoll/plimsoll.h"

#include <string.h>

typedef struct Fixture {
    PlimContext *context;
    PlimScene *scene;
    PlimWorld *world;
} Fixture;

/* The context is the fixture's from here on. */
static inline Fixture open_in_with(PlimContext *context, const char *text,
                                   const PlimOverride *overrides, size_t count) {
    Fixture f = {.context = context};
    if (plim_scene_parse(context, "test.yaml", text, strlen(text), overrides, count, &f.scene) !=
            PLIM_OK ||
        plim_scene_create_world(f.scene, &f.world) != PLIM_OK)
        fail_msg("%s\nin the scene\n%s", plim_message(context), text);
    return f;
}

static inline Fixture open_in(PlimContext *context, const char *text) {
    return open_in_with(context, text, NULL, 0);
}

static inline Fixture open_with(const char *text, const PlimOverride *overrides, size_t count) {
    return open_in_with(test_context(2), text, overrides, count);
}

static inline Fixture open_scene(const char *text) {
    return open_in(test_context(2), text);
}

static inline void close_scene(Fixture *f) {
    plim_world_destroy(f->world);
    plim_scene_destroy(f->scene);
    test_context_close(f->context);
}

/* What is written of a scene is read as the same scene and the same world. */
static inline void check_written(const Fixture *f) {
    Fixture again = open_scene(plim_scene_text(f->scene));
    assert_string_equal(plim_scene_text(again.scene), plim_scene_text(f->scene));
    assert_true(plim_world_hash(again.world) == plim_world_hash(f->world));
    close_scene(&again);
}

static inline void step(const Fixture *f, double dt) {
    if (plim_world_step(f->world, dt) != PLIM_OK) fail_msg("%s", plim_message(f->context));
}

#endif
