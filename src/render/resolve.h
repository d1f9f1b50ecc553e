/* Denoising, from light to picture. What the lights' rays found is noisy; it is averaged over the
 * neighbours on the same surface, apart from colours and edges, which stay sharp. */
#ifndef RENDER_RESOLVE_H
#define RENDER_RESOLVE_H

#include "render/image.h"
#include "render/shade.h"

/* Neighbouring pixels send their rays to 4 x 4 different sets of places on sun and sky; a window of
 * that size holds each set once. */
enum { INTERLEAVE = 4 };

/* Sums over a pixel's samples. */
typedef struct Pixel {
    float steady[3], ambient[3], sun[3]; /* linear light */
    float lit, lit_full;                 /* luminance of `sun`: what got through, and all of it */
    float open, open_full;               /* the same of `ambient` */
    float point[3], normal[3];           /* of the first sample */
    float footprint;                     /* m across the pixel there; 0 for the background */
    bool whole;                          /* all samples are on one smooth surface */
} Pixel;

/* Adds a sample, `first` the one that the pixel is placed by; `surface` NULL is the background. The
 * shares are what reaches it of each light. */
void pixel_add(Pixel *pixel, const Surface *surface, const Light *light, double lit_share,
               double open_share, double footprint, bool first);

typedef struct ResolveJob {
    const Pixel *pixels;
    int samples; /* that each pixel holds */
    Image *image;
    const unsigned char *tone; /* TONE_SIZE: 8-bit sRGB of linear light in steps to TONE_MAX */
} ResolveJob;

enum { TONE_SIZE = 16384, TONE_MAX = 2 };

void resolve_tone_table(unsigned char tone[TONE_SIZE]);
/* Draws rows [begin, end) of the picture; `job` is a ResolveJob. */
void resolve_rows(void *job, size_t begin, size_t end);

#endif
