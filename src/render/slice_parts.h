/* What the parts of a slice's picture share. Places are in cells from the cut's lower left corner,
 * or in pixels from the picture's upper left one. */
#ifndef RENDER_SLICE_PARTS_H
#define RENDER_SLICE_PARTS_H

#include "grid/interpolate.h"
#include "render/color.h"
#include "render/slice.h"

typedef struct Slice {
    const FrameVolume *volume;
    const SliceOptions *options;
    size_t first;        /* cell of the cut */
    GridField u, v;      /* velocity within the cut, in cells a second */
    GridField values;    /* of the quantity */
    GridField level;     /* cells from a liquid's surface, negative in it; no data without one */
    float *shapes;       /* of each cell: share of obstacle, blurred */
    float *noise;        /* one number a pixel; NULL without threads */
    float *lines;        /* share of each pixel that lines cover; NULL without lines */
    float *bodies;       /* share of each pixel that bodies cover, 1 and more; NULL without any */
    float *edges;        /* the same of their edges, at most 1 */
    const float **tints; /* sRGB of the body in each pixel; NULL where there is none */
    double left, top;    /* pixels, where the cut begins */
    double cell_pixels;  /* pixels a cell */
    ColorTable table;
    Image *image;
} Slice;

static inline size_t slice_first_cell(const FrameVolume *volume) {
    return (size_t)(volume->n[2] / 2) * (size_t)volume->n[0] * (size_t)volume->n[1];
}

/* Where a point of the world is in pixels. */
static inline void slice_to_pixels(const Slice *slice, Vec3 x, double out[2]) {
    const FrameVolume *volume = slice->volume;
    double scale = slice->cell_pixels / volume->spacing;
    out[0] = slice->left + (x.x - volume->origin[0]) * scale;
    out[1] = slice->top + volume->n[1] * slice->cell_pixels - (x.y - volume->origin[1]) * scale;
}

/* z of the cut. */
static inline double slice_plane(const FrameVolume *volume) {
    return volume->dim == 3 ? volume->origin[2] + (volume->n[2] / 2 + 0.5) * volume->spacing : 0;
}

/* In the fluid, not in an obstacle, not in the air above a liquid and not outside. */
static inline bool slice_in_fluid(const Slice *slice, double x, double y) {
    const FrameVolume *volume = slice->volume;
    const int *n = volume->n;
    if (!(x >= 0 && y >= 0 && x < n[0] && y < n[1])) return false;
    size_t cell = slice->first + (size_t)y * (size_t)n[0] + (size_t)x;
    /* Half a cell more: the surface runs through cells whose middle is in the air. */
    if (volume->level && (double)volume->level[cell] > 0.5 * volume->spacing) return false;
    return !volume->solid[cell];
}

/* The quantity at the cells of the cut, n[0] x n[1] values. Obstacles near the fluid go on with the
 * fluid's values, so that nothing bleeds out of them between cells. */
PlimStatus slice_values(PlimContext *context, const FrameVolume *volume, SliceShow show,
                        double *values);

/* Fills slice->bodies, slice->edges and slice->tints. */
PlimStatus slice_draw_bodies(PlimContext *context, Slice *slice, const FrameView *view);
/* Whether any lies within a part of a cell of the point. */
bool slice_body_is_near(const Slice *slice, double x, double y);

/* Fills slice->shapes: of the obstacles that bodies do not cover. */
PlimStatus slice_smooth_obstacles(PlimContext *context, Slice *slice);
/* Pixels from a point to the nearest edge of an obstacle, above 0 inside; only near edges exact. */
double slice_obstacle_depth(const Slice *slice, double x, double y);

/* Draws evenly spaced streamlines (Jobard and Lefer 1997) into slice->lines, one after the other:
 * each starts at a fixed distance beside an older one and ends where it comes too close to any. */
PlimStatus slice_draw_lines(PlimContext *context, Slice *slice);

/* Fills slice->level. */
PlimStatus slice_load_level(PlimContext *context, Slice *slice);
/* Puts blank air and the line of the surface over a colour of the flow. */
Vec3 slice_cover_with_air(const Slice *slice, double x, double y, Vec3 color);
void slice_draw_points(const Slice *slice, const FramePoints *points);

/* The whole of a flat picture. */
void slice_draw_flat(const Slice *slice, const FrameView *view);

#endif
