/* Obstacles of a fluid as an isosurface: cells inside meshes found by crossings along rows. */
#include "render/obstacles.h"

#include "base/parallel.h"
#include "geom/mesh/isosurface.h"

#include <string.h>

/* Two cells stand around the box, so that what touches a side goes on beyond it. */
enum { BORDER = 2, BLUR_PASSES = 2 };

static const float obstacle_color[3] = {0.62f, 0.62f, 0.63f};

/* Nodes are the centres of the cells, those of the border included. */
typedef struct Shapes {
    NodeGrid grid;
    size_t count;
    unsigned char *hidden; /* inside or beside a body */
    double *share;         /* of obstacle; blurred */
    double *other;
} Shapes;

/* ---- cells inside meshes ---- */

/* A corner in cells: whole numbers are the centres of cells. */
static Vec3 corner_of(const Shapes *shapes, const FrameMesh *mesh, size_t triangle, int corner) {
    const float *v = mesh->vertices + 3 * (size_t)mesh->triangles[3 * triangle + (size_t)corner];
    Vec3 at = vec3((double)v[0], (double)v[1], (double)v[2]);
    return vec3_scale(1.0 / shapes->grid.spacing, vec3_sub(at, shapes->grid.origin));
}

/* Whether the edge passes above (y, z) in the plane across x. Computed from its lower end on, so
 * that two triangles at one edge agree and no row slips between them. */
static bool edge_passes(Vec3 a, Vec3 b, double y, double z) {
    if ((a.z > z) == (b.z > z)) return false;
    Vec3 low = a.z < b.z ? a : b, high = a.z < b.z ? b : a;
    return y < low.y + (z - low.z) / (high.z - low.z) * (high.y - low.y);
}

/* Turns over all cells of the row (j, k) beyond the triangle. */
static void cross_row(Shapes *shapes, const Vec3 c[3], int j, int k) {
    bool inside = edge_passes(c[0], c[1], j, k);
    inside ^= edge_passes(c[1], c[2], j, k);
    inside ^= edge_passes(c[2], c[0], j, k);
    Vec3 normal = vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0]));
    if (!inside || normal.x == 0.0) return;
    double x = c[0].x - (normal.y * (j - c[0].y) + normal.z * (k - c[0].z)) / normal.x;
    int nx = shapes->grid.n[0];
    int first = x < 0 ? 0 : x < nx ? (int)ceil(x) : nx;
    unsigned char *row = shapes->hidden + node_grid_index(&shapes->grid, 0, j, k);
    for (int i = first; i < nx; i++) row[i] ^= 1;
}

static int row_limit(double place, int count) {
    return place < 0 ? 0 : place < count ? (int)place : count - 1;
}

static void hide_mesh(Shapes *shapes, const FrameMesh *mesh) {
    const int *n = shapes->grid.n;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 c[3];
        for (int i = 0; i < 3; i++) c[i] = corner_of(shapes, mesh, t, i);
        Vec3 low = vec3_min(c[0], vec3_min(c[1], c[2]));
        Vec3 high = vec3_max(c[0], vec3_max(c[1], c[2]));
        if (!(low.y < n[1] && low.z < n[2] && high.y >= 0 && high.z >= 0)) continue;
        int last_j = row_limit(high.y, n[1]), last_k = row_limit(high.z, n[2]);
        for (int k = row_limit(low.z, n[2]); k <= last_k; k++)
            for (int j = row_limit(low.y, n[1]); j <= last_j; j++) cross_row(shapes, c, j, k);
    }
}

/* Cells beside hidden ones: the fluid and the mesh need not agree to the cell. */
static void widen_hidden(Shapes *shapes, int axis) {
    size_t stride = axis == 0   ? 1
                    : axis == 1 ? (size_t)shapes->grid.n[0]
                                : (size_t)shapes->grid.n[0] * (size_t)shapes->grid.n[1];
    unsigned char *hidden = shapes->hidden;
    for (size_t i = 0; i + stride < shapes->count; i++)
        if (hidden[i + stride] & 1) hidden[i] |= 2;
    for (size_t i = shapes->count; i-- > stride;)
        if (hidden[i - stride] & 1) hidden[i] |= 2;
    for (size_t i = 0; i < shapes->count; i++) hidden[i] = hidden[i] != 0;
}

/* ---- the smooth shape ---- */

static int nearest_cell(int node, int cells) {
    int cell = node - BORDER;
    return cell < 0 ? 0 : cell < cells ? cell : cells - 1;
}

/* True when any cell is left to draw. */
static bool load_share(Shapes *shapes, const FrameVolume *volume) {
    bool any = false;
    const int *n = volume->n;
    for (int k = 0; k < shapes->grid.n[2]; k++)
        for (int j = 0; j < shapes->grid.n[1]; j++)
            for (int i = 0; i < shapes->grid.n[0]; i++) {
                size_t at = node_grid_index(&shapes->grid, i, j, k);
                size_t cell =
                    ((size_t)nearest_cell(k, n[2]) * (size_t)n[1] + (size_t)nearest_cell(j, n[1])) *
                        (size_t)n[0] +
                    (size_t)nearest_cell(i, n[0]);
                shapes->share[at] = volume->solid[cell] && !shapes->hidden[at] ? 1.0 : 0.0;
                any = any || shapes->share[at] > 0;
            }
    return any;
}

