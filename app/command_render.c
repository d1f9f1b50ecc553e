#include "app.h"

#include "io/run_folder.h"
#include "render/film.h"
#include "render/mesh_values.h"
#include "render/obstacles.h"
#include "render/raytrace.h"
#include "render/slice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct RenderRequest {
    int64_t frame, width, height, samples, sheet, threads;
    const char *show;   /* NULL: what suits the run */
    const char *domain; /* of several: whose slice or smoke; NULL: what suits */
    const char *range;  /* "A,B": values of the first and last colour; NULL: of the run */
    double low, high;   /* the same, read */
    bool lines;
} RenderRequest;

/* How a fluid is drawn: not, as a slice, in space with its smoke or its water. */
typedef enum FluidView { VIEW_NONE, VIEW_SLICE, VIEW_SMOKE, VIEW_WATER } FluidView;

/* Everything that stays the same from picture to picture. */
typedef struct Studio {
    RunFolder *folder;
    RenderCamera camera;
    RenderOptions options;
    FluidView fluid;
    const char *domain; /* as in the request */
    SliceOptions slice;
    bool shows_values; /* on deformable surfaces */
    MeshShow values;
    RenderScale scale; /* of these */
    char pictures[PATH_CAPACITY];
} Studio;

/* The grid of which a slice or the smoke is drawn: the one that is asked for, else the first with
 * smoke in space, else the first; NULL: none. */
static const FrameVolume *shown_volume(const Studio *studio, const FrameView *view) {
    for (size_t i = 0; i < view->volume_count; i++) {
        const FrameVolume *volume = &view->volumes[i];
        if (studio->domain ? strcmp(volume->name, studio->domain) == 0
                           : volume->smoke && volume->dim == 3)
            return volume;
    }
    return view->volume_count > 0 && !studio->domain ? &view->volumes[0] : NULL;
}

/* ---- where to look from ---- */

enum { SAMPLED_FRAMES = 24 };

typedef struct Bounds {
    Vec3 low, high; /* of what is drawn */
    double floor;   /* m, height of the lowest thing: a body or the box of a fluid */
    SliceRange ranges[SAMPLED_FRAMES];
    size_t range_count;
    MeshSample values;     /* of what is shown on deformable surfaces */
    bool has_flat, bulges; /* deformable surfaces within the plane z = 0; others */
} Bounds;

static void grow_bounds(Bounds *bounds, Vec3 point) {
    bounds->low = vec3_min(bounds->low, point);
    bounds->high = vec3_max(bounds->high, point);
}

static void grow_by_places(Bounds *bounds, const float *places, size_t count) {
    for (size_t i = 0; i < count; i++)
        grow_bounds(bounds, vec3((double)places[3 * i], (double)places[3 * i + 1],
                                 (double)places[3 * i + 2]));
}

/* By smoke that can be seen, and obstacles. */
static void grow_by_smoke(Bounds *bounds, const FrameVolume *volume) {
    const float visible = 0.05f;
    size_t cell = 0;
    for (int k = 0; k < volume->n[2]; k++)
        for (int j = 0; j < volume->n[1]; j++)
            for (int i = 0; i < volume->n[0]; i++, cell++)
                if (volume->smoke[cell] > visible || volume->solid[cell])
                    grow_bounds(bounds, vec3_add_scaled(vec3_load(volume->origin), volume->spacing,
                                                        vec3(i + 0.5, j + 0.5, k + 0.5)));
}

/* Those that deform; in two dimensions they lie in the plane. */
static void note_flatness(Bounds *bounds, const FrameMesh *mesh) {
    if (!mesh->stretch) return;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (mesh->vertices[3 * i + 2] != 0.0f) bounds->bulges = true;
    bounds->has_flat = bounds->has_flat || mesh->vertex_count > 0;
}

