/* Prisms: polygons checked, triangulated and extruded. */
#include "scene/prism.h"

#include "geom/mesh/mesh_polygon.h"

#include <math.h>

/* More would take long to check: each side against each other. */
enum { MOST_POINTS = 1000 };

typedef struct Polygon {
    Vec3 *points; /* z = 0; counter-clockwise */
    size_t count;
} Polygon;

static void free_polygon(PlimContext *context, Polygon *polygon) {
    if (polygon->points)
        context_free(context, polygon->points, polygon->count, sizeof *polygon->points);
    *polygon = (Polygon){0};
}

/* Twice the area of a triangle, positive when a, b, c go counter-clockwise. */
static double turn(Vec3 a, Vec3 b, Vec3 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double signed_area(const Polygon *polygon) {
    double sum = 0;
    for (size_t i = 1; i + 1 < polygon->count; i++)
        sum += turn(polygon->points[0], polygon->points[i], polygon->points[i + 1]);
    return 0.5 * sum;
}

static double span(const Polygon *polygon) {
    Vec3 low = polygon->points[0], high = low;
    for (size_t i = 1; i < polygon->count; i++) {
        low = vec3_min(low, polygon->points[i]);
        high = vec3_max(high, polygon->points[i]);
    }
    return fmax(high.x - low.x, high.y - low.y);
}

/* Whether p, which is on the line through a and b, lies between them. */
static bool between(Vec3 a, Vec3 b, Vec3 p) {
    return fmin(a.x, b.x) <= p.x && p.x <= fmax(a.x, b.x) && fmin(a.y, b.y) <= p.y &&
           p.y <= fmax(a.y, b.y);
}

/* Touching counts. */
static bool sides_meet(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    double c_of_ab = turn(a, b, c), d_of_ab = turn(a, b, d);
    double a_of_cd = turn(c, d, a), b_of_cd = turn(c, d, b);
    if (((c_of_ab > 0 && d_of_ab < 0) || (c_of_ab < 0 && d_of_ab > 0)) &&
        ((a_of_cd > 0 && b_of_cd < 0) || (a_of_cd < 0 && b_of_cd > 0)))
        return true;
    return (c_of_ab == 0 && between(a, b, c)) || (d_of_ab == 0 && between(a, b, d)) ||
           (a_of_cd == 0 && between(c, d, a)) || (b_of_cd == 0 && between(c, d, b));
}

/* Whether the side from b to c runs back over the one from a to b. */
static bool folds_back(Vec3 a, Vec3 b, Vec3 c) {
    return turn(a, b, c) == 0 && !(vec3_dot(vec3_sub(b, a), vec3_sub(c, b)) > 0);
}

static PlimStatus check_simple(PlimContext *context, const Polygon *polygon) {
    const Vec3 *p = polygon->points;
    size_t n = polygon->count;
    for (size_t i = 0; i < n; i++) {
        if (folds_back(p[i], p[(i + 1) % n], p[(i + 2) % n]))
            return context_fail(context, PLIM_BAD_INPUT,
                                "the polygon turns back on itself at point %zu, (%g, %g)",
                                (i + 1) % n, p[(i + 1) % n].x, p[(i + 1) % n].y);
        for (size_t j = i + 2; j < n && (j + 1) % n != i; j++)
            if (sides_meet(p[i], p[i + 1], p[j], p[(j + 1) % n]))
                return context_fail(context, PLIM_BAD_INPUT,
                                    "the polygon crosses or touches itself: the sides after "
                                    "points %zu and %zu",
                                    i, j);
    }
    return PLIM_OK;
}

static void turn_round(Polygon *polygon) {
    for (size_t i = 0, j = polygon->count - 1; i < j; i++, j--) {
        Vec3 swapped = polygon->points[i];
        polygon->points[i] = polygon->points[j];
        polygon->points[j] = swapped;
    }
}

static PlimStatus check_polygon(PlimContext *context, Polygon *polygon) {
    double area = signed_area(polygon), size = span(polygon);
    TRY(check_simple(context, polygon));
    if (!(fabs(area) > 1e-12 * size * size))
        return context_fail(context, PLIM_BAD_INPUT,
                            "the polygon has no area: its points lie on a line");
    if (area < 0) turn_round(polygon);
    return PLIM_OK;
}

static PlimStatus read_point(SceneReader *reader, const SceneNode *pair, Vec3 *out) {
    bool read = reader_number(reader, pair->children.data[0], &out->x) &&
                reader_number(reader, pair->children.data[1], &out->y);
    TRY(reader->trouble);
    if (read) return PLIM_OK;
    return context_fail(reader->context, PLIM_BAD_INPUT, "a point of the polygon has no value");
}

static PlimStatus read_polygon(SceneReader *reader, const ScenePrism *prism, Polygon *out) {
    const SceneNode *list = prism->points.node;
    *out = (Polygon){.count = list->children.count};
    if (out->count < 3 || out->count > MOST_POINTS)
        return context_fail(reader->context, PLIM_BAD_INPUT,
                            "the polygon has %zu points; it must have at least 3 and at most %d",
                            out->count, MOST_POINTS);
    out->points = context_allocate(reader->context, out->count, sizeof *out->points);
    if (!out->points) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = PLIM_OK;
    for (size_t i = 0; i < out->count && status == PLIM_OK; i++)
        status = read_point(reader, list->children.data[i], &out->points[i]);
    if (status == PLIM_OK) status = check_polygon(reader->context, out);
    if (status != PLIM_OK) free_polygon(reader->context, out);
    return status;
}

double prism_check(SceneReader *reader, const ScenePrism *prism) {
    Polygon polygon;
    PlimStatus status = read_polygon(reader, prism, &polygon);
    if (status == PLIM_BAD_INPUT)
        reader_problem(reader, prism->points.node, "%s", reader->context->message);
    else if (status != PLIM_OK)
        reader->trouble = status;
    else
        free_polygon(reader->context, &polygon);
    return 2 * (double)prism->points.node->children.count;
}

static void set_triangle(int32_t triangle[3], size_t a, size_t b, size_t c) {
    triangle[0] = (int32_t)a;
    triangle[1] = (int32_t)b;
    triangle[2] = (int32_t)c;
}

/* Lower end, upper end, sides. The first vertices are those of the lower end. */
static PlimStatus fill_mesh(PlimContext *context, const Polygon *polygon, double depth,
                            TriangleMesh *mesh) {
    size_t n = polygon->count;
    int32_t *links = context_allocate(context, 3 * n, sizeof *links);
    if (!links) return PLIM_OUT_OF_MEMORY;
    int32_t *corners = links + 2 * n;
    for (size_t i = 0; i < n; i++) {
        corners[i] = (int32_t)i;
        mesh->vertices[i] = mesh->vertices[n + i] = polygon->points[i];
        mesh->vertices[i].z = -0.5 * depth;
        mesh->vertices[n + i].z = 0.5 * depth;
    }
    int32_t(*end)[3] = mesh->triangles + (n - 2);
    polygon_cut(polygon->points, corners, n, links, end);
    context_free(context, links, 3 * n, sizeof *links);
    for (size_t i = 0; i < n - 2; i++) {
        size_t a = (size_t)end[i][0], b = (size_t)end[i][1], c = (size_t)end[i][2];
        set_triangle(mesh->triangles[i], a, c, b);
        set_triangle(end[i], n + a, n + b, n + c);
    }
    int32_t(*side)[3] = mesh->triangles + 2 * (n - 2);
    for (size_t i = 0; i < n; i++, side += 2) {
        size_t j = (i + 1) % n;
        set_triangle(side[0], i, j, n + j);
        set_triangle(side[1], i, n + j, n + i);
    }
    return PLIM_OK;
}

PlimStatus prism_mesh(SceneReader *reader, const ScenePrism *prism, TriangleMesh *out) {
    PlimContext *context = reader->context;
    Polygon polygon;
    TRY(read_polygon(reader, prism, &polygon));
    size_t n = polygon.count;
    PlimStatus status = mesh_allocate(context, out, 2 * n, 4 * n - 4);
    if (status == PLIM_OK) {
        status = fill_mesh(context, &polygon, prism->depth, out);
        if (status != PLIM_OK) mesh_free(context, out);
    }
    free_polygon(context, &polygon);
    return status;
}
