/* Frame files: meshes, points, elements and volumes of a frame in HDF5. */
#include "io/frame_file.h"

#include "io/frame_arrays.h"

#include <stdio.h>
#include <string.h>

/* Names of groups are this long at most. */
enum { GROUP_NAME_CAPACITY = SYSTEM_NAME_CAPACITY };

static const char *const size_names[3] = {"nx", "ny", "nz"};
static const char *const origin_names[3] = {"origin_x", "origin_y", "origin_z"};
static const char *const absorption_names[3] = {"absorption_red", "absorption_green",
                                                "absorption_blue"};

static void group_path(const char *name, char path[FRAME_PATH_CAPACITY]) {
    snprintf(path, FRAME_PATH_CAPACITY, "/%s", name);
}

/* ---- writing ---- */

static void add_absorption(H5Builder *file, const char *group, const float absorption[3]) {
    for (int c = 0; c < 3; c++)
        h5_add_number(file, group, absorption_names[c], (double)absorption[c]);
}

static void add_array(H5Builder *file, const FrameGroup *group, const FrameArray *array) {
    char path[FRAME_PATH_CAPACITY];
    frame_array_path(group->name, array, path);
    const void *values = frame_array_values(group, array);
    if (array->optional && !values) return;
    if (group->cells)
        h5_add_volume(file, path, array->type, group->cells, array->columns, values, array->unit);
    else
        h5_add_data(file, path, array->type, frame_array_rows(group, array), array->columns, values,
                    array->unit);
}

/* Into shapes.h5. */
static void add_fixed(H5Builder *file, const FrameGroup *group) {
    for (size_t i = 0; i < group->array_count; i++)
        if (frame_array_is_fixed(group, &group->arrays[i]))
            add_array(file, group, &group->arrays[i]);
}

/* Into a frame: what is fixed is there as a link. */
static void add_changing(H5Builder *file, const FrameGroup *group) {
    char path[FRAME_PATH_CAPACITY];
    for (size_t i = 0; i < group->array_count; i++)
        if (!frame_array_is_fixed(group, &group->arrays[i]))
            add_array(file, group, &group->arrays[i]);
    for (size_t i = 0; i < group->array_count; i++) {
        const FrameArray *array = &group->arrays[i];
        if (!frame_array_is_fixed(group, array)) continue;
        if (array->optional && !frame_array_values(group, array)) continue;
        frame_array_path(group->name, array, path);
        h5_add_link(file, path, SHAPES_FILE, path);
    }
}

/* How a mesh is drawn: in shapes.h5, or in every frame if it changes. */
static void add_look(H5Builder *file, const FrameMesh *mesh, const char *path) {
    h5_add_u64(file, path, "smooth", mesh->smooth);
    if (!mesh->is_clear) return;
    h5_add_u64(file, path, "is_clear", 1);
    add_absorption(file, path, mesh->absorption);
}

static void add_mesh(H5Builder *file, const FrameMesh *mesh) {
    FrameGroup group = frame_mesh_group(mesh);
    char path[FRAME_PATH_CAPACITY];
    group_path(mesh->name, path);
    h5_add_group(file, path);
    add_changing(file, &group);
    if (mesh->still) h5_add_u64(file, path, "still", 1);
    if (!mesh->changes) return;
    h5_add_u64(file, path, "changes", 1);
    add_look(file, mesh, path);
}

static void add_points(H5Builder *file, const FramePoints *points) {
    FrameGroup group = frame_points_group(points);
    char path[FRAME_PATH_CAPACITY];
    group_path(points->name, path);
    h5_add_group(file, path);
    add_changing(file, &group);
    add_absorption(file, path, points->absorption);
}

static void add_elements(H5Builder *file, const FrameElements *elements) {
    FrameGroup group = frame_elements_group(elements);
    char path[FRAME_PATH_CAPACITY];
    group_path(elements->name, path);
    h5_add_group(file, path);
    add_changing(file, &group);
}

static void add_volume(H5Builder *file, const FrameVolume *volume) {
    FrameGroup group = frame_volume_group(volume);
    char path[FRAME_PATH_CAPACITY];
    group_path(volume->name, path);
    h5_add_group(file, path);
    h5_add_u64(file, path, "dim", (uint64_t)volume->dim);
    h5_add_number(file, path, "spacing", volume->spacing);
    for (int axis = 0; axis < 3; axis++) {
        h5_add_u64(file, path, size_names[axis], (uint64_t)volume->n[axis]);
        h5_add_number(file, path, origin_names[axis], volume->origin[axis]);
    }
    add_changing(file, &group);
    h5_add_u64(file, path, "solid_moves", volume->solid_moves);
}

