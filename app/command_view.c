#include "app.h"

#include "view/page.h"

#ifdef PLIM_VIEW_SERVER

#include "view/server.h"

#include "base/hash.h"
#include "io/run_folder.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

typedef struct ViewRequest {
    const char *out;
    int64_t port, threads;
} ViewRequest;

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Whether there is a run in the folder, of whatever scene. */
static bool holds_run(PlimContext *context, const char *path) {
    RunFolder folder;
    if (!is_folder(path) || run_folder_open(context, path, &folder) != PLIM_OK) return false;
    FrameList frames;
    bool found = run_folder_list(&folder, "frame", &frames) == PLIM_OK;
    if (found) {
        found = frames.numbers.count > 0;
        array_free(context, &frames.numbers);
    }
    run_folder_close(&folder);
    return found;
}

/* The first frame of a scene that was not run yet, so that there is something to see. */
static PlimStatus show_start(PlimContext *context, const char *scene, const char *out,
                             int64_t threads) {
    RunControl run = {.threads = threads, .exit_code = -1};
    snprintf(run.folder, sizeof run.folder, "%s", out);
    snprintf(run.scene, sizeof run.scene, "%s", scene);
    TRY(run_control_do(context, &run, RUN_FIRST_FRAME, 0));
    run_control_wait(&run);
    if (run.exit_code == EXIT_DONE) return PLIM_OK;
    return context_fail(context, PLIM_FAILED, "the first frame of %s could not be made", scene);
}

/* Until Ctrl-C. */
static PlimStatus serve(PlimContext *context, const ViewServerDesc *desc) {
    sigset_t ends;
    int number;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    /* Before threads are made: they all leave these to us. */
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    ViewServer *server;
    TRY(view_server_create(context, desc, &server));
    printf("%s\n", view_server_address(server));
    fflush(stdout);
    fprintf(stderr, "open this address in a browser on this machine; Ctrl-C ends\n");
    sigwait(&ends, &number);
    view_server_destroy(server);
    return PLIM_OK;
}

static PlimStatus view_folder(PlimContext *context, const char *path, const ViewRequest *request) {
    RunFolder folder;
    TRY(run_folder_open(context, path, &folder));
    run_folder_close(&folder);
    ViewServerDesc desc = {.folder = path, .port = request->port, .threads = request->threads};
    return serve(context, &desc);
}

static PlimStatus view_scene(PlimContext *context, const char *path, const ViewRequest *request,
                             PlimScene **scene) {
    char out[PATH_CAPACITY];
    TRY(plim_scene_load(context, path, NULL, 0, scene));
    snprintf(out, sizeof out, "out/%s", plim_scene_name(*scene));
    const char *to = request->out ? request->out : out;
    if (!holds_run(context, to)) TRY(show_start(context, path, to, request->threads));
    ViewServerDesc desc = {
        .folder = to, .scene = path, .port = request->port, .threads = request->threads};
    return serve(context, &desc);
}

static int view(const char *path, const ViewRequest *request) {
    PlimContext *context = open_context(1, false);
    if (!context) return EXIT_RUN_FAILED;
    PlimScene *scene = NULL;
    int code;
    if (is_folder(path)) {
        code = report(context, view_folder(context, path, request));
    } else {
        PlimStatus status = view_scene(context, path, request, &scene);
        code = status == PLIM_OK ? EXIT_DONE : report_scene(context, scene, status);
    }
    plim_scene_destroy(scene);
    close_context(context);
    return code;
}

int command_view(int argc, char **argv) {
    ViewRequest request = {0};
    const Option table[] = {{"--port", OPTION_INTEGER, &request.port},
                            {"--out", OPTION_TEXT, &request.out},
                            {"--threads", OPTION_INTEGER, &request.threads}};
    const char *path;
    int words;
    if (!parse_options("view", argc, argv, table, sizeof table / sizeof *table, &path, 1, &words))
        return EXIT_BAD_REQUEST;
    if (words != 1) {
        print_error("view: name a run's folder or a scene file");
        return EXIT_BAD_REQUEST;
    }
    if (request.port > 65535) {
        print_error("view: a port is a number from 1 to 65535");
        return EXIT_BAD_REQUEST;
    }
    if (!page_is_there()) {
        print_error("view: %s", page_missing);
        return EXIT_RUN_FAILED;
    }
    return view(path, &request);
}

#else

int command_view(int argc, char **argv) {
    (void)argc;
    (void)argv;
    print_error("view: this build has no server: run scripts/setup, which installs civetweb (on "
                "Debian: apt-get install libcivetweb-dev), then build again");
    return EXIT_RUN_FAILED;
}

#endif
