#include "io/frame_file.h"

#include <stdio.h>

/* Groups that a frame may hold, in the order they are read back. */
static const char *const mesh_names[] = {"rigid"};
static const char *const volume_names[] = {"fluid"};

static const char *const size_names[3] = {"nx", "ny", "nz"};
static const char *const origin_names[3] = {"origin_x", "origin_y", "origin_z"};

typedef struct MeshPaths {
    char group[64], vertices[96], velocities[96], triangles[96], objects[96], colors[96];
} MeshPaths;

static MeshPaths paths_of(const char *name) {
    MeshPaths paths;
    snprintf(paths.group, sizeof paths.group, "/%.40s", name);
    snprintf(paths.vertices, sizeof paths.vertices, "%s/vertices", paths.group);
    snprintf(paths.velocities, sizeof paths.velocities, "%s/velocities", paths.group);
    snprintf(paths.triangles, sizeof paths.triangles, "%s/triangles", paths.group);
    snprintf(paths.objects, sizeof paths.objects, "%s/objects", paths.group);
    snprintf(paths.colors, sizeof paths.colors, "%s/colors", paths.group);
    return paths;
}

typedef struct VolumePaths {
    char group[64], velocity[96], pressure[96], smoke[96], temperature[96], solid[96];
} VolumePaths;

static VolumePaths volume_paths_of(const char *name) {
    VolumePaths paths;
    snprintf(paths.group, sizeof paths.group, "/%.40s", name);
    snprintf(paths.velocity, sizeof paths.velocity, "%s/velocity", paths.group);
    snprintf(paths.pressure, sizeof paths.pressure, "%s/pressure", paths.group);
    snprintf(paths.smoke, sizeof paths.smoke, "%s/smoke", paths.group);
    snprintf(paths.temperature, sizeof paths.temperature, "%s/temperature", paths.group);
    snprintf(paths.solid, sizeof paths.solid, "%s/solid", paths.group);
    return paths;
}

static void add_volume(H5Builder *file, const FrameVolume *volume) {
    VolumePaths paths = volume_paths_of(volume->name);
    h5_add_group(file, paths.group);
    h5_add_u64(file, paths.group, "dim", (uint64_t)volume->dim);
    h5_add_number(file, paths.group, "spacing", volume->spacing);
    for (int axis = 0; axis < 3; axis++) {
        h5_add_u64(file, paths.group, size_names[axis], (uint64_t)volume->n[axis]);
        h5_add_number(file, paths.group, origin_names[axis], volume->origin[axis]);
    }
    h5_add_volume(file, paths.velocity, H5_F32, volume->n, 3, volume->velocity, "m/s");
    h5_add_volume(file, paths.pressure, H5_F32, volume->n, 1, volume->pressure, "Pa");
    if (volume->smoke) h5_add_volume(file, paths.smoke, H5_F32, volume->n, 1, volume->smoke, NULL);
    if (volume->temperature)
        h5_add_volume(file, paths.temperature, H5_F32, volume->n, 1, volume->temperature, NULL);
    h5_add_u64(file, paths.group, "solid_moves", volume->solid_moves);
    if (volume->solid_moves)
        h5_add_volume(file, paths.solid, H5_I32, volume->n, 1, volume->solid, NULL);
    else
        h5_add_link(file, paths.solid, SHAPES_FILE, paths.solid);
}

PlimStatus frame_file_encode(PlimContext *context, const FrameView *view, uint64_t frame,
                             double time, char **bytes, size_t *size) {
    H5Builder *file;
    TRY(h5_builder_create(context, &file));
    h5_add_u64(file, "/", "frame", frame);
    h5_add_number(file, "/", "time", time);
    for (size_t i = 0; i < view->mesh_count; i++) {
        const FrameMesh *mesh = &view->meshes[i];
        MeshPaths paths = paths_of(mesh->name);
        h5_add_group(file, paths.group);
        h5_add_data(file, paths.vertices, H5_F32, mesh->vertex_count, 3, mesh->vertices, "m");
        h5_add_data(file, paths.velocities, H5_F32, mesh->vertex_count, 3, mesh->velocities, "m/s");
        h5_add_link(file, paths.triangles, SHAPES_FILE, paths.triangles);
        h5_add_link(file, paths.objects, SHAPES_FILE, paths.objects);
        h5_add_link(file, paths.colors, SHAPES_FILE, paths.colors);
    }
    for (size_t i = 0; i < view->volume_count; i++) add_volume(file, &view->volumes[i]);
    PlimStatus status = h5_builder_finish(file, bytes, size);
    h5_builder_destroy(file);
    return status;
}

