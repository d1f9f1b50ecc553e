/* Vertex normals: triangles around a vertex grouped by crease angle. */
#include "geom/mesh/normals.h"

#include "math/vec.h"

/* Corner c of triangle t is numbered 3 t + c. */
enum { NO_CORNER = -1 };
static const double cos_bend = 0.76604444311897804; /* of 40 degrees */

typedef struct Fans {
    size_t vertex_count, corner_count;
    const float *vertices;
    const uint32_t *triangles;
    Vec3 *faces;     /* per triangle: its normal, twice its area long */
    uint32_t *first; /* per vertex and one past: where its corners start in `corners` */
    int32_t *corners;
    int32_t *parent; /* per corner: towards the corner that stands for its smooth group */
    int32_t *across; /* per vertex: the last corner seen at the edge that leads there */
} Fans;

static Vec3 load(const float *from) {
    return vec3(from[0], from[1], from[2]);
}

static Vec3 face_normal(const float *vertices, const uint32_t *triangle) {
    Vec3 a = load(vertices + 3 * (size_t)triangle[0]);
    Vec3 b = load(vertices + 3 * (size_t)triangle[1]);
    Vec3 c = load(vertices + 3 * (size_t)triangle[2]);
    return vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
}

static void store(float *to, Vec3 a) {
    to[0] = (float)a.x;
    to[1] = (float)a.y;
    to[2] = (float)a.z;
}

void normals_flat(const float *vertices, const uint32_t *triangles, size_t triangle_count,
                  float *normals) {
    for (size_t t = 0; t < triangle_count; t++) {
        Vec3 normal = vec3_normalize(face_normal(vertices, triangles + 3 * t));
        for (int c = 0; c < 3; c++) store(normals + 9 * t + 3 * c, normal);
    }
}

static void free_fans(PlimContext *context, Fans *fans) {
    context_free(context, fans->faces, fans->corner_count / 3, sizeof *fans->faces);
    context_free(context, fans->first, fans->vertex_count + 1, sizeof *fans->first);
    context_free(context, fans->corners, fans->corner_count, sizeof *fans->corners);
    context_free(context, fans->parent, fans->corner_count, sizeof *fans->parent);
    context_free(context, fans->across, fans->vertex_count, sizeof *fans->across);
}

static PlimStatus allocate_fans(PlimContext *context, Fans *fans) {
    fans->faces = context_allocate(context, fans->corner_count / 3, sizeof *fans->faces);
    fans->first = context_allocate(context, fans->vertex_count + 1, sizeof *fans->first);
    fans->corners = context_allocate(context, fans->corner_count, sizeof *fans->corners);
    fans->parent = context_allocate(context, fans->corner_count, sizeof *fans->parent);
    fans->across = context_allocate(context, fans->vertex_count, sizeof *fans->across);
    if (fans->faces && fans->first && fans->corners && fans->parent && fans->across) return PLIM_OK;
    free_fans(context, fans);
    return PLIM_OUT_OF_MEMORY;
}

/* Sorts the corners by vertex (a counting sort, so that each fan keeps the order of triangles). */
static void gather_corners(Fans *fans) {
    for (size_t c = 0; c < fans->corner_count; c++) fans->first[fans->triangles[c]]++;
    uint32_t end = 0;
    for (size_t v = 0; v <= fans->vertex_count; v++) fans->first[v] = end += fans->first[v];
    for (size_t c = fans->corner_count; c-- > 0;)
        fans->corners[--fans->first[fans->triangles[c]]] = (int32_t)c;
}

static int32_t group_of(int32_t *parent, int32_t corner) {
    while (parent[corner] != corner) corner = parent[corner] = parent[parent[corner]];
    return corner;
}

static bool bends_little(Vec3 a, Vec3 b) {
    double dot = vec3_dot(a, b);
    return dot > 0.0 && dot * dot > cos_bend * cos_bend * vec3_dot(a, a) * vec3_dot(b, b);
}

/* Joins a corner to the one met before at the same edge, which leads from `vertex` to `end`. What
 * `across` holds may be left from another vertex: it counts only if it is a corner of this one. */
