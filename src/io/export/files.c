/* Frames exported for other programs: PLY, OBJ and legacy VTK files. */
#include "io/export/files.h"

#include "base/text.h"
#include "io/export/formats.h"
#include "io/frame_arrays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *export_format_name(ExportFormat format) {
    static const char *const names[EXPORT_FORMAT_COUNT] = {"ply", "obj", "vtk"};
    return names[format];
}

/* Legacy VTK is big-endian. */
static void add_swapped(Text *text, const void *value) {
    unsigned char bytes[4], swapped[4];
    memcpy(bytes, value, 4);
    for (int i = 0; i < 4; i++) swapped[i] = bytes[3 - i];
    text_add_bytes(text, swapped, 4);
}

static unsigned char color_byte(float value) {
    return (unsigned char)(255.0f * (value > 1 ? 1 : value > 0 ? value : 0) + 0.5f);
}

static PlimStatus write_and_free(Text *text, const char *path) {
    PlimStatus status =
        text->failed ? PLIM_OUT_OF_MEMORY
                     : file_write(text->context, path, text_string(text), text->bytes.count, false);
    text_free(text);
    return status;
}

/* ---- the formats of meshes ---- */

static void write_ply(Text *text, const FrameMesh *mesh) {
    text_add(text, "ply\nformat binary_little_endian 1.0\ncomment Plimsoll %s\n", mesh->name);
    text_add(text, "element vertex %zu\n", mesh->vertex_count);
    text_add(text, "property float x\nproperty float y\nproperty float z\n"
                   "property float vx\nproperty float vy\nproperty float vz\n");
    if (mesh->stretch) text_add(text, "property float stretch\n");
    if (mesh->stress) text_add(text, "property float stress\n");
    text_add(text, "element face %zu\nproperty list uchar int vertex_indices\n",
             mesh->triangle_count);
    text_add(text, "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                   "property int object\nend_header\n");
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        text_add_bytes(text, mesh->vertices + 3 * i, 12);
        text_add_bytes(text, mesh->velocities + 3 * i, 12);
        if (mesh->stretch) text_add_bytes(text, mesh->stretch + i, 4);
        if (mesh->stress) text_add_bytes(text, mesh->stress + i, 4);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const float *color = mesh->colors + 3 * mesh->objects[i];
        unsigned char bytes[3] = {color_byte(color[0]), color_byte(color[1]), color_byte(color[2])};
        text_add_bytes(text, "\3", 1);
        text_add_bytes(text, mesh->triangles + 3 * i, 12);
        text_add_bytes(text, bytes, 3);
        text_add_bytes(text, &mesh->objects[i], 4);
    }
}

static void write_obj(Text *text, const FrameMesh *mesh) {
    text_add(text, "# Plimsoll %s\n", mesh->name);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *v = mesh->vertices + 3 * i;
        text_add(text, "v %.9g %.9g %.9g\n", (double)v[0], (double)v[1], (double)v[2]);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangles + 3 * i;
        if (i == 0 || mesh->objects[i] != mesh->objects[i - 1])
            text_add(text, "g object_%d\n", mesh->objects[i]);
        text_add(text, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
}

/* NULL: there are none. */
static void add_vtk_scalars(Text *text, const char *name, const float *values, size_t count) {
    if (!values) return;
    text_add(text, "\nSCALARS %s float 1\nLOOKUP_TABLE default\n", name);
    for (size_t i = 0; i < count; i++) add_swapped(text, values + i);
}

static void add_vtk_objects(Text *text, const int32_t *objects, size_t count) {
    text_add(text, "\nCELL_DATA %zu\nSCALARS object int 1\nLOOKUP_TABLE default\n", count);
    for (size_t i = 0; i < count; i++) add_swapped(text, objects + i);
}

static void write_vtk(Text *text, const FrameMesh *mesh) {
    text_add(text, "# vtk DataFile Version 3.0\nPlimsoll %s\nBINARY\nDATASET POLYDATA\n",
             mesh->name);
    text_add(text, "POINTS %zu float\n", mesh->vertex_count);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) add_swapped(text, mesh->vertices + i);
    text_add(text, "\nPOLYGONS %zu %zu\n", mesh->triangle_count, 4 * mesh->triangle_count);
    const int32_t corners = 3;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        add_swapped(text, &corners);
        for (size_t k = 0; k < 3; k++) add_swapped(text, mesh->triangles + 3 * i + k);
    }
    add_vtk_objects(text, mesh->objects, mesh->triangle_count);
    text_add(text, "\nPOINT_DATA %zu\nVECTORS velocity float\n", mesh->vertex_count);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) add_swapped(text, mesh->velocities + i);
    add_vtk_scalars(text, "stretch", mesh->stretch, mesh->vertex_count);
    add_vtk_scalars(text, "stress", mesh->stress, mesh->vertex_count);
    text_add(text, "\n");
}