static PlimStatus measure_frame(const Studio *studio, const FrameView *view, Bounds *bounds) {
    PlimContext *context = studio->folder->context;
    for (size_t k = 0; k < view->mesh_count; k++) {
        grow_by_places(bounds, view->meshes[k].vertices, view->meshes[k].vertex_count);
        note_flatness(bounds, &view->meshes[k]);
    }
    if (studio->shows_values)
        TRY(mesh_values_collect(context, view, studio->values, &bounds->values));
    for (size_t k = 0; k < view->points_count && view->mesh_count == 0; k++)
        grow_by_places(bounds, view->points[k].positions, view->points[k].count);
    const FrameVolume *volume = shown_volume(studio, view);
    if (studio->fluid == VIEW_SMOKE && volume) grow_by_smoke(bounds, volume);
    if (studio->fluid == VIEW_SMOKE || studio->fluid == VIEW_WATER)
        for (size_t k = 0; k < view->volume_count; k++)
            bounds->floor = fmin(bounds->floor, view->volumes[k].origin[1]);
    if (studio->fluid != VIEW_SLICE || !volume) return PLIM_OK;
    return slice_measure(context, volume, studio->slice.show,
                         &bounds->ranges[bounds->range_count++]);
}

/* The box around everything in (a sample of) the run's frames, and the range of colours. */
static PlimStatus measure_run(const Studio *studio, const FrameList *frames, Bounds *bounds) {
    *bounds = (Bounds){.low = vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL),
                       .high = vec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL),
                       .floor = HUGE_VAL};
    size_t count = frames->numbers.count, stride = count / SAMPLED_FRAMES + 1;
    for (size_t i = 0; i < count; i += stride) {
        FrameData data;
        TRY(run_folder_load_frame(studio->folder, frames->numbers.data[i], &data));
        PlimStatus status = measure_frame(studio, &data.view, bounds);
        frame_data_free(studio->folder->context, &data);
        TRY(status);
    }
    if (!(bounds->low.x <= bounds->high.x)) {
        bounds->low = vec3(-1, 0, -1);
        bounds->high = vec3(1, 1, 1);
    }
    double extent = vec3_length(vec3_sub(bounds->high, bounds->low));
    /* Water stands on the floor: it would show the air between. */
    bool stands = studio->fluid == VIEW_WATER && bounds->low.y > bounds->floor - 1e-4 * extent;
    if (!stands) bounds->floor = fmin(bounds->floor, bounds->low.y - 0.02 * extent);
    return PLIM_OK;
}

/* ---- what to show ---- */

static bool find_show(const char *name, SliceShow *out) {
    for (int i = 0; i < SLICE_SHOW_COUNT; i++) {
        if (strcmp(slice_show_name((SliceShow)i), name) != 0) continue;
        *out = (SliceShow)i;
        return true;
    }
    return false;
}

static bool find_mesh_show(const char *name, MeshShow *out) {
    for (int i = 0; name && i < MESH_SHOW_COUNT; i++) {
        if (strcmp(mesh_show_name((MeshShow)i), name) != 0) continue;
        *out = (MeshShow)i;
        return true;
    }
    return false;
}

static const char show_bodies[] = "bodies";

/* Surfaces, of bodies and of water, are drawn where bodies or values on them are asked for, and in
 * space when there is no smoke to see. */
static bool wants_surfaces(const RenderRequest *request, const FrameView *view,
                           const FrameVolume *volume) {
    MeshShow values;
    if (find_mesh_show(request->show, &values)) return true;
    if (request->show && strcmp(request->show, show_bodies) == 0) return true;
    if (request->show && strcmp(request->show, slice_show_name(SLICE_LIQUID)) != 0) return false;
    return volume->dim == 3 && !volume->smoke && (view->mesh_count > 0 || view->points_count > 0);
}

static SliceShow suitable_show(const FrameVolume *volume) {
    return volume->smoke ? SLICE_SMOKE : volume->level ? SLICE_LIQUID : SLICE_SPEED;
}

