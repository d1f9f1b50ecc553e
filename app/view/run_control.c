/* Runs as child processes of the viewer. */
#include "view/run_control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const action_names[] = {
    [RUN_START] = "start", [RUN_RESUME] = "resume", [RUN_PAUSE] = "pause", [RUN_STEP] = "step"};

bool run_action_find(const char *name, RunAction *out) {
    for (int i = 0; i <= RUN_STEP; i++) {
        if (strcmp(action_names[i], name) != 0) continue;
        *out = (RunAction)i;
        return true;
    }
    return false;
}

/* In a process group of its own: Ctrl-C at the viewer's terminal reaches it once, from us. The
 * viewer's threads block the signals that end it; a run that did would not pause. */
static int spawn(const char *const *arguments, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigset_t none;
    sigemptyset(&none);
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    /* The list is not written to: the type of posix_spawn's parameter predates const. */
    char *const *list = (char *const *)(uintptr_t)arguments;
    if (!error)
        error = posix_spawn(process, "/proc/self/exe", &actions, &attributes, list, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static PlimStatus begin(PlimContext *context, RunControl *control, RunAction action,
                        uint64_t newest) {
    char last[24], threads[24];
    snprintf(last, sizeof last, "%" PRIu64, action == RUN_STEP ? newest + 1 : 0);
    snprintf(threads, sizeof threads, "%" PRId64, control->threads);
    const char *arguments[16];
    int count = 0;
    bool fresh = action == RUN_START || action == RUN_FIRST_FRAME;
    arguments[count++] = "plimsoll";
    arguments[count++] = fresh ? "run" : "resume";
    if (fresh) {
        arguments[count++] = control->scene;
        arguments[count++] = "--out";
    }
    arguments[count++] = control->folder;
    arguments[count++] = "--quiet";
    arguments[count++] = "--threads";
    arguments[count++] = threads;
    if (action == RUN_STEP || action == RUN_FIRST_FRAME) {
        arguments[count++] = "--frames";
        arguments[count++] = last;
    }
    arguments[count] = NULL;
    int error = spawn(arguments, &control->child);
    if (!error) return PLIM_OK;
    control->child = 0;
    return context_fail(context, PLIM_IO_ERROR, "the run cannot be started: %s", strerror(error));
}

PlimStatus run_control_do(PlimContext *context, RunControl *control, RunAction action,
                          uint64_t newest) {
    bool running = run_control_is_running(control);
    if (action == RUN_PAUSE) {
        if (!running)
            return context_fail(context, PLIM_BAD_INPUT, "no run of this viewer is going on");
        kill(control->child, SIGINT);
        return PLIM_OK;
    }
    if (running || run_control_is_locked(control))
        return context_fail(context, PLIM_BAD_INPUT, "a run is going on in this folder");
    if (action == RUN_START && !control->scene[0])
        return context_fail(context, PLIM_BAD_INPUT,
                            "start anew with: plimsoll view SCENE; this folder can only go on");
    return begin(context, control, action, newest);
}

static void note_end(RunControl *control, int state) {
    control->child = 0;
    control->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

bool run_control_is_running(RunControl *control) {
    int state;
    if (control->child == 0) return false;
    pid_t ended = waitpid(control->child, &state, WNOHANG);
    if (ended == control->child) note_end(control, state);
    return control->child != 0;
}

void run_control_wait(RunControl *control) {
    int state;
    while (control->child != 0) {
        pid_t ended = waitpid(control->child, &state, 0);
        if (ended == control->child)
            note_end(control, state);
        else if (ended < 0 && errno != EINTR)
            control->child = 0;
    }
}

void run_control_end(RunControl *control) {
    if (run_control_is_running(control)) kill(control->child, SIGINT);
    run_control_wait(control);
}

/* By the kernel's list of locks: to try the lock would keep a run from starting for a moment. */
bool run_control_is_locked(const RunControl *control) {
    char path[PATH_CAPACITY + 16], line[256];
    struct stat about;
    snprintf(path, sizeof path, "%s/log.txt", control->folder);
    if (stat(path, &about) != 0) return false;
    FILE *locks = fopen("/proc/locks", "r");
    if (!locks) return false;
    bool found = false;
    while (!found && fgets(line, sizeof line, locks)) {
        unsigned long long inode;
        /* Not by the device: that of a stacked file system is another one here than in stat. */
        found = sscanf(line, "%*d: FLOCK ADVISORY WRITE %*d %*x:%*x:%llu", &inode) == 1 &&
                inode == about.st_ino;
    }
    fclose(locks);
    return found;
}
