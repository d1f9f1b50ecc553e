#include "app.h"

#include "io/export.h"
#include "io/run_folder.h"
#include "view/export_html.h"

#include <inttypes.h>
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

static PlimStatus export_run(RunFolder *folder, ExportFormat format, int64_t only) {
    char target[PATH_CAPACITY];
    TRY(path_join(folder->context, folder->path, "export", target));
    TRY(folder_create(folder->context, target));
    FrameList frames;
    TRY(run_folder_list(folder, "frame", &frames));
    PlimStatus status = PLIM_OK;
    size_t written = 0, files = 0;
    for (size_t i = 0; status == PLIM_OK && i < frames.numbers.count; i++) {
        if (only >= 0 && frames.numbers.data[i] != (uint64_t)only) continue;
        status = export_frame(folder, frames.numbers.data[i], format, target, &files);
        written++;
    }
    array_free(folder->context, &frames.numbers);
    TRY(status);
    if (written == 0)
        return context_fail(folder->context, PLIM_BAD_INPUT, "%s has no such frame", folder->path);
    if (files == 0)
        return context_fail(folder->context, PLIM_BAD_INPUT,
                            "%s has no surfaces to export; --to vtk exports its fluid",
                            folder->path);
    printf("%s\n", target);
    return PLIM_OK;
}

/* DIR/export/run.html */
static PlimStatus export_page(RunFolder *folder, int64_t every) {
    char target[PATH_CAPACITY], path[PATH_CAPACITY];
    TRY(path_join(folder->context, folder->path, "export", target));
    TRY(folder_create(folder->context, target));
    TRY(path_join(folder->context, target, "run.html", path));
    TRY(export_html(folder, (uint64_t)every, path));
    printf("%s\n", path);
    return PLIM_OK;
}

int command_export(int argc, char **argv) {
    const char *path, *to = NULL;
    int64_t frame = -1, every = 1;
    const Option table[] = {{"--to", OPTION_TEXT, &to},
                            {"--frame", OPTION_INTEGER, &frame},
                            {"--every", OPTION_INTEGER, &every}};
    int words;
    ExportFormat format = EXPORT_PLY;
    if (!parse_options("export", argc, argv, table, 3, &path, 1, &words)) return EXIT_BAD_REQUEST;
    bool is_page = to && strcmp(to, "html") == 0;
    if (words != 1 || !(is_page || find_format(to, &format))) {
        print_error("export: name a run's folder and --to html, ply, obj or vtk");
        return EXIT_BAD_REQUEST;
    }
    PlimContext *context = open_context(1, false);
    if (!context) return EXIT_RUN_FAILED;
    RunFolder folder;
    PlimStatus status = run_folder_open(context, path, &folder);
    if (status == PLIM_OK) {
        status = is_page ? export_page(&folder, every) : export_run(&folder, format, frame);
        run_folder_close(&folder);
    }
    int code = report(context, status);
    close_context(context);
    return code;
}
