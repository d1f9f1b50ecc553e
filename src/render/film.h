/* Films and plots through the programs `ffmpeg` and `gnuplot`, started directly, without a shell.
 */
#ifndef RENDER_FILM_H
#define RENDER_FILM_H

#include "base/context.h"

/* Joins PNG files of a printf pattern (one %d, as "frame_%05d.png") from `first` on into an MP4
 * that plays anywhere (H.264, yuv420p: pictures must have even sizes). `folder` holds the pictures
 * and `film_name`. */
PlimStatus film_encode(PlimContext *context, const char *folder, const char *pattern, int first,
                       double fps, const char *film_name);

typedef struct PlotCurve {
    const char *title;
    const double *x, *y;
    size_t count;
} PlotCurve;

/* Draws curves over a common x axis to a PNG. Values that are not finite are gaps. */
PlimStatus plot_write(PlimContext *context, const char *path, const char *title,
                      const char *x_label, const char *y_label, const PlotCurve *curves,
                      size_t curve_count);

#endif
