/* A file a body and frame: FOLDER/NAME_00042.ENDING. */
#include "io/export/mesh_files.h"

#include <stdio.h>

PlimStatus mesh_files_create(const ExportJob *job, const char *ending,
                             PlimStatus (*write)(PlimContext *, Text *, const MeshFile *),
                             void **out) {
    MeshFiles *files = *out = context_allocate(job->context, 1, sizeof *files);
    if (!files) return PLIM_OUT_OF_MEMORY;
    *files = (MeshFiles){.job = *job, .ending = ending, .write = write};
    return PLIM_OK;
}

void mesh_files_destroy(void *exporter) {
    MeshFiles *files = exporter;
    if (!files) return;
    PlimContext *context = files->job.context;
    for (size_t i = 0; i < FRAME_VIEW_CAPACITY; i++) array_free(context, &files->names[i]);
    array_free(context, &files->taken);
    export_parts_free(context, &files->parts);
    context_free(context, files, 1, sizeof *files);
}

static bool name_object(MeshFiles *files, size_t mesh, const char *name) {
    ExportName unique;
    return export_names_add(files->job.context, &files->taken, name, &unique) &&
           array_push(files->job.context, &files->names[mesh], unique);
}

/* Once, so that a body's files are called the same in all frames. */
static bool name_all(MeshFiles *files, const FrameView *view) {
    for (size_t i = 0; i < view->mesh_count; i++) {
        const ExportObjects *objects = &files->parts.of[i];
        if (view->meshes[i].changes && !name_object(files, i, view->meshes[i].name)) return false;
        for (size_t k = 0; !view->meshes[i].changes && k < objects->count; k++)
            if (!name_object(files, i, objects->data[k].name)) return false;
    }
    for (size_t i = 0; i < view->points_count; i++)
        if (!export_names_add(files->job.context, &files->taken, view->points[i].name,
                              &files->points_names[i]))
            return false;
    return true;
}

static PlimStatus write_file(MeshFiles *files, const char *name, uint64_t frame,
                             const MeshFile *file) {
    char path[PATH_CAPACITY];
    Text text;
    TRY(export_file_path(&files->job, name, frame, files->ending, path));
    text_init(&text, files->job.context);
    PlimStatus status = files->write(files->job.context, &text, file);
    if (status == PLIM_OK)
        status = text.failed ? PLIM_OUT_OF_MEMORY
                             : file_write(files->job.context, path, text_string(&text),
                                          text.bytes.count, false);
    text_free(&text);
    files->count++;
    return status;
}

PlimStatus mesh_files_add(void *exporter, const FrameData *frame) {
    MeshFiles *files = exporter;
    const FrameView *view = &frame->view;
    TRY(export_parts_update(files->job.context, &files->parts, frame));
    if (!files->named && !name_all(files, view)) return PLIM_OUT_OF_MEMORY;
    files->named = true;
    for (size_t i = 0; i < view->mesh_count; i++) {
        const ExportObjects *objects = &files->parts.of[i];
        for (size_t k = 0; k < files->names[i].count; k++) {
            MeshFile file = {view, k < objects->count ? &objects->data[k] : NULL, NULL};
            TRY(write_file(files, files->names[i].data[k].text, frame->frame, &file));
        }
    }
    for (size_t i = 0; i < view->points_count; i++) {
        MeshFile file = {view, NULL, &view->points[i]};
        TRY(write_file(files, files->points_names[i].text, frame->frame, &file));
    }
    return PLIM_OK;
}

PlimStatus mesh_files_finish(void *exporter, char path[PATH_CAPACITY]) {
    MeshFiles *files = exporter;
    if (files->count == 0)
        return context_fail(files->job.context, PLIM_BAD_INPUT,
                            "there are no bodies, surfaces or drops to export; --to vtk exports "
                            "the values of a fluid");
    snprintf(path, PATH_CAPACITY, "%s", files->job.folder);
    return PLIM_OK;
}
