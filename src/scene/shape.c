/* Shapes of a scene: files, primitives and Boolean combinations to triangles. */
#include "scene/shape.h"

#include "base/file.h"
#include "base/hash.h"
#include "geom/level_set/thinnest.h"
#include "geom/mesh/mass.h"
#include "geom/mesh/mesh_file.h"
#include "geom/mesh/mesh_report.h"
#include "scene/prism.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_combination(int kind) {
    return kind == SCENE_SHAPE_UNION || kind == SCENE_SHAPE_INTERSECTION ||
           kind == SCENE_SHAPE_DIFFERENCE;
}

/* ---- checks ---- */

/* The file's whole path, beside the scene unless it starts at the root. */
static bool absolute_path(const PlimScene *scene, const char *path, char out[PATH_CAPACITY]) {
    char beside[PATH_CAPACITY];
    const char *slash = strrchr(scene->label, '/');
    int folder = slash ? (int)(slash - scene->label) + 1 : 0;
    int length = path[0] == '/'
                     ? snprintf(beside, sizeof beside, "%s", path)
                     : snprintf(beside, sizeof beside, "%.*s%s", folder, scene->label, path);
    if (length < 0 || length >= PATH_CAPACITY) return false;
    char *real = realpath(beside, NULL);
    if (!real) return false;
    bool fits = strlen(real) < PATH_CAPACITY;
    if (fits) strcpy(out, real);
    free(real);
    return fits;
}

/* Puts `text` into the tree under `key` of a map. */
static void write_key(PlimScene *scene, SceneNode *map, const char *key, const char *text) {
    SceneNode *node = node_create(scene->context, NODE_SCALAR, 0);
    if (node) node->text = context_copy_text(scene->context, text);
    if (!node || !node->text) {
        node_destroy(scene->context, node);
        scene->reader.trouble = PLIM_OUT_OF_MEMORY;
        return;
    }
    node->quoted = true;
    SceneNode *old = node_get(map, key);
    if (old) {
        node->line = old->line;
        node_replace(scene->context, map, node_index(old), node);
    } else if (node_append(scene->context, map, key, node) != PLIM_OK) {
        scene->reader.trouble = PLIM_OUT_OF_MEMORY;
    }
}

double scene_file_check(PlimScene *scene, SceneNode *map, const char *name, const char *content) {
    SceneReader *reader = &scene->reader;
    char path[PATH_CAPACITY], *bytes;
    size_t size;
    if (!absolute_path(scene, name, path)) {
        reader_problem(reader, map, "there is no file '%.200s' beside the scene", name);
        return 0;
    }
    PlimStatus status = file_read(scene->context, path, &bytes, &size);
    if (status == PLIM_OUT_OF_MEMORY) reader->trouble = status;
    if (status != PLIM_OK) {
        reader_problem(reader, map, "%s", scene->context->message);
        return 0;
    }
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, hash_bytes(HASH_START, bytes, size));
    context_free(scene->context, bytes, size + 1, 1);
    if (content && strcmp(content, hash) != 0)
        reader_problem(reader, map,
                       "%.200s is not the file this scene was run with; take out 'content' to use "
                       "it all the same",
                       path);
    write_key(scene, map, "path", path);
    write_key(scene, map, "content", hash);
    return (double)size;
}

static double check_file(PlimScene *scene, SceneNode *node, const SceneFile *file) {
    SceneNode *map = node_get(node, "file");
    if (file->path && mesh_is_readable_name(file->path))
        return scene_file_check(scene, map, file->path, file->content);
    reader_problem(&scene->reader, map, "'%.200s' does not end in .obj, .ply or .stl",
                   file->path ? file->path : "");
    return 0;
}

/* Reads a nested shape and checks it too. */
static void check_nested(PlimScene *scene, SceneNode *node, double *work_bytes) {
    SceneShape shape = {0};
    size_t problems = scene->reader.problems.count;
    reader_read_one_of(&scene->reader, node, &scene_shape_table, &shape);
    if (scene->reader.problems.count > problems || scene->reader.trouble != PLIM_OK) return;
    scene_shape_check(scene, node, &shape, work_bytes);
    if (shape.kind == SCENE_SHAPE_FILE && shape.file.shell > 0)
        reader_problem(&scene->reader, node,
                       "a shell has no inside and cannot be part of another shape; take 'shell' "
                       "out");
}

void scene_shapes_check(PlimScene *scene, const SceneNode *list, double *work_bytes) {
    for (size_t i = 0; i < list->children.count; i++)
        check_nested(scene, list->children.data[i], work_bytes);
}

