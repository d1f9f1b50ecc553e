/* Obstacles of a fluid as triangles: what pictures show of them, true to their shapes. */
#include "rigid/shape.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

typedef struct Obstacle {
    TriangleMesh mesh; /* in the world's axes */
    char name[FRAME_NAME_CAPACITY];
    const char *material; /* NULL: none */
} Obstacle;

typedef ARRAY(Obstacle) Obstacles;

static PlimStatus read_shape(PlimScene *scene, SceneNode *node, SceneShape *out) {
    *out = (SceneShape){0};
    reader_read_one_of(&scene->reader, node, &scene_shape_table, out);
    return scene->reader.trouble;
}

static PlimStatus make_triangles(PlimScene *scene, SceneNode *node, TriangleMesh *out) {
    SceneShape shape;
    TRY(read_shape(scene, node, &shape));
    if (shape.kind != SCENE_SHAPE_PLACE) {
        SceneResolved resolved;
        TRY(scene_shape_resolve(scene, node, &shape, &scene->solids, &resolved));
        return shape_triangles(scene->context, &resolved.desc, out);
    }
    TRY(make_triangles(scene, shape.place.shape.node, out));
    Quat turn = scene_turn(scene, &shape.place.orientation);
    for (size_t i = 0; i < out->vertex_count; i++) {
        Vec3 arm = quat_rotate(turn, vec3_scale(shape.place.scale, out->vertices[i]));
        out->vertices[i] = vec3_add(vec3_load(shape.place.position), arm);
    }
    return PLIM_OK;
}

/* What reaches far beyond the domain is drawn by its cells, which end there. */
static bool fits(Box3 box, Box3 room) {
    const double beyond = 0.1; /* of the domain's longest finite side */
    double longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        double side = vec3_component(room.high, axis) - vec3_component(room.low, axis);
        if (isfinite(side)) longest = fmax(longest, side);
    }
    for (int axis = 0; axis < 3; axis++)
        if (!(vec3_component(box.low, axis) >= vec3_component(room.low, axis) - beyond * longest &&
              vec3_component(box.high, axis) <= vec3_component(room.high, axis) + beyond * longest))
            return false;
    return isfinite(vec3_length(vec3_sub(box.high, box.low)));
}

static PlimStatus add_obstacle(PlimScene *scene, SceneNode *node, size_t number, Obstacles *to) {
    SceneShape shape;
    TRY(read_shape(scene, node, &shape));
    Obstacle made = {0};
    PlimStatus status = make_triangles(scene, node, &made.mesh);
    if (status == PLIM_BAD_INPUT)
        return PLIM_OK; /* nothing inside, or no end: its cells are drawn */
    TRY(status);
    bool is_place = shape.kind == SCENE_SHAPE_PLACE;
    char name[FRAME_NAME_CAPACITY];
    snprintf(name, sizeof name, "obstacle_%zu", number);
    frame_name_store(made.name, is_place && shape.place.name ? shape.place.name : name);
    if (is_place) made.material = shape.place.material;
    if (array_push(scene->context, to, made)) return PLIM_OK;
    mesh_free(scene->context, &made.mesh);
    return PLIM_OUT_OF_MEMORY;
}

/* ---- the mesh of a frame ---- */

typedef struct Look {
    float *vertices, *velocities, *colors, *glass;
    double *poses, *motions, *masses;
    int32_t *triangles, *objects, *kinds;
    char *names;
} Look;

static bool take_look(Scratch *memory, size_t vertices, size_t triangles, size_t count, Look *out) {
    *out = (Look){.vertices = scratch_take(memory, 3 * vertices, sizeof(float)),
                  .velocities = scratch_take(memory, 3 * vertices, sizeof(float)),
                  .colors = scratch_take(memory, 3 * count, sizeof(float)),
                  .glass = scratch_take(memory, 4 * count, sizeof(float)),
                  .poses = scratch_take(memory, 7 * count, sizeof(double)),
                  .motions = scratch_take(memory, 6 * count, sizeof(double)),
                  .masses = scratch_take(memory, count, sizeof(double)),
                  .triangles = scratch_take(memory, 3 * triangles, sizeof(int32_t)),
                  .objects = scratch_take(memory, triangles, sizeof(int32_t)),
                  .kinds = scratch_take(memory, count, sizeof(int32_t)),
                  .names = scratch_take(memory, count, FRAME_NAME_CAPACITY)};
    if (!out->vertices || !out->velocities || !out->colors || !out->glass || !out->poses ||
        !out->motions || !out->masses || !out->triangles || !out->objects || !out->kinds ||
        !out->names)
        return false;
    memset(out->velocities, 0, 3 * vertices * sizeof(float));
    memset(out->motions, 0, 6 * count * sizeof(double));
    memset(out->poses, 0, 7 * count * sizeof(double));
    return true;
}

