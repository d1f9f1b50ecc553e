#include "app.h"

#include "render/studio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the run ---- */

/* Colours for the values of the run, or for those that are asked for. */
static PlimStatus set_range(Studio *studio, Bounds *bounds) {
    const RenderRequest *request = studio->request;
    if (request->range && !studio->shows_values && studio->fluid != VIEW_SLICE)
        return context_fail(studio->folder->context, PLIM_BAD_INPUT,
                            "--range is of colours that stand for values: choose some with --show");
    studio->slice.range =
        slice_range_of_run(studio->slice.show, bounds->ranges, bounds->range_count);
    studio->scale = mesh_values_scale(studio->values, &bounds->values);
    if (request->range) {
        studio->slice.range = (SliceRange){request->low, request->high};
        studio->scale.low = request->low;
        studio->scale.high = request->high;
    }
    return PLIM_OK;
}

/* What to show and from where. */
static PlimStatus prepare(Studio *studio, const FrameList *frames) {
    PlimContext *context = studio->folder->context;
    Bounds bounds = {0};
    if (frames->numbers.count == 0)
        return context_fail(context, PLIM_BAD_INPUT, "%s has no frames", studio->folder->path);
    PlimStatus status = studio_choose_view(studio, frames->numbers.data[0]);
    if (status == PLIM_OK) status = studio_measure(studio, frames, &bounds);
    if (status == PLIM_OK) status = set_range(studio, &bounds);
    if (status == PLIM_OK) studio_place_camera(studio, &bounds);
    array_free(context, &bounds.values);
    return status;
}

/* Pictures of other things have other names: none takes another's place. */
static void name_pictures(Studio *studio) {
    const RenderRequest *request = studio->request;
    const char *const words[] = {
        request->domain, request->show,
        request->preset != CAMERA_OF_SCENE ? camera_preset_name(request->preset) : NULL,
        request->ids ? "ids" : NULL};
    size_t length = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] && length < sizeof studio->suffix)
            length += (size_t)snprintf(studio->suffix + length, sizeof studio->suffix - length,
                                       "-%s", words[i]);
}

static PlimStatus render_run(RunFolder *folder, const PlimScene *scene,
                             const RenderRequest *request) {
    PlimContext *context = folder->context;
    const SceneCamera *camera = &scene->document.camera;
    Studio studio = {.folder = folder,
                     .scene = scene,
                     .request = request,
                     .options = render_options_default(),
                     .caption = camera->caption && !request->ids,
                     .glass = camera->glass && !request->ids};
    char name[3 * FILE_NAME_CAPACITY];
    studio.options.width = (int)request->width;
    studio.options.height = (int)request->height;
    studio.options.samples = (int)request->samples;
    name_pictures(&studio);
    snprintf(name, sizeof name, "pictures%s", studio.suffix);
    TRY(path_join(context, folder->path, name, studio.pictures));
    FrameList frames;
    TRY(run_folder_list(folder, "frame", &frames));
    Image image = {0};
    PlimStatus status = prepare(&studio, &frames);
    if (status == PLIM_OK)
        status = image_create(context, studio.options.width, studio.options.height, &image);
    if (status == PLIM_OK)
        status = request->frame >= 0 ? studio_draw_one(&studio, &frames, &image)
                                     : studio_draw_film(&studio, &frames, &image);
    image_destroy(context, &image);
    object_ids_free(context, &studio.ids);
    array_free(context, &frames.numbers);
    return status;
}

static PlimStatus open_and_render(PlimContext *context, const char *path,
                                  const RenderRequest *request) {
    RunFolder folder;
    TRY(run_folder_open(context, path, &folder));
    char scene_path[PATH_CAPACITY];
    PlimScene *scene = NULL;
    PlimStatus status = path_join(context, path, "scene.yaml", scene_path);
    if (status == PLIM_OK)
        status = plim_scene_load(context, scene_path, request->overrides.items,
                                 request->overrides.count, &scene);
    if (status == PLIM_OK) status = render_run(&folder, scene, request);
    plim_scene_destroy(scene);
    run_folder_close(&folder);
    return status;
}

/* ---- the request ---- */

/* "A,B" with A < B. */
static bool read_range(RenderRequest *request) {
    char *end = NULL;
    if (!request->range) return true;
    request->low = strtod(request->range, &end);
    if (end == request->range || *end != ',') return false;
    const char *second = end + 1;
    request->high = strtod(second, &end);
    return end != second && *end == '\0' && isfinite(request->low) && isfinite(request->high) &&
           request->low < request->high;
}

