/* Frame files, frame_NNNNN.h5 and shapes.h5: what to look at. What never changes in a run
 * (triangles of bodies, colours) is in shapes.h5; frames link to it, so each reads as if it were
 * whole. */
#ifndef IO_FRAME_FILE_H
#define IO_FRAME_FILE_H

#include "io/h5.h"
#include "system/frame_view.h"

#define SHAPES_FILE "shapes.h5"

/* Encoded files; free with context_free(context, *bytes, *size, 1). */
PlimStatus frame_file_encode(PlimContext *context, const FrameView *view, uint64_t frame,
                             double time, char **bytes, size_t *size);
PlimStatus shapes_file_encode(PlimContext *context, const FrameView *view, char **bytes,
                              size_t *size);

/* A frame read back. Every array is in the context's memory. */
typedef struct FrameData {
    uint64_t frame;
    double time;
    FrameView view;
} FrameData;

/* `frame_bytes` and `shapes_bytes` are whole files; `label` names the frame in messages. */
PlimStatus frame_file_decode(PlimContext *context, const char *label, char *frame_bytes,
                             size_t frame_size, char *shapes_bytes, size_t shapes_size,
                             FrameData *out);
void frame_data_free(PlimContext *context, FrameData *data);

/* How much a group holds that has another size in every frame. */
typedef struct FrameSizes {
    size_t vertices, triangles; /* of a mesh */
    size_t points;
} FrameSizes;

/* Reads the sizes of the group `name` from the frame file `path`, without its arrays. */
PlimStatus frame_file_sizes(PlimContext *context, const char *path, const char *name,
                            FrameSizes *out);

#endif
