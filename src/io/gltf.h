/* glTF 2.0, a run as one .glb file: rigid bodies as nodes with keyframes, deformable ones as morph
 * targets. */
#ifndef IO_GLTF_H
#define IO_GLTF_H

#include "io/frame_file.h"

typedef struct Gltf Gltf;

PlimStatus gltf_create(PlimContext *context, Gltf **out);
void gltf_destroy(Gltf *gltf);

/* Frames in order of time, all of one run; the first one sets the clock to 0 and decides what there
 * is. Meshes of liquids are taken from a first frame that stays the only one; `*left_out` counts
 * what no frame of the file can hold: liquids that change, drops. Unbounded ground is never in. */
PlimStatus gltf_add_frame(Gltf *gltf, const FrameData *frame, bool is_only, size_t *left_out);

/* PLIM_BAD_INPUT when there is no object in it. */
PlimStatus gltf_write(Gltf *gltf, const char *path);

#endif