static PlimStatus choose_values(Studio *studio, const RenderRequest *request,
                                const FrameView *view) {
    studio->shows_values = find_mesh_show(request->show, &studio->values);
    if (!studio->shows_values) return PLIM_OK;
    for (size_t i = 0; i < view->mesh_count; i++)
        if (mesh_values(&view->meshes[i], studio->values)) return PLIM_OK;
    return context_fail(studio->folder->context, PLIM_BAD_INPUT,
                        "%s has no %s to show: that is known of deformable bodies with elements",
                        studio->folder->path, request->show);
}

/* Smoke in space is drawn as smoke, water in space as water; all else of a fluid as a slice: its
 * smoke, if it has any, or where its liquid is, else its speed, whose threads tell more of any flow
 * than the other quantities. */
static PlimStatus choose_view(Studio *studio, const RenderRequest *request, uint64_t frame) {
    PlimContext *context = studio->folder->context;
    FrameData data;
    TRY(run_folder_load_frame(studio->folder, frame, &data));
    const FrameVolume *volume = shown_volume(studio, &data.view);
    PlimStatus status = choose_values(studio, request, &data.view);
    size_t smoky = 0;
    for (size_t i = 0; i < data.view.volume_count; i++) smoky += data.view.volumes[i].smoke != NULL;
    if (smoky > 1 && !request->domain)
        context_log(context, PLIM_LOG_WARNING,
                    "of %zu domains with smoke that of '%s' is drawn; choose with --domain", smoky,
                    volume->name);
    if (status != PLIM_OK) {
        /* there are no such values */
    } else if (request->domain && !volume) {
        status = context_fail(context, PLIM_BAD_INPUT, "%s has no domain '%s'",
                              studio->folder->path, request->domain);
    } else if (volume && wants_surfaces(request, &data.view, volume)) {
        studio->fluid = volume->level && volume->dim == 3 ? VIEW_WATER : VIEW_NONE;
    } else if (volume) {
        SliceShow show = suitable_show(volume);
        if (request->show) find_show(request->show, &show);
        studio->slice = (SliceOptions){.show = show, .lines = request->lines, .legend = true};
        studio->fluid = volume->dim == 3 && show == SLICE_SMOKE ? VIEW_SMOKE : VIEW_SLICE;
        if (!slice_can_show(volume, show))
            status = context_fail(context, PLIM_BAD_INPUT, "the run has no %s to show",
                                  slice_show_name(show));
    } else if (request->show && !studio->shows_values && strcmp(request->show, show_bodies) != 0) {
        status = context_fail(context, PLIM_BAD_INPUT, "%s has no fluid to show the %s of",
                              studio->folder->path, request->show);
    }
    frame_data_free(context, &data);
    return status;
}

static void place_camera(Studio *studio, const SceneCamera *wanted, const Bounds *bounds) {
    RenderOptions *options = &studio->options;
    double aspect = (double)options->width / options->height;
    double extent = vec3_length(vec3_sub(bounds->high, bounds->low));
    bool is_flat = bounds->has_flat && !bounds->bulges;
    Vec3 low = bounds->low;
    if (studio->shows_values) low.y -= 0.06 * (bounds->high.y - low.y); /* the legend is there */
    studio->camera = is_flat ? render_camera_face(low, bounds->high, aspect)
                             : render_camera_fit(low, bounds->high, aspect);
    if (is_flat) options->sun = vec3(0.35, 0.6, 1.0); /* else it would graze the plane */
    if (isfinite(wanted->position[0])) studio->camera.position = vec3_load(wanted->position);
    if (isfinite(wanted->target[0])) studio->camera.target = vec3_load(wanted->target);
    if (wanted->field_of_view > 0 && isfinite(wanted->position[0]))
        studio->camera.field_of_view = wanted->field_of_view;
    options->ground = wanted->ground;
    options->ground_height =
        isfinite(wanted->ground_height) ? wanted->ground_height : bounds->floor;
    /* Squares of a round size, about a tenth of what there is to see. */
    double size = pow(10, floor(log10(fmax(extent, 1e-9) / 4)));
    options->checker = isfinite(wanted->checker) ? wanted->checker : size;
}

