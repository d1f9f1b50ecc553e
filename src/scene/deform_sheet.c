/* Sheets and chains of a scene: fabrics, checks, meshes (000 section 3.2.1). */
#include "geom/mesh/mesh_file.h"
#include "geom/query/box.h"
#include "scene/deform.h"

#include <string.h>

/* ---- fabrics ---- */

typedef struct Fabric {
    double area_density, stretch, bending, friction; /* kg/m^2, N/m, N m, 1 */
} Fabric;

/* Our figures, of the order of what textile laboratories measure; docs/cloth.md. The first: none.
 */
static const Fabric fabrics[] = {{0, 0, 0, -1},
                                 {0.15, 3000, 1e-5, 0.5},
                                 {0.06, 1500, 3e-6, 0.25},
                                 {0.4, 1e4, 6e-5, 0.6},
                                 {0.08, 3e5, 2.5e-4, 0.4}};

static bool is_sheet(const SceneNode *node) {
    return soft_kind(node) == SOFT_SHEET || soft_kind(node) == SOFT_CHAIN;
}

void soft_apply_fabric(const SceneNode *node, SceneSoftBody *body) {
    const Fabric *fabric = &fabrics[body->fabric];
    if (!is_sheet(node)) return;
    if (!(body->area_density > 0)) body->area_density = fabric->area_density;
    if (!(body->stretch > 0) && !node_get(node, "springs")) body->stretch = fabric->stretch;
    if (body->bending_stiffness < 0) body->bending_stiffness = fabric->bending;
    if (body->friction.at_rest < 0 && fabric->friction >= 0)
        body->friction = (SceneFriction){fabric->friction, fabric->friction};
}

/* ---- checks ---- */

/* Keys of sheets elsewhere, and of solids here. */
static void check_keys(PlimScene *scene, SceneNode *node, const SceneSoftBody *body) {
    bool sheet = is_sheet(node);
    const struct {
        const char *key, *fix;
        bool wrong;
    } keys[] = {
        {"density", "a sheet has 'area_density' in place of it", sheet && body->density > 0},
        {"young", "a sheet has 'stretch', young times thickness, in place of it",
         sheet && body->young > 0},
        {"damping_form", "a sheet has the form 'green'",
         sheet && body->damping_form != DAMPING_GREEN},
        {"yield_stretch", "a sheet does not yield; leave it out", sheet && body->yield_stretch > 0},
        {"fabric", "only a sheet or a chain has one; leave it out", !sheet && body->fabric != 0},
        {"area_density", "only a sheet or a chain has one; use 'density'",
         !sheet && body->area_density > 0},
        {"stretch", "only a sheet or a chain has one; use 'young'", !sheet && body->stretch > 0},
        {"bending_stiffness", "only a sheet or a chain has one; leave it out",
         !sheet && body->bending_stiffness > 0},
    };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (keys[k].wrong)
            reader_problem(&scene->reader, node_get(node, keys[k].key), "%s", keys[k].fix);
}

void soft_check_sheet(PlimScene *scene, SceneNode *node, const SceneSoftBody *body) {
    SceneReader *reader = &scene->reader;
    check_keys(scene, node, body);
    if (!is_sheet(node)) return;
    bool is_chain = soft_kind(node) == SOFT_CHAIN;
    if (is_chain != (scene->document.dim == 2))
        reader_problem(reader, node, "a %s needs 'dim: %d'; use a %s", is_chain ? "chain" : "sheet",
                       is_chain ? 2 : 3, is_chain ? "sheet" : "chain");
    if (!(body->area_density > 0) && !(body->mass > 0))
        reader_problem(reader, node, "needs 'area_density', 'mass' or 'fabric'");
    if (!(body->stretch > 0) && !node_get(node, "springs"))
        reader_problem(reader, node,
                       "needs 'stretch', 'springs' or 'fabric': nothing holds it together");
    if (is_chain && body->stretch > 0 && node_get(node, "springs"))
        reader_problem(reader, node_get(node, "springs"),
                       "a chain has either 'stretch' or 'springs'");
    if (body->model == LAW_LINEAR)
        reader_problem(reader, node_get(node, "model"),
                       "a sheet turns far, and the linear law knows small rotations alone; use "
                       "another");
    if (body->sheet.path && !mesh_is_readable_name(body->sheet.path))
        reader_problem(reader, node_get(node, "sheet"),
                       "'%.200s' does not end in .obj, .ply or .stl", body->sheet.path);
}

