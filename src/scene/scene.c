/* Loading of a scene: files, parameters, hash. */
#include "scene/scene.h"

#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILE_BYTES = 64 << 20 };

/* ---- loading ---- */

static PlimStatus read_file(PlimContext *context, const char *path, char **text, size_t *size) {
    struct stat info;
    if (stat(path, &info) == 0 && info.st_size > MAX_FILE_BYTES)
        return context_fail(context, PLIM_BAD_INPUT, "%s: larger than 64 MB; not a scene", path);
    PlimStatus status = file_read(context, path, text, size);
    return status == PLIM_IO_ERROR ? PLIM_BAD_INPUT : status;
}

static void check_version(PlimScene *scene) {
    const SceneNode *node = node_get(scene->root, "plimsoll");
    if (node && scene->document.version != SCENE_VERSION)
        reader_problem(&scene->reader, node,
                       "format version %" PRId64 " is not known; this program reads version %d",
                       scene->document.version, SCENE_VERSION);
}

static void check_times(PlimScene *scene) {
    const SceneDocument *document = &scene->document;
    double frames = document->duration * document->fps;
    if (frames > 1e7)
        reader_problem(&scene->reader, scene->root,
                       "duration %g s at %g frames a second makes %g frames; at most 10000000",
                       document->duration, document->fps, frames);
    const SceneCamera *camera = &document->camera;
    if (isfinite(camera->position[0]) &&
        memcmp(camera->position, camera->target, sizeof camera->target) == 0)
        reader_problem(&scene->reader, node_get(scene->root, "camera"),
                       "looks at where it stands; move its position or its target");
}

static PlimStatus make_text(PlimScene *scene) {
    SceneNode *ancestors = node_get(scene->root, "resumed_from");
    context_free_text(scene->context, scene->text);
    scene->text = node_emit(scene->context, scene->root);
    if (!scene->text) return PLIM_OUT_OF_MEMORY;
    char *own = NULL; /* the text without the ancestors */
    if (ancestors) {
        SceneNode **place = scene->root->children.data + node_index(ancestors);
        SceneNode **end = scene->root->children.data + --scene->root->children.count;
        memmove(place, place + 1, (size_t)(end - place) * sizeof *place);
        own = node_emit(scene->context, scene->root);
        memmove(place + 1, place, (size_t)(end - place) * sizeof *place);
        *place = ancestors;
        scene->root->children.count++;
        if (!own) return PLIM_OUT_OF_MEMORY;
    }
    scene->hash = hash_text(HASH_START, own ? own : scene->text);
    context_free_text(scene->context, own);
    return PLIM_OK;
}

/* Before anything that may use random(): the seed itself, unless it needs the parameters. */
static void read_seed(PlimScene *scene, bool with_params) {
    SceneReader *reader = &scene->reader;
    const SceneNode *node = node_get(scene->root, "seed");
    bool needs_params = node && node->kind == NODE_SCALAR && node->text[0] == '=';
    if (needs_params && !with_params) return;
    double value = 1;
    if (node && !(reader_number(reader, node, &value) && value >= 0 && value <= 0x1p53)) value = 1;
    reader->seed = (uint64_t)value;
    reader->has_seed = true;
}

static void read_map(PlimScene *scene) {
    SceneReader *reader = &scene->reader;
    read_seed(scene, false);
    reader_read_params(reader, node_get(scene->root, "params"));
    if (!reader->has_seed) read_seed(scene, true);
    if (reader->trouble != PLIM_OK) return;
    reader_read_table(reader, scene->root, &scene_table, &scene->document);
    scene_read_systems(scene);
    check_version(scene);
    check_times(scene);
    scene_check_objects(scene);
}

static PlimStatus read_document(PlimScene *scene) {
    SceneReader *reader = &scene->reader;
    SceneDocument *document = &scene->document;
    document->version = SCENE_VERSION; /* a missing or unreadable one is already a problem */
    document->camera.position[0] = document->camera.target[0] = NAN;
    document->camera.ground_height = document->camera.checker = NAN;
    document->camera.ground = document->camera.caption = true;
    if (scene->root->kind != NODE_MAP) {
        reader_problem(reader, scene->root,
                       "a scene is a map of keys and values that starts with 'plimsoll: 1'");
    } else {
        read_map(scene);
    }
    TRY(reader->trouble);
    reader_sort_problems(reader);
    if (reader->problems.count == 0) return make_text(scene);
    return context_fail(scene->context, PLIM_BAD_INPUT, "%s: %s", scene->label,
                        reader->problems.data[0].text);
}

static PlimStatus parse_into(PlimScene *scene, const char *text, size_t size,
                             const PlimOverride *overrides, size_t override_count) {
    ParseError error;
    PlimStatus status = node_parse(scene->context, text, size, &scene->root, &error);
    if (status == PLIM_BAD_INPUT)
        return context_fail(scene->context, status, "%s: line %d, /: %s", scene->label, error.line,
                            error.reason);
    TRY(status);
    for (size_t i = 0; i < override_count; i++)
        TRY(node_set(scene->context, scene->root, overrides[i].pointer, overrides[i].value));
    return read_document(scene);
}