PlimStatus shapes_file_encode(PlimContext *context, const FrameView *view, char **bytes,
                              size_t *size) {
    H5Builder *file;
    TRY(h5_builder_create(context, &file));
    for (size_t i = 0; i < view->mesh_count; i++) {
        const FrameMesh *mesh = &view->meshes[i];
        MeshPaths paths = paths_of(mesh->name);
        h5_add_group(file, paths.group);
        h5_add_data(file, paths.triangles, H5_I32, mesh->triangle_count, 3, mesh->triangles, NULL);
        h5_add_data(file, paths.objects, H5_I32, mesh->triangle_count, 1, mesh->objects, NULL);
        h5_add_data(file, paths.colors, H5_F32, mesh->object_count, 3, mesh->colors, NULL);
        h5_add_u64(file, paths.group, "smooth", mesh->smooth);
    }
    for (size_t i = 0; i < view->volume_count; i++) {
        const FrameVolume *volume = &view->volumes[i];
        if (volume->solid_moves) continue;
        VolumePaths paths = volume_paths_of(volume->name);
        h5_add_group(file, paths.group);
        h5_add_volume(file, paths.solid, H5_I32, volume->n, 1, volume->solid, NULL);
    }
    PlimStatus status = h5_builder_finish(file, bytes, size);
    h5_builder_destroy(file);
    return status;
}

/* ---- reading ---- */

static PlimStatus read_array(PlimContext *context, H5Reader *file, const char *path, H5Type type,
                             size_t rows, size_t columns, const void **out) {
    void *data = context_allocate(context, rows * columns, 4); /* F32 and I32 have 4 bytes */
    if (!data) return PLIM_OUT_OF_MEMORY;
    *out = data;
    return h5_read(file, path, type, rows, columns, data);
}

/* Indices that point outside would be read as memory: refuse them here, once. */
static PlimStatus check_indices(PlimContext *context, const char *label, const FrameMesh *mesh) {
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] < 0 || (size_t)mesh->triangles[i] >= mesh->vertex_count)
            return context_fail(context, PLIM_BAD_INPUT,
                                "%s: triangle %zu of %s names a vertex that does not exist", label,
                                i / 3, mesh->name);
    for (size_t i = 0; i < mesh->triangle_count; i++)
        if (mesh->objects[i] < 0 || (size_t)mesh->objects[i] >= mesh->object_count)
            return context_fail(context, PLIM_BAD_INPUT,
                                "%s: triangle %zu of %s names an object that does not exist", label,
                                i, mesh->name);
    return PLIM_OK;
}

static PlimStatus read_mesh(PlimContext *context, const char *label, H5Reader *frame,
                            H5Reader *shapes, const char *name, FrameMesh *mesh) {
    MeshPaths paths = paths_of(name);
    *mesh = (FrameMesh){.name = name};
    size_t columns;
    TRY(h5_size(frame, paths.vertices, &mesh->vertex_count, &columns));
    TRY(h5_size(shapes, paths.triangles, &mesh->triangle_count, &columns));
    TRY(h5_size(shapes, paths.colors, &mesh->object_count, &columns));
    TRY(read_array(context, frame, paths.vertices, H5_F32, mesh->vertex_count, 3,
                   (const void **)&mesh->vertices));
    TRY(read_array(context, frame, paths.velocities, H5_F32, mesh->vertex_count, 3,
                   (const void **)&mesh->velocities));
    TRY(read_array(context, shapes, paths.triangles, H5_I32, mesh->triangle_count, 3,
                   (const void **)&mesh->triangles));
    TRY(read_array(context, shapes, paths.objects, H5_I32, mesh->triangle_count, 1,
                   (const void **)&mesh->objects));
    TRY(read_array(context, shapes, paths.colors, H5_F32, mesh->object_count, 3,
                   (const void **)&mesh->colors));
    uint64_t smooth = 1;
    TRY(h5_read_u64(shapes, paths.group, "smooth", &smooth));
    mesh->smooth = smooth != 0;
    return check_indices(context, label, mesh);
}

static PlimStatus read_volume_size(PlimContext *context, const char *label, H5Reader *frame,
                                   const char *group, FrameVolume *volume) {
    uint64_t dim, n[3];
    TRY(h5_read_u64(frame, group, "dim", &dim));
    TRY(h5_read_number(frame, group, "spacing", &volume->spacing));
    for (int axis = 0; axis < 3; axis++) {
        TRY(h5_read_u64(frame, group, size_names[axis], &n[axis]));
        TRY(h5_read_number(frame, group, origin_names[axis], &volume->origin[axis]));
        volume->n[axis] = n[axis] <= INT32_MAX ? (int)n[axis] : 0;
    }
    volume->dim = (int)dim;
    if (volume->n[0] >= 1 && volume->n[1] >= 1 && volume->n[2] >= 1 && volume->spacing > 0 &&
        (dim == 3 || (dim == 2 && volume->n[2] == 1)))
        return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT, "%s: the grid of %s is damaged", label,
                        volume->name);
}