typedef struct BlurJob {
    const Shapes *shapes;
    const double *from;
    double *to;
    int axis;
} BlurJob;

static void blur_layers(void *user, size_t begin, size_t end) {
    const BlurJob *job = user;
    const NodeGrid *grid = &job->shapes->grid;
    const size_t strides[3] = {1, (size_t)grid->n[0], (size_t)grid->n[0] * (size_t)grid->n[1]};
    size_t stride = strides[job->axis];
    for (size_t k = begin; k < end; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) {
                int at = job->axis == 0 ? i : job->axis == 1 ? j : (int)k;
                size_t here = node_grid_index(grid, i, j, (int)k);
                double low = job->from[at > 0 ? here - stride : here];
                double high = job->from[at + 1 < grid->n[job->axis] ? here + stride : here];
                job->to[here] = 0.25 * low + 0.5 * job->from[here] + 0.25 * high;
            }
}

static void blur(int threads, Shapes *shapes) {
    for (int pass = 0; pass < 3 * BLUR_PASSES; pass++) {
        BlurJob job = {shapes, shapes->share, shapes->other, pass % 3};
        parallel_for(threads, (size_t)shapes->grid.n[2], 4, blur_layers, &job);
        double *swapped = shapes->share;
        shapes->share = shapes->other;
        shapes->other = swapped;
    }
    for (size_t i = 0; i < shapes->count; i++) shapes->share[i] = 0.5 - shapes->share[i];
}

/* ---- the mesh ---- */

static PlimStatus mesh_from(PlimContext *context, const TriangleMesh *surface, RenderMesh *out) {
    float *vertices = context_allocate(context, 3 * surface->vertex_count, sizeof *vertices);
    int32_t *triangles = context_allocate(context, 3 * surface->triangle_count, sizeof *triangles);
    int32_t *objects = context_allocate(context, surface->triangle_count, sizeof *objects);
    *out = (RenderMesh){.vertices = vertices,
                        .vertex_count = surface->vertex_count,
                        .triangles = triangles,
                        .triangle_count = surface->triangle_count,
                        .objects = objects,
                        .colors = obstacle_color,
                        .smooth = true};
    if (!vertices || !triangles || !objects) {
        obstacle_mesh_free(context, out);
        return PLIM_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < surface->vertex_count; i++) {
        vertices[3 * i] = (float)surface->vertices[i].x;
        vertices[3 * i + 1] = (float)surface->vertices[i].y;
        vertices[3 * i + 2] = (float)surface->vertices[i].z;
    }
    for (size_t i = 0; i < surface->triangle_count; i++)
        memcpy(triangles + 3 * i, surface->triangles[i], sizeof surface->triangles[i]);
    return PLIM_OK;
}

static PlimStatus fill_and_extract(PlimContext *context, Shapes *shapes, const FrameVolume *volume,
                                   const FrameMesh *bodies, size_t body_count, RenderMesh *out) {
    for (size_t i = 0; i < body_count; i++) hide_mesh(shapes, &bodies[i]);
    for (int axis = 0; body_count > 0 && axis < 3; axis++) widen_hidden(shapes, axis);
    if (!load_share(shapes, volume)) return PLIM_OK;
    blur(context->threads, shapes);
    TriangleMesh surface;
    TRY(isosurface_extract(context, &shapes->grid, shapes->share, NULL, 0, &surface, NULL));
    PlimStatus status = mesh_from(context, &surface, out);
    mesh_free(context, &surface);
    return status;
}

PlimStatus obstacle_mesh_create(PlimContext *context, const FrameVolume *volume,
                                const FrameMesh *bodies, size_t body_count, RenderMesh *out) {
    *out = (RenderMesh){0};
    Shapes shapes = {.grid = {.spacing = volume->spacing}};
    double before = (0.5 - BORDER) * volume->spacing;
    shapes.grid.origin = vec3_add(vec3(volume->origin[0], volume->origin[1], volume->origin[2]),
                                  vec3(before, before, before));
    for (int axis = 0; axis < 3; axis++) shapes.grid.n[axis] = volume->n[axis] + 2 * BORDER;
    shapes.count = node_grid_count(&shapes.grid);
    shapes.hidden = context_allocate(context, shapes.count, 1);
    shapes.share = context_allocate(context, shapes.count, sizeof *shapes.share);
    shapes.other = context_allocate(context, shapes.count, sizeof *shapes.other);
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    if (shapes.hidden && shapes.share && shapes.other)
        status = fill_and_extract(context, &shapes, volume, bodies, body_count, out);
    context_free(context, shapes.hidden, shapes.count, 1);
    context_free(context, shapes.share, shapes.count, sizeof *shapes.share);
    context_free(context, shapes.other, shapes.count, sizeof *shapes.other);
    return status;
}

void obstacle_mesh_free(PlimContext *context, RenderMesh *mesh) {
    context_free(context, (void *)(uintptr_t)mesh->vertices, 3 * mesh->vertex_count,
                 sizeof *mesh->vertices);
    context_free(context, (void *)(uintptr_t)mesh->triangles, 3 * mesh->triangle_count,
                 sizeof *mesh->triangles);
    context_free(context, (void *)(uintptr_t)mesh->objects, mesh->triangle_count,
                 sizeof *mesh->objects);
    *mesh = (RenderMesh){0};
}
