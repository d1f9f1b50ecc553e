/* A liquid in a slice: its surface, the air above it, drops. */
#include "render/slice_parts.h"

static const Vec3 air = {0.985, 0.987, 0.99};
static const Vec3 surface_line = {0.05, 0.20, 0.38};
static const Vec3 drop_color = {0.13, 0.42, 0.70};

static double clamp_share(double share) {
    return fmin(fmax(share, 0), 1);
}

PlimStatus slice_load_level(PlimContext *context, Slice *slice) {
    const FrameVolume *volume = slice->volume;
    if (!volume->level) return PLIM_OK;
    Grid plane = {.dim = 2, .n = {volume->n[0], volume->n[1], 1}, .spacing = 1.0};
    TRY(field_create(context, &plane, PLACE_CELLS, 2, &slice->level));
    const float *level = volume->level + slice->first;
    for (int j = 0; j < volume->n[1]; j++)
        for (int i = 0; i < volume->n[0]; i++, level++) {
            double distance = (double)*level / volume->spacing;
            slice->level.data[field_index(&slice->level, i, j, 0)] =
                isfinite(distance) ? distance : 1.0;
        }
    field_fill_halo(&slice->level, 1);
    return PLIM_OK;
}

/* The line is as thick in a picture of any height. Where the level is no longer a distance it would
 * be thick or thin: its slope makes up for that. */
Vec3 slice_cover_with_air(const Slice *slice, double x, double y, Vec3 color) {
    if (!slice->level.data) return color;
    const double step = 0.25; /* cells */
    double level = field_sample_cubic(&slice->level, vec3(x, y, 0));
    if (fabs(level) > 4.0) return level > 0 ? air : color;
    double dx = field_sample_cubic(&slice->level, vec3(x + step, y, 0)) -
                field_sample_cubic(&slice->level, vec3(x - step, y, 0));
    double dy = field_sample_cubic(&slice->level, vec3(x, y + step, 0)) -
                field_sample_cubic(&slice->level, vec3(x, y - step, 0));
    double slope = fmin(fmax(hypot(dx, dy) / (2.0 * step), 0.3), 3.0);
    double off = level / slope * slice->cell_pixels; /* pixels */
    double half = 0.9 * fmax(slice->image->height / 540.0, 1);
    color = color_mix(color, air, clamp_share(off + 0.5));
    return color_mix(color, surface_line, clamp_share(half + 0.5 - fabs(off)));
}

static void draw_dot(const Slice *slice, double x, double y, double radius) {
    Image *image = slice->image;
    double reach = radius + 0.5;
    if (!(x > -reach && y > -reach && x < image->width + reach && y < image->height + reach))
        return;
    int left = (int)fmax(x - reach, 0), right = (int)fmin(x + reach, image->width - 1);
    int top = (int)fmax(y - reach, 0), bottom = (int)fmin(y + reach, image->height - 1);
    for (int j = top; j <= bottom; j++)
        for (int i = left; i <= right; i++) {
            double cover = clamp_share(reach - hypot(i + 0.5 - x, j + 0.5 - y));
            unsigned char *rgb = image->rgb + 3 * ((size_t)j * (size_t)image->width + (size_t)i);
            Vec3 there = vec3(rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
            color_store(rgb, color_mix(there, drop_color, cover));
        }
}

static bool is_in_liquid(const Slice *slice, double x, double y) {
    const int *n = slice->volume->n;
    return slice->level.data && x >= 0 && y >= 0 && x <= n[0] && y <= n[1] &&
           field_sample_cubic(&slice->level, vec3(x, y, 0)) < 0;
}

/* Particles in the liquid are smaller, to leave it seen, and left out where its colours tell of
 * something. */
void slice_draw_points(const Slice *slice, const FramePoints *points) {
    const FrameVolume *volume = slice->volume;
    double cut = slice_plane(volume);
    double least = 1.1 * fmax(slice->image->height / 540.0, 1);
    for (size_t i = 0; i < points->count; i++) {
        const float *at = points->positions + 3 * i;
        if (volume->dim == 3 && !(fabs((double)at[2] - cut) < volume->spacing)) continue;
        double x = ((double)at[0] - volume->origin[0]) / volume->spacing;
        double y = ((double)at[1] - volume->origin[1]) / volume->spacing;
        double radius = (double)points->radii[i] / volume->spacing * slice->cell_pixels;
        bool in_liquid = is_in_liquid(slice, x, y);
        if (in_liquid && slice->options->show != SLICE_LIQUID) continue;
        radius = in_liquid ? 0.5 * radius : fmax(radius, least);
        draw_dot(slice, slice->left + x * slice->cell_pixels,
                 slice->top + (volume->n[1] - y) * slice->cell_pixels, fmin(radius, 1e3));
    }
}
