/* The obstacles of a fluid in space as a mesh for the ray tracer. */
#ifndef RENDER_OBSTACLES_H
#define RENDER_OBSTACLES_H

#include "render/raytrace.h"
#include "system/frame_view.h"

/* A smooth surface about the solid cells, without those that the bodies' (closed) meshes show
 * already. Has no triangles when nothing is left. Free with obstacle_mesh_free. */
PlimStatus obstacle_mesh_create(PlimContext *context, const FrameVolume *volume,
                                const FrameMesh *bodies, size_t body_count, RenderMesh *out);
void obstacle_mesh_free(PlimContext *context, RenderMesh *mesh);

#endif
