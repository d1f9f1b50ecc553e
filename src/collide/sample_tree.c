/* Bounding volume hierarchies of samples: which vertices and edges of a mesh speak for its surface,
 * and boxes of boxes of them. */
#include "collide/sample_tree.h"

#include "geom/mesh/mesh_topology.h"

#include <string.h>

/* Small enough that the distance of few samples is asked for in vain, large enough that there are
 * not more nodes than samples. */
enum { LEAF = 8 };

/* An edge shorter than this part of the body hides little between its ends (000 section 2.4). */
static const double long_edge = 1.0 / 16.0;
/* Triangles whose normals differ by less lie in one plane. */
static const double same_plane = 1e-6;
/* Play of the cone of normals, radians: a body that turns meets a vertex before it is its lowest,
 * and the triangles of a smooth surface stand for others. */
static const double cone_play = 0.3;

/* ---- vertices and edges of a mesh ---- */

static Vec3 triangle_corner(const TriangleMesh *mesh, size_t triangle, int corner) {
    return mesh->vertices[mesh->triangles[triangle][corner % 3]];
}

static Vec3 triangle_normal(const TriangleMesh *mesh, size_t triangle) {
    Vec3 a = triangle_corner(mesh, triangle, 0);
    return vec3_normalize(vec3_cross(vec3_sub(triangle_corner(mesh, triangle, 1), a),
                                     vec3_sub(triangle_corner(mesh, triangle, 2), a)));
}

static double corner_angle(const TriangleMesh *mesh, size_t triangle, int corner) {
    Vec3 at = triangle_corner(mesh, triangle, corner);
    Vec3 a = vec3_sub(triangle_corner(mesh, triangle, corner + 1), at);
    Vec3 b = vec3_sub(triangle_corner(mesh, triangle, corner + 2), at);
    return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
}

/* A vertex of the mesh while the tree is made. */
typedef struct MeshVertex {
    Vec3 outward; /* normals weighted by angles: positive along every way out to which this vertex
                   * is the nearest point (Baerentzen and Aanaes 2005) */
    double least; /* cosine between that and the triangle's normal farthest from it */
    bool used, open;
} MeshVertex;

/* Of a cone with some play; -1: any direction. */
static double least_cosine(double cosine) {
    double angle = acos(fmin(fmax(cosine, -1.0), 1.0)) + cone_play;
    return cos(fmin(angle, acos(-1.0)));
}

static void gather_normals(const TriangleMesh *mesh, MeshVertex *vertices) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 normal = triangle_normal(mesh, t);
        for (int c = 0; c < 3; c++) {
            MeshVertex *vertex = &vertices[mesh->triangles[t][c]];
            vertex->used = true;
            vertex->outward = vec3_add_scaled(vertex->outward, corner_angle(mesh, t, c), normal);
        }
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        vertices[i].outward = vec3_normalize(vertices[i].outward);
        vertices[i].least = 1.0;
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 normal = triangle_normal(mesh, t);
        for (int c = 0; c < 3; c++) {
            MeshVertex *vertex = &vertices[mesh->triangles[t][c]];
            vertex->least = fmin(vertex->least, vec3_dot(normal, vertex->outward));
        }
    }
}

/* The sides of one edge: two triangles that run it in opposite directions have an inside. */
static bool edge_is_closed(const SideList *sides, size_t begin, size_t end) {
    return end - begin == 2 &&
           side_runs_down(sides->items[begin]) != side_runs_down(sides->items[begin + 1]);
}

static int32_t edge_low(SortItem item) {
    return (int32_t)(item.key >> 32);
}

static int32_t edge_high(SortItem item) {
    return (int32_t)(item.key & 0xFFFFFFFFu);
}

/* Fills in the edge; false when the vertices speak for it. */
static bool edge_counts(const TriangleMesh *mesh, const SideList *sides, size_t begin, size_t end,
                        double least_length, SampleEdge *out) {
    SortItem item = sides->items[begin];
    *out =
        (SampleEdge){.from = mesh->vertices[edge_low(item)], .to = mesh->vertices[edge_high(item)]};
    if (!(vec3_length(vec3_sub(out->to, out->from)) >= least_length)) return false;
    if (!edge_is_closed(sides, begin, end)) return true;
    Vec3 a = triangle_normal(mesh, side_triangle(item));
    Vec3 b = triangle_normal(mesh, side_triangle(sides->items[begin + 1]));
    out->inward = vec3_scale(-1.0, vec3_normalize(vec3_add(a, b)));
    out->least = least_cosine(-vec3_dot(a, out->inward));
    return vec3_dot(a, b) < 1.0 - same_plane;
}

/* With out == NULL counts only. */
static size_t gather_edges(const TriangleMesh *mesh, const SideList *sides, double shortest,
                           SampleEdge *out) {
    Vec3 low, high;
    mesh_bounds(mesh, &low, &high);
    Vec3 size = vec3_sub(high, low);
    double least_length = shortest * fmax(size.x, fmax(size.y, size.z));
    size_t count = 0;
    for (size_t begin = 0, end; begin < sides->count; begin = end) {
        SampleEdge edge;
        end = side_run_end(sides, begin);
        if (!edge_counts(mesh, sides, begin, end, least_length, &edge)) continue;
        if (out) out[count] = edge;
        count++;
    }
    return count;
}

