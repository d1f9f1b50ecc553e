/* `plimsoll mesh`: what is in a mesh file, repair, its distance field, surface and tetrahedra. */
#include "app.h"
#include "mesh_info.h"

#include "base/file.h"
#include "geom/level_set/level_set.h"
#include "geom/mesh/isosurface.h"
#include "geom/mesh/mesh_file.h"
#include "geom/tet/tet_mesh.h"
#include "io/h5.h"

#include <string.h>

typedef struct MeshRequest {
    const char *path, *to, *field, *surface, *tets;
    int64_t cells;
    double spacing;
    bool repair;
} MeshRequest;

static PlimStatus write_mesh(PlimContext *context, const TriangleMesh *mesh, const char *path) {
    Text text;
    text_init(&text, context);
    const char *dot = strrchr(path, '.');
    PlimStatus status = PLIM_OK;
    if (dot && strcmp(dot, ".ply") == 0)
        mesh_write_ply(mesh, &text);
    else if (dot && strcmp(dot, ".obj") == 0)
        mesh_write_obj(mesh, &text);
    else
        status = context_fail(context, PLIM_BAD_INPUT, "%s: name a file that ends in .ply or .obj",
                              path);
    if (status == PLIM_OK)
        status = text.failed
                     ? PLIM_OUT_OF_MEMORY
                     : file_write(context, path, text_string(&text), text.bytes.count, false);
    text_free(&text);
    return status;
}

/* ---- the distance field ---- */

static PlimStatus copy_nodes(PlimContext *context, const LevelSet *field, double **out) {
    const NodeGrid *grid = level_set_grid(field);
    *out = context_allocate(context, node_grid_count(grid), sizeof **out);
    if (!*out) return PLIM_OUT_OF_MEMORY;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++)
                (*out)[node_grid_index(grid, i, j, k)] = level_set_node(field, i, j, k);
    return PLIM_OK;
}

static PlimStatus write_field(PlimContext *context, const NodeGrid *grid, const double *phi,
                              const char *path) {
    H5Builder *file;
    TRY(h5_builder_create(context, &file));
    h5_add_data(file, "/phi", H5_F64, node_grid_count(grid), 1, phi, "m");
    h5_add_number(file, "/", "spacing", grid->spacing);
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    const int32_t size[3] = {grid->n[0], grid->n[1], grid->n[2]};
    h5_add_data(file, "/origin", H5_F64, 3, 1, origin, "m");
    h5_add_data(file, "/n", H5_I32, 3, 1, size, NULL); /* x fastest in phi */
    char *bytes;
    size_t length;
    PlimStatus status = h5_builder_finish(file, &bytes, &length);
    h5_builder_destroy(file);
    TRY(status);
    status = file_write(context, path, bytes, length, false);
    context_free(context, bytes, length, 1);
    return status;
}

static PlimStatus write_isosurface(PlimContext *context, const NodeGrid *grid, const double *phi,
                                   const char *path) {
    TriangleMesh surface;
    TRY(isosurface_extract(context, grid, phi, NULL, 0, &surface, NULL));
    PlimStatus status =
        surface.triangle_count > 0
            ? write_mesh(context, &surface, path)
            : context_fail(context, PLIM_BAD_INPUT,
                           "nothing of the mesh shows in cells of %g m; give it more --cells",
                           grid->spacing);
    mesh_free(context, &surface);
    return status;
}

static double sample_field(void *user, Vec3 p) {
    return level_set_value(user, p);
}

static PlimStatus write_tets(PlimContext *context, LevelSet *field, double spacing,
                             const char *path) {
    const NodeGrid *grid = level_set_grid(field);
    Box3 box = {grid->origin,
                node_grid_position(grid, grid->n[0] - 1, grid->n[1] - 1, grid->n[2] - 1)};
    TetMesh tets;
    TRY(tet_mesh_stuff(context, box, spacing, sample_field, field, &tets));
    TetQuality quality = tet_mesh_quality(&tets);
    printf("tets: %zu\ntet vertices: %zu\ntet volume: %.17g m^3\n", tets.tet_count,
           tets.vertex_count, quality.volume);
    printf("inverted tets: %zu\ndihedral angles: %.4g to %.4g degrees\n", quality.inverted,
           quality.least_dihedral, quality.greatest_dihedral);
    Text text;
    text_init(&text, context);
    tet_mesh_write_gmsh(&tets, &text);
    PlimStatus status =
        text.failed ? PLIM_OUT_OF_MEMORY
                    : file_write(context, path, text_string(&text), text.bytes.count, false);
    text_free(&text);
    tet_mesh_free(context, &tets);
    return status;
}

