/* Line integral convolution and colours of a slice. */
#include "base/parallel.h"
#include "base/random.h"
#include "render/legend.h"
#include "render/slice_parts.h"

static const Vec3 paper = {0.97, 0.97, 0.97};
static const Vec3 frame = {0.72, 0.72, 0.73}; /* one pixel wide, around the cut */
static const Vec3 obstacle_color = {0.62, 0.62, 0.62};
static const Vec3 obstacle_edge = {0.30, 0.30, 0.31};

static ColorScale scale_of(SliceShow show) {
    static const ColorScale scales[SLICE_SHOW_COUNT] = {
        COLOR_SPEED, COLOR_DIVERGING, COLOR_INK, COLOR_PRESSURE, COLOR_HEAT, COLOR_SPEED};
    return scales[show];
}

/* ---- threads ---- */

static float noise_at(const Slice *slice, double x, double y) {
    double column = slice->left + x * slice->cell_pixels;
    double row = slice->top + (slice->volume->n[1] - y) * slice->cell_pixels;
    int i = (int)fmin(fmax(column, 0), slice->image->width - 1);
    int j = (int)fmin(fmax(row, 0), slice->image->height - 1);
    return slice->noise[(size_t)j * (size_t)slice->image->width + (size_t)i];
}

/* Mean of the noise along the streamline through a point, both ways, with less weight far off. */
static double smear(const Slice *slice, double x, double y) {
    enum { STEPS = 24 };
    double sum = (double)noise_at(slice, x, y), weights = 1;
    double pixel = 1.0 / slice->cell_pixels;
    for (int way = -1; way <= 1; way += 2) {
        double px = x, py = y;
        for (int step = 1; step <= STEPS; step++) {
            Vec3 p = vec3(px, py, 0);
            double u = field_sample_linear(&slice->u, p), v = field_sample_linear(&slice->v, p);
            double speed = hypot(u, v);
            if (!(speed > 0)) break;
            px += way * pixel * u / speed;
            py += way * pixel * v / speed;
            if (!slice_in_fluid(slice, px, py)) break;
            double weight = 1.0 - step / (STEPS + 1.0);
            sum += weight * (double)noise_at(slice, px, py);
            weights += weight;
        }
    }
    return sum / weights;
}

/* ---- obstacles ---- */

static double clamp_share(double share) {
    return fmin(fmax(share, 0), 1);
}

static Vec3 cover_with_obstacle(const Slice *slice, double x, double y, Vec3 color) {
    double depth = slice_obstacle_depth(slice, x, y);
    if (depth <= -0.5) return color;
    double rim = clamp_share(2.0 - depth);
    Vec3 grey = color_mix(obstacle_color, obstacle_edge, rim);
    return color_mix(color, grey, clamp_share(depth + 0.5));
}

/* The edge is darker than the body; beside a body that has none of the pixel, as obstacles' is. */
static Vec3 cover_with_bodies(const Slice *slice, size_t pixel, Vec3 color) {
    if (!slice->bodies) return color;
    const float *tint = slice->tints[pixel];
    Vec3 body = obstacle_color, edge = obstacle_edge;
    if (tint) {
        body = vec3((double)tint[0], (double)tint[1], (double)tint[2]);
        edge = vec3_scale(0.5, body);
    }
    color = color_mix(color, body, clamp_share((double)slice->bodies[pixel]));
    return color_mix(color, edge, (double)slice->edges[pixel]);
}

/* ---- the picture ---- */

static Vec3 flow_color(const Slice *slice, double x, double y, size_t pixel) {
    static const Vec3 liquid = {0.42, 0.66, 0.86};
    const SliceRange *range = &slice->options->range;
    double value = field_sample_cubic(&slice->values, vec3(x, y, 0));
    Vec3 color = liquid;
    if (slice->options->show != SLICE_LIQUID)
        color = color_at(&slice->table, (value - range->low) / (range->high - range->low));
    if (slice->noise) {
        /* The mean of so many numbers lies close to one half: stretch it. */
        double light = fmin(fmax(1.0 + 2.4 * (smear(slice, x, y) - 0.5), 0.5), 1.5);
        color = vec3_scale(light, color);
    }
    if (slice->lines) {
        static const Vec3 dark = {0.10, 0.11, 0.14}, white = {1, 1, 1}, orange = {0.88, 0.44, 0.10};
        SliceShow show = slice->options->show;
        Vec3 ink = show == SLICE_VORTICITY ? dark : show == SLICE_SMOKE ? orange : white;
        double share = show == SLICE_SMOKE ? 0.75 : 0.5;
        color = color_mix(color, ink, share * (double)slice->lines[pixel]);
    }
    return color;
}

static void draw_rows(void *user, size_t begin, size_t end) {
    const Slice *slice = user;
    const int *n = slice->volume->n;
    size_t width = (size_t)slice->image->width;
    double pixel_cells = 1.0 / slice->cell_pixels;
    for (size_t row = begin; row < end; row++)
        for (size_t column = 0; column < width; column++) {
            double x = ((double)column + 0.5 - slice->left) / slice->cell_pixels;
            double y = n[1] - ((double)row + 0.5 - slice->top) / slice->cell_pixels;
            size_t pixel = row * width + column;
            bool near = x > -pixel_cells && y > -pixel_cells && x < n[0] + pixel_cells &&
                        y < n[1] + pixel_cells;
            Vec3 color = near ? frame : paper;
            if (x >= 0 && y >= 0 && x < n[0] && y < n[1]) {
                color = slice_cover_with_air(slice, x, y, flow_color(slice, x, y, pixel));
                color = cover_with_obstacle(slice, x, y, color);
                color = cover_with_bodies(slice, pixel, color);
            }
            color_store(slice->image->rgb + 3 * pixel, color);
        }
}

