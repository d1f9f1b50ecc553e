/* Obstacles in a slice, smoothed by a cubic B-spline. */
#include "render/slice_parts.h"

static int clamp_index(int i, int count) {
    return i < 0 ? 0 : i >= count ? count - 1 : i;
}

/* One pass of a blur with the weights 1 2 1 along x or y; beyond the sides all goes on. */
static void blur_along(const float *from, float *to, const int n[2], int axis) {
    int di = axis == 0, dj = axis == 1;
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++) {
            size_t here = (size_t)j * (size_t)n[0] + (size_t)i;
            size_t low = (size_t)clamp_index(j - dj, n[1]) * (size_t)n[0] +
                         (size_t)clamp_index(i - di, n[0]);
            size_t high = (size_t)clamp_index(j + dj, n[1]) * (size_t)n[0] +
                          (size_t)clamp_index(i + di, n[0]);
            to[here] = 0.25f * from[low] + 0.5f * from[here] + 0.25f * from[high];
        }
}

/* 1 in a cell of an obstacle, 0 in one of a body, which is drawn as it is. */
static float share_of(const Slice *slice, size_t cell) {
    size_t across = (size_t)slice->volume->n[0];
    if (!slice->volume->solid[slice->first + cell]) return 0;
    double x = (double)(cell % across) + 0.5, y = (double)(cell / across) + 0.5;
    return slice_body_is_near(slice, x, y) ? 0.0f : 1.0f;
}

/* The cells of obstacles are stairs; blurred over three cells, the stairs are gone where the share
 * is one half. Walls one cell thick would be gone too: they stay as they are. */
PlimStatus slice_smooth_obstacles(PlimContext *context, Slice *slice) {
    enum { PASSES = 3 };
    const int *n = slice->volume->n;
    size_t cells = (size_t)n[0] * (size_t)n[1];
    slice->shapes = context_allocate(context, cells, sizeof *slice->shapes);
    float *other = context_allocate(context, cells, sizeof *other);
    if (slice->shapes && other) {
        for (size_t i = 0; i < cells; i++) slice->shapes[i] = share_of(slice, i);
        for (int pass = 0; pass < PASSES; pass++) {
            blur_along(slice->shapes, other, n, 0);
            blur_along(other, slice->shapes, n, 1);
        }
        for (size_t i = 0; i < cells; i++)
            if (slice->shapes[i] < 0.38f && share_of(slice, i) > 0) slice->shapes[i] = 0.8f;
    }
    PlimStatus status = slice->shapes && other ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    context_free(context, other, cells, sizeof *other);
    return status;
}

/* Weights of a cubic B-spline at four neighbours, and of its slope. */
static void spline_weights(double f, double value[4], double change[4]) {
    double g = 1 - f;
    value[0] = g * g * g / 6;
    value[1] = (4 - 6 * f * f + 3 * f * f * f) / 6;
    value[2] = (4 - 6 * g * g + 3 * g * g * g) / 6;
    value[3] = f * f * f / 6;
    change[0] = -g * g / 2;
    change[1] = (3 * f * f - 4 * f) / 2;
    change[2] = -(3 * g * g - 4 * g) / 2;
    change[3] = f * f / 2;
}

double slice_obstacle_depth(const Slice *slice, double x, double y) {
    const int *n = slice->volume->n;
    const double far = 1e6;
    int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    double least = 1, most = 0, cells[4][4];
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            size_t row = (size_t)clamp_index(j - 1 + b, n[1]) * (size_t)n[0];
            cells[b][a] = (double)slice->shapes[row + (size_t)clamp_index(i - 1 + a, n[0])];
            least = fmin(least, cells[b][a]);
            most = fmax(most, cells[b][a]);
        }
    if (most < 0.5 || least > 0.5) return most < 0.5 ? -far : far;
    double wx[4], wy[4], dx[4], dy[4], value = 0, along_x = 0, along_y = 0;
    spline_weights(x - 0.5 - i, wx, dx);
    spline_weights(y - 0.5 - j, wy, dy);
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            value += cells[b][a] * wx[a] * wy[b];
            along_x += cells[b][a] * dx[a] * wy[b];
            along_y += cells[b][a] * wx[a] * dy[b];
        }
    double steepness = fmax(hypot(along_x, along_y), 0.1);
    return (value - 0.5) / steepness * slice->cell_pixels;
}