PlimStatus frame_file_encode(PlimContext *context, const FrameView *view, uint64_t frame,
                             double time, char **bytes, size_t *size) {
    H5Builder *file;
    TRY(h5_builder_create(context, &file));
    h5_add_u64(file, "/", "frame", frame);
    h5_add_number(file, "/", "time", time);
    for (size_t i = 0; i < view->mesh_count; i++) add_mesh(file, &view->meshes[i]);
    for (size_t i = 0; i < view->points_count; i++) add_points(file, &view->points[i]);
    for (size_t i = 0; i < view->elements_count; i++) add_elements(file, &view->elements[i]);
    for (size_t i = 0; i < view->volume_count; i++) add_volume(file, &view->volumes[i]);
    PlimStatus status = h5_builder_finish(file, bytes, size);
    h5_builder_destroy(file);
    return status;
}

PlimStatus shapes_file_encode(PlimContext *context, const FrameView *view, char **bytes,
                              size_t *size) {
    H5Builder *file;
    TRY(h5_builder_create(context, &file));
    char path[FRAME_PATH_CAPACITY];
    for (size_t i = 0; i < view->mesh_count; i++) {
        const FrameMesh *mesh = &view->meshes[i];
        if (mesh->changes) continue;
        FrameGroup group = frame_mesh_group(mesh);
        group_path(mesh->name, path);
        h5_add_group(file, path);
        add_fixed(file, &group);
        add_look(file, mesh, path);
    }
    for (size_t i = 0; i < view->elements_count; i++) {
        FrameGroup group = frame_elements_group(&view->elements[i]);
        group_path(group.name, path);
        h5_add_group(file, path);
        add_fixed(file, &group);
    }
    for (size_t i = 0; i < view->volume_count; i++) {
        const FrameVolume *volume = &view->volumes[i];
        if (volume->solid_moves) continue;
        FrameGroup group = frame_volume_group(volume);
        group_path(volume->name, path);
        h5_add_group(file, path);
        add_fixed(file, &group);
    }
    PlimStatus status = h5_builder_finish(file, bytes, size);
    h5_builder_destroy(file);
    return status;
}

/* ---- reading ---- */

/* `object` is what the group describes. */
static PlimStatus read_array(PlimContext *context, H5Reader *file, const FrameGroup *group,
                             const FrameArray *array, void *object) {
    char path[FRAME_PATH_CAPACITY];
    frame_array_path(group->name, array, path);
    if (array->optional && !h5_has(file, path)) return PLIM_OK;
    if (array->counts) {
        size_t rows, columns, known = frame_array_rows(group, array);
        TRY(h5_size(file, path, &rows, &columns));
        if (known != 0 && known != rows)
            return context_fail(context, PLIM_BAD_INPUT, "%s has %zu rows, others of it %zu", path,
                                rows, known);
        memcpy((char *)object + array->rows, &rows, sizeof rows);
    }
    size_t rows = frame_array_rows(group, array);
    void *values = context_allocate(context, rows * array->columns, h5_type_size(array->type));
    if (!values) return PLIM_OUT_OF_MEMORY;
    memcpy((char *)object + array->values, &values, sizeof values);
    return h5_read(file, path, array->type, rows, array->columns, values);
}

/* Each from the file that has it. */
static PlimStatus read_arrays(PlimContext *context, H5Reader *frame, H5Reader *shapes,
                              const FrameGroup *group, void *object) {
    for (size_t i = 0; i < group->array_count; i++) {
        const FrameArray *array = &group->arrays[i];
        H5Reader *file = frame_array_is_fixed(group, array) ? shapes : frame;
        TRY(read_array(context, file, group, array, object));
    }
    return PLIM_OK;
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

/* `file` is the one that tells how the mesh is drawn. */
static PlimStatus read_look(H5Reader *file, const char *path, FrameMesh *mesh) {
    TRY(read_flag(file, path, "smooth", &mesh->smooth));
    if (h5_has_attribute(file, path, "is_clear"))
        TRY(read_flag(file, path, "is_clear", &mesh->is_clear));
    return mesh->is_clear ? read_absorption(file, path, mesh->absorption) : PLIM_OK;
}

static PlimStatus read_mesh(PlimContext *context, const char *label, H5Reader *frame,
                            H5Reader *shapes, FrameMesh *mesh) {
    char path[FRAME_PATH_CAPACITY];
    group_path(mesh->name, path);
    if (h5_has_attribute(frame, path, "changes"))
        TRY(read_flag(frame, path, "changes", &mesh->changes));
    if (h5_has_attribute(frame, path, "still")) TRY(read_flag(frame, path, "still", &mesh->still));
    FrameGroup group = frame_mesh_group(mesh);
    TRY(read_arrays(context, frame, shapes, &group, mesh));
    TRY(read_look(mesh->changes ? frame : shapes, path, mesh));
    return check_indices(context, label, mesh);
}

static PlimStatus read_points(PlimContext *context, H5Reader *frame, FramePoints *points) {
    FrameGroup group = frame_points_group(points);
    char path[FRAME_PATH_CAPACITY];
    group_path(points->name, path);
    TRY(read_arrays(context, frame, NULL, &group, points));
    return read_absorption(frame, path, points->absorption);
}

static PlimStatus check_corners(PlimContext *context, const char *label,
                                const FrameElements *elements) {
    const int32_t *corners = elements->tetrahedra ? elements->tetrahedra : elements->triangles;
    size_t size = elements->tetrahedra ? 4 : 3;
    for (size_t i = 0; corners && i < size * elements->element_count; i++)
        if (corners[i] < 0 || (size_t)corners[i] >= elements->node_count)
            return context_fail(context, PLIM_BAD_INPUT,
                                "%s: element %zu of %s names a node that does not exist", label,
                                i / size, elements->name);
    if (corners) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT, "%s: the elements of %s have no corners", label,
                        elements->name);
}