/* ---- pictures ---- */

static void picture_name(uint64_t number, char name[FILE_NAME_CAPACITY]) {
    snprintf(name, FILE_NAME_CAPACITY, "picture_%05" PRIu64 ".png", number);
}

/* A side of the box holds this many lengths in which thick smoke takes 63 % of the light. */
static const double smoke_thickness = 80;

static RenderSmoke smoke_of(const FrameVolume *volume) {
    int longest = volume->n[0] > volume->n[1] ? volume->n[0] : volume->n[1];
    if (volume->n[2] > longest) longest = volume->n[2];
    return (RenderSmoke){.n = {volume->n[0], volume->n[1], volume->n[2]},
                         .spacing = volume->spacing,
                         .origin = vec3_load(volume->origin),
                         .density = volume->smoke,
                         .temperature = volume->temperature,
                         .solid = volume->solid,
                         .extinction = smoke_thickness / (longest * volume->spacing)};
}

static RenderMesh render_mesh(const Studio *studio, const FrameMesh *mesh) {
    return (RenderMesh){
        .vertices = mesh->vertices,
        .vertex_count = mesh->vertex_count,
        .triangles = mesh->triangles,
        .triangle_count = mesh->triangle_count,
        .objects = mesh->objects,
        .colors = mesh->colors,
        .values = studio->shows_values ? mesh_values(mesh, studio->values) : NULL,
        .scale = &studio->scale,
        .checks = mesh->checks,
        .smooth = mesh->smooth,
        .is_clear = mesh->is_clear,
        .absorption = {mesh->absorption[0], mesh->absorption[1], mesh->absorption[2]}};
}

/* A fluid's obstacles, without those cells that the bodies' meshes show already. */
static PlimStatus make_obstacles(PlimContext *context, const FrameView *view,
                                 const FrameVolume *volume, RenderMesh *out) {
    FrameMesh bodies[FRAME_VIEW_CAPACITY];
    size_t count = 0;
    for (size_t i = 0; i < view->mesh_count; i++)
        if (!view->meshes[i].is_clear) bodies[count++] = view->meshes[i];
    return obstacle_mesh_create(context, volume, bodies, count, out);
}

/* Whether these are all particles of a splash whose surface and spray are there too. */
static bool has_skin(const FrameView *view, const char *name) {
    static const char all[] = "particles", spray[] = "spray";
    size_t length = strlen(name);
    if (length < strlen(all) || strcmp(name + length - strlen(all), all) != 0) return false;
    size_t same = length - strlen(all); /* "NAME." or nothing */
    for (size_t i = 0; i < view->points_count; i++)
        if (strncmp(view->points[i].name, name, same) == 0 &&
            strcmp(view->points[i].name + same, spray) == 0)
            return true;
    return false;
}

static PlimStatus draw_meshes(const Studio *studio, const RenderMesh *meshes, size_t count,
                              const FrameView *view, const RenderOptions *options, Image *image) {
    RenderDrops drops[FRAME_VIEW_CAPACITY];
    size_t drops_count = 0;
    for (size_t i = 0; i < view->points_count; i++) {
        const FramePoints *points = &view->points[i];
        /* A skin shows them, and spray those outside it. */
        if (has_skin(view, points->name)) continue;
        drops[drops_count++] = (RenderDrops){.positions = points->positions,
                                             .velocities = points->velocities,
                                             .radii = points->radii,
                                             .count = points->count};
    }
    RenderScene *scene;
    TRY(render_scene_create(studio->folder->context, meshes, count, NULL, 0, &scene));
    PlimStatus status = render_scene_add_drops(scene, drops, drops_count);
    if (status == PLIM_OK) status = render_scene_draw(scene, &studio->camera, options, image);
    render_scene_destroy(scene);
    return status;
}