static void join_across_edge(Fans *fans, uint32_t vertex, uint32_t end, int32_t corner) {
    int32_t other = fans->across[end];
    fans->across[end] = corner;
    if (other == NO_CORNER || other == corner || fans->triangles[other] != vertex) return;
    if (!bends_little(fans->faces[other / 3], fans->faces[corner / 3])) return;
    int32_t a = group_of(fans->parent, other), b = group_of(fans->parent, corner);
    if (a < b)
        fans->parent[b] = a;
    else
        fans->parent[a] = b;
}

static Vec3 edge(const Fans *fans, uint32_t from, uint32_t to) {
    const float *vertices = fans->vertices;
    return vec3_sub(load(vertices + 3 * (size_t)to), load(vertices + 3 * (size_t)from));
}

/* Squares of edges at the vertex count as this at least: what is much shorter than the longest has
 * more of rounding in its direction than of the surface. */
static double least_square(const Fans *fans, uint32_t vertex) {
    const double shortest = 0.2; /* of the longest */
    double longest = 0.0;
    for (uint32_t i = fans->first[vertex]; i < fans->first[vertex + 1]; i++) {
        int32_t c = fans->corners[i];
        Vec3 along = edge(fans, vertex, fans->triangles[c / 3 * 3 + (c + 1) % 3]);
        longest = fmax(longest, vec3_dot(along, along));
    }
    return shortest * shortest * longest;
}

/* N. Max (1999): the cross product of two edges over their squares. Exact on a sphere, however
 * uneven its triangles are; mirrors and lenses show less exact ones as teeth. */
static Vec3 weighted_face(const Fans *fans, uint32_t vertex, int32_t corner, double least) {
    const uint32_t *triangle = fans->triangles + corner / 3 * 3;
    Vec3 a = edge(fans, vertex, triangle[(corner + 1) % 3]);
    Vec3 b = edge(fans, vertex, triangle[(corner + 2) % 3]);
    double squares = fmax(vec3_dot(a, a), least) * fmax(vec3_dot(b, b), least);
    return vec3_scale(least / squares, fans->faces[corner / 3]); /* free of the unit of length */
}

static void smooth_vertex(Fans *fans, uint32_t vertex, float *normals) {
    const int32_t *begin = fans->corners + fans->first[vertex];
    const int32_t *end = fans->corners + fans->first[vertex + 1];
    for (const int32_t *c = begin; c < end; c++) fans->parent[*c] = *c;
    for (const int32_t *c = begin; c < end; c++) {
        const uint32_t *triangle = fans->triangles + *c / 3 * 3;
        join_across_edge(fans, vertex, triangle[(*c + 1) % 3], *c);
        join_across_edge(fans, vertex, triangle[(*c + 2) % 3], *c);
    }
    double least = least_square(fans, vertex);
    for (const int32_t *c = begin; c < end; c++) store(normals + 3 * (size_t)*c, vec3(0, 0, 0));
    for (const int32_t *c = begin; c < end; c++) {
        float *sum = normals + 3 * (size_t)group_of(fans->parent, *c);
        store(sum, vec3_add(load(sum), weighted_face(fans, vertex, *c, least)));
    }
    /* A group's first corner stands for it, so the others find the finished normal there. */
    for (const int32_t *c = begin; c < end; c++) {
        const float *shared = normals + 3 * (size_t)group_of(fans->parent, *c);
        store(normals + 3 * (size_t)*c, vec3_normalize(load(shared)));
    }
}

PlimStatus normals_smooth(PlimContext *context, const float *vertices, size_t vertex_count,
                          const uint32_t *triangles, size_t triangle_count, float *normals) {
    Fans fans = {.vertex_count = vertex_count,
                 .corner_count = 3 * triangle_count,
                 .vertices = vertices,
                 .triangles = triangles};
    TRY(allocate_fans(context, &fans));
    for (size_t t = 0; t < triangle_count; t++)
        fans.faces[t] = face_normal(vertices, triangles + 3 * t);
    for (size_t v = 0; v < vertex_count; v++) fans.across[v] = NO_CORNER;
    gather_corners(&fans);
    for (size_t v = 0; v < vertex_count; v++) smooth_vertex(&fans, (uint32_t)v, normals);
    free_fans(context, &fans);
    return PLIM_OK;
}
