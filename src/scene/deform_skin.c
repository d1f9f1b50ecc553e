/* Skins of deformable solids: surfaces from files that elements carry. */
#include "geom/mesh/mesh_file.h"
#include "scene/deform.h"

void soft_check_skin(PlimScene *scene, const SceneNode *node, const SceneSoftBody *body) {
    SceneNode *skin = node_get(node, "skin");
    int kind = soft_kind(node);
    if (!skin) return;
    if (scene->document.dim != 3 || (kind != SOFT_SHAPE && kind != SOFT_MESH))
        reader_problem(&scene->reader, skin, "only tetrahedra carry a skin; leave it out");
    else if (!mesh_is_readable_name(body->skin.path))
        reader_problem(&scene->reader, skin, "'%.200s' does not end in .obj, .ply or .stl",
                       body->skin.path);
    else
        scene_file_check(scene, skin, body->skin.path, body->skin.content);
}

PlimStatus soft_add_skin(PlimScene *scene, const SceneSoftBody *body, Deform *deform,
                         size_t number) {
    TriangleMesh mesh;
    TRY(mesh_read(scene->context, body->skin.path, &mesh));
    Quat turn = soft_turn(scene, body);
    for (size_t i = 0; i < mesh.vertex_count; i++)
        mesh.vertices[i] = quat_rotate(turn, vec3_scale(body->skin.scale, mesh.vertices[i]));
    PlimStatus status = deform_add_skin(deform, number, &mesh);
    mesh_free(scene->context, &mesh);
    return status;
}
