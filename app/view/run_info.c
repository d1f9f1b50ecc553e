/* What the page must know of a run: name, rate, camera, frames. */
#include "view/run_info.h"

#include "io/frame_pack.h"
#include "scene/node.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_place(Text *json, const char *name, const double place[3]) {
    if (isfinite(place[0]) && isfinite(place[1]) && isfinite(place[2]))
        text_add(json, ",\"%s\":[%.17g,%.17g,%.17g]", name, place[0], place[1], place[2]);
}

static void add_number(Text *json, const char *name, double value) {
    if (isfinite(value)) text_add(json, ",\"%s\":%.17g", name, value);
}

static void add_camera(Text *json, const SceneCamera *camera) {
    text_add(json, ",\"camera\":{\"ground\":%s", camera->ground ? "true" : "false");
    if (isfinite(camera->position[0])) {
        add_place(json, "position", camera->position);
        if (camera->field_of_view > 0) add_number(json, "field_of_view", camera->field_of_view);
    }
    add_place(json, "target", camera->target);
    add_number(json, "ground_height", camera->ground_height);
    text_add(json, "}");
}

/* Which body a probe watches: its curves belong to that. */
static void add_probes(Text *json, const SceneNode *list) {
    bool first = true;
    text_add(json, ",\"probes\":[");
    for (size_t i = 0; list && i < list->children.count; i++) {
        const SceneNode *name = node_get(list->children.data[i], "name");
        const SceneNode *object = node_get(list->children.data[i], "object");
        if (!name || !object || !name->text || !object->text) continue;
        text_add(json, "%s{\"name\":", first ? "" : ",");
        frame_pack_text(json, name->text);
        text_add(json, ",\"object\":");
        frame_pack_text(json, object->text);
        text_add(json, "}");
        first = false;
    }
    text_add(json, "]");
}

void run_info_add(Text *json, PlimContext *context, const char *folder) {
    char path[PATH_CAPACITY];
    PlimScene *scene = NULL;
    const char *slash = strrchr(folder, '/');
    PlimStatus status = path_join(context, folder, "scene.yaml", path);
    if (status == PLIM_OK && file_exists(path))
        status = plim_scene_load(context, path, NULL, 0, &scene);
    text_add(json, "{\"name\":");
    if (status == PLIM_OK && scene) {
        frame_pack_text(json, plim_scene_name(scene));
        text_add(json, ",\"fps\":%.17g,\"last\":%" PRIu64, plim_scene_fps(scene),
                 plim_scene_frame_count(scene));
        add_camera(json, &scene->document.camera);
        add_probes(json, scene->document.probes.node);
    } else {
        frame_pack_text(json, slash ? slash + 1 : folder);
    }
    plim_scene_destroy(scene);
}

void run_info_add_frames(Text *json, const FrameList *frames) {
    text_add(json, ",\"frames\":[");
    for (size_t i = 0; i < frames->numbers.count; i++)
        text_add(json, "%s%" PRIu64, i ? "," : "", frames->numbers.data[i]);
    text_add(json, "]");
}