static void mark_open(const SideList *sides, MeshVertex *vertices) {
    for (size_t begin = 0, end; begin < sides->count; begin = end) {
        end = side_run_end(sides, begin);
        if (edge_is_closed(sides, begin, end)) continue;
        vertices[edge_low(sides->items[begin])].open = true;
        vertices[edge_high(sides->items[begin])].open = true;
    }
}

/* A sheet has no inside, nor has any vertex of it. Within a flat part of a closed surface no vertex
 * stands out. With out == NULL counts only. */
static size_t gather_vertices(const TriangleMesh *mesh, const MeshVertex *vertices,
                              SampleVertex *out) {
    bool open = false;
    size_t count = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) open |= vertices[i].open;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (!vertices[i].used || (!open && vertices[i].least > 1.0 - same_plane)) continue;
        Vec3 inward = vec3_scale(open ? 0.0 : -1.0, vertices[i].outward);
        if (out)
            out[count] = (SampleVertex){mesh->vertices[i], inward, least_cosine(vertices[i].least)};
        count++;
    }
    return count;
}

/* ---- trees ---- */

/* One tree being made. A sample is a vertex (ends 1) or an edge (ends 2): its ends come first in
 * it. */
typedef struct TreeBuild {
    const void *samples;
    size_t sample_size;
    int ends;
    SortItem *order, *spare; /* order[i].index: the sample at place i */
    SampleNode *nodes;
    uint32_t node_count;
} TreeBuild;

static const Vec3 *sample_ends(const TreeBuild *build, size_t place) {
    const char *bytes = build->samples;
    return (const Vec3 *)(const void *)(bytes + build->order[place].index * build->sample_size);
}

static size_t tree_node_count(size_t samples) {
    if (samples <= LEAF) return samples > 0;
    return 1 + tree_node_count(samples / 2) + tree_node_count(samples - samples / 2);
}

static Box3 samples_box(const TreeBuild *build, size_t first, size_t count) {
    Box3 box = box3_empty();
    for (size_t i = first; i < first + count; i++)
        for (int end = 0; end < build->ends; end++)
            box = box3_add_point(box, sample_ends(build, i)[end]);
    return box;
}

static double samples_reach(const TreeBuild *build, size_t first, size_t count, Vec3 center) {
    double farthest = 0.0;
    for (size_t i = first; i < first + count; i++)
        for (int end = 0; end < build->ends; end++) {
            Vec3 apart = vec3_sub(sample_ends(build, i)[end], center);
            farthest = fmax(farthest, vec3_dot(apart, apart));
        }
    return sqrt(farthest) * (1.0 + 1e-12);
}

