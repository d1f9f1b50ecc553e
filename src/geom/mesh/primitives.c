/* Tessellation of boxes, balls, cylinders, capsules, cones, tori and sheets. */
#include "geom/mesh/primitives.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Keeps every mesh below 2^31 corners; at 4096 the flats are already 1e-6 of the radius deep. */
enum { MAX_SEGMENTS = 4096, MAX_SUBDIVISIONS = 7 };

static PlimStatus check_length(PlimContext *context, const char *what, double value) {
    if (isfinite(value) && value > 0.0) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT,
                        "%s is %g m: give a finite length greater than zero", what, value);
}

static PlimStatus check_count(PlimContext *context, const char *what, int value, int least,
                              int most) {
    if (value >= least && value <= most) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT, "%s is %d: give a number from %d to %d", what,
                        value, least, most);
}

/* The corner at (+-x, +-y, +-z): bits 0, 1, 2 of the index choose the plus signs. */
static Vec3 box_corner(Vec3 size, int index) {
    return vec3((index & 1 ? 0.5 : -0.5) * size.x, (index & 2 ? 0.5 : -0.5) * size.y,
                (index & 4 ? 0.5 : -0.5) * size.z);
}

PlimStatus primitive_box(PlimContext *context, Vec3 size, TriangleMesh *out) {
    static const int32_t triangles[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
                                             {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                             {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    *out = (TriangleMesh){0};
    TRY(check_length(context, "box size x", size.x));
    TRY(check_length(context, "box size y", size.y));
    TRY(check_length(context, "box size z", size.z));
    TRY(mesh_allocate(context, out, 8, 12));
    for (int i = 0; i < 8; i++) out->vertices[i] = box_corner(size, i);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) out->triangles[i][k] = triangles[i][k];
    return PLIM_OK;
}

static void set_triangle(int32_t triangle[3], int a, int b, int c) {
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

/* On the circle of the given radius about the y axis. The angle grows counter-clockwise seen from
 * above, which is to the right seen from outside. */
static Vec3 ring_point(double radius, double y, double angle) {
    return vec3(radius * sin(angle), y, radius * cos(angle));
}

static void set_ring(TriangleMesh *mesh, int ring, int segments, double radius, double y,
                     double first_angle) {
    for (int i = 0; i < segments; i++)
        mesh->vertices[1 + ring * segments + i] =
            ring_point(radius, y, first_angle + 2.0 * pi * i / segments);
}

static size_t lathe_vertices(int segments, int rings) {
    return 2 + (size_t)rings * (size_t)segments;
}

static size_t lathe_triangles(int segments, int rings) {
    return 2 * (size_t)rings * (size_t)segments;
}

/* Joins vertices in the order top pole, rings from top to bottom, bottom pole. */
static void lathe_connect(int32_t (*triangles)[3], int segments, int rings) {
    int32_t(*at)[3] = triangles;
    int bottom = 1 + rings * segments;
    for (int i = 0; i < segments; i++) {
        int next = (i + 1) % segments;
        set_triangle(*at++, 0, 1 + i, 1 + next);
        set_triangle(*at++, bottom, bottom - segments + next, bottom - segments + i);
        for (int ring = 0; ring + 1 < rings; ring++) {
            int upper = 1 + ring * segments, lower = upper + segments;
            set_triangle(*at++, upper + i, lower + i, upper + next);
            set_triangle(*at++, lower + i, lower + next, upper + next);
        }
    }
}

PlimStatus primitive_cylinder(PlimContext *context, double radius, double height, int segments,
                              TriangleMesh *out) {
    *out = (TriangleMesh){0};
    TRY(check_length(context, "cylinder radius", radius));
    TRY(check_length(context, "cylinder height", height));
    TRY(check_count(context, "cylinder segments", segments, 3, MAX_SEGMENTS));
    TRY(mesh_allocate(context, out, lathe_vertices(segments, 2), lathe_triangles(segments, 2)));
    double top = 0.5 * height;
    out->vertices[0] = vec3(0, top, 0);
    set_ring(out, 0, segments, radius, top, 0.0);
    set_ring(out, 1, segments, radius, -top, 0.0);
    out->vertices[out->vertex_count - 1] = vec3(0, -top, 0);
    lathe_connect(out->triangles, segments, 2);
    return PLIM_OK;
}

PlimStatus primitive_cone(PlimContext *context, double radius, double height, int segments,
                          TriangleMesh *out) {
    *out = (TriangleMesh){0};
    TRY(check_length(context, "cone radius", radius));
    TRY(check_length(context, "cone height", height));
    TRY(check_count(context, "cone segments", segments, 3, MAX_SEGMENTS));
    TRY(mesh_allocate(context, out, lathe_vertices(segments, 1), lathe_triangles(segments, 1)));
    out->vertices[0] = vec3(0, 0.5 * height, 0);
    set_ring(out, 0, segments, radius, -0.5 * height, 0.0);
    out->vertices[out->vertex_count - 1] = vec3(0, -0.5 * height, 0);
    lathe_connect(out->triangles, segments, 1);
    return PLIM_OK;
}

PlimStatus primitive_capsule(PlimContext *context, double radius, double height, int segments,
                             int rings, TriangleMesh *out) {
    *out = (TriangleMesh){0};
    TRY(check_length(context, "capsule radius", radius));
    TRY(check_length(context, "capsule height", height));
    TRY(check_count(context, "capsule segments", segments, 3, MAX_SEGMENTS));
    TRY(check_count(context, "capsule rings", rings, 1, MAX_SEGMENTS));
    int all = 2 * rings;
    TRY(mesh_allocate(context, out, lathe_vertices(segments, all), lathe_triangles(segments, all)));
    double top = 0.5 * height + radius;
    out->vertices[0] = vec3(0, top, 0);
    out->vertices[out->vertex_count - 1] = vec3(0, -top, 0);
    for (int i = 0; i < rings; i++) {
        double from_pole = 0.5 * pi * (i + 1) / rings;
        double around = radius * sin(from_pole), y = 0.5 * height + radius * cos(from_pole);
        set_ring(out, i, segments, around, y, 0.0);
        set_ring(out, all - 1 - i, segments, around, -y, 0.0);
    }
    lathe_connect(out->triangles, segments, all);
    return PLIM_OK;
}

PlimStatus primitive_torus(PlimContext *context, double major, double minor, int segments,
                           int sides, TriangleMesh *out) {
    *out = (TriangleMesh){0};
    TRY(check_length(context, "torus major radius", major));
    TRY(check_length(context, "torus minor radius", minor));
    if (minor >= major)
        return context_fail(context, PLIM_BAD_INPUT,
                            "torus minor radius %g m leaves no hole: make it less than the major "
                            "radius, %g m",
                            minor, major);
    TRY(check_count(context, "torus segments", segments, 3, MAX_SEGMENTS));
    TRY(check_count(context, "torus sides", sides, 3, MAX_SEGMENTS));
    size_t quads = (size_t)segments * (size_t)sides;
    TRY(mesh_allocate(context, out, quads, 2 * quads));
    int32_t(*at)[3] = out->triangles;
    for (int i = 0; i < segments; i++) {
        int left = i * sides, right = (i + 1) % segments * sides;
        for (int j = 0; j < sides; j++) {
            int next = (j + 1) % sides;
            double turn = 2.0 * pi * j / sides;
            out->vertices[left + j] =
                ring_point(major + minor * cos(turn), minor * sin(turn), 2.0 * pi * i / segments);
            set_triangle(*at++, left + j, right + j, right + next);
            set_triangle(*at++, left + j, right + next, left + next);
        }
    }
    return PLIM_OK;
}

/* Neighbouring quads are cut along opposite diagonals: springs along one diagonal only would make a
 * cloth stiffer in that direction. */
static void sheet_connect(int32_t (*triangles)[3], int quads_x, int quads_z) {
    int32_t(*at)[3] = triangles;
    for (int j = 0; j < quads_z; j++) {
        for (int i = 0; i < quads_x; i++) {
            int a = j * (quads_x + 1) + i, b = a + 1; /* a b, then c d one row on in z */
            int c = a + quads_x + 1, d = c + 1;
            if ((i + j) % 2 == 0) {
                set_triangle(*at++, a, c, d);
                set_triangle(*at++, a, d, b);
            } else {
                set_triangle(*at++, a, c, b);
                set_triangle(*at++, b, c, d);
            }
        }
    }
}

PlimStatus primitive_sheet(PlimContext *context, double size_x, double size_z, int quads_x,
                           int quads_z, TriangleMesh *out) {
    *out = (TriangleMesh){0};
    TRY(check_length(context, "sheet size x", size_x));
    TRY(check_length(context, "sheet size z", size_z));
    TRY(check_count(context, "sheet quads along x", quads_x, 1, MAX_SEGMENTS));
    TRY(check_count(context, "sheet quads along z", quads_z, 1, MAX_SEGMENTS));
    size_t quads = (size_t)quads_x * (size_t)quads_z;
    size_t vertices = ((size_t)quads_x + 1) * ((size_t)quads_z + 1);
    TRY(mesh_allocate(context, out, vertices, 2 * quads));
    Vec3 *at = out->vertices;
    for (int j = 0; j <= quads_z; j++)
        for (int i = 0; i <= quads_x; i++)
            *at++ = vec3(size_x * (i - 0.5 * quads_x) / quads_x, 0.0,
                         size_z * (j - 0.5 * quads_z) / quads_z);
    sheet_connect(out->triangles, quads_x, quads_z);
    return PLIM_OK;
}

/* Poles on the y axis and two rings of five, turned by half a step against each other. */
static void set_icosahedron(TriangleMesh *mesh, double radius) {
    double y = radius / sqrt(5.0);
    mesh->vertices[0] = vec3(0, radius, 0);
    set_ring(mesh, 0, 5, 2.0 * y, y, 0.0);
    set_ring(mesh, 1, 5, 2.0 * y, -y, pi / 5.0);
    mesh->vertices[11] = vec3(0, -radius, 0);
    lathe_connect(mesh->triangles, 5, 2);
}

static uint64_t undirected_key(int32_t a, int32_t b) {
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Splits each triangle in four. The midpoint of an edge gets the index of the edge among all edges,
 * sorted; `vertices` and `triangles` are the counts before the split. Edges: 3/2 per triangle. */
static void split_triangles(TriangleMesh *mesh, double radius, size_t vertices, size_t triangles,
                            uint64_t *keys) {
    size_t edges = 0;
    for (size_t i = 0; i < triangles; i++) {
        for (int k = 0; k < 3; k++) {
            int32_t a = mesh->triangles[i][k], b = mesh->triangles[i][(k + 1) % 3];
            if (a < b) keys[edges++] = undirected_key(a, b); /* the neighbour runs it from b to a */
        }
    }
    qsort(keys, edges, sizeof *keys, compare_keys);
    for (size_t i = 0; i < edges; i++) {
        Vec3 sum = vec3_add(mesh->vertices[keys[i] >> 32], mesh->vertices[(uint32_t)keys[i]]);
        mesh->vertices[vertices + i] = vec3_scale(radius, vec3_normalize(sum));
    }
    for (size_t i = triangles; i-- > 0;) { /* from the end: the four never cover unread ones */
        int32_t corner[3], middle[3];
        for (int k = 0; k < 3; k++) corner[k] = mesh->triangles[i][k];
        for (int k = 0; k < 3; k++) {
            uint64_t key = undirected_key(corner[k], corner[(k + 1) % 3]);
            const uint64_t *found = bsearch(&key, keys, edges, sizeof *keys, compare_keys);
            middle[k] = (int32_t)(vertices + (size_t)(found - keys));
        }
        for (int k = 0; k < 3; k++)
            set_triangle(mesh->triangles[4 * i + (size_t)k], corner[k], middle[k],
                         middle[(k + 2) % 3]);
        set_triangle(mesh->triangles[4 * i + 3], middle[0], middle[1], middle[2]);
    }
}

PlimStatus primitive_ball(PlimContext *context, double radius, int subdivisions,
                          TriangleMesh *out) {
    *out = (TriangleMesh){0};
    TRY(check_length(context, "ball radius", radius));
    TRY(check_count(context, "ball subdivisions", subdivisions, 0, MAX_SUBDIVISIONS));
    size_t most = (size_t)20 << 2 * subdivisions;
    size_t key_count = 3 * most / 8; /* edges before the last split */
    uint64_t *keys = context_allocate(context, key_count, sizeof *keys);
    if (!keys) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = mesh_allocate(context, out, most / 2 + 2, most);
    if (status == PLIM_OK) {
        set_icosahedron(out, radius);
        for (size_t triangles = 20; triangles < most; triangles *= 4)
            split_triangles(out, radius, triangles / 2 + 2, triangles, keys);
    }
    context_free(context, keys, key_count, sizeof *keys);
    return status;
}