static PlimStatus use_field(PlimContext *context, LevelSet *field, const MeshRequest *request) {
    const NodeGrid *grid = level_set_grid(field);
    printf("field: %d x %d x %d nodes, spacing %.6g m, %.2f MB%s\n", grid->n[0], grid->n[1],
           grid->n[2], grid->spacing, 1e-6 * (double)level_set_bytes(field),
           level_set_is_sparse(field) ? ", sparse" : "");
    double *phi;
    TRY(copy_nodes(context, field, &phi));
    PlimStatus status = PLIM_OK;
    if (request->field) status = write_field(context, grid, phi, request->field);
    if (status == PLIM_OK && request->surface)
        status = write_isosurface(context, grid, phi, request->surface);
    if (status == PLIM_OK && request->tets)
        status =
            write_tets(context, field, request->spacing > 0 ? request->spacing : 2 * grid->spacing,
                       request->tets);
    context_free(context, phi, node_grid_count(grid), sizeof *phi);
    return status;
}

/* A field fine enough for tetrahedra of a given spacing: two cells to one of them. */
static int cells_for_spacing(const TriangleMesh *mesh, double spacing) {
    Vec3 low, high;
    mesh_bounds(mesh, &low, &high);
    Vec3 size = vec3_sub(high, low);
    double cells = ceil(2 * fmax(size.x, fmax(size.y, size.z)) / spacing);
    return (int)fmin(fmax(cells, 16), 1024);
}

static PlimStatus make_field(PlimContext *context, const TriangleMesh *mesh,
                             const MeshRequest *request) {
    Bvh *bvh;
    BvhInput input = bvh_input_triangles(mesh);
    TRY(bvh_create(context, &input, &bvh));
    LevelSetOptions options = level_set_options_default();
    options.cells = (int)request->cells;
    if (options.cells == 0 && request->tets && request->spacing > 0)
        options.cells = cells_for_spacing(mesh, request->spacing);
    options.cache = context->cache_folder;
    LevelSet *field = NULL;
    LevelSetReport built;
    PlimStatus status = level_set_from_mesh(context, mesh, bvh, &options, &field, &built);
    if (status == PLIM_OK && !built.closed)
        printf("field: the surface has gaps; the sign of %zu nodes was voted\n", built.voted);
    if (status == PLIM_OK) status = use_field(context, field, request);
    level_set_destroy(field);
    bvh_destroy(bvh);
    return status;
}

/* ---- the command ---- */

static PlimStatus treat_mesh(PlimContext *context, const MeshRequest *request) {
    TriangleMesh mesh;
    TRY(mesh_read(context, request->path, &mesh));
    PlimStatus status = PLIM_OK;
    if (request->repair) status = mesh_info_repair(context, &mesh);
    if (status == PLIM_OK) status = mesh_info_print(context, &mesh);
    if (status == PLIM_OK && request->to) status = write_mesh(context, &mesh, request->to);
    if (status == PLIM_OK && (request->field || request->surface || request->tets))
        status = make_field(context, &mesh, request);
    mesh_free(context, &mesh);
    return status;
}

int command_mesh(int argc, char **argv) {
    MeshRequest request = {0};
    int64_t threads = 0;
    const Option table[] = {
        {"--to", OPTION_TEXT, &request.to},
        {"--field", OPTION_TEXT, &request.field},
        {"--surface", OPTION_TEXT, &request.surface},
        {"--tets", OPTION_TEXT, &request.tets},
        {"--cells", OPTION_INTEGER, &request.cells},
        {"--spacing", OPTION_NUMBER, &request.spacing},
        {"--repair", OPTION_FLAG, &request.repair},
        {"--threads", OPTION_INTEGER, &threads},
    };
    int words;
    if (!parse_options("mesh", argc, argv, table, sizeof table / sizeof *table, &request.path, 1,
                       &words))
        return EXIT_BAD_REQUEST;
    if (words != 1 || request.cells > 2048 || request.spacing < 0) {
        print_error("mesh: name a mesh file (OBJ, PLY, STL); --cells at most 2048, --spacing "
                    "above 0");
        return EXIT_BAD_REQUEST;
    }
    PlimContext *context = open_context(threads, false);
    if (!context) return EXIT_RUN_FAILED;
    int code = report(context, treat_mesh(context, &request));
    close_context(context);
    return code;
}
