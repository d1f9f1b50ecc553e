#include "app.h"

#include "scene/scene.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where log lines go besides standard error; the program has one run at a time. */
typedef struct LogTarget {
    bool quiet;
    int descriptor;
} LogTarget;

static LogTarget log_target = {.quiet = false, .descriptor = -1};

void print_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("plimsoll: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static void log_line(void *user, PlimLogLevel level, const char *line) {
    const LogTarget *target = user;
    const char *mark = level == PLIM_LOG_WARNING ? "warning: " : "";
    if (!target->quiet || level == PLIM_LOG_WARNING) fprintf(stderr, "%s%s\n", mark, line);
    if (target->descriptor < 0) return;
    char text[1200];
    int length = snprintf(text, sizeof text, "%s%s\n", mark, line);
    if (length > (int)sizeof text - 1) length = (int)sizeof text - 1;
    /* A log that cannot be written is no reason to stop a run. */
    ssize_t written = write(target->descriptor, text, (size_t)length);
    (void)written;
}

PlimContext *open_context(int64_t threads, bool quiet) {
    log_target = (LogTarget){.quiet = quiet, .descriptor = -1};
    PlimContextDesc desc = plim_context_desc_default();
    desc.threads = threads > 1024 ? 1024 : (int)threads;
    desc.cache_folder = getenv("PLIMSOLL_CACHE");
    desc.log = log_line;
    desc.log_user = &log_target;
    PlimContext *context = NULL;
    if (plim_context_create(&desc, &context) != PLIM_OK) print_error("out of memory");
    return context;
}

void log_to_file(int descriptor) {
    log_target.descriptor = descriptor;
}

void close_context(PlimContext *context) {
    plim_context_destroy(context);
}

int report(PlimContext *context, PlimStatus status) {
    if (status == PLIM_OK) return EXIT_DONE;
    const char *message = plim_message(context);
    print_error("%s", *message ? message : plim_status_name(status));
    return status == PLIM_BAD_INPUT ? EXIT_BAD_REQUEST : EXIT_RUN_FAILED;
}

int report_scene(PlimContext *context, PlimScene *scene, PlimStatus status) {
    if (status != PLIM_BAD_INPUT || !scene || plim_scene_problem_count(scene) == 0)
        return report(context, status);
    size_t count = plim_scene_problem_count(scene);
    for (size_t i = 0; i < count; i++)
        print_error("%s: %s", scene->label, plim_scene_problem(scene, i));
    if (count > 1) print_error("%zu problems", count);
    return EXIT_BAD_REQUEST;
}
