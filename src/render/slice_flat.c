/* Flat pictures of a slice: what is in the middle of each pixel, in one colour. */
#include "render/raytrace.h"
#include "render/slice_parts.h"

static void store_color(unsigned char rgb[3], const float color[3]) {
    color_store(rgb, vec3((double)color[0], (double)color[1], (double)color[2]));
}

/* Whether what moves in the grid can be seen there: its liquid, its smoke, or all of it. */
static bool shows_fluid(const Slice *slice, double x, double y) {
    const FrameVolume *volume = slice->volume;
    if (slice->level.data) return field_sample_cubic(&slice->level, vec3(x, y, 0)) <= 0;
    size_t cell = slice->first + (size_t)y * (size_t)volume->n[0] + (size_t)x;
    return !volume->smoke || volume->smoke[cell] > RENDER_SMOKE_VISIBLE;
}

/* NULL: air, or nothing that the picture tells of. */
static const float *color_at_pixel(const Slice *slice, int column, int row) {
    const int *n = slice->volume->n;
    const SliceFlat *flat = slice->options->flat;
    size_t pixel = (size_t)row * (size_t)slice->image->width + (size_t)column;
    if (slice->bodies && slice->bodies[pixel] >= 0.5f) return slice->tints[pixel];
    double x = (column + 0.5 - slice->left) / slice->cell_pixels;
    double y = n[1] - (row + 0.5 - slice->top) / slice->cell_pixels;
    if (!(x >= 0 && y >= 0 && x < n[0] && y < n[1])) return NULL;
    if (slice_obstacle_depth(slice, x, y) > 0) return flat->obstacle;
    return shows_fluid(slice, x, y) ? flat->fluid : NULL;
}

static void draw_disc(const Slice *slice, const double at[2], double radius, const float color[3]) {
    Image *image = slice->image;
    if (!(at[0] > -radius && at[1] > -radius && at[0] < image->width + radius &&
          at[1] < image->height + radius))
        return;
    int left = (int)fmax(at[0] - radius, 0), right = (int)fmin(at[0] + radius, image->width - 1);
    int top = (int)fmax(at[1] - radius, 0), bottom = (int)fmin(at[1] + radius, image->height - 1);
    for (int j = top; j <= bottom; j++)
        for (int i = left; i <= right; i++)
            if (hypot(i + 0.5 - at[0], j + 0.5 - at[1]) <= radius)
                store_color(image->rgb + 3 * ((size_t)j * (size_t)image->width + (size_t)i), color);
}

static void draw_points(const Slice *slice, const FramePoints *points, const float color[3]) {
    const FrameVolume *volume = slice->volume;
    double plane = slice_plane(volume), scale = slice->cell_pixels / volume->spacing;
    for (size_t i = 0; i < points->count; i++) {
        const float *p = points->positions + 3 * i;
        double off = volume->dim == 3 ? (double)p[2] - plane : 0, at[2];
        double square = pow((double)points->radii[i], 2) - off * off;
        slice_to_pixels(slice, vec3((double)p[0], (double)p[1], (double)p[2]), at);
        if (square > 0) draw_disc(slice, at, fmin(scale * sqrt(square), 1e3), color);
    }
}

void slice_draw_flat(const Slice *slice, const FrameView *view) {
    static const float black[3];
    const Image *image = slice->image;
    for (int row = 0; row < image->height; row++)
        for (int column = 0; column < image->width; column++) {
            const float *color = color_at_pixel(slice, column, row);
            store_color(image->rgb + 3 * ((size_t)row * (size_t)image->width + (size_t)column),
                        color ? color : black);
        }
    for (size_t i = 0; view && i < view->points_count; i++)
        draw_points(slice, &view->points[i], slice->options->flat->points[i]);
}
