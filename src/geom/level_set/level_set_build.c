/* Level set construction from a surface (000 section 2.3.1) or from values. */
#include "geom/level_set/level_set_data.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "geom/level_set/thinnest.h"

#include <stdlib.h>
#include <string.h>

LevelSetOptions level_set_options_default(void) {
    return (LevelSetOptions){.march_order = 2, .memory_limit = (size_t)256 << 20};
}

/* ---- the object ---- */

PlimStatus level_set_create(PlimContext *context, const NodeGrid *grid, bool sparse,
                            LevelSet **out) {
    *out = NULL;
    LevelSet *field = context_allocate(context, 1, sizeof *field);
    if (!field) return PLIM_OUT_OF_MEMORY;
    *field = (LevelSet){.context = context, .grid = *grid};
    for (int a = 0; a < 3; a++) {
        field->blocks[a] = (grid->n[a] - 1 + LEVEL_SET_BLOCK - 1) / LEVEL_SET_BLOCK;
        if (field->blocks[a] == 0) field->blocks[a] = 1;
    }
    size_t blocks = level_set_block_count(field);
    field->bounds = context_allocate(context, blocks, sizeof *field->bounds);
    bool good = field->bounds != NULL;
    if (sparse) {
        field->fine = context_allocate(context, blocks, sizeof *field->fine);
        field->corners =
            context_allocate(context, level_set_corner_count(field), sizeof *field->corners);
        good = good && field->fine && field->corners;
    } else {
        field->values = context_allocate(context, node_grid_count(grid), sizeof *field->values);
        good = good && field->values;
    }
    if (!good) {
        level_set_destroy(field);
        return PLIM_OUT_OF_MEMORY;
    }
    *out = field;
    return PLIM_OK;
}

PlimStatus level_set_take_fine(LevelSet *field, size_t count) {
    field->fine_values =
        context_allocate(field->context, count * LEVEL_SET_BLOCK_NODES, sizeof *field->fine_values);
    if (!field->fine_values) return PLIM_OUT_OF_MEMORY;
    field->fine_count = count;
    return PLIM_OK;
}

void level_set_destroy(LevelSet *field) {
    if (!field) return;
    PlimContext *context = field->context;
    size_t blocks = level_set_block_count(field);
    context_free(context, field->bounds, blocks, sizeof *field->bounds);
    context_free(context, field->fine, blocks, sizeof *field->fine);
    context_free(context, field->corners, level_set_corner_count(field), sizeof *field->corners);
    context_free(context, field->fine_values, field->fine_count * LEVEL_SET_BLOCK_NODES,
                 sizeof *field->fine_values);
    context_free(context, field->values, node_grid_count(&field->grid), sizeof *field->values);
    context_free(context, field, 1, sizeof *field);
}

static void widen(double bounds[2], double value) {
    if (value < bounds[0]) bounds[0] = value;
    if (value > bounds[1]) bounds[1] = value;
}

static void bound_dense(const LevelSet *field, size_t block, double bounds[2]) {
    const NodeGrid *grid = &field->grid;
    size_t rest = block;
    int first[3], last[3];
    for (int a = 0; a < 3; a++) {
        first[a] = (int)(rest % (size_t)field->blocks[a]) * LEVEL_SET_BLOCK;
        rest /= (size_t)field->blocks[a];
        last[a] =
            first[a] + LEVEL_SET_BLOCK < grid->n[a] ? first[a] + LEVEL_SET_BLOCK : grid->n[a] - 1;
    }
    for (int k = first[2]; k <= last[2]; k++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int i = first[0]; i <= last[0]; i++)
                widen(bounds, field->values[node_grid_index(grid, i, j, k)]);
}

static void bound_sparse(const LevelSet *field, size_t block, double bounds[2]) {
    if (field->fine[block]) {
        const double *values =
            field->fine_values + (size_t)(field->fine[block] - 1) * LEVEL_SET_BLOCK_NODES;
        for (int i = 0; i < LEVEL_SET_BLOCK_NODES; i++) widen(bounds, values[i]);
        return;
    }
    int i = (int)(block % (size_t)field->blocks[0]);
    int j = (int)(block / (size_t)field->blocks[0] % (size_t)field->blocks[1]);
    int k = (int)(block / (size_t)field->blocks[0] / (size_t)field->blocks[1]);
    for (int c = 0; c < 8; c++)
        widen(bounds, field->corners[level_set_corner_index(field, i + (c & 1), j + (c >> 1 & 1),
                                                            k + (c >> 2))]);
}