PlimStatus export_mesh(PlimContext *context, const FrameMesh *mesh, ExportFormat format,
                       const char *path) {
    static void (*const writers[EXPORT_FORMAT_COUNT])(Text *, const FrameMesh *) = {
        write_ply, write_obj, write_vtk};
    Text text;
    text_init(&text, context);
    writers[format](&text, mesh);
    return write_and_free(&text, path);
}

/* ---- the formats of points ---- */

static void write_points_ply(Text *text, const FramePoints *points) {
    text_add(text, "ply\nformat binary_little_endian 1.0\ncomment Plimsoll %s\n", points->name);
    text_add(text, "element vertex %zu\n", points->count);
    text_add(text, "property float x\nproperty float y\nproperty float z\n"
                   "property float vx\nproperty float vy\nproperty float vz\n"
                   "property float radius\nend_header\n");
    for (size_t i = 0; i < points->count; i++) {
        text_add_bytes(text, points->positions + 3 * i, 12);
        text_add_bytes(text, points->velocities + 3 * i, 12);
        text_add_bytes(text, points->radii + i, 4);
    }
}

static void write_points_obj(Text *text, const FramePoints *points) {
    text_add(text, "# Plimsoll %s\n", points->name);
    for (size_t i = 0; i < points->count; i++) {
        const float *v = points->positions + 3 * i;
        text_add(text, "v %.9g %.9g %.9g\n", (double)v[0], (double)v[1], (double)v[2]);
    }
    for (size_t i = 0; i < points->count; i++) text_add(text, "p %zu\n", i + 1);
}

static void write_points_vtk(Text *text, const FramePoints *points) {
    text_add(text, "# vtk DataFile Version 3.0\nPlimsoll %s\nBINARY\nDATASET POLYDATA\n",
             points->name);
    text_add(text, "POINTS %zu float\n", points->count);
    for (size_t i = 0; i < 3 * points->count; i++) add_swapped(text, points->positions + i);
    text_add(text, "\nVERTICES %zu %zu\n", points->count, 2 * points->count);
    const int32_t corners = 1;
    for (size_t i = 0; i < points->count; i++) {
        int32_t number = (int32_t)i;
        add_swapped(text, &corners);
        add_swapped(text, &number);
    }
    text_add(text, "\nPOINT_DATA %zu\nVECTORS velocity float\n", points->count);
    for (size_t i = 0; i < 3 * points->count; i++) add_swapped(text, points->velocities + i);
    add_vtk_scalars(text, "radius", points->radii, points->count);
    text_add(text, "\n");
}

PlimStatus export_points(PlimContext *context, const FramePoints *points, ExportFormat format,
                         const char *path) {
    static void (*const writers[EXPORT_FORMAT_COUNT])(Text *, const FramePoints *) = {
        write_points_ply, write_points_obj, write_points_vtk};
    Text text;
    text_init(&text, context);
    writers[format](&text, points);
    return write_and_free(&text, path);
}

