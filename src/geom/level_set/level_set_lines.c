/* Winding numbers and crossing edges: where lines of nodes meet the surface (000 section 2.3.1).
 *
 * Crossing edges are found against thickened triangles: generous, so that the flood fill never
 * leaks. Winding numbers count signed crossings along a line. Whether a line passes through a
 * triangle is decided edge by edge in the projection along the line, by a rule that gives two
 * triangles the same answer for the edge they share, in floating point as it is: for a closed
 * surface the counts along a line always add up to zero, whatever it grazes. Overlapping and nested
 * solids need nothing more. */
#include "geom/level_set/level_set_data.h"

#include "base/parallel.h"

#include <string.h>

/* Cells. Far above the rounding of coordinates of up to some thousand cells, far below anything
 * that matters. */
static const double thickness = 1e-6;

PlimStatus grid_surface_create(PlimContext *context, const TriangleMesh *mesh, const NodeGrid *grid,
                               bool closed, GridSurface *out) {
    *out = (GridSurface){.grid = grid, .mesh = mesh, .closed = closed};
    out->points = context_allocate(context, mesh->vertex_count, sizeof *out->points);
    out->dropped = context_allocate(context, mesh->triangle_count, 1);
    if (!out->points || !out->dropped) {
        grid_surface_free(context, out);
        return PLIM_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++)
        out->points[i] = vec3_scale(1.0 / grid->spacing, vec3_sub(mesh->vertices[i], grid->origin));
    return PLIM_OK;
}

void grid_surface_free(PlimContext *context, GridSurface *surface) {
    context_free(context, surface->points, surface->mesh->vertex_count, sizeof *surface->points);
    context_free(context, surface->dropped, surface->mesh->triangle_count, 1);
    *surface = (GridSurface){0};
}

/* First and last slab that a triangle reaches; first > last: none, as it lies between two layers.
 */
static void slab_range(const GridSurface *surface, size_t triangle, int axis, int depth,
                       const Vec3 *reach, int *first, int *last) {
    const int32_t *t = surface->mesh->triangles[triangle];
    double a = vec3_component(surface->points[t[0]], axis),
           b = vec3_component(surface->points[t[1]], axis);
    double c = vec3_component(surface->points[t[2]], axis);
    double grow = reach ? vec3_component(reach[triangle], axis) : thickness;
    double low = ceil(fmin(a, fmin(b, c)) - grow), high = floor(fmax(a, fmax(b, c)) + grow);
    int n = surface->grid->n[axis];
    *first = 0, *last = -1;
    if (surface->dropped[triangle] || low > high || high < 0.0 || low > n - 1) return;
    *first = low > 0.0 ? (int)low / depth : 0;
    *last = (high < n - 1 ? (int)high : n - 1) / depth;
}

PlimStatus slab_bins_create(PlimContext *context, const GridSurface *surface, int axis, int depth,
                            const Vec3 *reach, SlabBins *out) {
    size_t triangles = surface->mesh->triangle_count;
    int first, last;
    *out =
        (SlabBins){.depth = depth, .slabs = (size_t)((surface->grid->n[axis] + depth - 1) / depth)};
    out->start = context_allocate(context, out->slabs + 2, sizeof *out->start);
    if (!out->start) return PLIM_OUT_OF_MEMORY;
    for (size_t t = 0; t < triangles; t++) {
        slab_range(surface, t, axis, depth, reach, &first, &last);
        for (int s = first; s <= last; s++) out->start[s + 2]++;
    }
    for (size_t s = 2; s <= out->slabs + 1; s++) out->start[s] += out->start[s - 1];
    out->item_count = out->start[out->slabs + 1];
    out->items = context_allocate(context, out->item_count, sizeof *out->items);
    if (!out->items) {
        slab_bins_free(context, out);
        return PLIM_OUT_OF_MEMORY;
    }
    /* start[s + 1] runs from the first of slab s to that of s + 1 while items are put in. */
    for (size_t t = 0; t < triangles; t++) {
        slab_range(surface, t, axis, depth, reach, &first, &last);
        for (int s = first; s <= last; s++) out->items[out->start[s + 1]++] = (uint32_t)t;
    }
    return PLIM_OK;
}

void slab_bins_free(PlimContext *context, SlabBins *bins) {
    context_free(context, bins->start, bins->slabs + 2, sizeof *bins->start);
    context_free(context, bins->items, bins->item_count, sizeof *bins->items);
    *bins = (SlabBins){0};
}

