#include "app.h"

#include "io/run_folder.h"
#include "render/film.h"
#include "render/raytrace.h"
#include "render/slice.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct RenderRequest {
    int64_t frame, width, height, samples, sheet, threads;
} RenderRequest;

/* Everything that stays the same from picture to picture. */
typedef struct Studio {
    RunFolder *folder;
    RenderCamera camera;
    RenderOptions options;
    double full_speed; /* m/s, of the last colour in slices */
    char pictures[PATH_CAPACITY];
} Studio;

/* ---- where to look from ---- */

typedef struct Bounds {
    Vec3 low, high;
    double speed; /* m/s, the greatest in slices of fluids */
} Bounds;

static void grow_bounds(Bounds *bounds, const FrameMesh *mesh) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        Vec3 point = vec3((double)mesh->vertices[3 * i], (double)mesh->vertices[3 * i + 1],
                          (double)mesh->vertices[3 * i + 2]);
        bounds->low = vec3_min(bounds->low, point);
        bounds->high = vec3_max(bounds->high, point);
    }
}

/* The box around everything in (a sample of) the run's frames. */
static PlimStatus measure_run(RunFolder *folder, const FrameList *frames, Bounds *bounds) {
    enum { SAMPLED_FRAMES = 24 };
    *bounds =
        (Bounds){vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), vec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL), 0};
    size_t count = frames->numbers.count, stride = count / SAMPLED_FRAMES + 1;
    for (size_t i = 0; i < count; i += stride) {
        FrameData data;
        TRY(run_folder_load_frame(folder, frames->numbers.data[i], &data));
        for (size_t k = 0; k < data.view.mesh_count; k++) grow_bounds(bounds, &data.view.meshes[k]);
        for (size_t k = 0; k < data.view.volume_count; k++)
            bounds->speed = fmax(bounds->speed, slice_greatest_speed(&data.view.volumes[k]));
        frame_data_free(folder->context, &data);
    }
    if (!(bounds->low.x <= bounds->high.x)) {
        bounds->low = vec3(-1, 0, -1);
        bounds->high = vec3(1, 1, 1);
    }
    return PLIM_OK;
}

static void place_camera(Studio *studio, const SceneCamera *wanted, const Bounds *bounds) {
    RenderOptions *options = &studio->options;
    double aspect = (double)options->width / options->height;
    double extent = vec3_length(vec3_sub(bounds->high, bounds->low));
    studio->camera = render_camera_fit(bounds->low, bounds->high, aspect);
    if (isfinite(wanted->position[0])) studio->camera.position = vec3_load(wanted->position);
    if (isfinite(wanted->target[0])) studio->camera.target = vec3_load(wanted->target);
    if (wanted->field_of_view > 0 && isfinite(wanted->position[0]))
        studio->camera.field_of_view = wanted->field_of_view;
    options->ground = wanted->ground;
    options->ground_height =
        isfinite(wanted->ground_height) ? wanted->ground_height : bounds->low.y - 0.02 * extent;
    /* Squares of a round size, about a tenth of what there is to see. */
    double size = pow(10, floor(log10(fmax(extent, 1e-9) / 4)));
    options->checker = isfinite(wanted->checker) ? wanted->checker : size;
}

/* ---- pictures ---- */

static void picture_name(uint64_t number, char name[FILE_NAME_CAPACITY]) {
    snprintf(name, FILE_NAME_CAPACITY, "picture_%05" PRIu64 ".png", number);
}

