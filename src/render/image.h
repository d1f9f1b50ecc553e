/* An 8-bit picture, its PNG file, and several pictures in one. */
#ifndef RENDER_IMAGE_H
#define RENDER_IMAGE_H

#include "base/context.h"

typedef struct Image {
    int width, height;
    unsigned char *rgb; /* width * height * 3, rows from the top */
} Image;

PlimStatus image_create(PlimContext *context, int width, int height, Image *out);
void image_destroy(PlimContext *context, Image *image);

/* Written under a temporary name and renamed. */
PlimStatus image_write_png(PlimContext *context, const Image *image, const char *path);
PlimStatus image_read_png(PlimContext *context, const char *path, Image *out);

/* `count` equal-sized pictures in a grid with a thin margin, shrunk (area average) so that the
 * sheet is at most `max_width` wide. */
PlimStatus image_contact_sheet(PlimContext *context, const Image *images, int count, int columns,
                               int max_width, Image *out);

#endif
