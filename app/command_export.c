#include "app.h"

#include "io/export.h"
#include "io/run_folder.h"

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

static PlimStatus export_frame(RunFolder *folder, uint64_t frame, ExportFormat format,
                               const char *target, size_t *meshes) {
    FrameData data;
    TRY(run_folder_load_frame(folder, frame, &data));
    PlimStatus status = PLIM_OK;
    *meshes += data.view.mesh_count;
    for (size_t i = 0; status == PLIM_OK && i < data.view.mesh_count; i++) {
        char name[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
        snprintf(name, sizeof name, "%.30s_%05" PRIu64 ".%s", data.view.meshes[i].name, frame,
                 export_format_name(format));
        status = path_join(folder->context, target, name, path);
        if (status == PLIM_OK)
            status = export_mesh(folder->context, &data.view.meshes[i], format, path);
    }
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
    size_t written = 0, meshes = 0;
    for (size_t i = 0; status == PLIM_OK && i < frames.numbers.count; i++) {
        if (only >= 0 && frames.numbers.data[i] != (uint64_t)only) continue;
        status = export_frame(folder, frames.numbers.data[i], format, target, &meshes);
        written++;
    }
    array_free(folder->context, &frames.numbers);
    TRY(status);
    if (written == 0)
        return context_fail(folder->context, PLIM_BAD_INPUT, "%s has no such frame", folder->path);
    if (meshes == 0)
        return context_fail(folder->context, PLIM_BAD_INPUT,
                            "%s has no surfaces to export; frames.xdmf opens its fluid in ParaView",
                            folder->path);
    printf("%s\n", target);
    return PLIM_OK;
}

int command_export(int argc, char **argv) {
    const char *path, *to = NULL;
    int64_t frame = -1;
    const Option table[] = {{"--to", OPTION_TEXT, &to}, {"--frame", OPTION_INTEGER, &frame}};
    int words;
    ExportFormat format;
    if (!parse_options("export", argc, argv, table, 2, &path, 1, &words)) return EXIT_BAD_REQUEST;
    if (words != 1 || !find_format(to, &format)) {
        print_error("export: name a run's folder and --to ply, obj or vtk");
        return EXIT_BAD_REQUEST;
    }
    PlimContext *context = open_context(1, false);
    if (!context) return EXIT_RUN_FAILED;
    RunFolder folder;
    PlimStatus status = run_folder_open(context, path, &folder);
    if (status == PLIM_OK) {
        status = export_run(&folder, format, frame);
        run_folder_close(&folder);
    }
    int code = report(context, status);
    close_context(context);
    return code;
}
