/* Evenly spaced streamlines (Jobard and Lefer 1997). */
#include "base/array.h"
#include "render/slice_parts.h"

/* Lines come as close as this share of the distance that they start at. */
static const double closest = 0.55;
static const double thickness = 1.15; /* pixels, at a height of 540 */

typedef struct LinePoint {
    double x, y;  /* cells */
    int32_t next; /* in the same bin, -1 at the end */
} LinePoint;

typedef struct Lines {
    PlimContext *context;
    Slice *slice;
    double apart;    /* cells between lines */
    double step;     /* cells */
    double slowest;  /* cells/s; slower flow has no line */
    int bins[2];     /* squares of side `apart` */
    int32_t *heads;  /* of each bin */
    size_t finished; /* points in bins; those of the present line follow */
    ARRAY(LinePoint) points;
    ARRAY(size_t) ends; /* one past the last point of each line */
} Lines;

static int bin_along(const Lines *lines, double place, int axis) {
    int bin = (int)(place / lines->apart);
    return bin < lines->bins[axis] ? bin : lines->bins[axis] - 1;
}

/* No finished line within `distance`, which is at most `apart`. */
static bool is_free(const Lines *lines, double x, double y, double distance) {
    int column = bin_along(lines, x, 0), row = bin_along(lines, y, 1);
    for (int j = row > 0 ? row - 1 : 0; j <= row + 1 && j < lines->bins[1]; j++)
        for (int i = column > 0 ? column - 1 : 0; i <= column + 1 && i < lines->bins[0]; i++)
            for (int32_t p = lines->heads[j * lines->bins[0] + i]; p >= 0;
                 p = lines->points.data[p].next) {
                double dx = lines->points.data[p].x - x, dy = lines->points.data[p].y - y;
                if (dx * dx + dy * dy < distance * distance) return false;
            }
    return true;
}

/* A spiral or a ring has come back to itself. */
static bool meets_itself(const Lines *lines, double x, double y) {
    size_t skip = (size_t)(2 * lines->apart / lines->step) + 1, count = lines->points.count;
    double distance = 0.4 * lines->apart;
    for (size_t p = lines->finished; p + skip < count; p += 2) {
        double dx = lines->points.data[p].x - x, dy = lines->points.data[p].y - y;
        if (dx * dx + dy * dy < distance * distance) return true;
    }
    return false;
}

/* Direction of the flow; false where it is too slow. */
static bool direction_at(const Lines *lines, double x, double y, double *dx, double *dy) {
    Vec3 p = vec3(x, y, 0);
    double u = field_sample_linear(&lines->slice->u, p);
    double v = field_sample_linear(&lines->slice->v, p), speed = hypot(u, v);
    if (!(speed > lines->slowest)) return false;
    *dx = u / speed;
    *dy = v / speed;
    return true;
}

/* Adds points from (x, y) on, along the flow or against it, by the midpoint rule. */
static bool trace_way(Lines *lines, double x, double y, double way) {
    double dx, dy, step = way * lines->step;
    const int *n = lines->slice->volume->n;
    size_t most = (size_t)(3 * (n[0] + n[1]) / lines->step);
    for (size_t i = 0; i < most; i++) {
        if (!direction_at(lines, x, y, &dx, &dy)) break;
        if (!direction_at(lines, x + 0.5 * step * dx, y + 0.5 * step * dy, &dx, &dy)) break;
        x += step * dx;
        y += step * dy;
        if (!slice_in_fluid(lines->slice, x, y)) break;
        if (!is_free(lines, x, y, closest * lines->apart) || meets_itself(lines, x, y)) break;
        if (!array_push(lines->context, &lines->points, ((LinePoint){x, y, -1}))) return false;
    }
    return true;
}

static void reverse_points(LinePoint *points, size_t count) {
    for (size_t i = 0; 2 * i + 1 < count; i++) {
        LinePoint swapped = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = swapped;
    }
}

/* Puts the present line into the bins, or drops it if it is too short to be worth a look. */
static bool finish_line(Lines *lines) {
    size_t count = lines->points.count - lines->finished;
    if ((double)count * lines->step < 2.0 * lines->apart) {
        lines->points.count = lines->finished;
        return true;
    }
    for (size_t p = lines->finished; p < lines->points.count; p++) {
        LinePoint *point = &lines->points.data[p];
        int bin = bin_along(lines, point->y, 1) * lines->bins[0] + bin_along(lines, point->x, 0);
        point->next = lines->heads[bin];
        lines->heads[bin] = (int32_t)p;
    }
    lines->finished = lines->points.count;
    return array_push(lines->context, &lines->ends, lines->finished);
}

static bool try_line(Lines *lines, double x, double y) {
    if (!slice_in_fluid(lines->slice, x, y) || !is_free(lines, x, y, 0.98 * lines->apart))
        return true;
    if (!trace_way(lines, x, y, -1)) return false;
    LinePoint *first = lines->points.data + lines->finished;
    reverse_points(first, lines->points.count - lines->finished);
    if (!array_push(lines->context, &lines->points, ((LinePoint){x, y, -1}))) return false;
    return trace_way(lines, x, y, 1) && finish_line(lines);
}

