/* A picture of a cut through a fluid: colours for one quantity, threads or lines along the flow,
 * the surface of a liquid with blank air above, drops, grey obstacles and bodies, a legend. */
#ifndef RENDER_SLICE_H
#define RENDER_SLICE_H

#include "render/image.h"
#include "system/frame_view.h"

/* All of the plane z = const through the middle. */
typedef enum SliceShow {
    SLICE_SPEED,     /* m/s, within the plane, with threads along the flow */
    SLICE_VORTICITY, /* 1/s, dv/dx - du/dy: turning counterclockwise is above 0 */
    SLICE_SMOKE,
    SLICE_PRESSURE, /* Pa */
    SLICE_TEMPERATURE,
    SLICE_LIQUID, /* where it is: one blue */
    SLICE_SHOW_COUNT
} SliceShow;

/* "speed", "vorticity", "smoke", "pressure", "temperature", "liquid". */
const char *slice_show_name(SliceShow show);

/* "m/s"; "" where there is none. */
const char *slice_show_unit(SliceShow show);

/* False when the frames hold no such quantity. */
bool slice_can_show(const FrameVolume *volume, SliceShow show);

/* Values that have the first and the last colour of the scale. */
typedef struct SliceRange {
    double low, high;
} SliceRange;

/* The range of one frame: speed and smoke from 0, vorticity symmetric about 0. Of what the flow
 * does, the one cell in 200 that is extreme, as at the corners of obstacles, is left out. */
PlimStatus slice_measure(PlimContext *context, const FrameVolume *volume, SliceShow show,
                         SliceRange *out);

/* One range for a film: of vorticity and pressure that of nine frames in ten, so that a wild start
 * does not make the rest pale; else that of all. Sorts the ranges; low < high in any case. */
SliceRange slice_range_of_run(SliceShow show, SliceRange *frames, size_t count);

/* Colours of a flat picture, sRGB 0..1; bodies have those of their meshes. */
typedef struct SliceFlat {
    float fluid[3], obstacle[3]; /* fluid: the liquid, or smoke that can be seen, or all of it */
    float points[FRAME_VIEW_CAPACITY][3]; /* of each set */
} SliceFlat;

typedef struct SliceOptions {
    SliceShow show;
    SliceRange range;
    bool lines;  /* thin streamlines, evenly spaced; speed has its threads instead */
    bool legend; /* the scale and its range below the cut, if the picture is large enough */
    int top;     /* pixels along the upper edge that stay free, for a caption */
    /* NULL: none. Else nothing but where things are: each pixel has the colour, exact to the byte,
     * of what is in its middle, black where that is nothing. */
    const SliceFlat *flat;
} SliceOptions;

/* Fills the image with the cut, as large as fits. `view` is what else the frame holds (NULL:
 * nothing): bodies are cut where their meshes are; of points, those within a cell of the cut are
 * dots; in two dimensions all are; those in a liquid only when that is shown. The threads are noise
 * smeared along streamlines (line integral convolution; Cabral and Leedom 1993). Same bits for any
 * thread count. */
PlimStatus slice_draw(PlimContext *context, const FrameVolume *volume, const FrameView *view,
                      const SliceOptions *options, Image *image);

#endif
