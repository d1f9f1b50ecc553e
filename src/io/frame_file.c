/* Frame files: meshes, points and volumes of a frame in HDF5. */
#include "io/frame_file.h"

#include <stdio.h>

/* Names of groups are this long at most. */
enum { GROUP_NAME_CAPACITY = SYSTEM_NAME_CAPACITY };

static const char *const size_names[3] = {"nx", "ny", "nz"};
static const char *const origin_names[3] = {"origin_x", "origin_y", "origin_z"};
static const char *const absorption_names[3] = {"absorption_red", "absorption_green",
                                                "absorption_blue"};

typedef struct MeshPaths {
    char group[GROUP_NAME_CAPACITY + 1], vertices[GROUP_NAME_CAPACITY + 32],
        velocities[GROUP_NAME_CAPACITY + 32], triangles[GROUP_NAME_CAPACITY + 32],
        objects[GROUP_NAME_CAPACITY + 32], colors[GROUP_NAME_CAPACITY + 32];
} MeshPaths;

static MeshPaths paths_of(const char *name) {
    MeshPaths paths;
    snprintf(paths.group, sizeof paths.group, "/%s", name);
    snprintf(paths.vertices, sizeof paths.vertices, "%s/vertices", paths.group);
    snprintf(paths.velocities, sizeof paths.velocities, "%s/velocities", paths.group);
    snprintf(paths.triangles, sizeof paths.triangles, "%s/triangles", paths.group);
    snprintf(paths.objects, sizeof paths.objects, "%s/objects", paths.group);
    snprintf(paths.colors, sizeof paths.colors, "%s/colors", paths.group);
    return paths;
}

typedef struct VolumePaths {
    char group[GROUP_NAME_CAPACITY + 1], velocity[GROUP_NAME_CAPACITY + 32],
        pressure[GROUP_NAME_CAPACITY + 32], smoke[GROUP_NAME_CAPACITY + 32],
        temperature[GROUP_NAME_CAPACITY + 32], level[GROUP_NAME_CAPACITY + 32],
        solid[GROUP_NAME_CAPACITY + 32];
} VolumePaths;

static VolumePaths volume_paths_of(const char *name) {
    VolumePaths paths;
    snprintf(paths.group, sizeof paths.group, "/%s", name);
    snprintf(paths.velocity, sizeof paths.velocity, "%s/velocity", paths.group);
    snprintf(paths.pressure, sizeof paths.pressure, "%s/pressure", paths.group);
    snprintf(paths.smoke, sizeof paths.smoke, "%s/smoke", paths.group);
    snprintf(paths.temperature, sizeof paths.temperature, "%s/temperature", paths.group);
    snprintf(paths.level, sizeof paths.level, "%s/level", paths.group);
    snprintf(paths.solid, sizeof paths.solid, "%s/solid", paths.group);
    return paths;
}

typedef struct PointsPaths {
    char group[GROUP_NAME_CAPACITY + 1], positions[GROUP_NAME_CAPACITY + 32],
        velocities[GROUP_NAME_CAPACITY + 32], radii[GROUP_NAME_CAPACITY + 32];
} PointsPaths;

static PointsPaths points_paths_of(const char *name) {
    PointsPaths paths;
    snprintf(paths.group, sizeof paths.group, "/%s", name);
    snprintf(paths.positions, sizeof paths.positions, "%s/positions", paths.group);
    snprintf(paths.velocities, sizeof paths.velocities, "%s/velocities", paths.group);
    snprintf(paths.radii, sizeof paths.radii, "%s/radii", paths.group);
    return paths;
}

/* ---- writing ---- */

static void add_absorption(H5Builder *file, const char *group, const float absorption[3]) {
    for (int c = 0; c < 3; c++)
        h5_add_number(file, group, absorption_names[c], (double)absorption[c]);
}

/* What a mesh is made of: in shapes.h5, or in every frame if it changes. */
static void add_shape(H5Builder *file, const FrameMesh *mesh, const MeshPaths *paths) {
    h5_add_data(file, paths->triangles, H5_I32, mesh->triangle_count, 3, mesh->triangles, NULL);
    h5_add_data(file, paths->objects, H5_I32, mesh->triangle_count, 1, mesh->objects, NULL);
    h5_add_data(file, paths->colors, H5_F32, mesh->object_count, 3, mesh->colors, NULL);
    h5_add_u64(file, paths->group, "smooth", mesh->smooth);
    if (!mesh->is_clear) return;
    h5_add_u64(file, paths->group, "is_clear", 1);
    add_absorption(file, paths->group, mesh->absorption);
}

