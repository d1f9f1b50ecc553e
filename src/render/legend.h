/* The legend of a picture: what is shown, a colour bar and the range in bitmap text. */
#ifndef RENDER_LEGEND_H
#define RENDER_LEGEND_H

#include "render/color.h"
#include "render/image.h"

typedef struct Legend {
    const ColorTable *table;
    double low, high;  /* values of the first and the last colour */
    const char *title; /* left of the bar; "": none */
    const char *unit;
    bool plate; /* a pale strip behind it, where it lies on the picture */
} Legend;

/* Pixels that a legend takes at the lower edge; 0 in a picture too small for one. */
int legend_height(const Image *image);
/* Along the lower edge. Nothing in a picture too small. */
void legend_draw(Image *image, const Legend *legend);

#endif