static PlimStatus check_overrides(PlimContext *context, const PlimOverride *overrides,
                                  size_t count) {
    if (count > 0 && !overrides)
        return context_fail(context, PLIM_BAD_INPUT, "%zu overrides of a scene, and no array",
                            count);
    for (size_t i = 0; i < count; i++)
        if (!overrides[i].pointer || !overrides[i].value)
            return context_fail(context, PLIM_BAD_INPUT,
                                "override %zu of a scene has no pointer or no value", i);
    return PLIM_OK;
}

PlimStatus plim_scene_parse(PlimContext *context, const char *label, const char *text, size_t size,
                            const PlimOverride *overrides, size_t override_count, PlimScene **out) {
    if (out) *out = NULL;
    if (!context) return PLIM_BAD_INPUT;
    REQUIRE(context, label);
    REQUIRE(context, text);
    REQUIRE(context, out);
    TRY(check_overrides(context, overrides, override_count));
    PlimScene *scene = context_allocate(context, 1, sizeof *scene);
    if (!scene) return PLIM_OUT_OF_MEMORY;
    scene->context = context;
    reader_init(&scene->reader, context);
    scratch_init(&scene->solids, context);
    scene->label = context_copy_text(context, label);
    PlimStatus status = scene->label ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK) status = parse_into(scene, text, size, overrides, override_count);
    if (status == PLIM_OK || (status == PLIM_BAD_INPUT && scene->reader.problems.count > 0))
        *out = scene;
    else
        plim_scene_destroy(scene);
    return status;
}

PlimStatus plim_scene_load(PlimContext *context, const char *path, const PlimOverride *overrides,
                           size_t override_count, PlimScene **out) {
    if (out) *out = NULL;
    if (!context) return PLIM_BAD_INPUT;
    REQUIRE(context, path);
    REQUIRE(context, out);
    char *text = NULL;
    size_t size = 0;
    TRY(read_file(context, path, &text, &size));
    PlimStatus status = plim_scene_parse(context, path, text, size, overrides, override_count, out);
    context_free(context, text, size + 1, 1);
    return status;
}

void plim_scene_destroy(PlimScene *scene) {
    if (!scene) return;
    PlimContext *context = scene->context;
    scene_paths_free(scene);
    scene_forces_free(scene);
    scene_drives_free(scene);
    array_free(context, &scene->groups);
    scratch_free(&scene->solids);
    scene_meshes_free(scene);
    array_free(context, &scene->materials);
    array_free(context, &scene->systems);
    index_table_free(context, &scene->materials_by_name);
    reader_free(&scene->reader);
    node_destroy(context, scene->root);
    context_free_text(context, scene->label);
    context_free_text(context, scene->text);
    context_free(context, scene, 1, sizeof *scene);
}

/* ---- asking ---- */

size_t plim_scene_problem_count(const PlimScene *scene) {
    return scene ? scene->reader.problems.count : 0;
}

const char *plim_scene_problem(const PlimScene *scene, size_t index) {
    return index < plim_scene_problem_count(scene) ? scene->reader.problems.data[index].text : NULL;
}

const char *plim_scene_name(const PlimScene *scene) {
    return scene ? scene->document.name : NULL;
}

double plim_scene_fps(const PlimScene *scene) {
    return scene ? scene->document.fps : NAN;
}

double plim_scene_duration(const PlimScene *scene) {
    return scene ? scene->document.duration : NAN;
}

uint64_t plim_scene_frame_count(const PlimScene *scene) {
    if (!scene) return 0;
    /* 2 s at 24 is 48 frames also when 2 * 24 comes out a rounding error above. */
    double frames = ceil(scene->document.duration * scene->document.fps * (1.0 - 1e-12));
    /* Of a scene with problems it may be any number. */
    return frames >= 0 && frames < 0x1p63 ? (uint64_t)frames : 0;
}

double plim_scene_frame_time(const PlimScene *scene, uint64_t frame) {
    return scene ? (double)frame / scene->document.fps : NAN;
}

double plim_scene_memory(const PlimScene *scene) {
    return scene ? scene->memory : NAN;
}

const char *plim_scene_text(const PlimScene *scene) {
    return scene ? scene->text : NULL;
}

/* ---- identity ---- */

bool scene_accepts_state(const PlimScene *scene, uint64_t hash) {
    if (hash == scene->hash) return true;
    const SceneNode *ancestors = node_get(scene->root, "resumed_from");
    for (size_t i = 0; ancestors && i < ancestors->children.count; i++)
        if (strtoull(ancestors->children.data[i]->text, NULL, 16) == hash) return true;
    return false;
}

PlimStatus scene_add_ancestor(PlimScene *scene, uint64_t hash) {
    PlimContext *context = scene->context;
    if (scene_accepts_state(scene, hash)) return PLIM_OK;
    SceneNode *list = node_get(scene->root, "resumed_from");
    if (!list) {
        list = node_create(context, NODE_LIST, 0);
        if (!list) return PLIM_OUT_OF_MEMORY;
        list->flow = true;
        TRY(node_append(context, scene->root, "resumed_from", list));
    }
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    SceneNode *item = node_create(context, NODE_SCALAR, 0);
    if (!item) return PLIM_OUT_OF_MEMORY;
    item->quoted = true;
    item->text = context_copy_text(context, text);
    if (!item->text) {
        node_destroy(context, item);
        return PLIM_OUT_OF_MEMORY;
    }
    TRY(node_append(context, list, NULL, item));
    return make_text(scene);
}