static void bound_blocks(void *user, size_t begin, size_t end) {
    const LevelSet *field = user;
    for (size_t block = begin; block < end; block++) {
        double bounds[2] = {HUGE_VAL, -HUGE_VAL};
        if (field->values)
            bound_dense(field, block, bounds);
        else
            bound_sparse(field, block, bounds);
        memcpy(field->bounds[block], bounds, sizeof bounds);
    }
}

void level_set_find_bounds(LevelSet *field) {
    parallel_for(field->context->threads, level_set_block_count(field), 64, bound_blocks, field);
}

PlimStatus level_set_from_values(PlimContext *context, const NodeGrid *grid, const double *values,
                                 LevelSet **out) {
    TRY(level_set_create(context, grid, false, out));
    memcpy((*out)->values, values, node_grid_count(grid) * sizeof *values);
    level_set_find_bounds(*out);
    return PLIM_OK;
}

/* ---- from a surface ---- */

enum { MOST_CELLS = 4096, MOST_BY_EDGES = 128, EDGE_SAMPLE = 999 };

static PlimStatus check_mesh(PlimContext *context, const TriangleMesh *mesh) {
    if (mesh->triangle_count == 0 || mesh->triangle_count > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a distance field cannot be made from a surface of %zu triangles",
                            mesh->triangle_count);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        Vec3 p = mesh->vertices[i];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return context_fail(context, PLIM_BAD_INPUT,
                                "vertex %zu is at (%g, %g, %g): positions must be finite", i, p.x,
                                p.y, p.z);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            if (mesh->triangles[i][k] < 0 || (size_t)mesh->triangles[i][k] >= mesh->vertex_count)
                return context_fail(context, PLIM_BAD_INPUT,
                                    "triangle %zu names vertex %d of %zu: there is no such vertex",
                                    i, (int)mesh->triangles[i][k], mesh->vertex_count);
    return PLIM_OK;
}

static int compare_lengths(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Two cells to the median edge resolve what the mesh resolves; fewer than 24 cells make poor
 * collision shapes of coarse meshes, more than 128 only slow ones of fine meshes. The median is
 * that of some hundred edges spread over the mesh. But a wall or a gap without three cells across
 * would close or open, whatever the edges. */
static int default_cells(const TriangleMesh *mesh, const Bvh *bvh, double longest) {
    double lengths[EDGE_SAMPLE] = {longest}; /* a mesh has at least one triangle */
    size_t count = 0, stride = mesh->triangle_count / (EDGE_SAMPLE / 3) + 1;
    for (size_t t = 0; t < mesh->triangle_count; t += stride)
        for (int i = 0; i < 3 && count < EDGE_SAMPLE; i++)
            lengths[count++] = vec3_length(vec3_sub(mesh->vertices[mesh->triangles[t][(i + 1) % 3]],
                                                    mesh->vertices[mesh->triangles[t][i]]));
    qsort(lengths, count, sizeof *lengths, compare_lengths);
    double cells = 2.0 * longest / lengths[count / 2];
    cells = fmin(fmax(cells, 24), MOST_BY_EDGES);
    double across = ceil(LEVEL_SET_ACROSS * longest / surface_thinnest(mesh, bvh, longest));
    return (int)fmax(cells, fmin(across, LEVEL_SET_MOST_CHOSEN));
}

static PlimStatus choose_grid(PlimContext *context, const TriangleMesh *mesh, const Bvh *bvh,
                              const LevelSetOptions *options, NodeGrid *grid, bool *sparse) {
    if (options->cells < 0 || options->cells > MOST_CELLS)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a distance field of %d cells was asked for: use 1 to %d, or 0 to "
                            "have the number chosen",
                            options->cells, MOST_CELLS);
    if (options->march_order != 1 && options->march_order != 2)
        return context_fail(context, PLIM_BAD_INPUT, "the order of marching is %d: use 1 or 2",
                            options->march_order);
    Box3 box = bvh_bounds(bvh);
    Vec3 size = vec3_sub(box.high, box.low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    if (!(longest > 0.0) || !isfinite(longest))
        return context_fail(context, PLIM_BAD_INPUT,
                            "a distance field cannot be made: the surface is %g m long", longest);
    int cells = options->cells ? options->cells : default_cells(mesh, bvh, longest);
    *grid = node_grid_around(box, cells, LEVEL_SET_MARGIN);
    double nodes = (double)grid->n[0] * grid->n[1] * grid->n[2];
    *sparse = nodes * sizeof(double) > (double)options->memory_limit ||
              (!options->cells && cells > MOST_BY_EDGES);
    for (int a = 0; a < 3 && *sparse; a++) /* whole blocks */
        grid->n[a] += (LEVEL_SET_BLOCK - (grid->n[a] - 1) % LEVEL_SET_BLOCK) % LEVEL_SET_BLOCK;
    if (nodes < 4.0e9) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT,
                        "a distance field of %d x %d x %d nodes is too large: ask for fewer cells",
                        grid->n[0], grid->n[1], grid->n[2]);
}