static void add_mesh(H5Builder *file, const FrameMesh *mesh) {
    MeshPaths paths = paths_of(mesh->name);
    h5_add_group(file, paths.group);
    h5_add_data(file, paths.vertices, H5_F32, mesh->vertex_count, 3, mesh->vertices, "m");
    h5_add_data(file, paths.velocities, H5_F32, mesh->vertex_count, 3, mesh->velocities, "m/s");
    if (mesh->changes) {
        h5_add_u64(file, paths.group, "changes", 1);
        add_shape(file, mesh, &paths);
    } else {
        h5_add_link(file, paths.triangles, SHAPES_FILE, paths.triangles);
        h5_add_link(file, paths.objects, SHAPES_FILE, paths.objects);
        h5_add_link(file, paths.colors, SHAPES_FILE, paths.colors);
    }
}

static void add_points(H5Builder *file, const FramePoints *points) {
    PointsPaths paths = points_paths_of(points->name);
    h5_add_group(file, paths.group);
    h5_add_data(file, paths.positions, H5_F32, points->count, 3, points->positions, "m");
    h5_add_data(file, paths.velocities, H5_F32, points->count, 3, points->velocities, "m/s");
    h5_add_data(file, paths.radii, H5_F32, points->count, 1, points->radii, "m");
    add_absorption(file, paths.group, points->absorption);
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
    if (volume->level) h5_add_volume(file, paths.level, H5_F32, volume->n, 1, volume->level, "m");
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
    for (size_t i = 0; i < view->mesh_count; i++) add_mesh(file, &view->meshes[i]);
    for (size_t i = 0; i < view->points_count; i++) add_points(file, &view->points[i]);
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
        if (mesh->changes) continue;
        MeshPaths paths = paths_of(mesh->name);
        h5_add_group(file, paths.group);
        add_shape(file, mesh, &paths);
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

static PlimStatus read_absorption(H5Reader *file, const char *group, float absorption[3]) {
    for (int c = 0; c < 3; c++) {
        double value;
        TRY(h5_read_number(file, group, absorption_names[c], &value));
        absorption[c] = (float)value;
    }
    return PLIM_OK;
}

static PlimStatus read_flag(H5Reader *file, const char *group, const char *name, bool *flag) {
    uint64_t value = 0;
    TRY(h5_read_u64(file, group, name, &value));
    *flag = value != 0;
    return PLIM_OK;
}

/* `file` is the one that holds what the mesh is made of. */
static PlimStatus read_shape(PlimContext *context, H5Reader *file, const MeshPaths *paths,
                             FrameMesh *mesh) {
    size_t columns;
    TRY(h5_size(file, paths->triangles, &mesh->triangle_count, &columns));
    TRY(h5_size(file, paths->colors, &mesh->object_count, &columns));
    TRY(read_array(context, file, paths->triangles, H5_I32, mesh->triangle_count, 3,
                   (const void **)&mesh->triangles));
    TRY(read_array(context, file, paths->objects, H5_I32, mesh->triangle_count, 1,
                   (const void **)&mesh->objects));
    TRY(read_array(context, file, paths->colors, H5_F32, mesh->object_count, 3,
                   (const void **)&mesh->colors));
    TRY(read_flag(file, paths->group, "smooth", &mesh->smooth));
    if (h5_has_attribute(file, paths->group, "is_clear"))
        TRY(read_flag(file, paths->group, "is_clear", &mesh->is_clear));
    return mesh->is_clear ? read_absorption(file, paths->group, mesh->absorption) : PLIM_OK;
}

static PlimStatus read_mesh(PlimContext *context, const char *label, H5Reader *frame,
                            H5Reader *shapes, FrameMesh *mesh) {
    MeshPaths paths = paths_of(mesh->name);
    size_t columns;
    TRY(h5_size(frame, paths.vertices, &mesh->vertex_count, &columns));
    TRY(read_array(context, frame, paths.vertices, H5_F32, mesh->vertex_count, 3,
                   (const void **)&mesh->vertices));
    TRY(read_array(context, frame, paths.velocities, H5_F32, mesh->vertex_count, 3,
                   (const void **)&mesh->velocities));
    if (h5_has_attribute(frame, paths.group, "changes"))
        TRY(read_flag(frame, paths.group, "changes", &mesh->changes));
    TRY(read_shape(context, mesh->changes ? frame : shapes, &paths, mesh));
    return check_indices(context, label, mesh);
}

static PlimStatus read_points(PlimContext *context, H5Reader *frame, FramePoints *points) {
    PointsPaths paths = points_paths_of(points->name);
    size_t columns;
    TRY(h5_size(frame, paths.positions, &points->count, &columns));
    TRY(read_array(context, frame, paths.positions, H5_F32, points->count, 3,
                   (const void **)&points->positions));
    TRY(read_array(context, frame, paths.velocities, H5_F32, points->count, 3,
                   (const void **)&points->velocities));
    TRY(read_array(context, frame, paths.radii, H5_F32, points->count, 1,
                   (const void **)&points->radii));
    return read_absorption(frame, paths.group, points->absorption);
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
                              H5Reader *shapes, FrameVolume *volume) {
    VolumePaths paths = volume_paths_of(volume->name);
    TRY(read_volume_size(context, label, frame, paths.group, volume));
    /* The size that was stored is checked against the file; that of the grid must be the same. */
    size_t cells, columns;
    TRY(h5_size(frame, paths.pressure, &cells, &columns));
    if ((double)volume->n[0] * volume->n[1] * volume->n[2] != (double)cells)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%s: %s has %zu cells, its grid another number", label, volume->name,
                            cells);
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
    if (h5_has(frame, paths.level))
        TRY(read_array(context, frame, paths.level, H5_F32, cells, 1,
                       (const void **)&volume->level));
    TRY(read_flag(frame, paths.group, "solid_moves", &volume->solid_moves));
    return read_array(context, volume->solid_moves ? frame : shapes, paths.solid, H5_I32, cells, 1,
                      (const void **)&volume->solid);
}

