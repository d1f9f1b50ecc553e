/* Scene files: reading them, changing values in them, and making worlds of them. */
#ifndef PLIMSOLL_SCENE_H
#define PLIMSOLL_SCENE_H

#include "plimsoll/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PlimScene PlimScene;

/* A value to put into the scene before it is read: pointer "/params/angle", value "25". */
typedef struct PlimOverride {
    const char *pointer;
    const char *value; /* YAML */
} PlimOverride;

/* Reads and checks a scene file. When it is wrong the status is PLIM_BAD_INPUT, plim_message() has
 * the first problem, and *out is still made when the file could be parsed at all, so that
 * plim_scene_problem() can list every problem; destroy it as usual. */
PLIM_API PlimStatus plim_scene_load(PlimContext *context, const char *path,
                                    const PlimOverride *overrides, size_t override_count,
                                    PlimScene **out);
/* The same from memory; `label` stands for the file's name in messages. */
PLIM_API PlimStatus plim_scene_parse(PlimContext *context, const char *label, const char *text,
                                     size_t size, const PlimOverride *overrides,
                                     size_t override_count, PlimScene **out);
PLIM_API void plim_scene_destroy(PlimScene *scene);

/* "line 7, /rigid/bodies/0/mass: ...", in the order of the file. */
PLIM_API size_t plim_scene_problem_count(const PlimScene *scene);
/* NULL when there are not that many. */
PLIM_API const char *plim_scene_problem(const PlimScene *scene, size_t index);

/* The world at t = 0. The scene must outlive it: prescribed motions are the scene's. */
PLIM_API PlimStatus plim_scene_create_world(PlimScene *scene, PlimWorld **out);

PLIM_API const char *plim_scene_name(const PlimScene *scene);
PLIM_API double plim_scene_fps(const PlimScene *scene);      /* frames a second */
PLIM_API double plim_scene_duration(const PlimScene *scene); /* s */
/* The last frame of a full run. */
PLIM_API uint64_t plim_scene_frame_count(const PlimScene *scene);
/* When frame `frame` is, s. */
PLIM_API double plim_scene_frame_time(const PlimScene *scene, uint64_t frame);
/* Memory a world of this scene takes, about, in bytes. */
PLIM_API double plim_scene_memory(const PlimScene *scene);

/* The scene as YAML with overrides applied and defaults filled in; owned by the scene. NULL for a
 * scene with problems. */
PLIM_API const char *plim_scene_text(const PlimScene *scene);

#ifdef __cplusplus
}
#endif
#endif
