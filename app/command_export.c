#include "app.h"

#include "io/export.h"
#include "io/gltf.h"
#include "io/run_folder.h"
#include "view/export_html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool find_format(const char *name, ExportFormat *out) {
    for (int i = 0; name && i < EXPORT_FORMAT_COUNT; i++) {
        if (strcmp(export_format_name((ExportFormat)i), name) != 0) continue;
        *out = (ExportFormat)i;
        return true;
    }
    return false;
}

/* DIR/export/NAME_NNNNN.ENDING */
static PlimStatus target_path(PlimContext *context, const char *target, const char *name,
                              uint64_t frame, const char *ending, char path[PATH_CAPACITY]) {
    char file[SYSTEM_NAME_CAPACITY + 32];
    snprintf(file, sizeof file, "%s_%05" PRIu64 ".%s", name, frame, ending);
    return path_join(context, target, file, path);
}

/* Surfaces and drops in any format; finite elements, and fluids as image data, when the format is
 * VTK's. Adds to *files. */
static PlimStatus export_view(PlimContext *context, const FrameView *view, uint64_t frame,
                              ExportFormat format, const char *target, size_t *files) {
    char path[PATH_CAPACITY];
    for (size_t i = 0; i < view->mesh_count; i++, (*files)++) {
        const FrameMesh *mesh = &view->meshes[i];
        TRY(target_path(context, target, mesh->name, frame, export_format_name(format), path));
        TRY(export_mesh(context, mesh, format, path));
    }
    for (size_t i = 0; i < view->points_count; i++, (*files)++) {
        const FramePoints *points = &view->points[i];
        TRY(target_path(context, target, points->name, frame, export_format_name(format), path));
        TRY(export_points(context, points, format, path));
    }
    for (size_t i = 0; format == EXPORT_VTK && i < view->elements_count; i++, (*files)++) {
        const FrameElements *elements = &view->elements[i];
        TRY(target_path(context, target, elements->name, frame, "vtk", path));
        TRY(export_elements(context, elements, path));
    }
    for (size_t i = 0; format == EXPORT_VTK && i < view->volume_count; i++, (*files)++) {
        const FrameVolume *volume = &view->volumes[i];
        TRY(target_path(context, target, volume->name, frame, "vti", path));
        TRY(export_volume(context, volume, path));
    }
    return PLIM_OK;
}

static PlimStatus export_frame(RunFolder *folder, uint64_t frame, ExportFormat format,
                               const char *target, size_t *files) {
    FrameData data;
    TRY(run_folder_load_frame(folder, frame, &data));
    PlimStatus status = export_view(folder->context, &data.view, frame, format, target, files);
    frame_data_free(folder->context, &data);
    return status;
}

/* What of a run is wanted, and where. */
typedef struct Wanted {
    uint64_t first, last, every;
    const char *out; /* folder; NULL: DIR/export */
} Wanted;

/* Frames of the run that are wanted; at least one. */
static PlimStatus list_frames(RunFolder *folder, const Wanted *wanted, FrameList *out) {
    TRY(run_folder_list(folder, "frame", out));
    size_t count = 0;
    for (size_t i = 0; i < out->numbers.count; i++) {
        uint64_t number = out->numbers.data[i];
        if (number >= wanted->first && number <= wanted->last &&
            (number - wanted->first) % wanted->every == 0)
            out->numbers.data[count++] = number;
    }
    out->numbers.count = count;
    if (count > 0) return PLIM_OK;
    array_free(folder->context, &out->numbers);
    return context_fail(folder->context, PLIM_BAD_INPUT, "%s has no such frame", folder->path);
}

static PlimStatus make_target(RunFolder *folder, const Wanted *wanted, char target[PATH_CAPACITY]) {
    if (wanted->out)
        TRY(path_join(folder->context, wanted->out, ".", target));
    else
        TRY(path_join(folder->context, folder->path, "export", target));
    return folder_create(folder->context, target);
}

static PlimStatus add_gltf_frames(RunFolder *folder, const FrameList *frames, Gltf *gltf,
                                  size_t *left_out) {
    for (size_t i = 0; i < frames->numbers.count; i++) {
        FrameData data;
        size_t left = 0;
        TRY(run_folder_load_frame(folder, frames->numbers.data[i], &data));
        PlimStatus status = gltf_add_frame(gltf, &data, frames->numbers.count == 1, &left);
        frame_data_free(folder->context, &data);
        TRY(status);
        *left_out = left > *left_out ? left : *left_out;
    }
    return PLIM_OK;
}

