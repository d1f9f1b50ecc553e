#include "app.h"

#include "io/export/space.h"
#include "io/run_folder.h"
#include "view/export_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What of a run is wanted, and where. */
typedef struct Wanted {
    uint64_t first, last, every;
    const char *out; /* folder; NULL: DIR/export */
    double scale;    /* units a metre */
    bool z_up;
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

/* Frames a second: of a frame after the start, by its number and time. */
static PlimStatus find_rate(RunFolder *folder, const FrameList *frames, double *rate) {
    FrameData data;
    TRY(run_folder_load_frame(folder, frames->numbers.data[frames->numbers.count - 1], &data));
    *rate = data.time > 0 ? (double)data.frame / data.time : 24;
    frame_data_free(folder->context, &data);
    return PLIM_OK;
}

static PlimStatus add_frames(RunFolder *folder, const FrameList *frames, const ExportJob *job,
                             const Exporter *format, void *exporter) {
    for (size_t i = 0; i < frames->numbers.count; i++) {
        FrameData data;
        TRY(run_folder_load_frame(folder, frames->numbers.data[i], &data));
        PlimStatus status = export_space_apply(job, &data);
        if (status == PLIM_OK) status = format->add(exporter, &data);
        frame_data_free(folder->context, &data);
        TRY(status);
    }
    return PLIM_OK;
}

static PlimStatus export_frames(RunFolder *folder, const FrameList *frames, const Wanted *wanted,
                                const Exporter *format) {
    ExportJob job = {.context = folder->context,
                     .frames = frames->numbers.count,
                     .scale = wanted->scale,
                     .z_up = wanted->z_up};
    char path[PATH_CAPACITY];
    void *exporter;
    TRY(make_target(folder, wanted, job.folder));
    TRY(find_rate(folder, frames, &job.rate));
    TRY(format->create(&job, &exporter));
    PlimStatus status = add_frames(folder, frames, &job, format, exporter);
    if (status == PLIM_OK) status = format->finish(exporter, path);
    format->destroy(exporter);
    TRY(status);
    printf("%s\n", path);
    return PLIM_OK;
}

static PlimStatus export_run(RunFolder *folder, const Wanted *wanted, const Exporter *format) {
    FrameList frames;
    TRY(list_frames(folder, wanted, &frames));
    PlimStatus status = export_frames(folder, &frames, wanted, format);
    array_free(folder->context, &frames.numbers);
    return status;
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
    wanted->last = UINT64_MAX;
    wanted->every = (uint64_t)every;
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

static bool parse_space(const char *up, Wanted *wanted) {
    wanted->z_up = strcmp(up, "z") == 0;
    if (!wanted->z_up && strcmp(up, "y") != 0)
        print_error("export: --up is y, as in the run, or z");
    else if (!(wanted->scale > 0 && wanted->scale < INFINITY))
        print_error("export: --scale needs a number above 0, of units a metre");
    else
        return true;
    return false;
}

static PlimStatus export_to(const char *path, const Wanted *wanted, const Exporter *format,
                            PlimContext *context) {
    RunFolder folder;
    TRY(run_folder_open(context, path, &folder));
    PlimStatus status = format ? export_run(&folder, wanted, format) : export_page(&folder, wanted);
    run_folder_close(&folder);
    return status;
}

/* What the page does not take. */
static bool fits_page(int64_t frame, const char *range, const Wanted *wanted) {
    if (frame >= 0 || range)
        print_error("export: a page holds all frames, or every Nth (--every N)");
    else if (wanted->scale != 1 || wanted->z_up)
        print_error("export: a page has no --scale and no --up");
    else
        return true;
    return false;
}

int command_export(int argc, char **argv) {
    const char *path, *to = NULL, *range = NULL, *up = "y";
    int64_t frame = -1, every = 1;
    Wanted wanted = {.scale = 1};
    const Option table[] = {
        {"--to", OPTION_TEXT, &to},          {"--frame", OPTION_INTEGER, &frame},
        {"--frames", OPTION_TEXT, &range},   {"--every", OPTION_INTEGER, &every},
        {"--out", OPTION_TEXT, &wanted.out}, {"--scale", OPTION_NUMBER, &wanted.scale},
        {"--up", OPTION_TEXT, &up}};
    int words;
    if (!parse_options("export", argc, argv, table, sizeof table / sizeof *table, &path, 1, &words))
        return EXIT_BAD_REQUEST;
    const Exporter *format = to ? exporter_find(to) : NULL;
    bool is_page = to && strcmp(to, "html") == 0;
#ifndef PLIM_OPENVDB
    if (to && strcmp(to, "vdb") == 0) {
        print_error("export: this build knows no OpenVDB; install libopenvdb-dev and configure "
                    "with -DPLIM_OPENVDB=ON");
        return EXIT_BAD_REQUEST;
    }
#endif
    if (words != 1 || !(is_page || format)) {
        print_error("export: name a run's folder and --to gltf, usd, ply, obj, vtk, vdb or html");
        return EXIT_BAD_REQUEST;
    }
    if (!parse_wanted(frame, every, range, &wanted) || !parse_space(up, &wanted) ||
        (is_page && !fits_page(frame, range, &wanted)))
        return EXIT_BAD_REQUEST;
    PlimContext *context = open_context(1, false);
    if (!context) return EXIT_RUN_FAILED;
    int code = report(context, export_to(path, &wanted, format, context));
    close_context(context);
    return code;
}
