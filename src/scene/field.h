/* Fields of a scene as functions that systems call. */
#ifndef SCENE_FIELD_H
#define SCENE_FIELD_H

#include "grid/field_function.h"
#include "scene/table.h"

/* The function lives as long as the scene that the field was read from. */
FieldFunction scene_field_function(const SceneField *field);

#endif
