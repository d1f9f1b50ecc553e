/* The output folder of a run: who may write to it, what is in it, and what comes out of it. */
#ifndef IO_RUN_FOLDER_H
#define IO_RUN_FOLDER_H

#include "io/frame_file.h"
#include "io/manifest.h"
#include "io/state_file.h"
#include "io/table_file.h"
#include "scene/scene.h"

typedef struct RunFolder {
    PlimContext *context;
    char path[PATH_CAPACITY];
    int lock; /* descriptor of the lock file, -1 when only reading */
    Manifest manifest;
    TableFile stats, probes;
    bool has_shapes; /* shapes.h5 was written by this process */
    bool keep_states;
} RunFolder;

/* Opens a folder for reading. PLIM_BAD_INPUT when it is not the folder of a run. */
PlimStatus run_folder_open(PlimContext *context, const char *path, RunFolder *out);

/* Makes the folder if needed and clears an older run's files from it. */
PlimStatus run_folder_create(PlimContext *context, const char *path, RunFolder *out);

/* Opens a folder to go on with its run. */
PlimStatus run_folder_reopen(PlimContext *context, const char *path, RunFolder *out);

void run_folder_close(RunFolder *folder);

/* ---- writing ---- */

PlimStatus run_folder_write_scene(RunFolder *folder, const PlimScene *scene);

/* Starts stats.csv and probes.csv, or goes on with them from the world's time. */
PlimStatus run_folder_begin_tables(RunFolder *folder, PlimWorld *world, bool resumed);
/* Adds the world's figures and probes as a row. */
PlimStatus run_folder_add_row(RunFolder *folder, PlimWorld *world, double dt);

/* Writes the rows that are still in memory. */
PlimStatus run_folder_flush(RunFolder *folder);

/* Writes what rows there are, then the frame. */
PlimStatus run_folder_write_frame(RunFolder *folder, PlimWorld *world, uint64_t frame);
/* Writes the state, then removes all but the last two. */
PlimStatus run_folder_write_state(RunFolder *folder, const PlimScene *scene, PlimWorld *world,
                                  uint64_t frame);
/* frames.xdmf: the frames for ParaView. */
PlimStatus run_folder_write_index(RunFolder *folder, double fps);

/* Removes frames and states after `frame`: they belong to a future that will be computed again. */
PlimStatus run_folder_forget_after(RunFolder *folder, uint64_t frame);

/* ---- reading ---- */

/* A finished file's bytes, checked against the manifest; free with context_free(.., size + 1, 1).
 */
PlimStatus run_folder_read(RunFolder *folder, const char *name, char **bytes, size_t *size);

/* Numbers of the files PREFIX_NNNNN.h5 that are there, ascending; free with array_free. */
typedef struct FrameList {
    ARRAY(uint64_t) numbers;
} FrameList;

PlimStatus run_folder_list(RunFolder *folder, const char *prefix, FrameList *out);

/* Puts the newest good state at or before frame `last` into the world; damaged ones are skipped
 * with a warning. *frame is the frames finished. PLIM_BAD_INPUT when a state is of another scene.
 * *found is false when there is no state at all. */
PlimStatus run_folder_load_state(RunFolder *folder, const PlimScene *scene, PlimWorld *world,
                                 uint64_t last, uint64_t *frame, bool *found);

PlimStatus run_folder_load_frame(RunFolder *folder, uint64_t frame, FrameData *out);

#endif
