/* Bitmap text in pictures: printable ASCII, 5 x 7 dots a letter. */
#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include "math/vec.h"
#include "render/image.h"

enum { TEXT_HEIGHT = 7, TEXT_STEP = 6 }; /* dots */

/* Pixels a dot: whole ones, more in taller pictures, keep letters sharp. */
int text_dot(const Image *image);

/* Pixels that a line takes. */
int text_width(const char *text, int dot);

/* A rectangle in one colour; parts outside the picture are left out. */
void text_fill_box(Image *image, int left, int top, int width, int height, Vec3 color);

/* What is no printable ASCII is a gap. */
void text_draw(Image *image, const char *text, int left, int top, Vec3 color);

/* Pixels along the upper edge that a caption takes; 0 in a picture too small for one. */
int caption_height(const Image *image);

/* White on a dark strip in the upper left corner. Nothing in a picture too small. */
void caption_draw(Image *image, const char *text);

#endif
