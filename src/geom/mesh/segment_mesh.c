/* Segment loops: outlines of plane shapes, area and moments. */
#include "geom/mesh/segment_mesh.h"

#include "geom/query/box.h"

static const double pi = 3.14159265358979323846;

enum { MAX_SEGMENTS = 1 << 20 };

PlimStatus segment_mesh_allocate(PlimContext *context, SegmentMesh *mesh, size_t vertices,
                                 size_t segments) {
    *mesh = (SegmentMesh){0};
    if (vertices > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "an outline of %zu vertices is too large: use at most %d", vertices,
                            INT32_MAX);
    SegmentMesh made = {.vertex_count = vertices, .segment_count = segments};
    made.vertices = context_allocate(context, vertices, sizeof *made.vertices);
    if (!made.vertices) return PLIM_OUT_OF_MEMORY;
    made.segments = context_allocate(context, segments, sizeof *made.segments);
    if (!made.segments) {
        context_free(context, made.vertices, vertices, sizeof *made.vertices);
        return PLIM_OUT_OF_MEMORY;
    }
    *mesh = made;
    return PLIM_OK;
}

void segment_mesh_free(PlimContext *context, SegmentMesh *mesh) {
    context_free(context, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    context_free(context, mesh->segments, mesh->segment_count, sizeof *mesh->segments);
    *mesh = (SegmentMesh){0};
}

bool segment_mesh_is_closed(PlimContext *context, const SegmentMesh *mesh) {
    enum { LEFT = 1, ENTERED = 2 };
    unsigned char *seen = context_allocate(context, mesh->vertex_count, 1);
    if (!seen) return false;
    bool closed = true;
    for (size_t i = 0; closed && i < mesh->segment_count; i++) {
        int32_t from = mesh->segments[i][0], to = mesh->segments[i][1];
        closed = from != to && from >= 0 && to >= 0 && (size_t)from < mesh->vertex_count &&
                 (size_t)to < mesh->vertex_count && !(seen[from] & LEFT) && !(seen[to] & ENTERED);
        if (!closed) break;
        seen[from] |= LEFT;
        seen[to] |= ENTERED;
    }
    for (size_t i = 0; closed && i < mesh->vertex_count; i++)
        closed = seen[i] == 0 || seen[i] == (LEFT | ENTERED);
    context_free(context, seen, mesh->vertex_count, 1);
    return closed;
}

double segment_mesh_perimeter(const SegmentMesh *mesh) {
    double sum = 0.0;
    for (size_t i = 0; i < mesh->segment_count; i++)
        sum += vec3_length(
            vec3_sub(mesh->vertices[mesh->segments[i][1]], mesh->vertices[mesh->segments[i][0]]));
    return sum;
}

/* Sums over the triangles (0, a, b) about a point in the middle, so that outlines far from the
 * origin lose no digits. Such a triangle of area A has integral x     = A / 3 (a + b) integral
 * |x|^2 = A / 6 (a . a + a . b + b . b). */
SegmentMass segment_mesh_mass(const SegmentMesh *mesh) {
    Box3 box = box3_empty();
    for (size_t i = 0; i < mesh->segment_count; i++)
        for (int k = 0; k < 2; k++) box = box3_add_point(box, mesh->vertices[mesh->segments[i][k]]);
    Vec3 middle = box3_center(box), first = {0};
    double area = 0.0, second = 0.0, uncancelled = 0.0;
    for (size_t i = 0; i < mesh->segment_count; i++) {
        Vec3 a = vec3_sub(mesh->vertices[mesh->segments[i][0]], middle);
        Vec3 b = vec3_sub(mesh->vertices[mesh->segments[i][1]], middle);
        /* From the edge instead of a x b: short segments keep their digits. */
        double part = 0.5 * (a.x * (b.y - a.y) - a.y * (b.x - a.x));
        area += part;
        first = vec3_add_scaled(first, part / 3.0, vec3_add(a, b));
        second += part / 6.0 * (vec3_dot(a, a) + vec3_dot(a, b) + vec3_dot(b, b));
        uncancelled += vec3_length(a) * vec3_length(vec3_sub(b, a));
    }
    /* A flat outline has an area of rounding errors; dividing by it would give a centre anywhere.
     */
    if (!(fabs(area) > 1e-15 * uncancelled)) return (SegmentMass){0};
    Vec3 offset = vec3_scale(1.0 / area, first);
    return (SegmentMass){area, vec3_add(middle, offset), second - area * vec3_dot(offset, offset)};
}

static PlimStatus check_length(PlimContext *context, const char *what, double value) {
    if (isfinite(value) && value > 0.0) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT,
                        "%s is %g m: give a finite length greater than zero", what, value);
}

static void close_loop(SegmentMesh *mesh) {
    for (size_t i = 0; i < mesh->segment_count; i++) {
        mesh->segments[i][0] = (int32_t)i;
        mesh->segments[i][1] = (int32_t)(i + 1 < mesh->segment_count ? i + 1 : 0);
    }
}

PlimStatus segment_circle(PlimContext *context, double radius, int segments, SegmentMesh *out) {
    *out = (SegmentMesh){0};
    TRY(check_length(context, "circle radius", radius));
    if (segments < 3 || segments > MAX_SEGMENTS)
        return context_fail(context, PLIM_BAD_INPUT,
                            "circle segments is %d: give a number from 3 to %d", segments,
                            MAX_SEGMENTS);
    TRY(segment_mesh_allocate(context, out, (size_t)segments, (size_t)segments));
    for (int i = 0; i < segments; i++) {
        double angle = 2.0 * pi * i / segments;
        out->vertices[i] = vec3(radius * cos(angle), radius * sin(angle), 0.0);
    }
    close_loop(out);
    return PLIM_OK;
}

PlimStatus segment_rectangle(PlimContext *context, double size_x, double size_y, SegmentMesh *out) {
    *out = (SegmentMesh){0};
    TRY(check_length(context, "rectangle size x", size_x));
    TRY(check_length(context, "rectangle size y", size_y));
    TRY(segment_mesh_allocate(context, out, 4, 4));
    double x = 0.5 * size_x, y = 0.5 * size_y;
    out->vertices[0] = vec3(-x, -y, 0.0);
    out->vertices[1] = vec3(x, -y, 0.0);
    out->vertices[2] = vec3(x, y, 0.0);
    out->vertices[3] = vec3(-x, y, 0.0);
    close_loop(out);
    return PLIM_OK;
}
