/* Half-spaces in pictures: the ground, or plates. */
#ifndef APP_RENDER_GROUND_H
#define APP_RENDER_GROUND_H

#include "render/studio.h"

/* A mesh without half-spaces, and what is drawn of those. */
typedef struct Ground {
    size_t objects, vertices; /* of the mesh */
    unsigned char *hidden;    /* per object: half-spaces; NULL where there are none */
    unsigned char *no_plate;  /* per object: all that is not a plate seen from its front */
    float *checks;            /* 2 per vertex: squares on plates; no number elsewhere */
    size_t plates;
    bool is_level; /* one faces straight up, and is the ground */
    double height; /* m, of the highest of these */
    const float *color;
} Ground;

PlimStatus ground_create(PlimContext *context, const FrameMesh *mesh, Vec3 eye,
                         const RenderOptions *options, Ground *out);
void ground_free(PlimContext *context, Ground *ground);

#endif