typedef struct SignPass {
    double *values; /* in: distance in cells; out: signed distance in m */
    double spacing;
    unsigned char *flags; /* in: of the node; out: whether the distance is known */
} SignPass;

static void apply_signs(void *user, size_t begin, size_t end) {
    const SignPass *pass = user;
    for (size_t i = begin; i < end; i++) {
        bool known = pass->values[i] < HUGE_VAL;
        double distance = known ? pass->values[i] * pass->spacing : 1.0;
        pass->values[i] = pass->flags[i] & NODE_INSIDE ? -distance : distance;
        pass->flags[i] = known;
    }
}

static PlimStatus fill_dense(LevelSet *field, const GridSurface *surface, unsigned char *flags,
                             int march_order, LevelSetReport *report) {
    double start = clock_seconds();
    const NodeGrid *grid = &field->grid;
    TRY(level_set_band(field->context, surface, field->values));
    SignPass pass = {field->values, grid->spacing, flags};
    parallel_for(field->context->threads, node_grid_count(grid), 1 << 14, apply_signs, &pass);
    report->distance_seconds = clock_seconds() - start;
    MarchGrid march = {{grid->n[0], grid->n[1], grid->n[2]}, grid->spacing};
    Scratch scratch;
    scratch_init(&scratch, field->context);
    PlimStatus status =
        march_distance(&scratch, &march, flags, march_order, HUGE_VAL, field->values);
    scratch_free(&scratch);
    report->march_seconds = clock_seconds() - start - report->distance_seconds;
    return status;
}

/* Signs, then distances (000 section 2.3.1). */
static PlimStatus fill_field(LevelSet *field, GridSurface *surface, const Bvh *bvh, int march_order,
                             LevelSetReport *report) {
    PlimContext *context = field->context;
    double start = clock_seconds();
    size_t count = node_grid_count(&field->grid);
    unsigned char *flags = context_allocate(context, count, 1);
    if (!flags) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = level_set_find_signs(context, surface, flags, report);
    if (status == PLIM_OK && surface->closed) {
        level_set_drop_overlapped(surface, flags, context->threads);
        if (level_set_has_overlaps(&field->grid, flags)) surface->flags = flags;
    }
    report->sign_seconds = clock_seconds() - start;
    if (status == PLIM_OK && field->values)
        status = fill_dense(field, surface, flags, march_order, report);
    else if (status == PLIM_OK)
        status = level_set_fill_sparse(field, surface, bvh, flags, march_order, report);
    context_free(context, flags, count, 1);
    return status;
}

static PlimStatus build(PlimContext *context, const TriangleMesh *mesh, const Bvh *bvh,
                        const NodeGrid *grid, bool sparse, int march_order, LevelSet **out,
                        LevelSetReport *report) {
    report->closed = mesh_is_closed(context, mesh);
    LevelSet *field;
    TRY(level_set_create(context, grid, sparse, &field));
    GridSurface surface;
    PlimStatus status = grid_surface_create(context, mesh, &field->grid, report->closed, &surface);
    if (status == PLIM_OK) {
        status = fill_field(field, &surface, bvh, march_order, report);
        grid_surface_free(context, &surface);
    }
    if (status != PLIM_OK) {
        level_set_destroy(field);
        return status;
    }
    level_set_find_bounds(field);
    *out = field;
    return PLIM_OK;
}

PlimStatus level_set_from_mesh(PlimContext *context, const TriangleMesh *mesh, const Bvh *bvh,
                               const LevelSetOptions *options, LevelSet **out,
                               LevelSetReport *report) {
    double start = clock_seconds();
    LevelSetReport unused;
    if (!report) report = &unused;
    *report = (LevelSetReport){0};
    *out = NULL;
    NodeGrid grid;
    bool sparse = false;
    TRY(check_mesh(context, mesh));
    TRY(choose_grid(context, mesh, bvh, options, &grid, &sparse));
    CacheKey key = {0};
    if (options->cache) {
        key = level_set_cache_key(mesh, &grid, sparse, options->march_order);
        level_set_cache_load(context, options->cache, key, &grid, sparse, out, report);
    }
    if (!*out) {
        TRY(build(context, mesh, bvh, &grid, sparse, options->march_order, out, report));
        /* A field that cannot be kept is as good as one that can. */
        if (options->cache && level_set_cache_save(options->cache, key, *out, report) != PLIM_OK)
            context_log(context, PLIM_LOG_WARNING, "the distance field was not kept: %s",
                        plim_message(context));
    }
    report->seconds = clock_seconds() - start;
    return PLIM_OK;
}
