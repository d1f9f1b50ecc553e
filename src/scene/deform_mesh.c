/* Meshes of deformable solids of a scene: blocks, shapes filled with elements, files, lattices,
 * single particles; and nodes chosen by shapes and points. */
#include "base/file.h"
#include "geom/tet/tet_mesh.h"
#include "geom/tri/tri_mesh.h"
#include "scene/deform.h"

#include <string.h>

/* ---- sizes ---- */

double soft_spacing(const SceneSoftBody *body, double longest) {
    return body->spacing > 0 ? body->spacing : 0.1 * longest;
}

void soft_box_cells(const SceneSoftBody *body, int dim, double cells[3]) {
    const double *size = body->shape.box.size;
    double spacing = soft_spacing(body, fmax(size[0], fmax(size[1], dim == 3 ? size[2] : 0.0)));
    for (int axis = 0; axis < 3; axis++)
        cells[axis] =
            body->cells[axis] > 0 ? body->cells[axis] : fmax(1.0, round(size[axis] / spacing));
    if (dim == 2) cells[2] = 1;
}

/* ---- from the meshes of geom ---- */

static PlimStatus take_nodes(Scratch *memory, const Vec3 *from, size_t count, SoftMesh *out) {
    out->rest = scratch_take(memory, count, sizeof *out->rest);
    if (!out->rest) return PLIM_OUT_OF_MEMORY;
    memcpy(out->rest, from, count * sizeof *from);
    out->node_count = count;
    return PLIM_OK;
}

