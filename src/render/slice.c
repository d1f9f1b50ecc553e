#include "render/slice.h"

#include "base/parallel.h"
#include "base/random.h"
#include "grid/interpolate.h"

typedef struct Color {
    double r, g, b;
} Color;

typedef struct Slice {
    const FrameVolume *volume;
    size_t first;       /* cell of the cut */
    GridField u, v;     /* velocity within the cut, in cells a second */
    float *noise;       /* one number a pixel */
    double full_speed;  /* m/s */
    double left, top;   /* pixels, where the cut begins */
    double cell_pixels; /* pixels a cell */
    Image *image;
} Slice;

static size_t first_cell(const FrameVolume *volume) {
    return (size_t)(volume->n[2] / 2) * (size_t)volume->n[0] * (size_t)volume->n[1];
}

double slice_greatest_speed(const FrameVolume *volume) {
    double greatest = 0;
    const float *velocity = volume->velocity + 3 * first_cell(volume);
    for (size_t i = 0; i < (size_t)volume->n[0] * (size_t)volume->n[1]; i++)
        greatest = fmax(greatest, hypot((double)velocity[3 * i], (double)velocity[3 * i + 1]));
    return greatest;
}

/* ---- one point; places are in cells from the lower left corner ---- */

/* In the fluid, not in an obstacle and not outside. */
static bool in_fluid(const Slice *slice, double x, double y) {
    const int *n = slice->volume->n;
    if (!(x >= 0 && y >= 0 && x < n[0] && y < n[1])) return false;
    return !slice->volume->solid[slice->first + (size_t)y * (size_t)n[0] + (size_t)x];
}

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
            if (!in_fluid(slice, px, py)) break;
            double weight = 1.0 - step / (STEPS + 1.0);
            sum += weight * (double)noise_at(slice, px, py);
            weights += weight;
        }
    }
    return sum / weights;
}

/* From dark blue at rest through green to yellow. */
static Color speed_color(double t) {
    static const Color scale[] = {{0.12, 0.14, 0.33}, {0.14, 0.33, 0.55}, {0.12, 0.54, 0.58},
                                  {0.30, 0.72, 0.48}, {0.68, 0.84, 0.34}, {0.99, 0.90, 0.30}};
    enum { INTERVALS = sizeof scale / sizeof *scale - 1 };
    double at = fmin(fmax(t, 0), 1) * INTERVALS;
    int i = at < INTERVALS ? (int)at : INTERVALS - 1;
    double f = at - i;
    return (Color){(1 - f) * scale[i].r + f * scale[i + 1].r,
                   (1 - f) * scale[i].g + f * scale[i + 1].g,
                   (1 - f) * scale[i].b + f * scale[i + 1].b};
}

static Color point_color(const Slice *slice, double x, double y) {
    const int *n = slice->volume->n;
    if (!(x >= 0 && y >= 0 && x < n[0] && y < n[1])) return (Color){0.97, 0.97, 0.97};
    if (!in_fluid(slice, x, y)) return (Color){0.62, 0.62, 0.62};
    Vec3 p = vec3(x, y, 0);
    double speed = hypot(field_sample_linear(&slice->u, p), field_sample_linear(&slice->v, p)) *
                   slice->volume->spacing;
    Color color = speed_color(speed / slice->full_speed);
    /* The mean of so many numbers lies close to one half: stretch it. */
    double light = fmin(fmax(1.0 + 2.4 * (smear(slice, x, y) - 0.5), 0.5), 1.5);
    return (Color){color.r * light, color.g * light, color.b * light};
}

/* ---- the picture ---- */

static unsigned char to_byte(double value) {
    return (unsigned char)lround(255 * fmin(fmax(value, 0), 1));
}

static void draw_rows(void *user, size_t begin, size_t end) {
    const Slice *slice = user;
    size_t width = (size_t)slice->image->width;
    for (size_t row = begin; row < end; row++)
        for (size_t column = 0; column < width; column++) {
            double x = ((double)column + 0.5 - slice->left) / slice->cell_pixels;
            double y = slice->volume->n[1] - ((double)row + 0.5 - slice->top) / slice->cell_pixels;
            Color color = point_color(slice, x, y);
            unsigned char *to = slice->image->rgb + 3 * (row * width + column);
            to[0] = to_byte(color.r);
            to[1] = to_byte(color.g);
            to[2] = to_byte(color.b);
        }
}

static PlimStatus fill_slice(PlimContext *context, Slice *slice) {
    const FrameVolume *volume = slice->volume;
    Grid plane = {.dim = 2, .n = {volume->n[0], volume->n[1], 1}, .spacing = 1.0};
    TRY(field_create(context, &plane, PLACE_CELLS, 1, &slice->u));
    TRY(field_create(context, &plane, PLACE_CELLS, 1, &slice->v));
    const float *velocity = volume->velocity + 3 * slice->first;
    for (int j = 0; j < volume->n[1]; j++)
        for (int i = 0; i < volume->n[0]; i++, velocity += 3) {
            size_t at = field_index(&slice->u, i, j, 0);
            slice->u.data[at] = (double)velocity[0] / volume->spacing;
            slice->v.data[at] = (double)velocity[1] / volume->spacing;
        }
    field_fill_halo(&slice->u, 1);
    field_fill_halo(&slice->v, 1);
    size_t pixels = (size_t)slice->image->width * (size_t)slice->image->height;
    slice->noise = context_allocate(context, pixels, sizeof *slice->noise);
    if (!slice->noise) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < pixels; i++) slice->noise[i] = (float)random_uniform(1, 0, i);
    return PLIM_OK;
}

PlimStatus slice_draw(PlimContext *context, const FrameVolume *volume, double full_speed,
                      Image *image) {
    enum { MARGIN = 8 };
    double across = fmax(image->width - 2 * MARGIN, 1) / volume->n[0];
    double down = fmax(image->height - 2 * MARGIN, 1) / volume->n[1];
    Slice slice = {.volume = volume,
                   .first = first_cell(volume),
                   .full_speed = full_speed,
                   .cell_pixels = fmin(across, down),
                   .image = image};
    slice.left = 0.5 * (image->width - volume->n[0] * slice.cell_pixels);
    slice.top = 0.5 * (image->height - volume->n[1] * slice.cell_pixels);
    PlimStatus status = fill_slice(context, &slice);
    if (status == PLIM_OK)
        parallel_for(context->threads, (size_t)image->height, 8, draw_rows, &slice);
    field_free(context, &slice.u);
    field_free(context, &slice.v);
    context_free(context, slice.noise, (size_t)image->width * (size_t)image->height,
                 sizeof *slice.noise);
    return status;
}