static double check_combination(PlimScene *scene, SceneNode *node,
                                const SceneCombination *combination, double *work_bytes) {
    const SceneNode *list = combination->of.node;
    if (list->children.count == 0)
        reader_problem(&scene->reader, list, "should have at least one shape");
    scene_shapes_check(scene, list, work_bytes);
    (void)node;
    double cells = (double)combination->cells + 5;
    *work_bytes += 8 * cells * cells * cells;
    return 12 * cells * cells; /* a cube's surface, two vertices a cell face */
}

static double primitive_vertices(const SceneShape *shape) {
    double segments = (double)shape->round.segments, sides = (double)shape->round.sides;
    switch (shape->kind) {
    case PLIM_SHAPE_BOX:
    case PLIM_SHAPE_HALF_SPACE:
        return 8;
    case PLIM_SHAPE_BALL:
        return 10 * exp2(2 * (double)shape->ball.subdivisions) + 2;
    case PLIM_SHAPE_CAPSULE:
        return 2 * segments * sides + 2;
    case PLIM_SHAPE_TORUS:
        return segments * sides;
    default:
        return 2 * segments + 2;
    }
}

void scene_place_check(PlimScene *scene, const SceneNode *node, const ScenePlace *place,
                       double *work_bytes) {
    if (scene_check_orientation(scene, node, &place->orientation))
        reader_problem(&scene->reader, node, "uses t; a shape that is placed here does not move");
    check_nested(scene, place->shape.node, work_bytes);
}

double scene_shape_check(PlimScene *scene, SceneNode *node, const SceneShape *shape,
                         double *work_bytes) {
    if (is_combination(shape->kind))
        return check_combination(scene, node, &shape->combination, work_bytes);
    if (shape->kind == SCENE_SHAPE_PLACE) {
        scene_place_check(scene, node, &shape->place, work_bytes);
        return 12 * 69 * 69; /* made like a combination of the default number of cells */
    }
    if (shape->kind == SCENE_SHAPE_FILE) return check_file(scene, node, &shape->file) / 20;
    if (shape->kind == SCENE_SHAPE_PRISM) return prism_check(&scene->reader, &shape->prism);
    return primitive_vertices(shape);
}

/* ---- surfaces ---- */

static SceneMesh *find_mesh(const PlimScene *scene, uint64_t key) {
    for (size_t i = 0; i < scene->meshes.items.count; i++)
        if (scene->meshes.items.data[i]->key == key) return scene->meshes.items.data[i];
    return NULL;
}

static void free_mesh(PlimContext *context, SceneMesh *item) {
    level_set_destroy(item->field);
    bvh_destroy(item->bvh);
    mesh_free(context, &item->mesh);
    context_free(context, item, 1, sizeof *item);
}

void scene_meshes_free(PlimScene *scene) {
    for (size_t i = 0; i < scene->meshes.items.count; i++)
        free_mesh(scene->context, scene->meshes.items.data[i]);
    array_free(scene->context, &scene->meshes.items);
}

/* The middle of a surface of even thickness. */
static Vec3 shell_center(const TriangleMesh *mesh) {
    Vec3 sum = vec3(0, 0, 0);
    double area = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int32_t *corner = mesh->triangles[i];
        Vec3 a = mesh->vertices[corner[0]], b = mesh->vertices[corner[1]];
        Vec3 c = mesh->vertices[corner[2]];
        double part = 0.5 * vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
        sum = vec3_add_scaled(sum, part / 3, vec3_add(a, vec3_add(b, c)));
        area += part;
    }
    return area > 0 ? vec3_scale(1 / area, sum) : sum;
}

/* Takes over the triangles, whatever comes of it. */
static PlimStatus keep_mesh(PlimScene *scene, uint64_t key, TriangleMesh *mesh, SceneMesh **out) {
    PlimContext *context = scene->context;
    SceneMesh *item = context_allocate(context, 1, sizeof *item);
    if (!item) {
        mesh_free(context, mesh);
        return PLIM_OUT_OF_MEMORY;
    }
    *item = (SceneMesh){.key = key, .mesh = *mesh, .center = mesh_mass_properties(mesh).center};
    item->desc = (PlimMeshDesc){(const double *)item->mesh.vertices, item->mesh.vertex_count,
                                (const int32_t *)item->mesh.triangles, item->mesh.triangle_count};
    if (!array_push(context, &scene->meshes.items, item)) {
        free_mesh(context, item);
        return PLIM_OUT_OF_MEMORY;
    }
    *out = item;
    return PLIM_OK;
}

