/* Child processes by posix_spawn. */
#include "render/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { EXIT_NOT_FOUND = 127, COMPLAINT_CAPACITY = 512 };

/* posix_spawnp with nothing to read, nowhere to print, and complaints into `complaints`. */
static int spawn(const char *const *arguments, int complaints, pid_t *process) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    /* The list is not written to: the type of posix_spawnp's parameter predates const. */
    char *const *list = (char *const *)(uintptr_t)arguments;
    if (!error) error = posix_spawnp(process, arguments[0], &actions, NULL, list, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The last line that is not blank; empty when there is none. */
static void last_line(FILE *file, char line[COMPLAINT_CAPACITY]) {
    char next[COMPLAINT_CAPACITY];
    line[0] = '\0';
    rewind(file);
    while (fgets(next, sizeof next, file)) {
        next[strcspn(next, "\r\n")] = '\0';
        if (next[strspn(next, " \t")] != '\0') memcpy(line, next, sizeof next);
    }
}

static PlimStatus missing(PlimContext *context, const char *program, const char *package) {
    return context_fail(context, PLIM_IO_ERROR,
                        "the program '%s' was not found: install the Debian package '%s'", program,
                        package);
}

PlimStatus process_run(PlimContext *context, const char *const *arguments, const char *package) {
    FILE *complaints = tmpfile();
    if (!complaints)
        return context_fail(context, PLIM_IO_ERROR, "cannot make a temporary file: %s",
                            strerror(errno));
    pid_t process = 0;
    int error = spawn(arguments, fileno(complaints), &process);
    int state = 0;
    while (!error && waitpid(process, &state, 0) < 0)
        if (errno != EINTR) error = errno;
    char complaint[COMPLAINT_CAPACITY];
    last_line(complaints, complaint);
    fclose(complaints);

    if (error == ENOENT) return missing(context, arguments[0], package);
    if (error)
        return context_fail(context, PLIM_IO_ERROR, "cannot run '%s': %s", arguments[0],
                            strerror(error));
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return PLIM_OK;
    if (WIFEXITED(state) && WEXITSTATUS(state) == EXIT_NOT_FOUND)
        return missing(context, arguments[0], package);
    if (WIFSIGNALED(state))
        return context_fail(context, PLIM_IO_ERROR, "'%s' was ended by signal %d", arguments[0],
                            WTERMSIG(state));
    return context_fail(context, PLIM_IO_ERROR, "'%s' failed (exit status %d): %s", arguments[0],
                        WEXITSTATUS(state), complaint[0] ? complaint : "it gave no reason");
}
