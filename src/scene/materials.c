/* Materials of a scene, and tables of how pairs of them meet. */
#include "base/hash.h"
#include "scene/scene.h"
#include "world/world.h"

#include <string.h>

const SceneMaterial *scene_find_material(const PlimScene *scene, const char *name) {
    size_t cursor = 0, index;
    uint64_t hash = hash_text(HASH_START, name);
    while ((index = index_table_next(&scene->materials_by_name, hash, &cursor)) != INDEX_NONE)
        if (strcmp(scene->materials.data[index].name, name) == 0)
            return &scene->materials.data[index];
    return NULL;
}

int scene_material_number(const PlimScene *scene, const char *name) {
    const SceneMaterial *material = name ? scene_find_material(scene, name) : NULL;
    return material ? (int)(material - scene->materials.data) + 1 : 0;
}

static PlimStatus read_material(PlimScene *scene, SceneNode *node) {
    SceneMaterial material = {.friction = {-1, -1}, .color = {-1, -1, -1}};
    reader_read_table(&scene->reader, node, &scene_material_table, &material);
    if (!material.name) return PLIM_OK; /* already a problem */
    material.is_glass = node_get(node, "glass") != NULL;
    if (scene_find_material(scene, material.name))
        reader_problem(&scene->reader, node, "two materials are named '%s'; rename one of them",
                       material.name);
    scene_check_friction(scene, node, &material.friction);
    if (!array_push(scene->context, &scene->materials, material)) return PLIM_OUT_OF_MEMORY;
    return index_table_insert(scene->context, &scene->materials_by_name,
                              hash_text(HASH_START, material.name), scene->materials.count - 1);
}

void scene_check_friction(PlimScene *scene, const SceneNode *node, const SceneFriction *friction) {
    if (friction->at_rest >= 0 && friction->kinetic > friction->at_rest)
        reader_problem(&scene->reader, node_get(node, "friction"),
                       "kinetic friction is %g, static %g; what slides must not be held better "
                       "than what rests",
                       friction->kinetic, friction->at_rest);
}

/* ---- pairs ---- */

static SceneMaterialPair read_pair(PlimScene *scene, SceneNode *node) {
    SceneMaterialPair pair = {
        .friction = {-1, -1}, .restitution = -1, .rolling_friction = -1, .spinning_friction = -1};
    reader_read_table(&scene->reader, node, &scene_material_pair_table, &pair);
    return pair;
}

static int material_at(const PlimScene *scene, const SceneMaterialPair *pair, size_t k) {
    return scene_material_number(scene, pair->materials.node->children.data[k]->text);
}

static bool same_pair(const PlimScene *scene, const SceneMaterialPair *a,
                      const SceneMaterialPair *b) {
    int one[2] = {material_at(scene, a, 0), material_at(scene, a, 1)};
    int other[2] = {material_at(scene, b, 0), material_at(scene, b, 1)};
    return (one[0] == other[0] && one[1] == other[1]) || (one[0] == other[1] && one[1] == other[0]);
}

/* False after a problem. */
static bool check_pair(PlimScene *scene, SceneNode *node, SceneMaterialPair *pair) {
    SceneReader *reader = &scene->reader;
    size_t problems = reader->problems.count;
    *pair = read_pair(scene, node);
    if (reader->problems.count > problems) return false;
    const SceneNode *names = pair->materials.node;
    if (names->children.count != 2) {
        reader_problem(reader, names, "should have two materials, has %zu", names->children.count);
        return false;
    }
    for (size_t k = 0; k < 2; k++)
        if (material_at(scene, pair, k) == 0)
            reader_problem(reader, names, "there is no material '%s'",
                           names->children.data[k]->text);
    scene_check_friction(scene, node, &pair->friction);
    return reader->problems.count == problems;
}

static void check_pairs(PlimScene *scene) {
    const SceneNode *list = scene->document.material_pairs.node;
    for (size_t i = 0; list && i < list->children.count; i++) {
        SceneMaterialPair pair, other;
        if (!check_pair(scene, list->children.data[i], &pair)) return;
        for (size_t j = 0; j < i; j++) {
            other = read_pair(scene, list->children.data[j]);
            if (!same_pair(scene, &pair, &other)) continue;
            reader_problem(&scene->reader, list->children.data[i],
                           "the pair '%s' and '%s' is there twice; leave one",
                           pair.materials.node->children.data[0]->text,
                           pair.materials.node->children.data[1]->text);
        }
    }
}

void scene_read_materials(PlimScene *scene) {
    const SceneNode *list = scene->document.materials.node;
    for (size_t i = 0; list && i < list->children.count; i++)
        if (read_material(scene, list->children.data[i]) != PLIM_OK)
            scene->reader.trouble = PLIM_OUT_OF_MEMORY;
    check_pairs(scene);
}

PlimStatus scene_add_material_pairs(PlimScene *scene, PlimWorld *world) {
    const SceneNode *list = scene->document.material_pairs.node;
    for (size_t i = 0; list && i < list->children.count; i++) {
        SceneMaterialPair read = read_pair(scene, list->children.data[i]);
        TRY(scene->reader.trouble);
        PlimMaterialPair pair = {.a = material_at(scene, &read, 0),
                                 .b = material_at(scene, &read, 1),
                                 .friction = read.friction.at_rest,
                                 .kinetic_friction = read.friction.kinetic,
                                 .restitution = read.restitution,
                                 .rolling_friction = read.rolling_friction,
                                 .spinning_friction = read.spinning_friction};
        TRY(plim_rigid_add_material_pair(world, &pair));
    }
    return PLIM_OK;
}