static uint64_t file_key(const SceneFile *file) {
    uint64_t key = hash_text(HASH_START, file->content ? file->content : file->path);
    key = hash_bytes(key, &file->scale, sizeof file->scale);
    key = hash_bytes(key, &file->cells, sizeof file->cells);
    key = hash_bytes(key, &file->shell, sizeof file->shell);
    return hash_bytes(key, &file->repair, sizeof file->repair);
}

static PlimStatus repair_surface(PlimContext *context, const char *path, TriangleMesh *mesh) {
    MeshRepair done;
    TRY(mesh_repair(context, mesh, &done));
    if (done.merged_vertices + done.dropped_triangles + done.turned_triangles > 0)
        context_log(context, PLIM_LOG_INFO,
                    "%s: repaired: %zu vertices merged, %zu triangles dropped, %zu turned", path,
                    done.merged_vertices, done.dropped_triangles, done.turned_triangles);
    return PLIM_OK;
}

static PlimStatus load_file(PlimScene *scene, const SceneFile *file, SceneMesh **out) {
    PlimContext *context = scene->context;
    *out = find_mesh(scene, file_key(file));
    if (*out) return PLIM_OK;
    TriangleMesh mesh;
    TRY(mesh_read(context, file->path, &mesh));
    PlimStatus status = file->repair ? repair_surface(context, file->path, &mesh) : PLIM_OK;
    if (status != PLIM_OK) {
        mesh_free(context, &mesh);
        return status;
    }
    for (size_t i = 0; i < mesh.vertex_count; i++)
        mesh.vertices[i] = vec3_scale(file->scale, mesh.vertices[i]);
    TRY(keep_mesh(scene, file_key(file), &mesh, out));
    (*out)->path = file->path;
    if (file->shell > 0) (*out)->center = shell_center(&(*out)->mesh);
    return PLIM_OK;
}

static PlimStatus make_prism(PlimScene *scene, const ScenePrism *prism, SceneMesh **out) {
    TriangleMesh mesh;
    TRY(prism_mesh(&scene->reader, prism, &mesh));
    uint64_t key = hash_bytes(HASH_START, &prism->cells, sizeof prism->cells);
    key = hash_bytes(key, mesh.vertices, mesh.vertex_count * sizeof *mesh.vertices);
    *out = find_mesh(scene, key);
    if (!*out) return keep_mesh(scene, key, &mesh, out);
    mesh_free(scene->context, &mesh);
    return PLIM_OK;
}

/* A wall needs two cells of the field to be there, and a gap to be open. */
static void warn_of_thin_walls(PlimContext *context, const SceneMesh *item) {
    Box3 box = bvh_bounds(item->bvh);
    Vec3 size = vec3_sub(box.high, box.low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    double thinnest = surface_thinnest(&item->mesh, item->bvh, longest);
    double spacing = level_set_grid(item->field)->spacing;
    if (!item->path || thinnest >= 2 * spacing) return;
    context_log(
        context, PLIM_LOG_WARNING,
        "%s: its thinnest wall or gap, %.3g m, has %.2g cells of its distance field and may "
        "be missing in it; 'cells: %.0f' resolves it",
        item->path, thinnest, thinnest / spacing, ceil(LEVEL_SET_ACROSS * longest / thinnest));
}

/* The distance field of a surface, for use in a combination. */
static PlimStatus load_field(PlimScene *scene, SceneMesh *item, int64_t cells,
                             const LevelSet **out) {
    if (!item->field) {
        BvhInput input = bvh_input_triangles(&item->mesh);
        if (!item->bvh) TRY(bvh_create(scene->context, &input, &item->bvh));
        LevelSetOptions options = level_set_options_default();
        options.cells = (int)cells;
        options.cache = scene->context->cache_folder;
        LevelSetReport report;
        TRY(level_set_from_mesh(scene->context, &item->mesh, item->bvh, &options, &item->field,
                                &report));
        warn_of_thin_walls(scene->context, item);
    }
    *out = item->field;
    return PLIM_OK;
}

/* ---- combinations ---- */

/* The solids of one tree; children lie beside each other, so addresses must not move. */
typedef struct SolidArena {
    Scratch *memory;
    PlimScene *scene;
    uint64_t key; /* hash of everything that shapes the surface */
} SolidArena;

static PlimStatus build_solid(SolidArena *arena, SceneNode *node, Solid *out);

static void add_key(SolidArena *arena, const void *bytes, size_t size) {
    arena->key = hash_bytes(arena->key, bytes, size);
}

static PlimStatus build_children(SolidArena *arena, const SceneNode *list, Solid *out) {
    Solid *children = scratch_take(arena->memory, list->children.count, sizeof *children);
    if (!children) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < list->children.count; i++)
        TRY(build_solid(arena, list->children.data[i], &children[i]));
    out->children = children;
    out->child_count = list->children.count;
    return PLIM_OK;
}