Wedge wedge_make(const double corner[3][3], double reach) {
    Wedge wedge = {.low = fmin(corner[0][0], fmin(corner[1][0], corner[2][0])) - reach,
                   .high = fmax(corner[0][0], fmax(corner[1][0], corner[2][0])) + reach};
    Vec3 a = vec3_load(corner[0]), b = vec3_load(corner[1]), c = vec3_load(corner[2]);
    Vec3 points[3] = {a, b, c};
    Vec3 n = vec3_normalize(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
    wedge.flat = !(vec3_dot(n, n) > 0.5);
    if (wedge.flat) return wedge;
    for (int i = 0; i < 3; i++) {
        Vec3 out = vec3_normalize(vec3_cross(vec3_sub(points[(i + 1) % 3], points[i]), n));
        vec3_store(wedge.normal[i], out);
        wedge.offset[i] = vec3_dot(out, points[i]) + reach;
    }
    vec3_store(wedge.normal[3], n);
    wedge.offset[3] = vec3_dot(n, a) + reach;
    vec3_store(wedge.normal[4], vec3_scale(-1.0, n));
    wedge.offset[4] = -vec3_dot(n, a) + reach;
    return wedge;
}

bool wedge_clip(const Wedge *wedge, double u, double v, double *low, double *high) {
    double lo = wedge->low, hi = wedge->high;
    for (int i = 0; i < 5 && !wedge->flat; i++) {
        const double *n = wedge->normal[i];
        double room = wedge->offset[i] - n[1] * u - n[2] * v;
        if (n[0] > 0.0)
            hi = fmin(hi, room / n[0]);
        else if (n[0] < 0.0)
            lo = fmax(lo, room / n[0]);
        else if (room < 0.0)
            return false;
    }
    *low = lo;
    *high = hi;
    return lo <= hi;
}

/* ---- one pass over all lines along one axis ---- */

enum { LINE_DEPTH = 4, LINE_ROUND = 8 /* slabs that have a buffer for counts at a time */ };

typedef struct LinePass {
    const GridSurface *surface;
    SlabBins bins;
    int w, u, v;    /* axes: along the lines, along a slab's layers, across slabs */
    int turn;       /* +1 when (w, u, v) is right-handed */
    int n[3];       /* nodes along w, u, v */
    size_t step[3]; /* between nodes in flags, likewise */
    LineUse use;
    unsigned char *flags;
    int32_t *counts; /* winding gained along each edge, LINE_ROUND slabs */
    size_t slab_edges;
    size_t round; /* first slab of it */
} LinePass;

/* The winding number of the projected triangle around (u, v): +1, -1 or 0. Only edges that pass
 * from v' <= v to v' > v count, and they are always measured from their lower end: both triangles
 * at an edge find the same. */
static int projected_winding(const double corner[3][3], double u, double v) {
    int winding = 0;
    for (int i = 0; i < 3; i++) {
        const double *from = corner[i], *to = corner[(i + 1) % 3];
        bool rises = from[2] <= v;
        if (rises == (to[2] <= v)) continue;
        const double *low = rises ? from : to, *high = rises ? to : from;
        if ((high[1] - low[1]) * (v - low[2]) > (u - low[1]) * (high[2] - low[2]))
            winding += rises ? 1 : -1;
    }
    return winding;
}

/* Where the line meets the triangle's plane, kept within the triangle. */
static double plane_crossing(const double corner[3][3], double u, double v) {
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    double bu = b[1] - a[1], bv = b[2] - a[2], cu = c[1] - a[1], cv = c[2] - a[2];
    double area = bu * cv - bv * cu;
    double low = fmin(a[0], fmin(b[0], c[0])), high = fmax(a[0], fmax(b[0], c[0]));
    if (area == 0.0) return 0.5 * (low + high);
    double s = ((u - a[1]) * cv - (v - a[2]) * cu) / area;
    double t = (bu * (v - a[2]) - bv * (u - a[1])) / area;
    return fmin(fmax(a[0] + s * (b[0] - a[0]) + t * (c[0] - a[0]), low), high);
}

static int edge_at(const LinePass *pass, double w) {
    double last = pass->n[0] - 2;
    return (int)(w > 0.0 ? (w < last ? w : last) : 0.0);
}

/* Marks the edges of one line that meet the triangle, and counts its passing. */
static void cross_line(const LinePass *pass, const double corner[3][3], const Wedge *wedge, int u,
                       int v, int32_t *counts) {
    unsigned char *line = pass->flags + (size_t)u * pass->step[1] + (size_t)v * pass->step[2];
    unsigned char mark = (unsigned char)(NODE_CROSS_X << pass->w);
    double low, high;
    if (!wedge->flat && wedge_clip(wedge, u, v, &low, &high)) {
        int last = edge_at(pass, high);
        for (int e = edge_at(pass, ceil(low) - 1.0); e <= last; e++)
            line[(size_t)e * pass->step[0]] |= mark;
    }
    if (pass->use == LINES_CROSS) return;
    int winding = projected_winding(corner, u, v);
    if (winding == 0) return;
    int e = edge_at(pass, plane_crossing(corner, u, v));
    counts[e] -= pass->turn * winding; /* a normal along +w: the line leaves the solid */
    line[(size_t)e * pass->step[0]] |= mark;
}

static int32_t *line_counts(const LinePass *pass, size_t slab, int u, int v) {
    size_t layer = (size_t)v - slab * LINE_DEPTH;
    return pass->counts + (slab - pass->round) * pass->slab_edges +
           (layer * (size_t)pass->n[1] + (size_t)u) * (size_t)pass->n[0];
}

static void cross_triangle(const LinePass *pass, size_t slab, size_t triangle) {
    double corner[3][3];
    for (int i = 0; i < 3; i++) {
        Vec3 p = pass->surface->points[pass->surface->mesh->triangles[triangle][i]];
        corner[i][0] = vec3_component(p, pass->w);
        corner[i][1] = vec3_component(p, pass->u);
        corner[i][2] = vec3_component(p, pass->v);
    }
    int first[2], last[2]; /* lines along u and v that come near */
    for (int a = 0; a < 2; a++) {
        double x = corner[0][a + 1], y = corner[1][a + 1], z = corner[2][a + 1];
        double low = ceil(fmin(x, fmin(y, z)) - thickness);
        double high = floor(fmax(x, fmax(y, z)) + thickness);
        int begin = a == 1 ? (int)slab * LINE_DEPTH : 0;
        int end = a == 1 ? begin + LINE_DEPTH : pass->n[1];
        if (end > pass->n[a + 1]) end = pass->n[a + 1];
        first[a] = low > begin ? (low < end ? (int)low : end) : begin;
        last[a] = high < end - 1 ? (high >= begin ? (int)high : begin - 1) : end - 1;
    }
    if (first[0] > last[0] || first[1] > last[1]) return;
    Wedge wedge = wedge_make((const double(*)[3])corner, thickness);
    for (int v = first[1]; v <= last[1]; v++)
        for (int u = first[0]; u <= last[0]; u++)
            cross_line(pass, (const double(*)[3])corner, &wedge, u, v,
                       pass->counts ? line_counts(pass, slab, u, v) : NULL);
}

/* From the counts along a line to the nodes on it. A node's ray to the lower end of the line gains
 * `winding` on its way to the node, the ray to the higher end loses what is left. All nodes between
 * two crossings share the result: this is the document's way to save rays. */
static void settle_line(const LinePass *pass, const int32_t *counts, int u, int v) {
    unsigned char *node = pass->flags + (size_t)u * pass->step[1] + (size_t)v * pass->step[2];
    int32_t winding = 0, total = 0;
    for (int e = 0; e < pass->n[0] - 1; e++) total += counts[e];
    for (int i = 0; i < pass->n[0]; i++, node += pass->step[0]) {
        if (pass->use == LINES_WIND && winding > 0) *node |= NODE_INSIDE;
        if (pass->use == LINES_VOTE)
            *node = (unsigned char)(*node + NODE_VOTE * ((winding > 0) + (winding > total)));
        winding += counts[i];
    }
}

static void scan_slabs(void *user, size_t begin, size_t end) {
    const LinePass *pass = user;
    for (size_t slab = pass->round + begin; slab < pass->round + end; slab++) {
        int first = (int)slab * LINE_DEPTH, last = first + LINE_DEPTH;
        if (last > pass->n[2]) last = pass->n[2];
        if (pass->counts)
            memset(line_counts(pass, slab, 0, first), 0, pass->slab_edges * sizeof *pass->counts);
        for (size_t i = pass->bins.start[slab]; i < pass->bins.start[slab + 1]; i++)
            cross_triangle(pass, slab, pass->bins.items[i]);
        for (int v = first; v < last && pass->counts; v++)
            for (int u = 0; u < pass->n[1]; u++)
                settle_line(pass, line_counts(pass, slab, u, v), u, v);
    }
}

PlimStatus level_set_scan_lines(PlimContext *context, const GridSurface *surface, int axis,
                                LineUse use, unsigned char *flags) {
    const int *n = surface->grid->n;
    const size_t step[3] = {1, (size_t)n[0], (size_t)n[0] * (size_t)n[1]};
    int v = axis == 2 ? 1 : 2, u = 3 - axis - v;
    LinePass pass = {.surface = surface,
                     .w = axis,
                     .u = u,
                     .v = v,
                     .turn = axis == 1 ? -1 : 1,
                     .n = {n[axis], n[u], n[v]},
                     .step = {step[axis], step[u], step[v]},
                     .use = use,
                     .flags = flags};
    pass.slab_edges = (size_t)n[axis] * (size_t)n[u] * LINE_DEPTH;
    TRY(slab_bins_create(context, surface, v, LINE_DEPTH, NULL, &pass.bins));
    size_t room = LINE_ROUND * pass.slab_edges;
    if (use != LINES_CROSS) {
        pass.counts = context_allocate(context, room, sizeof *pass.counts);
        if (!pass.counts) {
            slab_bins_free(context, &pass.bins);
            return PLIM_OUT_OF_MEMORY;
        }
    }
    for (; pass.round < pass.bins.slabs; pass.round += LINE_ROUND) {
        size_t left = pass.bins.slabs - pass.round;
        parallel_for(context->threads, left < LINE_ROUND ? left : LINE_ROUND, 1, scan_slabs, &pass);
    }
    context_free(context, pass.counts, room, sizeof *pass.counts);
    slab_bins_free(context, &pass.bins);
    return PLIM_OK;
}
