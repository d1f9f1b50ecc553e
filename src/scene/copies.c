/* Many of one thing: copies of bodies with their places, tilts and colours. */
#include "base/hash.h"
#include "base/random.h"
#include "scene/scene.h"

static const double pi = 3.14159265358979323846;

static double random_of(const PlimScene *scene, const char *name, int what) {
    uint64_t stream = hash_text(HASH_START, name) + (uint64_t)what;
    return random_uniform(scene->reader.seed, stream, scene->reader.repeat.n);
}

Vec3 scene_copy_offset(const PlimScene *scene, const char *name, const SceneRepeat *repeat) {
    const RepeatIndex *index = &scene->reader.repeat;
    if (!index->active) return vec3(0, 0, 0);
    const double place[3] = {(double)index->i, (double)index->j, (double)index->k};
    const double size[3] = {repeat->count ? (double)repeat->count : repeat->grid[0],
                            repeat->count ? 1 : repeat->grid[1],
                            repeat->count ? 1 : repeat->grid[2]};
    double offset[3];
    for (int axis = 0; axis < 3; axis++)
        offset[axis] = (place[axis] - 0.5 * (size[axis] - 1)) * repeat->spacing[axis] +
                       repeat->jitter[axis] * (2 * random_of(scene, name, axis) - 1);
    return vec3_load(offset);
}

Quat scene_copy_tilt(const PlimScene *scene, const char *name, const SceneRepeat *repeat) {
    if (!scene->reader.repeat.active || repeat->tilt == 0) return quat_identity();
    double z = 2 * random_of(scene, name, 3) - 1, around = 2 * pi * random_of(scene, name, 4);
    double angle = repeat->tilt * pi / 180 * random_of(scene, name, 5);
    double r = sqrt(1 - z * z);
    return quat_exp(vec3(angle * r * cos(around), angle * r * sin(around), angle * z));
}

void scene_choose_color(const PlimScene *scene, const char *material_name, const double own[3],
                        size_t number, float color[3]) {
    static const double palette[][3] = {{0.85, 0.33, 0.24}, {0.25, 0.52, 0.78}, {0.93, 0.70, 0.26},
                                        {0.36, 0.66, 0.47}, {0.58, 0.42, 0.70}, {0.90, 0.52, 0.30},
                                        {0.33, 0.68, 0.72}, {0.80, 0.78, 0.72}};
    static const double glass[3] = {0.78, 0.90, 0.86}; /* where glass is drawn as a colour */
    const SceneMaterial *material =
        material_name ? scene_find_material(scene, material_name) : NULL;
    const double *chosen = own[0] >= 0                           ? own
                           : material && material->color[0] >= 0 ? material->color
                           : material && material->is_glass      ? glass
                                                                 : palette[number % 8];
    for (int i = 0; i < 3; i++) color[i] = (float)chosen[i];
}

void scene_choose_glass(const PlimScene *scene, const char *material_name, float glass[4]) {
    const SceneMaterial *material =
        material_name ? scene_find_material(scene, material_name) : NULL;
    bool is_glass = material && material->is_glass;
    glass[0] = is_glass ? (float)material->glass.index : 0;
    for (int i = 0; i < 3; i++) glass[i + 1] = is_glass ? (float)material->glass.absorption[i] : 0;
}

void scene_set_repeat(SceneReader *reader, const SceneNode *node, const SceneRepeat *repeat,
                      uint64_t n, uint64_t count) {
    const SceneNode *name = node_get(node, "name");
    uint64_t nx = repeat->count ? (uint64_t)repeat->count : (uint64_t)repeat->grid[0];
    uint64_t ny = repeat->count ? 1 : (uint64_t)repeat->grid[1];
    reader->repeat =
        (RepeatIndex){.active = node_get(node, "repeat") != NULL,
                      .i = n % nx,
                      .j = n / nx % ny,
                      .k = n / nx / ny,
                      .n = n,
                      .count = count,
                      .stream = name && name->text ? hash_text(HASH_START, name->text) : 0};
}

double scene_count_copies(PlimScene *scene, SceneNode *node, SceneRepeat *repeat) {
    SceneReader *reader = &scene->reader;
    *repeat = (SceneRepeat){.grid = {1, 1, 1}};
    SceneNode *repeat_node = node_get(node, "repeat");
    if (!repeat_node) return 1;
    size_t problems = reader->problems.count;
    reader->repeat.active = false;
    reader_read_table(reader, repeat_node, &scene_repeat_table, repeat);
    if (reader->problems.count > problems) return 0;
    if (node_get(repeat_node, "grid") && node_get(repeat_node, "count"))
        reader_problem(reader, repeat_node, "has both 'grid' and 'count'; leave one out");
    if (!node_get(repeat_node, "grid") && !node_get(repeat_node, "count"))
        reader_problem(reader, repeat_node, "needs 'grid' or 'count'");
    for (int axis = 0; axis < 3; axis++)
        if (repeat->grid[axis] != floor(repeat->grid[axis]))
            reader_problem(reader, repeat_node, "the grid must have whole numbers, has %g",
                           repeat->grid[axis]);
    if (reader->problems.count > problems) return 0;
    if (repeat->count) return (double)repeat->count;
    return repeat->grid[0] * repeat->grid[1] * repeat->grid[2];
}

PlimStatus scene_for_each_copy(PlimScene *scene, const SceneNode *list, SceneCopyFn visit,
                               void *user) {
    PlimStatus result = PLIM_OK;
    for (size_t entry = 0; list && entry < list->children.count; entry++) {
        SceneNode *node = list->children.data[entry];
        SceneRepeat repeat;
        double copies = scene_count_copies(scene, node, &repeat);
        bool active = node_get(node, "repeat") != NULL;
        for (uint64_t n = 0; n < (uint64_t)copies; n++) {
            scene_set_repeat(&scene->reader, node, &repeat, n, (uint64_t)copies);
            PlimStatus status = visit(scene, node, active ? (size_t)n : entry, user);
            if (status == PLIM_OK) continue;
            if (status != PLIM_BAD_INPUT) return status;
            result = status;
            break; /* the other copies are likely wrong in the same way */
        }
    }
    scene->reader.repeat = (RepeatIndex){0};
    return result;
}