static void describe_object(const PlimScene *scene, const Obstacle *obstacle, size_t number,
                            const Look *look) {
    static const double grey[3] = {0.62, 0.62, 0.63}, none[3] = {-1, -1, -1};
    const SceneMaterial *material =
        obstacle->material ? scene_find_material(scene, obstacle->material) : NULL;
    bool colored = material && (material->color[0] >= 0 || material->is_glass);
    scene_choose_color(scene, obstacle->material, colored ? none : grey, 0,
                       look->colors + 3 * number);
    scene_choose_glass(scene, obstacle->material, look->glass + 4 * number);
    look->poses[7 * number + 3] = 1; /* about the world's origin */
    look->masses[number] = INFINITY;
    look->kinds[number] = FRAME_STILL;
    memcpy(look->names + FRAME_NAME_CAPACITY * number, obstacle->name, FRAME_NAME_CAPACITY);
}

/* Copies triangles and vertices behind those before. */
static void copy_triangles(const TriangleMesh *mesh, size_t number, size_t first_vertex,
                           size_t first_triangle, const Look *look) {
    for (size_t i = 0; i < mesh->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            look->vertices[3 * (first_vertex + i) + (size_t)axis] =
                (float)vec3_component(mesh->vertices[i], axis);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        look->objects[first_triangle + i] = (int32_t)number;
        for (size_t corner = 0; corner < 3; corner++)
            look->triangles[3 * (first_triangle + i) + corner] =
                (int32_t)first_vertex + mesh->triangles[i][corner];
    }
}

static PlimStatus join(PlimScene *scene, const Obstacles *obstacles, const FrameMesh **out) {
    size_t vertices = 0, triangles = 0, count = obstacles->count;
    bool any_glass = false;
    for (size_t i = 0; i < count; i++) {
        vertices += obstacles->data[i].mesh.vertex_count;
        triangles += obstacles->data[i].mesh.triangle_count;
    }
    Look look;
    FrameMesh *mesh = scratch_take(&scene->solids, 1, sizeof *mesh);
    if (!mesh || !take_look(&scene->solids, vertices, triangles, count, &look))
        return PLIM_OUT_OF_MEMORY;
    vertices = triangles = 0;
    for (size_t i = 0; i < count; i++) {
        describe_object(scene, &obstacles->data[i], i, &look);
        copy_triangles(&obstacles->data[i].mesh, i, vertices, triangles, &look);
        vertices += obstacles->data[i].mesh.vertex_count;
        triangles += obstacles->data[i].mesh.triangle_count;
        any_glass = any_glass || look.glass[4 * i] > 0;
    }
    *mesh = (FrameMesh){.vertex_count = vertices,
                        .triangle_count = triangles,
                        .object_count = count,
                        .vertices = look.vertices,
                        .velocities = look.velocities,
                        .poses = look.poses,
                        .motions = look.motions,
                        .names = look.names,
                        .kinds = look.kinds,
                        .masses = look.masses,
                        .triangles = look.triangles,
                        .objects = look.objects,
                        .colors = look.colors,
                        .glass = any_glass ? look.glass : NULL,
                        .smooth = true,
                        .still = true};
    *out = mesh;
    return PLIM_OK;
}

PlimStatus scene_obstacle_mesh(PlimScene *scene, const SceneNode *list, const Solid *solid,
                               const Grid *grid, const FrameMesh **out) {
    Obstacles obstacles = {0};
    PlimStatus status = PLIM_OK;
    *out = NULL;
    for (size_t i = 0; solid && status == PLIM_OK && i < list->children.count; i++)
        if (fits(solid_bounds(&solid->children[i]), scene_domain_box(grid)))
            status = add_obstacle(scene, list->children.data[i], i, &obstacles);
    if (status == PLIM_OK && obstacles.count > 0) status = join(scene, &obstacles, out);
    for (size_t i = 0; i < obstacles.count; i++) mesh_free(scene->context, &obstacles.data[i].mesh);
    array_free(scene->context, &obstacles);
    return status;
}

/* ---- checks ---- */

void scene_obstacles_check(PlimScene *scene, const SceneNode *list, double *work_bytes) {
    scene_shapes_check(scene, list, work_bytes);
    for (size_t i = 0; i < list->children.count; i++) {
        const SceneNode *place = node_get(list->children.data[i], "place");
        const SceneNode *material = place ? node_get(place, "material") : NULL;
        if (material && material->text && !scene_find_material(scene, material->text))
            reader_problem(&scene->reader, material, "there is no material '%s'", material->text);
    }
}
