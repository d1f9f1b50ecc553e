/* What the formats with a file a mesh and frame share: which objects and points a frame has, and
 * how their files are called. */
#ifndef IO_EXPORT_MESH_FILES_H
#define IO_EXPORT_MESH_FILES_H

#include "base/text.h"
#include "io/export/exporter.h"
#include "io/export/names.h"
#include "io/export/objects.h"

/* What one file holds: an object, which is NULL for a liquid that is gone, or points. */
typedef struct MeshFile {
    const FrameView *view;
    const ExportObject *object;
    const FramePoints *points; /* NULL: an object */
} MeshFile;

typedef struct MeshFiles {
    ExportJob job;
    const char *ending;
    PlimStatus (*write)(PlimContext *context, Text *text, const MeshFile *file);
    ExportParts parts;
    ExportNames taken;
    ExportNames names[FRAME_VIEW_CAPACITY]; /* of the objects of each mesh */
    ExportName points_names[FRAME_VIEW_CAPACITY];
    size_t count; /* of files */
    bool named;
} MeshFiles;

/* Parts of exporters; `create` of one calls the first. */
PlimStatus mesh_files_create(const ExportJob *job, const char *ending,
                             PlimStatus (*write)(PlimContext *, Text *, const MeshFile *),
                             void **out);
PlimStatus mesh_files_add(void *exporter, const FrameData *frame);
PlimStatus mesh_files_finish(void *exporter, char path[PATH_CAPACITY]);
void mesh_files_destroy(void *exporter);

#endif