/* A fluid is shown as a slice, all else is traced. */
static PlimStatus draw(const Studio *studio, const FrameData *data, Image *image) {
    if (data->view.volume_count > 0)
        return slice_draw(studio->folder->context, &data->view.volumes[0], studio->full_speed,
                          image);
    RenderMesh meshes[FRAME_VIEW_CAPACITY];
    for (size_t i = 0; i < data->view.mesh_count; i++) {
        const FrameMesh *mesh = &data->view.meshes[i];
        meshes[i] = (RenderMesh){.vertices = mesh->vertices,
                                 .vertex_count = mesh->vertex_count,
                                 .triangles = mesh->triangles,
                                 .triangle_count = mesh->triangle_count,
                                 .objects = mesh->objects,
                                 .colors = mesh->colors,
                                 .smooth = mesh->smooth};
    }
    RenderScene *scene;
    TRY(render_scene_create(studio->folder->context, meshes, data->view.mesh_count, NULL, 0,
                            &scene));
    PlimStatus status = render_scene_draw(scene, &studio->camera, &studio->options, image);
    render_scene_destroy(scene);
    return status;
}

static PlimStatus draw_frame(const Studio *studio, uint64_t frame, uint64_t number, Image *image) {
    PlimContext *context = studio->folder->context;
    FrameData data;
    TRY(run_folder_load_frame(studio->folder, frame, &data));
    PlimStatus status = draw(studio, &data, image);
    frame_data_free(context, &data);
    TRY(status);
    char name[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
    picture_name(number, name);
    TRY(path_join(context, studio->pictures, name, path));
    return image_write_png(context, image, path);
}

/* `tiles` pictures, evenly spread over the film, in one. */
static PlimStatus make_sheet(const Studio *studio, size_t pictures, size_t tiles) {
    enum { MAX_TILES = 64, SHEET_WIDTH = 1600 };
    PlimContext *context = studio->folder->context;
    if (tiles > pictures) tiles = pictures;
    if (tiles > MAX_TILES) tiles = MAX_TILES;
    Image images[MAX_TILES] = {{0}}, sheet = {0};
    PlimStatus status = PLIM_OK;
    char name[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
    for (size_t i = 0; status == PLIM_OK && i < tiles; i++) {
        picture_name(tiles > 1 ? i * (pictures - 1) / (tiles - 1) : 0, name);
        status = path_join(context, studio->pictures, name, path);
        if (status == PLIM_OK) status = image_read_png(context, path, &images[i]);
    }
    int columns = tiles > 9 ? 4 : tiles > 4 ? 3 : tiles > 1 ? 2 : 1;
    if (status == PLIM_OK)
        status = image_contact_sheet(context, images, (int)tiles, columns, SHEET_WIDTH, &sheet);
    if (status == PLIM_OK) status = path_join(context, studio->folder->path, "sheet.png", path);
    if (status == PLIM_OK) status = image_write_png(context, &sheet, path);
    if (status == PLIM_OK) printf("%s\n", path);
    image_destroy(context, &sheet);
    for (size_t i = 0; i < tiles; i++) image_destroy(context, &images[i]);
    return status;
}

static PlimStatus make_film(const Studio *studio, double fps) {
    PlimContext *context = studio->folder->context;
    char path[PATH_CAPACITY], film[PATH_CAPACITY];
    /* Players stumble outside this range; a film of very many frames a second plays slowly. */
    double playable = fmin(fmax(fps, 1), 60);
    TRY(film_encode(context, studio->pictures, "picture_%05d.png", 0, playable, "film.mp4"));
    TRY(path_join(context, studio->pictures, "film.mp4", path));
    TRY(path_join(context, studio->folder->path, "film.mp4", film));
    if (rename(path, film) != 0)
        return context_fail(context, PLIM_IO_ERROR, "cannot write %s", film);
    printf("%s\n", film);
    return PLIM_OK;
}

/* Pictures of an earlier, longer run would end up in the film. */
static void remove_old_pictures(const Studio *studio) {
    char name[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
    for (uint64_t number = 0;; number++) {
        picture_name(number, name);
        if (path_join(studio->folder->context, studio->pictures, name, path) != PLIM_OK ||
            unlink(path) != 0)
            return;
    }
}

static PlimStatus draw_all(const Studio *studio, const FrameList *frames, const PlimScene *scene,
                           const RenderRequest *request, Image *image) {
    bool terminal = isatty(STDERR_FILENO);
    remove_old_pictures(studio);
    for (size_t i = 0; i < frames->numbers.count; i++) {
        TRY(draw_frame(studio, frames->numbers.data[i], i, image));
        if (terminal) fprintf(stderr, "\rpicture %zu/%zu", i + 1, frames->numbers.count);
    }
    if (terminal) fputc('\n', stderr);
    if (frames->numbers.count > 1) TRY(make_film(studio, plim_scene_fps(scene)));
    return make_sheet(studio, frames->numbers.count, (size_t)request->sheet);
}

static PlimStatus draw_one(const Studio *studio, const RenderRequest *request, Image *image) {
    PlimContext *context = studio->folder->context;
    FrameData data;
    TRY(run_folder_load_frame(studio->folder, (uint64_t)request->frame, &data));
    PlimStatus status = draw(studio, &data, image);
    frame_data_free(context, &data);
    TRY(status);
    char name[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
    snprintf(name, sizeof name, "frame_%05" PRId64 ".png", request->frame);
    TRY(path_join(context, studio->folder->path, name, path));
    TRY(image_write_png(context, image, path));
    printf("%s\n", path);
    return PLIM_OK;
}

static bool has_frame(const FrameList *frames, int64_t frame) {
    for (size_t i = 0; i < frames->numbers.count; i++)
        if (frames->numbers.data[i] == (uint64_t)frame) return true;
    return false;
}

static PlimStatus render_run(RunFolder *folder, const PlimScene *scene,
                             const RenderRequest *request) {
    PlimContext *context = folder->context;
    Studio studio = {.folder = folder, .options = render_options_default()};
    studio.options.width = (int)request->width;
    studio.options.height = (int)request->height;
    studio.options.samples = (int)request->samples;
    TRY(path_join(context, folder->path, "pictures", studio.pictures));
    FrameList frames;
    TRY(run_folder_list(folder, "frame", &frames));
    Bounds bounds = {0};
    Image image = {0};
    PlimStatus status = frames.numbers.count ? measure_run(folder, &frames, &bounds)
                                             : context_fail(context, PLIM_BAD_INPUT,
                                                            "%s has no frames", folder->path);
    if (status == PLIM_OK) {
        place_camera(&studio, &scene->document.camera, &bounds);
        studio.full_speed = bounds.speed > 0 ? bounds.speed : 1;
        status = image_create(context, studio.options.width, studio.options.height, &image);
    }
    if (status == PLIM_OK && request->frame >= 0 && !has_frame(&frames, request->frame)) {
        status = context_fail(context, PLIM_BAD_INPUT, "%s has no frame %" PRId64, folder->path,
                              request->frame);
    } else if (status == PLIM_OK && request->frame >= 0) {
        status = draw_one(&studio, request, &image);
    } else if (status == PLIM_OK) {
        status = folder_create(context, studio.pictures);
        if (status == PLIM_OK) status = draw_all(&studio, &frames, scene, request, &image);
    }
    image_destroy(context, &image);
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
    if (status == PLIM_OK) status = plim_scene_load(context, scene_path, NULL, 0, &scene);
    if (status == PLIM_OK) status = render_run(&folder, scene, request);
    plim_scene_destroy(scene);
    run_folder_close(&folder);
    return status;
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
    };
    const char *path;
    int words;
    if (!parse_options("render", argc, argv, table, sizeof table / sizeof *table, &path, 1, &words))
        return EXIT_BAD_REQUEST;
    if (words != 1 || request.width < 16 || request.width > 8192 || request.height < 16 ||
        request.height > 8192 || request.samples < 1 || request.samples > 4096 ||
        request.sheet < 1) {
        print_error("render: name a run's folder; pictures have 16 to 8192 pixels a side, 1 to "
                    "4096 samples, and a sheet at least 1 picture");
        return EXIT_BAD_REQUEST;
    }
    PlimContext *context = open_context(request.threads, false);
    if (!context) return EXIT_RUN_FAILED;
    int code = report(context, open_and_render(context, path, &request));
    close_context(context);
    return code;
}