static bool read_preset(RenderRequest *request) {
    if (!request->camera) return true;
    for (int i = CAMERA_FRONT; i < CAMERA_PRESET_COUNT; i++)
        if (strcmp(camera_preset_name((CameraPreset)i), request->camera) == 0)
            request->preset = (CameraPreset)i;
    return request->preset != CAMERA_OF_SCENE;
}

/* The run is over: only how it is looked at can be changed. */
static bool check_overrides(const OverrideList *list) {
    static const char camera[] = "/camera/";
    for (size_t i = 0; i < list->count; i++) {
        if (strncmp(list->items[i].pointer, camera, strlen(camera)) == 0) continue;
        print_error("render: --set takes keys of the camera, as /camera/position=[2,1,4]; '%s' "
                    "would need another run",
                    list->items[i].pointer);
        return false;
    }
    return true;
}

static bool check_film(const RenderRequest *request) {
    if (request->slow < 0 || request->slow > 1e4 || request->fps < 0 || request->fps > 240) {
        print_error("render: --slow takes how many times slower the film is, more than 0 and up to "
                    "10000, --fps its pictures a second, more than 0 and up to 240");
        return false;
    }
    if (request->frame >= 0 && (request->slow > 0 || request->fps > 0)) {
        print_error("render: --slow and --fps are of films; leave out --frame");
        return false;
    }
    return true;
}

static bool check_request(RenderRequest *request) {
    SliceShow show;
    MeshShow values;
    if (request->width < 16 || request->width > 8192 || request->height < 16 ||
        request->height > 8192 || request->samples < 1 || request->samples > 4096 ||
        request->sheet < 1) {
        print_error("render: pictures have 16 to 8192 pixels a side, 1 to 4096 samples, and a "
                    "sheet at least 1 picture");
        return false;
    }
    if (request->show && strcmp(request->show, render_show_bodies) != 0 &&
        !render_find_show(request->show, &show) && !render_find_mesh_show(request->show, &values)) {
        print_error("render: --show takes speed, vorticity, smoke, pressure, temperature, liquid, "
                    "bodies, stress or stretch, not '%s'",
                    request->show);
        return false;
    }
    if (!read_range(request)) {
        print_error("render: --range takes two numbers A,B with A < B, not '%s'", request->range);
        return false;
    }
    if (!read_preset(request)) {
        print_error("render: --camera takes front, top, side or orbit, not '%s'", request->camera);
        return false;
    }
    if (request->progress && strcmp(request->progress, "json") != 0) {
        print_error("render: --progress takes json, not '%s'", request->progress);
        return false;
    }
    return check_overrides(&request->overrides) && check_film(request);
}

int command_render(int argc, char **argv) {
    RenderRequest request = {.frame = -1, .width = 960, .height = 540, .samples = 4, .sheet = 12};
    const Option table[] = {
        {"--frame", OPTION_INTEGER, &request.frame},
        {"--width", OPTION_INTEGER, &request.width},
        {"--height", OPTION_INTEGER, &request.height},
        {"--samples", OPTION_INTEGER, &request.samples},
        {"--sheet", OPTION_INTEGER, &request.sheet},
        {"--threads", OPTION_INTEGER, &request.threads},
        {"--show", OPTION_TEXT, &request.show},
        {"--range", OPTION_TEXT, &request.range},
        {"--domain", OPTION_TEXT, &request.domain},
        {"--lines", OPTION_FLAG, &request.lines},
        {"--ids", OPTION_FLAG, &request.ids},
        {"--camera", OPTION_TEXT, &request.camera},
        {"--set", OPTION_SET, &request.overrides},
        {"--slow", OPTION_NUMBER, &request.slow},
        {"--fps", OPTION_NUMBER, &request.fps},
        {"--quiet", OPTION_FLAG, &request.quiet},
        {"--progress", OPTION_TEXT, &request.progress},
    };
    const char *path;
    int words;
    if (!parse_options("render", argc, argv, table, sizeof table / sizeof *table, &path, 1, &words))
        return EXIT_BAD_REQUEST;
    if (words != 1) {
        print_error("render: name a run's folder");
        return EXIT_BAD_REQUEST;
    }
    if (!check_request(&request)) return EXIT_BAD_REQUEST;
    PlimContext *context = open_context(request.threads, request.quiet);
    if (!context) return EXIT_RUN_FAILED;
    int code = report(context, open_and_render(context, path, &request));
    close_context(context);
    return code;
}
