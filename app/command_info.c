#include "app.h"
#include "mesh_info.h"
#include "tet_info.h"

#include "geom/mesh/mesh_file.h"
#include "io/run_folder.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* ---- one file ---- */

static void print_state(const StateHeader *header) {
    printf("frame: %" PRIu64 "\n", header->frame);
    printf("step: %" PRIu64 "\n", header->step);
    printf("time: %.17g s\n", header->time);
    printf("scene: %016" PRIx64 "\n", header->scene_hash);
    printf("hash: %016" PRIx64 "\n", header->state_hash);
}

static PlimStatus info_state(PlimContext *context, const char *path) {
    char *bytes;
    size_t size;
    StateHeader header;
    if (file_read(context, path, &bytes, &size) != PLIM_OK) return PLIM_BAD_INPUT;
    PlimStatus status = state_file_header(context, path, bytes, size, &header);
    context_free(context, bytes, size + 1, 1);
    if (status == PLIM_OK) print_state(&header);
    return status;
}

static PlimStatus info_mesh(PlimContext *context, const char *path) {
    TriangleMesh mesh;
    TRY(mesh_read(context, path, &mesh));
    PlimStatus status = mesh_info_print(context, &mesh);
    mesh_free(context, &mesh);
    return status;
}

/* ---- a folder ---- */

static void print_last_figures(const Table *stats) {
    if (stats->rows == 0) return;
    for (size_t i = 0; i < stats->columns; i++) {
        const char *name = table_column_name(stats, i);
        if (strncmp(name, "wall.", 5) != 0)
            printf("%s: %.9g\n", name, stats->values[i * stats->rows + stats->rows - 1]);
    }
    double wall = 0;
    for (size_t i = 0; i < stats->columns; i++)
        for (size_t row = 0; row < stats->rows; row++)
            if (strncmp(table_column_name(stats, i), "wall.", 5) == 0)
                wall += stats->values[i * stats->rows + row];
    printf("wall time in stages: %.3f s\n", wall);
}

static void print_range(const char *what, const FrameList *list) {
    if (list->numbers.count == 0)
        printf("%s: none\n", what);
    else
        printf("%s: %zu, %" PRIu64 " to %" PRIu64 "\n", what, list->numbers.count,
               list->numbers.data[0], list->numbers.data[list->numbers.count - 1]);
}

static void print_size(const RunFolder *folder) {
    double bytes = 0;
    for (size_t i = 0; i < folder->manifest.entries.count; i++)
        bytes += (double)folder->manifest.entries.data[i].size;
    printf("size of finished files: %.2f MB\n", 1e-6 * bytes);
}

static void print_volume(const FrameVolume *volume) {
    printf("%s: %d x %d", volume->name, volume->n[0], volume->n[1]);
    if (volume->dim == 3) printf(" x %d", volume->n[2]);
    printf(" cells of %g m; velocity, pressure%s%s, %s\n", volume->spacing,
           volume->smoke ? ", smoke" : "", volume->temperature ? ", temperature" : "",
           volume->solid_moves ? "moving obstacles" : "obstacles");
}

static void print_contents(RunFolder *folder, const FrameList *frames) {
    FrameData data;
    if (frames->numbers.count == 0 ||
        run_folder_load_frame(folder, frames->numbers.data[frames->numbers.count - 1], &data) !=
            PLIM_OK)
        return;
    for (size_t i = 0; i < data.view.mesh_count; i++) {
        const FrameMesh *mesh = &data.view.meshes[i];
        printf("%s: %zu objects, %zu vertices, %zu triangles\n", mesh->name, mesh->object_count,
               mesh->vertex_count, mesh->triangle_count);
    }
    for (size_t i = 0; i < data.view.volume_count; i++) print_volume(&data.view.volumes[i]);
    frame_data_free(folder->context, &data);
}

static PlimStatus print_last_state(RunFolder *folder, const FrameList *states) {
    if (states->numbers.count == 0) return PLIM_OK;
    char name[FILE_NAME_CAPACITY], *bytes;
    size_t size;
    StateHeader header;
    snprintf(name, sizeof name, "state_%05" PRIu64 ".h5",
             states->numbers.data[states->numbers.count - 1]);
    TRY(run_folder_read(folder, name, &bytes, &size));
    PlimStatus status = state_file_header(folder->context, name, bytes, size, &header);
    context_free(folder->context, bytes, size + 1, 1);
    if (status != PLIM_OK) return status;
    printf("last state: %s\n", name);
    print_state(&header);
    return PLIM_OK;
}

static PlimStatus info_folder(PlimContext *context, const char *path) {
    RunFolder folder;
    TRY(run_folder_open(context, path, &folder));
    FrameList frames = {0}, states = {0};
    PlimStatus status = run_folder_list(&folder, "frame", &frames);
    if (status == PLIM_OK) status = run_folder_list(&folder, "state", &states);
    if (status == PLIM_OK) {
        print_range("frames", &frames);
        print_range("states", &states);
        print_size(&folder);
        print_contents(&folder, &frames);
        char stats_path[PATH_CAPACITY];
        Table stats;
        if (path_join(context, path, "stats.csv", stats_path) == PLIM_OK &&
            file_exists(stats_path) && table_read(context, stats_path, &stats) == PLIM_OK) {
            print_last_figures(&stats);
            table_free(context, &stats);
        }
        status = print_last_state(&folder, &states);
    }
    array_free(context, &frames.numbers);
    array_free(context, &states.numbers);
    run_folder_close(&folder);
    return status;
}

int command_info(int argc, char **argv) {
    const char *path;
    int words;
    if (!parse_options("info", argc, argv, NULL, 0, &path, 1, &words)) return EXIT_BAD_REQUEST;
    if (words != 1) {
        print_error("info: name a run's folder, a state file, a scene or a mesh");
        return EXIT_BAD_REQUEST;
    }
    if (ends_with(path, ".yaml") || ends_with(path, ".yml") || ends_with(path, ".json"))
        return command_check(argc, argv);
    PlimContext *context = open_context(0, false);
    if (!context) return EXIT_RUN_FAILED;
    struct stat kind;
    PlimStatus status;
    if (stat(path, &kind) != 0)
        status = context_fail(context, PLIM_BAD_INPUT, "%s does not exist", path);
    else
        status = S_ISDIR(kind.st_mode)             ? info_folder(context, path)
                 : mesh_is_readable_name(path)     ? info_mesh(context, path)
                 : tet_info_is_readable_name(path) ? tet_info_print(context, path)
                                                   : info_state(context, path);
    int code = report(context, status);
    close_context(context);
    return code;
}