static PlimStatus copy_tets(PlimContext *context, const TetMesh *tets, Scratch *memory,
                            SoftMesh *out) {
    int32_t(*faces)[3];
    TRY(take_nodes(memory, tets->vertices, tets->vertex_count, out));
    TRY(tet_mesh_surface_faces(context, tets, &faces, &out->face_count));
    out->element_count = tets->tet_count;
    out->elements = scratch_take(memory, out->element_count, sizeof *out->elements);
    out->faces = scratch_take(memory, out->face_count, sizeof *out->faces);
    if (out->elements && out->faces) {
        memcpy(out->elements, tets->tets, out->element_count * sizeof *out->elements);
        memcpy(out->faces, faces, out->face_count * sizeof *out->faces);
    }
    context_free(context, faces, out->face_count, sizeof *faces);
    return out->elements && out->faces ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* The outline runs with the inside to its left. */
static PlimStatus copy_triangles(PlimContext *context, const TriangleMesh *triangles,
                                 Scratch *memory, SoftMesh *out) {
    int32_t(*edges)[2];
    TRY(take_nodes(memory, triangles->vertices, triangles->vertex_count, out));
    TRY(tri_mesh_outline_edges(context, triangles, &edges, &out->face_count));
    out->element_count = triangles->triangle_count;
    out->elements = scratch_take(memory, out->element_count, sizeof *out->elements);
    out->faces = scratch_take(memory, out->face_count, sizeof *out->faces);
    bool got = out->elements && out->faces;
    for (size_t i = 0; got && i < out->element_count; i++)
        for (int c = 0; c < 4; c++) out->elements[i][c] = c < 3 ? triangles->triangles[i][c] : 0;
    for (size_t i = 0; got && i < out->face_count; i++)
        for (int c = 0; c < 3; c++) out->faces[i][c] = c < 2 ? edges[i][c] : 0;
    context_free(context, edges, out->face_count, sizeof *edges);
    return got ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* Takes the mesh over, whatever comes of it. */
static PlimStatus use_tets(PlimContext *context, TetMesh *tets, Scratch *memory, SoftMesh *out) {
    PlimStatus status = copy_tets(context, tets, memory, out);
    tet_mesh_free(context, tets);
    return status;
}

static PlimStatus use_triangles(PlimContext *context, TriangleMesh *triangles, Scratch *memory,
                                SoftMesh *out) {
    PlimStatus status = copy_triangles(context, triangles, memory, out);
    mesh_free(context, triangles);
    return status;
}

/* ---- shapes ---- */

static double sample_solid(void *user, Vec3 x) {
    return solid_distance(user, x);
}

/* The lattice of a shape whose size is known only now. */
static PlimStatus check_size(PlimScene *scene, const SceneNode *shape, Vec3 size, double spacing) {
    size_t problems = scene->reader.problems.count;
    double cells = fmax(1, size.x / spacing) * fmax(1, size.y / spacing);
    if (scene->document.dim == 3) cells *= fmax(1, size.z / spacing);
    double elements = (scene->document.dim == 3 ? 12 : 3) * cells;
    double bytes =
        elements < 1e15 ? (double)deform_bytes((size_t)(elements / 4), (size_t)elements) : 1e18;
    scene_add_memory(scene, shape, bytes, elements, "elements");
    if (scene->reader.problems.count == problems) return PLIM_OK;
    return context_fail(scene->context, PLIM_BAD_INPUT, "%.3g elements are too many", elements);
}

static PlimStatus fill_solid(PlimScene *scene, SceneNode *shape, const SceneSoftBody *body,
                             Scratch *memory, SoftMesh *out) {
    PlimContext *context = scene->context;
    ScenePlace place = {.shape = {shape}, .orientation.first.axis = {0, 1, 0}, .scale = 1};
    Solid solid;
    TRY(scene_place_solid(scene, &place, memory, &solid));
    Box3 box = solid_bounds(&solid);
    Vec3 size = vec3_sub(box.high, box.low);
    double longest = fmax(size.x, fmax(size.y, scene->document.dim == 3 ? size.z : 0.0));
    if (!isfinite(longest))
        return context_fail(context, PLIM_BAD_INPUT,
                            "the shape has no end; a deformable body needs one that has");
    double spacing = soft_spacing(body, longest);
    box = box3_grow(box, 0.01 * spacing);
    TRY(check_size(scene, shape, size, spacing));
    if (scene->document.dim == 2) {
        TriangleMesh triangles;
        TRY(tri_mesh_stuff(context, box, spacing, sample_solid, &solid, &triangles));
        return use_triangles(context, &triangles, memory, out);
    }
    TetMesh tets;
    TRY(tet_mesh_stuff(context, box, spacing, sample_solid, &solid, &tets));
    return use_tets(context, &tets, memory, out);
}

static PlimStatus fill_box(PlimScene *scene, const SceneSoftBody *body, Scratch *memory,
                           SoftMesh *out) {
    PlimContext *context = scene->context;
    const double *size = body->shape.box.size;
    double counts[3];
    soft_box_cells(body, (int)scene->document.dim, counts);
    int cells[3] = {(int)counts[0], (int)counts[1], (int)counts[2]};
    if (scene->document.dim == 2) {
        TriangleMesh triangles;
        TRY(tri_mesh_block(context, size, cells, (TriPattern)body->cut, &triangles));
        return use_triangles(context, &triangles, memory, out);
    }
    TetMesh tets;
    TRY(tet_mesh_block(context, vec3_load(size), cells, &tets));
    return use_tets(context, &tets, memory, out);
}

static PlimStatus fill_shape(PlimScene *scene, SceneNode *shape, const SceneSoftBody *body,
                             Scratch *memory, SoftMesh *out) {
    if (body->shape.kind == PLIM_SHAPE_BOX) return fill_box(scene, body, memory, out);
    if (body->shape.kind == PLIM_SHAPE_BALL && scene->document.dim == 3) {
        TetMesh tets;
        double radius = body->shape.ball.radius;
        TRY(tet_mesh_ball(scene->context, radius, soft_spacing(body, 2 * radius), &tets));
        return use_tets(scene->context, &tets, memory, out);
    }
    return fill_solid(scene, shape, body, memory, out);
}

/* ---- files, lattices, particles ---- */

static PlimStatus read_elements(PlimScene *scene, const SceneTetFile *file, Scratch *memory,
                                SoftMesh *out) {
    PlimContext *context = scene->context;
    char *text;
    size_t size;
    TRY(file_read(context, file->path, &text, &size));
    TriangleMesh triangles;
    TetMesh tets;
    bool flat = scene->document.dim == 2;
    PlimStatus status = flat ? tri_mesh_parse_gmsh(context, text, size, &triangles)
                             : tet_mesh_parse_gmsh(context, text, size, &tets);
    context_free(context, text, size + 1, 1);
    if (status == PLIM_BAD_INPUT) {
        char message[MESSAGE_CAPACITY];
        memcpy(message, context->message, sizeof message);
        return context_fail(context, status, "%.200s: %s", file->path, message);
    }
    TRY(status);
    TRY(flat ? use_triangles(context, &triangles, memory, out)
             : use_tets(context, &tets, memory, out));
    for (size_t i = 0; i < out->node_count; i++)
        out->rest[i] = vec3_scale(file->scale, out->rest[i]);
    return PLIM_OK;
}

/* Neighbours that lie ahead in the order of the nodes. */
static const int ahead[13][3] = {{1, 0, 0},  {-1, 1, 0}, {0, 1, 0},  {1, 1, 0}, {-1, -1, 1},
                                 {0, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1},
                                 {-1, 1, 1}, {0, 1, 1},  {1, 1, 1}};

static PlimStatus make_lattice(const SceneLattice *lattice, int dim, Scratch *memory,
                               SoftMesh *out) {
    int n[3];
    for (int axis = 0; axis < 3; axis++) n[axis] = (int)lattice->cells[axis] + 1;
    if (dim == 2) n[2] = 1;
    size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    out->rest = scratch_take(memory, count, sizeof *out->rest);
    out->links = scratch_take(memory, 13 * count, sizeof *out->links);
    if (!out->rest || !out->links) return PLIM_OUT_OF_MEMORY;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const int at[3] = {i, j, k};
                double x[3];
                for (int axis = 0; axis < 3; axis++)
                    x[axis] = axis >= dim
                                  ? 0.0
                                  : lattice->size[axis] * (at[axis] / lattice->cells[axis] - 0.5);
                int32_t own = i + n[0] * (j + n[1] * k);
                out->rest[out->node_count++] = vec3_load(x);
                for (int a = 0; a < 13; a++) {
                    int to[3];
                    bool inside = true;
                    for (int axis = 0; axis < 3; axis++) {
                        to[axis] = at[axis] + ahead[a][axis];
                        inside = inside && to[axis] >= 0 && to[axis] < n[axis];
                    }
                    if (!inside) continue;
                    out->links[out->link_count][0] = own;
                    out->links[out->link_count++][1] = to[0] + n[0] * (to[1] + n[1] * to[2]);
                }
            }
    return PLIM_OK;
}

/* ---- a body ---- */

Vec3 soft_map_point(const PlimScene *scene, const SceneField map[3], Vec3 x) {
    double from[3], to[3];
    vec3_store(from, x);
    for (int axis = 0; axis < 3; axis++) {
        to[axis] =
            map[axis].expression ? expression_at(map[axis].expression, from, 0) : map[axis].value;
        if (scene->document.dim == 2 && axis == 2) to[axis] = 0;
    }
    return vec3_load(to);
}

/* That of the shape or the sheet, or else of the skin. */
static SoftFile find_file(const SceneNode *node, const SceneSoftBody *body) {
    bool is_shape = soft_kind(node) == SOFT_SHAPE && body->shape.kind == SCENE_SHAPE_FILE;
    if (is_shape)
        return (SoftFile){body->shape.file.path, body->shape.file.scale,
                          body->map[0].given ? body->map : NULL};
    if (soft_kind(node) == SOFT_SHEET && body->sheet.path)
        return (SoftFile){body->sheet.path, body->sheet.scale, NULL};
    if (node_get(node, "skin")) return (SoftFile){body->skin.path, body->skin.scale, NULL};
    return (SoftFile){0};
}

PlimStatus soft_make_mesh(PlimScene *scene, SceneNode *node, const SceneSoftBody *body,
                          Scratch *memory, SoftMesh *out) {
    static const Vec3 origin = {0, 0, 0};
    *out = (SoftMesh){0};
    switch (soft_kind(node)) {
    case SOFT_SHAPE:
        TRY(fill_shape(scene, node_get(node, "shape"), body, memory, out));
        break;
    case SOFT_MESH:
        TRY(read_elements(scene, &body->mesh, memory, out));
        break;
    case SOFT_SHEET:
        TRY(soft_make_sheet(scene, &body->sheet, memory, out));
        break;
    case SOFT_CHAIN:
        TRY(soft_make_chain(&body->chain, memory, out));
        break;
    case SOFT_LATTICE:
        TRY(make_lattice(&body->lattice, (int)scene->document.dim, memory, out));
        break;
    default:
        TRY(take_nodes(memory, &origin, 1, out));
    }
    for (size_t i = 0; body->map[0].given && i < out->node_count; i++)
        out->rest[i] = soft_map_point(scene, body->map, out->rest[i]);
    out->file = find_file(node, body);
    return PLIM_OK;
}

/* ---- chosen nodes ---- */

/* Among `count` chosen ones. */
static int32_t nearest_node(const SoftMesh *mesh, Vec3 to, const int32_t *chosen, size_t count) {
    double least = HUGE_VAL;
    int32_t found = chosen[0];
    for (size_t k = 0; k < count; k++) {
        double distance = vec3_length(vec3_sub(mesh->rest[chosen[k]], to));
        if (!(distance < least)) continue;
        least = distance;
        found = chosen[k];
    }
    return found;
}

PlimStatus soft_choose_nodes(PlimScene *scene, const SceneNodes *nodes, const char *name,
                             const SoftMesh *mesh, Scratch *memory, int32_t **chosen,
                             size_t *count) {
    *count = 0;
    *chosen = scratch_take(memory, mesh->node_count, sizeof **chosen);
    if (!*chosen) return PLIM_OUT_OF_MEMORY;
    if (nodes->group)
        TRY(soft_choose_group(scene, nodes->group, name, mesh, memory, *chosen, count));
    else if (!nodes->in.node)
        for (size_t i = 0; i < mesh->node_count; i++) (*chosen)[(*count)++] = (int32_t)i;
    if (!nodes->in.node && isfinite(nodes->near_to[0])) {
        (*chosen)[0] = nearest_node(mesh, vec3_load(nodes->near_to), *chosen, *count);
        *count = 1;
    }
    if (!nodes->in.node) return PLIM_OK;
    ScenePlace place = {.shape = nodes->in, .orientation.first.axis = {0, 1, 0}, .scale = 1};
    Solid solid;
    TRY(scene_place_solid(scene, &place, memory, &solid));
    Box3 box = box3_empty();
    for (size_t i = 0; i < mesh->node_count; i++) box = box3_add_point(box, mesh->rest[i]);
    /* What lies on the surface of the shape is in it, to rounding. */
    double margin = 1e-9 * vec3_length(vec3_sub(box.high, box.low));
    for (size_t i = 0; i < mesh->node_count; i++)
        if (solid_distance(&solid, mesh->rest[i]) <= margin) (*chosen)[(*count)++] = (int32_t)i;
    if (*count > 0) return PLIM_OK;
    return context_fail(scene->context, PLIM_BAD_INPUT,
                        "'%s' has no nodes: none of the body's lies in its shape, at rest in own "
                        "axes",
                        name);
}