static PlimStatus fill_fields(PlimContext *context, Slice *slice) {
    const FrameVolume *volume = slice->volume;
    Grid plane = {.dim = 2, .n = {volume->n[0], volume->n[1], 1}, .spacing = 1.0};
    TRY(field_create(context, &plane, PLACE_CELLS, 1, &slice->u));
    TRY(field_create(context, &plane, PLACE_CELLS, 1, &slice->v));
    TRY(field_create(context, &plane, PLACE_CELLS, 2, &slice->values));
    const float *velocity = volume->velocity + 3 * slice->first;
    for (int j = 0; j < volume->n[1]; j++)
        for (int i = 0; i < volume->n[0]; i++, velocity += 3) {
            size_t at = field_index(&slice->u, i, j, 0);
            slice->u.data[at] = (double)velocity[0] / volume->spacing;
            slice->v.data[at] = (double)velocity[1] / volume->spacing;
        }
    field_fill_halo(&slice->u, 1);
    field_fill_halo(&slice->v, 1);
    size_t cells = (size_t)volume->n[0] * (size_t)volume->n[1];
    double *values = context_allocate(context, cells, sizeof *values);
    if (!values) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = slice_values(context, volume, slice->options->show, values);
    if (status == PLIM_OK) {
        field_load(&slice->values, 1, values);
        field_fill_halo(&slice->values, 1);
    }
    context_free(context, values, cells, sizeof *values);
    return status;
}

static PlimStatus fill_slice(PlimContext *context, const FrameView *view, Slice *slice) {
    TRY(fill_fields(context, slice));
    TRY(slice_load_level(context, slice));
    if (view) TRY(slice_draw_bodies(context, slice, view));
    TRY(slice_smooth_obstacles(context, slice));
    color_table_fill(&slice->table, scale_of(slice->options->show));
    size_t pixels = (size_t)slice->image->width * (size_t)slice->image->height;
    if (slice->options->flat) return PLIM_OK;
    if (slice->options->show == SLICE_SPEED) {
        slice->noise = context_allocate(context, pixels, sizeof *slice->noise);
        if (!slice->noise) return PLIM_OUT_OF_MEMORY;
        for (size_t i = 0; i < pixels; i++) slice->noise[i] = (float)random_uniform(1, 0, i);
    } else if (slice->options->lines) {
        slice->lines = context_allocate(context, pixels, sizeof *slice->lines);
        if (!slice->lines) return PLIM_OUT_OF_MEMORY;
        return slice_draw_lines(context, slice);
    }
    return PLIM_OK;
}

/* One blue needs no explanation. */
static bool has_legend(const SliceOptions *options) {
    return options->legend && !options->flat && options->show != SLICE_LIQUID;
}

static void draw_legend(const Slice *slice) {
    Legend legend = {.table = &slice->table,
                     .low = slice->options->range.low,
                     .high = slice->options->range.high,
                     .title = "",
                     .unit = slice_show_unit(slice->options->show)};
    legend_draw(slice->image, &legend);
}

/* As large as fits in the middle of what the legend leaves. */
static void place_cut(Slice *slice) {
    enum { MARGIN = 8 };
    const int *n = slice->volume->n;
    int height = slice->image->height - slice->options->top;
    if (has_legend(slice->options)) height -= legend_height(slice->image);
    double across = fmax(slice->image->width - 2 * MARGIN, 1) / n[0];
    double down = fmax(height - 2 * MARGIN, 1) / n[1];
    slice->cell_pixels = fmin(across, down);
    slice->left = 0.5 * (slice->image->width - n[0] * slice->cell_pixels);
    slice->top = slice->options->top + 0.5 * (height - n[1] * slice->cell_pixels);
}

PlimStatus slice_draw(PlimContext *context, const FrameVolume *volume, const FrameView *view,
                      const SliceOptions *options, Image *image) {
    if (!slice_can_show(volume, options->show))
        return context_fail(context, PLIM_BAD_INPUT, "the frame has no %s to show",
                            slice_show_name(options->show));
    Slice slice = {
        .volume = volume, .options = options, .first = slice_first_cell(volume), .image = image};
    place_cut(&slice);
    PlimStatus status = fill_slice(context, view, &slice);
    if (status == PLIM_OK && options->flat) {
        slice_draw_flat(&slice, view);
    } else if (status == PLIM_OK) {
        parallel_for(context->threads, (size_t)image->height, 8, draw_rows, &slice);
        for (size_t i = 0; view && i < view->points_count; i++)
            slice_draw_points(&slice, &view->points[i]);
        if (has_legend(options)) draw_legend(&slice);
    }
    size_t pixels = (size_t)image->width * (size_t)image->height;
    field_free(context, &slice.u);
    field_free(context, &slice.v);
    field_free(context, &slice.values);
    field_free(context, &slice.level);
    context_free(context, slice.shapes, (size_t)volume->n[0] * (size_t)volume->n[1],
                 sizeof *slice.shapes);
    context_free(context, slice.noise, pixels, sizeof *slice.noise);
    context_free(context, slice.lines, pixels, sizeof *slice.lines);
    context_free(context, slice.bodies, pixels, sizeof *slice.bodies);
    context_free(context, slice.edges, pixels, sizeof *slice.edges);
    context_free(context, slice.tints, pixels, sizeof *slice.tints);
    return status;
}
