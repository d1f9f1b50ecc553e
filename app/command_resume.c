#include "simulate.h"

#include <inttypes.h>
#include <string.h>

/* The scene as it was run, then with the new overrides; states of the former stay acceptable. */
static PlimStatus load_scene(RunFolder *folder, const OverrideList *overrides, PlimScene **out) {
    PlimContext *context = folder->context;
    char *text, label[PATH_CAPACITY];
    size_t size;
    *out = NULL;
    TRY(path_join(context, folder->path, "scene.yaml", label));
    TRY(run_folder_read(folder, "scene.yaml", &text, &size));
    PlimScene *scene = NULL;
    PlimStatus status = plim_scene_parse(context, label, text, size, NULL, 0, &scene);
    if (status == PLIM_OK && overrides->count > 0) {
        uint64_t before = scene->hash;
        double fps = plim_scene_fps(scene);
        plim_scene_destroy(scene);
        status = plim_scene_parse(context, label, text, size, overrides->items, overrides->count,
                                  &scene);
        if (status == PLIM_OK && plim_scene_fps(scene) != fps)
            status = context_fail(context, PLIM_BAD_INPUT,
                                  "resume cannot change fps: frames are numbered by it; run anew");
        if (status == PLIM_OK) status = scene_add_ancestor(scene, before);
    }
    context_free(context, text, size + 1, 1);
    *out = scene;
    return status;
}

/* The world as it was last saved. */
static PlimStatus restore(RunFolder *folder, PlimScene *scene, PlimWorld *world,
                          const SimulateOptions *options, uint64_t *frame) {
    uint64_t last = options->from_frame >= 0 ? (uint64_t)options->from_frame : UINT64_MAX;
    bool found;
    TRY(run_folder_load_state(folder, scene, world, last, frame, &found));
    if (!found && options->from_frame >= 0)
        return context_fail(folder->context, PLIM_BAD_INPUT,
                            "%s has no state at or before frame %" PRId64
                            "; run with --keep-states to keep them all",
                            folder->path, options->from_frame);
    context_log(folder->context, PLIM_LOG_INFO, "resuming %s at frame %" PRIu64 ", t = %g s",
                folder->path, *frame, plim_world_time(world));
    return PLIM_OK;
}

/* Makes the folder ready for the frames to come. */
static PlimStatus prepare(RunFolder *folder, PlimScene *scene, PlimWorld *world,
                          const SimulateOptions *options, const uint64_t *frame) {
    if (options->overrides.count > 0) TRY(run_folder_write_scene(folder, scene));
    TRY(run_folder_forget_after(folder, *frame));
    TRY(run_folder_begin_tables(folder, world, true));
    /* The frame of the state may be missing when only the state was copied here. */
    if (plim_world_time(world) == plim_scene_frame_time(scene, *frame))
        TRY(run_folder_write_frame(folder, world, *frame));
    return PLIM_OK;
}

static int go_on(RunFolder *folder, const SimulateOptions *options) {
    PlimContext *context = folder->context;
    PlimScene *scene = NULL;
    PlimWorld *world = NULL;
    uint64_t frame = 0;
    PlimStatus status = load_scene(folder, &options->overrides, &scene);
    if (status == PLIM_OK) status = plim_scene_create_world(scene, &world);
    int code;
    if (status == PLIM_OK) {
        status = restore(folder, scene, world, options, &frame);
        bool work = frame < simulate_last_frame(scene, options);
        if (status == PLIM_OK && work) status = prepare(folder, scene, world, options, &frame);
        if (status == PLIM_OK && !work)
            context_log(context, PLIM_LOG_WARNING,
                        "nothing to do: %s is at frame %" PRIu64 " already; nothing was changed",
                        folder->path, frame);
        code = status == PLIM_OK && work ? simulate(folder, scene, world, frame, options)
                                         : report(context, status);
    } else {
        code = report_scene(context, scene, status);
    }
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    return code;
}

int command_resume(int argc, char **argv) {
    SimulateOptions options = simulate_options_default();
    const char *path;
    if (!simulate_parse("resume", argc, argv, &options, &path)) return EXIT_BAD_REQUEST;
    if (options.out) {
        print_error("resume: goes on in the folder itself; --out belongs to run");
        return EXIT_BAD_REQUEST;
    }
    PlimContext *context = open_context(options.threads, options.quiet);
    if (!context) return EXIT_RUN_FAILED;
    RunFolder folder;
    PlimStatus status = run_folder_reopen(context, path, &folder);
    int code;
    if (status == PLIM_OK) {
        log_to_file(folder.lock);
        code = go_on(&folder, &options);
        log_to_file(-1);
        run_folder_close(&folder);
    } else {
        code = report(context, status);
    }
    close_context(context);
    return code;
}
