/* Shared by the files that read a splashing liquid. */
#ifndef SCENE_SPLASH_PARTS_H
#define SCENE_SPLASH_PARTS_H

#include "scene/scene.h"
#include "splash/splash.h"

/* Problems are found when the scene is checked; later they cannot turn up. */
SceneSplashLiquid scene_read_splash_liquid(PlimScene *scene, SceneNode *node);
SceneSplashSource scene_read_splash_source(PlimScene *scene, SceneNode *node);
ScenePlaced scene_read_splash_sink(PlimScene *scene, SceneNode *node);
SceneBlast scene_read_splash_blast(PlimScene *scene, SceneNode *node);

/* Everything but lists and bodies. */
SplashDesc scene_describe_splash_options(const PlimScene *scene, const SceneSystem *system);

/* Everything but bodies; solids and lists live in `memory`. */
PlimStatus scene_describe_splash(PlimScene *scene, const SceneSystem *system, Scratch *memory,
                                 SplashDesc *desc);

void scene_check_splash(PlimScene *scene, const SceneSystem *system);

/* Bodies as they stand at t = 0 leave room for what the scene puts between them; problems if not.
 */
PlimStatus scene_check_splash_bodies(PlimScene *scene, const SceneSystem *system,
                                     const SplashDesc *desc);

#endif
