#include "simulate.h"

#include <string.h>

/* The folder, the scene, the first frame and state; then the loop. */
static int start(PlimContext *context, PlimScene *scene, PlimWorld *world, const char *out,
                 const SimulateOptions *options) {
    RunFolder folder;
    PlimStatus status = run_folder_create(context, out, &folder);
    if (status != PLIM_OK) return report(context, status);
    log_to_file(folder.lock);
    status = run_folder_write_scene(&folder, scene);
    if (status == PLIM_OK) status = run_folder_begin_tables(&folder, world, false);
    if (status == PLIM_OK) status = run_folder_write_state(&folder, scene, world, 0);
    if (status == PLIM_OK) status = run_folder_write_frame(&folder, world, 0);
    int code =
        status == PLIM_OK ? simulate(&folder, scene, world, 0, options) : report(context, status);
    log_to_file(-1);
    run_folder_close(&folder);
    return code;
}

int command_run(int argc, char **argv) {
    SimulateOptions options = simulate_options_default();
    const char *path;
    if (!simulate_parse("run", argc, argv, &options, &path)) return EXIT_BAD_REQUEST;
    if (options.from_frame >= 0) {
        print_error("run: --from-frame belongs to resume");
        return EXIT_BAD_REQUEST;
    }
    PlimContext *context = open_context(options.threads, options.quiet);
    if (!context) return EXIT_RUN_FAILED;
    PlimScene *scene = NULL;
    PlimWorld *world = NULL;
    PlimStatus status =
        plim_scene_load(context, path, options.overrides.items, options.overrides.count, &scene);
    if (status == PLIM_OK) status = plim_scene_create_world(scene, &world);
    int code;
    if (status == PLIM_OK) {
        char out[PATH_CAPACITY];
        snprintf(out, sizeof out, "out/%s", plim_scene_name(scene));
        code = start(context, scene, world, options.out ? options.out : out, &options);
    } else {
        code = report_scene(context, scene, status);
    }
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    close_context(context);
    return code;
}
