/* Meshes with objects of glass: what is opaque of them, and what is clear, by kinds of glass. */
#ifndef APP_RENDER_GLASS_PARTS_H
#define APP_RENDER_GLASS_PARTS_H

#include "system/frame_view.h"

enum { GLASS_KINDS = 4 }; /* of a mesh; others look like the last of these */

typedef struct GlassParts {
    size_t objects;        /* of the mesh */
    unsigned char *hidden; /* per object, of the opaque part and of each kind; NULL: no glass */
    int kinds;
    const float *looks[GLASS_KINDS]; /* index, absorption */
} GlassParts;

/* `hidden` per object: what is not drawn at all; NULL: none. */
PlimStatus glass_parts_create(PlimContext *context, const FrameMesh *mesh,
                              const unsigned char *hidden, GlassParts *out);
void glass_parts_free(PlimContext *context, GlassParts *parts);

/* What to hide where the opaque part (-1) or a kind is drawn. */
const unsigned char *glass_parts_hidden(const GlassParts *parts, int kind);

#endif
