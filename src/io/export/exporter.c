/* Formats by name, and names of files. */
#include "io/export/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const Exporter *exporter_find(const char *name) {
    static const Exporter *const all[] = {&export_gltf, &export_usd, &export_ply, &export_obj,
#ifdef PLIM_OPENVDB
                                          &export_vdb,
#endif
                                          &export_vtk};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}

PlimStatus export_file_path(const ExportJob *job, const char *name, uint64_t frame,
                            const char *ending, char path[PATH_CAPACITY]) {
    char file[SYSTEM_NAME_CAPACITY + 96];
    snprintf(file, sizeof file, "%s_%05" PRIu64 ".%s", name, frame, ending);
    return path_join(job->context, job->folder, file, path);
}