/* A number that grows as x does. */
static uint64_t sort_key(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static void sort_samples(TreeBuild *build, size_t first, size_t count, Vec3 size) {
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (size_t i = first; i < first + count; i++) {
        const Vec3 *ends = sample_ends(build, i);
        double middle = vec3_component(ends[0], axis) + vec3_component(ends[build->ends - 1], axis);
        build->order[i].key = sort_key(middle);
    }
    sort_items(build->order + first, build->spare, count);
}

/* Halves the samples along the longest side of their box until they fit a leaf. */
static void build_node(TreeBuild *build, size_t first, size_t count) {
    SampleNode *node = &build->nodes[build->node_count++];
    Box3 box = samples_box(build, first, count);
    node->center = box3_center(box);
    node->reach = samples_reach(build, first, count, node->center);
    if (count <= LEAF) {
        node->first = (uint32_t)first;
        node->count = (uint32_t)count;
    } else {
        sort_samples(build, first, count, vec3_sub(box.high, box.low));
        build_node(build, first, count / 2);
        build_node(build, first + count / 2, count - count / 2);
    }
    node->skip = build->node_count;
}

/* Makes the nodes and copies the samples to `sorted` in the order of the leaves. */
static PlimStatus build_tree(PlimContext *context, TreeBuild *build, size_t count, void *sorted) {
    if (count == 0) return PLIM_OK;
    build->order = context_allocate(context, count, sizeof *build->order);
    build->spare = context_allocate(context, count, sizeof *build->spare);
    bool room = build->order && build->spare;
    if (room) {
        for (size_t i = 0; i < count; i++) build->order[i].index = i;
        build_node(build, 0, count);
        for (size_t i = 0; i < count; i++)
            memcpy((char *)sorted + i * build->sample_size, sample_ends(build, i),
                   build->sample_size);
    }
    if (build->order) context_free(context, build->order, count, sizeof *build->order);
    if (build->spare) context_free(context, build->spare, count, sizeof *build->spare);
    return room ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* ---- all of it ---- */

/* Memory that is held while a tree is made. */
typedef struct TreeParts {
    SideList sides;
    MeshVertex *vertices;
    SampleVertex *sample_vertices;
    SampleEdge *sample_edges;
} TreeParts;

static PlimStatus take_tree_memory(PlimContext *context, SampleTree *tree, TreeParts *parts) {
    size_t vertices = tree->vertex_count, edges = tree->edge_count;
    tree->vertex_node_count = tree_node_count(vertices);
    tree->edge_node_count = tree_node_count(edges);
    struct {
        void **to;
        size_t count, size;
    } wanted[] = {{(void **)&parts->sample_vertices, vertices, sizeof(SampleVertex)},
                  {(void **)&parts->sample_edges, edges, sizeof(SampleEdge)},
                  {(void **)&tree->vertices, vertices, sizeof(SampleVertex)},
                  {(void **)&tree->edges, edges, sizeof(SampleEdge)},
                  {(void **)&tree->vertex_nodes, tree->vertex_node_count, sizeof(SampleNode)},
                  {(void **)&tree->edge_nodes, tree->edge_node_count, sizeof(SampleNode)}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (wanted[i].count == 0) continue;
        *wanted[i].to = context_allocate(context, wanted[i].count, wanted[i].size);
        if (!*wanted[i].to) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

static PlimStatus fill_tree(PlimContext *context, const TriangleMesh *mesh, double shortest,
                            SampleTree *tree, TreeParts *parts) {
    TRY(side_list_create(context, mesh, &parts->sides));
    parts->vertices = context_allocate(context, mesh->vertex_count, sizeof *parts->vertices);
    if (!parts->vertices) return PLIM_OUT_OF_MEMORY;
    gather_normals(mesh, parts->vertices);
    mark_open(&parts->sides, parts->vertices);
    tree->vertex_count = gather_vertices(mesh, parts->vertices, NULL);
    tree->edge_count = gather_edges(mesh, &parts->sides, shortest, NULL);
    TRY(take_tree_memory(context, tree, parts));
    gather_vertices(mesh, parts->vertices, parts->sample_vertices);
    gather_edges(mesh, &parts->sides, shortest, parts->sample_edges);
    TreeBuild vertices = {.samples = parts->sample_vertices,
                          .sample_size = sizeof(SampleVertex),
                          .ends = 1,
                          .nodes = tree->vertex_nodes};
    TreeBuild edges = {.samples = parts->sample_edges,
                       .sample_size = sizeof(SampleEdge),
                       .ends = 2,
                       .nodes = tree->edge_nodes};
    TRY(build_tree(context, &vertices, tree->vertex_count, tree->vertices));
    return build_tree(context, &edges, tree->edge_count, tree->edges);
}

static void free_block(PlimContext *context, void *block, size_t count, size_t size) {
    if (block) context_free(context, block, count, size);
}

/* Edges below `shortest`, a part of the size of the mesh, are left out. */
static PlimStatus create_tree(PlimContext *context, const TriangleMesh *mesh, double shortest,
                              SampleTree **out) {
    *out = NULL;
    SampleTree *tree = context_allocate(context, 1, sizeof *tree);
    if (!tree) return PLIM_OUT_OF_MEMORY;
    TreeParts parts = {0};
    PlimStatus status = fill_tree(context, mesh, shortest, tree, &parts);
    side_list_free(context, &parts.sides);
    free_block(context, parts.vertices, mesh->vertex_count, sizeof *parts.vertices);
    free_block(context, parts.sample_vertices, tree->vertex_count, sizeof *parts.sample_vertices);
    free_block(context, parts.sample_edges, tree->edge_count, sizeof *parts.sample_edges);
    if (status == PLIM_OK)
        *out = tree;
    else
        sample_tree_destroy(context, tree);
    return status;
}

PlimStatus sample_tree_create(PlimContext *context, const TriangleMesh *mesh, SampleTree **out) {
    return create_tree(context, mesh, long_edge, out);
}

PlimStatus sample_tree_create_fine(PlimContext *context, const TriangleMesh *mesh,
                                   SampleTree **out) {
    return create_tree(context, mesh, 0.0, out);
}

void sample_tree_destroy(PlimContext *context, SampleTree *tree) {
    if (!tree) return;
    free_block(context, tree->vertices, tree->vertex_count, sizeof *tree->vertices);
    free_block(context, tree->edges, tree->edge_count, sizeof *tree->edges);
    free_block(context, tree->vertex_nodes, tree->vertex_node_count, sizeof *tree->vertex_nodes);
    free_block(context, tree->edge_nodes, tree->edge_node_count, sizeof *tree->edge_nodes);
    context_free(context, tree, 1, sizeof *tree);
}

size_t sample_tree_bytes(const SampleTree *tree) {
    return sizeof *tree + tree->vertex_count * sizeof *tree->vertices +
           tree->edge_count * sizeof *tree->edges +
           tree->vertex_node_count * sizeof *tree->vertex_nodes +
           tree->edge_node_count * sizeof *tree->edge_nodes;
}