/* ---- elements ---- */

static void write_elements(Text *text, const FrameElements *elements) {
    enum { VTK_TRIANGLE = 5, VTK_TETRA = 10 };
    bool are_tets = elements->tetrahedra != NULL;
    const int32_t *nodes = are_tets ? elements->tetrahedra : elements->triangles;
    const int32_t corners = are_tets ? 4 : 3, type = are_tets ? VTK_TETRA : VTK_TRIANGLE;
    size_t count = elements->element_count, size = (size_t)corners;
    text_add(text, "# vtk DataFile Version 3.0\nPlimsoll %s\nBINARY\nDATASET UNSTRUCTURED_GRID\n",
             elements->name);
    text_add(text, "POINTS %zu float\n", elements->node_count);
    for (size_t i = 0; i < 3 * elements->node_count; i++) add_swapped(text, elements->nodes + i);
    text_add(text, "\nCELLS %zu %zu\n", count, (size + 1) * count);
    for (size_t i = 0; i < count; i++) {
        add_swapped(text, &corners);
        for (size_t k = 0; k < size; k++) add_swapped(text, nodes + size * i + k);
    }
    text_add(text, "\nCELL_TYPES %zu\n", count);
    for (size_t i = 0; i < count; i++) add_swapped(text, &type);
    add_vtk_objects(text, elements->objects, count);
    add_vtk_scalars(text, "stretch", elements->stretch, count);
    add_vtk_scalars(text, "stress", elements->stress, count);
    text_add(text, "\nPOINT_DATA %zu\nVECTORS velocity float\n", elements->node_count);
    for (size_t i = 0; i < 3 * elements->node_count; i++)
        add_swapped(text, elements->velocities + i);
    text_add(text, "\n");
}

PlimStatus export_elements(PlimContext *context, const FrameElements *elements, const char *path) {
    Text text;
    text_init(&text, context);
    write_elements(&text, elements);
    return write_and_free(&text, path);
}

/* ---- grids ---- */

static size_t array_bytes(const FrameGroup *group, const FrameArray *array) {
    return 4 * array->columns * frame_array_rows(group, array);
}

/* In two dimensions the cells are squares: no extent along z. */
static void add_header(Text *text, const FrameVolume *volume) {
    int depth = volume->dim == 3 ? volume->n[2] : 0;
    char extent[96];
    snprintf(extent, sizeof extent, "0 %d 0 %d 0 %d", volume->n[0], volume->n[1], depth);
    text_add(text,
             "<?xml version=\"1.0\"?>\n"
             "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" "
             "header_type=\"UInt64\">\n"
             "  <ImageData WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" "
             "Spacing=\"%.17g %.17g %.17g\">\n",
             extent, volume->origin[0], volume->origin[1], volume->origin[2], volume->spacing,
             volume->spacing, volume->spacing);
    text_add(text,
             "    <Piece Extent=\"%s\">\n"
             "      <CellData Scalars=\"pressure\" Vectors=\"velocity\">\n",
             extent);
}

PlimStatus export_volume(PlimContext *context, const FrameVolume *volume, const char *path) {
    FrameGroup group = frame_volume_group(volume);
    size_t offset = 0;
    Text text;
    text_init(&text, context);
    add_header(&text, volume);
    for (size_t i = 0; i < group.array_count; i++) {
        const FrameArray *array = &group.arrays[i];
        if (!frame_array_values(&group, array)) continue;
        text_add(&text,
                 "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%zu\" "
                 "format=\"appended\" offset=\"%zu\"/>\n",
                 array->type == H5_F32 ? "Float32" : "Int32", array->name, array->columns, offset);
        offset += sizeof(uint64_t) + array_bytes(&group, array);
    }
    text_add(&text, "      </CellData>\n    </Piece>\n  </ImageData>\n"
                    "  <AppendedData encoding=\"raw\">\n_");
    for (size_t i = 0; i < group.array_count; i++) {
        const void *values = frame_array_values(&group, &group.arrays[i]);
        if (!values) continue;
        uint64_t size = array_bytes(&group, &group.arrays[i]);
        text_add_bytes(&text, &size, sizeof size);
        text_add_bytes(&text, values, size);
    }
    text_add(&text, "\n  </AppendedData>\n</VTKFile>\n");
    return write_and_free(&text, path);
}