/* ---- meshes ---- */

static PlimStatus copy_sheet(const TriangleMesh *mesh, Scratch *memory, SoftMesh *out) {
    out->is_sheet = true;
    out->node_count = mesh->vertex_count;
    out->element_count = out->face_count = mesh->triangle_count;
    out->rest = scratch_take(memory, out->node_count, sizeof *out->rest);
    out->elements = scratch_take(memory, out->element_count, sizeof *out->elements);
    out->faces = scratch_take(memory, out->face_count, sizeof *out->faces);
    if (!out->rest || !out->elements || !out->faces) return PLIM_OUT_OF_MEMORY;
    memcpy(out->rest, mesh->vertices, out->node_count * sizeof *out->rest);
    for (size_t t = 0; t < out->element_count; t++) {
        memcpy(out->faces[t], mesh->triangles[t], sizeof out->faces[t]);
        memcpy(out->elements[t], mesh->triangles[t], sizeof out->faces[t]);
        out->elements[t][3] = 0;
    }
    return PLIM_OK;
}

/* From the plane of x and y to that of x and z, the upper side up. */
static void lay_down(TriangleMesh *mesh) {
    for (size_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = vec3(mesh->vertices[i].x, 0, -mesh->vertices[i].y);
}

PlimStatus soft_make_sheet(PlimScene *scene, const SceneSheet *sheet, Scratch *memory,
                           SoftMesh *out) {
    PlimContext *context = scene->context;
    const int cells[2] = {(int)sheet->cells[0], (int)sheet->cells[1]};
    TriangleMesh mesh;
    if (sheet->path) {
        TRY(mesh_read(context, sheet->path, &mesh));
        for (size_t i = 0; i < mesh.vertex_count; i++)
            mesh.vertices[i] = vec3_scale(sheet->scale, mesh.vertices[i]);
    } else {
        TRY(sheet->cut == SCENE_CUT_IRREGULAR
                ? tri_mesh_irregular(context, sheet->size, cells, scene->reader.seed, &mesh)
                : tri_mesh_block(context, sheet->size, cells, (TriPattern)sheet->cut, &mesh));
        lay_down(&mesh);
    }
    PlimStatus status = copy_sheet(&mesh, memory, out);
    mesh_free(context, &mesh);
    return status;
}

const double (*soft_checks(const SoftMesh *mesh, double edge, Scratch *memory))[2] {
    double(*checks)[2] = scratch_take(memory, mesh->node_count, sizeof *checks);
    Box3 box = box3_empty();
    for (size_t i = 0; i < mesh->node_count; i++) box = box3_add_point(box, mesh->rest[i]);
    Vec3 size = vec3_sub(box.high, box.low);
    int thin = size.y <= size.x && size.y <= size.z ? 1 : size.x <= size.z ? 0 : 2;
    for (size_t i = 0; checks && i < mesh->node_count; i++)
        for (int k = 0, axis = 0; axis < 3; axis++)
            if (axis != thin)
                checks[i][k++] =
                    vec3_component(vec3_sub(mesh->rest[i], box.low), axis) / edge + 1e-6;
    return (const double(*)[2])checks;
}

PlimStatus soft_make_chain(const SceneChain *chain, Scratch *memory, SoftMesh *out) {
    size_t count = (size_t)chain->segments;
    out->is_sheet = true;
    out->rest = scratch_take(memory, count + 1, sizeof *out->rest);
    out->elements = scratch_take(memory, count, sizeof *out->elements);
    out->faces = scratch_take(memory, count, sizeof *out->faces);
    if (!out->rest || !out->elements || !out->faces) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i <= count; i++)
        out->rest[i] = vec3(chain->length * ((double)i / (double)count - 0.5), 0, 0);
    for (size_t e = 0; e < count; e++) {
        for (int c = 0; c < 4; c++) out->elements[e][c] = c < 2 ? (int32_t)e + c : 0;
        for (int c = 0; c < 3; c++) out->faces[e][c] = out->elements[e][c];
    }
    out->node_count = count + 1;
    out->element_count = out->face_count = count;
    return PLIM_OK;
}
