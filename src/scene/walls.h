/* Walls of domains as bodies meet them. */
#ifndef SCENE_WALLS_H
#define SCENE_WALLS_H

#include "scene/systems.h"
#include "system/still_surface.h"

/* Before the tables are read: nothing is given. */
void scene_begin_walls(SceneSystem *system);
void scene_check_walls(PlimScene *scene, SceneSystem *system);
StillMaterial scene_wall_material(SceneSystem *system, int axis, int end);

#endif