/* A place is a union of one shape, moved. */
static PlimStatus build_place(SolidArena *arena, const ScenePlace *place, Solid *out) {
    Solid *child = scratch_take(arena->memory, 1, sizeof *child);
    if (!child) return PLIM_OUT_OF_MEMORY;
    TRY(build_solid(arena, place->shape.node, child));
    const SceneRotation *first = &place->orientation.first;
    Quat turn = scene_turn_by(vec3_normalize(vec3_load(first->axis)), first->angle.value);
    out->children = child;
    out->child_count = 1;
    out->position = vec3_load(place->position);
    out->orientation = scene_turn_on(arena->scene, &place->orientation, turn);
    out->scale = place->scale;
    return PLIM_OK;
}

static SolidKind solid_kind(int kind) {
    static const SolidKind kinds[] = {
        [PLIM_SHAPE_BOX] = SOLID_BOX,
        [PLIM_SHAPE_BALL] = SOLID_BALL,
        [PLIM_SHAPE_CYLINDER] = SOLID_CYLINDER,
        [PLIM_SHAPE_CAPSULE] = SOLID_CAPSULE,
        [PLIM_SHAPE_TORUS] = SOLID_TORUS,
        [PLIM_SHAPE_CONE] = SOLID_CONE,
        [SCENE_SHAPE_FILE] = SOLID_FIELD,
        [SCENE_SHAPE_HALF_SPACE] = SOLID_HALF_SPACE,
        [SCENE_SHAPE_UNION] = SOLID_UNION,
        [SCENE_SHAPE_INTERSECTION] = SOLID_INTERSECTION,
        [SCENE_SHAPE_DIFFERENCE] = SOLID_DIFFERENCE,
        [SCENE_SHAPE_PLACE] = SOLID_UNION,
        [SCENE_SHAPE_PRISM] = SOLID_FIELD,
    };
    return kinds[kind];
}

static PlimStatus build_field(SolidArena *arena, const SceneShape *shape, Solid *out) {
    bool is_file = shape->kind == SCENE_SHAPE_FILE;
    SceneMesh *item;
    if (is_file)
        TRY(load_file(arena->scene, &shape->file, &item));
    else
        TRY(make_prism(arena->scene, &shape->prism, &item));
    add_key(arena, &item->key, sizeof item->key);
    return load_field(arena->scene, item, is_file ? shape->file.cells : shape->prism.cells,
                      &out->field);
}

static PlimStatus fill_solid(SolidArena *arena, const SceneShape *shape, Solid *out) {
    *out = solid_default(solid_kind(shape->kind));
    if (is_combination(shape->kind)) return build_children(arena, shape->combination.of.node, out);
    if (shape->kind == SCENE_SHAPE_PLACE) return build_place(arena, &shape->place, out);
    if (shape->kind == SCENE_SHAPE_FILE || shape->kind == SCENE_SHAPE_PRISM)
        return build_field(arena, shape, out);
    memcpy(out->size, shape->box.size, sizeof out->size);
    out->radius = shape->kind == PLIM_SHAPE_BALL ? shape->ball.radius : shape->round.radius;
    out->tube = shape->round.tube;
    out->height = shape->round.height;
    return PLIM_OK;
}

static PlimStatus build_solid(SolidArena *arena, SceneNode *node, Solid *out) {
    SceneShape shape = {0};
    size_t problems = arena->scene->reader.problems.count;
    reader_read_one_of(&arena->scene->reader, node, &scene_shape_table, &shape);
    TRY(arena->scene->reader.trouble);
    if (arena->scene->reader.problems.count > problems)
        return context_fail(arena->scene->context, PLIM_BAD_INPUT, "a shape within it is wrong");
    TRY(fill_solid(arena, &shape, out));
    const double numbers[] = {
        (double)out->kind,  out->size[0],       out->size[1],       out->size[2],
        out->radius,        out->tube,          out->height,        out->position.x,
        out->position.y,    out->position.z,    out->orientation.w, out->orientation.x,
        out->orientation.y, out->orientation.z, out->scale,         (double)out->child_count};
    add_key(arena, numbers, sizeof numbers);
    return PLIM_OK;
}

