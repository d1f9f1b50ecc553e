/* A run that the viewer starts, pauses and steps: a child process, without a shell. Pausing is what
 * Ctrl-C does, saved and resumable to the bit; a step resumes up to the next frame. */
#ifndef APP_VIEW_RUN_CONTROL_H
#define APP_VIEW_RUN_CONTROL_H

#include "base/file.h"

#include <sys/types.h>

typedef struct RunControl {
    char folder[PATH_CAPACITY];
    char scene[PATH_CAPACITY]; /* the scene file to start from; empty: only resume */
    pid_t child;               /* 0: none */
    int exit_code;             /* of the last one; -1: none ended yet */
    int64_t threads;           /* 0: one a core */
} RunControl;

typedef enum RunAction { RUN_START, RUN_RESUME, RUN_PAUSE, RUN_STEP, RUN_FIRST_FRAME } RunAction;

/* "start", "resume", "pause", "step"; false for another word. */
bool run_action_find(const char *name, RunAction *out);

/* PLIM_BAD_INPUT when it cannot be done now. `newest` is the last frame that is there. */
PlimStatus run_control_do(PlimContext *context, RunControl *control, RunAction action,
                          uint64_t newest);

/* Whether the child still runs; notes its end. */
bool run_control_is_running(RunControl *control);
/* Whether any process holds the folder's lock, ours or another. */
bool run_control_is_locked(const RunControl *control);
void run_control_wait(RunControl *control);
/* Pauses the child and waits for it. */
void run_control_end(RunControl *control);

#endif
