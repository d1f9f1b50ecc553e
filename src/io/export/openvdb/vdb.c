/* OpenVDB, the values of fluids: NAME_00042.vdb with the grids density, temperature, velocity and
 * surface; compiled with -DPLIM_OPENVDB=ON only. */
#include "io/export/formats.h"
#include "io/export/openvdb/vdb_file.h"

#include <stdio.h>

typedef struct Vdb {
    ExportJob job;
    size_t count; /* of files */
} Vdb;

static PlimStatus create(const ExportJob *job, void **out) {
    Vdb *vdb = *out = context_allocate(job->context, 1, sizeof *vdb);
    if (!vdb) return PLIM_OUT_OF_MEMORY;
    *vdb = (Vdb){.job = *job};
    return PLIM_OK;
}

static void destroy(void *exporter) {
    Vdb *vdb = exporter;
    if (vdb) context_free(vdb->job.context, vdb, 1, sizeof *vdb);
}

/* Outside a level set is air, as far away as can be told: three cells. */
static PlimStatus write_volume(Vdb *vdb, const FrameVolume *volume, const FrameData *frame) {
    char path[PATH_CAPACITY], message[VDB_MESSAGE_CAPACITY];
    const VdbGrid all[] = {{"density", volume->smoke, 1, false, 0},
                           {"temperature", volume->temperature, 1, false, 0},
                           {"surface", volume->level, 1, true, (float)(3 * volume->spacing)},
                           {"velocity", volume->velocity, 3, false, 0}};
    VdbBox box = {.spacing = volume->spacing};
    VdbGrid grids[4];
    size_t count = 0;
    for (size_t i = 0; i < 4; i++)
        if (all[i].values) grids[count++] = all[i];
    for (int axis = 0; axis < 3; axis++) {
        box.n[axis] = volume->n[axis];
        box.origin[axis] = volume->origin[axis];
    }
    TRY(export_file_path(&vdb->job, volume->name, frame->frame, "vdb", path));
    if (!vdb_file_write(path, &box, grids, count, frame->time, message))
        return context_fail(vdb->job.context, PLIM_IO_ERROR, "%s cannot be written: %s", path,
                            message);
    vdb->count++;
    return PLIM_OK;
}

static PlimStatus add(void *exporter, const FrameData *frame) {
    Vdb *vdb = exporter;
    for (size_t i = 0; i < frame->view.volume_count; i++)
        TRY(write_volume(vdb, &frame->view.volumes[i], frame));
    return PLIM_OK;
}

static PlimStatus finish(void *exporter, char path[PATH_CAPACITY]) {
    Vdb *vdb = exporter;
    if (vdb->count == 0)
        return context_fail(vdb->job.context, PLIM_BAD_INPUT,
                            "there is no fluid to export as OpenVDB; --to usd and --to gltf "
                            "export bodies");
    snprintf(path, PATH_CAPACITY, "%s", vdb->job.folder);
    return PLIM_OK;
}

const Exporter export_vdb = {"vdb", create, add, finish, destroy};