/* New lines beside every point of the lines there are, from line number `first` on. */
static bool grow_beside(Lines *lines, size_t first) {
    for (size_t line = first; line < lines->ends.count; line++) {
        size_t begin = line ? lines->ends.data[line - 1] : 0, end = lines->ends.data[line];
        for (size_t p = begin; p < end; p += 3)
            for (int way = -1; way <= 1; way += 2) {
                LinePoint from = lines->points.data[p];
                double dx, dy;
                if (!direction_at(lines, from.x, from.y, &dx, &dy)) continue;
                if (!try_line(lines, from.x - way * lines->apart * dy,
                              from.y + way * lines->apart * dx))
                    return false;
            }
    }
    return true;
}

/* From a lattice of places, whose neighbourhood is filled before the next one is looked at. */
static bool grow_all(Lines *lines) {
    const int *n = lines->slice->volume->n;
    for (double y = 0.5 * n[1]; y < 1.5 * n[1]; y += lines->apart)
        for (double x = 0.5 * lines->apart; x < n[0]; x += lines->apart) {
            size_t first = lines->ends.count;
            double row = y < n[1] ? y : y - n[1];
            if (!try_line(lines, x, row) || !grow_beside(lines, first)) return false;
        }
    return true;
}

/* ---- drawing ---- */

/* Covers the pixels near a stroke that is `width` pixels thick. */
static void draw_stroke(const Slice *slice, const double a[2], const double b[2], double width) {
    const Image *image = slice->image;
    double reach = 0.5 * width + 0.5, dx = b[0] - a[0], dy = b[1] - a[1];
    double length = fmax(dx * dx + dy * dy, 1e-12);
    int left = (int)fmax(fmin(a[0], b[0]) - reach, 0), top = (int)fmax(fmin(a[1], b[1]) - reach, 0);
    int right = (int)fmin(fmax(a[0], b[0]) + reach, image->width - 1);
    int bottom = (int)fmin(fmax(a[1], b[1]) + reach, image->height - 1);
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            double px = x + 0.5 - a[0], py = y + 0.5 - a[1];
            double at = fmin(fmax((px * dx + py * dy) / length, 0), 1);
            double distance = hypot(px - at * dx, py - at * dy);
            float cover = (float)fmin(fmax(reach - distance, 0), fmin(width, 1));
            float *pixel = &slice->lines[(size_t)y * (size_t)image->width + (size_t)x];
            if (cover > *pixel) *pixel = cover;
        }
}

/* Lines are thin at both ends: where one must stop, it fades rather than breaks off. */
static void draw_line(const Lines *lines, size_t begin, size_t end) {
    const Slice *slice = lines->slice;
    double pixel = slice->cell_pixels, full = thickness * fmax(slice->image->height / 540.0, 1);
    double taper = 1.2 * lines->apart / lines->step;
    for (size_t p = begin; p + 1 < end; p++) {
        double near_end = fmin((double)(p - begin), (double)(end - 2 - p)) + 1;
        double places[2][2];
        for (size_t k = 0; k < 2; k++) {
            places[k][0] = slice->left + lines->points.data[p + k].x * pixel;
            places[k][1] = slice->top + (slice->volume->n[1] - lines->points.data[p + k].y) * pixel;
        }
        draw_stroke(slice, places[0], places[1], full * fmin(near_end / taper, 1));
    }
}

static double greatest_speed(const Slice *slice) {
    double greatest = 0;
    for (int j = 0; j < slice->volume->n[1]; j++)
        for (int i = 0; i < slice->volume->n[0]; i++) {
            size_t at = field_index(&slice->u, i, j, 0);
            greatest = fmax(greatest, hypot(slice->u.data[at], slice->v.data[at]));
        }
    return greatest;
}

PlimStatus slice_draw_lines(PlimContext *context, Slice *slice) {
    double pixels_apart = fmax(slice->image->height / 32.0, 8);
    Lines lines = {.context = context,
                   .slice = slice,
                   .apart = pixels_apart / slice->cell_pixels,
                   .step = 2.0 / slice->cell_pixels,
                   .slowest = 1e-3 * greatest_speed(slice)};
    for (int axis = 0; axis < 2; axis++)
        lines.bins[axis] = (int)(slice->volume->n[axis] / lines.apart) + 1;
    size_t bin_count = (size_t)lines.bins[0] * (size_t)lines.bins[1];
    lines.heads = context_allocate(context, bin_count, sizeof *lines.heads);
    if (!lines.heads) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < bin_count; i++) lines.heads[i] = -1;
    bool done = grow_all(&lines);
    for (size_t i = 0; done && i < lines.ends.count; i++)
        draw_line(&lines, i ? lines.ends.data[i - 1] : 0, lines.ends.data[i]);
    context_free(context, lines.heads, bin_count, sizeof *lines.heads);
    array_free(context, &lines.points);
    array_free(context, &lines.ends);
    return done ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}
