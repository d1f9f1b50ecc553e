/* A frame as one block of bytes for the viewer's page: a JSON header that names groups and arrays,
 * then the arrays as they lie in memory. */
#ifndef IO_FRAME_PACK_H
#define IO_FRAME_PACK_H

#include "base/text.h"
#include "io/frame_file.h"

/* "PLIMPACK", the length of the header (u32), zero (u32), the header, padded with blanks to a
 * multiple of 8 bytes; then the arrays, each from a multiple of 8 bytes on. Little endian. */
#define FRAME_PACK_MAGIC "PLIMPACK"

typedef struct FramePackRequest {
    bool shapes;      /* also arrays that are the same in every frame */
    const char *only; /* "GROUP/ARRAY,GROUP/ARRAY,...": no others; NULL: all */
} FramePackRequest;

/* Every array is named in the header; those that were not asked for have no `offset` there.
 * Free with context_free(context, *bytes, *size, 1). */
PlimStatus frame_pack(PlimContext *context, const FrameData *frame, const FramePackRequest *request,
                      char **bytes, size_t *size);

/* Adds a string to JSON text, in quotes. */
void frame_pack_text(Text *to, const char *text);

#endif
