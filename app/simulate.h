/* The loop that `run` and `resume` share: frames, rows, states, progress, Ctrl-C. */
#ifndef APP_SIMULATE_H
#define APP_SIMULATE_H

#include "app.h"
#include "io/run_folder.h"

typedef enum ProgressKind { PROGRESS_LINES, PROGRESS_JSON, PROGRESS_NONE } ProgressKind;

typedef struct SimulateOptions {
    OverrideList overrides;
    const char *out;
    const char *progress;
    int64_t frames; /* last frame to reach; -1: as the scene says */
    int64_t from_frame;
    int64_t threads;
    int64_t state_every;
    int64_t drop_caches; /* seed; -1: never */
    bool keep_states, quiet;
    bool check_intersections;
} SimulateOptions;

SimulateOptions simulate_options_default(void);

/* Parses the options of run and resume; false after a message. */
bool simulate_parse(const char *command, int argc, char **argv, SimulateOptions *options,
                    const char **word);

/* The last frame to reach. */
uint64_t simulate_last_frame(const PlimScene *scene, const SimulateOptions *options);

/* From `frame` finished frames to the last. Returns the program's exit code. */
int simulate(RunFolder *folder, PlimScene *scene, PlimWorld *world, uint64_t frame,
             const SimulateOptions *options);

#endif