static PlimStatus read_elements(PlimContext *context, const char *label, H5Reader *frame,
                                H5Reader *shapes, FrameElements *elements) {
    FrameGroup group = frame_elements_group(elements);
    TRY(read_arrays(context, frame, shapes, &group, elements));
    return check_corners(context, label, elements);
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

static PlimStatus read_volume(PlimContext *context, const char *label, H5Reader *frame,
                              H5Reader *shapes, FrameVolume *volume) {
    char path[FRAME_PATH_CAPACITY], pressure[FRAME_PATH_CAPACITY];
    group_path(volume->name, path);
    TRY(read_volume_size(context, label, frame, path, volume));
    /* The size that was stored is checked against the file; that of the grid must be the same. */
    size_t cells, columns;
    frame_array_path(volume->name, &frame_volume_arrays[VOLUME_PRESSURE], pressure);
    TRY(h5_size(frame, pressure, &cells, &columns));
    if ((double)volume->n[0] * volume->n[1] * volume->n[2] != (double)cells)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%s: %s has %zu cells, its grid another number", label, volume->name,
                            cells);
    TRY(read_flag(frame, path, "solid_moves", &volume->solid_moves));
    FrameGroup group = frame_volume_group(volume);
    return read_arrays(context, frame, shapes, &group, volume);
}

static bool has_array(const H5Reader *file, const char *name, const FrameArray *array) {
    char path[FRAME_PATH_CAPACITY];
    frame_array_path(name, array, path);
    return h5_has(file, path);
}

/* A group is what its arrays make it. Its name is the view's from the moment it is counted there.
 */
static PlimStatus read_group(PlimContext *context, const char *label, H5Reader *frame,
                             H5Reader *shapes, const char *name, FrameView *view) {
    bool is_mesh = has_array(frame, name, &frame_mesh_arrays[MESH_VERTICES]);
    bool is_points = has_array(frame, name, &frame_points_arrays[POINTS_POSITIONS]);
    bool is_elements = has_array(frame, name, &frame_elements_arrays[ELEMENTS_NODES]);
    bool is_volume = has_array(frame, name, &frame_volume_arrays[VOLUME_PRESSURE]);
    size_t count = is_mesh       ? view->mesh_count
                   : is_points   ? view->points_count
                   : is_elements ? view->elements_count
                                 : view->volume_count;
    if (!(is_mesh || is_points || is_elements || is_volume) || count >= FRAME_VIEW_CAPACITY)
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
    if (is_elements) {
        view->elements[count] = (FrameElements){.name = kept};
        view->elements_count++;
        return read_elements(context, label, frame, shapes, &view->elements[count]);
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

static void free_group(PlimContext *context, FrameGroup group) {
    for (size_t i = 0; i < group.array_count; i++) {
        const FrameArray *array = &group.arrays[i];
        context_free(context, (void *)(uintptr_t)frame_array_values(&group, array),
                     array->columns * frame_array_rows(&group, array), h5_type_size(array->type));
    }
    context_free_text(context, (char *)(uintptr_t)group.name);
}

void frame_data_free(PlimContext *context, FrameData *data) {
    const FrameView *view = &data->view;
    for (size_t i = 0; i < view->mesh_count; i++)
        free_group(context, frame_mesh_group(&view->meshes[i]));
    for (size_t i = 0; i < view->points_count; i++)
        free_group(context, frame_points_group(&view->points[i]));
    for (size_t i = 0; i < view->elements_count; i++)
        free_group(context, frame_elements_group(&view->elements[i]));
    for (size_t i = 0; i < view->volume_count; i++)
        free_group(context, frame_volume_group(&view->volumes[i]));
    *data = (FrameData){0};
}

static PlimStatus read_rows(H5Reader *file, const char *name, const FrameArray *array,
                            size_t *rows) {
    char path[FRAME_PATH_CAPACITY];
    size_t columns;
    frame_array_path(name, array, path);
    return h5_size(file, path, rows, &columns);
}

static PlimStatus read_sizes(H5Reader *file, const char *name, FrameSizes *out) {
    const FrameArray *points = &frame_points_arrays[POINTS_POSITIONS];
    if (has_array(file, name, points)) return read_rows(file, name, points, &out->points);
    TRY(read_rows(file, name, &frame_mesh_arrays[MESH_VERTICES], &out->vertices));
    return read_rows(file, name, &frame_mesh_arrays[MESH_TRIANGLES], &out->triangles);
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