/* A group is what its arrays make it. Its name is the view's from the moment it is counted there.
 */
static PlimStatus read_group(PlimContext *context, const char *label, H5Reader *frame,
                             H5Reader *shapes, const char *name, FrameView *view) {
    bool is_mesh = h5_has(frame, paths_of(name).vertices);
    bool is_points = h5_has(frame, points_paths_of(name).positions);
    bool is_volume = h5_has(frame, volume_paths_of(name).pressure);
    size_t count = is_mesh ? view->mesh_count : is_points ? view->points_count : view->volume_count;
    if (!(is_mesh || is_points || is_volume) || count >= FRAME_VIEW_CAPACITY)
        return context_fail(context, PLIM_BAD_INPUT, "%s: group %s is damaged or one too many",
                            label, name);
    const char *kept = context_copy_text(context, name);
    if (!kept) return PLIM_OUT_OF_MEMORY;
    if (is_mesh) {
        view->meshes[count] = (FrameMesh){.name = kept};
        view->mesh_count++;
        return read_mesh(context, label, frame, shapes, &view->meshes[count]);
    }
    if (is_points) {
        view->points[count] = (FramePoints){.name = kept};
        view->points_count++;
        return read_points(context, frame, &view->points[count]);
    }
    view->volumes[count] = (FrameVolume){.name = kept};
    view->volume_count++;
    return read_volume(context, label, frame, shapes, &view->volumes[count]);
}

static PlimStatus read_frame(PlimContext *context, const char *label, H5Reader *frame,
                             H5Reader *shapes, FrameData *out) {
    TRY(h5_read_u64(frame, "/", "frame", &out->frame));
    TRY(h5_read_number(frame, "/", "time", &out->time));
    char name[GROUP_NAME_CAPACITY];
    for (size_t i = 0; h5_entry_name(frame, i, name, sizeof name); i++)
        TRY(read_group(context, label, frame, shapes, name, &out->view));
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

static void free_name(PlimContext *context, const char *name) {
    context_free_text(context, (char *)(uintptr_t)name);
}

static void free_volume(PlimContext *context, const FrameVolume *volume) {
    size_t cells = volume_cells(volume);
    free_array(context, volume->velocity, 3 * cells);
    free_array(context, volume->pressure, cells);
    free_array(context, volume->smoke, cells);
    free_array(context, volume->temperature, cells);
    free_array(context, volume->level, cells);
    free_array(context, volume->solid, cells);
    free_name(context, volume->name);
}

void frame_data_free(PlimContext *context, FrameData *data) {
    for (size_t i = 0; i < data->view.mesh_count; i++) {
        const FrameMesh *mesh = &data->view.meshes[i];
        free_array(context, mesh->vertices, 3 * mesh->vertex_count);
        free_array(context, mesh->velocities, 3 * mesh->vertex_count);
        free_array(context, mesh->triangles, 3 * mesh->triangle_count);
        free_array(context, mesh->objects, mesh->triangle_count);
        free_array(context, mesh->colors, 3 * mesh->object_count);
        free_name(context, mesh->name);
    }
    for (size_t i = 0; i < data->view.points_count; i++) {
        const FramePoints *points = &data->view.points[i];
        free_array(context, points->positions, 3 * points->count);
        free_array(context, points->velocities, 3 * points->count);
        free_array(context, points->radii, points->count);
        free_name(context, points->name);
    }
    for (size_t i = 0; i < data->view.volume_count; i++)
        free_volume(context, &data->view.volumes[i]);
    *data = (FrameData){0};
}

static PlimStatus read_sizes(H5Reader *file, const char *name, FrameSizes *out) {
    MeshPaths mesh = paths_of(name);
    PointsPaths points = points_paths_of(name);
    size_t columns;
    if (h5_has(file, points.positions))
        return h5_size(file, points.positions, &out->points, &columns);
    TRY(h5_size(file, mesh.vertices, &out->vertices, &columns));
    return h5_size(file, mesh.triangles, &out->triangles, &columns);
}

PlimStatus frame_file_sizes(PlimContext *context, const char *path, const char *name,
                            FrameSizes *out) {
    *out = (FrameSizes){0};
    H5Reader *file;
    TRY(h5_reader_open(context, path, &file));
    PlimStatus status = read_sizes(file, name, out);
    h5_reader_destroy(file);
    return status;
}