/* ---- the exporters ---- */

typedef struct Files {
    ExportJob job;
    ExportFormat format;
    size_t count;
} Files;

static PlimStatus create(const ExportJob *job, ExportFormat format, void **out) {
    Files *files = *out = context_allocate(job->context, 1, sizeof *files);
    if (!files) return PLIM_OUT_OF_MEMORY;
    *files = (Files){.job = *job, .format = format};
    return PLIM_OK;
}

static PlimStatus create_ply(const ExportJob *job, void **out) {
    return create(job, EXPORT_PLY, out);
}

static PlimStatus create_obj(const ExportJob *job, void **out) {
    return create(job, EXPORT_OBJ, out);
}

static PlimStatus create_vtk(const ExportJob *job, void **out) {
    return create(job, EXPORT_VTK, out);
}

static void destroy(void *exporter) {
    Files *files = exporter;
    if (files) context_free(files->job.context, files, 1, sizeof *files);
}

/* FOLDER/NAME_NNNNN.ENDING, counted. */
static PlimStatus target_path(Files *files, const char *name, uint64_t frame, const char *ending,
                              char path[PATH_CAPACITY]) {
    char file[SYSTEM_NAME_CAPACITY + 64];
    snprintf(file, sizeof file, "%s_%05" PRIu64 ".%s", name, frame, ending);
    files->count++;
    return path_join(files->job.context, files->job.folder, file, path);
}

/* Surfaces and drops in any format; finite elements, and fluids as image data, when the format is
 * VTK's. */
static PlimStatus add(void *exporter, const FrameData *frame) {
    Files *files = exporter;
    PlimContext *context = files->job.context;
    const FrameView *view = &frame->view;
    const char *ending = export_format_name(files->format);
    bool is_vtk = files->format == EXPORT_VTK;
    char path[PATH_CAPACITY];
    for (size_t i = 0; i < view->mesh_count; i++) {
        TRY(target_path(files, view->meshes[i].name, frame->frame, ending, path));
        TRY(export_mesh(context, &view->meshes[i], files->format, path));
    }
    for (size_t i = 0; i < view->points_count; i++) {
        TRY(target_path(files, view->points[i].name, frame->frame, ending, path));
        TRY(export_points(context, &view->points[i], files->format, path));
    }
    for (size_t i = 0; is_vtk && i < view->elements_count; i++) {
        TRY(target_path(files, view->elements[i].name, frame->frame, "vtk", path));
        TRY(export_elements(context, &view->elements[i], path));
    }
    for (size_t i = 0; is_vtk && i < view->volume_count; i++) {
        TRY(target_path(files, view->volumes[i].name, frame->frame, "vti", path));
        TRY(export_volume(context, &view->volumes[i], path));
    }
    return PLIM_OK;
}

static PlimStatus finish(void *exporter, char path[PATH_CAPACITY]) {
    Files *files = exporter;
    if (files->count == 0)
        return context_fail(files->job.context, PLIM_BAD_INPUT,
                            "there are no surfaces to export; --to vtk exports a fluid");
    snprintf(path, PATH_CAPACITY, "%s", files->job.folder);
    return PLIM_OK;
}

const Exporter export_ply = {"ply", create_ply, add, finish, destroy};
const Exporter export_obj = {"obj", create_obj, add, finish, destroy};
const Exporter export_vtk = {"vtk", create_vtk, add, finish, destroy};
