/* Cross-sections of bodies in a slice: their meshes met with the plane of the cut, filled and with
 * an edge. The cells that they cover would show no more than blots of a cell's size. */
#include "render/slice_parts.h"

#include <stdlib.h>

enum { SCANS = 4 }; /* lines in a row of pixels along which bodies are filled */

/* Along the edge of a cut, in pixels; the body lies on its left, seen with y up. */
typedef struct CutLine {
    double from[2], to[2];
} CutLine;

typedef struct Crossing {
    double x;
    int turn; /* 1 where a line goes up, -1 where it goes down */
} Crossing;

typedef struct BodyCuts {
    Slice *slice;
    CutLine *lines;
    Crossing *crossings;
    size_t line_count, capacity;
    const float *color; /* of the body */
} BodyCuts;

static Vec3 corner_of(const FrameMesh *mesh, size_t triangle, int corner) {
    const float *x = mesh->vertices + 3 * mesh->triangles[3 * triangle + (size_t)corner];
    return vec3((double)x[0], (double)x[1], (double)x[2]);
}

/* False: the triangle is not cut. Corners in the plane count as above it. */
static bool cut_triangle(const Slice *slice, const FrameMesh *mesh, size_t triangle, CutLine *out) {
    double plane = slice_plane(slice->volume);
    bool found = false;
    for (int c = 0; c < 3; c++) {
        Vec3 a = corner_of(mesh, triangle, c), b = corner_of(mesh, triangle, (c + 1) % 3);
        bool below = a.z < plane;
        if (below == (b.z < plane)) continue;
        double part = (plane - a.z) / (b.z - a.z);
        /* The edge that comes up through the plane is the line's end. */
        slice_to_pixels(slice, vec3_add_scaled(a, part, vec3_sub(b, a)),
                        below ? out->to : out->from);
        found = true;
    }
    return found;
}

static size_t count_cut(const Slice *slice, const FrameMesh *mesh) {
    CutLine line;
    size_t count = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) count += cut_triangle(slice, mesh, t, &line);
    return count;
}

/* Sheets have no inside; walls of the domain are points outside of it. */
static bool has_inside(const BodyCuts *cuts) {
    double sum[2] = {0, 0}, length = 0;
    for (size_t i = 0; i < cuts->line_count; i++) {
        const CutLine *line = &cuts->lines[i];
        double by[2] = {line->to[0] - line->from[0], line->to[1] - line->from[1]};
        for (int a = 0; a < 2; a++) sum[a] += by[a];
        length += hypot(by[0], by[1]);
    }
    return length > 1 && hypot(sum[0], sum[1]) <= 1e-3 * length;
}

static int compare_crossings(const void *a, const void *b) {
    const Crossing *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

static size_t cross(const BodyCuts *cuts, double y) {
    size_t count = 0;
    for (size_t i = 0; i < cuts->line_count; i++) {
        const double *a = cuts->lines[i].from, *b = cuts->lines[i].to;
        if ((a[1] < y) == (b[1] < y)) continue;
        double x = a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]);
        cuts->crossings[count++] = (Crossing){x, a[1] < y ? 1 : -1};
    }
    qsort(cuts->crossings, count, sizeof *cuts->crossings, compare_crossings);
    return count;
}

/* A pixel that several bodies share has the colour of the last that goes half through it. */
static void fill_stretch(const BodyCuts *cuts, int row, double from, double to) {
    int width = cuts->slice->image->width;
    size_t first = (size_t)row * (size_t)width;
    double low = fmax(from, 0), high = fmin(to, width);
    for (int i = (int)low; i < high; i++) {
        double covered = fmax(fmin(high, i + 1) - fmax(low, i), 0);
        const float **tint = &cuts->slice->tints[first + (size_t)i];
        cuts->slice->bodies[first + (size_t)i] += (float)(covered / SCANS);
        if (covered >= 0.5 || !*tint) *tint = cuts->color;
    }
}

/* What the lines go around, whichever way and however often. */
static void fill(const BodyCuts *cuts) {
    const Image *image = cuts->slice->image;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < cuts->line_count; i++) {
        low = fmin(low, cuts->lines[i].from[1]);
        high = fmax(high, cuts->lines[i].from[1]);
    }
    int first = (int)fmax(low, 0), last = (int)fmin(high + 1, image->height);
    for (int row = first; row < last; row++)
        for (int scan = 0; scan < SCANS; scan++) {
            size_t count = cross(cuts, row + (scan + 0.5) / SCANS);
            int turns = 0;
            for (size_t i = 0; i + 1 < count; i++) {
                turns += cuts->crossings[i].turn;
                if (turns != 0)
                    fill_stretch(cuts, row, cuts->crossings[i].x, cuts->crossings[i + 1].x);
            }
        }
}