/* TARGET/run.glb */
static PlimStatus export_gltf(RunFolder *folder, const Wanted *wanted) {
    char target[PATH_CAPACITY], path[PATH_CAPACITY];
    FrameList frames;
    Gltf *gltf;
    size_t left_out = 0;
    TRY(make_target(folder, wanted, target));
    TRY(path_join(folder->context, target, "run.glb", path));
    TRY(list_frames(folder, wanted, &frames));
    PlimStatus status = gltf_create(folder->context, &gltf);
    if (status == PLIM_OK) status = add_gltf_frames(folder, &frames, gltf, &left_out);
    if (status == PLIM_OK) status = gltf_write(gltf, path);
    gltf_destroy(gltf);
    array_free(folder->context, &frames.numbers);
    TRY(status);
    if (left_out > 0)
        context_log(folder->context, PLIM_LOG_WARNING,
                    "liquids and drops are another mesh in every frame, which glTF cannot hold: "
                    "%zu left out; --frame N exports one surface, --to ply all of them",
                    left_out);
    printf("%s\n", path);
    return PLIM_OK;
}

static PlimStatus export_run(RunFolder *folder, ExportFormat format, const Wanted *wanted) {
    char target[PATH_CAPACITY];
    FrameList frames;
    TRY(make_target(folder, wanted, target));
    TRY(list_frames(folder, wanted, &frames));
    PlimStatus status = PLIM_OK;
    size_t files = 0;
    for (size_t i = 0; status == PLIM_OK && i < frames.numbers.count; i++)
        status = export_frame(folder, frames.numbers.data[i], format, target, &files);
    array_free(folder->context, &frames.numbers);
    TRY(status);
    if (files == 0)
        return context_fail(folder->context, PLIM_BAD_INPUT,
                            "%s has no surfaces to export; --to vtk exports its fluid",
                            folder->path);
    printf("%s\n", target);
    return PLIM_OK;
}

/* TARGET/run.html */
static PlimStatus export_page(RunFolder *folder, const Wanted *wanted) {
    char target[PATH_CAPACITY], path[PATH_CAPACITY];
    TRY(make_target(folder, wanted, target));
    TRY(path_join(folder->context, target, "run.html", path));
    TRY(export_html(folder, wanted->every, path));
    printf("%s\n", path);
    return PLIM_OK;
}

/* "A:B", both optional: "10:", ":20". */
static bool parse_range(const char *text, Wanted *wanted) {
    char *end;
    const char *colon = strchr(text, ':');
    if (!colon || strspn(text, "0123456789:") != strlen(text)) return false;
    if (colon != text) wanted->first = strtoull(text, &end, 10);
    if (colon[1]) {
        wanted->last = strtoull(colon + 1, &end, 10);
        if (*end) return false;
    }
    return wanted->first <= wanted->last;
}

static bool parse_wanted(int64_t frame, int64_t every, const char *range, Wanted *wanted) {
    *wanted = (Wanted){.last = UINT64_MAX, .every = (uint64_t)every, .out = wanted->out};
    if (every < 1) {
        print_error("export: --every needs a number of at least 1");
        return false;
    }
    if (frame >= 0 && range) {
        print_error("export: --frame and --frames exclude each other");
        return false;
    }
    if (frame >= 0) wanted->first = wanted->last = (uint64_t)frame;
    if (!range || parse_range(range, wanted)) return true;
    print_error("export: --frames needs a first and a last frame, as in 10:20, 10: or :20");
    return false;
}

static PlimStatus export_to(RunFolder *folder, const char *to, const Wanted *wanted) {
    ExportFormat format = EXPORT_PLY;
    if (strcmp(to, "html") == 0) return export_page(folder, wanted);
    if (strcmp(to, "gltf") == 0) return export_gltf(folder, wanted);
    return find_format(to, &format) ? export_run(folder, format, wanted) : PLIM_BAD_INPUT;
}

int command_export(int argc, char **argv) {
    const char *path, *to = NULL, *range = NULL;
    int64_t frame = -1, every = 1;
    Wanted wanted = {0};
    const Option table[] = {{"--to", OPTION_TEXT, &to},
                            {"--frame", OPTION_INTEGER, &frame},
                            {"--frames", OPTION_TEXT, &range},
                            {"--every", OPTION_INTEGER, &every},
                            {"--out", OPTION_TEXT, &wanted.out}};
    int words;
    ExportFormat format;
    if (!parse_options("export", argc, argv, table, 5, &path, 1, &words)) return EXIT_BAD_REQUEST;
    bool is_known = to && (strcmp(to, "html") == 0 || strcmp(to, "gltf") == 0);
    if (words != 1 || !(is_known || find_format(to, &format))) {
        print_error("export: name a run's folder and --to gltf, html, ply, obj or vtk");
        return EXIT_BAD_REQUEST;
    }
    if (!parse_wanted(frame, every, range, &wanted)) return EXIT_BAD_REQUEST;
    if (strcmp(to, "html") == 0 && (frame >= 0 || range)) {
        print_error("export: a page holds all frames, or every Nth (--every N)");
        return EXIT_BAD_REQUEST;
    }
    PlimContext *context = open_context(1, false);
    if (!context) return EXIT_RUN_FAILED;
    RunFolder folder;
    PlimStatus status = run_folder_open(context, path, &folder);
    if (status == PLIM_OK) {
        status = export_to(&folder, to, &wanted);
        run_folder_close(&folder);
    }
    int code = report(context, status);
    close_context(context);
    return code;
}
