/* Prisms: polygons in the xy plane drawn out along z. */
#ifndef SCENE_PRISM_H
#define SCENE_PRISM_H

#include "geom/mesh/mesh.h"
#include "scene/format.h"
#include "scene/reader.h"

/* Reports what is wrong with the polygon. Returns how many vertices the prism has. */
double prism_check(SceneReader *reader, const ScenePrism *prism);

/* Closed triangles for the copy that is being read. PLIM_BAD_INPUT with a message where the polygon
 * has fewer than three corners, crosses or touches itself, or has no area. */
PlimStatus prism_mesh(SceneReader *reader, const ScenePrism *prism, TriangleMesh *out);

#endif