static PlimStatus make_combination(PlimScene *scene, SceneNode *node, int64_t cells,
                                   Scratch *memory, Solid *solid, SceneMesh **out) {
    SolidArena arena = {memory, scene, hash_bytes(HASH_START, &cells, sizeof cells)};
    TRY(build_solid(&arena, node, solid));
    *out = find_mesh(scene, arena.key);
    if (*out) return PLIM_OK;
    TriangleMesh mesh;
    TRY(solid_to_mesh(scene->context, solid, (int)cells, &mesh));
    return keep_mesh(scene, arena.key, &mesh, out);
}

PlimStatus scene_shapes_solid(PlimScene *scene, const SceneNode *list, Scratch *memory,
                              Solid *out) {
    SolidArena arena = {memory, scene, HASH_START};
    *out = solid_default(SOLID_UNION);
    return build_children(&arena, list, out);
}

PlimStatus scene_place_solid(PlimScene *scene, const ScenePlace *place, Scratch *memory,
                             Solid *out) {
    SolidArena arena = {memory, scene, HASH_START};
    *out = solid_default(SOLID_UNION);
    return build_place(&arena, place, out);
}

/* ---- descriptions for the world ---- */

static PlimShapeDesc describe_primitive(const SceneShape *shape) {
    PlimShapeDesc desc = {.kind = (PlimShapeKind)shape->kind};
    switch (desc.kind) {
    case PLIM_SHAPE_BOX:
        memcpy(desc.size, shape->box.size, sizeof desc.size);
        break;
    case PLIM_SHAPE_BALL:
        desc.radius = shape->ball.radius;
        desc.subdivisions = (int)shape->ball.subdivisions;
        break;
    case PLIM_SHAPE_HALF_SPACE:
        desc.size[0] = shape->half_space.size[0];
        desc.size[2] = shape->half_space.size[1];
        break;
    default:
        desc.radius = shape->round.radius;
        desc.tube = shape->round.tube;
        desc.height = shape->round.height;
        desc.segments = (int)shape->round.segments;
        desc.sides = (int)shape->round.sides;
    }
    return desc;
}

static bool is_primitive(int kind) {
    return kind < SCENE_SHAPE_FILE || kind == SCENE_SHAPE_HALF_SPACE;
}

/* The triangles of a shape that is not a primitive, and the solid they stand for; of files and
 * prisms only where there is a fluid to flow around them, since level sets take long to make. */
static PlimStatus make_surface(PlimScene *scene, SceneNode *node, const SceneShape *shape,
                               int64_t cells, Scratch *memory, Solid *solid, SceneMesh **out) {
    *solid = solid_default(solid_kind(shape->kind));
    if (solid->kind != SOLID_FIELD) return make_combination(scene, node, cells, memory, solid, out);
    if (shape->kind == SCENE_SHAPE_FILE)
        TRY(load_file(scene, &shape->file, out));
    else
        TRY(make_prism(scene, &shape->prism, out));
    return scene_needs_solids(scene) ? load_field(scene, *out, cells, &solid->field) : PLIM_OK;
}

static int64_t cells_of(const SceneShape *shape) {
    enum { PLACED_CELLS = 64 };
    switch (shape->kind) {
    case SCENE_SHAPE_FILE:
        return shape->file.cells;
    case SCENE_SHAPE_PRISM:
        return shape->prism.cells;
    case SCENE_SHAPE_PLACE:
        return PLACED_CELLS;
    default:
        return is_combination(shape->kind) ? shape->combination.cells : 0;
    }
}

PlimStatus scene_shape_resolve(PlimScene *scene, SceneNode *node, const SceneShape *shape,
                               Scratch *memory, SceneResolved *out) {
    *out = (SceneResolved){.desc = describe_primitive(shape)};
    if (shape->kind == PLIM_SHAPE_CONE) /* a quarter of the height above the base */
        out->center = vec3(0, -0.25 * shape->round.height, 0);
    if (is_primitive(shape->kind)) return PLIM_OK;
    int64_t cells = cells_of(shape);
    SceneMesh *item;
    Solid *solid = scratch_take(memory, 1, sizeof *solid);
    if (!solid) return PLIM_OUT_OF_MEMORY;
    TRY(make_surface(scene, node, shape, cells, memory, solid, &item));
    out->desc = (PlimShapeDesc){.kind = PLIM_SHAPE_MESH,
                                .mesh = &item->desc,
                                .shell = shape->file.shell,
                                .cells = (int)cells};
    out->center = item->center;
    out->solid = scene_needs_solids(scene) ? solid : NULL;
    return PLIM_OK;
}