/* `volume` may be NULL: a fluid whose smoke and obstacles are drawn. */
static PlimStatus draw_scene(const Studio *studio, const FrameView *view, const FrameVolume *volume,
                             Image *image) {
    PlimContext *context = studio->folder->context;
    RenderOptions options = studio->options;
    RenderMesh meshes[2 * FRAME_VIEW_CAPACITY], obstacles[FRAME_VIEW_CAPACITY] = {{0}};
    RenderSmoke smoke;
    size_t count = view->mesh_count;
    for (size_t i = 0; i < count; i++) meshes[i] = render_mesh(studio, &view->meshes[i]);
    PlimStatus status = PLIM_OK;
    for (size_t i = 0; volume && status == PLIM_OK && i < view->volume_count; i++) {
        status = make_obstacles(context, view, &view->volumes[i], &obstacles[i]);
        if (obstacles[i].triangle_count > 0) meshes[count++] = obstacles[i];
    }
    if (volume && volume->smoke) {
        smoke = smoke_of(volume);
        options.smoke = &smoke;
    }
    if (status == PLIM_OK) status = draw_meshes(studio, meshes, count, view, &options, image);
    if (status == PLIM_OK && studio->shows_values)
        mesh_values_legend(image, studio->values, &studio->scale);
    for (size_t i = 0; i < view->volume_count; i++) obstacle_mesh_free(context, &obstacles[i]);
    return status;
}

/* Frames of one run are alike; one that lacks what the others have is drawn without. */
static PlimStatus draw(const Studio *studio, const FrameData *data, Image *image) {
    const FrameView *view = &data->view;
    const FrameVolume *volume = shown_volume(studio, view);
    if (volume && studio->fluid == VIEW_SLICE)
        return slice_draw(studio->folder->context, volume, view, &studio->slice, image);
    bool shown =
        volume && (studio->fluid == VIEW_WATER || (studio->fluid == VIEW_SMOKE && volume->smoke));
    return draw_scene(studio, view, shown ? volume : NULL, image);
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

/* Colours for the values of the run, or for those that are asked for. */
static PlimStatus set_range(Studio *studio, const RenderRequest *request, Bounds *bounds) {
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

static PlimStatus render_run(RunFolder *folder, const PlimScene *scene,
                             const RenderRequest *request) {
    PlimContext *context = folder->context;
    Studio studio = {
        .folder = folder, .domain = request->domain, .options = render_options_default()};
    studio.options.width = (int)request->width;
    studio.options.height = (int)request->height;
    studio.options.samples = (int)request->samples;
    TRY(path_join(context, folder->path, "pictures", studio.pictures));
    FrameList frames;
    TRY(run_folder_list(folder, "frame", &frames));
    Bounds bounds = {0};
    Image image = {0};
    PlimStatus status = frames.numbers.count ? choose_view(&studio, request, frames.numbers.data[0])
                                             : context_fail(context, PLIM_BAD_INPUT,
                                                            "%s has no frames", folder->path);
    if (status == PLIM_OK) status = measure_run(&studio, &frames, &bounds);
    if (status == PLIM_OK) status = set_range(&studio, request, &bounds);
    array_free(context, &bounds.values);
    if (status == PLIM_OK) {
        place_camera(&studio, &scene->document.camera, &bounds);
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
    if (request->show && strcmp(request->show, show_bodies) != 0 &&
        !find_show(request->show, &show) && !find_mesh_show(request->show, &values)) {
        print_error("render: --show takes speed, vorticity, smoke, pressure, temperature, liquid, "
                    "bodies, stress or stretch, not '%s'",
                    request->show);
        return false;
    }
    if (!read_range(request)) {
        print_error("render: --range takes two numbers A,B with A < B, not '%s'", request->range);
        return false;
    }
    return true;
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
    PlimContext *context = open_context(request.threads, false);
    if (!context) return EXIT_RUN_FAILED;
    int code = report(context, open_and_render(context, path, &request));
    close_context(context);
    return code;
}
