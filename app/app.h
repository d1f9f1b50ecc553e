/* The `plimsoll` program: one file a command, sharing options, messages and the run loop. */
#ifndef APP_APP_H
#define APP_APP_H

#include "plimsoll/plimsoll.h"

#include <stdbool.h>
#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_RUN_FAILED = 1, EXIT_BAD_REQUEST = 2, EXIT_INTERRUPTED = 130 };

/* ---- options ---- */

typedef enum OptionKind {
    OPTION_FLAG,
    OPTION_INTEGER,
    OPTION_NUMBER,
    OPTION_TEXT,
    OPTION_SET
} OptionKind;

typedef struct Option {
    const char *name; /* with its dashes */
    OptionKind kind;
    void *target; /* bool, int64_t, double, const char *, OverrideList */
} Option;

enum { MAX_OVERRIDES = 256 };

typedef struct OverrideList {
    PlimOverride items[MAX_OVERRIDES];
    size_t count;
} OverrideList;

/* Splits arguments into options and at most `max_words` other words; *words counts them. Returns
 * false, with a message printed, when one is wrong. The arguments may be changed in place. */
bool parse_options(const char *command, int argc, char **argv, const Option *options,
                   size_t option_count, const char **word, int max_words, int *words);

/* ---- messages and context ---- */

void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A context whose log goes to standard error (unless quiet) and, once there is one, to log.txt.
 * `threads` 0: one a core. Exits the program's main path with NULL after printing why. */
PlimContext *open_context(int64_t threads, bool quiet);
void close_context(PlimContext *context);
/* Log lines go to this descriptor too, from now on; -1: no longer. */
void log_to_file(int descriptor);

/* Prints the context's message and gives the exit code for the status. */
int report(PlimContext *context, PlimStatus status);

/* Prints every problem of the scene, or the message when there is no scene. */
int report_scene(PlimContext *context, PlimScene *scene, PlimStatus status);

/* ---- commands: argc and argv without the program's and the command's name ---- */

int command_run(int argc, char **argv);
int command_resume(int argc, char **argv);
int command_check(int argc, char **argv);
int command_render(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_view(int argc, char **argv);
int command_export(int argc, char **argv);
int command_info(int argc, char **argv);
int command_mesh(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_schema(int argc, char **argv);

#endif