static double distance_to(const CutLine *line, double x, double y) {
    double by[2] = {line->to[0] - line->from[0], line->to[1] - line->from[1]};
    double square = by[0] * by[0] + by[1] * by[1];
    double part = (x - line->from[0]) * by[0] + (y - line->from[1]) * by[1];
    part = square > 0 ? fmin(fmax(part / square, 0), 1) : 0;
    return hypot(x - line->from[0] - part * by[0], y - line->from[1] - part * by[1]);
}

static void draw_edge(const Slice *slice, const CutLine *line) {
    const double half = 1.1; /* pixels */
    const Image *image = slice->image;
    int low[2], high[2], size[2] = {image->width, image->height};
    for (int a = 0; a < 2; a++) {
        low[a] = (int)fmax(fmin(line->from[a], line->to[a]) - 2, 0);
        high[a] = (int)fmin(fmax(line->from[a], line->to[a]) + 2, size[a]);
    }
    for (int j = low[1]; j < high[1]; j++)
        for (int i = low[0]; i < high[0]; i++) {
            float *edge = &slice->edges[(size_t)j * (size_t)image->width + (size_t)i];
            double share = half - distance_to(line, i + 0.5, j + 0.5);
            *edge = fmaxf(*edge, (float)fmin(fmax(share, 0), 1));
        }
}

static void draw_mesh(BodyCuts *cuts, const FrameMesh *mesh) {
    size_t t = 0;
    while (t < mesh->triangle_count) {
        int32_t object = mesh->objects[t];
        cuts->line_count = 0;
        cuts->color = mesh->colors + 3 * (size_t)object;
        for (; t < mesh->triangle_count && mesh->objects[t] == object; t++)
            cuts->line_count += cut_triangle(cuts->slice, mesh, t, &cuts->lines[cuts->line_count]);
        if (cuts->line_count == 0 || !has_inside(cuts)) continue;
        fill(cuts);
        for (size_t i = 0; i < cuts->line_count; i++) draw_edge(cuts->slice, &cuts->lines[i]);
    }
}

static bool is_of_bodies(const FrameMesh *mesh) {
    return !mesh->changes && !mesh->is_clear;
}

PlimStatus slice_draw_bodies(PlimContext *context, Slice *slice, const FrameView *view) {
    BodyCuts cuts = {.slice = slice};
    for (size_t m = 0; m < view->mesh_count; m++)
        if (is_of_bodies(&view->meshes[m])) cuts.capacity += count_cut(slice, &view->meshes[m]);
    if (cuts.capacity == 0) return PLIM_OK;
    cuts.capacity++; /* a triangle that is not cut is looked at with all lines in use */
    size_t pixels = (size_t)slice->image->width * (size_t)slice->image->height;
    slice->bodies = context_allocate(context, pixels, sizeof *slice->bodies);
    slice->edges = context_allocate(context, pixels, sizeof *slice->edges);
    slice->tints = context_allocate(context, pixels, sizeof *slice->tints);
    cuts.lines = context_allocate(context, cuts.capacity, sizeof *cuts.lines);
    cuts.crossings = context_allocate(context, cuts.capacity, sizeof *cuts.crossings);
    bool done = slice->bodies && slice->edges && slice->tints && cuts.lines && cuts.crossings;
    for (size_t m = 0; done && m < view->mesh_count; m++)
        if (is_of_bodies(&view->meshes[m])) draw_mesh(&cuts, &view->meshes[m]);
    context_free(context, cuts.lines, cuts.capacity, sizeof *cuts.lines);
    context_free(context, cuts.crossings, cuts.capacity, sizeof *cuts.crossings);
    return done ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

bool slice_body_is_near(const Slice *slice, double x, double y) {
    const double around = 0.3; /* cells: the fluid and the mesh need not agree */
    const Image *image = slice->image;
    for (int corner = 0; slice->bodies && corner < 4; corner++) {
        double at_x = x + (corner & 1 ? around : -around);
        double at_y = y + (corner & 2 ? around : -around);
        int i = (int)(slice->left + at_x * slice->cell_pixels);
        int j = (int)(slice->top + (slice->volume->n[1] - at_y) * slice->cell_pixels);
        if (!(i >= 0 && j >= 0 && i < image->width && j < image->height)) continue;
        if (slice->bodies[(size_t)j * (size_t)image->width + (size_t)i] > 0) return true;
    }
    return false;
}