static size_t volume_cells(const FrameVolume *volume) {
    return (size_t)volume->n[0] * (size_t)volume->n[1] * (size_t)volume->n[2];
}

static PlimStatus read_volume(PlimContext *context, const char *label, H5Reader *frame,
                              H5Reader *shapes, const char *name, FrameVolume *volume) {
    VolumePaths paths = volume_paths_of(name);
    *volume = (FrameVolume){.name = name};
    TRY(read_volume_size(context, label, frame, paths.group, volume));
    /* The size that was stored is checked against the file; that of the grid must be the same. */
    size_t cells, columns;
    TRY(h5_size(frame, paths.pressure, &cells, &columns));
    if ((double)volume->n[0] * volume->n[1] * volume->n[2] != (double)cells)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%s: %s has %zu cells, its grid another number", label, name, cells);
    TRY(read_array(context, frame, paths.velocity, H5_F32, cells, 3,
                   (const void **)&volume->velocity));
    TRY(read_array(context, frame, paths.pressure, H5_F32, cells, 1,
                   (const void **)&volume->pressure));
    if (h5_has(frame, paths.smoke))
        TRY(read_array(context, frame, paths.smoke, H5_F32, cells, 1,
                       (const void **)&volume->smoke));
    if (h5_has(frame, paths.temperature))
        TRY(read_array(context, frame, paths.temperature, H5_F32, cells, 1,
                       (const void **)&volume->temperature));
    uint64_t moves = 0;
    TRY(h5_read_u64(frame, paths.group, "solid_moves", &moves));
    volume->solid_moves = moves != 0;
    return read_array(context, volume->solid_moves ? frame : shapes, paths.solid, H5_I32, cells, 1,
                      (const void **)&volume->solid);
}

static PlimStatus read_frame(PlimContext *context, const char *label, H5Reader *frame,
                             H5Reader *shapes, FrameData *out) {
    TRY(h5_read_u64(frame, "/", "frame", &out->frame));
    TRY(h5_read_number(frame, "/", "time", &out->time));
    for (size_t i = 0; i < sizeof mesh_names / sizeof *mesh_names; i++) {
        if (!h5_has(frame, paths_of(mesh_names[i]).group)) continue;
        FrameMesh *mesh = &out->view.meshes[out->view.mesh_count++];
        TRY(read_mesh(context, label, frame, shapes, mesh_names[i], mesh));
    }
    for (size_t i = 0; i < sizeof volume_names / sizeof *volume_names; i++) {
        if (!h5_has(frame, volume_paths_of(volume_names[i]).group)) continue;
        FrameVolume *volume = &out->view.volumes[out->view.volume_count++];
        TRY(read_volume(context, label, frame, shapes, volume_names[i], volume));
    }
    return PLIM_OK;
}

PlimStatus frame_file_decode(PlimContext *context, const char *label, char *frame_bytes,
                             size_t frame_size, char *shapes_bytes, size_t shapes_size,
                             FrameData *out) {
    *out = (FrameData){0};
    H5Reader *frame, *shapes;
    TRY(h5_reader_create(context, label, frame_bytes, frame_size, &frame));
    PlimStatus status = h5_reader_create(context, SHAPES_FILE, shapes_bytes, shapes_size, &shapes);
    if (status == PLIM_OK) {
        status = read_frame(context, label, frame, shapes, out);
        h5_reader_destroy(shapes);
    }
    h5_reader_destroy(frame);
    if (status != PLIM_OK) frame_data_free(context, out);
    return status;
}

static void free_array(PlimContext *context, const void *data, size_t count) {
    context_free(context, (void *)(uintptr_t)data, count, 4);
}

void frame_data_free(PlimContext *context, FrameData *data) {
    for (size_t i = 0; i < data->view.mesh_count; i++) {
        const FrameMesh *mesh = &data->view.meshes[i];
        free_array(context, mesh->vertices, 3 * mesh->vertex_count);
        free_array(context, mesh->velocities, 3 * mesh->vertex_count);
        free_array(context, mesh->triangles, 3 * mesh->triangle_count);
        free_array(context, mesh->objects, mesh->triangle_count);
        free_array(context, mesh->colors, 3 * mesh->object_count);
    }
    for (size_t i = 0; i < data->view.volume_count; i++) {
        const FrameVolume *volume = &data->view.volumes[i];
        free_array(context, volume->velocity, 3 * volume_cells(volume));
        free_array(context, volume->pressure, volume_cells(volume));
        if (volume->smoke) free_array(context, volume->smoke, volume_cells(volume));
        if (volume->temperature) free_array(context, volume->temperature, volume_cells(volume));
        free_array(context, volume->solid, volume_cells(volume));
    }
    *data = (FrameData){0};
}
