/* Frames written for other programs: what each format does with a run, frame by frame. */
#ifndef IO_EXPORTER_H
#define IO_EXPORTER_H

#include "base/file.h"
#include "io/frame_file.h"

/* What is exported, and where to. */
typedef struct ExportJob {
    PlimContext *context;
    char folder[PATH_CAPACITY]; /* exists */
    size_t frames;              /* how many there will be; at least 1 */
    double rate;                /* frames a second */
    double scale;               /* of what is written: units a metre */
    bool z_up;                  /* y of the run is z there, and z is -y */
} ExportJob;

/* A format. Frames come in order of time, all of one run, scaled and turned already; the first one
 * decides what there is. Unbounded ground is never exported. */
typedef struct Exporter {
    const char *name; /* as `--to` has it */
    PlimStatus (*create)(const ExportJob *job, void **out);
    PlimStatus (*add)(void *exporter, const FrameData *frame);
    /* Writes what is left to write; `path` is what to open. PLIM_BAD_INPUT when nothing was there
     * that the format holds. */
    PlimStatus (*finish)(void *exporter, char path[PATH_CAPACITY]);
    void (*destroy)(void *exporter); /* takes NULL */
} Exporter;

/* FOLDER/NAME_00042.ENDING */
PlimStatus export_file_path(const ExportJob *job, const char *name, uint64_t frame,
                            const char *ending, char path[PATH_CAPACITY]);

/* NULL: there is no format of that name. */
const Exporter *exporter_find(const char *name);

#endif
